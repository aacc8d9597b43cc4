/* SPDX-License-Identifier: Apache-2.0 */
/* What the members of a group do in one collective, round by round: the steps of its algorithm, or
 * with fidelity flow its phases, over the group's own connections and with the protocol's costs.
 *
 * In a round a member has all its sends under way, at most as many as the library has at a time,
 * in order; it leaves the round when they have ended and all receives of the round have arrived.
 * A sender does not wait for latency: libraries go on sending while data are on their way. The
 * receiver does, so that the latencies of a chain of steps add up along the chain. */
#pragma once

#include "model/network/library.h"
#include "sim/collectives/step_pipes.h"
#include "sim/mapping/communication_map.h"

G_BEGIN_DECLS

/** Sends that each of @n_members has under way at once with @library: as many as that has, but few
 * enough that a run ends. */
guint32 lp_sends_at_once(const LpLibrary *library, guint64 n_members);

typedef struct {
    guint64 to;                     /**< member */
    const LpConnection *connection; /* borrowed from the connections */
    guint64 bytes;                  /**< on the wire: with the protocol's overhead */
    double latency_s;               /**< from the end of the bytes' flow to their arrival */
} LpTransfer;

typedef struct {
    const LpCommunicationMap *map;      /* borrowed */
    const LpCommunicator *communicator; /* borrowed */
    LpFidelity fidelity;        /**< message, too, for what is short: see lp_round_plan_init() */
    const LpProtocol *protocol; /* borrowed from the library */
    LpStepSchedule schedule;
    LpStepPipes *pipes; /* owned: of @schedule, or NULL. Fidelity message only */
    guint64 n_rounds;
    guint32 at_once;       /**< sends that a member has under way; the others wait */
    guint8 *has_latency;   /* owned, by round: whether it is one in which a pipeline fills. Fidelity
                              message only */
    gboolean has_ring_hop; /**< parallel rings, message by message: */
    double ring_hop_s;     /**< in place of each connection's own; negative: not worked out yet */
    double *wait_s;        /**< owned, by round; negative: not worked out yet. Fidelity flow only */
    double start_s;        /**< fidelity flow: instead of wait_s, before round 0
                              (lp_pipeline_start_prepare()); negative: none */
    LpSend *sends;         /* owned: room for a member's sends of a round */
} LpRoundPlan;

/** The round plan of @op in @communicator. The op must be one that is scheduled
 * (lp_rank_layout_selection()). With fidelity flow what has few steps is followed step by step all
 * the same. @over: of all connections, those beside circuits among them
 * (lp_communication_map_of()). @over, @communicator: borrowed. */
void lp_round_plan_init(LpRoundPlan *self, const LpCommunicationMap *over, const LpOp *op,
                        const LpCommunicator *communicator, LpFidelity fidelity);
/** Initialises the plan of a @shape and a @protocol (borrowed) that were selected before, with
 * LpRoundPlan.at_once. */
void lp_round_plan_init_shape(LpRoundPlan *self, const LpCommunicationMap *map,
                              const LpCommunicator *communicator, const LpCollectiveShape *shape,
                              const LpProtocol *protocol, guint32 at_once, LpFidelity fidelity);
void lp_round_plan_clear(LpRoundPlan *self);

/** The latency of a step of parallel rings, s: the mean over all connections. */
double lp_round_plan_ring_hop_s(LpRoundPlan *self);
/** Room that lp_round_plan_transfers() needs. */
guint64 lp_round_plan_transfers_max(const LpRoundPlan *self);
/** The seconds that a member waits in @round before it sends: the protocol's base in the first
 * round and, with fidelity flow, what single flows of a phase would not show: the latencies of its
 * steps, and the time that fills its pipeline. */
double lp_round_plan_wait_s(LpRoundPlan *self, guint64 round);
/** The rounds [@out_first, @out_end) outside of which @member sends nothing. */
void lp_round_plan_active(const LpRoundPlan *self, guint64 member, guint64 *out_first,
                          guint64 *out_end);
/** The transfers of @member in @round; returns how many. */
guint64 lp_round_plan_transfers(LpRoundPlan *self, guint64 member, guint64 round,
                                LpTransfer *out_transfers);
/** The number of transfers that come to @member in @round. */
guint64 lp_round_plan_n_receives(LpRoundPlan *self, guint64 member, guint64 round);
/** Bytes of data that @member sends in all rounds, without the protocol's overhead. */
guint64 lp_round_plan_member_bytes(const LpRoundPlan *self, guint64 member);

G_END_DECLS
