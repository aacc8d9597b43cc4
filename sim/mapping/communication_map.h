/* SPDX-License-Identifier: Apache-2.0 */
/* Who sends to whom during an iteration, and over which links: every rank's outgoing edges. */
#pragma once

#include "sim/collectives/algorithm_selection.h"
#include "sim/engine/network.h"

G_BEGIN_DECLS

/** The kinds of edges. The first LP_N_GROUPS are those of the groups of the same index: to the next
 * member of the ring or, in a group that does all-to-alls, to the next member in the rank's own
 * domain; groups whose collectives are all scheduled have none. Then the ways out of the domain of
 * those groups, and the lines between stages. */
typedef enum {
    LP_EDGE_FAR_CP = LP_N_GROUPS,
    LP_EDGE_FAR_EP,
    LP_EDGE_FAR_EP_NODE,
    LP_EDGE_FAR_EP_RAIL,
    LP_EDGE_LINE, /**< and so on for each LpLine */
    LP_N_EDGES = LP_EDGE_LINE + LP_N_LINES
} LpEdgeKind;

typedef struct {
    gboolean present;
    guint64 to; /**< rank */
    LpAttachment attachment;
    LpRoute route;
} LpEdge;

typedef struct LpPeers LpPeers;

typedef struct {
    const LpIteration *iteration; /* borrowed from the caller */
    const LpNetwork *network;     /* borrowed from the caller */
    const LpLibrary *library;     /* borrowed from the caller */
    const guint32 *accelerators;  /* borrowed from the caller: by rank; NULL: rank r is r */
    guint64 n_ranks;
    LpLibraryHost host; /**< what hosts lose where messages between stages leave the domains */
    LpEdge *edges[LP_N_EDGES]; /* owned arrays by rank; NULL where no rank has such an edge */
    LpPeers *peers; /* owned: whom scheduled collectives send to (sim/mapping/collective_peers.h) */
    LpSites *sites[LP_N_GROUPS]; /* owned, by rank: of its group; NULL where nobody asks */
} LpEdges;

/** All edges of all ranks, which stand on @accelerators (NULL: rank r on accelerator r).
 * Errors: LP_SCHEDULE_ERROR if the plan or the library wants an algorithm that cannot be.
 * Returns: (transfer full). */
LpEdges *lp_edges_new(const LpIteration *iteration, const LpNetwork *network,
                      const LpLibrary *library, const guint32 *accelerators,
                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
void lp_edges_free(LpEdges *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpEdges, lp_edges_free)

/** What issuing @op, a collective, costs the host of a rank, s. */
double lp_edges_op_host_s(const LpEdges *self, const LpOp *op);
/** The same, a message between stages, sent or received. */
double lp_edges_message_host_s(const LpEdges *self);
/** Static, absent, where @rank has none. */
const LpEdge *lp_edges_get(const LpEdges *self, LpEdgeKind kind, guint64 rank);
/** The accelerator that @rank stands on. */
guint64 lp_edges_accelerator(const LpEdges *self, guint64 rank);
/** The edge from @rank to @to for what edges of @kind carry. */
LpEdge lp_edges_between(const LpEdges *self, LpEdgeKind kind, guint64 rank, guint64 to);
/** The class of traffic that edges of @kind carry: it picks the plane and the path. */
LpTraffic lp_edge_traffic(LpEdgeKind kind);
/** Whether groups of this kind do all-to-alls, and no rings. */
gboolean lp_edges_exchanges(const LpEdges *self, LpGroup group);
/** The kind of the edges out of the domain of a group that does all-to-alls. */
LpEdgeKind lp_edge_far(LpGroup group);
/** The group that edges of @kind belong to; LP_N_GROUPS for lines. */
LpGroup lp_edge_group(LpEdgeKind kind);

/** How the members of @rank's group stand. */
LpSites lp_edges_sites(const LpEdges *self, LpGroup group, guint64 rank);
/** How that group runs @op. */
LpChoice lp_edges_choice(const LpEdges *self, const LpOp *op, guint64 rank);
/** Whether an edge stays in a domain. */
LpReach lp_edge_reach(const LpEdge *self);

G_END_DECLS
