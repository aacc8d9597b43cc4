/* SPDX-License-Identifier: Apache-2.0 */
/* What a rank's streams really do in one run: the iteration's ops, merged where nobody can see. */
#pragma once

#include "sim/lonely.h"
#include "sim/proof.h"

G_BEGIN_DECLS

/** How one run of an iteration differs from another. */
typedef struct {
    LpFidelity fidelity;
    gboolean merge;       /**< ops in a row that nobody else can see are one task */
    gboolean uncontended; /**< every communication takes its lonely time */
    gboolean balanced;    /**< every stage takes the mean stage's time (uncontended runs only) */
    gboolean free_messages; /**< messages between stages take no time (uncontended runs only) */
} LpRunMode;

typedef enum {
    LP_TASK_DELAY,      /**< takes a known time */
    LP_TASK_COLLECTIVE, /**< runs on the group's channels, or takes the group's lonely time */
    LP_TASK_LAUNCH,
    LP_TASK_JOIN,
} LpTaskKind;

typedef struct {
    LpTaskKind kind;
    gboolean gathers; /**< a delay that holds collectives: the tp group starts it together */
    double duration_s;
    LpTerms terms; /**< of a delay; they sum to duration_s */
    guint64 traffic_bytes[LP_N_TRAFFIC]; /**< of a delay: by the whole tp group */
    const LpOp *op; /* borrowed from the iteration: collective, launch */
    double scale;   /**< of a collective's lonely time, 1 unless balanced */
} LpTask;

/** The tasks of a segment. */
typedef struct {
    guint first, n;
} LpTaskRange;

typedef struct {
    LpRunMode mode;
    GArray *tasks;       /* owned: LpTask */
    LpTaskRange *ranges; /* owned, by segment */
    double *lonely_s[LP_N_TERMS]; /* owned, by stage: lonely seconds of collectives by term */
    double *message_s;            /* owned, by stage: lonely seconds of all its sends */
} LpTasks;

/** Returns: (transfer full). */
LpTasks *lp_tasks_new(const LpEdges *edges, const LpProof *proof, LpRunMode mode);
void lp_tasks_free(LpTasks *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpTasks, lp_tasks_free)

G_END_DECLS
