/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes become operations in an order that dependencies allow, which name those of other queues
 * that they depend on. */
#include "workloads/traces/trace_program.h"

#include "workloads/program/given_lowering.h"
#include "workloads/traces/trace_alike.h"
#include "workloads/traces/trace_order.h"
#include "workloads/traces/trace_queues.h"

#include <string.h>

#define NAME_MAX_LENGTH 48

typedef struct {
    LpTrace *trace;              /* borrowed */
    LpGivenProgram *program;     /* borrowed */
    const LpTraceQueues *queues; /* borrowed */
    guint32 *groups;             /* owned, by group of the trace: that of the program */
    guint32 empty;               /* a body of no operations */
    GHashTable *alike;           /* owned: of Section, to itself */
} Maker;

/* What some ranks do. */
typedef struct {
    GArray *ops;   /* owned: LpGivenOp, first_after in the own after */
    GArray *after; /* owned: guint32 */
    GArray *ranks; /* owned: guint32 */
} Section;

static void
section_free(Section *self)
{
    g_array_unref(self->ops);
    g_array_unref(self->after);
    if (self->ranks != NULL)
        g_array_unref(self->ranks);
    g_free(self);
}

/* Hashes words of 32 bits, each multiplied by the prime of FNV-1a (isthe.com/chongo/tech/comp/fnv).
 */
static guint64
words_hash(gconstpointer data, gsize size, guint64 hash)
{
    for (gsize i = 0; i < size; i += sizeof(guint32)) {
        guint32 word;
        memcpy(&word, (const char *)data + i, sizeof word);
        hash = (hash ^ word) * G_GUINT64_CONSTANT(0x100000001b3);
    }
    return hash;
}

/* An operation without its line, which tells none apart; made in memory that was cleared, equal
 * ones are equal to the byte. */
static void
bare_op(const Section *self, guint i, LpGivenOp *out)
{
    memcpy(out, &g_array_index(self->ops, LpGivenOp, i), sizeof *out);
    out->line = 0;
}

static guint
section_hash(gconstpointer key)
{
    const Section *self = key;
    guint64 hash = G_GUINT64_CONSTANT(0xcbf29ce484222325);
    for (guint i = 0; i < self->ops->len; i++) {
        LpGivenOp op;
        bare_op(self, i, &op);
        hash = words_hash(&op, sizeof op, hash);
    }
    hash = words_hash(self->after->data, self->after->len * sizeof(guint32), hash);
    return (guint)(hash ^ hash >> 32);
}

static gboolean
section_equal(gconstpointer a, gconstpointer b)
{
    const Section *one = a, *other = b;
    if (one->ops->len != other->ops->len || one->after->len != other->after->len)
        return FALSE;
    for (guint i = 0; i < one->ops->len; i++) {
        LpGivenOp op, another;
        bare_op(one, i, &op);
        bare_op(other, i, &another);
        if (memcmp(&op, &another, sizeof op) != 0)
            return FALSE;
    }
    return one->after->len == 0 ||
           memcmp(one->after->data, other->after->data, one->after->len * sizeof(guint32)) == 0;
}

/* --- groups --- */

/* Letters, digits, '.', '_' and '-', as names of programs have them. */
static char *
clean_name(const char *kind)
{
    GString *name = g_string_new(NULL);
    for (const char *at = kind; *at != '\0' && name->len < NAME_MAX_LENGTH; at++)
        if (g_ascii_isalnum(*at) || (name->len > 0 && strchr("._-", *at) != NULL))
            g_string_append_c(name, *at);
    if (name->len == 0)
        g_string_append(name, "group");
    return g_string_free(name, FALSE);
}

static gboolean
fits(const LpGivenGroups *groups, const LpTraceGroup *group)
{
    if (groups->traffic != group->traffic ||
        !lp_algorithms_equal(&groups->algorithms, &group->algorithms) ||
        (g_array_index(groups->sizes, guint32, 0) == 1) != (group->ranks->len == 1))
        return FALSE;
    for (guint i = 0; i < group->ranks->len; i++)
        if (groups->number[g_array_index(group->ranks, guint32, i)] != 0)
            return FALSE;
    return TRUE;
}

/* Groups of one kind without common ranks are groups of one name. */
static gboolean
add_group(Maker *self, guint32 index, GPtrArray *kinds, GError **error)
{
    const LpTraceGroup *group = lp_trace_group(self->trace, index);
    guint32 found = self->program->groups->len;
    for (guint32 i = 0; i < kinds->len && found == self->program->groups->len; i++)
        if (strcmp(kinds->pdata[i], group->kind) == 0 &&
            fits(lp_given_program_groups(self->program, i), group))
            found = i;
    self->groups[index] = found;
    if (found == self->program->groups->len) {
        g_autofree char *clean = clean_name(group->kind);
        g_autofree char *name = g_strdup(clean);
        for (guint32 i = 0, k = 2; i < self->program->groups->len; i++)
            if (strcmp(lp_given_program_groups(self->program, i)->name, name) == 0) {
                g_free(name);
                name = g_strdup_printf("%s-%u", clean, k++);
                i = G_MAXUINT32; /* from the first again */
            }
        (void)lp_given_program_add_groups(self->program, name, group->traffic);
        LpGivenGroups *made = lp_given_program_groups(self->program, found);
        made->algorithms = group->algorithms;
        made->line = 1;
        g_ptr_array_add(kinds, group->kind);
    }
    return lp_given_program_add_group(self->program, found, group->ranks, error);
}

static gboolean
add_groups(Maker *self, GError **error)
{
    guint n = self->trace->groups->len;
    g_autofree gboolean *is_used = g_new0(gboolean, n + 1);
    g_autoptr(GPtrArray) kinds = g_ptr_array_new();
    for (guint32 i = 0; i < n; i++)
        is_used[i] = self->trace->groups_are_used;
    for (guint32 rank = 0; rank < self->trace->ranks->len; rank++) {
        const LpTraceRank *one = lp_trace_rank(self->trace, rank);
        for (guint i = 0; i < one->groups->len; i++)
            is_used[g_array_index(one->groups, guint32, i)] = TRUE;
        for (guint i = 0; i < one->nodes->len; i++)
            if (lp_trace_node(one, i)->op.kind == LP_GIVEN_COLLECTIVE)
                is_used[lp_trace_node(one, i)->op.group] = TRUE;
    }
    for (guint32 i = 0; i < n; i++)
        if (is_used[i] && !add_group(self, i, kinds, error)) {
            g_prefix_error(error, "%s: group %s: ", self->trace->path,
                           lp_trace_group(self->trace, i)->name);
            return FALSE;
        }
    return TRUE;
}

/* --- operations --- */

/* For each queue, 1 + the place of an operation; 0: none. */
typedef struct {
    guint32 place[LP_GIVEN_QUEUES_MAX];
} Places;

typedef struct {
    const LpTraceRank *rank; /* borrowed */
    guint32 number;          /* of the rank */
    const guint *deps;       /* borrowed */
    Places *of_node;         /* owned, by place of a node: what those wait for that depend on it */
    Places awaited[LP_GIVEN_QUEUES_MAX]; /* by queue: what it has waited for already */
    guint32 last_compute;                /* 1 + its place; 0: none */
    Section *section;                    /* borrowed */
} Rank;

static Places
find_awaited(const Rank *self, const LpTraceNode *node)
{
    Places all = {{0}};
    for (guint i = node->first_dep; i < node->first_dep + node->n_deps; i++)
        for (guint32 queue = 0; queue < LP_GIVEN_QUEUES_MAX && self->deps[i] != LP_TRACE_NO_NODE;
             queue++)
            all.place[queue] = MAX(all.place[queue], self->of_node[self->deps[i]].place[queue]);
    return all;
}

/* Finds the operations that @op waits for, besides those before it in its own queue. */
static void
add_after(Rank *self, LpGivenOp *op, const Places *all)
{
    GArray *after = self->section->after;
    Places *awaited = &self->awaited[op->queue];
    op->first_after = after->len;
    for (guint32 queue = 0; queue < LP_GIVEN_QUEUES_MAX; queue++) {
        if (queue == op->queue || all->place[queue] <= awaited->place[queue])
            continue;
        guint32 place = all->place[queue] - 1;
        awaited->place[queue] = all->place[queue];
        g_array_append_val(after, place);
    }
    op->n_after = after->len - op->first_after;
    op->is_free = op->n_after > 0;
    if (op->queue == LP_GIVEN_COMPUTE_QUEUE)
        return;
    gboolean is_plain = op->n_after == 0 ? self->last_compute == 0
                                         : op->n_after == 1 && self->last_compute > 0 &&
                                               g_array_index(after, guint32, op->first_after) ==
                                                   self->last_compute - 1;
    op->is_free = !is_plain;
    if (is_plain) {
        g_array_set_size(after, op->first_after);
        op->n_after = 0;
    }
}

static LpGivenOp *
append_op(Rank *self)
{
    GArray *ops = self->section->ops;
    g_array_set_size(ops, ops->len + 1);
    return &g_array_index(ops, LpGivenOp, ops->len - 1);
}

/* Passes are what runs between two bodies: one of nothing parts them. The one that ends waits, in
 * an operation that takes no time, for what the other begins behind. */
static void
add_pass(const Maker *all, Rank *self, const Places *awaited)
{
    LpGivenOp *op = append_op(self);
    op->kind = LP_GIVEN_COMPUTE;
    add_after(self, op, awaited);
    if (op->n_after > 0)
        self->last_compute = self->section->ops->len;
    else
        g_array_set_size(self->section->ops, self->section->ops->len - 1);
    op = append_op(self);
    op->kind = LP_GIVEN_RUN;
    op->body = all->empty;
    op->times = 1;
}

static void
add_node(const Maker *all, Rank *self, guint place)
{
    const LpTraceNode *node = lp_trace_node(self->rank, place);
    Places awaited = find_awaited(self, node);
    if (node->is_joint) {
        self->of_node[place] = awaited;
        if (node->is_pass)
            add_pass(all, self, &awaited);
        return;
    }
    LpGivenOp *op = append_op(self);
    memcpy(op, &node->op, sizeof *op);
    op->queue = op->kind == LP_GIVEN_RECEIVE ? LP_GIVEN_COMPUTE_QUEUE
                                             : lp_trace_queues_of(all->queues, all->trace, node);
    if (op->kind == LP_GIVEN_COLLECTIVE)
        op->group = all->groups[op->group];
    if (op->kind == LP_GIVEN_SEND || op->kind == LP_GIVEN_RECEIVE) {
        op->peer -= self->number;
        op->is_relative = TRUE;
    }
    add_after(self, op, &awaited);
    self->of_node[place].place[op->queue] = self->section->ops->len;
    if (op->queue == LP_GIVEN_COMPUTE_QUEUE)
        self->last_compute = self->section->ops->len;
}

/* Messages are taken up by the compute queue: those of other streams as late as may be. */
static Section *
make_rank(const Maker *self, guint32 number, GError **error)
{
    const LpTraceRank *rank = lp_trace_rank(self->trace, number);
    guint n = rank->nodes->len;
    g_autofree gboolean *is_late = g_new0(gboolean, n + 1);
    for (guint i = 0; i < n; i++) {
        const LpTraceNode *node = lp_trace_node(rank, i);
        is_late[i] = node->is_joint || (node->op.kind == LP_GIVEN_RECEIVE &&
                                        lp_trace_queues_of(self->queues, self->trace, node) !=
                                            LP_GIVEN_COMPUTE_QUEUE);
    }
    g_autofree guint *deps = NULL;
    g_autoptr(GArray) order = lp_trace_order(rank, is_late, &deps, error);
    if (order == NULL)
        return NULL;
    g_autofree Places *of_node = g_new0(Places, n + 1);
    Section *section = g_new0(Section, 1);
    section->ops = g_array_new(FALSE, TRUE, sizeof(LpGivenOp));
    section->after = g_array_new(FALSE, FALSE, sizeof(guint32));
    Rank data = {
        .rank = rank, .number = number, .deps = deps, .of_node = of_node, .section = section};
    for (guint i = 0; i < n; i++)
        add_node(self, &data, g_array_index(order, guint, i));
    return section;
}

/* --- sections --- */

static gboolean
add_section(const Maker *self, Section *section, GError **error)
{
    LpGivenProgram *program = self->program;
    guint32 body = lp_given_program_add_body(program, NULL);
    for (guint i = 0; i < section->ops->len; i++)
        g_array_index(section->ops, LpGivenOp, i).first_after += program->after->len;
    g_array_append_vals(lp_given_program_body(program, body)->ops, section->ops->data,
                        section->ops->len);
    g_array_append_vals(program->after, section->after->data, section->after->len);
    return lp_given_program_add_section(program, g_steal_pointer(&section->ranks), body, 1, error);
}

/* Whether the groups of @rank have the names that those of the rank have which it is like. */
static gboolean
means_the_same(const Maker *self, const LpTraceRank *rank)
{
    const LpTraceRank *like = lp_trace_rank(self->trace, rank->like);
    for (guint i = 0; i < rank->groups->len; i++)
        if (self->groups[g_array_index(rank->groups, guint32, i)] !=
            self->groups[g_array_index(like->groups, guint32, i)])
            return FALSE;
    return TRUE;
}

static gboolean
add_ranks(const Maker *self, GError **error)
{
    guint32 n_ranks = self->trace->ranks->len;
    g_autoptr(GPtrArray) sections = g_ptr_array_new_with_free_func((GDestroyNotify)section_free);
    g_autofree Section **of_rank = g_new0(Section *, n_ranks);
    for (guint32 rank = 0; rank < n_ranks; rank++) {
        guint32 like = lp_trace_rank(self->trace, rank)->like;
        if (like != rank && !means_the_same(self, lp_trace_rank(self->trace, rank)))
            lp_trace_alike_restore(self->trace, rank);
        else if (like != rank) {
            of_rank[rank] = of_rank[like];
            g_array_append_val(of_rank[rank]->ranks, rank);
            continue;
        }
        Section *made = make_rank(self, rank, error);
        if (made == NULL)
            return FALSE;
        Section *alike = g_hash_table_lookup(self->alike, made);
        if (alike == NULL) {
            made->ranks = g_array_new(FALSE, FALSE, sizeof(guint32));
            g_ptr_array_add(sections, made);
            g_hash_table_add(self->alike, made);
            alike = made;
        } else
            section_free(made);
        of_rank[rank] = alike;
        g_array_append_val(alike->ranks, rank);
    }
    g_hash_table_remove_all(self->alike);
    for (guint i = 0; i < sections->len; i++)
        if (!add_section(self, sections->pdata[i], error))
            return FALSE;
    return TRUE;
}

LpGivenProgram *
lp_trace_to_given(LpTrace *trace, GError **error)
{
    g_autoptr(LpGivenProgram) program = lp_given_program_new(trace->path, trace->ranks->len);
    g_autoptr(LpTraceQueues) queues = lp_trace_queues_new(trace, program);
    g_autofree guint32 *groups = g_new0(guint32, trace->groups->len + 1);
    g_autoptr(GHashTable) alike = g_hash_table_new(section_hash, section_equal);
    program->execution = trace->execution;
    Maker self = {trace, program, queues, groups, lp_given_program_add_body(program, NULL), alike};
    if (!add_groups(&self, error) || !add_ranks(&self, error) ||
        !lp_given_program_check(program, error))
        return NULL;
    LpPlan plan = {.library.picks.n_picks = 0};
    g_autoptr(LpProgram) lowered = lp_given_lowering_program(program, NULL, &plan, error);
    return lowered == NULL ? NULL : g_steal_pointer(&program);
}
