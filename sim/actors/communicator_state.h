/* SPDX-License-Identifier: Apache-2.0 */
/* What a communicator in a run is made of, and the steps that its collectives have in common. Only
 * for the modules that run them. */
#pragma once

#include "sim/actors/round_executor.h"
#include "sim/actors/flow_class_executor.h"
#include "sim/actors/actor_experts.h"
#include "sim/actors/channel.h"
#include "sim/actors/runtime_log.h"
#include "sim/actors/runtime_mode.h"
#include "sim/actors/wait_record.h"

G_BEGIN_DECLS

struct s4u_Barrier;

struct LpCommunicatorRuntime {
    const LpCommunicationMap *map; /* borrowed */
    LpRuntimeMode mode;
    guint64 n_arrived;
    LpClock latest;              /* of those that have arrived, the one that is last */
    LpClock last;                /* of the last member to arrive, once all have */
    struct s4u_Barrier *barrier; /* owned; NULL for a single actor */
    LpIsolatedRing ring;
    LpChannel **channels;           /* owned, by member: to the next one; NULL entries for delays */
    const LpOp *op;                 /* borrowed: the collective at hand, or the last one */
    LpAlgorithmSelection selection; /* of it */
    GHashTable *known;              /* owned: what is known of each that has run, by LpOp */
    double isolated_s;              /* of it, if it takes its isolated time, */
    double measured_s;              /**< what the library was measured to take; 0: nothing */
    double least_s;                 /* or what an all-to-all needs on its busiest port */
    LpRoundPlan round_plan;         /* of it, if it is scheduled */
    LpRoundExecutor *round_executor; /* owned; NULL until something is */
    LpWatch *watch;                  /* borrowed from the run, or NULL */
    LpCircuits *circuits;            /* borrowed from the run; NULL: none are needed */
    const LpCircuitUse *use;         /* borrowed from the run: of them */
    LpExpertCircuits *experts;       /* owned; NULL: no circuits follow a demand of experts */
    guint64 n_exchanges, n_ended;    /* all-to-alls of experts, by every member */
    LpFlowEngine *sharing;           /* borrowed from the run, or NULL */
    LpRuntimeLog log;
    LpRuntimeLog class_log; /* the same of flows that stand for their class, which the log itself
                               counts as often as there are */
    LpWaitRecord *waits;    /* borrowed from the run, or NULL */
    double arrivals_s;      /* instants at which members have come, summed */
    GArray *members;        /* owned: LpClassMember, by actor; NULL: they stand for themselves */
    guint32 job;
    guint64 traffic_bytes[LP_N_TRAFFIC];
    guint64 n_delays;
    guint64 pairwise_bytes, n_pairwise;       /* sent without channels */
    guint64 n_begun;                          /* scheduled collectives, by every member */
    LpFlowClassExecutor *flow_class_executor; /* owned: of a class of communicators; NULL: members
                               stand for themselves */
    const LpQuotient *quotient;               /* borrowed: of that, or NULL */
    const LpCommunicatorClass *classes;       /* borrowed: of that, or NULL */
    guint32 *actor_member; /* owned, by actor: the member that it is in rings of messages; NULL: of
                              its own number */
    guint64 n_counted;     /* collectives, by every member */
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
/** Whether @op, which is no all-to-all along the rails, waits for circuits. */
gboolean lp_communicator_waits(const LpCommunicatorRuntime *self, const LpOp *op);
/** Waits until the circuits of @round stand; all members do. */
void lp_communicator_acquire(LpCommunicatorRuntime *self, guint32 round, LpClock *clock);
void lp_communicator_release(LpCommunicatorRuntime *self, guint32 round);
/** One step of a ring. Receives are always posted, so that what arrives meanwhile is only picked up
 * after sending, and a step takes as long as the longer of both. */
void lp_communicator_exchange(LpCommunicatorRuntime *self, guint64 index, guint64 bytes,
                              double latency_s);

G_END_DECLS
