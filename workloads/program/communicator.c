/* SPDX-License-Identifier: Apache-2.0 */
/* The communicators of a plan, and the streams that they run on. */
#include "workloads/program/communicator.h"

#include <string.h>

LpStream
lp_group_stream(const LpPlan *plan, LpGroup group)
{
    gboolean launched = FALSE;
    switch (group) {
    case LP_GROUP_DP:
    case LP_GROUP_REPLICA:
    case LP_GROUP_EXPERT_DP:
        return plan->overlap.dp || plan->overlap.param ? LP_STREAM_DP : LP_N_STREAMS;
    case LP_GROUP_TP:
        launched = plan->overlap.tp != LP_OVERLAP_TP_NO;
        break;
    case LP_GROUP_CP:
        launched = plan->context_kind == LP_CONTEXT_RING;
        break;
    case LP_GROUP_EP_NODE:
        return LP_STREAM_RELAY;
    case LP_GROUP_EP_RAIL:
        return LP_STREAM_LAYER;
    case LP_GROUP_EP:
        launched = lp_plan_overlaps_passes(plan);
        break;
    default:
        break;
    }
    return launched ? LP_STREAM_LAYER : LP_N_STREAMS;
}

/* A layer waits for what it launches before it begins anything else, but for overlapped
 * all-to-alls, and for the two halves of a relayed one, which go on together. */
static gboolean
is_exclusive(const LpPlan *plan, LpGroup group)
{
    LpStream stream = lp_group_stream(plan, group);
    gboolean is_overlapped =
        lp_group_traits(group)->traffic == LP_TRAFFIC_EP && stream != LP_N_STREAMS;
    return stream != LP_STREAM_DP && !is_overlapped;
}

static gboolean
broadcasts(const LpPlan *plan, LpGroup group)
{
    return group == LP_GROUP_DP &&
           plan->traits[LP_TRAIT_PARAMETER_GATHER] == LP_PARAMETER_GATHER_BROADCAST;
}

static gboolean
exchanges(const LpPlan *plan, LpGroup group)
{
    if (group == LP_GROUP_CP)
        return plan->context_kind == LP_CONTEXT_ULYSSES;
    if (group == LP_GROUP_CP_HEADS)
        return TRUE;
    return lp_group_traits(group)->traffic == LP_TRAFFIC_EP;
}

/* --- all communicators of a job --- */

/* The communicators of one group. */
typedef struct {
    GArray *all; /* owned: LpCommunicator */
    guint32 n_members_max;
    guint64 n_ranks; /* in one of them */
    guint32 *ranks;  /* owned: their members, one communicator after the other */
    guint32 *number; /* owned, by rank: that of its communicator plus 1; 0: none */
    guint32 *place;  /* owned, by rank */
} Kind;

struct LpCommunicators {
    guint64 n_ranks;
    Kind kinds[LP_N_GROUPS];
};

LpCommunicators *
lp_communicators_new_empty(guint64 n_ranks)
{
    LpCommunicators *self = g_new0(LpCommunicators, 1);
    self->n_ranks = n_ranks;
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        self->kinds[group].all = g_array_new(FALSE, FALSE, sizeof(LpCommunicator));
    return self;
}

static void
add_kind(LpCommunicators *self, LpGroup group)
{
    Kind *kind = &self->kinds[group];
    kind->ranks = g_new(guint32, self->n_ranks);
    kind->number = g_new0(guint32, self->n_ranks);
    kind->place = g_new0(guint32, self->n_ranks);
}

/* @communicator: all of it but for the ranks, which stand behind those of the others. */
static void
add(Kind *kind, LpCommunicator communicator)
{
    communicator.ranks = kind->ranks + kind->n_ranks;
    kind->n_ranks += communicator.n_members;
    kind->n_members_max = MAX(kind->n_members_max, communicator.n_members);
    g_array_append_val(kind->all, communicator);
    for (guint32 i = 0; i < communicator.n_members; i++) {
        kind->number[communicator.ranks[i]] = kind->all->len;
        kind->place[communicator.ranks[i]] = i;
    }
}

LpCommunicators *
lp_communicators_new(const LpTransformer *transformer, const LpPlan *plan,
                     const double *expert_loads)
{
    LpCommunicators *self = lp_communicators_new_empty(lp_plan_n_ranks(plan));
    for (LpGroup group = 0; group < LP_N_GROUPS; group++) {
        LpCommunicator like = {.group = group,
                               .n_members = (guint32)lp_group_size(transformer, plan, group),
                               .stream = lp_group_stream(plan, group),
                               .is_exclusive = is_exclusive(plan, group),
                               .exchanges = exchanges(plan, group),
                               .broadcasts = broadcasts(plan, group),
                               .algorithms = plan->library.algorithms[lp_group_traits(group)->axis],
                               .setting = lp_group_traits(group)->setting,
                               .loads = group == LP_GROUP_EP ? expert_loads : NULL};
        if (like.n_members < 2)
            continue;
        add_kind(self, group);
        Kind *kind = &self->kinds[group];
        for (guint64 rank = 0; rank < self->n_ranks; rank++) {
            if (!lp_group_exists(transformer, plan, group, rank) ||
                lp_group_member(transformer, plan, group, rank, 0) != rank)
                continue;
            for (guint32 i = 0; i < like.n_members; i++)
                kind->ranks[kind->n_ranks + i] =
                    (guint32)lp_group_member(transformer, plan, group, rank, i);
            add(kind, like);
        }
    }
    return self;
}

LpCommunicators *
lp_communicators_new_equal(const LpCommunicator *like, guint32 n_communicators, guint32 n_members,
                           gboolean strided)
{
    LpCommunicators *self = lp_communicators_new_empty((guint64)n_communicators * n_members);
    if (n_members < 2)
        return self;
    add_kind(self, like->group);
    Kind *kind = &self->kinds[like->group];
    LpCommunicator communicator = *like;
    communicator.n_members = n_members;
    for (guint32 g = 0; g < n_communicators; g++) {
        guint64 first = (guint64)g * n_members;
        for (guint32 i = 0; i < n_members; i++)
            kind->ranks[first + i] =
                (guint32)(strided ? (guint64)i * n_communicators + g : first + i);
        add(kind, communicator);
    }
    return self;
}

void
lp_communicators_add(LpCommunicators *self, const LpCommunicator *like)
{
    Kind *kind = &self->kinds[like->group];
    if (kind->ranks == NULL)
        add_kind(self, like->group);
    memcpy(kind->ranks + kind->n_ranks, like->ranks, like->n_members * sizeof *like->ranks);
    add(kind, *like);
}

void
lp_communicators_free(LpCommunicators *self)
{
    if (self == NULL)
        return;
    for (LpGroup group = 0; group < LP_N_GROUPS; group++) {
        g_array_unref(self->kinds[group].all);
        g_free(self->kinds[group].ranks);
        g_free(self->kinds[group].number);
        g_free(self->kinds[group].place);
    }
    g_free(self);
}

guint64
lp_communicators_n_ranks(const LpCommunicators *self)
{
    return self->n_ranks;
}

guint
lp_communicators_n(const LpCommunicators *self, LpGroup group)
{
    return self->kinds[group].all->len;
}

guint32
lp_communicators_n_members(const LpCommunicators *self, LpGroup group)
{
    return MAX(self->kinds[group].n_members_max, 1);
}

static gboolean
is_of_one_class(const LpCommunicator *self, const guint32 *of_rank)
{
    for (guint32 i = 1; i < self->n_members; i++)
        if (of_rank[self->ranks[i]] != of_rank[self->ranks[0]])
            return FALSE;
    return TRUE;
}

guint
lp_communicators_of_one_class(const LpCommunicators *self, const guint32 *of_rank)
{
    guint groups = 0;
    for (LpGroup group = 0; group < LP_N_GROUPS; group++) {
        gboolean all = TRUE;
        for (guint k = 0; all && k < lp_communicators_n(self, group); k++)
            all = is_of_one_class(lp_communicators_get(self, group, k), of_rank);
        groups |= all ? 1u << group : 0;
    }
    return groups;
}

const LpCommunicator *
lp_communicators_get(const LpCommunicators *self, LpGroup group, guint index)
{
    return &g_array_index(self->kinds[group].all, LpCommunicator, index);
}

const LpCommunicator *
lp_communicators_of(const LpCommunicators *self, LpGroup group, guint64 rank)
{
    const Kind *kind = &self->kinds[group];
    if (kind->number == NULL || kind->number[rank] == 0)
        return NULL;
    return &g_array_index(kind->all, LpCommunicator, kind->number[rank] - 1);
}

guint
lp_communicators_number(const LpCommunicators *self, const LpCommunicator *communicator)
{
    const GArray *all = self->kinds[communicator->group].all;
    return (guint)(communicator - &g_array_index(all, LpCommunicator, 0));
}

guint32
lp_communicators_place(const LpCommunicators *self, LpGroup group, guint64 rank)
{
    return self->kinds[group].place == NULL ? 0 : self->kinds[group].place[rank];
}
