/* SPDX-License-Identifier: Apache-2.0 */
/* All-gathers in the order of a pass, some of them ahead. */
#include "workloads/program/parameter_prefetch.h"

#include "workloads/program/parameter_gather.h"
#include "workloads/program/parameter_use.h"

static const LpParameterUse *
use_at(const LpParameterPrefetch *self, guint index)
{
    return &g_array_index(self->uses, LpParameterUse, index);
}

/* Parameters that the pass before has left here. */
static double
parameters_left(const LpParameterPrefetch *self)
{
    double sum = 0.0;
    for (guint i = 0; i < self->uses->len; i++) {
        const LpParameterUse *use = use_at(self, i);
        gboolean known = FALSE;
        for (guint k = 0; k < i && !known; k++)
            known = use_at(self, k)->unit == use->unit && use_at(self, k)->tensor == use->tensor;
        sum += known || use->gathers ? 0.0 : lp_parameter_use_size(use);
    }
    return sum;
}

LpParameterPrefetch *
lp_parameter_prefetch_new(LpLowering *lowering, GArray *units, gboolean backwards, gboolean gathers)
{
    LpParameterPrefetch *self = g_new(LpParameterPrefetch, 1);
    *self = (LpParameterPrefetch){
        .lowering = lowering, .units = units, .backwards = backwards, .gathers = gathers};
    guint n = units->len;
    if (gathers && lp_plan_gathers_tensors(lowering->plan)) {
        self->uses = lp_parameter_uses_new(lowering->transformer, lowering->plan, units, backwards);
        self->live = parameters_left(self);
        n = self->uses->len;
    }
    self->numbers = g_new(guint, n + 1);
    for (guint i = 0; i <= n; i++)
        self->numbers[i] = G_MAXUINT;
    return self;
}

/* Waits for launch @number, among those of this segment and, started, of the one before. */
static void
join(LpParameterPrefetch *self, guint number)
{
    LpBuilder *builder = &self->lowering->builder;
    if (number != G_MAXUINT)
        lp_builder_add_join_pending(builder, LP_STREAM_DP,
                                    self->n_before + builder->n_launched[LP_STREAM_DP] - number - 1,
                                    LP_TERM_DP);
}

/* Returns: the launch's number, for join(). */
static guint
launch(LpParameterPrefetch *self, LpParameters bytes)
{
    guint number = lp_parameter_gather_launch(self->lowering, bytes);
    return number == G_MAXUINT ? number : self->n_before + number;
}

/* --- unit by unit --- */

/* Up to those of the units that the plan fetches ahead of the one at @position. */
static void
launch_units(LpParameterPrefetch *self, guint position)
{
    const LpPlan *plan = self->lowering->plan;
    guint wanted = (guint)MIN((guint64)position + plan->zero.prefetch + 1, self->units->len);
    for (; self->n_ahead < wanted; self->n_ahead++) {
        const LpUnit *unit = lp_units_get(self->units, self->n_ahead, self->backwards);
        self->numbers[self->n_ahead] = launch(self, lp_unit_gathered_bytes(unit, plan));
    }
}

static void
add_unit(LpParameterPrefetch *self, guint position)
{
    const LpPlan *plan = self->lowering->plan;
    if (!plan->overlap.param) {
        const LpUnit *unit = lp_units_get(self->units, position, self->backwards);
        lp_parameter_gather_add(self->lowering, lp_unit_gathered_bytes(unit, plan));
        return;
    }
    launch_units(self, position);
    join(self, self->numbers[position]);
}

/* --- tensor by tensor --- */

static double
list_members(const LpParameterPrefetch *self)
{
    const LpLowering *lowering = self->lowering;
    return (double)lp_group_size(lowering->transformer, lowering->plan, LP_GROUP_DP);
}

static LpParameters
use_bytes(const LpParameterPrefetch *self, guint index)
{
    const LpParameterUse *use = use_at(self, index);
    LpUnit part = *lp_units_get(self->units, use->unit, FALSE);
    part.parameters = use->parameters;
    part.trained = lp_plan_freezes(self->lowering->plan) ? (LpParameters){0.0, 0.0} : part.trained;
    return lp_unit_gathered_bytes(&part, self->lowering->plan);
}

/* Whether the use at @index has to wait for what is gathered into a list, and copied out of it. */
static gboolean
takes_list(const LpParameterPrefetch *self, guint index)
{
    return self->lowering->plan->traits[LP_TRAIT_GATHER_LISTS] && use_at(self, index)->gathers &&
           list_members(self) > 1.0;
}

static void
clear_list(LpParameterPrefetch *self, guint index)
{
    LpLowering *lowering = self->lowering;
    if (takes_list(self, index))
        lp_builder_add_compute(&lowering->builder, LP_TERM_COMPUTE,
                               lp_list_views_work(&lowering->list_costs, list_members(self),
                                                  use_bytes(self, index).dense));
}

static void
copy_list(LpParameterPrefetch *self, guint index)
{
    LpLowering *lowering = self->lowering;
    if (takes_list(self, index))
        lp_builder_add_compute(&lowering->builder, LP_TERM_COMPUTE,
                               lp_list_copies_work(&lowering->list_costs, list_members(self),
                                                   use_bytes(self, index).dense));
}

/* Launches the gathers of uses from n_ahead on as one: up to @end, or until they have so many
 * parameters. */
static void
launch_uses(LpParameterPrefetch *self, guint end, double parameters)
{
    guint first = self->n_ahead;
    LpParameters bytes = {0.0, 0.0};
    double size = 0.0;
    clear_list(self, first);
    do {
        const LpParameterUse *use = use_at(self, self->n_ahead);
        LpParameters more = use_bytes(self, self->n_ahead++);
        size += use->gathers ? lp_parameter_use_size(use) : 0.0;
        bytes.dense += use->gathers ? more.dense : 0.0;
        bytes.experts += use->gathers ? more.experts : 0.0;
    } while (self->n_ahead < end && size < parameters);
    self->live += size;
    guint number = launch(self, bytes);
    for (guint i = first; i < self->n_ahead; i++)
        self->numbers[i] = use_at(self, i)->gathers ? number : G_MAXUINT;
}

/* Launches gathers ahead, as DeepSpeed does at each sub-module, of which there are more than those
 * with parameters. Where it gathers lists, at most one is in flight (prefetch_next_sub_modules() of
 * stage3.py, March 2021). */
static void
launch_ahead(LpParameterPrefetch *self)
{
    const LpPlanZero *zero = &self->lowering->plan->zero;
    guint first = self->n_ahead;
    while (self->n_ahead < self->uses->len && self->live < zero->live_parameters &&
           !(self->lowering->plan->traits[LP_TRAIT_GATHER_LISTS] != 0 && self->n_ahead > first &&
             use_at(self, self->n_ahead - 1)->gathers))
        launch_uses(self, self->uses->len,
                    MIN(zero->gather_bucket, zero->live_parameters - self->live));
}

static void
release(LpParameterPrefetch *self, guint end)
{
    for (; self->n_released < end; self->n_released++) {
        const LpParameterUse *use = use_at(self, self->n_released);
        self->live -= use->stays ? 0.0 : lp_parameter_use_size(use);
    }
}

static void
add_use(LpParameterPrefetch *self, guint index)
{
    clear_list(self, index);
    lp_parameter_gather_add(self->lowering, use_bytes(self, index));
    copy_list(self, index);
}

/* What uses up to @end take is there, and what those before the next one took is not. */
static void
take(LpParameterPrefetch *self, guint end)
{
    release(self, self->next);
    if (!self->lowering->plan->overlap.param) {
        for (; self->next < end; self->next++)
            if (use_at(self, self->next)->gathers)
                add_use(self, self->next);
        return;
    }
    while (self->n_ahead < end)
        launch_uses(self, end, 0.0);
    gboolean lists = self->lowering->plan->traits[LP_TRAIT_GATHER_LISTS] != 0;
    if (!lists)
        launch_ahead(self);
    guint number = G_MAXUINT;
    for (guint i = self->next; i < end; i++)
        if (self->numbers[i] != G_MAXUINT)
            number = self->numbers[i];
    join(self, number);
    for (; self->next < end; self->next++)
        copy_list(self, self->next);
    if (lists)
        launch_ahead(self);
}

/* For lp_lowering_need(). */
static void
need(gpointer data, LpBlock block, LpBlockPart part)
{
    LpParameterPrefetch *self = data;
    guint end = self->next;
    while (end < self->uses->len && use_at(self, end)->unit == self->unit &&
           use_at(self, end)->block == block &&
           (block == LP_N_BLOCKS || use_at(self, end)->part == part))
        end++;
    if (end > self->next)
        take(self, end);
}

/* --- both --- */

void
lp_parameter_prefetch_start(LpParameterPrefetch *self)
{
    if (!self->gathers || !self->lowering->plan->overlap.param)
        return;
    if (self->uses == NULL)
        launch_units(self, 0);
    else
        launch_ahead(self);
    self->n_before = self->lowering->builder.n_launched[LP_STREAM_DP];
}

void
lp_parameter_prefetch_add(LpParameterPrefetch *self, guint position)
{
    if (!self->gathers)
        return;
    if (self->uses == NULL) {
        add_unit(self, position);
        return;
    }
    self->unit = self->backwards ? self->units->len - 1 - position : position;
    self->lowering->need = need;
    self->lowering->need_data = self;
    need(self, LP_N_BLOCKS, 0);
}

void
lp_parameter_prefetch_free(LpParameterPrefetch *self)
{
    if (self == NULL)
        return;
    if (self->lowering->need_data == self) {
        self->lowering->need = NULL;
        self->lowering->need_data = NULL;
    }
    g_clear_pointer(&self->uses, g_array_unref);
    g_array_unref(self->units);
    g_free(self->numbers);
    g_free(self);
}
