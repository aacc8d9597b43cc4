/* SPDX-License-Identifier: Apache-2.0 */
/* The outgoing connections of every rank with their routes: who sends to whom during an iteration.
 */
#pragma once

#include "sim/mapping/collective_peers.h"
#include "sim/fidelity.h"
#include "sim/mapping/exchange_flows.h"

G_BEGIN_DECLS

typedef struct LpCommunicationMap LpCommunicationMap;

struct LpCommunicationMap {
    const LpProgram *program;             /* borrowed from the caller */
    const LpCommunicators *communicators; /* borrowed from the program */
    const LpNetwork *network;             /* borrowed from the caller */
    LpRankLayout *layout;                 /* owned */
    guint64 n_ranks;
    guint64 n_near[LP_N_GROUPS], n_far[LP_N_GROUPS]; /**< of a group's first communicator: members
                                                        in the domain of its first rank, and in
                                                        others */
    gboolean has_checks; /**< hosts check each collective before they start it */
    LpConnection *connections[LP_N_CONNECTIONS]; /* owned arrays by rank; NULL where no rank has
                                                    such a connection */
    LpCollectivePeers *peers;                    /* owned: whom scheduled collectives send to */
    GPtrArray *exchanges[LP_N_GROUPS]; /* owned LpExchangeFlows, by communicator; NULL: none of the
                                          group does all-to-alls that are not scheduled */
    double *forwarding[LP_N_GROUPS];   /* owned, by communicator: hops that a byte of its
                                          all-to-alls takes over circuits; NULL: one */
    LpCommunicationMap
        *packet_network; /* owned: the same where all goes over the network beside a hybrid's
                    circuits; NULL: nothing that circuits could carry does */
    double packet_network_below_bytes; /**< collectives of less do */
    gboolean
        *is_packet_network[LP_N_GROUPS]; /* owned, by communicator: all of them do; NULL: of none */
    gboolean is_weighted;                /**< some connections' routes have weights */
    gboolean has_pairs;                  /**< some all-to-alls leave domains */
    gboolean goes_by_pairs;  /**< some all-to-alls send pair by pair, whatever the fidelity */
    gboolean has_many_sends; /**< in some steps members have more sends under way than are worth an
                                actor each */
};

/** All connections of all ranks, which stand as @placement says. @relays: borrowed, the paths
 * between domains; NULL: the network's own routes.
 * Errors: LP_SIMULATION_ERROR if the plan or the library wants an algorithm that cannot be.
 * Returns: (transfer full). */
LpCommunicationMap *lp_communication_map_new(const LpProgram *program, const LpNetwork *network,
                                             const LpLibrary *library, const LpPlacement *placement,
                                             const LpRelayPaths *relays,
                                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
void lp_communication_map_free(LpCommunicationMap *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpCommunicationMap, lp_communication_map_free)

/** The map of the same job on a hybrid's packet network: LpCommunicationMap.packet_network. Errors:
 * as above. Returns: (transfer full). */
LpCommunicationMap *
lp_communication_map_new_packet_network(const LpCommunicationMap *over,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Makes all traffic of @communicator use the packet network, which the machine has. */
void lp_communication_map_use_packet_network(LpCommunicationMap *self,
                                             const LpCommunicator *communicator);
/** Makes the traffic of @rank's connection of @kind use the packet network, which the machine has.
 */
void lp_communication_map_use_packet_network_on(LpCommunicationMap *self, LpConnectionKind kind,
                                                guint64 rank);
/** The map whose connections @op of @communicator takes: @self, or the one beside its circuits.
 * Borrowed. */
const LpCommunicationMap *lp_communication_map_of(const LpCommunicationMap *self,
                                                  const LpCommunicator *communicator,
                                                  const LpOp *op);

/** The host's time of issuing @op, a collective, s. */
double lp_communication_map_op_host_s(const LpCommunicationMap *self, const LpOp *op);
/** The cost of a communicator's members for the host that starts @op, a collective, s, if it leaves
 * its domain; else 0. The first rank of the first communicator of the group represents all. */
double lp_communication_map_start_s(const LpCommunicationMap *self, const LpOp *op);
/** Whether runs share links without the engine (LpFlowEngine): it knows no weights, and needs an
 * actor for each of the many messages that members may have under way. */
gboolean lp_communication_map_is_separate(const LpCommunicationMap *self, LpFidelity fidelity);
/** The flows that all-to-alls of @communicator put on links; NULL: they are scheduled. */
const LpExchangeFlows *lp_communication_map_exchange(const LpCommunicationMap *self,
                                                     const LpCommunicator *communicator);
/** Hops that a byte of @communicator's all-to-alls takes between domains. */
double lp_communication_map_forwarding(const LpCommunicationMap *self,
                                       const LpCommunicator *communicator);
void lp_communication_map_set_forwarding(LpCommunicationMap *self,
                                         const LpCommunicator *communicator, double forwarding);
/** Static, absent, where @rank has none. */
const LpConnection *lp_communication_map_connection(const LpCommunicationMap *self,
                                                    LpConnectionKind kind, guint64 rank);

G_END_DECLS
