/* SPDX-License-Identifier: Apache-2.0 */
#include "model/times/kernel_census.h"

#include "model/closed_form/closed_form_terms.h"
#include "tests/model/shapes.h"
#include "tests/testlib.h"

#define IDENTITY 1e-12 /* the same sum in another order */

static double
census_flop(const GArray *counts)
{
    double sum = 0.0;
    for (guint i = 0; i < counts->len; i++) {
        const LpKernelCount *count = &g_array_index(counts, LpKernelCount, i);
        sum += count->n_runs * lp_kernel_flop(&count->kernel);
    }
    return sum;
}

/* All kernels are the plan's FLOP, and the closed form's computing, whatever is run again and
 * however layers differ. */
static void
check(const char *label, LpTransformer shape, LpPlan plan)
{
    LpAccelerator accelerator = lp_test_accelerator();
    LpClosedFormInput input = {.transformer = &shape, .plan = &plan, .accelerator = &accelerator};
    for (LpRecompute again = LP_RECOMPUTE_NONE; again <= LP_RECOMPUTE_FULL; again++) {
        plan.recompute = again;
        g_autoptr(GArray) counts = lp_kernel_census(&shape, &plan, &accelerator);
        double computing_s = 0.0;
        for (LpPass pass = 0; pass < LP_N_PASSES; pass++)
            computing_s += lp_closed_form_pass_work(&input, pass).device_s;
        lp_test_close(label, lp_kernel_census_time_s(counts), computing_s, IDENTITY);
        double n_micro_batches = lp_plan_n_micro_batches(&plan);
        double ranks = (double)lp_plan_n_ranks(&plan) / plan.degree[LP_AXIS_PP];
        lp_test_close(label, ranks * n_micro_batches * census_flop(counts),
                      lp_plan_hardware_flop(&plan, &shape), IDENTITY);
    }
}

static void
test_sums(void)
{
    LpTransformer gpt = lp_test_gpt(24, 1024, 16);
    gpt.attention = LP_ATTENTION_UNFUSED;
    check("GPT", gpt, lp_test_plan(2, 4, 2, 1, 8));
    LpTransformer llama = lp_test_llama(6, 1024, 16, 4, 2816, 32000);
    llama.attention = LP_ATTENTION_UNFUSED;
    LpPlan plan = lp_test_plan(1, 1, 4, 2, 16);
    plan.recompute_layers = (LpRecomputeLayers){.part = 1, .of = 3};
    check("a third run again", llama, plan);
    llama.n_mtp = 2;
    check("further tokens", llama, lp_test_plan(1, 1, 2, 1, 2));
}

/* Layers that are alike are one row: of 12 layers each kernel of a block runs 12 times. */
static void
test_rows(void)
{
    LpTransformer gpt = lp_test_gpt(12, 1024, 16);
    LpPlan plan = lp_test_plan(1, 1, 1, 1, 1);
    LpAccelerator accelerator = lp_test_accelerator();
    g_autoptr(GArray) counts = lp_kernel_census(&gpt, &plan, &accelerator);
    guint n_logits = 0;
    for (guint i = 0; i < counts->len; i++) {
        const LpKernelCount *count = &g_array_index(counts, LpKernelCount, i);
        gboolean is_end = count->block == LP_BLOCK_EMBEDDING || count->block == LP_BLOCK_HEAD;
        lp_test_true("runs", count->n_runs == (is_end ? 1 : 12));
        n_logits += count->block == LP_BLOCK_HEAD && g_str_equal(count->kernel.name, "logits");
    }
    lp_test_true("logits and their two gradients", n_logits == 3);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"sums", test_sums}, {"rows", test_rows}, {NULL, NULL}};
    return lp_test_run("kernel census", cases);
}
