/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/model/shapes.h"
#include "tests/testlib.h"

#include <string.h>

#define IDENTITY 1e-12 /* the same sum in another order */

/* What products bring along, counted by hand at the shape of test_bytes(): gradients of weights
 * are read, and their sums read and written, unless they are shared out (x + 2 g); operands of
 * narrow products are read in x bytes, twice where a scale is the tensor's own, and written in two
 * copies with their scales; weights that stage 3 gathers are cast to one. */
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
        {"blocks of 128", "cast", "up", LP_BLOCK_FFN, LP_PASS_FORWARD, LP_PRECISION_FP8_BLOCK, 4, 0,
         8 * 16 * (2 + 2 + 2 * 4 / 128.0)},
        {"blocks of 32", "cast", "up", LP_BLOCK_FFN, LP_PASS_FORWARD, LP_PRECISION_MXFP8, 4, 0,
         8 * 16 * (2 + 2 + 2 / 32.0)},
        {"four bits, blocks of 16", "cast", "up", LP_BLOCK_FFN, LP_PASS_FORWARD, LP_PRECISION_NVFP4,
         4, 0, 8 * 16 * (2 * 2 + 1 + 2 / 16.0)},
        {"a gathered weight", "cast-weight", "up", LP_BLOCK_FFN, LP_PASS_FORWARD,
         LP_PRECISION_NVFP4, 4, 3, 16 * 32 * (2 * 2 + 0.5 + 1 / 16.0)},
        {"and once more backward", "cast-weight", "up", LP_BLOCK_FFN, LP_PASS_BACKWARD_INPUT,
         LP_PRECISION_FP8, 4, 3, 16 * 32 * (2 + 1)},
        {"a weight that stays", "cast-weight", "up", LP_BLOCK_FFN, LP_PASS_FORWARD,
         LP_PRECISION_FP8, 4, 2, 0},
        {"nothing to cast", "cast", "up", LP_BLOCK_FFN, LP_PASS_FORWARD, LP_PRECISION_BF16, 4, 0,
         0},
    };
    LpTransformer gpt = lp_test_gpt(1, 16, 4);
    gpt.seq = 8;
    gpt.vocab = 32;
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpPlan plan = lp_test_plan(2, 1, 1, 1, 1);
        plan.format.precision = rows[i].precision;
        plan.format.gradient_bytes = rows[i].gradient_bytes;
        plan.zero.stage = rows[i].zero;
        LpKernel kernels[LP_KERNELS_MAX];
        guint n_kernels = lp_block_kernels(&gpt, &plan, 0, rows[i].block, rows[i].pass, kernels);
        guint at = 0;
        while (at < n_kernels && strcmp(kernels[at].name, rows[i].product) != 0)
            at++;
        lp_test_true(rows[i].label, at < n_kernels);
        /* Casts come before the product, sums behind it. */
        gboolean casts = g_str_has_prefix(rows[i].name, "cast");
        const LpKernel *kernel = casts ? (at > 0 ? &kernels[at - 1] : NULL)
                                       : (at + 1 < n_kernels ? &kernels[at + 1] : NULL);
        gboolean is_there = kernel != NULL && strcmp(kernel->name, rows[i].name) == 0;
        lp_test_true(rows[i].label, is_there == (rows[i].bytes > 0.0));
        if (!is_there)
            lp_test_true(rows[i].label,
                         lp_test_find_kernel(kernels, n_kernels, rows[i].name) == NULL);
        else
            lp_test_close(rows[i].label, kernel->bytes, rows[i].bytes, 0.0);
        /* A cast writes columns as rows, and looks for the largest value: no stream. */
        gboolean streams = strcmp(rows[i].name, "cast") != 0;
        if (is_there)
            lp_test_true(rows[i].label, kernel->streams == streams && kernel->n_batch == 0.0);
    }
}

/* Sums wider than gradients may take copies that were cast: x read and g written, then g read, and
 * the sum of g read and written: logits, 16 x 16 on a rank. */
static void
test_cast_gradients(void)
{
    static const struct {
        const char *label;
        guint32 gradient_bytes, zero;
        double cast_bytes, sum_bytes;
    } rows[] = {{"fp32", 4, 0, 2.0 + 4.0, 4.0 + 2.0 * 4.0},
                {"no wider than the gradient", 2, 0, 0.0, 2.0 + 2.0 * 2.0},
                {"shared out", 4, 3, 0.0, 0.0}};
    LpTransformer gpt = lp_test_gpt(1, 16, 4);
    gpt.vocab = 32;
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpPlan plan = lp_test_plan(2, 1, 1, 1, 1);
        plan.format.gradient_bytes = rows[i].gradient_bytes;
        lp_test_vary(&plan, "cast-gradients", TRUE);
        plan.zero.stage = rows[i].zero;
        LpKernel kernels[LP_KERNELS_MAX];
        guint n_kernels =
            lp_block_kernels(&gpt, &plan, 0, LP_BLOCK_HEAD, LP_PASS_BACKWARD_WEIGHT, kernels);
        const LpKernel *cast = lp_test_find_kernel(kernels, n_kernels, "cast-gradient");
        const LpKernel *sum = lp_test_find_kernel(kernels, n_kernels, "accumulate");
        lp_test_close(rows[i].label, cast == NULL ? 0.0 : cast->bytes,
                      16.0 * 16.0 * rows[i].cast_bytes, 0.0);
        lp_test_close(rows[i].label, sum == NULL ? 0.0 : sum->bytes,
                      16.0 * 16.0 * rows[i].sum_bytes, 0.0);
    }
}

/* 8 tokens, 16 wide, 16 words: cast where the logits are made in eight bits, and so for the
 * gradient. */
static void
test_narrow_logits(void)
{
    static const LpPass passes[] = {LP_PASS_FORWARD, LP_PASS_BACKWARD_INPUT};
    LpTransformer gpt = lp_test_gpt(1, 16, 4);
    gpt.seq = 8;
    gpt.vocab = 16;
    for (guint i = 0; i < G_N_ELEMENTS(passes); i++)
        for (guint narrow = 0; narrow < 2; narrow++) {
            LpPlan plan = lp_test_plan(1, 1, 1, 1, 1);
            plan.format.precision = LP_PRECISION_MXFP8;
            plan.traits[LP_TRAIT_NARROW_LOGITS] = narrow == 1;
            LpKernel kernels[LP_KERNELS_MAX];
            guint n = lp_block_kernels(&gpt, &plan, 0, LP_BLOCK_HEAD, passes[i], kernels);
            const LpKernel *logits = lp_test_find_kernel(kernels, n, "logits");
            const LpKernel *cast = lp_test_find_kernel(kernels, n, "cast");
            lp_test_true("logits", logits != NULL && logits->wide == (narrow == 0));
            lp_test_true("cast", (cast != NULL) == (narrow == 1));
            if (cast != NULL)
                lp_test_close("cast", cast->bytes, 8.0 * 16.0 * (2 + 2 + 2 / 32.0), IDENTITY);
        }
}

/* The product of a weight's gradient reads and writes the sum in place of its own result, and no
 * kernel follows: qkv of 8 tokens, 16 x 24 on a rank. */
static void
test_fused_accumulation(void)
{
    static const struct {
        const char *label;
        guint32 zero;
        double result_bytes;
    } rows[] = {{"the sum", 0, 2.0 * 4.0}, {"shared out: the gradient itself", 3, 2.0}};
    LpTransformer gpt = lp_test_gpt(1, 16, 4);
    gpt.seq = 8;
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpPlan plan = lp_test_plan(2, 1, 1, 1, 1);
        plan.format.gradient_bytes = 4;
        plan.zero.stage = rows[i].zero;
        lp_test_vary(&plan, "fused-accumulation", TRUE);
        LpKernel kernels[LP_KERNELS_MAX];
        guint n_kernels =
            lp_block_kernels(&gpt, &plan, 0, LP_BLOCK_ATTENTION, LP_PASS_BACKWARD_WEIGHT, kernels);
        lp_test_true(rows[i].label, lp_test_find_kernel(kernels, n_kernels, "accumulate") == NULL);
        const LpKernel *qkv = lp_test_find_kernel(kernels, n_kernels, "qkv");
        lp_test_true(rows[i].label, qkv != NULL);
        if (qkv != NULL)
            lp_test_close(rows[i].label, qkv->bytes,
                          2.0 * (16.0 * 8.0 + 8.0 * 24.0) + rows[i].result_bytes * 16.0 * 24.0,
                          0.0);
    }
}

/* A cast reads 2 bytes an element and writes a byte twice; with a scale of its own it reads twice.
 * What goes up and through the gate is cast once. */
static void
test_scaling(void)
{
    LpTransformer shape = lp_test_llama(1, 64, 8, 4, 256, 32000);
    LpPlan plan = lp_test_plan(1, 1, 1, 1, 1);
    plan.format.precision = LP_PRECISION_FP8;
    double tokens = shape.seq;
    lp_test_close("scales of before",
                  lp_test_kernel_bytes(&shape, &plan, LP_BLOCK_FFN, LP_PASS_FORWARD, "cast"),
                  tokens * (64 + 256) * (2.0 + 2.0), IDENTITY);
    plan.format.scaling = LP_SCALING_CURRENT;
    lp_test_close("its own",
                  lp_test_kernel_bytes(&shape, &plan, LP_BLOCK_FFN, LP_PASS_FORWARD, "cast"),
                  tokens * (64 + 256) * (4.0 + 2.0), IDENTITY);
}

/* Four bits: a cast reads for the tensor's largest value, and once more for both copies, or for
 * each of them; three small kernels before each of the products of either pass are one launch. */
static void
test_casts_apart(void)
{
    LpTransformer shape = lp_test_llama(1, 64, 8, 4, 256, 32000);
    LpAccelerator accelerator = {.memory_bytes_per_s = 1e12,
                                 .memory_efficiency = 0.9,
                                 .elementwise_efficiency = 0.5,
                                 .launch_s = 10e-6};
    LpPlan plan = lp_test_plan(1, 1, 1, 1, 1);
    plan.format.precision = LP_PRECISION_NVFP4;
    double tokens = shape.seq, copies = 2.0 * (0.5 + 1.0 / 16.0);
    lp_test_close("together",
                  lp_test_kernel_bytes(&shape, &plan, LP_BLOCK_FFN, LP_PASS_FORWARD, "cast"),
                  tokens * (64 + 256) * (2.0 * 2.0 + copies), IDENTITY);
    lp_test_vary(&plan, "casts-apart", TRUE);
    lp_test_vary(&plan, "scales-apart", TRUE);
    lp_test_close("apart",
                  lp_test_kernel_bytes(&shape, &plan, LP_BLOCK_FFN, LP_PASS_FORWARD, "cast"),
                  tokens * (64 + 256) * (3.0 * 2.0 + copies), IDENTITY);
    static const struct {
        LpBlock block;
        LpPass pass;
        guint n;
    } rows[] = {{LP_BLOCK_ATTENTION, LP_PASS_FORWARD, 2},
                {LP_BLOCK_FFN, LP_PASS_BACKWARD_INPUT, 2},
                {LP_BLOCK_FFN, LP_PASS_BACKWARD_WEIGHT, 2},
                {LP_BLOCK_HEAD, LP_PASS_FORWARD, 0}}; /* logits stay in 16 bits */
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpKernel kernels[LP_KERNELS_MAX];
        guint n = lp_block_kernels(&shape, &plan, 0, rows[i].block, rows[i].pass, kernels);
        guint n_scales = 0;
        for (guint k = 0; k < n; k++) {
            if (strcmp(kernels[k].name, "scales") != 0)
                continue;
            n_scales++;
            lp_test_close("one launch",
                          lp_kernel_time_s(&kernels[k], &accelerator, plan.format.precision), 10e-6,
                          IDENTITY);
        }
        lp_test_true("scales before each product", n_scales == rows[i].n);
    }
    plan.format.precision = LP_PRECISION_MXFP8;
    lp_test_close("other formats",
                  lp_test_kernel_bytes(&shape, &plan, LP_BLOCK_FFN, LP_PASS_FORWARD, "cast"),
                  tokens * (64 + 256) * (2.0 + 2.0 * (1.0 + 1.0 / 32.0)), IDENTITY);
}

/* What lies by sequence is copied, read and written, at each of the five collectives of a block,
 * unless these are split. */
static void
test_reorder(void)
{
    static const struct {
        const char *label;
        LpActivationLayout layout;
        gboolean sequence_parallel;
        LpOverlapTp overlap;
        gboolean pairs;
        double forward, backward, weight;
    } rows[] = {
        {"by position", LP_LAYOUT_SEQUENCE_FIRST, TRUE, LP_OVERLAP_TP_NO, FALSE, 0, 0, 0},
        {"by sequence", LP_LAYOUT_BATCH_FIRST, TRUE, LP_OVERLAP_TP_NO, FALSE, 2, 2, 1},
        {"whole sums", LP_LAYOUT_BATCH_FIRST, FALSE, LP_OVERLAP_TP_NO, FALSE, 0, 0, 0},
        {"split", LP_LAYOUT_BATCH_FIRST, TRUE, LP_OVERLAP_TP_RING, FALSE, 0, 0, 0},
        {"in pairs", LP_LAYOUT_BATCH_FIRST, TRUE, LP_OVERLAP_TP_RING, TRUE, 0, 1, 1},
    };
    LpTransformer shape = lp_test_llama(1, 64, 8, 4, 256, 32000);
    double copy = 2.0 * 2.0 * shape.seq * 64.0;
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpPlan plan = lp_test_plan(2, 1, 1, 1, 1);
        plan.traits[LP_TRAIT_LAYOUT] = rows[i].layout;
        plan.sequence_parallel = rows[i].sequence_parallel;
        plan.overlap.tp = rows[i].overlap;
        plan.traits[LP_TRAIT_OVERLAP_TP_PAIRS] = rows[i].pairs ? 1 : 0;
        for (guint block = 0; block < 2; block++) {
            LpBlock which = block == 0 ? LP_BLOCK_ATTENTION : LP_BLOCK_FFN;
            lp_test_close(rows[i].label,
                          lp_test_kernel_bytes(&shape, &plan, which, LP_PASS_FORWARD, "reorder"),
                          rows[i].forward * copy, 0.0);
            lp_test_close(
                rows[i].label,
                lp_test_kernel_bytes(&shape, &plan, which, LP_PASS_BACKWARD_INPUT, "reorder"),
                rows[i].backward * copy, 0.0);
            lp_test_close(
                rows[i].label,
                lp_test_kernel_bytes(&shape, &plan, which, LP_PASS_BACKWARD_WEIGHT, "reorder"),
                rows[i].weight * copy, 0.0);
        }
    }
}

/* A layer's P parameters are copied out of what was gathered, 2 bytes read and written, before
 * each pass that gathers them, and their gradients into what is scattered, 2 read and 4 written. */
static void
test_unit_copies(void)
{
    static const struct {
        const char *label;
        guint32 zero;
        gboolean keeps;
        double out, in; /* bytes a parameter */
        LpGatherUnit unit;
        double bucket;
    } rows[] = {
        {"gathered twice", 3, FALSE, 8.0, 6.0, LP_GATHER_UNIT_LAYER, 0.0},
        {"kept until backward", 3, TRUE, 4.0, 6.0, LP_GATHER_UNIT_LAYER, 0.0},
        {"not gathered", 2, FALSE, 0.0, 0.0, LP_GATHER_UNIT_LAYER, 0.0},
        {"tensors that come together", 3, FALSE, 8.0, 6.0, LP_GATHER_UNIT_TENSOR, 1e9},
        {"or each by itself", 3, FALSE, 0.0, 6.0, LP_GATHER_UNIT_TENSOR, 0.0},
    };
    LpTransformer shape = lp_test_llama(1, 64, 8, 4, 256, 32000);
    double parameters = 64.0 * (64.0 + 64.0 + 64.0) + 3.0 * 64.0 * 256.0;
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpPlan plan = lp_test_plan(1, 1, 2, 1, 2);
        plan.recompute = LP_RECOMPUTE_FULL;
        plan.format.gradient_bytes = 4;
        lp_test_vary(&plan, "unit-copies", TRUE);
        plan.zero.stage = rows[i].zero;
        plan.zero.keeps_parameters = rows[i].keeps;
        plan.traits[LP_TRAIT_GATHER_UNIT] = rows[i].unit;
        plan.zero.gather_bucket = rows[i].bucket;
        double out = 0.0, in = 0.0;
        for (guint pass = 0; pass < LP_N_PASSES; pass++)
            for (guint block = 0; block < 2; block++) {
                LpBlock which = block == 0 ? LP_BLOCK_ATTENTION : LP_BLOCK_FFN;
                out += lp_test_kernel_bytes(&shape, &plan, which, (LpPass)pass, "copy-out");
                in += lp_test_kernel_bytes(&shape, &plan, which, (LpPass)pass, "copy-in");
            }
        lp_test_close(rows[i].label, out, rows[i].out * parameters, IDENTITY);
        lp_test_close(rows[i].label, in, rows[i].in * parameters, IDENTITY);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"streams", test_streams},
        {"cast gradients", test_cast_gradients},
        {"narrow logits", test_narrow_logits},
        {"fused accumulation", test_fused_accumulation},
        {"scaling", test_scaling},
        {"casts apart", test_casts_apart},
        {"reorder", test_reorder},
        {"unit copies", test_unit_copies},
        {NULL, NULL},
    };
    return lp_test_run("kernel list", cases);
}
