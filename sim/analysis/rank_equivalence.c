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
    LpIsolatedCache *cache;         /* borrowed */
    LpFidelity fidelity;
    GPtrArray *ops[LP_N_GROUPS];                /* owned arrays of borrowed LpOp: no two alike */
    guint32 *group_times[LP_N_GROUPS];          /* owned, by communicator: those of equal times */
    guint64 *senders[LP_N_PIPELINE_DIRECTIONS]; /* owned, by rank: who sends to it; G_MAXUINT64:
                                                   nobody */
} Builder;

static gboolean
is_simulated(const Builder *self, guint64 rank)
{
    return !self->contention->tp_mirrored ||
           lp_communicators_place(self->map->communicators, LP_GROUP_TP, rank) == 0;
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
        if (lp_op_is_collective(op))
            add_op(self->ops[op->group], op);
    }
}

static guint32
number_times(Builder *self, Table *table, const LpCommunicator *communicator)
{
    const GPtrArray *ops = self->ops[communicator->group];
    LpIsolatedRing ring;
    lp_isolated_ring_init(&ring, self->map, self->cache, communicator);
    for (guint i = 0; i < ops->len; i++)
        key_add_time(table, lp_isolated_ring_time_s(&ring, ops->pdata[i], self->fidelity));
    lp_isolated_ring_clear(&ring);
    return table_number(table);
}

/* All members take their group's; of groups without a simulated member nobody asks. */
static void
time_groups(Builder *self, LpGroup group)
{
    guint n = lp_communicators_n(self->map->communicators, group);
    self->group_times[group] = g_new0(guint32, n);
    self->classes->of_group[group] = g_new0(guint32, n);
    if (self->ops[group]->len == 0)
        return;
    Table table = table_new();
    for (guint k = 0; k < n; k++)
        self->group_times[group][k] =
            number_times(self, &table, lp_communicators_get(self->map->communicators, group, k));
    table_clear(&table);
}

static const LpConnection *
message_connection(const Builder *self, guint line, guint64 rank)
{
    return lp_communication_map_connection(self->map,
                                           (LpConnectionKind)(LP_CONNECTION_MESSAGES + line), rank);
}

static void
find_senders(Builder *self)
{
    for (guint line = 0; line < lp_program_n_lines(self->map->program); line++) {
        self->senders[line] = g_new(guint64, self->map->n_ranks);
        for (guint64 rank = 0; rank < self->map->n_ranks; rank++)
            self->senders[line][rank] = G_MAXUINT64;
        for (guint64 rank = 0; rank < self->map->n_ranks; rank++) {
            const LpConnection *connection = message_connection(self, line, rank);
            if (connection->present)
                self->senders[line][connection->to] = rank;
        }
    }
}

static guint
number(const Builder *self, const LpCommunicator *communicator)
{
    return lp_communicators_number(self->map->communicators, communicator);
}

/* What a rank brings along. */
static guint32
number_alone(Builder *self, Table *table, guint64 rank)
{
    const LpProgram *program = self->map->program;
    key_add_count(table, lp_program_rank_stage(program, rank));
    key_add_count(table, program->expert_loads == NULL ? 0 : program->expert_place[rank]);
    for (guint line = 0; line < lp_program_n_lines(self->map->program); line++) {
        const LpConnection *connection = message_connection(self, line, rank);
        key_add_count(table, connection->present ? 1 : 0);
        key_add_time(table, connection->route.latency_s);
        key_add_time(table, connection->route.bytes_per_s);
    }
    for (LpGroup group = 0; group < LP_N_GROUPS; group++) {
        const LpCommunicator *own = lp_program_communicator(program, group, rank);
        key_add_count(table, own == NULL ? 0 : self->group_times[group][number(self, own)] + 1);
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
number_group(Builder *self, Table *table, const LpCommunicator *communicator, guint32 *scratch)
{
    gsize n_found = 0;
    for (guint32 i = 0; i < communicator->n_members; i++) {
        guint32 of_member = self->classes->of_rank[communicator->ranks[i]];
        if (of_member != LP_RANK_CLASS_NONE)
            scratch[n_found++] = of_member;
    }
    qsort(scratch, n_found, sizeof *scratch, compare);
    key_add_count(table, self->group_times[communicator->group][number(self, communicator)]);
    for (gsize i = 0; i < n_found; i++)
        if (i == 0 || scratch[i] != scratch[i - 1])
            key_add_count(table, scratch[i]);
    return table_number(table);
}

static void
divide_groups(Builder *self, LpGroup group)
{
    const LpCommunicators *communicators = self->map->communicators;
    g_autofree guint32 *scratch = g_new(guint32, lp_communicators_n_members(communicators, group));
    Table table = table_new();
    for (guint k = 0; k < lp_communicators_n(communicators, group); k++)
        self->classes->of_group[group][k] =
            number_group(self, &table, lp_communicators_get(communicators, group, k), scratch);
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
    for (guint line = 0; line < lp_program_n_lines(self->map->program); line++) {
        const LpConnection *connection = message_connection(self, line, rank);
        guint64 sender = self->senders[line][rank];
        key_add_class_of(self, table, connection->present, connection->to);
        key_add_class_of(self, table, sender != G_MAXUINT64, sender);
    }
    for (LpGroup group = 0; group < LP_N_GROUPS; group++) {
        const LpCommunicator *own = lp_program_communicator(self->map->program, group, rank);
        if (own != NULL)
            key_add_count(table, self->classes->of_group[group][number(self, own)]);
    }
    return table_number(table);
}

typedef guint32 (*Number)(Builder *self, Table *table, guint64 rank);

/* All ranks at once, since what is told of others is their class before. */
static void
divide_ranks(Builder *self, Number number_rank)
{
    guint64 n_ranks = self->map->n_ranks;
    guint32 *of_rank = g_new(guint32, n_ranks);
    Table table = table_new();
    for (guint64 rank = 0; rank < n_ranks; rank++)
        of_rank[rank] =
            is_simulated(self, rank) ? number_rank(self, &table, rank) : LP_RANK_CLASS_NONE;
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
                        LpIsolatedCache *cache, LpFidelity fidelity)
{
    LpRankEquivalence *classes = g_new0(LpRankEquivalence, 1);
    Builder builder = {.classes = classes,
                       .map = map,
                       .contention = contention,
                       .cache = cache,
                       .fidelity = fidelity};
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
    for (guint line = 0; line < lp_program_n_lines(map->program); line++)
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
