/* SPDX-License-Identifier: Apache-2.0 */
/* How long the segments of a program take without other traffic, in the slowest communicators; and
 * their means, which balanced runs aim at. */
#pragma once

#include "sim/analysis/isolated_time.h"
#include "sim/analysis/summary.h"

G_BEGIN_DECLS

/** A segment's operations that its compute stream waits for: computing, and the collectives of each
 * class of traffic; and the same again from the optimiser on, before which stages may meet. */
enum {
    LP_SEGMENT_COMPUTE,
    LP_SEGMENT_TRAFFIC, /**< and so on for each LpTraffic */
    LP_SEGMENT_UPDATE = LP_SEGMENT_TRAFFIC + LP_N_TRAFFIC,
    LP_N_SEGMENT_PARTS = 2 * LP_SEGMENT_UPDATE
};

/** The part that @op belongs to. @io_updates: whether the optimiser has begun; FALSE before the
 * first. */
guint lp_segment_part(const LpOp *op, gboolean *io_updates);

/** A segment's times, s. */
typedef struct {
    LpRole role;
    guint n_runs;                       /**< in one iteration */
    double blocking_s, inner_s;         /**< waited for; launched in layers */
    double launched_s[2];               /**< for gradients; and from the optimiser on */
    double parts_s[LP_N_SEGMENT_PARTS]; /**< of blocking_s */
    double collectives_s[LP_N_TERMS];
    double computing_s; /**< the optimiser's included */
} LpSegmentTime;

/** The times of all segments of a program. */
typedef struct {
    const LpProgram *program;     /* borrowed */
    const LpIsolatedRings *rings; /* borrowed */
    LpFidelity fidelity;
    LpSegmentTime *of; /* owned, by segment */
} LpSegmentTimes;

/** Times all segments of @program that run. Both are borrowed. */
void lp_segment_times_init(LpSegmentTimes *self, const LpProgram *program,
                           const LpIsolatedRings *rings, LpFidelity fidelity);
void lp_segment_times_clear(LpSegmentTimes *self);

/** Seconds of one operation of a segment of @stage. */
double lp_segment_op_time_s(const LpSegmentTimes *self, guint32 stage, const LpOp *op);
/** What all of one iteration's communication takes by itself. @map: of the same program. */
LpIsolatedCommunication lp_segment_times_communication(const LpSegmentTimes *self,
                                                       const LpCommunicationMap *map);

/** What balancing aims at. */
typedef struct LpSegmentMeans LpSegmentMeans;

/** Of @times, which must outlive it. Returns: (transfer full). */
LpSegmentMeans *lp_segment_means_new(const LpSegmentTimes *times);
void lp_segment_means_free(LpSegmentMeans *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpSegmentMeans, lp_segment_means_free)

/** The factor that gives @part of segment @index the mean chunk's time. Passes keep their
 * proportions, but in the finish each part is balanced: it waits for other stages. */
double lp_segment_means_scale(const LpSegmentMeans *self, guint index, guint part);
/** Seconds that segment @index has no ops for which @part takes in the mean: of a chunk without
 * layers, which leaves nothing to scale (all of it computing), or in a finish of what only other
 * stages do. */
double lp_segment_means_missing_s(const LpSegmentMeans *self, guint index, guint part);
/** The factor that gives what segment @index launches for gradients, of those ops that @part
 * belongs to, the mean stage's time. */
double lp_segment_means_launch_scale(const LpSegmentMeans *self, guint index, guint part);

G_END_DECLS
