/* SPDX-License-Identifier: Apache-2.0 */
/* Contention analysis: proves, from routes and placement and before the run, what need not be
 * simulated flow by flow.
 *
 * A group is private if no other traffic of the iteration can be on a link of its ring while it is:
 * it is alone there, or all that uses the link are collectives that one and the same rank waits
 * for, one at a time. Its collectives cannot meet contention, and take a time that follows from
 * their steps. The slices of the tensor-parallel axis (all ranks with the same tp coordinate)
 * mirror each other if a one-to-one map of links carries all pipeline and gradient routes of the
 * first slice onto those of each other slice, with equal bandwidths and latencies, and no link
 * serves two slices: what happens in one happens in all, at the same instants. */
#pragma once

#include "sim/mapping/communication_map.h"
#include "sim/circuits/circuit_plan.h"

G_BEGIN_DECLS

typedef struct {
    gboolean *is_private[LP_N_GROUPS]; /* owned, by communicator */
    gboolean all_private[LP_N_GROUPS]; /**< every communicator of the group is (FALSE if there is
                                          none) */
    gboolean
        tp_private_when_idle; /**< those of tensor parallelism are, while nothing of
                                 LP_STREAM_DP is under way on their ranks; with fidelity flow */
    gboolean tp_mirrored;
    guint32 contested_link; /**< why not mirrored: this link serves two slices or breaks the map */
    gboolean has_contested_link;
} LpContention;

/** @fidelity: of the runs that rely on it. @background: by link, whether traffic that is not of
 * these connections can be on it; NULL if there is none. Returns: (transfer full). */
LpContention *lp_contention_new(const LpCommunicationMap *map, LpFidelity fidelity,
                                const gboolean *background);
/** No proof but an approximation: groups of tensor parallelism count as private if none but their
 * own kind can be on their links, whatever else is there. What else is there then costs them
 * nothing, nor they it. */
LpContention *lp_contention_new_negligible(const LpCommunicationMap *map, LpFidelity fidelity);
/**
 * Whether that leaves out at most @share of the time of tensor-parallel collectives on the wire.
 * Links are shared fairly, so that traffic beside theirs delays them by its own time at most: its
 * bytes over theirs (lp_contention_other_traffic_share()) are at most @share. They delay it as
 * little where it is messages between stages; gradients that are reduced behind the passes are long
 * transfers, and only those are near enough that are slower elsewhere: tensor-parallel groups keep
 * to their domains, and gradients leave them over links of at most a quarter of the bandwidth.
 */
gboolean lp_contention_is_negligible(const LpCommunicationMap *map, double share);
/** Bytes that a rank sends, or receives if that is more, while its tensor-parallel collectives may
 * run (messages between stages, gradients and parameters behind the passes) over the bytes that it
 * sends in those collectives, of the stage with most. G_MAXDOUBLE without such collectives. */
double lp_contention_other_traffic_share(const LpProgram *program);
/** What leaves nothing out: every flow of every rank is simulated. Returns: (transfer full). */
LpContention *lp_contention_new_nothing(const LpCommunicationMap *map);
/** Marks the links that traffic of @connections can be on in @io_links, by link. */
void lp_contention_mark_links(const LpCommunicationMap *map, LpFidelity fidelity,
                              gboolean *io_links);
/** Takes back that communicators of @map have their links to themselves where they wait for
 * circuits, which cannot be told beforehand: those of @plan, or of a rotor that they leave their
 * domain over. @plan: NULL without any. */
void lp_contention_open_circuits(LpContention *self, const LpCommunicationMap *map,
                                 const LpCircuitPlan *plan);
void lp_contention_free(LpContention *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpContention, lp_contention_free)

/** Slices of the tensor-parallel axis that one stands for: 1 unless they mirror each other. */
guint32 lp_contention_n_replicas(const LpContention *self, const LpCommunicators *communicators);
/** Whether no other traffic can be on the links of @communicator, one of @communicators. */
gboolean lp_contention_is_private(const LpContention *self, const LpCommunicators *communicators,
                                  const LpCommunicator *communicator);
/** Whether all-to-alls of @communicator send from each member to each other, so that there are
 * flows beside its connections. */
gboolean lp_contention_sends_pairwise(const LpCommunicationMap *map,
                                      const LpCommunicator *communicator, LpFidelity fidelity);
/** One line for people: what was proven. @ranks: which of them are simulated, or NULL: those that
 * the slices leave. Returns: (transfer full). */
char *lp_contention_describe(const LpContention *self, const LpCommunicationMap *map,
                             const char *ranks);

G_END_DECLS
