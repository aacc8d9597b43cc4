/* SPDX-License-Identifier: Apache-2.0 */
/* What ranks wait for in a run: which member of a group comes last, and what the critical path of
 * each rank is made of. */
#pragma once

#include "model/plan/plan_options.h"
#include "model/plan/terms.h"
#include "workloads/program/operation.h"

G_BEGIN_DECLS

/** No stage, or no collective. */
#define LP_WAIT_NONE G_MAXUINT32

/** Collectives of a class that waited for the same member. */
typedef struct {
    guint32 job;
    LpTraffic traffic;
    guint32 collective; /**< LpCollective; LP_WAIT_NONE: those that are part of a longer delay */
    guint64 rank;       /**< that came last */
    guint64 n_alike;    /**< groups that waited so for a rank like it, its own included */
    guint64 n;          /**< how often, if others had to wait */
    double waited_s;    /**< by a member, in the mean, summed */
    double worst_s;     /**< by a member, in the mean, once */
} LpStragglerWait;

/** A stretch of a critical path: a rank's time of one kind. */
typedef struct LpPathNode LpPathNode;
struct LpPathNode {
    const LpPathNode *before; /* borrowed from the record; NULL: the first */
    LpTerm term;
    guint32 stage;   /**< whose time it is */
    guint32 partner; /**< the stage that it waits for, or LP_WAIT_NONE */
    double seconds;
};

typedef struct LpWaitRecord LpWaitRecord;

/** An empty record of @n_jobs. Returns: (transfer full). */
LpWaitRecord *lp_wait_record_new(guint32 n_jobs);
void lp_wait_record_free(LpWaitRecord *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpWaitRecord, lp_wait_record_free)

/** Counts a collective, one of the job, class, operation, rank and likes of @what, whose members
 * waited @mean_s, in the mean. */
void lp_wait_record_add(LpWaitRecord *self, const LpStragglerWait *what, double mean_s);
/** All of @job, the costliest first. Returns: (transfer full) array of LpStragglerWait. */
GArray *lp_wait_record_stragglers(const LpWaitRecord *self, guint32 job);
/** Continues the path that ends in @before (NULL: it begins) with @next, whose "before" is ignored.
 * @is_shared: whether another path ends there too. Returns: (transfer none) its new end, owned by
 * the record; NULL once there are more nodes than memory is spent on. */
const LpPathNode *lp_wait_record_extend(LpWaitRecord *self, const LpPathNode *before,
                                        gboolean is_shared, LpPathNode next);
/** The critical path of @job ends in @path. */
void lp_wait_record_end(LpWaitRecord *self, guint32 job, const LpPathNode *path);
/** Returns: (transfer none) the end of the critical path of @job; NULL if nodes were left out. */
const LpPathNode *lp_wait_record_path(const LpWaitRecord *self, guint32 job);

G_END_DECLS
