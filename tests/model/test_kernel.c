/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/model/shapes.h"
#include "tests/testlib.h"

#include <string.h>

#define IDENTITY 1e-12 /* the same sum in another order */

/* 100 TFLOP/s and 1 TB/s, of which half and four fifths are reached; a launch takes 1 us. */
static const LpAccelerator round_numbers = {
    .peak_flop_per_s = {[LP_PRECISION_FP16] = 100e12},
    .memory_bytes_per_s = 1e12,
    .gemm_efficiency = 0.5,
    .memory_efficiency = 0.8,
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
        {"bound by operations: 4e9 / 5e13", {"", 1000, 1000, 1000, 2, 1e6, FALSE}, 80e-6 + 1e-6},
        {"bound by memory: 8e8 / 8e11", {"", 1000, 1000, 1000, 2, 8e8, FALSE}, 1e-3 + 1e-6},
        {"no product at all: 8e5 / 8e11", {"", 0, 0, 0, 0, 8e5, FALSE}, 1e-6 + 1e-6},
        {"nothing: a launch", {"", 0, 0, 0, 0, 0, FALSE}, 1e-6},
        {"largest", {"", 1 << 24, 1 << 24, 1 << 24, 1, 0, FALSE}, 9.444732965739290e21 / 5e13},
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
        guint n_kernels = lp_block_kernels(&gpt, &plan, rows[i].block, rows[i].pass, kernels);
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
        guint n_kernels = lp_block_kernels(&gpt, &plan, rows[i].block, rows[i].pass, kernels);
        const LpKernel *kernel = find(kernels, n_kernels, rows[i].name);
        lp_test_true(rows[i].name, kernel != NULL);
        if (kernel != NULL)
            lp_test_close(rows[i].name, kernel->bytes, rows[i].bytes, 0.0);
    }
}

static double
block_flop(const LpTransformer *transformer, const LpPlan *plan, LpBlock block)
{
    double sum = 0.0;
    for (guint pass = 0; pass < LP_N_PASSES; pass++) {
        LpKernel kernels[LP_KERNELS_MAX];
        guint n_kernels = lp_block_kernels(transformer, plan, block, (LpPass)pass, kernels);
        for (guint i = 0; i < n_kernels; i++)
            sum += lp_kernel_flop(&kernels[i]);
    }
    return sum;
}

/* FLOP of all kernels of all ranks in one iteration. */
static double
iteration_flop(const LpTransformer *transformer, const LpPlan *plan)
{
    double layer = block_flop(transformer, plan, LP_BLOCK_ATTENTION) +
                   block_flop(transformer, plan, LP_BLOCK_FFN);
    double ends = block_flop(transformer, plan, LP_BLOCK_EMBEDDING) +
                  block_flop(transformer, plan, LP_BLOCK_HEAD);
    double ranks_a_stage = (double)lp_plan_n_ranks(plan) / plan->degree[LP_AXIS_PP];
    return ranks_a_stage * lp_plan_n_micro_batches(plan) * (transformer->n_layers * layer + ends);
}

/* For every way to train them, kernels add up to the FLOP of the plan. */
static void
check_identity(const char *label, LpTransformer transformer, LpPlan plan)
{
    for (guint recompute = LP_RECOMPUTE_NONE; recompute <= LP_RECOMPUTE_FULL; recompute++)
        for (guint parallel = 0; parallel < 2; parallel++)
            for (guint embedding = 0; embedding < 2; embedding++) {
                plan.recompute = (LpRecompute)recompute;
                plan.sequence_parallel = parallel == 1;
                transformer.embedding = embedding == 1;
                transformer.attention = LP_ATTENTION_UNFUSED;
                lp_test_close(label, iteration_flop(&transformer, &plan),
                              lp_plan_hardware_flop(&plan, &transformer), IDENTITY);
                transformer.attention = LP_ATTENTION_FLASH;
                double again = 0.5 * transformer.n_layers *
                               lp_transformer_scores_forward_flop(&transformer, plan.global_batch);
                lp_test_close(label, iteration_flop(&transformer, &plan),
                              lp_plan_hardware_flop(&plan, &transformer) + again, IDENTITY);
            }
}

static void
test_identity(void)
{
    check_identity("one rank", lp_test_gpt(2, 64, 4), lp_test_plan(1, 1, 1, 1, 1));
    check_identity("GPT-3", lp_test_gpt(96, 12288, 96), lp_test_plan(8, 8, 16, 1, 1536));
    check_identity("1T", lp_test_gpt(128, 25600, 160), lp_test_plan(8, 64, 6, 1, 3072));
    check_identity("Llama 2 70B", lp_test_llama(80, 8192, 64, 8, 28672, 32000),
                   lp_test_plan(8, 4, 2, 2, 64));
}

/* A tp beyond the key-value heads copies them: 4 heads' worth of keys in place of 2. */
static void
test_copied_heads(void)
{
    LpTransformer llama = lp_test_llama(1, 64, 8, 2, 128, 32);
    LpPlan plan = lp_test_plan(4, 1, 1, 1, 1);
    LpKernel kernels[LP_KERNELS_MAX];
    guint n_kernels = lp_block_kernels(&llama, &plan, LP_BLOCK_ATTENTION, LP_PASS_FORWARD, kernels);
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
        guint n_kernels[LP_N_BLOCKS]; /* embedding, attention, ffn, head */
    } rows[] = {
        {"none", LP_RECOMPUTE_NONE, LP_ATTENTION_UNFUSED, {0, 0, 0, 0}},
        {"selective", LP_RECOMPUTE_SELECTIVE, LP_ATTENTION_UNFUSED, {0, 4, 0, 0}},
        {"selective flash", LP_RECOMPUTE_SELECTIVE, LP_ATTENTION_FLASH, {0, 0, 0, 0}},
        {"full", LP_RECOMPUTE_FULL, LP_ATTENTION_UNFUSED, {0, 8, 5, 0}},
        {"full flash", LP_RECOMPUTE_FULL, LP_ATTENTION_FLASH, {0, 5, 5, 0}},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        plan.recompute = rows[i].recompute;
        gpt.attention = rows[i].attention;
        for (guint block = 0; block < LP_N_BLOCKS; block++) {
            LpKernel kernels[LP_KERNELS_MAX];
            lp_test_true(rows[i].label,
                         lp_block_kernels(&gpt, &plan, (LpBlock)block, LP_PASS_RECOMPUTE,
                                          kernels) == rows[i].n_kernels[block]);
        }
    }
    lp_test_close("full takes a forward pass",
                  lp_block_time_s(&gpt, &plan, &accelerator, LP_BLOCK_FFN, LP_PASS_RECOMPUTE),
                  lp_block_time_s(&gpt, &plan, &accelerator, LP_BLOCK_FFN, LP_PASS_FORWARD), 0.0);
}

static void
test_no_embedding(void)
{
    LpTransformer gpt = lp_test_gpt(2, 64, 4);
    LpPlan plan = lp_test_plan(1, 1, 1, 1, 1);
    gpt.embedding = FALSE;
    LpKernel kernels[LP_KERNELS_MAX];
    for (guint pass = 0; pass < LP_N_PASSES; pass++) {
        lp_test_true("no embedding",
                     lp_block_kernels(&gpt, &plan, LP_BLOCK_EMBEDDING, (LpPass)pass, kernels) == 0);
        lp_test_true("no head",
                     lp_block_kernels(&gpt, &plan, LP_BLOCK_HEAD, (LpPass)pass, kernels) == 0);
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
        {"identity", test_identity},
        {"copied heads", test_copied_heads},
        {"recompute", test_recompute},
        {"no embedding", test_no_embedding},
        {"optimizer", test_optimizer},
        {NULL, NULL},
    };
    return lp_test_run("kernel", cases);
}
