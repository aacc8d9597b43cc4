/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes what ranks see, round after round, until no more ranks are told apart. */
#include "workloads/program/rank_likeness.h"

/* A permutation of 64 bits that leaves no bit where it was (the finaliser of MurmurHash3). */
static guint64
mix(guint64 number)
{
    number ^= number >> 33;
    number *= G_GUINT64_CONSTANT(0xff51afd7ed558ccd);
    number ^= number >> 33;
    number *= G_GUINT64_CONSTANT(0xc4ceb9fe1a85ec53);
    return number ^ (number >> 33);
}

static guint64
add(guint64 sum, guint64 number)
{
    return mix(sum * 31 + number + 1);
}

/* What a communicator is: how many of each it has, in whatever order. */
static guint64
group_colour(const LpCommunicator *group, const guint64 *colours)
{
    guint64 sum = 0;
    for (guint32 i = 0; i < group->n_members; i++)
        sum += mix(colours[group->ranks[i]]);
    return add(sum, group->n_members);
}

static guint64
see(const LpProgram *program, guint64 rank, guint64 *const *groups, const guint64 *colours)
{
    guint64 sum = colours[rank];
    for (LpGroup group = 0; group < LP_N_GROUPS; group++) {
        const LpCommunicator *own = lp_program_communicator(program, group, rank);
        if (own != NULL)
            sum = add(sum,
                      groups[group][lp_communicators_number(program->communicators, own)] + group);
    }
    for (LpPipelineDirection direction = 0; direction < lp_program_n_lines(program); direction++) {
        guint64 to = lp_program_message_receiver(program, direction, rank);
        guint64 from = lp_program_message_sender(program, direction, rank);
        if (to != G_MAXUINT64)
            sum = add(add(sum, 2 * direction), colours[to]);
        if (from != G_MAXUINT64)
            sum = add(add(sum, 2 * direction + 1), colours[from]);
    }
    return sum;
}

/* Numbers @colours in the order in which they are seen. Returns: how many there are. */
static guint32
number(const guint64 *colours, guint64 n, guint32 *out)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(g_int64_hash, g_int64_equal);
    for (guint64 i = 0; i < n; i++) {
        gpointer key = (gpointer)(guintptr)&colours[i], value = NULL;
        if (!g_hash_table_lookup_extended(seen, key, NULL, &value)) {
            value = GUINT_TO_POINTER(g_hash_table_size(seen));
            g_hash_table_insert(seen, key, value);
        }
        out[i] = GPOINTER_TO_UINT(value);
    }
    return g_hash_table_size(seen);
}

static void
colour_groups(const LpProgram *program, const guint64 *colours, guint64 **groups)
{
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        for (guint i = 0; i < lp_communicators_n(program->communicators, group); i++)
            groups[group][i] =
                group_colour(lp_communicators_get(program->communicators, group, i), colours);
}

LpRankLikeness *
lp_rank_likeness_new(const LpProgram *program)
{
    LpRankLikeness *self = g_new0(LpRankLikeness, 1);
    guint64 n = program->n_ranks;
    g_autofree guint64 *colours = g_new(guint64, n), *next = g_new(guint64, n);
    guint64 *groups[LP_N_GROUPS];
    guint32 n_before;
    self->of_rank = g_new(guint32, n);
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        groups[group] = g_new0(guint64, lp_communicators_n(program->communicators, group));
    for (guint64 rank = 0; rank < n; rank++)
        colours[rank] = mix(lp_program_rank_stage(program, rank) + 1);
    self->n_classes = number(colours, n, self->of_rank);
    do {
        n_before = self->n_classes;
        colour_groups(program, colours, groups);
        for (guint64 rank = 0; rank < n; rank++)
            next[rank] = see(program, rank, groups, colours);
        for (guint64 rank = 0; rank < n; rank++)
            colours[rank] = next[rank];
        self->n_classes = number(colours, n, self->of_rank);
    } while (self->n_classes > n_before);
    colour_groups(program, colours, groups);
    for (LpGroup group = 0; group < LP_N_GROUPS; group++) {
        guint n_groups = lp_communicators_n(program->communicators, group);
        self->of_group[group] = n_groups == 0 ? NULL : g_new(guint32, n_groups);
        self->n_of_group[group] = number(groups[group], n_groups, self->of_group[group]);
        g_free(groups[group]);
    }
    self->first = g_new(guint32, self->n_classes);
    for (guint64 rank = n; rank-- > 0;)
        self->first[self->of_rank[rank]] = (guint32)rank;
    return self;
}

void
lp_rank_likeness_free(LpRankLikeness *self)
{
    if (self == NULL)
        return;
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        g_free(self->of_group[group]);
    g_free(self->of_rank);
    g_free(self->first);
    g_free(self);
}
