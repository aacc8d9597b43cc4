/* SPDX-License-Identifier: Apache-2.0 */
/* The exchange of an all-to-all among domains over the few lanes of an attachment: arithmetic. */
#pragma once

#include "platforms/machine/circuit_switch.h"

G_BEGIN_DECLS

/** The ways of an all-to-all over fewer lanes than it has peers. */
typedef enum {
    LP_CIRCUIT_EXCHANGE_DIRECT, /**< a circuit to each peer */
    LP_CIRCUIT_EXCHANGE_ROTATE, /**< round after round, each with other circuits */
    LP_CIRCUIT_EXCHANGE_RELAY   /**< over the circuits of other members, which forward */
} LpCircuitExchange;

#define LP_EXCHANGE_OFFSETS_MAX (LP_CIRCUIT_LANES_MAX / 2)

/** A circuit to each peer; rounds of a round-robin tournament, as many peers at a time as there are
 * lanes; or a circulant graph of the members, over which they forward: member i is joined to i + o
 * and i - o for each offset o. */
typedef struct {
    LpCircuitExchange exchange;
    guint32 n_members, n_lanes, n_rounds;
    guint32 n_offsets;
    guint32 offset[LP_EXCHANGE_OFFSETS_MAX];
    double forwarding; /**< mean hops from a member to another; 1 without relays */
} LpExchangePlan;

/** The plan that takes the least time for members of which each sends @bytes over an attachment of
 * @bytes_per_s: direct where lanes suffice; else rounds, each with a dead time of @settings, or
 * forwarding without any. Circuits that never change forward. */
LpExchangePlan lp_exchange_plan_choose(guint32 n_members, guint32 n_lanes, double bytes,
                                       double bytes_per_s, const LpCircuitSwitch *settings);
/** The peer number @k of @member in @round. Returns: FALSE where it has no more; @out_peer may be
 * @member itself, who then sits out. */
gboolean lp_exchange_plan_peer(const LpExchangePlan *self, guint32 round, guint32 member, guint32 k,
                               guint32 *out_peer);
/** Mean hops between two of @n_members that are joined to those at @offsets on both sides;
 * infinite if some cannot be reached. */
double lp_exchange_plan_mean_hops(guint32 n_members, const guint32 *offsets, guint32 n_offsets);

G_END_DECLS
