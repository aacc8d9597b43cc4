/* SPDX-License-Identifier: Apache-2.0 */
/* What a communicator in a run is made of. Only for the modules that run its collectives:
 * communicator_runtime.c, communicator_collective.c and communicator_all_to_all.c. */
#pragma once

#include "sim/actors/actor_experts.h"
#include "sim/actors/channel.h"
#include "sim/actors/round_executor.h"
#include "sim/actors/runtime_log.h"
#include "sim/actors/runtime_mode.h"

G_BEGIN_DECLS

struct s4u_Barrier;

struct LpCommunicatorRuntime {
    const LpCommunicationMap *map; /* borrowed */
    LpRuntimeMode mode;
    LpFlowSender sender; /**< of its flows */
    LpRuntimeLog log;    /**< of its delays */
    LpIsolatedRing ring;
    struct s4u_Barrier *barrier; /* owned; NULL for a single actor */

    /* Who takes part. */
    GArray *members;                    /* owned: LpClassMember, by actor; NULL: they stand for
                                           themselves */
    const LpQuotient *quotient;         /* borrowed: where it stands for a class, or NULL */
    const LpCommunicatorClass *classes; /* borrowed: of that, or NULL */
    guint32 *actor_member;     /* owned, by actor: the member that it is in rings of messages; NULL:
                                  of its own number */
    LpChannel **channels;      /* owned, by member: to the next one; NULL entries for delays */
    LpCircuits *circuits;      /* borrowed from the run; NULL: none are needed */
    const LpCircuitUse *use;   /* borrowed from the run: of them */
    LpExpertCircuits *experts; /* owned; NULL: no circuits follow a demand of experts */

    /* The members that have come. */
    guint64 n_arrived;
    LpClock latest;      /**< of them, the one that is last */
    LpClock last;        /**< of the last member to arrive, once all have */
    LpWaitRecord *waits; /* borrowed from the run, or NULL */
    double arrivals_s;   /**< instants at which they have come, summed */

    /* The collective at hand, or the last one. */
    GHashTable *known; /* owned: what is known of each that has run, by LpOp */
    const LpOp *op;    /* borrowed */
    LpAlgorithmSelection selection;
    double isolated_s;            /**< its isolated time, where it takes that */
    double measured_s;            /**< what the library was measured to take; 0: nothing */
    double least_s;               /**< what an all-to-all needs on its busiest port */
    LpRoundPlan round_plan;       /* owned: if it is scheduled */
    LpRoundExecutor *executor;    /* owned; NULL until something needs it */
    guint64 n_exchanges, n_ended; /**< all-to-alls of experts, by every member */

    guint64 traffic_bytes[LP_N_TRAFFIC];
    guint64 n_delays;
    guint64 posted_bytes, n_posted; /**< over circuits that turn */
    guint64 n_counted;              /**< collectives, by every member */
};

LpTraffic lp_communicator_traffic(const LpCommunicatorRuntime *self);
/** Whether its channels lead out of domains: those of a group that does all-to-alls. */
gboolean lp_communicator_sends_inter(const LpCommunicatorRuntime *self);
/** The member that sends to @index, or that stands for it. */
guint64 lp_communicator_sender_to(const LpCommunicatorRuntime *self, guint64 index);
/** Whether a network stands beside its circuits. */
gboolean lp_communicator_is_hybrid(const LpCommunicatorRuntime *self);
/** Whether @op goes beside a hybrid's circuits, whatever stands. */
gboolean lp_communicator_uses_packet_network(const LpCommunicatorRuntime *self, const LpOp *op);
/** What runs rounds, rows and classes of flows. Borrowed. */
LpRoundExecutor *lp_communicator_executor(LpCommunicatorRuntime *self);
/** Waits until the circuits of @round stand; all members do. */
void lp_communicator_acquire(LpCommunicatorRuntime *self, guint32 round, LpClock *clock);
void lp_communicator_release(LpCommunicatorRuntime *self, guint32 round);
/** One step of a ring: sends to the next member, and receives from the one before. */
void lp_communicator_exchange(LpCommunicatorRuntime *self, guint64 index, guint64 bytes,
                              double latency_s);

/** Member @index takes part in @op, an all-to-all; all have come. @clock: as
 * lp_communicator_runtime_run(). Actors only. */
void lp_communicator_run_all_to_all(LpCommunicatorRuntime *self, guint64 index, const LpOp *op,
                                    LpClock *clock);
/** What stays in domains goes on beside what leaves them, from @from_s on, for as long as its ports
 * need: waits for it. Actors only. */
void lp_communicator_wait_for_ports(LpCommunicatorRuntime *self, double from_s);

G_END_DECLS
