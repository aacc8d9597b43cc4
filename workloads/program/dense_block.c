/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of a block in order, and where tensor and context parallelism stand among them. */
#include "workloads/program/dense_block.h"

#include "model/times/mixer.h"
#include "workloads/program/context_parallel.h"
#include "workloads/program/tensor_parallel.h"

#include <math.h>

static LpPlanInputs
inputs(const LpLowering *self, LpBlock block)
{
    if (block == LP_BLOCK_ATTENTION)
        return lp_plan_attention_inputs(self->plan);
    return block == LP_BLOCK_FFN ? lp_plan_ffn_inputs(self->plan, self->transformer)
                                 : (LpPlanInputs){.n_gathers = 1, .n_sums = 1};
}

/* Each of @n collectives of latents has an even share of their @width. */
static guint64
latent_bytes(const LpLowering *self, guint32 index, double width, guint32 n, double element_bytes)
{
    double tokens = lp_plan_tokens(self->plan, lp_transformer_layer(self->transformer, index).seq);
    return (guint64)llround(tokens * width / n * element_bytes);
}

/* What MLA compressed is gathered and summed in place of the input. */
static void
take_latents(const LpLowering *self, guint32 index, LpSharedBytes *io_bytes)
{
    LpPlanLatentInputs latents = lp_plan_latent_inputs(self->plan, self->transformer);
    if (latents.n_gathers == 0 || lp_transformer_layer(self->transformer, index).mixer > 0)
        return;
    double operand_bytes = lp_plan_gathered_wire_bytes(self->plan);
    io_bytes->inputs = (LpPlanInputs){.n_gathers = latents.n_gathers, .n_sums = latents.n_sums};
    io_bytes->n_regathered = latents.n_regathered;
    io_bytes->input_gathered =
        latent_bytes(self, index, latents.gathered, latents.n_gathers, operand_bytes);
    io_bytes->input_summed =
        latent_bytes(self, index, latents.summed, latents.n_sums, lp_plan_wire_bytes(self->plan));
    io_bytes->input_regathered =
        latent_bytes(self, index, latents.regathered, latents.n_regathered, operand_bytes);
}

static LpSharedBytes
shared_bytes(const LpLowering *self, guint32 index, LpBlock block)
{
    LpSharedBytes bytes = {.gathered = lp_lowering_gathered_bytes(self, index),
                           .summed = lp_lowering_layer_bytes(self, index),
                           .inputs = inputs(self, block)};
    bytes.input_gathered = bytes.input_regathered = bytes.gathered;
    bytes.input_summed = bytes.summed;
    bytes.n_regathered = bytes.inputs.n_gathers;
    if (block == LP_BLOCK_ATTENTION)
        take_latents(self, index, &bytes);
    return bytes;
}

/* The first products, where the block gathers for itself behind its gather. */
static void
add_entry(LpLowering *self, LpWork entry, guint64 bytes, guint32 n, LpGradientSharing sharing)
{
    if (sharing.gathers)
        lp_tensor_parallel_add_entry(self, entry, bytes, n);
    else
        lp_lowering_add_work(self, entry);
}

/* Whether @pass runs attention's core again with the heads at hand that were exchanged for it. */
static gboolean
keeps_exchanged(const LpPlan *plan, LpPass pass)
{
    return pass == LP_PASS_RECOMPUTE && plan->recompute == LP_RECOMPUTE_SELECTIVE &&
           !lp_plan_recomputes(plan, LP_RECOMPUTED_ATTENTION);
}

/* Queries, keys and values of all heads, where the ranks of tp have divided them evenly. Backward
 * their gradients are summed where they belong. */
static void
add_heads(LpLowering *self, guint32 index, LpBlock block, LpCollective collective)
{
    guint32 seq = lp_transformer_layer(self->transformer, index).seq;
    double width = lp_transformer_query_width(self->transformer) +
                   lp_transformer_key_width(self->transformer) +
                   lp_transformer_value_width(self->transformer);
    double bytes = lp_plan_tokens(self->plan, seq) * width * lp_plan_wire_bytes(self->plan);
    if (block == LP_BLOCK_ATTENTION && lp_plan_gathers_heads(self->plan, self->transformer) &&
        lp_mixer_has_heads(self->transformer, self->plan, index))
        lp_builder_add_collective(&self->builder, collective, LP_GROUP_TP, (guint64)llround(bytes));
}

void
lp_dense_block_add_forward(LpLowering *self, guint32 index, LpBlock block, LpPass pass,
                           LpGradientSharing sharing)
{
    guint kind = lp_transformer_layer_kind(self->transformer, index);
    LpSharedBytes bytes = shared_bytes(self, index, block);
    LpWork entry = lp_lowering_part(self, kind, block, pass, LP_BLOCK_PART_INPUT_PRODUCT);
    LpWork core = lp_lowering_part(self, kind, block, pass, LP_BLOCK_PART_CORE);
    LpWork exit = lp_lowering_part(self, kind, block, pass, LP_BLOCK_PART_OUTPUT_PRODUCT);
    lp_lowering_add_part(self, kind, block, pass, LP_BLOCK_PART_NORM);
    lp_lowering_need(self, block, LP_BLOCK_PART_INPUT_PRODUCT);
    add_entry(self, entry, bytes.input_gathered, bytes.inputs.n_gathers, sharing);
    if (sharing.gathers)
        add_heads(self, index, block, LP_COLLECTIVE_ALL_GATHER);
    lp_lowering_add_part(self, kind, block, pass, LP_BLOCK_PART_INNER);
    if (keeps_exchanged(self->plan, pass))
        lp_context_parallel_add_recomputed_core(self, core, index);
    else
        lp_context_parallel_add_core(self, core, index, FALSE);
    lp_lowering_need(self, block, LP_BLOCK_PART_OUTPUT_PRODUCT);
    if (sharing.sums)
        lp_tensor_parallel_add_exit(self, exit, bytes.summed, 1);
    else
        lp_lowering_add_work(self, exit);
    lp_lowering_add_part(self, kind, block, pass, LP_BLOCK_PART_RESIDUAL);
}

/* The last products of a backward pass: of the gradient of the activations and, unless @input_only,
 * of that of the weights. */
static void
add_backward_exit(LpLowering *self, LpWork exit, LpWork weight, LpSharedBytes bytes,
                  gboolean input_only, LpGradientSharing sharing)
{
    if (input_only && sharing.sums) {
        lp_tensor_parallel_add_exit(self, exit, bytes.input_summed, bytes.inputs.n_sums);
    } else if (sharing.sums) {
        lp_tensor_parallel_add_backward_exit(self, exit, weight, bytes);
    } else {
        lp_lowering_add_work(self, exit);
        if (!input_only)
            lp_lowering_add_work(self, weight);
    }
}

void
lp_dense_block_add_backward(LpLowering *self, guint32 index, LpBlock block, LpRole role,
                            LpGradientSharing sharing)
{
    guint kind = lp_transformer_layer_kind(self->transformer, index);
    LpSharedBytes bytes = shared_bytes(self, index, block);
    LpPass pass = LP_PASS_BACKWARD_INPUT;
    LpWork weight = lp_lowering_block(self, kind, block, LP_PASS_BACKWARD_WEIGHT);
    if (role == LP_ROLE_WEIGHT && sharing.sums) {
        lp_tensor_parallel_add_weight(self, weight, bytes);
        return;
    }
    if (role == LP_ROLE_WEIGHT) {
        lp_lowering_add_work(self, weight);
        return;
    }
    LpWork entry = lp_lowering_part(self, kind, block, pass, LP_BLOCK_PART_INPUT_PRODUCT);
    LpWork core = lp_lowering_part(self, kind, block, pass, LP_BLOCK_PART_CORE);
    LpWork exit = lp_lowering_part(self, kind, block, pass, LP_BLOCK_PART_OUTPUT_PRODUCT);
    lp_lowering_add_part(self, kind, block, pass, LP_BLOCK_PART_NORM);
    lp_lowering_need(self, block, LP_BLOCK_PART_OUTPUT_PRODUCT);
    add_entry(self, entry, bytes.gathered, 1, sharing);
    lp_context_parallel_add_core(self, core, index, TRUE);
    lp_lowering_add_part(self, kind, block, pass, LP_BLOCK_PART_INNER);
    add_heads(self, index, block, LP_COLLECTIVE_REDUCE_SCATTER);
    lp_lowering_need(self, block, LP_BLOCK_PART_INPUT_PRODUCT);
    add_backward_exit(self, exit, weight, bytes, role == LP_ROLE_INPUT, sharing);
    lp_lowering_add_part(self, kind, block, pass, LP_BLOCK_PART_RESIDUAL);
}
