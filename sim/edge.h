/* SPDX-License-Identifier: Apache-2.0 */
/* Who sends to whom during an iteration, and over which links: every rank's outgoing edges. */
#pragma once

#include "sim/network.h"
#include "workloads/iteration.h"

G_BEGIN_DECLS

/** The kinds of edges; the first three are the rings of the groups of the same index. */
typedef enum {
    LP_EDGE_TP = LP_GROUP_TP,
    LP_EDGE_DP = LP_GROUP_DP,
    LP_EDGE_EMBEDDING = LP_GROUP_EMBEDDING,
    LP_EDGE_FORWARD,  /**< activations to the next stage */
    LP_EDGE_BACKWARD, /**< gradients to the previous one */
    LP_N_EDGES
} LpEdgeKind;

typedef struct {
    gboolean present;
    guint64 to; /**< rank */
    LpAttachment attachment;
    LpRoute route;
} LpEdge;

typedef struct {
    const LpIteration *iteration; /* borrowed from the caller */
    const LpNetwork *network;     /* borrowed from the caller */
    guint64 n_ranks;
    LpEdge *edges[LP_N_EDGES]; /* owned arrays by rank */
} LpEdges;

/** All edges of all ranks; rank r stands on accelerator r. Returns: (transfer full). */
LpEdges *lp_edges_new(const LpIteration *iteration, const LpNetwork *network);
void lp_edges_free(LpEdges *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpEdges, lp_edges_free)

const LpEdge *lp_edges_get(const LpEdges *self, LpEdgeKind kind, guint64 rank);

G_END_DECLS
