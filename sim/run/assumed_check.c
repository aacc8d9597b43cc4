/* SPDX-License-Identifier: Apache-2.0 */
/* Puts the flows of a step on their links at once, and asks for their rates. */
#include "sim/run/assumed_check.h"

#include "sim/actors/shared_flows.h"
#include "sim/mapping/round_plan.h"
#include "sim/quotient/first_senders.h"

/* Steps of a collective that are looked at. */
#define STEPS_MAX 16
/* Classes of communicators that are looked at by themselves. */
#define CLASSES_MAX 64

typedef struct {
    const LpAssumedInput *input; /* borrowed */
    const LpQuotient *quotient;  /* borrowed */
    LpSharedFlows *shared;       /* owned */
    LpEquivalenceCheck *check;   /* owned */
    GHashTable *known;           /* owned: routes of classes that flow in the step at hand */
    GPtrArray *flows;            /* owned LpSharedFlow, of the step at hand */
    guint64 n_steps;             /* of the collective at hand, in any communicator */
} Check;

/* One flow stands for all of its class. */
static void
add_flow(Check *self, const LpRoute *route, guint64 bytes, const LpCommunicator *owner)
{
    if (bytes == 0 || !g_hash_table_add(self->known, (gpointer)(guintptr)route))
        return;
    LpSharedFlow *flow = g_new0(LpSharedFlow, 1);
    flow->flow =
        (LpFlow){.route = route,
                 .bytes = bytes,
                 .traffic = owner != NULL ? lp_group_traits(owner->group)->traffic : LP_TRAFFIC_PP,
                 .owner = owner};
    g_ptr_array_add(self->flows, flow);
    (void)lp_shared_flows_enter(self->shared, flow, 0, 0.0);
}

/* Members that stand for all: by class where flows wait for others, else by what they send first.
 */
static GArray *
senders_of(const Check *self, const LpCommunicatorClass *class)
{
    if (class->members.n_classes == 0)
        return lp_first_senders_find(self->quotient, class->communicator,
                                     self->input->model->map->peers);
    GArray *senders = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_array_append_vals(senders, class->members.first, class->members.n_classes);
    return senders;
}

static void
add_step(Check *self, const LpCommunicatorClass *class, const LpOp *op, guint64 step)
{
    const LpCommunicator *communicator = class->communicator;
    LpRoundPlan plan;
    lp_round_plan_init(&plan, self->input->model->map, op, communicator,
                       self->input->model->fidelity);
    self->n_steps = MAX(self->n_steps, plan.n_rounds);
    g_autofree LpTransfer *transfers = g_new(LpTransfer, lp_round_plan_transfers_max(&plan));
    g_autoptr(GArray) senders = step < plan.n_rounds ? senders_of(self, class) : NULL;
    for (guint i = 0; senders != NULL && i < senders->len; i++) {
        guint32 member = g_array_index(senders, guint32, i), rank = communicator->ranks[member];
        guint64 n = lp_round_plan_transfers(&plan, member, step, transfers);
        const GArray *peers = lp_collective_peers_get(plan.map->peers, communicator->group, rank);
        for (guint64 k = 0; k < n; k++) {
            guint peer = lp_collective_peers_index(peers, transfers[k].connection);
            add_flow(self, lp_quotient_peer_route(self->quotient, communicator->group, rank, peer),
                     transfers[k].bytes, communicator);
        }
    }
    lp_round_plan_clear(&plan);
}

static gboolean
is_scheduled(const Check *self, const LpCommunicatorClass *class, const LpOp *op)
{
    return lp_rank_layout_selection(self->input->model->map->layout, op, class->communicator)
        .is_scheduled;
}

/* Rings of neighbours, and all-to-alls along the rails: all of them at once. */
static void
add_neighbours(Check *self, const LpCommunicatorClass *class)
{
    const LpCommunicator *communicator = class->communicator;
    LpConnectionKind kind = communicator->exchanges
                                ? lp_connection_inter_domain(communicator->group)
                                : (LpConnectionKind)communicator->group;
    for (guint32 i = 0; i < communicator->n_members; i++) {
        const LpRoute *route = lp_quotient_route(self->quotient, kind, communicator->ranks[i]);
        if (route != NULL)
            add_flow(self, route, 1, communicator);
    }
}

static void
add_collective(Check *self, const LpCommunicatorClass *class, const LpOp *op, guint64 step)
{
    if (class->has_flows && is_scheduled(self, class, op))
        add_step(self, class, op, step);
    else if (class->has_flows && step == 0)
        add_neighbours(self, class);
}

/* Rates of what has been added, which then is gone. */
static void
share_out(Check *self)
{
    (void)lp_shared_flows_share_out(self->shared, 0.0);
    for (guint i = 0; i < self->flows->len; i++)
        lp_shared_flows_leave(self->shared, self->flows->pdata[i], 0.0);
    (void)lp_shared_flows_share_out(self->shared, 0.0);
    g_ptr_array_set_size(self->flows, 0);
    g_hash_table_remove_all(self->known);
}

/* Communicators of a class by themselves, and all of a group, in the same step of one collective:
 * stages do not begin together. */
static void
check_step(Check *self, LpGroup group, guint32 n_classes, const LpOp *op, guint64 step)
{
    for (guint32 i = 0; i < MIN(n_classes, CLASSES_MAX); i++) {
        add_collective(self, lp_quotient_communicator(self->quotient, group, i), op, step);
        share_out(self);
    }
    for (guint32 i = 0; n_classes > 1 && i < n_classes; i++)
        add_collective(self, lp_quotient_communicator(self->quotient, group, i), op, step);
    share_out(self);
}

static guint32
count_classes(const Check *self, LpGroup group)
{
    const guint32 *of_group = lp_quotient_ranks(self->quotient)->of_group[group];
    guint32 n = 0;
    for (guint k = 0; k < lp_communicators_n(self->input->model->map->communicators, group); k++)
        n = MAX(n, of_group[k] + 1);
    return n;
}

static void
check_group(Check *self, LpGroup group)
{
    g_autoptr(GArray) ops = lp_program_collectives(self->input->model->map->program, group);
    guint32 n_classes = count_classes(self, group);
    gboolean known[LP_N_COLLECTIVES] = {FALSE};
    for (guint i = 0; i < ops->len; i++) {
        LpCollective collective = g_array_index(ops, LpOp, i).collective;
        self->n_steps = known[collective] ? 0 : 1; /* others of its kind go the same ways */
        known[collective] = TRUE;
        for (guint64 step = 0; step < MIN(self->n_steps, STEPS_MAX); step++)
            if (!lp_equivalence_check_has_failed(self->check))
                check_step(self, group, n_classes, &g_array_index(ops, LpOp, i), step);
    }
}

/* What all ranks send to other stages over @line. */
static void
check_messages(Check *self, LpPipelineDirection line)
{
    const LpRankEquivalence *ranks = lp_quotient_ranks(self->quotient);
    LpConnectionKind kind = (LpConnectionKind)(LP_CONNECTION_MESSAGES + line);
    for (guint32 i = 0; i < ranks->n_classes; i++) {
        const LpRoute *route = lp_quotient_route(self->quotient, kind, ranks->first[i]);
        if (route != NULL)
            add_flow(self, route, 1, NULL);
    }
    share_out(self);
}

gboolean
lp_assumed_check_steps(const LpAssumedInput *input, const LpQuotient *quotient)
{
    if (lp_quotient_links(quotient) == NULL || lp_quotient_links(quotient)->ways == NULL)
        return TRUE;
    g_autoptr(LpEquivalenceCheck) check =
        lp_equivalence_check_new(lp_quotient_links(quotient)->ways, TRUE);
    g_autoptr(LpSharedFlows) shared = lp_shared_flows_new_of_classes(quotient, NULL, check);
    Check self = {.input = input,
                  .quotient = quotient,
                  .shared = shared,
                  .check = check,
                  .known = g_hash_table_new(NULL, NULL),
                  .flows = g_ptr_array_new_with_free_func(g_free)};
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        if (lp_quotient_ranks(quotient)->of_group[group] != NULL)
            check_group(&self, group);
    for (LpPipelineDirection line = 0; line < lp_program_n_lines(input->model->map->program);
         line++)
        check_messages(&self, line);
    g_hash_table_unref(self.known);
    g_ptr_array_unref(self.flows);
    return !lp_equivalence_check_has_failed(check);
}
