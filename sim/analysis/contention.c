/* SPDX-License-Identifier: Apache-2.0 */
/* Private groups and mirrored slices. */
#include "sim/analysis/contention.h"

#include "sim/mapping/collective_peers.h"

#define NOBODY G_MAXUINT64
#define SHARED (G_MAXUINT64 - 1)

/* Who sends over a link. */
typedef struct {
    guint64 user;     /* the one group or connection, NOBODY or SHARED */
    guint64 ranks[2]; /* those at an end of every connection over it; NOBODY in excess */
    guint32 n_connections;
    gboolean all_blocking; /* only collectives that the compute streams wait for */
} LinkUse;

/* A group, named by its kind and first member, or a single connection. */
static guint64
connection_user(const LpCommunicationMap *map, LpConnectionKind kind, guint64 rank)
{
    LpGroup group = lp_connection_group(kind);
    if (group == LP_N_GROUPS)
        return rank * LP_N_CONNECTIONS + kind;
    return lp_program_group_member(map->program, group, rank, 0) * LP_N_CONNECTIONS + group;
}

static gboolean
connection_is_blocking(const LpCommunicationMap *map, LpConnectionKind kind)
{
    LpGroup group = lp_connection_group(kind);
    return group != LP_N_GROUPS && !lp_program_group_overlaps(map->program, group);
}

/* All-to-alls whose pairs really send to each other: as messages, or in no order. */
static gboolean
sends_pairwise(const LpCommunicationMap *map, LpGroup group, guint64 rank, LpFidelity fidelity)
{
    return lp_communication_map_exchanges(map, group) &&
           lp_program_has_group(map->program, group, rank) &&
           (fidelity == LP_FIDELITY_MESSAGE ||
            !lp_communication_map_sites(map, group, rank).is_regular);
}

static void
add_use(LinkUse *use, guint64 user, guint64 from, guint64 to, gboolean blocking)
{
    if (use->n_connections++ == 0) {
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
add_connection_use(LinkUse *uses, const LpCommunicationMap *map, const LpConnection *connection,
                   LpConnectionKind kind, guint64 rank)
{
    for (guint32 i = 0; i < connection->route.n_links; i++)
        add_use(&uses[connection->route.links[i]], connection_user(map, kind, rank), rank,
                connection->to, connection_is_blocking(map, kind));
}

static void
add_pairs(LinkUse *uses, const LpCommunicationMap *map, LpGroup group, guint64 rank)
{
    guint64 n = lp_program_group_size(map->program, group);
    for (guint64 i = 0; i < n; i++) {
        guint64 to = lp_program_group_member(map->program, group, rank, i);
        if (to == rank)
            continue;
        LpConnection connection =
            lp_communication_map_between(map, (LpConnectionKind)group, rank, to);
        add_connection_use(uses, map, &connection, (LpConnectionKind)group, rank);
    }
}

static void
add_peers(LinkUse *uses, const LpCommunicationMap *map, LpGroup group, guint64 rank)
{
    const GArray *peers = lp_collective_peers_get(map->peers, group, rank);
    for (guint i = 0; peers != NULL && i < peers->len; i++)
        add_connection_use(uses, map, &g_array_index(peers, LpCollectivePeer, i).connection,
                           (LpConnectionKind)group, rank);
}

/* @only: the group whose traffic counts; LP_N_GROUPS: all. Returns: (transfer full) by link. */
static LinkUse *
find_uses(const LpCommunicationMap *map, LpFidelity fidelity, LpGroup only)
{
    LinkUse *uses = g_new0(LinkUse, lp_network_n_links(map->network));
    for (LpConnectionKind kind = 0; kind < LP_N_CONNECTIONS; kind++) {
        if (only != LP_N_GROUPS && lp_connection_group(kind) != only)
            continue;
        for (guint64 rank = 0; map->connections[kind] != NULL && rank < map->n_ranks; rank++) {
            const LpConnection *connection = lp_communication_map_connection(map, kind, rank);
            if (connection->present)
                add_connection_use(uses, map, connection, kind, rank);
        }
    }
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        for (guint64 rank = 0; rank < map->n_ranks; rank++) {
            if (only != LP_N_GROUPS && group != only)
                continue;
            add_peers(uses, map, group, rank);
            if (sends_pairwise(map, group, rank, fidelity))
                add_pairs(uses, map, group, rank);
        }
    return uses;
}

/* A link is never contended by strangers if one group is alone on it, or if all that cross it are
 * collectives of one and the same rank, which takes part in one at a time. On a port a group's own
 * flows may meet, as its isolated time counts them; on other tiers they may not. */
static gboolean
link_is_private(const LinkUse *use, LpTier tier)
{
    gboolean is_port = lp_tier_is_shared(tier);
    if (use->user != SHARED)
        return is_port || use->n_connections == 1;
    return is_port && use->all_blocking && (use->ranks[0] != NOBODY || use->ranks[1] != NOBODY);
}

static gboolean
connection_is_private(const LpConnection *connection, const LpNetwork *network, const LinkUse *uses)
{
    for (guint32 i = 0; i < connection->route.n_links; i++)
        if (!link_is_private(&uses[connection->route.links[i]],
                             lp_network_link(network, connection->route.links[i])->tier))
            return FALSE;
    return TRUE;
}

/* Messages out of a domain are private only where they cross nothing but ports. */
static gboolean
member_is_private(const LpCommunicationMap *map, const LinkUse *uses, LpGroup group, guint64 rank,
                  LpFidelity fidelity)
{
    const GArray *peers = lp_collective_peers_get(map->peers, group, rank);
    for (guint i = 0; peers != NULL && i < peers->len; i++)
        if (!connection_is_private(&g_array_index(peers, LpCollectivePeer, i).connection,
                                   map->network, uses))
            return FALSE;
    const LpConnection *connection =
        lp_communication_map_connection(map, (LpConnectionKind)group, rank);
    if (connection->present && !connection_is_private(connection, map->network, uses))
        return FALSE;
    if (!lp_communication_map_exchanges(map, group))
        return TRUE;
    const LpConnection *inter =
        lp_communication_map_connection(map, lp_connection_inter_domain(group), rank);
    if (inter->present && (!connection_is_private(inter, map->network, uses) ||
                           (fidelity == LP_FIDELITY_MESSAGE && inter->route.n_links > 2)))
        return FALSE;
    return lp_communication_map_sites(map, group, rank).is_regular;
}

static void
prove_group(LpContention *self, const LpCommunicationMap *map, const LinkUse *uses, LpGroup group,
            LpFidelity fidelity)
{
    const LpProgram *program = map->program;
    gboolean *is_private = self->is_private[group];
    guint64 n_members = 0, n_private = 0;
    for (guint64 rank = 0; rank < map->n_ranks; rank++)
        is_private[rank] = lp_program_has_group(program, group, rank);
    for (guint64 rank = 0; rank < map->n_ranks; rank++)
        /* One contested connection makes the whole group wait: the first member stands for all. */
        if (lp_program_has_group(program, group, rank) &&
            !member_is_private(map, uses, group, rank, fidelity))
            is_private[lp_program_group_member(program, group, rank, 0)] = FALSE;
    for (guint64 rank = 0; rank < map->n_ranks; rank++) {
        if (!lp_program_has_group(program, group, rank))
            continue;
        is_private[rank] = is_private[lp_program_group_member(program, group, rank, 0)];
        n_members++;
        n_private += is_private[rank] ? 1 : 0;
    }
    self->all_private[group] = n_members > 0 && n_private == n_members;
}

static void
prove_private(LpContention *self, const LpCommunicationMap *map, LpFidelity fidelity,
              const gboolean *foreign)
{
    g_autofree LinkUse *uses = find_uses(map, fidelity, LP_N_GROUPS);
    for (guint32 i = 0; foreign != NULL && i < lp_network_n_links(map->network); i++)
        if (foreign[i])
            uses[i] = (LinkUse){.user = SHARED, .n_connections = 2, .ranks = {NOBODY, NOBODY}};
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        prove_group(self, map, uses, group, fidelity);
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

/* Joins the routes of one connection of the first slice and of its counterpart. */
static gboolean
join_connections(LpContention *self, LinkMap *link_map, const LpNetwork *network,
                 const LpConnection *from, const LpConnection *to)
{
    if (from->present != to->present)
        return FALSE;
    if (!from->present)
        return TRUE;
    if (from->route.n_links != to->route.n_links)
        return FALSE;
    for (guint32 i = 0; i < from->route.n_links; i++)
        if (!link_map_join(link_map, network, from->route.links[i], to->route.links[i])) {
            self->has_contested_link = TRUE;
            self->contested_link = to->route.links[i];
            return FALSE;
        }
    return TRUE;
}

/* The same for what scheduled collectives send. */
static gboolean
join_peers(LpContention *self, LinkMap *link_map, const LpCommunicationMap *map, LpGroup group,
           guint64 rank, guint64 mirror)
{
    const GArray *from = lp_collective_peers_get(map->peers, group, rank);
    const GArray *to = lp_collective_peers_get(map->peers, group, mirror);
    if (from == NULL || to == NULL)
        return from == to;
    if (from->len != to->len)
        return FALSE;
    for (guint i = 0; i < from->len; i++) {
        const LpCollectivePeer *a = &g_array_index(from, LpCollectivePeer, i),
                               *b = &g_array_index(to, LpCollectivePeer, i);
        if (a->member != b->member ||
            !join_connections(self, link_map, map->network, &a->connection, &b->connection))
            return FALSE;
    }
    return TRUE;
}

/* Whether a rank sends to its own slice only. */
static gboolean
stays_in_slice(const LpCommunicationMap *map, guint64 rank)
{
    const LpPlan *plan = &map->program->plan;
    guint32 own = lp_plan_coordinates(plan, rank).at[LP_AXIS_TP];
    for (LpGroup group = LP_GROUP_TP + 1; group < LP_N_GROUPS; group++) {
        if (!lp_program_has_group(map->program, group, rank))
            continue;
        guint64 n = lp_program_group_size(map->program, group);
        guint64 first = lp_program_group_member(map->program, group, rank, 0);
        guint64 last = lp_program_group_member(map->program, group, rank, n - 1);
        guint64 next = lp_program_group_member(map->program, group, rank, MIN(n - 1, 1));
        if (lp_plan_coordinates(plan, first).at[LP_AXIS_TP] != own ||
            lp_plan_coordinates(plan, last).at[LP_AXIS_TP] != own ||
            lp_plan_coordinates(plan, next).at[LP_AXIS_TP] != own)
            return FALSE;
    }
    return TRUE;
}

static void
prove_mirrored(LpContention *self, const LpCommunicationMap *map, LpFidelity fidelity,
               const gboolean *foreign)
{
    const LpPlan *plan = &map->program->plan;
    guint32 tp = plan->degree[LP_AXIS_TP];
    if (tp < 2 || !self->all_private[LP_GROUP_TP])
        return;
    for (guint64 rank = 0; rank < map->n_ranks; rank++) {
        if (!stays_in_slice(map, rank))
            return;
        for (LpGroup group = 0; group < LP_N_GROUPS; group++)
            if (sends_pairwise(map, group, rank, fidelity) && !self->is_private[group][rank])
                return;
    }
    LinkMap link_map = {.foreign = foreign};
    link_map_init(&link_map, lp_network_n_links(map->network));
    self->tp_mirrored = TRUE;
    for (guint32 slice = 0; self->tp_mirrored && slice < tp; slice++) {
        link_map.stamp = slice + 1;
        for (guint64 rank = 0; self->tp_mirrored && rank < map->n_ranks; rank++) {
            LpCoordinates coordinates = lp_plan_coordinates(plan, rank);
            if (coordinates.at[LP_AXIS_TP] != 0)
                continue;
            coordinates.at[LP_AXIS_TP] = slice;
            guint64 mirror = lp_plan_rank(plan, &coordinates);
            for (LpConnectionKind kind = LP_GROUP_TP + 1;
                 self->tp_mirrored && kind < LP_N_CONNECTIONS; kind++)
                self->tp_mirrored = join_connections(
                    self, &link_map, map->network, lp_communication_map_connection(map, kind, rank),
                    lp_communication_map_connection(map, kind, mirror));
            for (LpGroup group = LP_GROUP_TP + 1; self->tp_mirrored && group < LP_N_GROUPS; group++)
                self->tp_mirrored = join_peers(self, &link_map, map, group, rank, mirror);
        }
    }
    link_map_clear(&link_map);
}

LpContention *
lp_contention_new_nothing(const LpCommunicationMap *map)
{
    LpContention *self = g_new0(LpContention, 1);
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        self->is_private[group] = g_new0(gboolean, map->n_ranks);
    return self;
}

LpContention *
lp_contention_new(const LpCommunicationMap *map, LpFidelity fidelity, const gboolean *foreign)
{
    LpContention *self = lp_contention_new_nothing(map);
    prove_private(self, map, fidelity, foreign);
    prove_mirrored(self, map, fidelity, foreign);
    return self;
}

LpContention *
lp_contention_new_negligible(const LpCommunicationMap *map, LpFidelity fidelity)
{
    LpContention *self = lp_contention_new_nothing(map);
    g_autofree LinkUse *uses = find_uses(map, fidelity, LP_GROUP_TP);
    prove_private(self, map, fidelity, NULL);
    prove_group(self, map, uses, LP_GROUP_TP, fidelity);
    prove_mirrored(self, map, fidelity, NULL);
    return self;
}

/* What one run of a segment adds. An all-reduce sends twice what a gather or a message does. */
static void
add_segment_bytes(const LpProgram *program, const LpSegment *segment, double *io_tp,
                  double *io_beside)
{
    for (guint i = 0; i < segment->n_ops; i++) {
        const LpOp *op = lp_program_op(program, segment->first_op + i);
        gboolean sends = op->kind == LP_OP_COLLECTIVE || op->kind == LP_OP_LAUNCH;
        double passes = op->collective == LP_COLLECTIVE_ALL_REDUCE ? 2.0 : 1.0;
        if (sends && op->group == LP_GROUP_TP)
            *io_tp += (double)op->bytes * passes;
        else if (op->kind == LP_OP_LAUNCH && op->stream == LP_STREAM_DP)
            *io_beside += (double)op->bytes * passes;
    }
}

double
lp_contention_share_beside_tp(const LpProgram *program)
{
    double share = 0.0;
    for (guint stage = 0; stage < program->stage_programs->len; stage++) {
        const LpStageProgram *stage_program = lp_program_stage(program, stage);
        double tp = 0.0, beside = 0.0, n_sent = 0.0, n_received = 0.0;
        for (guint i = 0; i < stage_program->n_steps; i++) {
            const LpStep *step = lp_program_step(program, stage_program->first_step + i);
            n_sent += step->kind == LP_STEP_SEND;
            n_received += step->kind == LP_STEP_RECV;
            if (step->kind == LP_STEP_SEGMENT)
                add_segment_bytes(program, lp_program_segment(program, step->segment), &tp,
                                  &beside);
        }
        if (!(tp > 0.0))
            return G_MAXDOUBLE;
        beside += MAX(n_sent, n_received) * (double)program->message_bytes;
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
add_reach(Reach *self, const LpCommunicationMap *map, const LpConnection *connection)
{
    for (guint32 i = 0; connection->present && i < connection->route.n_links; i++) {
        const LpLink *link = lp_network_link(map->network, connection->route.links[i]);
        self->bytes_per_s = MIN(self->bytes_per_s, link->bytes_per_s);
        self->leaves = self->leaves || link->tier != LP_TIER_SCALE_UP;
    }
}

static void
add_group_reach(Reach *self, const LpCommunicationMap *map, LpGroup group)
{
    for (guint64 rank = 0; rank < map->n_ranks; rank++) {
        const GArray *peers = lp_collective_peers_get(map->peers, group, rank);
        add_reach(self, map, lp_communication_map_connection(map, (LpConnectionKind)group, rank));
        for (guint i = 0; peers != NULL && i < peers->len; i++)
            add_reach(self, map, &g_array_index(peers, LpCollectivePeer, i).connection);
    }
}

gboolean
lp_contention_is_negligible(const LpCommunicationMap *map, double share)
{
    static const LpGroup reducing[] = {LP_GROUP_DP, LP_GROUP_REPLICA, LP_GROUP_EXPERT_DP};
    if (lp_contention_share_beside_tp(map->program) > share)
        return FALSE;
    if (!map->program->uses_stream[LP_STREAM_DP])
        return TRUE;
    Reach tp = {G_MAXDOUBLE, FALSE}, dp = {G_MAXDOUBLE, FALSE};
    add_group_reach(&tp, map, LP_GROUP_TP);
    for (guint i = 0; i < G_N_ELEMENTS(reducing); i++)
        add_group_reach(&dp, map, reducing[i]);
    return !tp.leaves && dp.leaves && 4.0 * dp.bytes_per_s <= tp.bytes_per_s;
}

void
lp_contention_mark_links(const LpCommunicationMap *map, LpFidelity fidelity, gboolean *io_links)
{
    g_autofree LinkUse *uses = find_uses(map, fidelity, LP_N_GROUPS);
    for (guint32 i = 0; i < lp_network_n_links(map->network); i++)
        io_links[i] = io_links[i] || uses[i].n_connections > 0;
}

void
lp_contention_free(LpContention *self)
{
    if (self == NULL)
        return;
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        g_free(self->is_private[group]);
    g_free(self);
}

char *
lp_contention_describe(const LpContention *self, const LpCommunicationMap *map)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (LpGroup group = 0; group < LP_N_GROUPS; group++) {
        guint64 n_private = 0, n_members = 0;
        for (guint64 rank = 0; rank < map->n_ranks; rank++) {
            n_members += lp_program_has_group(map->program, group, rank) ? 1 : 0;
            n_private += self->is_private[group][rank] ? 1 : 0;
        }
        guint64 size = lp_program_group_size(map->program, group);
        if (n_members > 0)
            g_string_append_printf(text,
                                   "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                                   " %s groups have their links to themselves; ",
                                   n_private / size, n_members / size, lp_group_names[group]);
    }
    if (self->tp_mirrored)
        g_string_append_printf(text, "the %u slices of the tensor-parallel axis mirror each other",
                               map->program->plan.degree[LP_AXIS_TP]);
    else if (self->has_contested_link)
        g_string_append_printf(text, "the tensor-parallel slices are not mirror images: link %s",
                               lp_network_link_name(map->network, self->contested_link));
    else
        g_string_append(text, "every rank is simulated for itself");
    return g_string_free(g_steal_pointer(&text), FALSE);
}
