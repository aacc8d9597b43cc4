/* SPDX-License-Identifier: Apache-2.0 */
/* What loops and hooks in Python cost: their kernels and what their host does besides. */
#include "tests/model/shapes.h"
#include "tests/testlib.h"

#define IDENTITY 1e-12 /* the same sum in another order */

/* What a kernel of @name in @pass of the experts of @plan is; its name is "name". */
static LpKernel
experts_kernel(const LpPlan *plan, LpPass pass, const char *name)
{
    LpTransformer shape = lp_test_experts();
    LpKernel kernels[LP_KERNELS_MAX];
    guint n = lp_block_kernels(&shape, plan, 0, LP_BLOCK_EXPERTS, pass, kernels);
    return *lp_test_find_kernel(kernels, n, name);
}

/* Kernels for each of 4 experts, for whose tokens the host waits, and operations of 12 us; counts
 * of transformers 5 are those that a profiler shows on an H100 for 381 experts that had tokens
 * (validation/gpu): 20 and 38 with products, of which there are 2 and 4. */
static void
test_loop(void)
{
    LpPlan plan = lp_test_expert_ranks();
    static const struct {
        const char *variant;
        double kernels, operations, kernels_back;
    } rows[] = {{"expert-loop", 14, 12, 28}, {"expert-slices", 20 - 2, 15, 38 - 4}};
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        lp_test_vary(&plan, rows[i].variant, TRUE);
        LpKernel loop = experts_kernel(&plan, LP_PASS_FORWARD, "loop");
        lp_test_true("waits", loop.waits);
        lp_test_close("kernels", loop.n_launches, rows[i].kernels * 4.0, 0.0);
        loop = experts_kernel(&plan, LP_PASS_FORWARD, "loop-operations");
        lp_test_close("operations", loop.seconds, rows[i].operations * 4.0 * 12e-6, IDENTITY);
        loop = experts_kernel(&plan, LP_PASS_BACKWARD_INPUT, "loop-backward");
        lp_test_close("kernels, backward", loop.n_launches, rows[i].kernels_back * 4.0, 0.0);
    }
    /* An expert's gradient is zeros, a copy of its own and a sum, of up with gate and down. */
    LpTransformer shape = lp_test_experts();
    double weights_bytes = 4.0 * 3.0 * shape.hidden * lp_transformer_expert_ffn(&shape) * 2.0;
    LpKernel slices = experts_kernel(&plan, LP_PASS_BACKWARD_INPUT, "slices");
    lp_test_close("slices", slices.bytes, (4.0 * 4.0 + 2.0) * weights_bytes, IDENTITY);
}

/* What the host does for each of the tensors of stage 3, experts' among them, however it issues
 * them: operations of 12 us, and a slice of 10 us for each rank where tensors are joined. */
static void
test_hooks(void)
{
    LpTransformer shape = lp_test_experts();
    LpPlan plan = lp_test_expert_ranks();
    LpKernel kernels[LP_KERNELS_MAX];
    lp_test_vary(&plan, "tensor-hooks", TRUE);
    static const struct {
        guint32 dp;
        double gather_bucket;
        LpBlock block;
        LpPass pass;
        double tensors, operations, slices; /* qkv and projection, experts' up with gate and down */
    } rows[] = {
        {1, 0.0, LP_BLOCK_ATTENTION, LP_PASS_FORWARD, 2.0, 11.0, 0.0},
        {4, 0.0, LP_BLOCK_ATTENTION, LP_PASS_FORWARD, 2.0, 17.0, 0.0},
        {4, 1e9, LP_BLOCK_ATTENTION, LP_PASS_FORWARD, 2.0, 17.0, 4.0},
        {4, 0.0, LP_BLOCK_ATTENTION, LP_PASS_BACKWARD_WEIGHT, 2.0, 12.0, 4.0},
        {4, 0.0, LP_BLOCK_EXPERTS, LP_PASS_FORWARD, 8.0 * 2.0, 10.0, 4.0},
    };
    for (guint stage = 2; stage < 4; stage++)
        for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
            double hooks_s = 0.0;
            plan.zero.stage = stage;
            plan.degree[LP_AXIS_DP] = rows[i].dp;
            plan.degree[LP_AXIS_EP] = 1;
            plan.zero.gather_bucket = rows[i].gather_bucket;
            guint n = lp_block_kernels(&shape, &plan, 0, rows[i].block, rows[i].pass, kernels);
            for (guint k = 0; k < n; k++)
                hooks_s += kernels[k].host_overhead_s;
            double wanted_s =
                rows[i].tensors * (rows[i].operations * 12e-6 + rows[i].slices * 10e-6);
            lp_test_close("hooks", hooks_s, stage == 3 ? wanted_s : 0.0, IDENTITY);
        }
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"loops over experts", test_loop},
        {"hooks of tensors", test_hooks},
        {NULL, NULL},
    };
    return lp_test_run("kernels of loops in Python", cases);
}
