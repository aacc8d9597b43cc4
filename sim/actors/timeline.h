/* SPDX-License-Identifier: Apache-2.0 */
/* What the first replica's ranks did when: one track per stage and stream. */
#pragma once

#include "model/plan/terms.h"

G_BEGIN_DECLS

/** A stream of a stage, and what it carries. */
typedef enum {
    LP_LANE_COMPUTE,
    LP_LANE_TP,
    LP_LANE_PP,
    LP_LANE_DP,
    LP_LANE_EP,
    LP_LANE_CP,
    LP_LANE_STREAM_COMPUTE, /**< what is computed on a stream of its own */
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
    gboolean is_waiting; /**< for others: nothing is computed or sent */
    guint64 bytes;       /**< of the message or, of a collective, the buffer; 0: of neither */
    guint64 message;     /**< a number that only the sending and the receiving slice of a message
                              have; 0: none */
    double start_s, end_s;
    LpTerms terms; /**< of LP_LANE_COMPUTE: how its time divides */
} LpSlice;

/** A circuit of a lane at the attachment of a stage's rank: asked for, carrying bytes, given away.
 */
typedef struct {
    const char *name; /**< of the traffic it was planned for, static */
    guint32 stage, lane;
    guint32 peer; /**< the attachment at its other end */
    double start_s, up_s, end_s;
} LpCircuitSlice;

/** All that the first replica did. */
typedef struct {
    GArray *slices;   /* owned: LpSlice, in the order in which they ended */
    GArray *circuits; /* owned: LpCircuitSlice, in the order in which they began */
} LpTimeline;

/** An empty one. Returns: (transfer full). */
LpTimeline *lp_timeline_new(void);
void lp_timeline_free(LpTimeline *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpTimeline, lp_timeline_free)

/** Appends @slice, whose name must be static. Slices of no length are left out, but for
 * those of messages. @self may be NULL:
 * nothing is recorded. */
void lp_timeline_add(LpTimeline *self, LpSlice slice);

/** Stages that have slices: the highest and all below it. */
guint32 lp_timeline_n_stages(const LpTimeline *self);

/** Appends @slice, whose name must be static. @self may be NULL. */
void lp_timeline_add_circuit(LpTimeline *self, LpCircuitSlice slice);

G_END_DECLS
