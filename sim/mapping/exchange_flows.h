/* SPDX-License-Identifier: Apache-2.0 */
/* What an all-to-all puts on links: every pair of members has data for each other, and these cross
 * the links of the pair's own route.
 *
 * Each link is a member's own, or lies nearer to the sender or to the receiver of a pair, and
 * belongs to what that member sends, or receives. One flow for each member then stands for all
 * pairs: it carries what leaves the member's domain, and is on all links of what the member sends
 * and of what another one, to whose port it goes, receives; on each with the share of its bytes
 * that crosses it (LpRoute.weights). Links so carry what their pairs have for each other, from
 * beginning to end, and where blocks are alike the exchange takes as long as the busiest link. */
#pragma once

#include "sim/mapping/rank_layout.h"

G_BEGIN_DECLS

/** The number of pairs of a member whose data cross a link. */
typedef struct {
    guint32 member;
    double n[LP_N_REACHES]; /**< within a domain, and of different ones */
} LpExchangeShare;

/** A link that data of the exchange cross. */
typedef struct {
    double bytes_per_s;
    LpTier tier;
    double n[LP_N_REACHES]; /**< pairs, as above, of all members */
    /** Where blocks may differ: shares by receiver, and from middle_share on by sender; else none.
     */
    guint32 first_share, middle_share, end_share;
} LpExchangeLink;

/** Of the all-to-alls of one communicator. */
typedef struct {
    GArray *links;        /* owned LpExchangeLink; where blocks are alike no two alike */
    GArray *shares;       /* owned LpExchangeShare */
    gboolean has_weights; /**< its members' connections out of their domains carry them */
    gboolean has_far;     /**< members stand in several domains */
    gboolean has_core;    /**< some link is no port */
    GPtrArray *blocks;    /* owned: links and weights of those connections' routes */
} LpExchangeFlows;

/** Members of a communicator, and pairs of members of all communicators of a job, whose data are
 * followed pair by pair. Where there are more, members whose ports have the same switch are
 * followed together, and blocks of experts count as equal. */
#define LP_EXCHANGE_MEMBERS_MAX 2048u
#define LP_EXCHANGE_PAIRS_MAX 40000000u

/** @connections: by rank, those that lead out of the members' domains, which get links and weights;
 * NULL: there are none, or they stay as they are. @near_factor: bytes on the wire within domains
 * for each between them. @by_blocks: lp_exchange_loads_new(). Returns: (transfer full). */
LpExchangeFlows *lp_exchange_flows_new(const LpRankLayout *layout,
                                       const LpCommunicator *communicator,
                                       LpConnection *connections, double near_factor,
                                       gboolean by_blocks);
void lp_exchange_flows_free(LpExchangeFlows *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpExchangeFlows, lp_exchange_flows_free)

/** Seconds in which the busiest link carries what @op has for it, without latency. @ports_only:
 * links that serve one collective's own flows together, no others; else those of tiers that are not
 * @uncontended (by tier; NULL: none is). */
double lp_exchange_flows_time_s(const LpExchangeFlows *self, const LpCommunicator *communicator,
                                const LpOp *op, const LpProtocol *protocol, gboolean ports_only,
                                const gboolean *uncontended);
/** Whether as much crosses both links, which are as fast. */
gboolean lp_exchange_link_equal(const LpExchangeLink *a, const LpExchangeLink *b);
/** Whether the exchanges of both take equal time. */
gboolean lp_exchange_flows_equal(const LpExchangeFlows *a, const LpExchangeFlows *b);

G_END_DECLS
