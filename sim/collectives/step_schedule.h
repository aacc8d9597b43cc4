/* SPDX-License-Identifier: Apache-2.0 */
/* Any collective by any algorithm as arithmetic: who sends which bytes to whom at which step.
 *
 * Execution. At a step each member posts all its sends of that step at once, and leaves the step
 * when all of them are done and all that it receives in that step has arrived. What is sent at a
 * step uses only what arrived in the steps before. Members need not be in the same step at the
 * same time; messages between a pair arrive in order. Two messages of a step never have both ends
 * and the lane in common. Nothing is allocated and nothing is kept: all answers follow from the
 * shape.
 *
 * The logical buffer is what spans are ranges of.
 *
 *  collective      buffer          each member has                and holds at the end
 *  all-reduce      [0, bytes)      its own summand                the sum
 *  reduce-scatter  [0, bytes)      its own summand                the sum, in its owned ranges
 *  all-gather      [0, bytes)      its owned ranges               everything
 *  broadcast       [0, bytes)      the root everything            everything
 *  reduce          [0, bytes)      its own summand                the root the sum
 *  send            [0, bytes)      member 0 everything            member 1 everything
 *  all-to-all      n x [0, bytes)  all pairs (itself, any)        all pairs (any, itself)
 *  barrier         [0, bytes)      that it has come               that all have
 *
 * The owned ranges (lp_step_schedule_owned()) of all members divide the buffer. Member i owns block
 * i of n, whose first (bytes mod n) are a byte longer; with channels, dimensions or levels, blocks
 * of blocks: sizes are the same, the order in the buffer is the algorithm's own, which a library
 * settles by strides. What else a member holds at the end is scratch.
 *
 * Pair (s, d) of an all-to-all lies at s bytes + begin(d), where blocks are as large as their
 * receiver's load or even, and at d bytes + begin(s) where they are as large as their sender's.
 *
 * A barrier's messages carry bytes, at least one. */
#pragma once

#include "model/collective.h"
#include "sim/collectives/blocks.h"
#include "sim/error.h"
#include "workloads/program/program.h"

G_BEGIN_DECLS

#define LP_STEP_SCHEDULE_LEVELS_MAX 3

/** What a collective is like. What an algorithm does not use is ignored. */
typedef struct {
    LpCollective collective;
    LpAlgorithm algorithm;
    guint64 n_members;
    guint64 bytes; /**< as LpOp.bytes: of the whole buffer, summed or gathered, on each member;
                      of an all-to-all what a member holds before it (of one weighted by sender:
                      after it); of a barrier or a send, of the message */
    guint64 root;  /**< of a broadcast or reduce */
    guint64 chunk_bytes; /**< trees, rings' broadcasts and switches work in chunks of at most this
                            much of what they carry at once, each channel and each of two trees by
                            itself; 0: one chunk */
    guint32 n_levels;    /**< hierarchical: 2 or 3; torus: dimensions, 1 to 3 */
    guint64
        level_size[LP_STEP_SCHEDULE_LEVELS_MAX]; /**< innermost first; their product is n_members */
    LpAlgorithm level_algorithm[LP_STEP_SCHEDULE_LEVELS_MAX]; /**< hierarchical: at each level */
    guint64 n_channels;  /**< ring: parallel rings in different orders; tree (all-reduce only):
                            double trees between domains' heads, chains inside; torus: 2 uses both
                            directions of each dimension; 0 and 1: one */
    guint64 n_intra;     /**< ring and tree with channels: members of each domain, who follow each
                           other; 0: all */
    gboolean aggregates; /**< in-network: the switch hands its sum to all at once, as aggregation
                            trees do; else each member fetches its share of the sum and stores it
                            to all, as over NVLink */
    const double *loads; /**< all-to-all: borrowed, by member, over the mean; NULL: even */
    LpWeight weight;     /**< whose load decides */
} LpCollectiveShape;

/** One message: @bytes > 0 to participant @to. */
typedef struct {
    guint64 to;
    guint64 bytes;
    guint lane; /**< of a step: a tree with chains has one a tree, each a connection of its own that
                   has a fair share of its port; else, and of a phase, 0 */
} LpSend;

/** A range of the logical buffer. */
typedef struct {
    guint64 offset, bytes;
    gboolean reduces; /**< the receiver adds it to what it has; else it replaces that */
} LpSpan;

/** Steps in a row in which no member's partners change, so that one fluid flow a partner can stand
 * for them all. */
typedef struct {
    guint64 first_step, n_steps;
    guint64 n_latencies; /**< steps on the longest way of any byte: a pipeline pays for distance
                            while it fills, not once a chunk */
    guint64 fill_bytes;  /**< what one port carries, one after the other, while the pipeline fills
                            and drains: time that fluid flows of the phase would not show; 0 where
                            every step is alike */
} LpStepPhase;

/** A stage of a hierarchical collective: a collective at one level. */
typedef struct {
    LpCollective collective;
    guint32 level;
    guint64 first_step, first_phase;
} LpStepStage;

#define LP_STEP_SCHEDULE_STAGES_MAX (2 * LP_STEP_SCHEDULE_LEVELS_MAX - 1)
#define LP_STEP_SCHEDULE_BOUNDS_MAX                                                                \
    (2 * LP_STEP_SCHEDULE_LEVELS_MAX * LP_STEP_SCHEDULE_LEVELS_MAX + 1)

/** A shape and what follows from it. Plain data: may be copied, needs no freeing. */
typedef struct LpStepSchedule {
    LpCollectiveShape shape;
    LpBlocks blocks; /**< the buffer over the members */
    guint64 n_steps;
    gboolean is_plain;  /**< ring: one of blocks that all pass on, which is asked for most */
    guint64 n_channels; /**< ring, tree with chains: at least 1 */
    guint64 n_intra;    /**< the same: members of a domain; n_members where order does not matter */
    guint64 n_chunks;
    guint64 n_nodes;     /**< tree: of each of the two trees; with chains, domains */
    guint64 n_core;      /**< doubling, halving, Bruck: the powers of two up to n */
    guint32 n_doublings; /**< how often one doubles to get there */
    guint64
        pitch[LP_STEP_SCHEDULE_LEVELS_MAX]; /**< levels: from a member to the next of its group */
    guint64 n_phases, most_sends;           /**< hierarchical: over all stages */
    guint32 n_stages;                       /**< hierarchical */
    LpStepStage stages[LP_STEP_SCHEDULE_STAGES_MAX];
    guint32 n_bounds; /**< torus: the steps where a phase begins, and the last one's end */
    guint64 bounds[LP_STEP_SCHEDULE_BOUNDS_MAX];
    const struct LpStepSchedule
        *whole;     /**< borrowed: a stage's all-to-all has its pairs from there */
    guint32 level;  /**< of it */
    guint64 anchor; /**< the first member of the stage's group there */
} LpStepSchedule;

/** Whether the shape can be run: which collective goes with which algorithm, and how many members,
 * levels, channels and bytes. Error: LP_SIMULATION_ERROR, one line. */
G_GNUC_WARN_UNUSED_RESULT
gboolean lp_step_schedule_supports(const LpCollectiveShape *shape, GError **error);
/** Works out @self. @shape must be supported; its loads are borrowed as long as @self is used. */
void lp_step_schedule_init(LpStepSchedule *self, const LpCollectiveShape *shape);

/** Members, and after them the switches of in-network reductions, which send, receive and take
 * steps like members: flat, the one of index n_members; of a hierarchical one those of the inner
 * levels first, in the order of their first members. */
guint64 lp_step_schedule_n_participants(const LpStepSchedule *self);
guint64 lp_step_schedule_n_steps(const LpStepSchedule *self);
/** Room for the sends of any participant in any step or phase; at least 1. */
guint64 lp_step_schedule_sends_max(const LpStepSchedule *self);
/** The sends of @member at @step, one a partner and lane; none is empty. Returns their number. */
guint64 lp_step_schedule_sends(const LpStepSchedule *self, guint64 member, guint64 step,
                               LpSend *out_sends);
/** How many messages @member receives at @step. */
guint64 lp_step_schedule_n_receives(const LpStepSchedule *self, guint64 member, guint64 step);
/** Whether @send, which @member sends at @step, holds the first of any chunks that go this way:
 * later ones find their receiver as late as themselves, and their latency delays nobody. TRUE where
 * the algorithm does not tell; then the steps of LpStepPhase.n_latencies decide alone. */
gboolean lp_step_schedule_opens(const LpStepSchedule *self, guint64 member, guint64 step,
                                const LpSend *send);
/** Appends the LpSpans that send number @send of the step carries; their bytes are its bytes. */
void lp_step_schedule_spans(const LpStepSchedule *self, guint64 member, guint64 step, guint64 send,
                            GArray *out_spans);
/** Appends the LpSpans that @member owns: has before an all-gather, gets by a reduce-scatter. */
void lp_step_schedule_owned(const LpStepSchedule *self, guint64 member, GArray *out_spans);
/** Bytes of the logical buffer. */
guint64 lp_step_schedule_logical_bytes(const LpStepSchedule *self);

guint64 lp_step_schedule_n_phases(const LpStepSchedule *self);
LpStepPhase lp_step_schedule_phase(const LpStepSchedule *self, guint64 phase);
/** What @member sends in all steps of @phase, one a partner. Takes time in proportion to its
 * partners (and to the blocks that an all-to-all forwards), not to the steps. */
guint64 lp_step_schedule_phase_sends(const LpStepSchedule *self, guint64 member, guint64 phase,
                                     LpSend *out_sends);
/** From how many partners @member receives in @phase. */
guint64 lp_step_schedule_phase_n_receives(const LpStepSchedule *self, guint64 member,
                                          guint64 phase);

/** All that @member sends. */
guint64 lp_step_schedule_member_bytes(const LpStepSchedule *self, guint64 member);
/** All that all members send; what switches send is not among it. */
guint64 lp_step_schedule_total_bytes(const LpStepSchedule *self);

G_END_DECLS
