/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes that follow from a plan: micro-batches, tokens, bytes of an element. */
#include "model/plan/plan.h"

#include "model/plan/precision.h"

#include <math.h>

guint32
lp_plan_n_micro_batches(const LpPlan *self)
{
    return (guint32)(self->batch.global / ((guint64)self->batch.micro * self->degree[LP_AXIS_DP]));
}

const char *
lp_plan_trait_word(const LpPlan *self, LpTrait trait)
{
    return lp_traits[trait].words[self->traits[trait]];
}

double
lp_plan_tokens(const LpPlan *self, guint32 seq)
{
    return (double)self->batch.micro * seq / self->degree[LP_AXIS_CP];
}

double
lp_plan_loss_words(const LpPlan *self, guint32 vocab)
{
    gboolean gathered = self->traits[LP_TRAIT_PARALLEL_LOSS] == LP_PARALLEL_LOSS_GATHERED;
    return gathered ? vocab : (double)vocab / self->degree[LP_AXIS_TP];
}

guint32
lp_plan_activation_bytes(const LpPlan *self)
{
    return (guint32)lp_precision_traits(lp_precision_wide(self->format.precision))->element_bytes;
}

guint32
lp_plan_wire_bytes(const LpPlan *self)
{
    return self->format.communication_bytes > 0 ? self->format.communication_bytes
                                                : lp_plan_activation_bytes(self);
}

/* PyTorch sums them in fp32, and sends them on behind each step, also behind the last, home; a
 * reduce-scatter has a step less (torch/distributed/tensor/experimental/_attention.py:
 * _templated_ring_attention_backward, with convert_to_f32). */
double
lp_plan_context_gradient_bytes(const LpPlan *self, double bytes)
{
    double cp = self->degree[LP_AXIS_CP];
    if (self->context_kind != LP_CONTEXT_GATHERED_RING || cp < 2.0)
        return bytes;
    return round(bytes * LP_FP32_BYTES / lp_plan_wire_bytes(self) * cp / (cp - 1.0));
}

double
lp_plan_operand_bytes(const LpPlan *self)
{
    return lp_precision_traits(self->format.precision)->scaled_bytes;
}

double
lp_plan_gathered_wire_bytes(const LpPlan *self)
{
    return self->format.communication_bytes > 0 ? self->format.communication_bytes
                                                : lp_plan_operand_bytes(self);
}

gboolean
lp_plan_overlaps_passes(const LpPlan *self)
{
    return self->pipeline.schedule == LP_SCHEDULE_DUALPIPE || self->overlap.ep;
}

double
lp_plan_dispatch_wire_bytes(const LpPlan *self)
{
    if (self->format.dispatch_bytes == 0)
        return lp_plan_wire_bytes(self);
    gboolean scaled =
        self->format.dispatch_bytes == 1 && lp_precision_is_narrow(self->format.precision);
    return scaled ? lp_plan_operand_bytes(self) : self->format.dispatch_bytes;
}

double
lp_plan_parameter_wire_bytes(const LpPlan *self)
{
    if (self->format.quantized_weights)
        return LP_QUANTIZED_BYTES;
    return self->format.narrow_parameters
               ? lp_precision_traits(self->format.precision)->weight_bytes
               : lp_plan_activation_bytes(self);
}

gboolean
lp_plan_shares_step(const LpPlan *self)
{
    return self->zero.stage == 1 || self->zero.stage == 2;
}

gboolean
lp_plan_all_reduces_gradients(const LpPlan *self)
{
    return self->zero.stage == 0 || self->zero.variant == LP_ZERO_DEEPSPEED;
}

gboolean
lp_plan_reduces_each(const LpPlan *self)
{
    return self->zero.gradient_sync == LP_GRADIENT_SYNC_EACH ||
           (self->zero.gradient_sync == LP_GRADIENT_SYNC_AUTO && self->zero.stage == 3);
}

gboolean
lp_plan_gathers_tensors(const LpPlan *self)
{
    return self->zero.stage == 3 && self->traits[LP_TRAIT_GATHER_UNIT] == LP_GATHER_UNIT_TENSOR;
}

gboolean
lp_plan_gathers_tensor_lists(const LpPlan *self)
{
    return lp_plan_gathers_tensors(self) && self->traits[LP_TRAIT_GATHER_LISTS];
}

static LpPlanInputs
inputs_of(const LpPlan *self, guint32 n_products)
{
    gboolean gathers = self->traits[LP_TRAIT_INPUT_COLLECTIVES] == LP_INPUT_COLLECTIVES_SEPARATE;
    gboolean sums =
        gathers || self->traits[LP_TRAIT_INPUT_COLLECTIVES] == LP_INPUT_COLLECTIVES_SUMS_SEPARATE;
    return (LpPlanInputs){.n_gathers = gathers ? n_products : 1, .n_sums = sums ? n_products : 1};
}

LpPlanInputs
lp_plan_attention_inputs(const LpPlan *self)
{
    return inputs_of(
        self, self->traits[LP_TRAIT_SEPARATE_PROJECTIONS] == LP_PROJECTIONS_SEPARATE ? 3 : 1);
}

gboolean
lp_plan_gathers_heads(const LpPlan *self, const LpTransformer *transformer)
{
    return self->traits[LP_TRAIT_KV_DIVISION] == LP_KV_DIVISION_GATHERED &&
           self->degree[LP_AXIS_TP] > transformer->n_kv_heads;
}

LpPlanLatentInputs
lp_plan_latent_inputs(const LpPlan *self, const LpTransformer *transformer)
{
    const LpTransformerLatent *latent = &transformer->latent;
    if (self->traits[LP_TRAIT_INPUT_COLLECTIVES] != LP_INPUT_COLLECTIVES_LATENT ||
        latent->kv_rank == 0)
        return (LpPlanLatentInputs){.n_gathers = 0};
    double products = (latent->query_rank > 0 ? latent->query_rank : transformer->hidden) +
                      (double)latent->kv_rank;
    double positions = self->sequence_parallel ? latent->rope_width : 0.0;
    return (LpPlanLatentInputs){.n_gathers = 3,
                                .n_sums = self->sequence_parallel ? 3 : 2,
                                .n_regathered = 2,
                                .gathered = products + latent->rope_width,
                                .summed = products + positions,
                                .regathered = products};
}

LpPlanInputs
lp_plan_ffn_inputs(const LpPlan *self, const LpTransformer *transformer)
{
    gboolean is_apart = transformer->ffn_kind == LP_FFN_SWIGLU &&
                        self->traits[LP_TRAIT_SEPARATE_PROJECTIONS] != LP_PROJECTIONS_JOINED;
    return inputs_of(self, is_apart ? 2 : 1);
}

gboolean
lp_plan_backward_follows_forward(const LpPlan *self)
{
    return self->degree[LP_AXIS_PP] == 1 &&
           (self->pipeline.schedule != LP_SCHEDULE_GPIPE || lp_plan_n_micro_batches(self) == 1);
}

gboolean
lp_plan_keeps_parameters_throughout(const LpPlan *self)
{
    return self->zero.keeps_parameters && self->degree[LP_AXIS_PP] > 1 &&
           !lp_plan_reduces_each(self);
}

double
lp_plan_cast_reads(const LpPlan *self)
{
    gboolean reads_twice =
        self->format.precision == LP_PRECISION_FP8 && self->format.scaling == LP_SCALING_CURRENT;
    return lp_precision_traits(self->format.precision)->cast_reads + (reads_twice ? 1.0 : 0.0);
}

LpAttentionKernel
lp_plan_attention_kernel(const LpPlan *self)
{
    if (self->host.attention_kernel != LP_ATTENTION_KERNEL_AUTO)
        return self->host.attention_kernel;
    return self->host.kernels == LP_KERNELS_EAGER ? LP_ATTENTION_KERNEL_TORCH
                                                  : LP_ATTENTION_KERNEL_VENDOR;
}

double
lp_plan_bucket_bytes(const LpPlan *self, double element_bytes)
{
    if (self->overlap.bucket == LP_BUCKET_BYTES)
        return self->overlap.bucket_bytes;
    if (self->overlap.bucket == LP_BUCKET_PARAMETERS)
        return self->overlap.bucket_parameters * element_bytes;
    return fmax(40e6, 1e6 * self->degree[LP_AXIS_DP]) * element_bytes;
}

double
lp_plan_chunk_bucket_bytes(const LpPlan *self, double element_bytes, guint32 stage, guint32 chunk)
{
    /* DualPipe's layers stand on two stages, which cut them alike. */
    gboolean is_cut = !self->traits[LP_TRAIT_FIRST_BUCKETS] || (stage == 0 && chunk == 0) ||
                      self->pipeline.schedule == LP_SCHEDULE_DUALPIPE;
    return is_cut ? lp_plan_bucket_bytes(self, element_bytes) : 0.0;
}

double
lp_plan_moment_bytes(const LpPlan *self)
{
    static const double bytes[] = {[LP_OPTIMIZER_ADAM] = 8.0,
                                   [LP_OPTIMIZER_SGD] = 4.0,
                                   [LP_OPTIMIZER_ADAM_8BIT] = 2.0,
                                   [LP_OPTIMIZER_ADAM_BF16] = 4.0,
                                   [LP_OPTIMIZER_NONE] = 0.0};
    return bytes[self->optimizer];
}
