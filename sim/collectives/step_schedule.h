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

#include "sim/collectives/collective_shape.h"

G_BEGIN_DECLS

/** Whether the shape can be run: which collective goes with which algorithm, and how many members,
 * levels, channels and bytes. Error: LP_SIMULATION_ERROR, one line. */
G_GNUC_WARN_UNUSED_RESULT
gboolean lp_step_schedule_supports(const LpCollectiveShape *shape, GError **error);
/** Works out @self. @shape must be supported; its loads are borrowed as long as @self is used. */
void lp_step_schedule_init(LpStepSchedule *self, const LpCollectiveShape *shape);

/** Whether there are no steps to follow, only what links carry from beginning to end: an all-to-all
 * by the algorithm torus. */
gboolean lp_step_schedule_is_fluid(const LpStepSchedule *self);
/** Whether switches inside domains and a tree between them work at once: an all-reduce in chunks
 * whose levels are in-network and tree. */
gboolean lp_step_schedule_is_switch_tree(const LpStepSchedule *self);
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
/** The steps [@out_first, @out_end) outside of which @member sends nothing. */
void lp_step_schedule_active(const LpStepSchedule *self, guint64 member, guint64 *out_first,
                             guint64 *out_end);
/** The number of messages that @member receives at @step. */
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
/** The sends of @member in all steps of @phase, one a partner. Takes time in proportion to its
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
