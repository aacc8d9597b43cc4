/* SPDX-License-Identifier: Apache-2.0 */
/* Deals uses of groups out to kinds. */
#include "workloads/program/given_groups.h"

#include "workloads/program/given_lines.h"

/* The properties that the communicators of one kind share, besides the class of traffic. */
typedef enum {
    FORM_RING,
    FORM_EXCHANGE,
    FORM_ROOTED,
    FORM_BARRIER
} Form;

/* How some collectives use groups of the file. */
typedef struct {
    guint32 groups, queue, file_line;
    Form form;
    LpGroup kind;
} Use;

struct LpGivenKinds {
    GArray *uses; /* owned: Use, in the order in which they are first made */
};

static Form
form_of(LpCollective collective)
{
    switch (collective) {
    case LP_COLLECTIVE_ALL_TO_ALL:
        return FORM_EXCHANGE;
    case LP_COLLECTIVE_BROADCAST:
    case LP_COLLECTIVE_REDUCE:
        return FORM_ROOTED;
    case LP_COLLECTIVE_BARRIER:
        return FORM_BARRIER;
    default:
        return FORM_RING;
    }
}

static Use *
use_at(const LpGivenKinds *self, guint i)
{
    return &g_array_index(self->uses, Use, i);
}

static Use *
find(const LpGivenKinds *self, const LpGivenOp *op)
{
    for (guint i = 0; i < self->uses->len; i++) {
        Use *use = use_at(self, i);
        if (use->groups == op->group && use->queue == op->queue &&
            use->form == form_of(op->collective))
            return use;
    }
    return NULL;
}

static void
find_uses(LpGivenKinds *self, const LpGivenProgram *program)
{
    for (guint32 i = 0; i < program->bodies->len; i++) {
        const LpGivenBody *body = lp_given_program_body(program, i);
        for (guint k = 0; k < body->ops->len; k++) {
            const LpGivenOp *op = lp_given_body_op(body, k);
            if (op->kind != LP_GIVEN_COLLECTIVE || find(self, op) != NULL)
                continue;
            Use use = {.groups = op->group,
                       .queue = op->queue,
                       .file_line = op->line,
                       .form = form_of(op->collective)};
            g_array_append_val(self->uses, use);
        }
    }
}

/* --- kinds --- */

/* A kind that is being filled. */
typedef struct {
    gboolean is_taken;
    const Use *first;
    guint8 *has; /* owned, by rank: it has one already */
} Occupancy;

static gboolean
fits(const Occupancy *self, const LpGivenProgram *program, const Use *use)
{
    const LpGivenGroups *groups = lp_given_program_groups(program, use->groups);
    if (!self->is_taken)
        return TRUE;
    if (self->first->queue != use->queue || self->first->form != use->form ||
        !lp_algorithms_equal(&lp_given_program_groups(program, self->first->groups)->algorithms,
                             &groups->algorithms))
        return FALSE;
    for (guint i = 0; i < groups->ranks->len; i++)
        if (self->has[g_array_index(groups->ranks, guint32, i)])
            return FALSE;
    return TRUE;
}

static void
fill(Occupancy *self, const LpGivenProgram *program, const Use *use)
{
    const LpGivenGroups *groups = lp_given_program_groups(program, use->groups);
    if (!self->is_taken)
        *self = (Occupancy){TRUE, use, g_new0(guint8, program->n_ranks)};
    for (guint i = 0; i < groups->ranks->len; i++)
        self->has[g_array_index(groups->ranks, guint32, i)] = 1;
}

static gboolean
find_kind(const LpGivenProgram *program, Occupancy *occupancies, Use *use, GError **error)
{
    const LpGivenGroups *groups = lp_given_program_groups(program, use->groups);
    guint n = 0;
    for (LpGroup kind = LP_GROUP_GIVEN; kind < LP_N_GROUPS; kind++) {
        if (lp_group_traits(kind)->traffic != groups->traffic)
            continue;
        n++;
        if (!fits(&occupancies[kind], program, use))
            continue;
        fill(&occupancies[kind], program, use);
        use->kind = kind;
        return TRUE;
    }
    return lp_given_program_fail(program, groups->line, error,
                                 "<groups> class: got ranks in more than %u groups of class %s, "
                                 "counted for each queue, for all-to-alls and for barriers, wanted "
                                 "no more, or another class",
                                 n, lp_traffic_names[groups->traffic]);
}

static void
add_communicators(const LpGivenProgram *program, const Use *use, LpCommunicators *communicators)
{
    const LpGivenGroups *groups = lp_given_program_groups(program, use->groups);
    LpCommunicator like = {.group = use->kind,
                           .stream = lp_given_queue_stream(use->queue),
                           .is_exclusive = use->queue == LP_GIVEN_COMPUTE_QUEUE,
                           .exchanges = use->form == FORM_EXCHANGE,
                           .broadcasts = use->form == FORM_ROOTED,
                           .algorithms = groups->algorithms,
                           .setting = lp_group_traits(use->kind)->setting};
    if (use->form == FORM_BARRIER && like.algorithms.n_levels == 0)
        like.algorithms = (LpAlgorithms){.n_levels = 1, .level = {LP_ALGORITHM_DOUBLING}};
    guint first = 0;
    for (guint i = 0; i < groups->sizes->len; i++) {
        like.n_members = g_array_index(groups->sizes, guint32, i);
        like.ranks = &g_array_index(groups->ranks, guint32, first);
        first += like.n_members;
        if (like.n_members > 1)
            lp_communicators_add(communicators, &like);
    }
}

LpGivenKinds *
lp_given_kinds_new(const LpGivenProgram *program, LpCommunicators **out_communicators,
                   GError **error)
{
    g_autoptr(LpGivenKinds) self = g_new0(LpGivenKinds, 1);
    g_autoptr(LpCommunicators) communicators = lp_communicators_new_empty(program->n_ranks);
    Occupancy occupancies[LP_N_GROUPS] = {{0}};
    gboolean good = TRUE;
    self->uses = g_array_new(FALSE, FALSE, sizeof(Use));
    find_uses(self, program);
    for (guint i = 0; good && i < self->uses->len; i++) {
        good = find_kind(program, occupancies, use_at(self, i), error);
        if (good)
            add_communicators(program, use_at(self, i), communicators);
    }
    for (LpGroup kind = 0; kind < LP_N_GROUPS; kind++)
        g_free(occupancies[kind].has);
    if (!good)
        return NULL;
    *out_communicators = g_steal_pointer(&communicators);
    return g_steal_pointer(&self);
}

void
lp_given_kinds_free(LpGivenKinds *self)
{
    if (self == NULL)
        return;
    g_array_unref(self->uses);
    g_free(self);
}

LpGroup
lp_given_kinds_of(const LpGivenKinds *self, const LpGivenOp *op)
{
    const Use *use = find(self, op);
    g_return_val_if_fail(use != NULL, LP_GROUP_GIVEN);
    return use->kind;
}
