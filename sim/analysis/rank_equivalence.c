/* SPDX-License-Identifier: Apache-2.0 */
/* Divides ranks into classes until all of a class talk to the same classes. */
#include "sim/analysis/rank_equivalence.h"

#include <stdlib.h>

/* Numbers keys in the order in which they are first seen. */
typedef struct {
    GHashTable *numbers; /* owned: GBytes to number */
    GByteArray *key;     /* owned: the one being written */
} Table;

static Table
table_new(void)
{
    return (Table){
        g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL),
        g_byte_array_new()};
}

static void
table_clear(Table *self)
{
    g_hash_table_unref(self->numbers);
    g_byte_array_unref(self->key);
}

static void
key_add(Table *self, const void *data, gsize size)
{
    g_byte_array_append(self->key, data, (guint)size);
}

static void
key_add_count(Table *self, guint64 count)
{
    key_add(self, &count, sizeof count);
}

static void
key_add_time(Table *self, double time_s)
{
    key_add(self, &time_s, sizeof time_s);
}

/* The number of the key that was written; the next one begins. */
static guint32
table_number(Table *self)
{
    GBytes *key = g_bytes_new(self->key->data, self->key->len);
    g_byte_array_set_size(self->key, 0);
    gpointer number;
    if (g_hash_table_lookup_extended(self->numbers, key, NULL, &number)) {
        g_bytes_unref(key);
        return GPOINTER_TO_UINT(number);
    }
    guint32 n = g_hash_table_size(self->numbers);
    g_hash_table_insert(self->numbers, key, GUINT_TO_POINTER(n));
    return n;
}

typedef struct {
    LpRankEquivalence *classes;
    const LpCommunicationMap *map;  /* borrowed */
    const LpContention *contention; /* borrowed */
    LpFidelity fidelity;
    GPtrArray *ops[LP_N_GROUPS];       /* owned arrays of borrowed LpOp: no two alike */
    guint32 *group_times[LP_N_GROUPS]; /* owned, by rank: groups of equal times */
    guint64 *senders[LP_N_LINES];      /* owned, by rank: who sends to it; G_MAXUINT64: nobody */
} Builder;

static gboolean
is_simulated(const Builder *self, guint64 rank)
{
    return !self->contention->tp_mirrored ||
           lp_program_group_index(self->map->program, LP_GROUP_TP, rank) == 0;
}

static gboolean
ops_alike(const LpOp *a, const LpOp *b)
{
    return a->collective == b->collective && a->bytes == b->bytes && a->weight == b->weight;
}

static void
add_op(GPtrArray *ops, const LpOp *op)
{
    for (guint i = 0; i < ops->len; i++)
        if (ops_alike(ops->pdata[i], op))
            return;
    g_ptr_array_add(ops, (gpointer)(guintptr)op);
}

static void
collect_ops(Builder *self)
{
    const LpProgram *program = self->map->program;
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        self->ops[group] = g_ptr_array_new();
    for (guint i = 0; i < program->ops->len; i++) {
        const LpOp *op = lp_program_op(program, i);
        if (op->kind == LP_OP_COLLECTIVE || op->kind == LP_OP_LAUNCH)
            add_op(self->ops[op->group], op);
    }
}

static guint32
number_times(Builder *self, Table *table, LpGroup group, guint64 first_rank)
{
    LpIsolatedRing ring;
    lp_isolated_ring_init(&ring, self->map, group, first_rank);
    for (guint i = 0; i < self->ops[group]->len; i++)
        key_add_time(table,
                     lp_isolated_ring_time_s(&ring, self->ops[group]->pdata[i], self->fidelity));
    lp_isolated_ring_clear(&ring);
    return table_number(table);
}

/* All members take their group's; of groups without a simulated member nobody asks. */
static void
time_groups(Builder *self, LpGroup group)
{
    const LpProgram *program = self->map->program;
    guint64 n_ranks = self->map->n_ranks;
    self->group_times[group] = g_new0(guint32, n_ranks);
    self->classes->of_group[group] = g_new0(guint32, n_ranks);
    if (self->ops[group]->len == 0)
        return;
    guint32 *times = self->group_times[group];
    Table table = table_new();
    for (guint64 rank = 0; rank < n_ranks; rank++)
        if (lp_program_has_group(program, group, rank) &&
            lp_program_group_member(program, group, rank, 0) == rank)
            times[rank] = number_times(self, &table, group, rank);
    for (guint64 rank = 0; rank < n_ranks; rank++)
        if (lp_program_has_group(program, group, rank))
            times[rank] = times[lp_program_group_member(program, group, rank, 0)];
    table_clear(&table);
}

static const LpConnection *
line_connection(const Builder *self, guint line, guint64 rank)
{
    return lp_communication_map_connection(self->map, (LpConnectionKind)(LP_CONNECTION_LINE + line),
                                           rank);
}

static void
find_senders(Builder *self)
{
    for (guint line = 0; line < LP_N_LINES; line++) {
        self->senders[line] = g_new(guint64, self->map->n_ranks);
        for (guint64 rank = 0; rank < self->map->n_ranks; rank++)
            self->senders[line][rank] = G_MAXUINT64;
        for (guint64 rank = 0; rank < self->map->n_ranks; rank++) {
            const LpConnection *connection = line_connection(self, line, rank);
            if (connection->present)
                self->senders[line][connection->to] = rank;
        }
    }
}

/* What a rank brings along. */
static guint32
number_alone(Builder *self, Table *table, guint64 rank)
{
    const LpProgram *program = self->map->program;
    key_add_count(table, lp_plan_coordinates(&program->plan, rank).at[LP_AXIS_PP]);
    key_add_time(table, lp_program_expert_load(program, rank));
    for (guint line = 0; line < LP_N_LINES; line++) {
        const LpConnection *connection = line_connection(self, line, rank);
        key_add_count(table, connection->present ? 1 : 0);
        key_add_time(table, connection->route.latency_s);
        key_add_time(table, connection->route.bytes_per_s);
    }
    for (LpGroup group = 0; group < LP_N_GROUPS; group++) {
        gboolean has = lp_program_has_group(program, group, rank);
        key_add_count(table, has ? self->group_times[group][rank] + 1 : 0);
    }
    return table_number(table);
}

static int
compare(const void *a, const void *b)
{
    guint32 x = *(const guint32 *)a, y = *(const guint32 *)b;
    return (x > y) - (x < y);
}

/* A group's times, and which classes its members are of. */
static guint32
number_group(Builder *self, Table *table, LpGroup group, guint64 first_rank, guint32 *scratch)
{
    const LpProgram *program = self->map->program;
    guint64 n = lp_program_group_size(program, group);
    gsize n_found = 0;
    for (guint64 i = 0; i < n; i++) {
        guint32 of_member =
            self->classes->of_rank[lp_program_group_member(program, group, first_rank, i)];
        if (of_member != LP_RANK_CLASS_NONE)
            scratch[n_found++] = of_member;
    }
    qsort(scratch, n_found, sizeof *scratch, compare);
    key_add_count(table, self->group_times[group][first_rank]);
    for (gsize i = 0; i < n_found; i++)
        if (i == 0 || scratch[i] != scratch[i - 1])
            key_add_count(table, scratch[i]);
    return table_number(table);
}

static void
divide_groups(Builder *self, LpGroup group)
{
    const LpProgram *program = self->map->program;
    guint32 *of_group = self->classes->of_group[group];
    g_autofree guint32 *scratch = g_new(guint32, lp_program_group_size(program, group));
    Table table = table_new();
    for (guint64 rank = 0; rank < self->map->n_ranks; rank++)
        if (lp_program_has_group(program, group, rank) &&
            lp_program_group_member(program, group, rank, 0) == rank)
            of_group[rank] = number_group(self, &table, group, rank, scratch);
    for (guint64 rank = 0; rank < self->map->n_ranks; rank++)
        if (lp_program_has_group(program, group, rank))
            of_group[rank] = of_group[lp_program_group_member(program, group, rank, 0)];
    table_clear(&table);
}

static void
key_add_class_of(const Builder *self, Table *table, gboolean present, guint64 rank)
{
    key_add_count(table, present ? self->classes->of_rank[rank] : LP_RANK_CLASS_NONE);
}

/* A rank's class so far, and those of all that it talks to. */
static guint32
number_among_others(Builder *self, Table *table, guint64 rank)
{
    key_add_class_of(self, table, TRUE, rank);
    for (guint line = 0; line < LP_N_LINES; line++) {
        const LpConnection *connection = line_connection(self, line, rank);
        guint64 sender = self->senders[line][rank];
        key_add_class_of(self, table, connection->present, connection->to);
        key_add_class_of(self, table, sender != G_MAXUINT64, sender);
    }
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        if (lp_program_has_group(self->map->program, group, rank))
            key_add_count(table, self->classes->of_group[group][rank]);
    return table_number(table);
}

typedef guint32 (*Number)(Builder *self, Table *table, guint64 rank);

/* All ranks at once, since what is told of others is their class before. */
static void
divide_ranks(Builder *self, Number number)
{
    guint64 n_ranks = self->map->n_ranks;
    guint32 *of_rank = g_new(guint32, n_ranks);
    Table table = table_new();
    for (guint64 rank = 0; rank < n_ranks; rank++)
        of_rank[rank] = is_simulated(self, rank) ? number(self, &table, rank) : LP_RANK_CLASS_NONE;
    g_free(self->classes->of_rank);
    self->classes->of_rank = of_rank;
    self->classes->n_classes = g_hash_table_size(table.numbers);
    table_clear(&table);
}

/* Each round divides classes further or, when no pair is left to be told apart, none. */
static void
divide(Builder *self)
{
    divide_ranks(self, number_alone);
    guint32 n_before;
    do {
        n_before = self->classes->n_classes;
        for (LpGroup group = 0; group < LP_N_GROUPS; group++)
            divide_groups(self, group);
        divide_ranks(self, number_among_others);
    } while (self->classes->n_classes > n_before);
}

static void
find_first(LpRankEquivalence *self, guint64 n_ranks)
{
    self->first = g_new(guint64, self->n_classes);
    for (guint64 rank = n_ranks; rank-- > 0;)
        if (self->of_rank[rank] != LP_RANK_CLASS_NONE)
            self->first[self->of_rank[rank]] = rank;
}

LpRankEquivalence *
lp_rank_equivalence_new(const LpCommunicationMap *map, const LpContention *contention,
                        LpFidelity fidelity)
{
    LpRankEquivalence *classes = g_new0(LpRankEquivalence, 1);
    Builder builder = {
        .classes = classes, .map = map, .contention = contention, .fidelity = fidelity};
    collect_ops(&builder);
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        time_groups(&builder, group);
    find_senders(&builder);
    divide(&builder);
    find_first(classes, map->n_ranks);
    for (LpGroup group = 0; group < LP_N_GROUPS; group++) {
        g_ptr_array_unref(builder.ops[group]);
        g_free(builder.group_times[group]);
    }
    for (guint line = 0; line < LP_N_LINES; line++)
        g_free(builder.senders[line]);
    return classes;
}

void
lp_rank_equivalence_free(LpRankEquivalence *self)
{
    if (self == NULL)
        return;
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        g_free(self->of_group[group]);
    g_free(self->of_rank);
    g_free(self->first);
    g_free(self);
}
