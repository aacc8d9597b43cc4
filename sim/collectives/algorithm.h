/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between step_schedule.c and the algorithms, which it alone calls. An algorithm says
 * which pieces a member sends at a step, and from whom it may receive; everything else is derived.
 */
#pragma once

#include "sim/collectives/collective_shape.h"

G_BEGIN_DECLS

#define LP_SINK_ANY G_MAXUINT64

/** Takes the pieces that a member sends, and makes of them what was asked for: messages, spans of
 * the messages to one partner, or their bytes. Partners of a stage's group become participants of
 * the whole, and its offsets those of the whole. */
typedef struct {
    LpSend *sends; /**< borrowed; NULL: none wanted */
    guint64 n_sends;
    GArray *spans;     /**< borrowed; NULL: none wanted */
    guint64 only;      /**< pieces to this participant; LP_SINK_ANY: all */
    guint only_lane;   /**< and in this lane */
    guint lane;        /**< of the pieces to come */
    guint64 bytes;     /**< of all pieces taken */
    gboolean grouped;  /**< pieces to one partner follow each other: no need to look further back */
    guint64 first;     /**< participant that partner 0 is */
    guint64 stride;    /**< from partner to partner */
    guint64 n_group;   /**< partner of this index is the group's switch: */
    guint64 switch_to; /**< its participant */
    guint64 base;      /**< offset 0 of the group in the whole buffer */
    guint64 load_index; /**< how far loads have been summed, */
    double load_before; /**< to what */
} LpSink;

/** A sink that passes everything on as it is. */
LpSink lp_sink_plain(void);
void lp_sink_add(LpSink *self, guint64 to, guint64 offset, guint64 bytes, gboolean reduces);
/** The @count blocks from @first on, around the end, of a range at @base. */
void lp_sink_add_blocks(LpSink *self, guint64 to, const LpBlocks *blocks, guint64 base,
                        guint64 first, guint64 count, gboolean reduces);

#define LP_SOURCES_MAX 16

/** The members from which a member may receive. */
typedef struct {
    guint64 from[LP_SOURCES_MAX];
    guint n;
} LpSources;

void lp_sources_add(LpSources *self, guint64 from);

typedef struct {
    /** Sets n_steps and whatever the algorithm needs. */
    void (*init)(LpStepSchedule *self, guint64 largest_bytes);
    guint64 (*sends_max)(const LpStepSchedule *self); /**< NULL: 1 */
    void (*visit)(const LpStepSchedule *self, guint64 member, guint64 step, LpSink *sink);
    /** The steps [@out_first, @out_end) outside of which a member sends nothing. NULL: all. */
    void (*active)(const LpStepSchedule *self, guint64 member, guint64 *out_first,
                   guint64 *out_end);
    /** A superset of those who send to @member at @step, the same all through a phase. */
    void (*sources)(const LpStepSchedule *self, guint64 member, guint64 step,
                    LpSources *out_sources);
    /** Instead of sources(), where there are too many. NULL: from sources(). */
    guint64 (*n_receives)(const LpStepSchedule *self, guint64 member, guint64 step);
    guint64 (*phase_n_receives)(const LpStepSchedule *self, guint64 member, guint64 phase);
    /** Adds all that @member ever sends to @io_pipes: LpStepPipe. NULL: has no pipes. */
    void (*add_pipes)(const LpStepSchedule *self, guint64 member, GArray *io_pipes);
    /** NULL: every message does, in the steps whose latency counts. */
    gboolean (*opens)(const LpStepSchedule *self, guint64 member, guint64 step, const LpSend *send);
    /** NULL: every step is a phase. */
    guint64 (*n_phases)(const LpStepSchedule *self);
    LpStepPhase (*phase)(const LpStepSchedule *self, guint64 phase);
    void (*visit_phase)(const LpStepSchedule *self, guint64 member, guint64 phase, LpSink *sink);
    void (*visit_owned)(const LpStepSchedule *self, guint64 member,
                        LpSink *sink);                  /**< NULL: block */
    guint64 (*total_bytes)(const LpStepSchedule *self); /**< NULL: summed over members */
} LpAlgorithmClass;

#define LP_CAN(collective) (1u << LP_COLLECTIVE_##collective)

extern const LpAlgorithmClass lp_ring_class, lp_tree_class, lp_chain_tree_class, lp_doubling_class,
    lp_halving_class, lp_bruck_class, lp_pairwise_class, lp_direct_class, lp_torus_class,
    lp_listed_class, lp_torus_exchange_class, lp_in_network_class, lp_hierarchical_class,
    lp_switch_tree_class;

/** The send of a plain ring, without a sink. */
static inline guint64
lp_ring_plain_sends(const LpStepSchedule *self, guint64 member, guint64 step, LpSend *out_sends)
{
    guint64 n = self->shape.n_members;
    guint64 skip = self->shape.collective == LP_COLLECTIVE_ALL_GATHER ? 0 : 1;
    guint64 block = member + 2 * n - skip - step;
    block -= block >= 2 * n ? 2 * n : block >= n ? n : 0;
    out_sends->to = member + 1 < n ? member + 1 : 0;
    out_sends->bytes = lp_blocks_bytes(&self->blocks, block);
    out_sends->lane = 0;
    return out_sends->bytes > 0 ? 1 : 0;
}

const LpAlgorithmClass *lp_step_schedule_class(const LpStepSchedule *self);
/** Initialises the schedule of one of several similar groups, the largest of which works on
 * @largest_bytes: all take the same number of steps. */
void lp_step_schedule_init_group(LpStepSchedule *self, const LpCollectiveShape *shape,
                                 guint64 largest_bytes);
void lp_step_schedule_visit(const LpStepSchedule *self, guint64 member, guint64 step, LpSink *sink);
void lp_step_schedule_visit_phase(const LpStepSchedule *self, guint64 member, guint64 phase,
                                  LpSink *sink);

/** The number of chunks of at most @chunk_bytes (0: any) that cover @bytes; at least 1. */
guint64 lp_chunks(guint64 bytes, guint64 chunk_bytes);
/** (n - 1) bytes for each half of an all-reduce: what no algorithm can do without. */
guint64 lp_least_total_bytes(const LpStepSchedule *self);

G_END_DECLS
