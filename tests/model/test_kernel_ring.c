/* SPDX-License-Identifier: Apache-2.0 */
/* Attention over a ring of context parallelism: its kernels, their bytes, launches and time. */
#include "tests/model/shapes.h"
#include "tests/testlib.h"

#define IDENTITY 1e-12 /* the same sum in another order */

/* What @rank of a ring of @n passes through memory at @step, in elements of its own tokens, as
 * Transformer Engine writes it (context_parallel.py: "fwd output correction", "dq ...", "dkv
 * correction"): a copy is 2, a sum 3. Under the mask a step is of half of the queries, of half of
 * the keys, or of the rank's own of both. */
static double
masked_step(const char *what, guint n, guint rank, guint step)
{
    guint own = n - 1 - rank; /* backward, the step of the rank's own */
    if (*what == 'o')
        return step == 0 ? 2.0 : step <= rank ? 3.0 : 1.5;
    if (*what == 'q') {
        if (step < own)
            return step == 0 ? 1.0 : 1.5;
        return step > own ? 3.0 : step == 0 ? 2.0 : 1.0 + 1.5;
    }
    if (step == n - 1)
        return rank == 0 ? 1.5 + 1.0 : 3.0;
    if (step < own)
        return step == 0 ? 2.0 : 3.0;
    return step == 0 ? 1.0 : 1.5;
}

/* Over all ranks and steps; queries and mixtures are 64 wide, keys and values 32. Without a mask
 * each step is whole. */
static void
test_ring(void)
{
    static const struct {
        const char *what;
        double width;
        LpPass pass;
        const char *name;
    } rows[] = {{"o", 64.0, LP_PASS_FORWARD, "ring-merge"},
                {"q", 64.0, LP_PASS_BACKWARD_INPUT, "ring-merge-gradients"},
                {"k", 64.0, LP_PASS_BACKWARD_INPUT, "ring-merge-gradients"}};
    LpTransformer shape = lp_test_llama(1, 64, 8, 4, 256, 32000);
    for (guint32 n = 2; n <= 8; n *= 2) {
        LpPlan plan = lp_test_plan(1, 1, 1, 1, 1);
        plan.degree[LP_AXIS_CP] = n;
        double own_bytes = 2.0 * shape.seq / n, sums[2] = {0.0, 0.0};
        for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
            for (guint rank = 0; rank < n; rank++)
                for (guint step = 0; step < n; step++)
                    sums[i > 0] += masked_step(rows[i].what, n, rank, step) * rows[i].width / n;
        for (guint pass = 0; pass < 2; pass++)
            lp_test_close(rows[pass].name,
                          lp_test_kernel_bytes(&shape, &plan, LP_BLOCK_ATTENTION, rows[pass].pass,
                                               rows[pass].name),
                          sums[pass] * own_bytes, IDENTITY);
        lp_test_close(
            "keys and values are sent as one",
            lp_test_kernel_bytes(&shape, &plan, LP_BLOCK_ATTENTION, LP_PASS_FORWARD, "ring-join"),
            2.0 * 64.0 * own_bytes, IDENTITY);
        LpTransformer open = shape;
        open.kind = LP_TRANSFORMER_ENCODER;
        lp_test_close(
            "without a mask",
            lp_test_kernel_bytes(&open, &plan, LP_BLOCK_ATTENTION, LP_PASS_FORWARD, "ring-merge"),
            (2.0 + 3.0 * (n - 1)) * 64.0 * own_bytes, IDENTITY);
        plan.context_kind = LP_CONTEXT_GATHERED_RING;
        lp_test_close(
            "summed in fp32: read and written whole each step, which is read whole or half",
            lp_test_kernel_bytes(&shape, &plan, LP_BLOCK_ATTENTION, LP_PASS_FORWARD, "ring-merge"),
            (2.0 + 4.0 + (1.5 + 8.0) * (n - 1)) * 32.0 * own_bytes, IDENTITY);
        plan.context_kind = LP_CONTEXT_ULYSSES;
        lp_test_close(
            "whole heads have nothing to merge",
            lp_test_kernel_bytes(&shape, &plan, LP_BLOCK_ATTENTION, LP_PASS_FORWARD, "ring-merge"),
            0.0, 0.0);
    }
}

/* Kernels that merge gradients at @step of @n on @rank: one of queries, which at the rank's own
 * step copies one half and adds the other by another kernel, and one of keys and values, of which
 * rank 0 does so at the last (Transformer Engine, context_parallel.py,
 * AttnFuncWithCPAndKVP2P.backward). */
static guint
merging_kernels(guint32 n, guint32 rank, guint32 step)
{
    gboolean splits_queries = step == n - rank - 1 && rank < n - 1;
    gboolean splits_keys = step == n - 1 && rank == 0;
    return 2u + (splits_queries ? 1u : 0u) + (splits_keys ? 1u : 0u);
}

static void
assert_launches(const char *name, const LpPlan *plan, LpPass pass, guint32 expected)
{
    LpTransformer shape = lp_test_llama(1, 64, 8, 4, 256, 32000);
    LpKernel kernels[LP_KERNELS_MAX];
    guint n = lp_block_kernels(&shape, plan, 0, LP_BLOCK_ATTENTION, pass, kernels);
    const LpKernel *kernel = lp_test_find_kernel(kernels, n, name);
    lp_test_close(name, kernel == NULL ? 0.0 : MAX(1, kernel->n_launches), expected, 0.0);
}

/* What scores were of all is copied at the first step and merged at each other; keys and values are
 * copied once each way; backward a half of the scores' sums is copied, too. */
static void
test_ring_launches(void)
{
    for (guint32 n = 2; n <= 16; n *= 2) {
        LpPlan plan = lp_test_plan(1, 1, 1, 1, 1);
        plan.degree[LP_AXIS_CP] = n;
        guint merging = 0;
        for (guint rank = 0; rank < n; rank++)
            for (guint step = 0; step < n; step++)
                merging += merging_kernels(n, rank, step);
        assert_launches("ring-join", &plan, LP_PASS_FORWARD, 1);
        assert_launches("ring-scales", &plan, LP_PASS_FORWARD, n);
        assert_launches("ring-merge", &plan, LP_PASS_FORWARD, n);
        assert_launches("ring-join", &plan, LP_PASS_BACKWARD_INPUT, 1);
        assert_launches("ring-scales", &plan, LP_PASS_BACKWARD_INPUT, 1);
        assert_launches("ring-merge-gradients", &plan, LP_PASS_BACKWARD_INPUT, merging / n);
        plan.context_kind = LP_CONTEXT_GATHERED_RING; /* compiled: one kernel a step */
        assert_launches("ring-scales", &plan, LP_PASS_FORWARD, 0);
        assert_launches("ring-merge-gradients", &plan, LP_PASS_BACKWARD_INPUT, n);
    }
}

/* Keys and values that come one after the other are attended to one after the other: a kernel each,
 * which begins anew. So a ring of c takes as long as one rank's kernel over as many queries and
 * keys, and c - 1 launches and c - 1 times the keys' ramp more (a block that begins and ends is as
 * some keys more). */
static void
test_ring_steps(void)
{
    LpAccelerator accelerator = {.name = "test",
                                 .peak_flop_per_s = {[LP_PRECISION_FP16] = 1e15},
                                 .memory_bytes_per_s = 3e12,
                                 .gemm_efficiency = 0.7,
                                 .attention_efficiency = 0.5,
                                 .attention_ramp_keys = 100.0,
                                 .memory_efficiency = 0.9,
                                 .launch_s = 1e-5,
                                 .host_kernel_s = 3e-5};
    LpTransformer shape = lp_test_llama(1, 4096, 32, 32, 16384, 32000);
    shape.seq = 65536;
    shape.attention = LP_ATTENTION_FLASH;
    for (guint32 c = 1; c <= 8; c *= 2) {
        LpPlan plan = lp_test_plan(1, 1, 1, 1, 1);
        plan.degree[LP_AXIS_CP] = c;
        LpKernel kernels[LP_KERNELS_MAX];
        guint n = lp_block_kernels(&shape, &plan, 0, LP_BLOCK_ATTENTION, LP_PASS_FORWARD, kernels);
        LpKernel steps = *lp_test_find_kernel(kernels, n, "flash"), whole = steps;
        whole.n_launches = 1;
        LpWork of_steps = lp_kernel_work(&steps, &plan, &accelerator),
               of_whole = lp_kernel_work(&whole, &plan, &accelerator);
        double ramp_s = lp_kernel_flop(&whole) / 65536.0 * 100.0 / 0.5e15;
        lp_test_close("device", of_steps.device_s - of_whole.device_s, (c - 1) * (1e-5 + ramp_s),
                      1e-9);
        lp_test_close("host", of_steps.host_s, c * 3e-5, IDENTITY);
        plan.context_kind = LP_CONTEXT_GATHER;
        n = lp_block_kernels(&shape, &plan, 0, LP_BLOCK_ATTENTION, LP_PASS_FORWARD, kernels);
        lp_test_close(
            "all at once",
            lp_kernel_work(lp_test_find_kernel(kernels, n, "flash"), &plan, &accelerator).device_s,
            of_whole.device_s, IDENTITY);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"bytes", test_ring},
        {"launches", test_ring_launches},
        {"steps", test_ring_steps},
        {NULL, NULL},
    };
    return lp_test_run("kernels of a ring", cases);
}
