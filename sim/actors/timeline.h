/* SPDX-License-Identifier: Apache-2.0 */
/* What the first replica's ranks did when: one track per stage and stream. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** A stream of a stage, and what it carries. */
typedef enum {
    LP_LANE_COMPUTE,
    LP_LANE_TP,
    LP_LANE_PP,
    LP_LANE_DP,
    LP_LANE_EP,
    LP_LANE_CP,
    LP_N_LANES
} LpLane;

/** "compute" "tp" ..., by LpLane. */
extern const char *const lp_lane_names[];

/** Something that a stage did, from its start to its end on the engine's clock. */
typedef struct {
    const char *name; /**< static */
    guint32 stage;
    LpLane lane;
    gint32 micro_batch; /**< -1 where there is none */
    guint32 chunk;
    double start_s, end_s;
} LpSlice;

/** All that the first replica did. */
typedef struct {
    GArray *slices; /* owned: LpSlice, in the order in which they ended */
} LpTimeline;

/** An empty one. Returns: (transfer full). */
LpTimeline *lp_timeline_new(void);
void lp_timeline_free(LpTimeline *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpTimeline, lp_timeline_free)

/** Appends @slice, whose name must be static. Slices of no length are left out. @self may be NULL:
 * nothing is recorded. */
void lp_timeline_add(LpTimeline *self, LpSlice slice);

G_END_DECLS
