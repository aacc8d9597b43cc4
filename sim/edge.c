/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the edges of all ranks and their routes. */
#include "sim/edge.h"

/* The rank that @rank sends to on an edge of @kind, or G_MAXUINT64. */
static guint64
destination(const LpIteration *iteration, LpEdgeKind kind, guint64 rank)
{
    const LpPlan *plan = &iteration->plan;
    guint32 pp = plan->degree[LP_AXIS_PP];
    if (kind < LP_EDGE_FORWARD) {
        LpGroup group = (LpGroup)kind;
        if (!lp_iteration_has_group(iteration, group, rank))
            return G_MAXUINT64;
        guint64 n = lp_iteration_group_size(iteration, group);
        guint64 index = lp_iteration_group_index(iteration, group, rank);
        return lp_iteration_group_member(iteration, group, rank, (index + 1) % n);
    }
    guint32 stage = lp_plan_coordinates(plan, rank).at[LP_AXIS_PP];
    gboolean forward = kind == LP_EDGE_FORWARD;
    gboolean at_end = stage == (forward ? pp - 1 : 0);
    /* Only chunks of virtual stages make the line of stages a ring. */
    if (pp == 1 || (at_end && plan->virtual_stages == 1))
        return G_MAXUINT64;
    return lp_iteration_stage_mate(iteration, rank, (stage + (forward ? 1 : pp - 1)) % pp);
}

LpEdges *
lp_edges_new(const LpIteration *iteration, const LpNetwork *network)
{
    LpEdges *self = g_new0(LpEdges, 1);
    self->iteration = iteration;
    self->network = network;
    self->n_ranks = lp_plan_n_ranks(&iteration->plan);
    for (LpEdgeKind kind = 0; kind < LP_N_EDGES; kind++) {
        self->edges[kind] = g_new0(LpEdge, self->n_ranks);
        for (guint64 rank = 0; rank < self->n_ranks; rank++) {
            LpEdge *edge = &self->edges[kind][rank];
            edge->to = destination(iteration, kind, rank);
            edge->present = edge->to != G_MAXUINT64;
            if (!edge->present)
                continue;
            edge->attachment = lp_machine_attachment(lp_network_machine(network), rank, edge->to);
            edge->route = lp_network_route(network, rank, edge->to);
        }
    }
    return self;
}

void
lp_edges_free(LpEdges *self)
{
    if (self == NULL)
        return;
    for (LpEdgeKind kind = 0; kind < LP_N_EDGES; kind++)
        g_free(self->edges[kind]);
    g_free(self);
}

const LpEdge *
lp_edges_get(const LpEdges *self, LpEdgeKind kind, guint64 rank)
{
    return &self->edges[kind][rank];
}
