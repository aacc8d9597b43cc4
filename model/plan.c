/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of a plan, and the arithmetic of ranks, layer placement, parameters and operations. */
#include "model/plan.h"

#include <math.h>

#define RANKS_MAX (1u << 24)
#define SEQUENCES_MAX (1u << 24)

const char *const lp_schedule_names[] = {"gpipe", "1f1b", "interleaved", NULL};
const char *const lp_recompute_names[] = {"none", "selective", "full", NULL};
const char *const lp_precision_names[] = {"fp32", "tf32", "fp16", "bf16", "fp8", NULL};
const char *const lp_axis_names[] = {"tp", "cp", "ep", "dp", "pp", NULL};
const char *const lp_traffic_names[] = {"tp", "pp", "dp", "ep", "cp", "embedding", NULL};

G_STATIC_ASSERT(G_N_ELEMENTS(lp_precision_names) == LP_N_PRECISIONS + 1);
G_STATIC_ASSERT(G_N_ELEMENTS(lp_axis_names) == LP_N_AXES + 1);
G_STATIC_ASSERT(G_N_ELEMENTS(lp_traffic_names) == LP_N_TRAFFIC + 1);

/* --- checks --- */

static gboolean refuse(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

static gboolean
refuse(GError **error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_propagate_error(error,
                      g_error_new_valist(LP_MODEL_ERROR, LP_MODEL_ERROR_PLAN, format, arguments));
    va_end(arguments);
    return FALSE;
}

static gboolean
check_range(const char *attribute, guint32 count, guint32 most, GError **error)
{
    if (count >= 1 && count <= most)
        return TRUE;
    return refuse(error, "%s: got %u, wanted 1 to %u", attribute, count, most);
}

static gboolean
check_degrees(const LpPlan *self, GError **error)
{
    guint64 n_ranks = 1;
    for (guint axis = 0; axis < LP_N_AXES; axis++) {
        if (!check_range(lp_axis_names[axis], self->degree[axis], RANKS_MAX, error))
            return FALSE;
        n_ranks *= self->degree[axis]; /* both below 2^25: no overflow */
        if (n_ranks > RANKS_MAX)
            return refuse(error,
                          "%s: got %u, wanted at most %u ranks in the product of all degrees",
                          lp_axis_names[axis], self->degree[axis], RANKS_MAX);
    }
    static const LpAxis later[] = {LP_AXIS_CP, LP_AXIS_EP};
    for (guint i = 0; i < G_N_ELEMENTS(later); i++)
        if (self->degree[later[i]] != 1)
            return refuse(error, "%s: got %u, wanted 1: more is not available yet",
                          lp_axis_names[later[i]], self->degree[later[i]]);
    return TRUE;
}

static gboolean
check_order(const LpPlan *self, GError **error)
{
    guint seen = 0;
    for (guint i = 0; i < LP_N_AXES; i++) {
        if ((guint)self->order[i] >= LP_N_AXES)
            return refuse(error, "rank-order: got no axis in place %u, wanted each axis once", i);
        if (seen & (1u << self->order[i]))
            return refuse(error, "rank-order: got %s twice, wanted each axis once",
                          lp_axis_names[self->order[i]]);
        seen |= 1u << self->order[i];
    }
    return TRUE;
}

static gboolean
check_tp_divides(guint32 tp, const char *what, guint32 total, GError **error)
{
    if (total % tp == 0)
        return TRUE;
    return refuse(error, "tp: got %u, wanted a divisor of %s (%u)", tp, what, total);
}

static gboolean
check_tensor_parallel(const LpPlan *self, const LpTransformer *transformer, GError **error)
{
    guint32 tp = self->degree[LP_AXIS_TP];
    guint32 kv = transformer->n_kv_heads;
    if (!check_tp_divides(tp, "heads", transformer->n_heads, error) ||
        !check_tp_divides(tp, "ffn", transformer->ffn, error))
        return FALSE;
    if (kv % tp != 0 && tp % kv != 0)
        return refuse(error, "tp: got %u, wanted a divisor or a multiple of kv-heads (%u)", tp, kv);
    if (self->sequence_parallel && !check_tp_divides(tp, "seq", transformer->seq, error))
        return FALSE;
    if (transformer->embedding && transformer->vocab % tp != 0)
        return refuse(error,
                      "tp: got %u, wanted a divisor of vocab (%u): pad vocab to %" G_GUINT64_FORMAT,
                      tp, transformer->vocab, ((guint64)transformer->vocab / tp + 1) * tp);
    if (self->scatter_gather && self->sequence_parallel)
        return refuse(error, "scatter-gather: got yes, wanted no with sequence-parallel, whose "
                             "activations are scattered already");
    return TRUE;
}

static gboolean
check_batches(const LpPlan *self, GError **error)
{
    if (!check_range("micro-batch", self->micro_batch, SEQUENCES_MAX, error) ||
        !check_range("global-batch", self->global_batch, SEQUENCES_MAX, error))
        return FALSE;
    guint64 sequences = (guint64)self->micro_batch * self->degree[LP_AXIS_DP];
    if (self->global_batch % sequences == 0)
        return TRUE;
    return refuse(error, "global-batch: got %u, wanted a multiple of dp * micro-batch (%u * %u)",
                  self->global_batch, self->degree[LP_AXIS_DP], self->micro_batch);
}

static gboolean
check_virtual_stages(const LpPlan *self, GError **error)
{
    guint32 pp = self->degree[LP_AXIS_PP];
    guint32 v = self->virtual_stages;
    if (self->schedule == LP_SCHEDULE_INTERLEAVED && v == 1)
        return refuse(error, "schedule: got interleaved, wanted virtual-stages above 1 with it");
    if (v == 1)
        return TRUE;
    if (pp == 1)
        return refuse(error, "virtual-stages: got %u, wanted 1 where pp is 1", v);
    if (self->schedule == LP_SCHEDULE_GPIPE)
        return refuse(error, "virtual-stages: got %u, wanted 1 with schedule gpipe", v);
    guint32 m = lp_plan_n_micro_batches(self);
    if (m % pp != 0)
        return refuse(error,
                      "global-batch: got %u, wanted micro-batches (%u) in a multiple of pp (%u) "
                      "where virtual-stages is above 1",
                      self->global_batch, m, pp);
    return TRUE;
}

static gboolean
check_pipeline(const LpPlan *self, const LpTransformer *transformer, GError **error)
{
    guint32 pp = self->degree[LP_AXIS_PP];
    guint32 layers = transformer->n_layers;
    if (pp > layers)
        return refuse(error, "pp: got %u, wanted at most one stage a layer (%u)", pp, layers);
    if (!check_range("virtual-stages", self->virtual_stages, layers / pp, error))
        return FALSE;
    return check_virtual_stages(self, error);
}

static gboolean
check_options(const LpPlan *self, GError **error)
{
    if (self->gradient_bytes != 2 && self->gradient_bytes != 4)
        return refuse(error, "gradient-precision: got %u bytes, wanted 2 or 4 bytes",
                      self->gradient_bytes);
    if (!isfinite(self->bucket_bytes) || self->bucket_bytes < 0.0)
        return refuse(error, "bucket: got %g, wanted a finite size of at least 0",
                      self->bucket_bytes);
    if (!(self->overlap_fraction >= 0.0 && self->overlap_fraction <= 1.0))
        return refuse(error, "overlap-fraction: got %g, wanted 0 to 1", self->overlap_fraction);
    return TRUE;
}

gboolean
lp_plan_check(const LpPlan *self, const LpTransformer *transformer, GError **error)
{
    return check_degrees(self, error) && check_order(self, error) && check_options(self, error) &&
           check_tensor_parallel(self, transformer, error) && check_batches(self, error) &&
           check_pipeline(self, transformer, error);
}

/* --- ranks --- */

guint64
lp_plan_n_ranks(const LpPlan *self)
{
    guint64 n_ranks = 1;
    for (guint axis = 0; axis < LP_N_AXES; axis++)
        n_ranks *= self->degree[axis];
    return n_ranks;
}

guint32
lp_plan_n_micro_batches(const LpPlan *self)
{
    return (guint32)(self->global_batch / ((guint64)self->micro_batch * self->degree[LP_AXIS_DP]));
}

guint64
lp_plan_rank(const LpPlan *self, const LpCoordinates *coordinates)
{
    guint64 rank = 0;
    guint64 stride = 1;
    for (guint i = 0; i < LP_N_AXES; i++) {
        rank += coordinates->at[self->order[i]] * stride;
        stride *= self->degree[self->order[i]];
    }
    return rank;
}

LpCoordinates
lp_plan_coordinates(const LpPlan *self, guint64 rank)
{
    LpCoordinates coordinates = {{0}};
    for (guint i = 0; i < LP_N_AXES; i++) {
        guint32 degree = self->degree[self->order[i]];
        coordinates.at[self->order[i]] = (guint32)(rank % degree);
        rank /= degree;
    }
    return coordinates;
}

guint64
lp_plan_stride(const LpPlan *self, LpAxis axis)
{
    guint64 stride = 1;
    for (guint i = 0; self->order[i] != axis; i++)
        stride *= self->degree[self->order[i]];
    return stride;
}

/* --- what a stage holds --- */

guint32
lp_plan_chunk_layers(const LpPlan *self, const LpTransformer *transformer, guint32 stage,
                     guint32 chunk)
{
    guint32 n_chunks = self->degree[LP_AXIS_PP] * self->virtual_stages;
    guint32 index = chunk * self->degree[LP_AXIS_PP] + stage;
    guint32 extra = transformer->n_layers % n_chunks;
    gboolean grows = index >= 1 && index <= extra;
    return transformer->n_layers / n_chunks + (grows ? 1 : 0);
}

guint32
lp_plan_stage_layers(const LpPlan *self, const LpTransformer *transformer, guint32 stage)
{
    guint32 layers = 0;
    for (guint32 chunk = 0; chunk < self->virtual_stages; chunk++)
        layers += lp_plan_chunk_layers(self, transformer, stage, chunk);
    return layers;
}

guint32
lp_plan_activation_bytes(const LpPlan *self)
{
    return self->precision == LP_PRECISION_FP32 || self->precision == LP_PRECISION_TF32 ? 4 : 2;
}

double
lp_plan_stage_parameters(const LpPlan *self, const LpTransformer *transformer, guint32 stage)
{
    guint32 pp = self->degree[LP_AXIS_PP];
    double parameters = lp_plan_stage_layers(self, transformer, stage) *
                        lp_transformer_layer_parameters(transformer);
    if (stage == 0)
        parameters += lp_transformer_embedding_parameters(transformer);
    if (stage == pp - 1)
        parameters += lp_transformer_head_parameters(transformer);
    gboolean copy = transformer->embedding && transformer->tied_embeddings && pp > 1;
    if (stage == pp - 1 && copy)
        parameters += (double)transformer->vocab * transformer->hidden;
    return parameters / self->degree[LP_AXIS_TP];
}

/* --- operations --- */

/* Backward takes two products for each of the forward pass: one for either operand's gradient. */
#define PASSES_OF_TRAINING 3.0

double
lp_plan_model_flop(const LpPlan *self, const LpTransformer *transformer)
{
    double sequences = self->global_batch;
    double layers =
        transformer->n_layers * lp_transformer_layer_forward_flop(transformer, sequences);
    return PASSES_OF_TRAINING *
           (layers + lp_transformer_logits_forward_flop(transformer, sequences));
}

/* FLOP that recomputation adds to one layer over the global batch. */
static double
layer_recompute_flop(const LpPlan *self, const LpTransformer *transformer)
{
    if (self->recompute == LP_RECOMPUTE_FULL)
        return lp_transformer_layer_forward_flop(transformer, self->global_batch);
    /* Flash attention keeps no scores, so there are none to recompute selectively. */
    if (self->recompute == LP_RECOMPUTE_SELECTIVE && transformer->attention == LP_ATTENTION_UNFUSED)
        return lp_transformer_scores_forward_flop(transformer, self->global_batch);
    return 0.0;
}

double
lp_plan_hardware_flop(const LpPlan *self, const LpTransformer *transformer)
{
    return lp_plan_model_flop(self, transformer) +
           transformer->n_layers * layer_recompute_flop(self, transformer);
}
