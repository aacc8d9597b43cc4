/* SPDX-License-Identifier: Apache-2.0 */
#include "model/times/optimizer.h"
#include "tests/model/shapes.h"
#include "tests/testlib.h"

#define IDENTITY 1e-12 /* the same sum in another order */

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
    LpAccelerator round_numbers = lp_test_round_accelerator();
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpPlan plan = lp_test_plan(2, 2, 1, 1, 1);
        plan.format.precision = rows[i].precision;
        plan.format.gradient_bytes = rows[i].gradient_bytes;
        double parameters = lp_plan_stage_parameters(&plan, &gpt, 1);
        lp_test_close(rows[i].label, lp_optimizer_time_s(&gpt, &plan, &round_numbers, 1),
                      parameters * rows[i].bytes / 0.8e12 + 1e-6, IDENTITY);
    }
}

/* Megatron-LM's step takes fp32: a copy of narrower gradients, their division by the loss' scale
 * in fp16, and 4 bytes where there were 2. */
static void
test_main_gradients(void)
{
    static const struct {
        const char *label;
        LpPrecision precision;
        guint32 gradient_bytes;
        gboolean buffers;
        double more_bytes; /* a parameter */
    } rows[] = {
        {"fp16", LP_PRECISION_FP16, 2, FALSE, 2 + 4 + 8 + 2},
        {"clipped", LP_PRECISION_FP16, 2, TRUE, 2 + 4 + 8 + 2 + 3 * 2},
        {"fp16 with sums in fp32", LP_PRECISION_FP16, 4, TRUE, 8},
        {"bf16", LP_PRECISION_BF16, 2, FALSE, 2 + 4 + 2},
        {"bf16 with sums in fp32", LP_PRECISION_BF16, 4, TRUE, 0},
    };
    LpTransformer gpt = lp_test_gpt(4, 64, 4);
    LpAccelerator round_numbers = lp_test_round_accelerator();
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpPlan plan = lp_test_plan(2, 2, 1, 1, 1);
        plan.format.precision = rows[i].precision;
        plan.format.gradient_bytes = rows[i].gradient_bytes;
        lp_test_vary(&plan, "gradient-buffers", rows[i].buffers);
        double without_s = lp_optimizer_time_s(&gpt, &plan, &round_numbers, 1);
        lp_test_vary(&plan, "main-gradients", TRUE);
        double parameters = lp_plan_stage_parameters(&plan, &gpt, 1);
        lp_test_close(rows[i].label, lp_optimizer_time_s(&gpt, &plan, &round_numbers, 1),
                      without_s + rows[i].more_bytes * parameters / 0.8e12, IDENTITY);
    }
}

/* Gradients are cleared, with replicas divided, and with ZeRO only the own ones clipped. */
static void
test_buffers(void)
{
    static const struct {
        const char *label;
        guint32 dp, zero;
        double passes; /* over a rank's parameters */
    } rows[] = {
        {"one replica", 1, 0, 1.0 + 3.0},
        {"replicas", 4, 0, 3.0 + 3.0},
        {"shared states", 4, 1, 3.0 + 3.0 / 4.0},
        {"shared parameters", 4, 3, 3.0 / 4.0},
    };
    LpTransformer gpt = lp_test_gpt(4, 64, 4);
    LpAccelerator round_numbers = lp_test_round_accelerator();
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpPlan plan = lp_test_plan(2, 2, rows[i].dp, 1, 4);
        plan.format.precision = LP_PRECISION_BF16;
        plan.format.gradient_bytes = 4;
        plan.zero.stage = rows[i].zero;
        double without_s = lp_optimizer_time_s(&gpt, &plan, &round_numbers, 1);
        lp_test_vary(&plan, "gradient-buffers", TRUE);
        double parameters = lp_plan_stage_parameters(&plan, &gpt, 1);
        lp_test_close(rows[i].label, lp_optimizer_time_s(&gpt, &plan, &round_numbers, 1),
                      without_s + rows[i].passes * 4.0 * parameters / 0.8e12, IDENTITY);
    }
}

/* What narrow products add for each parameter of layers: both copies of a weight, out of 16 bits or
 * (fp8 with narrow-parameters) the second out of the first, which the step writes in place of 16
 * bits; one copy alone where products take it in any layout; nothing in stage 3, whose passes cast
 * what they gather. */
static void
test_casts(void)
{
    static const struct {
        const char *label;
        LpPrecision precision;
        gboolean narrow_parameters, any_layout;
        guint32 zero;
        double bytes;
    } rows[] = {
        {"fp8", LP_PRECISION_FP8, FALSE, FALSE, 0, 2.0 + 2.0},
        {"fp8 alone", LP_PRECISION_FP8, TRUE, FALSE, 0, 1.0 + 1.0 - 1.0},
        {"fp8 in any layout", LP_PRECISION_FP8, FALSE, TRUE, 0, 2.0 + 1.0},
        {"fp8 alone in any layout", LP_PRECISION_FP8, TRUE, TRUE, 0, -1.0},
        {"mxfp8 alone", LP_PRECISION_MXFP8, TRUE, FALSE, 1, 2.0 + 2.0625},
        {"nvfp4", LP_PRECISION_NVFP4, FALSE, FALSE, 0, 2.0 * 2.0 + 1.125},
        {"nvfp4 alone", LP_PRECISION_NVFP4, TRUE, FALSE, 0, 1.125 - (2.0 - 0.5625)},
        {"in stage 3", LP_PRECISION_NVFP4, FALSE, FALSE, 3, 0.0},
    };
    LpTransformer gpt = lp_test_gpt(4, 64, 4);
    LpAccelerator round_numbers = lp_test_round_accelerator();
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpPlan plan = lp_test_plan(2, 2, 1, 1, 1);
        plan.format.precision = LP_PRECISION_BF16;
        plan.format.gradient_bytes = 2;
        plan.zero.stage = rows[i].zero;
        double wide_s = lp_optimizer_time_s(&gpt, &plan, &round_numbers, 1);
        plan.format.precision = rows[i].precision;
        plan.format.narrow_parameters = rows[i].narrow_parameters;
        round_numbers.any_layout[rows[i].precision] = rows[i].any_layout;
        double layers = lp_plan_rank_layer_parameters(&plan, &gpt, 1).dense;
        lp_test_close(rows[i].label, lp_optimizer_time_s(&gpt, &plan, &round_numbers, 1),
                      wide_s + layers * rows[i].bytes / 0.8e12, IDENTITY);
    }
}

/* A copy for each member and tensor, of all that was gathered: 2 reads and writes of 2 bytes. */
static void
test_list_copies(void)
{
    static const struct {
        const char *label;
        guint32 dp, zero;
        gboolean lists, graphs;
        double copies;
    } rows[] = {
        {"lists", 4, 1, TRUE, FALSE, 4.0 * (2.0 * 6.0 + 2.0)},
        {"stage 2", 8, 2, TRUE, FALSE, 8.0 * (2.0 * 6.0 + 2.0)},
        {"captured", 4, 1, TRUE, TRUE, 4.0 * (2.0 * 6.0 + 2.0)},
        {"one tensor", 4, 1, FALSE, FALSE, 0.0},
        {"nothing gathered", 4, 0, TRUE, FALSE, 0.0},
        {"one replica", 1, 1, TRUE, FALSE, 0.0},
        {"gathered by units", 4, 3, TRUE, FALSE, 0.0},
    };
    LpTransformer gpt = lp_test_gpt(4, 64, 4);
    LpAccelerator accelerator = lp_test_hosted_accelerator(62e-6, 14e-6);
    accelerator.loop = (LpAcceleratorLoop){.slice_s = 10e-6, .slice_launch_s = 7e-6};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpPlan plan = lp_test_plan(2, 2, rows[i].dp, 1, 8);
        plan.format.precision = LP_PRECISION_BF16;
        plan.zero = (LpPlanZero){.stage = rows[i].zero};
        plan.traits[LP_TRAIT_GATHER_LISTS] = rows[i].lists ? 1 : 0;
        plan.host.cuda_graphs = rows[i].graphs;
        LpWork copies = lp_optimizer_list_copies(&gpt, &plan, &accelerator, 1);
        double bytes = rows[i].copies > 0.0 ? 4.0 * lp_plan_stage_parameters(&plan, &gpt, 1) : 0.0;
        lp_test_close(rows[i].label, copies.device_s, rows[i].copies * 7e-6 + bytes / 0.8e12,
                      IDENTITY);
        lp_test_close(rows[i].label, copies.host_s, rows[i].graphs ? 0.0 : rows[i].copies * 10e-6,
                      IDENTITY);
    }
}

/* Operation by operation, in fp32: weights 4 times, gradients twice, the first moment 3 times, the
 * second 5, its roots 6, and the copy in 16 bits; gradients of 2 bytes are cast first. All in 16
 * bits it is half; other optimisers are one pass. */
static void
test_eager(void)
{
    static const struct {
        const char *label;
        LpOptimizer optimizer;
        guint32 gradient_bytes;
        double bytes; /* a parameter */
    } rows[] = {
        {"gradients in fp32", LP_OPTIMIZER_ADAM, 4, 20.0 * 4.0 + 2.0},
        {"in bf16", LP_OPTIMIZER_ADAM, 2, 20.0 * 4.0 + 6.0 + 2.0},
        {"all in bf16", LP_OPTIMIZER_ADAM_BF16, 2, 20.0 * 2.0 + 2.0},
        {"SGD", LP_OPTIMIZER_SGD, 4, 4.0 + 8.0 + 8.0 + 2.0},
    };
    LpTransformer gpt = lp_test_gpt(4, 64, 4);
    LpAccelerator round_numbers = lp_test_round_accelerator();
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpPlan plan = lp_test_plan(2, 2, 1, 1, 1);
        plan.format.precision = LP_PRECISION_BF16;
        plan.format.gradient_bytes = rows[i].gradient_bytes;
        plan.optimizer = rows[i].optimizer;
        lp_test_vary(&plan, "eager-optimizer", TRUE);
        double parameters = lp_plan_stage_parameters(&plan, &gpt, 1);
        lp_test_close(rows[i].label, lp_optimizer_time_s(&gpt, &plan, &round_numbers, 1),
                      parameters * rows[i].bytes / 0.8e12 + 1e-6, IDENTITY);
    }
}

/* Gradients summed once an iteration are copied once: 2 reads and writes of 2 bytes each. */
static void
test_gradient_copies(void)
{
    static const struct {
        const char *label;
        guint32 dp, zero;
        double copies;
    } rows[] = {
        {"shared states", 4, 1, 3.0},
        {"with each micro-batch", 4, 3, 0.0},
        {"one replica", 1, 1, 0.0},
    };
    LpTransformer gpt = lp_test_gpt(4, 64, 4);
    LpAccelerator round_numbers = lp_test_round_accelerator();
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpPlan plan = lp_test_plan(2, 2, rows[i].dp, 1, 4);
        plan.format.gradient_bytes = 2;
        plan.zero.stage = rows[i].zero;
        double without_s = lp_optimizer_time_s(&gpt, &plan, &round_numbers, 1);
        plan.traits[LP_TRAIT_GRADIENT_COPIES] = 3;
        double parameters = lp_plan_stage_parameters(&plan, &gpt, 1);
        lp_test_close(rows[i].label, lp_optimizer_time_s(&gpt, &plan, &round_numbers, 1),
                      without_s + rows[i].copies * 4.0 * parameters / 0.8e12, IDENTITY);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"optimizer", test_optimizer},
        {"main gradients", test_main_gradients},
        {"buffers", test_buffers},
        {"casts", test_casts},
        {"eager", test_eager},
        {"gradient-copies", test_gradient_copies},
        {"list-copies", test_list_copies},
        {NULL, NULL},
    };
    return lp_test_run("optimizer", cases);
}
