/* SPDX-License-Identifier: Apache-2.0 */
/* The data that the pairs of a communicator put on links, by the member whose flow is to carry it,
 * before flows are made of it (sim/mapping/exchange_flows.h). */
#pragma once

#include "sim/mapping/rank_layout.h"

G_BEGIN_DECLS

/** Whose a link is: what the member sends, or what it receives. */
typedef enum {
    LP_EXCHANGE_SENT,
    LP_EXCHANGE_RECEIVED,
    LP_N_EXCHANGE_SIDES
} LpExchangeSide;

/** Pairs on a link that belong to one side of a member. */
typedef struct {
    guint32 link;
    double n[LP_N_REACHES];
} LpExchangeLoad;

/** A pair's data on a link. */
typedef struct {
    guint32 link, from, to; /* members */
    LpReach reach;
    double n; /**< pairs that it stands for */
} LpExchangeCrossing;

typedef struct {
    const LpRankLayout *layout;         /* borrowed */
    const LpCommunicator *communicator; /* borrowed */
    const LpNetwork *network;           /* borrowed */
    LpTraffic traffic;
    LpSites sites;
    guint64 *accelerators; /* owned, by member */
    GHashTable *members;   /* owned: of accelerators, plus 1 */
    GArray **loads;        /* owned LpExchangeLoad, by member and side */
    GHashTable *places;    /* owned: of a member's side and link to its place in loads, plus 1 */
    double *n_far;         /* owned, by member: pairs that it sends out of its domain */
    double *latency_s;     /* owned, by member: the farthest of those */
    GArray *crossings;     /* owned LpExchangeCrossing: all, where blocks may differ and pairs are
                              followed one by one; NULL elsewhere */
} LpExchangeLoads;

/** @by_blocks: members whose routes are alike are followed together. Returns: (transfer full). */
LpExchangeLoads *lp_exchange_loads_new(const LpRankLayout *layout,
                                       const LpCommunicator *communicator, gboolean by_blocks);
void lp_exchange_loads_free(LpExchangeLoads *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpExchangeLoads, lp_exchange_loads_free)

/** The data that @side of @member puts on links. */
const GArray *lp_exchange_loads_get(const LpExchangeLoads *self, guint32 member,
                                    LpExchangeSide side);
/** The member on @accelerator; @other where there is none. */
guint32 lp_exchange_loads_member_on(const LpExchangeLoads *self, guint64 accelerator,
                                    guint32 other);
/** Adds @n pairs on @link to @side of @member. */
void lp_exchange_loads_add(LpExchangeLoads *self, guint32 member, LpExchangeSide side, guint32 link,
                           LpReach reach, double n);
/** Adds @crossing to the links of @hop, which are @links from @first on. */
void lp_exchange_loads_add_hop(LpExchangeLoads *self, const LpHop *hop, guint32 first,
                               const GArray *links, LpExchangeCrossing crossing);
/** Whether @hop is over circuits of a hybrid. They carry bytes together with the network beside
 * them, which may also carry all of an exchange: no link of the way over the circuits has to carry
 * what crosses it. */
gboolean lp_exchange_loads_is_hybrid_hop(const LpExchangeLoads *self, const LpHop *hop);
/** Sum over @links. */
double lp_exchange_loads_latency_s(const LpExchangeLoads *self, const GArray *links);

/** Counts members together whose ports have the same switch: what crosses it has the same way on,
 * whoever sends it. Each of them has the same part of what they put on links above their ports.
 * (sim/mapping/exchange_blocks.c) */
void lp_exchange_loads_add_blocks(LpExchangeLoads *self);

G_END_DECLS
