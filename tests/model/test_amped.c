/* SPDX-License-Identifier: Apache-2.0 */
#include "model/amped.h"
#include "tests/model/shapes.h"
#include "tests/testlib.h"

#define IDENTITY 1e-12 /* the same sum in another order */

/* One vector: a plan with TP 8 inside domains of 8, micro-batch 1, fp16 throughout, no latency. */
typedef struct {
    const char *label;
    guint32 n_layers, hidden, n_heads;
    guint32 pp, dp, n_micro_batches;
    double scale_up_bytes_per_s, gemm_flop_per_s;
    /* Computed apart from this code with the repaired equations, in as many digits as shown. */
    double compute_s, tp_s, pp_s, dp_s, bubble_s;
} Vector;

/* The GPT-3 row's rate gives its compute time; the others are A100s at half of 312 TFLOP/s. */
static const Vector vectors[] = {
    {"GPT-3 175B", 96, 12288, 96, 8, 16, 64, 400e9, 1.01751e15, 2.1590, 0.67646, 0.25770, 0.40917,
     0.2596},
    {"145.6B", 80, 12288, 96, 8, 24, 96, 300e9, 156e12, 17.603, 1.1274, 0.3865, 0.3488, 0.9661},
    {"310.1B", 96, 16384, 128, 16, 15, 144, 300e9, 156e12, 27.974, 1.3529, 0.7731, 0.3618, 2.1641},
    {"529.6B", 105, 20480, 128, 35, 9, 280, 300e9, 156e12, 42.322, 1.6442, 1.8790, 0.2690, 3.8539},
    {"1008B", 128, 25600, 160, 64, 6, 512, 300e9, 156e12, 80.349, 2.5054, 4.2950, 0.2625, 7.4279},
};

/* Within half of the fourth decimal, plus half of the fifth digit for the large ones. */
static void
close_in_digits(const char *label, double got, double wanted)
{
    lp_test_close(label, got, wanted, (wanted >= 10.0 ? 5.1e-4 : 5.1e-5) / wanted);
}

static void
test_vectors(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(vectors); i++) {
        const Vector *row = &vectors[i];
        LpTransformer gpt = lp_test_gpt(row->n_layers, row->hidden, row->n_heads);
        LpPlan plan = lp_test_plan(8, row->pp, row->dp, 1, row->n_micro_batches * row->dp);
        LpAccelerator accelerator = lp_test_accelerator();
        accelerator.peak_flop_per_s[LP_PRECISION_FP16] = row->gemm_flop_per_s;
        accelerator.gemm_efficiency = 1.0;
        LpFabric fabric = lp_test_fabric(row->scale_up_bytes_per_s, 25e9);
        LpTerms terms = lp_amped_terms(&(LpClosedFormInput){&gpt, &plan, &accelerator, &fabric});
        close_in_digits(row->label, terms.s[LP_TERM_COMPUTE], row->compute_s);
        close_in_digits(row->label, terms.s[LP_TERM_TP], row->tp_s);
        close_in_digits(row->label, terms.s[LP_TERM_PP], row->pp_s);
        close_in_digits(row->label, terms.s[LP_TERM_DP], row->dp_s);
        close_in_digits(row->label, terms.s[LP_TERM_BUBBLE], row->bubble_s);
    }
}

static void
test_counts(void)
{
    LpTransformer gpt = lp_test_gpt(96, 12288, 96);
    LpPlan plan = lp_test_plan(8, 8, 16, 1, 1024);
    lp_test_close("GPT-3: 1.7458e11 parameters", 96.0 * lp_amped_layer_parameters(&gpt), 1.7458e11,
                  5e-5);
    lp_test_close("3.74925e17 forward MAC", 96.0 * lp_amped_layer_mac(&gpt, &plan), 3.74925e17,
                  5e-6);
    double layers_flop = lp_transformer_layer_forward_flop(&gpt, 0, 1024.0);
    lp_test_close("two FLOP a MAC", 2.0 * lp_amped_layer_mac(&gpt, &plan), layers_flop, IDENTITY);
    /* Per token: softmax a s, norms and residuals 4 d, activation 4 d. */
    lp_test_close("non-linear", lp_amped_layer_nonlinear(&gpt, &plan),
                  1024.0 * 2048.0 * (96.0 * 2048.0 + 8.0 * 12288.0), IDENTITY);
    LpTransformer llama = lp_test_llama(80, 8192, 64, 8, 28672, 32000);
    lp_test_close("grouped and gated", 2.0 * lp_amped_layer_mac(&llama, &plan),
                  lp_transformer_layer_forward_flop(&llama, 0, 1024.0), IDENTITY);
    llama.embedding = FALSE;
    lp_test_close("no vocabulary", lp_amped_layer_parameters(&llama),
                  2.25 * 8192.0 * 8192.0 + 3.0 * 8192.0 * 28672.0 + 4.0 * 8192.0, IDENTITY);
}

static void
test_rates(void)
{
    LpAccelerator accelerator = lp_test_accelerator();
    accelerator.peak_flop_per_s[LP_PRECISION_FP32] = 20e12;
    lp_test_close("C_MAC", lp_amped_mac_s(&accelerator, LP_PRECISION_FP16), 2.0 / 156e12, IDENTITY);
    lp_test_close("C_nl", lp_amped_nonlinear_s(&accelerator), 0.05e-12, IDENTITY);
    LpTransformer gpt = lp_test_gpt(4, 1024, 16);
    LpPlan plan = lp_test_plan(2, 2, 2, 1, 8);
    LpFabric fabric = lp_test_fabric(300e9, 25e9);
    LpClosedFormInput input = {&gpt, &plan, &accelerator, &fabric};
    double products_s = 4.0 * lp_amped_layer_mac(&gpt, &plan) * 2.0 / 156e12 / 8.0;
    double nonlinear_s = 4.0 * lp_amped_layer_nonlinear(&gpt, &plan) * 0.05e-12 / 8.0;
    lp_test_close("U_f", lp_amped_forward_s(&input), products_s + nonlinear_s, IDENTITY);
    lp_test_close("U_b", lp_amped_backward_s(&input), products_s + nonlinear_s, IDENTITY);
    lp_test_close("U_w", lp_amped_weight_s(&input), products_s, IDENTITY);
}

static void
test_recompute(void)
{
    LpTransformer gpt = lp_test_gpt(4, 1024, 16);
    LpPlan plan = lp_test_plan(8, 2, 2, 1, 8);
    LpAccelerator accelerator = lp_test_accelerator();
    LpFabric fabric = lp_test_fabric(300e9, 25e9);
    LpClosedFormInput input = {&gpt, &plan, &accelerator, &fabric};
    double tp_s = lp_amped_tp_s(&input);
    lp_test_close("none", lp_amped_recompute_s(&input), 0.0, 0.0);
    plan.recompute = LP_RECOMPUTE_FULL;
    lp_test_close("U_f again", lp_amped_recompute_s(&input), lp_amped_forward_s(&input), 0.0);
    lp_test_close("six all-reduces for four", lp_amped_tp_s(&input), 1.5 * tp_s, IDENTITY);
    double waited_s = 2.0 * lp_amped_forward_s(&input) + lp_amped_backward_s(&input) +
                      lp_amped_tp_s(&input) + lp_amped_pp_s(&input);
    lp_test_close("the bubble holds it", lp_amped_bubble_s(&input), waited_s / 4.0, IDENTITY);
}

static void
test_one_rank(void)
{
    LpTransformer gpt = lp_test_gpt(4, 1024, 16);
    LpPlan plan = lp_test_plan(1, 1, 1, 1, 8);
    LpAccelerator accelerator = lp_test_accelerator();
    LpFabric fabric = lp_test_fabric(300e9, 25e9);
    fabric.tiers[0].latency_s = 1.0;
    fabric.scale_up_latency_s = 1.0;
    LpTerms terms = lp_amped_terms(&(LpClosedFormInput){&gpt, &plan, &accelerator, &fabric});
    lp_test_close("compute alone", lp_terms_sum(&terms), terms.s[LP_TERM_COMPUTE], 0.0);
}

/* 12 ranks in domains of 8: 8 members reduce 2 * 7/8 V at 300, then 2 domains 2 * 1/2 V/8 at 25. */
static void
test_hierarchy(void)
{
    LpTransformer gpt = lp_test_gpt(4, 1024, 16);
    gpt.embedding = FALSE;
    LpPlan plan = lp_test_plan(1, 1, 16, 1, 16);
    LpAccelerator accelerator = lp_test_accelerator();
    LpFabric fabric = lp_test_fabric(300e9, 25e9);
    fabric.scale_up_latency_s = 1e-6;
    fabric.tiers[0].latency_s = 5e-6;
    LpClosedFormInput input = {&gpt, &plan, &accelerator, &fabric};
    double bytes = 4.0 * lp_amped_layer_parameters(&gpt) * 2.0;
    lp_test_close("two domains", lp_amped_gradient_s(&input),
                  14e-6 + 1.75 * bytes / 300e9 + 2.0 * 5e-6 + bytes / 8.0 / 25e9, IDENTITY);
    plan.degree[LP_AXIS_DP] = 8;
    lp_test_close("one domain", lp_amped_gradient_s(&input), 14e-6 + 1.75 * bytes / 300e9,
                  IDENTITY);
    plan = lp_test_plan(8, 1, 4, 1, 4);
    lp_test_close("no two in a domain", lp_amped_gradient_s(&input),
                  6.0 * 5e-6 + 1.5 * bytes / 8.0 / 25e9, IDENTITY);
    plan = lp_test_plan(16, 1, 1, 1, 1);
    double volume = 2048.0 * 1024.0 * 2.0;
    lp_test_close("tp over two domains", lp_amped_tp_s(&input),
                  16.0 * (14e-6 + 1.75 * volume / 300e9 + 10e-6 + volume / 8.0 / 25e9), IDENTITY);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"vectors", test_vectors},
        {"counts", test_counts},
        {"rates", test_rates},
        {"recompute", test_recompute},
        {"one rank", test_one_rank},
        {"hierarchy", test_hierarchy},
        {NULL, NULL},
    };
    return lp_test_run("amped", cases);
}
