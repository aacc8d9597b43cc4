/* SPDX-License-Identifier: Apache-2.0 */
/* The time of a communication that meets no other: from its steps over its own routes.
 *
 * Ports serve one collective's own flows together, so flows of one collective on the same port
 * share it; every other tier is taken as non-blocking, a flow being slowed by a narrow link but
 * never by a second flow (design: the counterfactual keeps every port's own serialisation). */
#pragma once

#include "sim/analysis/isolated_cache.h"
#include "sim/analysis/port_shares.h"
#include "sim/mapping/communication_map.h"

G_BEGIN_DECLS

/** A communicator without other traffic: what the connections of its ring allow or, if it does
 * all-to-alls, those within and between domains. */
typedef struct LpIsolatedRing {
    const LpCommunicationMap *map;      /* borrowed */
    LpIsolatedCache *cache;             /* borrowed */
    const LpCommunicator *communicator; /* borrowed */
    guint64 n_members;
    gboolean has_reach[LP_N_REACHES]; /**< whether neighbours' connections stay in domains, or leave
                                         them */
    double latency_s[LP_N_REACHES];   /**< the farthest of each */
    LpReach *reach;                   /* owned: of each member's connection to the next */
    LpPortShares shares;              /**< of each member's connection to the next, or within its
                                         domain; none of members in no order */
    LpSites sites;                    /**< of a group that does all-to-alls: */
    LpPortShares inter_shares;        /**< of each member's connection out of its domain */
    double *pair_bytes_per_s; /* owned, of members in no order: the mean over those each sends to */
    struct LpIsolatedRing
        *packet_network; /* owned: for what goes beside a hybrid's circuits; or NULL */
    guint peers_shape;   /**< of scheduled collectives: groups of one number have connections alike;
                            else 0 */
} LpIsolatedRing;

/** @communicator by itself. All are borrowed; @cache gathers what is worked out. */
void lp_isolated_ring_init(LpIsolatedRing *self, const LpCommunicationMap *map,
                           LpIsolatedCache *cache, const LpCommunicator *communicator);
void lp_isolated_ring_clear(LpIsolatedRing *self);

/** @self, or what it is for @op, which goes beside circuits. Borrowed. */
const LpIsolatedRing *lp_isolated_ring_of(const LpIsolatedRing *self, const LpOp *op);
/** Whether it does all-to-alls among several domains in order: members have a connection to the
 * next domain. */
gboolean lp_isolated_ring_sends_inter(const LpIsolatedRing *self);
/** Seconds of one collective. */
double lp_isolated_ring_time_s(const LpIsolatedRing *self, const LpOp *op, LpFidelity fidelity);
/** Latency of a step between the farthest neighbours, with what the protocol adds. */
double lp_isolated_step_latency_s(const LpIsolatedRing *self, const LpProtocol *protocol);
/** Seconds that an all-to-all takes at least, without latency: on the ports within domains, and for
 * what crosses its busiest port; where blocks differ in size (and @ports_only is FALSE), its
 * busiest link of a tier that is not @uncontended (by tier; NULL: all count). */
double lp_isolated_least_time_s(const LpIsolatedRing *self, const LpOp *op,
                                const LpProtocol *protocol, gboolean ports_only,
                                const gboolean *uncontended);
/** Bytes that member @index sends to all others of its domain, or out of it. Of the latter the flow
 * to the next domain carries those of the member on which they press, sender or receiver. */
guint64 lp_isolated_intra_bytes(const LpIsolatedRing *self, const LpOp *op, guint64 index);
guint64 lp_isolated_inter_bytes(const LpIsolatedRing *self, const LpOp *op, guint64 index);

/** The rings of all groups, those that are alike kept once a stage. */
typedef struct LpIsolatedRings LpIsolatedRings;

/** Of all communicators of @map, which is borrowed, as @cache is. Returns: (transfer full). */
LpIsolatedRings *lp_isolated_rings_new(const LpCommunicationMap *map, LpIsolatedCache *cache);
void lp_isolated_rings_free(LpIsolatedRings *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpIsolatedRings, lp_isolated_rings_free)

/** Whether all groups of that kind are alike, on all stages. */
gboolean lp_isolated_rings_uniform(const LpIsolatedRings *self, LpGroup group);
/** Seconds of @op in the slowest of its groups on @stage. */
double lp_isolated_rings_time_s(const LpIsolatedRings *self, guint32 stage, const LpOp *op,
                                LpFidelity fidelity);
/** And in the fastest; 0 if there is none. */
double lp_isolated_rings_least_s(const LpIsolatedRings *self, guint32 stage, const LpOp *op,
                                 LpFidelity fidelity);

/** Seconds of one message over @connection. */
double lp_isolated_message_time_s(const LpConnection *connection, guint64 bytes);

G_END_DECLS
