/* SPDX-License-Identifier: Apache-2.0 */
/* Which layers a rank holds: slices of the model, dealt to the stages' chunks. */
#include "model/plan/plan_layers.h"

guint32
lp_plan_n_chunks(const LpPlan *self)
{
    return self->pipeline.schedule == LP_SCHEDULE_DUALPIPE ? 2 : self->pipeline.virtual_stages;
}

guint32
lp_plan_n_slices(const LpPlan *self)
{
    return self->degree[LP_AXIS_PP] * self->pipeline.virtual_stages;
}

guint32
lp_plan_slice(const LpPlan *self, guint32 stage, guint32 chunk)
{
    guint32 pp = self->degree[LP_AXIS_PP];
    if (self->pipeline.schedule == LP_SCHEDULE_DUALPIPE)
        return chunk == 0 ? stage : pp - 1 - stage;
    return chunk * pp + stage;
}

static gboolean
is_listed(const LpPlan *self)
{
    return self->pipeline.stages != LP_STAGES_EVEN &&
           self->pipeline.n_listed == lp_plan_n_slices(self);
}

/* Even shares of @n_layers over @n slices; what is left over goes to the slices after the first. */
static guint32
even_share(guint32 n_layers, guint32 n, guint32 slice)
{
    gboolean grows = slice >= 1 && slice <= n_layers % n;
    return n_layers / n + (grows ? 1 : 0);
}

guint32
lp_plan_slice_layers(const LpPlan *self, const LpTransformer *transformer, guint32 slice)
{
    if (is_listed(self))
        return self->pipeline.listed_layers[slice];
    return even_share(lp_transformer_n_layers(transformer), lp_plan_n_slices(self), slice);
}

guint32
lp_plan_slice_first_layer(const LpPlan *self, const LpTransformer *transformer, guint32 slice)
{
    guint32 n = lp_plan_n_slices(self), layers = lp_transformer_n_layers(transformer);
    if (!is_listed(self))
        return slice * (layers / n) + MIN(slice > 0 ? slice - 1 : 0, layers % n);
    guint32 first = 0;
    for (guint32 i = 0; i < slice; i++)
        first += self->pipeline.listed_layers[i];
    return first;
}

guint32
lp_plan_chunk_layers(const LpPlan *self, const LpTransformer *transformer, guint32 stage,
                     guint32 chunk)
{
    return lp_plan_slice_layers(self, transformer, lp_plan_slice(self, stage, chunk));
}

guint32
lp_plan_stage_layers(const LpPlan *self, const LpTransformer *transformer, guint32 stage)
{
    guint32 layers = 0;
    for (guint32 chunk = 0; chunk < lp_plan_n_chunks(self); chunk++)
        layers += lp_plan_chunk_layers(self, transformer, stage, chunk);
    return layers;
}

gboolean
lp_plan_holds_embedding(const LpPlan *self, guint32 stage, guint32 chunk)
{
    return lp_plan_slice(self, stage, chunk) == 0;
}

gboolean
lp_plan_holds_head(const LpPlan *self, guint32 stage, guint32 chunk)
{
    return lp_plan_slice(self, stage, chunk) == lp_plan_n_slices(self) - 1;
}

/* Fills the list so that no slice is above @limit; the last takes what is left. Returns: whether
 * that stays within the limit too. @costs: by layer. */
static gboolean
deal(LpPlan *self, const double *costs, guint32 n_layers, double first, double last, double limit)
{
    guint32 n = self->pipeline.n_listed, layer = 0;
    for (guint32 slice = 0; slice < n; slice++) {
        double cost = (slice == 0 ? first : 0.0) + (slice == n - 1 ? last : 0.0);
        guint32 left_for_others = n - 1 - slice, count = 0;
        while (layer + left_for_others < n_layers &&
               (count == 0 || slice == n - 1 || cost + costs[layer] <= limit)) {
            cost += costs[layer++];
            count++;
        }
        self->pipeline.listed_layers[slice] = count;
        if (cost > limit)
            return FALSE;
    }
    return TRUE;
}

static void
balance(LpPlan *self, const LpTransformer *transformer, guint32 n_layers)
{
    double *costs = g_new0(double, n_layers);
    double first = lp_transformer_embedding_forward_flop(transformer, 1.0);
    double last = lp_transformer_logits_forward_flop(transformer, 1.0);
    double high = first + last;
    for (guint32 i = 0; i < n_layers; i++) {
        costs[i] = lp_transformer_layer_forward_flop(transformer, i, 1.0);
        high += costs[i];
    }
    /* Bisection down to a relative 2^-50: far below one layer. */
    double low = 0.0;
    for (guint step = 0; step < 50; step++) {
        double middle = 0.5 * (low + high);
        if (deal(self, costs, n_layers, first, last, middle))
            high = middle;
        else
            low = middle;
    }
    (void)deal(self, costs, n_layers, first, last, high);
    g_free(costs);
}

/* Weights that a token meets in layer @index: attention's with heads of keys and values for all of
 * the queries', a mixer's as its list says, and three matrices of the network or of each expert. */
static double
met_weights(const LpTransformer *transformer, guint32 index)
{
    const LpTransformerExperts *experts = &transformer->experts;
    LpLayer layer = lp_transformer_layer(transformer, index);
    double hidden = transformer->hidden, weights = 0.0, width = transformer->ffn;
    if (layer.has_mixer && layer.mixer == 0)
        weights = 4.0 * transformer->n_heads * lp_transformer_head_width(transformer) * hidden;
    else if (layer.has_mixer)
        weights = transformer->mixers[layer.mixer - 1].parameters;
    if (layer.has_experts)
        width =
            ((double)experts->top_k + experts->n_shared) * lp_transformer_expert_ffn(transformer);
    return weights + (layer.has_network ? 3.0 * width * hidden : 0.0);
}

static void
deal_by_weight(LpPlan *self, const LpTransformer *transformer, guint32 n_layers)
{
    guint32 n = self->pipeline.n_listed, slice = 0, count = 0;
    double sum = (double)transformer->vocab * transformer->hidden, met = 0.0;
    for (guint32 i = 0; i < n_layers; i++)
        sum += met_weights(transformer, i);
    for (guint32 i = 0; i < n; i++)
        self->pipeline.listed_layers[i] = 0;
    for (guint32 i = 0; i < n_layers; i++) {
        met += met_weights(transformer, i);
        self->pipeline.listed_layers[slice] = ++count;
        if (met >= sum / n * (slice + 1.0) && slice + 1 < n) {
            slice++;
            count = 0;
        }
    }
}

static void
deal_with_ends(LpPlan *self, guint32 n_layers)
{
    guint32 n = self->pipeline.n_listed;
    for (guint32 slice = 0; slice < n; slice++)
        self->pipeline.listed_layers[slice] =
            even_share(n_layers + 2, n, slice) - (slice == 0 ? 1 : 0) - (slice == n - 1 ? 1 : 0);
}

static void
deal_from_front(LpPlan *self, const LpTransformer *transformer, guint32 n_layers)
{
    guint32 n = self->pipeline.n_listed, left = n_layers - transformer->n_mtp;
    guint32 share = (left + n - 1) / n;
    for (guint32 slice = 0; slice < n; slice++) {
        self->pipeline.listed_layers[slice] = MIN(share, left);
        left -= self->pipeline.listed_layers[slice];
    }
    self->pipeline.listed_layers[n - 1] += transformer->n_mtp;
}

/* The number of layers that are dealt to slices, with other parts that count as one. */
static guint32
n_dealt(const LpPlan *self, const LpTransformer *transformer)
{
    return lp_transformer_n_layers(transformer) +
           (self->pipeline.stages == LP_STAGES_WITH_ENDS ? 2 : 0);
}

void
lp_plan_refine_stages(LpPlan *self, const LpTransformer *transformer)
{
    guint32 pp = self->degree[LP_AXIS_PP];
    LpPipelineSchedule schedule = self->pipeline.schedule;
    if (!self->pipeline.is_finest)
        return;
    gboolean interleaves = schedule == LP_SCHEDULE_1F1B || schedule == LP_SCHEDULE_INTERLEAVED;
    guint64 share = (guint64)self->batch.micro * self->degree[LP_AXIS_DP];
    gboolean divides = share > 0 && self->batch.global / share % pp == 0;
    guint32 most = pp > 1 && interleaves && divides ? n_dealt(self, transformer) / pp : 1;
    self->pipeline.virtual_stages = MAX(most, 1);
}

void
lp_plan_deal_layers(LpPlan *self, const LpTransformer *transformer)
{
    LpStages rule = self->pipeline.stages;
    guint32 n_layers = lp_transformer_n_layers(transformer);
    guint64 n_slices = (guint64)self->degree[LP_AXIS_PP] * self->pipeline.virtual_stages;
    if (rule == LP_STAGES_EVEN || rule == LP_STAGES_LIST)
        return;
    gboolean may_be_empty = rule == LP_STAGES_BY_WEIGHT || rule == LP_STAGES_FRONT;
    gboolean is_short = !may_be_empty && n_slices > n_dealt(self, transformer);
    if (n_slices == 0 || n_slices > LP_STAGE_LIST_MAX || is_short)
        return;
    self->pipeline.n_listed = lp_plan_n_slices(self);
    if (rule == LP_STAGES_BY_WEIGHT)
        deal_by_weight(self, transformer, n_layers);
    else if (rule == LP_STAGES_WITH_ENDS)
        deal_with_ends(self, n_layers);
    else if (rule == LP_STAGES_FRONT)
        deal_from_front(self, transformer, n_layers);
    else
        balance(self, transformer, n_layers);
}
