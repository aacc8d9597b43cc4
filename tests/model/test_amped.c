/* SPDX-License-Identifier: Apache-2.0 */
#include "model/closed_form/amped.h"
#include "model/memory/memory.h"
#include "tests/model/closed_form_job.h"
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
        LpTerms terms = lp_amped_terms(&(LpClosedFormInput){
            &gpt, &plan, &accelerator, &fabric, NULL, NULL, {.has_rails = FALSE}, NULL});
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
    LpTestJob job;
    lp_test_job_init(&job, lp_test_gpt(4, 1024, 16), lp_test_plan(2, 2, 2, 1, 8),
                     lp_test_fabric(300e9, 25e9));
    job.accelerator.peak_flop_per_s[LP_PRECISION_FP32] = 20e12;
    lp_test_close("C_MAC", lp_amped_mac_s(&job.plan, &job.accelerator), 2.0 / 156e12, IDENTITY);
    lp_test_close("C_nl", lp_amped_nonlinear_s(&job.accelerator), 0.05e-12, IDENTITY);
    double products_s = 4.0 * lp_amped_layer_mac(&job.shape, &job.plan) * 2.0 / 156e12 / 8.0;
    double nonlinear_s = 4.0 * lp_amped_layer_nonlinear(&job.shape, &job.plan) * 0.05e-12 / 8.0;
    lp_test_close("U_f", lp_amped_forward_s(&job.input), products_s + nonlinear_s, IDENTITY);
    lp_test_close("U_b", lp_amped_backward_s(&job.input), products_s + nonlinear_s, IDENTITY);
    lp_test_close("U_w", lp_amped_weight_s(&job.input), products_s, IDENTITY);
}

static void
test_recompute(void)
{
    LpTestJob job;
    lp_test_job_init(&job, lp_test_gpt(4, 1024, 16), lp_test_plan(8, 2, 2, 1, 8),
                     lp_test_fabric(300e9, 25e9));
    double tp_s = lp_amped_tp_s(&job.input);
    lp_test_close("none", lp_amped_recompute_s(&job.input), 0.0, 0.0);
    job.plan.recompute = LP_RECOMPUTE_FULL;
    lp_test_close("U_f again", lp_amped_recompute_s(&job.input), lp_amped_forward_s(&job.input),
                  0.0);
    lp_test_close("six all-reduces for four", lp_amped_tp_s(&job.input), 1.5 * tp_s, IDENTITY);
    double waited_s = 2.0 * lp_amped_forward_s(&job.input) + lp_amped_backward_s(&job.input) +
                      lp_amped_tp_s(&job.input) + lp_amped_pp_s(&job.input);
    lp_test_close("the bubble holds it", lp_amped_bubble_s(&job.input), waited_s / 4.0, IDENTITY);
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
    LpTerms terms = lp_amped_terms(&(LpClosedFormInput){
        &gpt, &plan, &accelerator, &fabric, NULL, NULL, {.has_rails = FALSE}, NULL});
    lp_test_close("compute alone", lp_terms_sum(&terms), terms.s[LP_TERM_COMPUTE], 0.0);
}

/* 12 ranks in domains of 8: 8 members reduce 2 * 7/8 V at 300, then 2 domains 2 * 1/2 V/8 at 25. */
static void
test_hierarchy(void)
{
    LpTestJob job;
    lp_test_job_init(&job, lp_test_gpt(4, 1024, 16), lp_test_plan(1, 1, 16, 1, 16),
                     lp_test_fabric(300e9, 25e9));
    job.shape.embedding = FALSE;
    job.fabric.scale_up_latency_s = 1e-6;
    job.fabric.tiers[0].latency_s = 5e-6;
    double bytes = 4.0 * lp_amped_layer_parameters(&job.shape) * 2.0;
    lp_test_close("two domains", lp_amped_gradient_s(&job.input),
                  14e-6 + 1.75 * bytes / 300e9 + 2.0 * 5e-6 + bytes / 8.0 / 25e9, IDENTITY);
    job.plan.degree[LP_AXIS_DP] = 8;
    lp_test_close("one domain", lp_amped_gradient_s(&job.input), 14e-6 + 1.75 * bytes / 300e9,
                  IDENTITY);
    job.plan = lp_test_plan(8, 1, 4, 1, 4);
    lp_test_close("no two in a domain", lp_amped_gradient_s(&job.input),
                  6.0 * 5e-6 + 1.5 * bytes / 8.0 / 25e9, IDENTITY);
    job.plan = lp_test_plan(16, 1, 1, 1, 1);
    double volume = 2048.0 * 1024.0 * 2.0;
    lp_test_close("tp over two domains", lp_amped_tp_s(&job.input),
                  16.0 * (14e-6 + 1.75 * volume / 300e9 + 10e-6 + volume / 8.0 / 25e9), IDENTITY);
}

/* The curve: 0.51 at micro-batch 1, by hand 0.91 * 4 / (4 + 0.784314) = 0.760820 at 4, below 0.91.
 */
static void
test_efficiency(void)
{
    static const struct {
        guint32 micro;
        double wanted;
    } rows[] = {{1, 0.51}, {2, 0.653662}, {4, 0.760820}, {64, 0.898983}};
    LpAccelerator accelerator = lp_test_accelerator();
    LpPlan plan = lp_test_plan(1, 1, 1, 1, 64);
    lp_test_close("the accelerator's", lp_amped_efficiency(&plan, &accelerator),
                  accelerator.gemm_efficiency, 0.0);
    plan.amped_efficiency = LP_AMPED_EFFICIENCY_MICRO_BATCH;
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        plan.batch.micro = rows[i].micro;
        lp_test_close("curve", lp_amped_efficiency(&plan, &accelerator), rows[i].wanted, 1e-6);
        lp_test_close("C_MAC", lp_amped_mac_s(&plan, &accelerator), 2.0 / (312e12 * rows[i].wanted),
                      1e-6);
    }
}

/* 4 layers of 16 experts of width 2048, 2 of them a token, on 16 ranks of which 8 share a domain:
 * V = 2 * 2048 * 1024 * 2 = 8,388,608 bytes; with ep 16 a rank sends 7/16 of it at 300 GB/s and
 * 8/16 at 25 GB/s, 12.2335 + 167.772 us, and pays 7 times 1 us and 8 times 5 us: 227.006 us, for
 * 2 all-to-alls, 2 passes, 4 layers and 1 micro-batch. */
static void
test_experts(void)
{
    LpTestJob job;
    lp_test_job_init(&job, lp_test_gpt(4, 1024, 16), lp_test_plan(1, 1, 16, 1, 16),
                     lp_test_fabric(300e9, 25e9));
    job.shape.embedding = FALSE;
    job.shape.experts.n = 16;
    job.shape.experts.top_k = 2;
    job.shape.experts.ffn = 2048;
    job.shape.experts.every = 1;
    job.plan.degree[LP_AXIS_EP] = 16;
    job.fabric.scale_up_latency_s = 1e-6;
    job.fabric.tiers[0].latency_s = 5e-6;
    lp_test_close("two domains", lp_amped_moe_s(&job.input), 16.0 * 227.0056e-6, 1e-6);
    LpTerms terms = lp_amped_terms(&job.input);
    lp_test_close("its term", terms.s[LP_TERM_EP], lp_amped_moe_s(&job.input), 0.0);
    job.plan.degree[LP_AXIS_EP] = 4;
    /* 3/4 of 8,388,608 at 300 GB/s, 20.9715 us, and 3 us. */
    lp_test_close("one domain", lp_amped_moe_s(&job.input), 16.0 * 23.97152e-6, 1e-6);
    double matrices = 4.0 * 1024.0 * 1024.0, expert = 2.0 * 1024.0 * 2048.0;
    lp_test_close("two experts' MAC", lp_amped_layer_mac(&job.shape, &job.plan),
                  16.0 * 2048.0 * (matrices + 2.0 * expert + 2.0 * 2048.0 * 1024.0), IDENTITY);
    lp_test_close("all experts' parameters", lp_amped_layer_parameters(&job.shape),
                  matrices + 16.0 * expert + 4.0 * 1024.0, IDENTITY);
    /* Dense ones over 16 ranks, a quarter of the experts over the 4 that hold copies of them, each
     * in two domains: 8 then 2, and 2 then 2. */
    double dense = 4.0 * 2.0 * (matrices + 4096.0), experts = 4.0 * 2.0 * 4.0 * expert;
    lp_test_close("gradients", lp_amped_gradient_s(&job.input),
                  14e-6 + 1.75 * dense / 300e9 + 10e-6 + dense / 8.0 / 25e9 + 2e-6 +
                      experts / 300e9 + 10e-6 + experts / 2.0 / 25e9,
                  IDENTITY);
    job.plan.recompute = LP_RECOMPUTE_FULL;
    lp_test_close("exchanged again", lp_amped_moe_s(&job.input), 24.0 * 23.97152e-6, 1e-6);
    job.plan.degree[LP_AXIS_DP] = 8;
    job.plan.degree[LP_AXIS_PP] = 2;
    job.plan.batch.global = 8;
    lp_test_close("half of the layers", lp_amped_moe_s(&job.input), 12.0 * 23.97152e-6, 1e-6);
}

/* Half of the layers have experts: the mean of both. */
static void
test_mixed_layers(void)
{
    LpTransformer gpt = lp_test_gpt(4, 1024, 16);
    gpt.experts.n = 8;
    gpt.experts.top_k = 1;
    gpt.experts.ffn = 1024;
    gpt.experts.n_shared = 1;
    gpt.experts.every = 2;
    gpt.embedding = FALSE;
    LpPlan plan = lp_test_plan(1, 1, 1, 1, 1);
    double d = 1024.0;
    lp_test_close("MAC", lp_amped_layer_mac(&gpt, &plan),
                  2048.0 * (4.0 * d * d + 2.0 * d * 0.5 * (4.0 * d + 2.0 * d) + 2.0 * 2048.0 * d),
                  IDENTITY);
    lp_test_close("parameters", lp_amped_layer_parameters(&gpt),
                  4.0 * d * d + 2.0 * d * 0.5 * (4.0 * d + 9.0 * d) + 4.0 * d, IDENTITY);
}

/* Modules of multi-token prediction are layers like any other: 3 and 2 of them take what 5 layers
 * do, in which the experts are then, too. */
static void
test_modules(void)
{
    LpTestJob job;
    lp_test_job_init(&job, lp_test_gpt(5, 512, 8), lp_test_plan(1, 1, 8, 1, 32),
                     lp_test_fabric(300e9, 25e9));
    job.shape.experts.n = 4;
    job.shape.experts.top_k = 1;
    job.shape.experts.ffn = 512;
    job.shape.experts.every = 1;
    LpTerms layers = lp_amped_terms(&job.input);
    double states_bytes = lp_amped_states_bytes(&job.shape, &job.plan);
    job.shape.n_layers = 3;
    job.shape.n_mtp = 2;
    LpTerms modules = lp_amped_terms(&job.input);
    for (LpTerm term = 0; term < LP_N_TERMS; term++) {
        lp_test_close(lp_term_names[term], modules.s[term], layers.s[term], IDENTITY);
        lp_test_true(lp_term_names[term], modules.s[term] >= 0.0);
    }
    lp_test_close("states", lp_amped_states_bytes(&job.shape, &job.plan), states_bytes, IDENTITY);
}

/* Four stages of 4 ranks, two of which stand in each domain of 8: the boundary within takes 2^22 /
 * 300e9 = 13.981 us and 1, that between domains 2^22 / 25e9 = 167.772 us and 5. */
static void
test_boundaries(void)
{
    LpTestJob job;
    lp_test_job_init(&job, lp_test_gpt(4, 1024, 16), lp_test_plan(1, 4, 4, 1, 16),
                     lp_test_fabric(300e9, 25e9));
    job.fabric.scale_up_latency_s = 1e-6;
    job.fabric.tiers[0].latency_s = 5e-6;
    lp_test_close("PP_inter is longer", lp_amped_pp_s(&job.input), 8.0 * 172.77216e-6, 1e-6);
    job.fabric.scale_up_latency_s = 1e-3;
    lp_test_close("PP_intra is longer", lp_amped_pp_s(&job.input), 8.0 * 1.013981e-3, 1e-6);
    job.plan = lp_test_plan(1, 2, 4, 1, 16);
    lp_test_close("all within", lp_amped_pp_s(&job.input), 8.0 * 1.013981e-3, 1e-6);
    /* Pairs of stages of two ranks, side by side in each domain: no last one sends to another pair.
     */
    job.plan = lp_test_plan(2, 2, 4, 1, 16);
    static const LpAxis inner[] = {LP_AXIS_TP, LP_AXIS_PP, LP_AXIS_CP, LP_AXIS_EP, LP_AXIS_DP};
    memcpy(job.plan.order, inner, sizeof inner);
    job.fabric.scale_up_latency_s = 1e-6;
    lp_test_close("pairs within", lp_amped_pp_s(&job.input), 8.0 * 14.98101e-6, 1e-6);
    job.plan = lp_test_plan(8, 2, 1, 1, 4);
    lp_test_close("all between", lp_amped_pp_s(&job.input), 8.0 * 172.77216e-6, 1e-6);
}

/* GPT-3 175B in fp16 with gradients in 16 bits, 1024 ranks: (2 + 2 + 12) 1.7458e11 / 1024 bytes. */
static void
test_memory(void)
{
    LpTransformer gpt = lp_test_gpt(96, 12288, 96);
    LpPlan plan = lp_test_plan(8, 8, 16, 1, 1024);
    lp_test_close("states", lp_amped_states_bytes(&gpt, &plan), 2.7278e9, 5e-5);
    plan.format.gradient_bytes = 4;
    lp_test_close("fp32 gradients", lp_amped_states_bytes(&gpt, &plan), 3.0688e9, 5e-5);
    LpMemory memory = lp_memory_fullest(&gpt, &plan);
    lp_test_close("and activations", lp_amped_memory_bytes(&gpt, &plan),
                  lp_amped_states_bytes(&gpt, &plan) + memory.activations_bytes, IDENTITY);
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
        {"efficiency", test_efficiency},
        {"experts", test_experts},
        {"mixed layers", test_mixed_layers},
        {"modules of multi-token prediction", test_modules},
        {"boundaries", test_boundaries},
        {"memory", test_memory},
        {NULL, NULL},
    };
    return lp_test_run("amped", cases);
}
