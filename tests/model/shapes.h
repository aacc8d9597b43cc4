/* SPDX-License-Identifier: Apache-2.0 */
/* Transformers, plans and machines that several tests of the model start from. */
#pragma once

#include "model/network/fabric.h"
#include "model/times/kernel.h"
#include "model/kernels/kernel_variants.h"

#include <string.h>

/** A GPT of the SC 2021 paper: vocabulary 51200, sequence 2048, FFN 4 h. */
static inline LpTransformer
lp_test_gpt(guint32 n_layers, guint32 hidden, guint32 n_heads)
{
    return (LpTransformer){.n_layers = n_layers,
                           .hidden = hidden,
                           .n_heads = n_heads,
                           .n_kv_heads = n_heads,
                           .ffn = 4 * hidden,
                           .seq = 2048,
                           .vocab = 51200,
                           .ffn_kind = LP_FFN_GELU,
                           .attention = LP_ATTENTION_UNFUSED,
                           .positions = LP_POSITIONS_LEARNED,
                           .tied_embeddings = TRUE,
                           .embedding = TRUE};
}

/** A Llama of 2 or 3: untied, rotary, gated. */
static inline LpTransformer
lp_test_llama(guint32 n_layers, guint32 hidden, guint32 n_heads, guint32 n_kv_heads, guint32 ffn,
              guint32 vocab)
{
    return (LpTransformer){.n_layers = n_layers,
                           .hidden = hidden,
                           .n_heads = n_heads,
                           .n_kv_heads = n_kv_heads,
                           .ffn = ffn,
                           .seq = 4096,
                           .vocab = vocab,
                           .ffn_kind = LP_FFN_SWIGLU,
                           .attention = LP_ATTENTION_UNFUSED,
                           .positions = LP_POSITIONS_ROTARY,
                           .tied_embeddings = FALSE,
                           .embedding = TRUE};
}

/** ViT-B/16: 14 x 14 patches and the class token. */
static inline LpTransformer
lp_test_vit_b_16(void)
{
    LpTransformer shape = lp_test_gpt(12, 768, 12);
    shape.kind = LP_TRANSFORMER_ENCODER;
    shape.seq = 197;
    shape.vocab = 1000;
    shape.tied_embeddings = FALSE;
    shape.image.patch = 16;
    return shape;
}

/** Ranks in the order tp, cp, ep, dp, pp; 1F1B, fp16 throughout, nothing recomputed. */
static inline LpPlan
lp_test_plan(guint32 tp, guint32 pp, guint32 dp, guint32 micro_batch, guint32 global_batch)
{
    return (LpPlan){
        .degree = {[LP_AXIS_TP] = tp,
                   [LP_AXIS_CP] = 1,
                   [LP_AXIS_EP] = 1,
                   [LP_AXIS_DP] = dp,
                   [LP_AXIS_PP] = pp},
        .order = {LP_AXIS_TP, LP_AXIS_CP, LP_AXIS_EP, LP_AXIS_DP, LP_AXIS_PP},
        .pipeline.virtual_stages = 1,
        .batch.micro = micro_batch,
        .batch.global = global_batch,
        .pipeline.schedule = LP_SCHEDULE_1F1B,
        .recompute = LP_RECOMPUTE_NONE,
        .format.precision = LP_PRECISION_FP16,
        .format.gradient_bytes = 2,
    };
}

/** 8 tokens of 2 slots on 8 experts of inner width 32 behind 16. */
static inline LpTransformer
lp_test_experts(void)
{
    LpTransformer shape = lp_test_llama(1, 16, 4, 4, 32, 32);
    shape.seq = 8;
    shape.experts.n = 8;
    shape.experts.top_k = 2;
    return shape;
}

/** Two ranks, half of the experts on each. */
static inline LpPlan
lp_test_expert_ranks(void)
{
    LpPlan plan = lp_test_plan(1, 1, 2, 1, 2);
    plan.degree[LP_AXIS_EP] = 2;
    return plan;
}

/** Lays the variant called @name over the plan's kernels, or takes it away. */
static inline void
lp_test_vary(LpPlan *plan, const char *name, gboolean varies)
{
    guint64 variant = lp_kernel_variant(name);
    g_assert(variant != 0);
    plan->variants = varies ? plan->variants | variant : plan->variants & ~variant;
}

#define LP_TEST_N_ORDERS 120

/** The @index-th order of the axes, of LP_TEST_N_ORDERS; 0: tp, cp, ep, dp, pp. */
static inline void
lp_test_set_order(LpPlan *plan, guint index)
{
    LpAxis left[LP_N_AXES] = {LP_AXIS_TP, LP_AXIS_CP, LP_AXIS_EP, LP_AXIS_DP, LP_AXIS_PP};
    for (guint i = 0; i < LP_N_AXES; i++) {
        guint n_left = LP_N_AXES - i, chosen = index % n_left;
        plan->order[i] = left[chosen];
        index /= n_left;
        for (guint k = chosen; k + 1 < n_left; k++)
            left[k] = left[k + 1];
    }
}

/** 312 TFLOP/s at half efficiency, 2 TB/s at four fifths; vectors free of charge, no launch time.
 */
static inline LpAccelerator
lp_test_accelerator(void)
{
    return (LpAccelerator){
        .name = "test",
        .peak_flop_per_s = {[LP_PRECISION_FP16] = 312e12, [LP_PRECISION_FP32] = 1e30},
        .memory_bytes = 80e9,
        .memory_bytes_per_s = 2e12,
        .n_sms = 108,
        .gemm_efficiency = 0.5,
        .memory_efficiency = 0.8,
    };
}

/** Domains of 8; without latency. */
static inline LpFabric
lp_test_fabric(double scale_up_bytes_per_s, double scale_out_bytes_per_s)
{
    return (LpFabric){
        .domain_size = 8,
        .scale_up_bytes_per_s = scale_up_bytes_per_s,
        .scale_out_bytes_per_s = scale_out_bytes_per_s,
        .n_tiers = 1,
        .tiers = {{.span_domains = G_MAXUINT32}},
    };
}

/** 100 TFLOP/s and 1 TB/s, of which half and four fifths are reached (two fifths by kernels that
 * are no streams); a launch takes 1 us. */
static inline LpAccelerator
lp_test_round_accelerator(void)
{
    return (LpAccelerator){
        .peak_flop_per_s = {[LP_PRECISION_FP16] = 100e12},
        .memory_bytes_per_s = 1e12,
        .gemm_efficiency = 0.5,
        .memory_efficiency = 0.8,
        .elementwise_efficiency = 0.4,
        .launch_s = 1e-6,
    };
}

/** The same, whose host takes @host_s for a kernel and whose launches take @launch_s. */
static inline LpAccelerator
lp_test_hosted_accelerator(double host_s, double launch_s)
{
    LpAccelerator accelerator = lp_test_round_accelerator();
    accelerator.host_kernel_s = host_s;
    accelerator.launch_s = launch_s;
    return accelerator;
}

/** The first of @n_kernels with this name, or NULL. */
static inline const LpKernel *
lp_test_find_kernel(const LpKernel *kernels, guint n_kernels, const char *name)
{
    for (guint i = 0; i < n_kernels; i++)
        if (strcmp(kernels[i].name, name) == 0)
            return &kernels[i];
    return NULL;
}

/** Bytes that the kernels called @name of layer 0's @block move in @pass, for one micro-batch. */
static inline double
lp_test_kernel_bytes(const LpTransformer *shape, const LpPlan *plan, LpBlock block, LpPass pass,
                     const char *name)
{
    LpKernel kernels[LP_KERNELS_MAX];
    guint n_kernels = lp_block_kernels(shape, plan, 0, block, pass, kernels);
    double bytes = 0.0;
    for (guint i = 0; i < n_kernels; i++)
        if (strcmp(kernels[i].name, name) == 0)
            bytes += kernels[i].bytes;
    return bytes;
}
