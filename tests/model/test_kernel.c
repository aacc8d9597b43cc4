/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/model/shapes.h"
#include "tests/testlib.h"

#include <math.h>
#include <string.h>

#define IDENTITY 1e-12 /* the same sum in another order */

/* 100 TFLOP/s and 1 TB/s, of which half and four fifths are reached; a launch takes 1 us. */
static const LpAccelerator round_numbers = {
    .peak_flop_per_s = {[LP_PRECISION_FP16] = 100e12},
    .memory_bytes_per_s = 1e12,
    .gemm_efficiency = 0.5,
    .memory_efficiency = 0.8,
    .elementwise_efficiency = 0.4,
    .launch_s = 1e-6,
};

static void
test_time(void)
{
    static const struct {
        const char *label;
        LpKernel kernel;
        double wanted_s;
    } rows[] = {
        {"bound by operations: 4e9 / 5e13",
         {.m = 1000, .k = 1000, .n = 1000, .n_batch = 2, .bytes = 1e6},
         80e-6 + 1e-6},
        {"bound by memory: 8e8 / 8e11",
         {.m = 1000, .k = 1000, .n = 1000, .n_batch = 2, .bytes = 8e8},
         1e-3 + 1e-6},
        {"no product at all: 8e5 / 4e11",
         {.m = 0, .k = 0, .n = 0, .n_batch = 0, .bytes = 8e5},
         2e-6 + 1e-6},
        {"a stream: 8e5 / 8e11",
         {.m = 0, .k = 0, .n = 0, .n_batch = 0, .bytes = 8e5, .streams = TRUE},
         1e-6 + 1e-6},
        {"nothing: a launch", {.m = 0, .k = 0, .n = 0, .n_batch = 0, .bytes = 0}, 1e-6},
        {"largest",
         {.m = 1 << 24, .k = 1 << 24, .n = 1 << 24, .n_batch = 1, .bytes = 0},
         9.444732965739290e21 / 5e13},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        lp_test_close(rows[i].label,
                      lp_kernel_time_s(&rows[i].kernel, &round_numbers, LP_PRECISION_FP16),
                      rows[i].wanted_s, IDENTITY);
}

static const LpKernel *
find(const LpKernel *kernels, guint n_kernels, const char *name)
{
    for (guint i = 0; i < n_kernels; i++)
        if (strcmp(kernels[i].name, name) == 0)
            return &kernels[i];
    return NULL;
}

/* The products of Anthony et al., ICPP 2024, at h 4096, a 16, b 4, s 2048, V 51200, one rank of 2.
 */
static void
test_products(void)
{
    static const struct {
        const char *name;
        LpBlock block;
        LpPass pass;
        double m, k, n, n_batch;
    } rows[] = {
        {"qkv", LP_BLOCK_ATTENTION, LP_PASS_FORWARD, 8192, 4096, 6144, 1},
        {"scores", LP_BLOCK_ATTENTION, LP_PASS_FORWARD, 2048, 256, 2048, 32},
        {"values", LP_BLOCK_ATTENTION, LP_PASS_FORWARD, 2048, 2048, 256, 32},
        {"projection", LP_BLOCK_ATTENTION, LP_PASS_FORWARD, 8192, 2048, 4096, 1},
        {"up", LP_BLOCK_FFN, LP_PASS_FORWARD, 8192, 4096, 8192, 1},
        {"down", LP_BLOCK_FFN, LP_PASS_FORWARD, 8192, 8192, 4096, 1},
        {"logits", LP_BLOCK_HEAD, LP_PASS_FORWARD, 8192, 4096, 25600, 1},
        {"qkv", LP_BLOCK_ATTENTION, LP_PASS_BACKWARD_INPUT, 8192, 6144, 4096, 1},
        {"qkv", LP_BLOCK_ATTENTION, LP_PASS_BACKWARD_WEIGHT, 4096, 8192, 6144, 1},
        {"down", LP_BLOCK_FFN, LP_PASS_BACKWARD_WEIGHT, 8192, 8192, 4096, 1},
    };
    LpTransformer gpt = lp_test_gpt(32, 4096, 16);
    LpPlan plan = lp_test_plan(2, 1, 1, 4, 4);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpKernel kernels[LP_KERNELS_MAX];
        guint n_kernels = lp_block_kernels(&gpt, &plan, 0, rows[i].block, rows[i].pass, kernels);
        const LpKernel *kernel = find(kernels, n_kernels, rows[i].name);
        lp_test_true(rows[i].name, kernel != NULL);
        if (kernel == NULL)
            continue;
        lp_test_close(rows[i].name, kernel->m, rows[i].m, 0.0);
        lp_test_close(rows[i].name, kernel->k, rows[i].k, 0.0);
        lp_test_close(rows[i].name, kernel->n, rows[i].n, 0.0);
        lp_test_close(rows[i].name, kernel->n_batch, rows[i].n_batch, 0.0);
        double elements = rows[i].m * rows[i].k + rows[i].k * rows[i].n + rows[i].m * rows[i].n;
        lp_test_close(rows[i].name, kernel->bytes, 2.0 * elements * rows[i].n_batch, 0.0);
    }
}

/* Bytes of memory-bound kernels, counted by hand: b 1, s 8, h 16, a 4, t 2, fp16, V 32, ffn 64. */
static void
test_bytes(void)
{
    static const struct {
        const char *name;
        LpBlock block;
        LpPass pass;
        gboolean sequence_parallel;
        double bytes;
    } rows[] = {
        {"norm", LP_BLOCK_ATTENTION, LP_PASS_FORWARD, FALSE, 2 * 128 * 2},
        {"norm", LP_BLOCK_ATTENTION, LP_PASS_FORWARD, TRUE, 2 * 64 * 2},
        {"softmax", LP_BLOCK_ATTENTION, LP_PASS_FORWARD, TRUE, 2 * 128 * 2},
        {"attention-dropout", LP_BLOCK_ATTENTION, LP_PASS_FORWARD, FALSE, 128 * 5},
        {"bias-dropout-add", LP_BLOCK_ATTENTION, LP_PASS_FORWARD, FALSE, 128 * 7},
        {"bias-dropout-add", LP_BLOCK_FFN, LP_PASS_FORWARD, TRUE, 64 * 7},
        {"bias-gelu", LP_BLOCK_FFN, LP_PASS_FORWARD, FALSE, 2 * 8 * 32 * 2},
        {"softmax-backward", LP_BLOCK_ATTENTION, LP_PASS_BACKWARD_INPUT, FALSE, 3 * 128 * 2},
        {"look-up", LP_BLOCK_EMBEDDING, LP_PASS_FORWARD, FALSE, 2 * 128 * 2},
        {"loss", LP_BLOCK_HEAD, LP_PASS_FORWARD, FALSE, 8 * 16 * (2 + 36)},
        {"loss-backward", LP_BLOCK_HEAD, LP_PASS_BACKWARD_INPUT, FALSE, 8 * 16 * (2 + 12)},
    };
    LpTransformer gpt = lp_test_gpt(1, 16, 4);
    gpt.seq = 8;
    gpt.vocab = 32;
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpPlan plan = lp_test_plan(2, 1, 1, 1, 1);
        plan.sequence_parallel = rows[i].sequence_parallel;
        LpKernel kernels[LP_KERNELS_MAX];
        guint n_kernels = lp_block_kernels(&gpt, &plan, 0, rows[i].block, rows[i].pass, kernels);
        const LpKernel *kernel = find(kernels, n_kernels, rows[i].name);
        lp_test_true(rows[i].name, kernel != NULL);
        if (kernel != NULL)
            lp_test_close(rows[i].name, kernel->bytes, rows[i].bytes, 0.0);
    }
}

/* By hand at 8 tokens, h 16, f 64 and t 2, in 2 bytes: a gate's elements E are 8 x 32, the widths
 * of q, k, v and o 8 each. One operation at a time: 2 E and 3 E forward; back 3 E twice, 3 E and 4
 * E; and copies of q, k and v, of k and v twice, and of o (nanotron, models/llama.py). */
static void
test_eager(void)
{
    static const struct {
        const char *label;
        LpBlock block;
        LpPass pass;
        const char *names; /* of the kernels that are there in eager mode only */
        double bytes;      /* of all of them, and of the fused ones that they stand for: */
        double fused_bytes;
        guint n;
    } rows[] = {
        {"a gate", LP_BLOCK_FFN, LP_PASS_FORWARD, "gate", 5 * 512, 3 * 512, 2},
        {"a gate backward", LP_BLOCK_FFN, LP_PASS_BACKWARD_INPUT, "gate-", 13 * 512, 5 * 512, 4},
        {"layouts", LP_BLOCK_ATTENTION, LP_PASS_FORWARD, "layout", 768 + 2 * 512 + 256, 0, 4},
        {"layouts backward", LP_BLOCK_ATTENTION, LP_PASS_BACKWARD_INPUT, "layout",
         768 + 2 * 512 + 256, 0, 4},
    };
    LpTransformer llama = lp_test_gpt(1, 16, 4);
    llama.seq = 8;
    llama.ffn_kind = LP_FFN_SWIGLU;
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpPlan plan = lp_test_plan(2, 1, 1, 1, 1);
        double sums[2] = {0.0, 0.0}, eager_bytes = 0.0;
        guint n = 0;
        for (LpKernels kind = LP_KERNELS_FUSED; kind <= LP_KERNELS_EAGER; kind++) {
            plan.kernels = kind;
            LpKernel kernels[LP_KERNELS_MAX];
            guint n_kernels =
                lp_block_kernels(&llama, &plan, 0, rows[i].block, rows[i].pass, kernels);
            for (guint j = 0; j < n_kernels; j++) {
                sums[kind] += kernels[j].bytes;
                if (kind == LP_KERNELS_FUSED || !g_str_has_prefix(kernels[j].name, rows[i].names) ||
                    kernels[j].n_batch > 0.0)
                    continue;
                eager_bytes += kernels[j].bytes;
                n++;
            }
        }
        lp_test_true(rows[i].label, n == rows[i].n);
        lp_test_close(rows[i].label, eager_bytes, rows[i].bytes, 0.0);
        lp_test_close(rows[i].label, sums[1] - sums[0], rows[i].bytes - rows[i].fused_bytes, 0.0);
    }
}

/* What light recomputation runs again: norms of 8 x 16 and the activation of 8 x 32, read and
 * written, and MLA's products out of its latents, whose FLOP lp_transformer_latent_forward_flop()
 * has. */
static void
test_light(void)
{
    LpTransformer gpt = lp_test_gpt(1, 16, 4);
    gpt.seq = 8;
    LpPlan plan = lp_test_plan(2, 1, 1, 1, 1);
    plan.recompute = LP_RECOMPUTE_LIGHT;
    LpKernel kernels[LP_KERNELS_MAX];
    guint n = lp_block_kernels(&gpt, &plan, 0, LP_BLOCK_ATTENTION, LP_PASS_RECOMPUTE, kernels);
    lp_test_true("a norm", n == 1 && strcmp(kernels[0].name, "norm") == 0);
    lp_test_close("a norm", kernels[0].bytes, 2.0 * 8 * 16 * 2, 0.0);
    n = lp_block_kernels(&gpt, &plan, 0, LP_BLOCK_FFN, LP_PASS_RECOMPUTE, kernels);
    lp_test_true("and an activation", n == 2 && strcmp(kernels[1].name, "bias-gelu") == 0);
    lp_test_close("and an activation", kernels[1].bytes, 2.0 * 8 * 32 * 2, 0.0);
    gpt.query_rank = 12;
    gpt.kv_rank = 8;
    gpt.rope_width = 2;
    gpt.head_width = 4;
    gpt.value_width = 4;
    n = lp_block_kernels(&gpt, &plan, 0, LP_BLOCK_ATTENTION, LP_PASS_RECOMPUTE, kernels);
    double flop = 0.0;
    for (guint i = 0; i < n; i++)
        flop += lp_kernel_flop(&kernels[i]);
    /* 2 x 8 tokens x (12 x 4 heads of 6 + 8 x 4 heads of 8), half of it on a rank */
    lp_test_close("latents", flop, 2.0 * 8 * (12 * 24 + 8 * 32) / 2, 0.0);
    lp_test_close("latents", lp_transformer_latent_forward_flop(&gpt, 0, 1.0), 2.0 * flop, 0.0);
}

/* Under fp8 attention, logits and the router take the time that they take in bf16, and products
 * that of fp8; FlashAttention-2 has a rate of its own. */
static void
test_precisions(void)
{
    LpTransformer gpt = lp_test_gpt(1, 4096, 32);
    gpt.attention = LP_ATTENTION_FLASH;
    LpAccelerator h100 = {
        .name = "test",
        .peak_flop_per_s = {[LP_PRECISION_BF16] = 1e15, [LP_PRECISION_FP8] = 2e15},
        .memory_bytes_per_s = 3e12,
        .gemm_efficiency = 0.7,
        .attention_efficiency = 0.5,
        .eager_attention_efficiency = 0.3,
        .memory_efficiency = 0.9,
        .launch_s = 1e-5};
    LpPlan plan = lp_test_plan(1, 1, 1, 1, 1);
    LpKernel kernels[LP_KERNELS_MAX];
    guint n = lp_block_kernels(&gpt, &plan, 0, LP_BLOCK_ATTENTION, LP_PASS_FORWARD, kernels);
    const LpKernel *flash = find(kernels, n, "flash"), *qkv = find(kernels, n, "qkv");
    lp_test_close("flash", lp_kernel_time_s(flash, &h100, LP_PRECISION_FP8),
                  lp_kernel_time_s(flash, &h100, LP_PRECISION_BF16), 0.0);
    lp_test_true("a product", lp_kernel_time_s(qkv, &h100, LP_PRECISION_FP8) <
                                  0.6 * lp_kernel_time_s(qkv, &h100, LP_PRECISION_BF16));
    LpKernel eager = *flash;
    eager.eager = TRUE;
    lp_test_close("FlashAttention-2",
                  (lp_kernel_time_s(&eager, &h100, LP_PRECISION_BF16) - h100.launch_s) *
                      h100.eager_attention_efficiency,
                  (lp_kernel_time_s(flash, &h100, LP_PRECISION_BF16) - h100.launch_s) *
                      h100.attention_efficiency,
                  1e-12);
    n = lp_block_kernels(&gpt, &plan, 0, LP_BLOCK_HEAD, LP_PASS_FORWARD, kernels);
    const LpKernel *logits = find(kernels, n, "logits");
    lp_test_close("logits", lp_kernel_time_s(logits, &h100, LP_PRECISION_FP8),
                  lp_kernel_time_s(logits, &h100, LP_PRECISION_BF16), 0.0);
}

/* What products bring along, counted by hand at the shape of test_bytes(): gradients of weights
 * are read, and their sums read and written, unless they are shared out (x + 2 g); operands in fp8
 * are read in x bytes and written in one, twice. */
static void
test_streams(void)
{
    static const struct {
        const char *label, *name, *product;
        LpBlock block;
        LpPass pass;
        LpPrecision precision;
        guint32 gradient_bytes, zero;
        double bytes; /* 0: there is none */
    } rows[] = {
        {"qkv's gradient, 16 x 24", "accumulate", "qkv", LP_BLOCK_ATTENTION,
         LP_PASS_BACKWARD_WEIGHT, LP_PRECISION_FP16, 2, 0, 16 * 24 * (2 + 2 * 2)},
        {"in fp32", "accumulate", "qkv", LP_BLOCK_ATTENTION, LP_PASS_BACKWARD_WEIGHT,
         LP_PRECISION_BF16, 4, 2, 16 * 24 * (2 + 2 * 4)},
        {"all in fp32", "accumulate", "up", LP_BLOCK_FFN, LP_PASS_BACKWARD_WEIGHT,
         LP_PRECISION_FP32, 4, 0, 16 * 32 * (4 + 2 * 4)},
        {"logits", "accumulate", "logits", LP_BLOCK_HEAD, LP_PASS_BACKWARD_WEIGHT,
         LP_PRECISION_FP16, 4, 1, 16 * 16 * (2 + 2 * 4)},
        {"shared out", "accumulate", "qkv", LP_BLOCK_ATTENTION, LP_PASS_BACKWARD_WEIGHT,
         LP_PRECISION_FP16, 4, 3, 0},
        {"forward there are no gradients", "accumulate", "qkv", LP_BLOCK_ATTENTION, LP_PASS_FORWARD,
         LP_PRECISION_FP16, 4, 0, 0},
        {"the input of up", "cast", "up", LP_BLOCK_FFN, LP_PASS_FORWARD, LP_PRECISION_FP8, 4, 0,
         8 * 16 * (2 + 2)},
        {"logits stay in 16 bits", "cast", "logits", LP_BLOCK_HEAD, LP_PASS_BACKWARD_INPUT,
         LP_PRECISION_FP8, 4, 0, 0},
        {"the gradient of up", "cast", "up", LP_BLOCK_FFN, LP_PASS_BACKWARD_INPUT, LP_PRECISION_FP8,
         4, 0, 8 * 32 * (2 + 2)},
        {"both operands of a gradient are there", "cast", "up", LP_BLOCK_FFN,
         LP_PASS_BACKWARD_WEIGHT, LP_PRECISION_FP8, 4, 0, 0},
        {"nothing to cast", "cast", "up", LP_BLOCK_FFN, LP_PASS_FORWARD, LP_PRECISION_BF16, 4, 0,
         0},
    };
    LpTransformer gpt = lp_test_gpt(1, 16, 4);
    gpt.seq = 8;
    gpt.vocab = 32;
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpPlan plan = lp_test_plan(2, 1, 1, 1, 1);
        plan.precision = rows[i].precision;
        plan.gradient_bytes = rows[i].gradient_bytes;
        plan.zero = rows[i].zero;
        LpKernel kernels[LP_KERNELS_MAX];
        guint n_kernels = lp_block_kernels(&gpt, &plan, 0, rows[i].block, rows[i].pass, kernels);
        guint at = 0;
        while (at < n_kernels && strcmp(kernels[at].name, rows[i].product) != 0)
            at++;
        lp_test_true(rows[i].label, at < n_kernels);
        /* Casts come before the product, sums behind it. */
        gboolean casts = strcmp(rows[i].name, "cast") == 0;
        const LpKernel *kernel = casts ? (at > 0 ? &kernels[at - 1] : NULL)
                                       : (at + 1 < n_kernels ? &kernels[at + 1] : NULL);
        gboolean is_there = kernel != NULL && strcmp(kernel->name, rows[i].name) == 0;
        lp_test_true(rows[i].label, is_there == (rows[i].bytes > 0.0));
        if (!is_there)
            lp_test_true(rows[i].label, find(kernels, n_kernels, rows[i].name) == NULL);
        else
            lp_test_close(rows[i].label, kernel->bytes, rows[i].bytes, 0.0);
        if (is_there)
            lp_test_true(rows[i].label, kernel->streams && kernel->n_batch == 0.0);
    }
}

/* Sums of all of a rank's experts: 4 of 8, up and down and gate, 64 x 48 each. */
static void
test_expert_streams(void)
{
    LpTransformer shape = lp_test_llama(1, 64, 8, 4, 256, 32000);
    shape.seq = 32;
    shape.n_experts = 8;
    shape.top_k = 2;
    shape.expert_ffn = 48;
    LpPlan plan = lp_test_plan(1, 1, 2, 1, 2);
    plan.degree[LP_AXIS_EP] = 2;
    plan.gradient_bytes = 4;
    LpKernel kernels[LP_KERNELS_MAX];
    guint n_kernels =
        lp_block_kernels(&shape, &plan, 0, LP_BLOCK_EXPERTS, LP_PASS_BACKWARD_WEIGHT, kernels);
    double bytes = 0.0;
    for (guint i = 0; i < n_kernels; i++)
        if (kernels[i].streams)
            bytes += kernels[i].bytes;
    lp_test_close("experts", bytes, 3.0 * 4.0 * 64.0 * 48.0 * (2.0 + 2.0 * 4.0), IDENTITY);
}

static double
block_flop(const LpTransformer *transformer, const LpPlan *plan, guint32 index, LpBlock block)
{
    double sum = 0.0;
    for (guint pass = 0; pass < LP_N_PASSES; pass++) {
        LpKernel kernels[LP_KERNELS_MAX];
        guint n_kernels = lp_block_kernels(transformer, plan, index, block, (LpPass)pass, kernels);
        for (guint i = 0; i < n_kernels; i++)
            sum += lp_kernel_flop(&kernels[i]);
    }
    return sum;
}

/* FLOP of all kernels of all ranks in one iteration. */
static double
iteration_flop(const LpTransformer *transformer, const LpPlan *plan)
{
    double sum = block_flop(transformer, plan, 0, LP_BLOCK_EMBEDDING) +
                 block_flop(transformer, plan, 0, LP_BLOCK_HEAD);
    for (guint32 i = 0; i < lp_transformer_n_layers(transformer); i++)
        for (guint block = LP_BLOCK_EMBEDDING + 1; block < LP_BLOCK_HEAD; block++)
            sum += block_flop(transformer, plan, i, (LpBlock)block);
    double ranks_a_stage = (double)lp_plan_n_ranks(plan) / plan->degree[LP_AXIS_PP];
    return ranks_a_stage * lp_plan_n_micro_batches(plan) * sum;
}

static void
check_sum(const char *label, const LpTransformer *transformer, const LpPlan *plan, double extra)
{
    g_autoptr(GError) error = NULL;
    lp_test_true(label, lp_plan_check(plan, transformer, &error));
    lp_test_text(label, error != NULL ? error->message : NULL, NULL);
    lp_test_close(label, iteration_flop(transformer, plan),
                  lp_plan_hardware_flop(plan, transformer) + extra, IDENTITY);
}

/* For every way to train them, kernels add up to the FLOP of the plan. */
static void
check_identity(const char *label, LpTransformer transformer, LpPlan plan, gboolean always_parallel)
{
    for (guint recompute = LP_RECOMPUTE_NONE; recompute <= LP_RECOMPUTE_FULL; recompute++)
        for (guint parallel = always_parallel ? 1 : 0; parallel < 2; parallel++)
            for (guint embedding = 0; embedding < 2; embedding++) {
                plan.recompute = (LpRecompute)recompute;
                plan.sequence_parallel = parallel == 1;
                transformer.embedding = embedding == 1;
                transformer.attention = LP_ATTENTION_UNFUSED;
                check_sum(label, &transformer, &plan, 0.0);
                transformer.attention = LP_ATTENTION_FLASH;
                double again = 0.0;
                for (guint32 i = 0; i < lp_transformer_n_layers(&transformer); i++)
                    again += 0.5 *
                             lp_transformer_scores_forward_flop(&transformer, i, plan.global_batch);
                check_sum(label, &transformer, &plan, again);
            }
}

static void
test_identity(void)
{
    check_identity("one rank", lp_test_gpt(2, 64, 4), lp_test_plan(1, 1, 1, 1, 1), FALSE);
    check_identity("GPT-3", lp_test_gpt(96, 12288, 96), lp_test_plan(8, 8, 16, 1, 1536), FALSE);
    check_identity("1T", lp_test_gpt(128, 25600, 160), lp_test_plan(8, 64, 6, 1, 3072), FALSE);
    check_identity("Llama 2 70B", lp_test_llama(80, 8192, 64, 8, 28672, 32000),
                   lp_test_plan(8, 4, 2, 2, 64), FALSE);
}

static LpPlan
context_plan(guint32 tp, guint32 cp, LpContextKind kind)
{
    LpPlan plan = lp_test_plan(tp, 2, 3, 2, 12);
    plan.degree[LP_AXIS_CP] = cp;
    plan.context_kind = kind;
    return plan;
}

static void
test_identity_of_contexts(void)
{
    LpTransformer llama = lp_test_llama(4, 256, 16, 8, 704, 32000);
    LpTransformer windowed = llama;
    windowed.window = 512;
    windowed.window_every = 2;
    for (guint32 cp = 1; cp <= 4; cp *= 2) {
        g_autofree char *label = g_strdup_printf("cp %u", cp);
        check_identity(label, llama, context_plan(2, cp, LP_CONTEXT_RING), FALSE);
        check_identity(label, llama, context_plan(2, cp, LP_CONTEXT_ULYSSES), FALSE);
        check_identity(label, windowed, context_plan(1, cp, LP_CONTEXT_RING), FALSE);
        check_identity(label, windowed, context_plan(1, cp, LP_CONTEXT_ULYSSES), FALSE);
    }
}

/* Experts: with tp, sequence parallelism keeps the router from being copied. */
static void
test_identity_of_experts(void)
{
    static const struct {
        const char *label;
        guint32 tp, cp, ep, dp, expert_tp, top_k, n_shared, n_dense, every;
        gboolean always_parallel;
        LpFfnKind ffn_kind;
    } rows[] = {
        {"one rank", 1, 1, 1, 1, 0, 1, 0, 0, 0, FALSE, LP_FFN_SWIGLU},
        {"ep 4", 1, 1, 4, 4, 0, 2, 1, 1, 0, FALSE, LP_FFN_SWIGLU},
        {"ep over dp and cp", 1, 2, 4, 2, 0, 3, 2, 0, 2, FALSE, LP_FFN_GELU},
        {"expert-tp", 2, 1, 2, 2, 2, 2, 1, 1, 1, TRUE, LP_FFN_SWIGLU},
        {"whole experts", 4, 1, 8, 2, 1, 2, 0, 0, 3, TRUE, LP_FFN_GELU},
        {"all experts", 2, 1, 2, 1, 1, 8, 0, 0, 0, TRUE, LP_FFN_SWIGLU},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpTransformer shape = lp_test_llama(4, 64, 8, 4, 256, 32000);
        shape.ffn_kind = rows[i].ffn_kind;
        shape.n_experts = 8;
        shape.top_k = rows[i].top_k;
        shape.expert_ffn = 48;
        shape.n_shared_experts = rows[i].n_shared;
        shape.n_dense_layers = rows[i].n_dense;
        shape.expert_every = rows[i].every;
        LpPlan plan = lp_test_plan(rows[i].tp, 2, rows[i].dp, 2, 8 * rows[i].dp);
        plan.degree[LP_AXIS_CP] = rows[i].cp;
        plan.degree[LP_AXIS_EP] = rows[i].ep;
        plan.expert_tp = rows[i].expert_tp;
        check_identity(rows[i].label, shape, plan, rows[i].always_parallel);
    }
}

static void
test_identity_of_kinds(void)
{
    LpTransformer pair = lp_test_gpt(3, 64, 4);
    pair.kind = LP_TRANSFORMER_ENCODER_DECODER;
    pair.n_decoder_layers = 2;
    pair.seq = 96;
    pair.decoder_seq = 32;
    check_identity("a pair", pair, lp_test_plan(2, 1, 3, 2, 12), FALSE);
    pair.n_kv_heads = 2;
    pair.head_width = 24;
    check_identity("a pair, grouped queries", pair, lp_test_plan(2, 1, 1, 1, 1), FALSE);

    LpTransformer image = lp_test_gpt(4, 96, 4);
    image.kind = LP_TRANSFORMER_ENCODER;
    image.tied_embeddings = FALSE;
    image.patch = 14;
    image.seq = 256;
    image.vocab = 1000;
    check_identity("images", image, lp_test_plan(2, 2, 2, 4, 16), FALSE);
    image.channels = 1;
    check_identity("grey images", image, context_plan(1, 2, LP_CONTEXT_RING), FALSE);

    /* Compression is copied over tp. */
    LpTransformer latent = lp_test_llama(3, 64, 4, 4, 176, 320);
    latent.head_width = 12;
    latent.rope_width = 4;
    latent.value_width = 16;
    latent.kv_rank = 20;
    check_identity("latent attention", latent, lp_test_plan(1, 3, 2, 1, 4), FALSE);
    latent.query_rank = 28;
    check_identity("latent attention, compressed queries", latent, lp_test_plan(1, 1, 1, 1, 1),
                   FALSE);
}

/* Copies of the latent's compression over tp 2, FLOP by hand: one layer forward and backward is 3 x
 * 2 tokens h (query_rank + kv_rank + rope) more for the second rank. */
static void
test_copied_compression(void)
{
    LpTransformer latent = lp_test_llama(1, 64, 4, 4, 176, 320);
    latent.seq = 32;
    latent.head_width = 12;
    latent.rope_width = 4;
    latent.value_width = 16;
    latent.query_rank = 28;
    latent.kv_rank = 20;
    LpPlan plan = lp_test_plan(2, 1, 1, 1, 1);
    check_sum("compression", &latent, &plan, 3.0 * 2.0 * 32.0 * 64.0 * (28.0 + 20.0 + 4.0));
}

/* Buffers padded to a capacity are multiplied whole, which the plan's FLOP leave out: half of what
 * the routed experts take, at a factor of 1.5. Three passes of 2 tokens x top-k x 3 h f. */
static void
test_padding(void)
{
    LpTransformer shape = lp_test_llama(1, 64, 8, 4, 256, 32000);
    shape.seq = 32;
    shape.n_experts = 8;
    shape.top_k = 2;
    shape.expert_ffn = 48;
    shape.capacity_factor = 1.5;
    LpPlan plan = lp_test_plan(1, 1, 4, 1, 4);
    plan.degree[LP_AXIS_EP] = 4;
    check_sum("padding", &shape, &plan, 0.5 * 3.0 * 2.0 * (4.0 * 32.0) * 2.0 * (3.0 * 64.0 * 48.0));
}

/* --- device and host --- */

static LpWork
draw_work(GRand *generator)
{
    double device_s = g_rand_double_range(generator, 0.0, 2.0);
    double host_s = g_rand_double_range(generator, 0.0, 2.0);
    return (LpWork){device_s, host_s, device_s};
}

/* The device after the host has issued, and the device has run, one kernel after another. */
typedef struct {
    double device_s, host_s;
} Clock;

static Clock
issue(Clock at, double device_s, double host_s)
{
    return (Clock){fmax(at.device_s, at.host_s) + device_s, at.host_s + host_s};
}

static Clock
apply(Clock at, LpWork work)
{
    return (Clock){fmax(at.device_s + work.device_s, at.host_s + work.bound_s),
                   at.host_s + work.host_s};
}

static void
check_same_work(const char *label, LpWork one, LpWork other)
{
    lp_test_close(label, one.device_s, other.device_s, IDENTITY);
    lp_test_close(label, one.host_s, other.host_s, IDENTITY);
    lp_test_close(label, one.bound_s, other.bound_s, IDENTITY);
}

static void
test_work(void)
{
    GRand *generator = g_rand_new_with_seed(3);
    for (guint i = 0; i < 1000; i++) {
        g_autofree char *label = g_strdup_printf("sequence %u", i);
        Clock start = {g_rand_double_range(generator, 0.0, 9.0),
                       g_rand_double_range(generator, 0.0, 9.0)};
        Clock step_by_step = start;
        LpWork works[12], from_left = LP_WORK_NONE;
        guint n = (guint)g_rand_int_range(generator, 1, G_N_ELEMENTS(works) + 1);
        for (guint k = 0; k < n; k++) {
            works[k] = draw_work(generator);
            step_by_step = issue(step_by_step, works[k].device_s, works[k].host_s);
            from_left = lp_work_then(from_left, works[k]);
        }
        LpWork from_right = works[n - 1];
        for (guint k = n - 1; k > 0; k--)
            from_right = lp_work_then(works[k - 1], from_right);
        check_same_work(label, from_left, from_right);
        Clock at_once = apply(start, from_left);
        lp_test_close(label, at_once.device_s, step_by_step.device_s, IDENTITY);
        lp_test_close(label, at_once.host_s, step_by_step.host_s, IDENTITY);
        LpWork doubled = lp_work_scale(from_left, 2.0);
        Clock later = apply((Clock){2.0 * start.device_s, 2.0 * start.host_s}, doubled);
        lp_test_close(label, later.device_s, 2.0 * at_once.device_s, IDENTITY);
        /* Three runs of kernels, either way. */
        LpWork a = from_left, b = lp_work_scale(from_right, 0.3), c = works[0];
        check_same_work(label, lp_work_then(lp_work_then(a, b), c),
                        lp_work_then(a, lp_work_then(b, c)));
        check_same_work(label, lp_work_then(LP_WORK_NONE, a), a);
    }
    g_rand_free(generator);
}

/* A block's work is that of its kernels in order: where the device may next start, since a part
 * without kernels waits for the host. */
static void
test_block_work(void)
{
    LpTransformer gpt = lp_test_gpt(2, 512, 4);
    LpPlan plan = lp_test_plan(2, 1, 1, 1, 1);
    plan.recompute = LP_RECOMPUTE_FULL;
    static const double hosts_s[] = {0.0, 2e-6, 20e-6, 1e-3};
    for (guint h = 0; h < G_N_ELEMENTS(hosts_s); h++)
        for (guint graphs = 0; graphs < 2; graphs++)
            for (guint block = 0; block < LP_N_BLOCKS; block++)
                for (guint pass = 0; pass < LP_N_PASSES; pass++) {
                    LpAccelerator accelerator = lp_test_accelerator();
                    accelerator.host_kernel_s = hosts_s[h];
                    plan.cuda_graphs = graphs == 1;
                    LpKernel kernels[LP_KERNELS_MAX];
                    guint n =
                        lp_block_kernels(&gpt, &plan, 0, (LpBlock)block, (LpPass)pass, kernels);
                    g_autofree char *label =
                        g_strdup_printf("host %g s, block %u, pass %u", hosts_s[h], block, pass);
                    Clock start = {5e-6, 0.0}, at = start;
                    double sum_s = 0.0;
                    for (guint part = 0; part < LP_N_PARTS; part++)
                        for (guint i = 0; i < n; i++) {
                            if (kernels[i].part != (LpPart)part)
                                continue;
                            double time_s =
                                lp_kernel_time_s(&kernels[i], &accelerator, plan.precision);
                            at = issue(at, time_s, graphs == 1 ? 0.0 : hosts_s[h]);
                            sum_s += time_s;
                        }
                    LpWork work =
                        lp_block_work(&gpt, &plan, &accelerator, 0, (LpBlock)block, (LpPass)pass);
                    Clock end = apply(start, work);
                    lp_test_close(label, fmax(end.device_s, end.host_s),
                                  fmax(at.device_s, at.host_s), IDENTITY);
                    lp_test_close(label, end.host_s, at.host_s, IDENTITY);
                    lp_test_close(
                        label,
                        lp_block_time_s(&gpt, &plan, &accelerator, 0, (LpBlock)block, (LpPass)pass),
                        sum_s, IDENTITY);
                }
}

/* A tp beyond the key-value heads copies them: 4 heads' worth of keys in place of 2. */
static void
test_copied_heads(void)
{
    LpTransformer llama = lp_test_llama(1, 64, 8, 2, 128, 32);
    LpPlan plan = lp_test_plan(4, 1, 1, 1, 1);
    LpKernel kernels[LP_KERNELS_MAX];
    guint n_kernels =
        lp_block_kernels(&llama, &plan, 0, LP_BLOCK_ATTENTION, LP_PASS_FORWARD, kernels);
    lp_test_close("16 of queries, 8 of keys, 8 of values", find(kernels, n_kernels, "qkv")->n, 32.0,
                  0.0);
}

static void
test_recompute(void)
{
    LpTransformer gpt = lp_test_gpt(2, 64, 4);
    LpPlan plan = lp_test_plan(1, 1, 1, 1, 1);
    LpAccelerator accelerator = lp_test_accelerator();
    static const struct {
        const char *label;
        LpRecompute recompute;
        LpAttentionKind attention;
        guint n_kernels[LP_N_BLOCKS];
    } rows[] = {
        {"none", LP_RECOMPUTE_NONE, LP_ATTENTION_UNFUSED, {0}},
        {"selective", LP_RECOMPUTE_SELECTIVE, LP_ATTENTION_UNFUSED, {[LP_BLOCK_ATTENTION] = 4}},
        {"selective flash", LP_RECOMPUTE_SELECTIVE, LP_ATTENTION_FLASH, {0}},
        {"full",
         LP_RECOMPUTE_FULL,
         LP_ATTENTION_UNFUSED,
         {[LP_BLOCK_ATTENTION] = 8, [LP_BLOCK_FFN] = 5}},
        {"full flash",
         LP_RECOMPUTE_FULL,
         LP_ATTENTION_FLASH,
         {[LP_BLOCK_ATTENTION] = 5, [LP_BLOCK_FFN] = 5}},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        plan.recompute = rows[i].recompute;
        gpt.attention = rows[i].attention;
        for (guint block = 0; block < LP_N_BLOCKS; block++) {
            LpKernel kernels[LP_KERNELS_MAX];
            lp_test_true(rows[i].label,
                         lp_block_kernels(&gpt, &plan, 0, (LpBlock)block, LP_PASS_RECOMPUTE,
                                          kernels) == rows[i].n_kernels[block]);
        }
    }
    lp_test_close("full takes a forward pass",
                  lp_block_time_s(&gpt, &plan, &accelerator, 0, LP_BLOCK_FFN, LP_PASS_RECOMPUTE),
                  lp_block_time_s(&gpt, &plan, &accelerator, 0, LP_BLOCK_FFN, LP_PASS_FORWARD),
                  0.0);
}

static void
test_no_embedding(void)
{
    LpTransformer gpt = lp_test_gpt(2, 64, 4);
    LpPlan plan = lp_test_plan(1, 1, 1, 1, 1);
    gpt.embedding = FALSE;
    LpKernel kernels[LP_KERNELS_MAX];
    for (guint pass = 0; pass < LP_N_PASSES; pass++) {
        lp_test_true("no embedding", lp_block_kernels(&gpt, &plan, 0, LP_BLOCK_EMBEDDING,
                                                      (LpPass)pass, kernels) == 0);
        lp_test_true("no head",
                     lp_block_kernels(&gpt, &plan, 0, LP_BLOCK_HEAD, (LpPass)pass, kernels) == 0);
    }
}

static void
test_optimizer(void)
{
    static const struct {
        const char *label;
        LpPrecision precision;
        guint32 gradient_bytes;
        double bytes; /* a parameter */
    } rows[] = {
        {"fp16, fp32 gradients", LP_PRECISION_FP16, 4, 30.0},
        {"bf16, 2-byte gradients", LP_PRECISION_BF16, 2, 28.0},
        {"fp32", LP_PRECISION_FP32, 4, 28.0},
    };
    LpTransformer gpt = lp_test_gpt(4, 64, 4);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpPlan plan = lp_test_plan(2, 2, 1, 1, 1);
        plan.precision = rows[i].precision;
        plan.gradient_bytes = rows[i].gradient_bytes;
        double parameters = lp_plan_stage_parameters(&plan, &gpt, 1);
        lp_test_close(rows[i].label, lp_optimizer_time_s(&gpt, &plan, &round_numbers, 1),
                      parameters * rows[i].bytes / 0.8e12 + 1e-6, IDENTITY);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"time", test_time},
        {"products", test_products},
        {"bytes", test_bytes},
        {"eager", test_eager},
        {"light", test_light},
        {"precisions", test_precisions},
        {"streams", test_streams},
        {"streams of experts", test_expert_streams},
        {"identity", test_identity},
        {"identity of contexts", test_identity_of_contexts},
        {"identity of experts", test_identity_of_experts},
        {"identity of kinds", test_identity_of_kinds},
        {"copied heads", test_copied_heads},
        {"copied compression", test_copied_compression},
        {"padding", test_padding},
        {"work", test_work},
        {"block work", test_block_work},
        {"recompute", test_recompute},
        {"no embedding", test_no_embedding},
        {"optimizer", test_optimizer},
        {NULL, NULL},
    };
    return lp_test_run("kernel", cases);
}
