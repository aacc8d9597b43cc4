/* SPDX-License-Identifier: Apache-2.0 */
/* Who sends to whom during an iteration, and over which links: every rank's outgoing connections.
 */
#pragma once

#include "sim/collectives/algorithm_selection.h"
#include "sim/engine/network.h"

G_BEGIN_DECLS

/** The kinds of connections. The first LP_N_GROUPS are those of the groups of the same index: to
 * the next member of the ring or, in a group that does all-to-alls, to the next member in the
 * rank's own domain; groups whose collectives are all scheduled have none. Then the ways out of the
 * domain of those groups, and the lines between stages. */
typedef enum {
    LP_CONNECTION_INTER_CP = LP_N_GROUPS,
    LP_CONNECTION_INTER_EP,
    LP_CONNECTION_INTER_EP_NODE,
    LP_CONNECTION_INTER_EP_RAIL,
    LP_CONNECTION_LINE, /**< and so on for each LpLine */
    LP_N_CONNECTIONS = LP_CONNECTION_LINE + LP_N_LINES
} LpConnectionKind;

typedef struct {
    gboolean present;
    guint64 to; /**< rank */
    LpAttachment attachment;
    LpRoute route;
} LpConnection;

typedef struct LpCollectivePeers LpCollectivePeers;

typedef struct {
    const LpProgram *program;    /* borrowed from the caller */
    const LpNetwork *network;    /* borrowed from the caller */
    const LpLibrary *library;    /* borrowed from the caller */
    const guint32 *accelerators; /* borrowed from the caller: by rank; NULL: rank r is r */
    guint64 n_ranks;
    LpLibraryHost host; /**< what hosts lose where messages between stages leave the domains */
    LpConnection *connections[LP_N_CONNECTIONS]; /* owned arrays by rank; NULL where no rank has
                                                    such an connection */
    LpCollectivePeers
        *peers; /* owned: whom scheduled collectives send to (sim/mapping/collective_peers.h) */
    LpSites *sites[LP_N_GROUPS]; /* owned, by rank: of its group; NULL where nobody asks */
} LpCommunicationMap;

/** All connections of all ranks, which stand on @accelerators (NULL: rank r on accelerator r).
 * Errors: LP_STEP_SCHEDULE_ERROR if the plan or the library wants an algorithm that cannot be.
 * Returns: (transfer full). */
LpCommunicationMap *lp_communication_map_new(const LpProgram *program, const LpNetwork *network,
                                             const LpLibrary *library, const guint32 *accelerators,
                                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
void lp_communication_map_free(LpCommunicationMap *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpCommunicationMap, lp_communication_map_free)

/** What issuing @op, a collective, costs the host of a rank, s. */
double lp_communication_map_op_host_s(const LpCommunicationMap *self, const LpOp *op);
/** The same, a message between stages, sent or received. */
double lp_communication_map_message_host_s(const LpCommunicationMap *self);
/** Static, absent, where @rank has none. */
const LpConnection *lp_communication_map_connection(const LpCommunicationMap *self,
                                                    LpConnectionKind kind, guint64 rank);
/** The accelerator that @rank stands on. */
guint64 lp_communication_map_accelerator(const LpCommunicationMap *self, guint64 rank);
/** The connection from @rank to @to for what connections of @kind carry. */
LpConnection lp_communication_map_between(const LpCommunicationMap *self, LpConnectionKind kind,
                                          guint64 rank, guint64 to);
/** The class of traffic that connections of @kind carry: it picks the plane and the path. */
LpTraffic lp_connection_traffic(LpConnectionKind kind);
/** Whether groups of this kind do all-to-alls, and no rings. */
gboolean lp_communication_map_exchanges(const LpCommunicationMap *self, LpGroup group);
/** The kind of the connections out of the domain of a group that does all-to-alls. */
LpConnectionKind lp_connection_inter_domain(LpGroup group);
/** The group that connections of @kind belong to; LP_N_GROUPS for lines. */
LpGroup lp_connection_group(LpConnectionKind kind);

/** How the members of @rank's group stand. */
LpSites lp_communication_map_sites(const LpCommunicationMap *self, LpGroup group, guint64 rank);
/** How that group runs @op. */
LpAlgorithmSelection lp_communication_map_choice(const LpCommunicationMap *self, const LpOp *op,
                                                 guint64 rank);
/** Whether an connection stays in a domain. */
LpReach lp_connection_reach(const LpConnection *self);

G_END_DECLS
