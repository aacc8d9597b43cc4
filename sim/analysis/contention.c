/* SPDX-License-Identifier: Apache-2.0 */
/* Private groups and mirrored slices. */
#include "sim/analysis/contention.h"

#include "sim/mapping/collective_peers.h"

#define NOBODY G_MAXUINT64
#define SHARED (G_MAXUINT64 - 1)

/* Who sends over a link. */
typedef struct {
    guint64 user;     /* the one group or edge, NOBODY or SHARED */
    guint64 ranks[2]; /* those at an end of every edge over it; NOBODY in excess */
    guint32 n_edges;
    gboolean all_blocking; /* only collectives that the compute streams wait for */
} LinkUse;

/* A group, named by its kind and first member, or a single edge. */
static guint64
edge_user(const LpEdges *edges, LpEdgeKind kind, guint64 rank)
{
    LpGroup group = lp_edge_group(kind);
    if (group == LP_N_GROUPS)
        return rank * LP_N_EDGES + kind;
    return lp_iteration_group_member(edges->iteration, group, rank, 0) * LP_N_EDGES + group;
}

static gboolean
edge_is_blocking(const LpEdges *edges, LpEdgeKind kind)
{
    LpGroup group = lp_edge_group(kind);
    return group != LP_N_GROUPS && !lp_iteration_group_overlaps(edges->iteration, group);
}

/* All-to-alls whose pairs really send to each other: as messages, or in no order. */
static gboolean
sends_pairwise(const LpEdges *edges, LpGroup group, guint64 rank, LpFidelity fidelity)
{
    return lp_edges_exchanges(edges, group) &&
           lp_iteration_has_group(edges->iteration, group, rank) &&
           (fidelity == LP_FIDELITY_MESSAGE || !lp_edges_sites(edges, group, rank).is_regular);
}

static void
add_use(LinkUse *use, guint64 user, guint64 from, guint64 to, gboolean blocking)
{
    if (use->n_edges++ == 0) {
        *use = (LinkUse){user, {from, to}, 1, blocking};
        return;
    }
    if (use->user != user)
        use->user = SHARED;
    for (guint i = 0; i < 2; i++)
        if (use->ranks[i] != from && use->ranks[i] != to)
            use->ranks[i] = NOBODY;
    use->all_blocking = use->all_blocking && blocking;
}

static void
add_edge_use(LinkUse *uses, const LpEdges *edges, const LpEdge *edge, LpEdgeKind kind, guint64 rank)
{
    for (guint32 i = 0; i < edge->route.n_links; i++)
        add_use(&uses[edge->route.links[i]], edge_user(edges, kind, rank), rank, edge->to,
                edge_is_blocking(edges, kind));
}

static void
add_pairs(LinkUse *uses, const LpEdges *edges, LpGroup group, guint64 rank)
{
    guint64 n = lp_iteration_group_size(edges->iteration, group);
    for (guint64 i = 0; i < n; i++) {
        guint64 to = lp_iteration_group_member(edges->iteration, group, rank, i);
        if (to == rank)
            continue;
        LpEdge edge = lp_edges_between(edges, (LpEdgeKind)group, rank, to);
        add_edge_use(uses, edges, &edge, (LpEdgeKind)group, rank);
    }
}

static void
add_peers(LinkUse *uses, const LpEdges *edges, LpGroup group, guint64 rank)
{
    const GArray *peers = lp_peers_get(edges->peers, group, rank);
    for (guint i = 0; peers != NULL && i < peers->len; i++)
        add_edge_use(uses, edges, &g_array_index(peers, LpPeer, i).edge, (LpEdgeKind)group, rank);
}

/* @only: the group whose traffic counts; LP_N_GROUPS: all. Returns: (transfer full) by link. */
static LinkUse *
find_uses(const LpEdges *edges, LpFidelity fidelity, LpGroup only)
{
    LinkUse *uses = g_new0(LinkUse, lp_network_n_links(edges->network));
    for (LpEdgeKind kind = 0; kind < LP_N_EDGES; kind++) {
        if (only != LP_N_GROUPS && lp_edge_group(kind) != only)
            continue;
        for (guint64 rank = 0; edges->edges[kind] != NULL && rank < edges->n_ranks; rank++) {
            const LpEdge *edge = lp_edges_get(edges, kind, rank);
            if (edge->present)
                add_edge_use(uses, edges, edge, kind, rank);
        }
    }
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        for (guint64 rank = 0; rank < edges->n_ranks; rank++) {
            if (only != LP_N_GROUPS && group != only)
                continue;
            add_peers(uses, edges, group, rank);
            if (sends_pairwise(edges, group, rank, fidelity))
                add_pairs(uses, edges, group, rank);
        }
    return uses;
}

/* A link is never contended by strangers if one group is alone on it, or if all that cross it are
 * collectives of one and the same rank, which takes part in one at a time. On a port a group's own
 * flows may meet, as its lonely time counts them; on other tiers they may not. */
static gboolean
link_is_private(const LinkUse *use, LpTier tier)
{
    gboolean is_port = lp_tier_is_shared(tier);
    if (use->user != SHARED)
        return is_port || use->n_edges == 1;
    return is_port && use->all_blocking && (use->ranks[0] != NOBODY || use->ranks[1] != NOBODY);
}

static gboolean
edge_is_private(const LpEdge *edge, const LpNetwork *network, const LinkUse *uses)
{
    for (guint32 i = 0; i < edge->route.n_links; i++)
        if (!link_is_private(&uses[edge->route.links[i]],
                             lp_network_link(network, edge->route.links[i])->tier))
            return FALSE;
    return TRUE;
}

/* Messages out of a domain are private only where they cross nothing but ports. */
static gboolean
member_is_private(const LpEdges *edges, const LinkUse *uses, LpGroup group, guint64 rank,
                  LpFidelity fidelity)
{
    const GArray *peers = lp_peers_get(edges->peers, group, rank);
    for (guint i = 0; peers != NULL && i < peers->len; i++)
        if (!edge_is_private(&g_array_index(peers, LpPeer, i).edge, edges->network, uses))
            return FALSE;
    const LpEdge *edge = lp_edges_get(edges, (LpEdgeKind)group, rank);
    if (edge->present && !edge_is_private(edge, edges->network, uses))
        return FALSE;
    if (!lp_edges_exchanges(edges, group))
        return TRUE;
    const LpEdge *far = lp_edges_get(edges, lp_edge_far(group), rank);
    if (far->present && (!edge_is_private(far, edges->network, uses) ||
                         (fidelity == LP_FIDELITY_MESSAGE && far->route.n_links > 2)))
        return FALSE;
    return lp_edges_sites(edges, group, rank).is_regular;
}

static void
prove_group(LpProof *self, const LpEdges *edges, const LinkUse *uses, LpGroup group,
            LpFidelity fidelity)
{
    const LpIteration *iteration = edges->iteration;
    gboolean *is_private = self->is_private[group];
    guint64 n_members = 0, n_private = 0;
    for (guint64 rank = 0; rank < edges->n_ranks; rank++)
        is_private[rank] = lp_iteration_has_group(iteration, group, rank);
    for (guint64 rank = 0; rank < edges->n_ranks; rank++)
        /* One contested edge makes the whole group wait: the first member stands for all. */
        if (lp_iteration_has_group(iteration, group, rank) &&
            !member_is_private(edges, uses, group, rank, fidelity))
            is_private[lp_iteration_group_member(iteration, group, rank, 0)] = FALSE;
    for (guint64 rank = 0; rank < edges->n_ranks; rank++) {
        if (!lp_iteration_has_group(iteration, group, rank))
            continue;
        is_private[rank] = is_private[lp_iteration_group_member(iteration, group, rank, 0)];
        n_members++;
        n_private += is_private[rank] ? 1 : 0;
    }
    self->all_private[group] = n_members > 0 && n_private == n_members;
}

static void
prove_private(LpProof *self, const LpEdges *edges, LpFidelity fidelity, const gboolean *foreign)
{
    g_autofree LinkUse *uses = find_uses(edges, fidelity, LP_N_GROUPS);
    for (guint32 i = 0; foreign != NULL && i < lp_network_n_links(edges->network); i++)
        if (foreign[i])
            uses[i] = (LinkUse){.user = SHARED, .n_edges = 2, .ranks = {NOBODY, NOBODY}};
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        prove_group(self, edges, uses, group, fidelity);
}

/* The map from the first slice's links to those of one other slice, and back. */
typedef struct {
    guint32 *image, *preimage; /* owned, by link; valid where the stamp is the slice's */
    guint32 *image_stamp, *preimage_stamp;
    guint32 *slice;          /* owned: the slice that uses a link, plus 1 */
    const gboolean *foreign; /* borrowed, or NULL: by link, whether strangers use it */
    guint32 stamp;
} LinkMap;

static void
link_map_init(LinkMap *self, guint32 n_links)
{
    self->image = g_new0(guint32, n_links);
    self->preimage = g_new0(guint32, n_links);
    self->image_stamp = g_new0(guint32, n_links);
    self->preimage_stamp = g_new0(guint32, n_links);
    self->slice = g_new0(guint32, n_links);
}

static void
link_map_clear(LinkMap *self)
{
    g_free(self->image);
    g_free(self->preimage);
    g_free(self->image_stamp);
    g_free(self->preimage_stamp);
    g_free(self->slice);
}

/* Extends the map by @from -> @to; FALSE if that contradicts it. */
static gboolean
link_map_join(LinkMap *self, const LpNetwork *network, guint32 from, guint32 to)
{
    const LpLink *a = lp_network_link(network, from), *b = lp_network_link(network, to);
    if (a->bytes_per_s > b->bytes_per_s || a->bytes_per_s < b->bytes_per_s ||
        a->latency_s > b->latency_s || a->latency_s < b->latency_s)
        return FALSE;
    if (self->foreign != NULL && self->foreign[to])
        return FALSE;
    if (self->slice[to] != 0 && self->slice[to] != self->stamp)
        return FALSE;
    if (self->image_stamp[from] == self->stamp && self->image[from] != to)
        return FALSE;
    if (self->preimage_stamp[to] == self->stamp && self->preimage[to] != from)
        return FALSE;
    self->slice[to] = self->stamp;
    self->image[from] = to;
    self->image_stamp[from] = self->stamp;
    self->preimage[to] = from;
    self->preimage_stamp[to] = self->stamp;
    return TRUE;
}

/* Joins the routes of one edge of the first slice and of its counterpart. */
static gboolean
join_edges(LpProof *self, LinkMap *map, const LpNetwork *network, const LpEdge *from,
           const LpEdge *to)
{
    if (from->present != to->present)
        return FALSE;
    if (!from->present)
        return TRUE;
    if (from->route.n_links != to->route.n_links)
        return FALSE;
    for (guint32 i = 0; i < from->route.n_links; i++)
        if (!link_map_join(map, network, from->route.links[i], to->route.links[i])) {
            self->has_contested_link = TRUE;
            self->contested_link = to->route.links[i];
            return FALSE;
        }
    return TRUE;
}

/* The same for what scheduled collectives send. */
static gboolean
join_peers(LpProof *self, LinkMap *map, const LpEdges *edges, LpGroup group, guint64 rank,
           guint64 mirror)
{
    const GArray *from = lp_peers_get(edges->peers, group, rank);
    const GArray *to = lp_peers_get(edges->peers, group, mirror);
    if (from == NULL || to == NULL)
        return from == to;
    if (from->len != to->len)
        return FALSE;
    for (guint i = 0; i < from->len; i++) {
        const LpPeer *a = &g_array_index(from, LpPeer, i), *b = &g_array_index(to, LpPeer, i);
        if (a->member != b->member || !join_edges(self, map, edges->network, &a->edge, &b->edge))
            return FALSE;
    }
    return TRUE;
}

/* Whether a rank sends to its own slice only. */
static gboolean
stays_in_slice(const LpEdges *edges, guint64 rank)
{
    const LpPlan *plan = &edges->iteration->plan;
    guint32 own = lp_plan_coordinates(plan, rank).at[LP_AXIS_TP];
    for (LpGroup group = LP_GROUP_TP + 1; group < LP_N_GROUPS; group++) {
        if (!lp_iteration_has_group(edges->iteration, group, rank))
            continue;
        guint64 n = lp_iteration_group_size(edges->iteration, group);
        guint64 first = lp_iteration_group_member(edges->iteration, group, rank, 0);
        guint64 last = lp_iteration_group_member(edges->iteration, group, rank, n - 1);
        guint64 next = lp_iteration_group_member(edges->iteration, group, rank, MIN(n - 1, 1));
        if (lp_plan_coordinates(plan, first).at[LP_AXIS_TP] != own ||
            lp_plan_coordinates(plan, last).at[LP_AXIS_TP] != own ||
            lp_plan_coordinates(plan, next).at[LP_AXIS_TP] != own)
            return FALSE;
    }
    return TRUE;
}

static void
prove_mirrored(LpProof *self, const LpEdges *edges, LpFidelity fidelity, const gboolean *foreign)
{
    const LpPlan *plan = &edges->iteration->plan;
    guint32 tp = plan->degree[LP_AXIS_TP];
    if (tp < 2 || !self->all_private[LP_GROUP_TP])
        return;
    for (guint64 rank = 0; rank < edges->n_ranks; rank++) {
        if (!stays_in_slice(edges, rank))
            return;
        for (LpGroup group = 0; group < LP_N_GROUPS; group++)
            if (sends_pairwise(edges, group, rank, fidelity) && !self->is_private[group][rank])
                return;
    }
    LinkMap map = {.foreign = foreign};
    link_map_init(&map, lp_network_n_links(edges->network));
    self->tp_mirrored = TRUE;
    for (guint32 slice = 0; self->tp_mirrored && slice < tp; slice++) {
        map.stamp = slice + 1;
        for (guint64 rank = 0; self->tp_mirrored && rank < edges->n_ranks; rank++) {
            LpCoordinates coordinates = lp_plan_coordinates(plan, rank);
            if (coordinates.at[LP_AXIS_TP] != 0)
                continue;
            coordinates.at[LP_AXIS_TP] = slice;
            guint64 mirror = lp_plan_rank(plan, &coordinates);
            for (LpEdgeKind kind = LP_GROUP_TP + 1; self->tp_mirrored && kind < LP_N_EDGES; kind++)
                self->tp_mirrored =
                    join_edges(self, &map, edges->network, lp_edges_get(edges, kind, rank),
                               lp_edges_get(edges, kind, mirror));
            for (LpGroup group = LP_GROUP_TP + 1; self->tp_mirrored && group < LP_N_GROUPS; group++)
                self->tp_mirrored = join_peers(self, &map, edges, group, rank, mirror);
        }
    }
    link_map_clear(&map);
}

LpProof *
lp_proof_new_nothing(const LpEdges *edges)
{
    LpProof *self = g_new0(LpProof, 1);
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        self->is_private[group] = g_new0(gboolean, edges->n_ranks);
    return self;
}

LpProof *
lp_proof_new(const LpEdges *edges, LpFidelity fidelity, const gboolean *foreign)
{
    LpProof *self = lp_proof_new_nothing(edges);
    prove_private(self, edges, fidelity, foreign);
    prove_mirrored(self, edges, fidelity, foreign);
    return self;
}

LpProof *
lp_proof_new_near(const LpEdges *edges, LpFidelity fidelity)
{
    LpProof *self = lp_proof_new_nothing(edges);
    g_autofree LinkUse *uses = find_uses(edges, fidelity, LP_GROUP_TP);
    prove_private(self, edges, fidelity, NULL);
    prove_group(self, edges, uses, LP_GROUP_TP, fidelity);
    prove_mirrored(self, edges, fidelity, NULL);
    return self;
}

/* What one run of a segment adds. An all-reduce sends twice what a gather or a message does. */
static void
add_segment_bytes(const LpIteration *iteration, const LpSegment *segment, double *io_tp,
                  double *io_beside)
{
    for (guint i = 0; i < segment->n_ops; i++) {
        const LpOp *op = lp_iteration_op(iteration, segment->first_op + i);
        gboolean sends = op->kind == LP_OP_COLLECTIVE || op->kind == LP_OP_LAUNCH;
        double passes = op->collective == LP_COLLECTIVE_ALL_REDUCE ? 2.0 : 1.0;
        if (sends && op->group == LP_GROUP_TP)
            *io_tp += (double)op->bytes * passes;
        else if (op->kind == LP_OP_LAUNCH && op->queue == LP_QUEUE_DP)
            *io_beside += (double)op->bytes * passes;
    }
}

double
lp_proof_share_beside_tp(const LpIteration *iteration)
{
    double share = 0.0;
    for (guint stage = 0; stage < iteration->programs->len; stage++) {
        const LpProgram *program = lp_iteration_program(iteration, stage);
        double tp = 0.0, beside = 0.0, n_sent = 0.0, n_received = 0.0;
        for (guint i = 0; i < program->n_steps; i++) {
            const LpStep *step = lp_iteration_step(iteration, program->first_step + i);
            n_sent += step->kind == LP_STEP_SEND;
            n_received += step->kind == LP_STEP_RECV;
            if (step->kind == LP_STEP_SEGMENT)
                add_segment_bytes(iteration, lp_iteration_segment(iteration, step->segment), &tp,
                                  &beside);
        }
        if (!(tp > 0.0))
            return G_MAXDOUBLE;
        beside += MAX(n_sent, n_received) * (double)iteration->message_bytes;
        share = MAX(share, beside / tp);
    }
    return share;
}

/* The narrowest link on the ways of some groups, and whether any of these leaves its domain. */
typedef struct {
    double bytes_per_s;
    gboolean leaves;
} Reach;

static void
add_reach(Reach *self, const LpEdges *edges, const LpEdge *edge)
{
    for (guint32 i = 0; edge->present && i < edge->route.n_links; i++) {
        const LpLink *link = lp_network_link(edges->network, edge->route.links[i]);
        self->bytes_per_s = MIN(self->bytes_per_s, link->bytes_per_s);
        self->leaves = self->leaves || link->tier != LP_TIER_SCALE_UP;
    }
}

static void
add_group_reach(Reach *self, const LpEdges *edges, LpGroup group)
{
    for (guint64 rank = 0; rank < edges->n_ranks; rank++) {
        const GArray *peers = lp_peers_get(edges->peers, group, rank);
        add_reach(self, edges, lp_edges_get(edges, (LpEdgeKind)group, rank));
        for (guint i = 0; peers != NULL && i < peers->len; i++)
            add_reach(self, edges, &g_array_index(peers, LpPeer, i).edge);
    }
}

gboolean
lp_proof_is_near(const LpEdges *edges, double share)
{
    static const LpGroup reducing[] = {LP_GROUP_DP, LP_GROUP_REPLICA, LP_GROUP_EXPERT_DP};
    if (lp_proof_share_beside_tp(edges->iteration) > share)
        return FALSE;
    if (!edges->iteration->uses_queue[LP_QUEUE_DP])
        return TRUE;
    Reach tp = {G_MAXDOUBLE, FALSE}, dp = {G_MAXDOUBLE, FALSE};
    add_group_reach(&tp, edges, LP_GROUP_TP);
    for (guint i = 0; i < G_N_ELEMENTS(reducing); i++)
        add_group_reach(&dp, edges, reducing[i]);
    return !tp.leaves && dp.leaves && 4.0 * dp.bytes_per_s <= tp.bytes_per_s;
}

void
lp_proof_mark_links(const LpEdges *edges, LpFidelity fidelity, gboolean *io_links)
{
    g_autofree LinkUse *uses = find_uses(edges, fidelity, LP_N_GROUPS);
    for (guint32 i = 0; i < lp_network_n_links(edges->network); i++)
        io_links[i] = io_links[i] || uses[i].n_edges > 0;
}

void
lp_proof_free(LpProof *self)
{
    if (self == NULL)
        return;
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        g_free(self->is_private[group]);
    g_free(self);
}

char *
lp_proof_describe(const LpProof *self, const LpEdges *edges)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (LpGroup group = 0; group < LP_N_GROUPS; group++) {
        guint64 n_private = 0, n_members = 0;
        for (guint64 rank = 0; rank < edges->n_ranks; rank++) {
            n_members += lp_iteration_has_group(edges->iteration, group, rank) ? 1 : 0;
            n_private += self->is_private[group][rank] ? 1 : 0;
        }
        guint64 size = lp_iteration_group_size(edges->iteration, group);
        if (n_members > 0)
            g_string_append_printf(text,
                                   "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                                   " %s groups have their links to themselves; ",
                                   n_private / size, n_members / size, lp_group_names[group]);
    }
    if (self->tp_mirrored)
        g_string_append_printf(text, "the %u slices of the tensor-parallel axis mirror each other",
                               edges->iteration->plan.degree[LP_AXIS_TP]);
    else if (self->has_contested_link)
        g_string_append_printf(text, "the tensor-parallel slices are not mirror images: link %s",
                               lp_network_link_name(edges->network, self->contested_link));
    else
        g_string_append(text, "every rank is simulated for itself");
    return g_string_free(g_steal_pointer(&text), FALSE);
}
