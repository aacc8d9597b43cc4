/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the edges of all ranks and their routes. */
#include "sim/edge.h"

guint64
lp_edges_accelerator(const LpEdges *self, guint64 rank)
{
    return self->accelerators == NULL ? rank : self->accelerators[rank];
}

static guint64
domain(const LpEdges *self, guint64 rank)
{
    return lp_machine_domain(lp_network_machine(self->network), lp_edges_accelerator(self, rank));
}

gboolean
lp_edges_exchanges(const LpEdges *self, LpGroup group)
{
    if (group == LP_GROUP_CP)
        return self->iteration->plan.context_kind == LP_CONTEXT_ULYSSES;
    return group == LP_GROUP_EP || group == LP_GROUP_EP_NODE || group == LP_GROUP_EP_RAIL;
}

LpEdgeKind
lp_edge_far(LpGroup group)
{
    return (LpEdgeKind)(LP_EDGE_FAR_CP + (group - LP_GROUP_CP));
}

LpGroup
lp_edge_group(LpEdgeKind kind)
{
    if (kind < LP_EDGE_FAR_CP)
        return (LpGroup)kind;
    return kind < LP_EDGE_LINE ? (LpGroup)(LP_GROUP_CP + (kind - LP_EDGE_FAR_CP)) : LP_N_GROUPS;
}

LpSites
lp_edges_sites(const LpEdges *self, LpGroup group, guint64 rank)
{
    LpSites sites = {.n_members = lp_iteration_group_size(self->iteration, group)};
    guint64 first = domain(self, lp_iteration_group_member(self->iteration, group, rank, 0));
    guint64 i = 1;
    while (i < sites.n_members &&
           domain(self, lp_iteration_group_member(self->iteration, group, rank, i)) == first)
        i++;
    sites.n_near = i;
    sites.is_regular = sites.n_members % i == 0;
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    for (guint64 k = 0; sites.is_regular && k < sites.n_members; k++) {
        guint64 own = domain(self, lp_iteration_group_member(self->iteration, group, rank, k));
        guint64 head =
            domain(self, lp_iteration_group_member(self->iteration, group, rank, k - k % i));
        gboolean is_new = k % i != 0 || g_hash_table_add(seen, GSIZE_TO_POINTER(own + 1));
        sites.is_regular = own == head && is_new;
    }
    return sites;
}

/* The rank that @rank sends to in its group, or G_MAXUINT64. */
static guint64
group_destination(const LpEdges *self, LpEdgeKind kind, guint64 rank)
{
    const LpIteration *iteration = self->iteration;
    LpGroup group = lp_edge_group(kind);
    if (!lp_iteration_has_group(iteration, group, rank))
        return G_MAXUINT64;
    guint64 index = lp_iteration_group_index(iteration, group, rank);
    if (!lp_edges_exchanges(self, group)) {
        guint64 n = lp_iteration_group_size(iteration, group);
        return kind >= LP_EDGE_FAR_CP
                   ? G_MAXUINT64
                   : lp_iteration_group_member(iteration, group, rank, (index + 1) % n);
    }
    LpSites sites = lp_edges_sites(self, group, rank);
    gboolean far = kind >= LP_EDGE_FAR_CP;
    if (!sites.is_regular || (far ? sites.n_near == sites.n_members : sites.n_near < 2))
        return G_MAXUINT64;
    guint64 next = far ? (index + sites.n_near) % sites.n_members
                       : index - index % sites.n_near + (index + 1) % sites.n_near;
    return lp_iteration_group_member(iteration, group, rank, next);
}

/* The rank that @rank sends to on @line, or G_MAXUINT64. Only chunks of virtual stages make the
 * line of stages a ring; only DualPipe sends both ways. */
static guint64
line_destination(const LpIteration *iteration, LpLine line, guint64 rank)
{
    const LpPlan *plan = &iteration->plan;
    guint32 pp = plan->degree[LP_AXIS_PP];
    guint32 stage = lp_plan_coordinates(plan, rank).at[LP_AXIS_PP];
    gboolean up = line == LP_LINE_FORWARD_UP || line == LP_LINE_BACKWARD_UP;
    gboolean to_next = line == LP_LINE_FORWARD || line == LP_LINE_BACKWARD_UP;
    gboolean at_end = stage == (to_next ? pp - 1 : 0);
    if (pp == 1 || (at_end && plan->virtual_stages == 1) ||
        (up && plan->schedule != LP_SCHEDULE_DUALPIPE))
        return G_MAXUINT64;
    return lp_iteration_stage_mate(iteration, rank, (stage + (to_next ? 1 : pp - 1)) % pp);
}

static guint64
destination(const LpEdges *self, LpEdgeKind kind, guint64 rank)
{
    if (kind >= LP_EDGE_LINE)
        return line_destination(self->iteration, (LpLine)(kind - LP_EDGE_LINE), rank);
    return group_destination(self, kind, rank);
}

LpEdge
lp_edges_between(const LpEdges *self, guint64 rank, guint64 to)
{
    guint64 a = lp_edges_accelerator(self, rank), b = lp_edges_accelerator(self, to);
    return (LpEdge){.present = TRUE,
                    .to = to,
                    .attachment = lp_machine_attachment(lp_network_machine(self->network), a, b),
                    .route = lp_network_route(self->network, a, b)};
}

LpEdges *
lp_edges_new(const LpIteration *iteration, const LpNetwork *network, const guint32 *accelerators)
{
    LpEdges *self = g_new0(LpEdges, 1);
    self->iteration = iteration;
    self->network = network;
    self->accelerators = accelerators;
    self->n_ranks = lp_plan_n_ranks(&iteration->plan);
    for (LpEdgeKind kind = 0; kind < LP_N_EDGES; kind++)
        for (guint64 rank = 0; rank < self->n_ranks; rank++) {
            guint64 to = destination(self, kind, rank);
            if (to == G_MAXUINT64)
                continue;
            if (self->edges[kind] == NULL)
                self->edges[kind] = g_new0(LpEdge, self->n_ranks);
            self->edges[kind][rank] = lp_edges_between(self, rank, to);
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
    static const LpEdge absent = {0};
    return self->edges[kind] == NULL ? &absent : &self->edges[kind][rank];
}
