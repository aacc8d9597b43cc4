/* SPDX-License-Identifier: Apache-2.0 */
/* Draws of experts' loads, or rows of a table of them. */
#include "model/plan/plan_routing.h"

#include "model/plan/plan.h"

#include <math.h>

/* Box and Muller, Annals of Mathematical Statistics 29, 1958. */
static double
draw_normal(GRand *generator)
{
    double radius = sqrt(-2.0 * log(1.0 - g_rand_double(generator)));
    return radius * cos(2.0 * G_PI * g_rand_double(generator));
}

/* Buffers that are padded and cut to one size are all alike, whatever tokens come. */
gboolean
lp_plan_has_expert_loads(const LpPlan *self, const LpTransformer *transformer)
{
    return transformer->experts.n > 0 && transformer->experts.capacity_factor <= 0.0 &&
           (self->experts.skew > 0.0 || self->experts.table != NULL);
}

/* Layers with experts before layer @index. */
static guint32
n_expert_layers_before(const LpTransformer *transformer, guint32 index)
{
    guint32 n = 0;
    for (guint32 i = 0; i < index; i++)
        n += lp_transformer_layer(transformer, i).has_experts ? 1 : 0;
    return n;
}

static guint32
n_drawn_layers(const LpPlan *self, const LpTransformer *transformer)
{
    if (self->experts.draws == LP_ROUTING_ITERATION)
        return 1;
    return n_expert_layers_before(transformer, lp_transformer_n_layers(transformer));
}

static guint32
n_drawn_micro_batches(const LpPlan *self)
{
    return self->experts.draws == LP_ROUTING_MICRO_BATCH ? lp_plan_n_micro_batches(self) : 1;
}

guint64
lp_plan_n_expert_draws(const LpPlan *self, const LpTransformer *transformer)
{
    if (!lp_plan_has_expert_loads(self, transformer))
        return 1;
    return (guint64)n_drawn_layers(self, transformer) * n_drawn_micro_batches(self);
}

guint32
lp_plan_expert_draw(const LpPlan *self, const LpTransformer *transformer, guint32 layer,
                    guint32 micro_batch)
{
    if (!lp_plan_has_expert_loads(self, transformer) || self->experts.draws == LP_ROUTING_ITERATION)
        return 0;
    guint32 before = n_expert_layers_before(transformer, layer);
    return self->experts.draws == LP_ROUTING_LAYER
               ? before
               : before * n_drawn_micro_batches(self) + micro_batch;
}

/* Sums the loads of a rank's experts in @draw of the table. */
static void
sum_measured(const LpPlan *self, guint64 draw, guint32 own, double *out_loads)
{
    const LpRoutingTable *table = self->experts.table;
    guint64 n_micro_batches = n_drawn_micro_batches(self);
    guint64 layer = draw / n_micro_batches % table->n_layers;
    guint64 micro_batch = draw % n_micro_batches % table->n_micro_batches;
    const double *loads =
        &table->loads[(layer * table->n_micro_batches + micro_batch) * table->n_experts];
    for (guint32 i = 0; i < self->degree[LP_AXIS_EP]; i++) {
        out_loads[i] = 0.0;
        for (guint32 expert = 0; expert < own; expert++)
            out_loads[i] += loads[i * own + expert];
    }
}

static void
sum_drawn(const LpPlan *self, GRand *generator, guint32 own, double *out_loads)
{
    for (guint32 i = 0; i < self->degree[LP_AXIS_EP]; i++) {
        out_loads[i] = 0.0;
        for (guint32 expert = 0; expert < own; expert++)
            out_loads[i] += exp(self->experts.skew * draw_normal(generator));
    }
}

static void
divide_by_mean(double *loads, guint32 n)
{
    double sum = 0.0;
    for (guint32 i = 0; i < n; i++)
        sum += loads[i];
    for (guint32 i = 0; i < n; i++)
        loads[i] *= n / sum;
}

void
lp_plan_expert_loads(const LpPlan *self, const LpTransformer *transformer, double *out_loads)
{
    guint32 ep = self->degree[LP_AXIS_EP];
    guint32 own = MAX(transformer->experts.n, ep) / ep;
    guint64 n_draws = lp_plan_n_expert_draws(self, transformer);
    GRand *generator = g_rand_new_with_seed(self->experts.seed);
    for (guint64 draw = 0; draw < n_draws; draw++) {
        double *loads = &out_loads[draw * ep];
        if (self->experts.table != NULL)
            sum_measured(self, draw, own, loads);
        else
            sum_drawn(self, generator, own, loads);
        divide_by_mean(loads, ep);
    }
    g_rand_free(generator);
}
