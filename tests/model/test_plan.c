/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/model/shapes.h"
#include "tests/testlib.h"

static void
test_names(void)
{
    lp_test_text("schedule", lp_schedule_names[LP_SCHEDULE_INTERLEAVED], "interleaved");
    lp_test_text("recompute", lp_recompute_names[LP_RECOMPUTE_FULL], "full");
    lp_test_text("precision", lp_precision_names[LP_PRECISION_FP8], "fp8");
    lp_test_text("axis", lp_axis_names[LP_AXIS_PP], "pp");
    lp_test_text("traffic", lp_traffic_names[LP_TRAFFIC_EMBEDDING], "embedding");
}

static void
test_activation_bytes(void)
{
    static const guint32 wanted[LP_N_PRECISIONS] = {4, 4, 2, 2, 2, 2, 2, 2, 2, 2};
    for (guint i = 0; i < LP_N_PRECISIONS; i++) {
        LpPlan plan = lp_test_plan(1, 1, 1, 1, 1);
        plan.format.precision = (LpPrecision)i;
        lp_test_true(lp_precision_names[i], lp_plan_activation_bytes(&plan) == wanted[i]);
    }
}

/* What is sent: operands of products with their scales, unless the plan says how activations are
 * sent; layers' parameters in 16 bits, or as operands. */
static void
test_wire_bytes(void)
{
    static const struct {
        LpPrecision precision;
        guint32 stated;
        gboolean narrow_parameters;
        double gathered, parameter;
    } rows[] = {
        {LP_PRECISION_FP32, 0, FALSE, 4, 4},
        {LP_PRECISION_BF16, 0, TRUE, 2, 2},
        {LP_PRECISION_BF16, 1, FALSE, 1, 2},
        {LP_PRECISION_FP8, 0, FALSE, 1, 2},
        {LP_PRECISION_FP8, 2, TRUE, 2, 1},
        {LP_PRECISION_FP8_BLOCK, 0, TRUE, 1 + 4.0 / 128, 1},
        {LP_PRECISION_MXFP8, 0, TRUE, 1 + 1.0 / 32, 2},
        {LP_PRECISION_NVFP4, 0, TRUE, 0.5 + 1.0 / 16, 0.5 + 1.0 / 16},
        {LP_PRECISION_INT8, 0, TRUE, 1, 2},
        {LP_PRECISION_MXFP4, 0, TRUE, 0.5 + 1.0 / 32, 2},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        const char *label = lp_precision_names[rows[i].precision];
        LpPlan plan = lp_test_plan(1, 1, 1, 1, 1);
        plan.format.precision = rows[i].precision;
        plan.format.communication_bytes = rows[i].stated;
        plan.format.narrow_parameters = rows[i].narrow_parameters;
        lp_test_close(label, lp_plan_gathered_wire_bytes(&plan), rows[i].gathered, 0.0);
        lp_test_close(label, lp_plan_parameter_wire_bytes(&plan), rows[i].parameter, 0.0);
    }
}

static void
test_zero_stages(void)
{
    static const struct {
        const char *label;
        guint32 stage;
        LpZeroVariant variant;
        gboolean shares_step, sums_whole;
    } rows[] = {
        {"no ZeRO", 0, LP_ZERO_STANDARD, FALSE, TRUE},
        {"stage 1", 1, LP_ZERO_STANDARD, TRUE, FALSE},
        {"stage 2", 2, LP_ZERO_STANDARD, TRUE, FALSE},
        {"DeepSpeed's stage 2", 2, LP_ZERO_DEEPSPEED, TRUE, TRUE},
        {"stage 3", 3, LP_ZERO_STANDARD, FALSE, FALSE},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpPlan plan = lp_test_plan(1, 1, 2, 1, 8);
        plan.zero.stage = rows[i].stage;
        plan.zero.variant = rows[i].variant;
        lp_test_true(rows[i].label, lp_plan_shares_step(&plan) == rows[i].shares_step);
        lp_test_true(rows[i].label, lp_plan_all_reduces_gradients(&plan) == rows[i].sums_whole);
    }
}

static void
test_keeps_parameters_throughout(void)
{
    static const struct {
        const char *label;
        guint32 pp;
        gboolean keeps;
        LpGradientSync sync;
        gboolean wanted;
    } rows[] = {
        {"a pipeline, one sum", 2, TRUE, LP_GRADIENT_SYNC_LAST, TRUE},
        {"freed after each pass", 2, FALSE, LP_GRADIENT_SYNC_LAST, FALSE},
        {"a sum a micro-batch", 2, TRUE, LP_GRADIENT_SYNC_EACH, FALSE},
        {"auto is each", 2, TRUE, LP_GRADIENT_SYNC_AUTO, FALSE},
        {"no pipeline", 1, TRUE, LP_GRADIENT_SYNC_LAST, FALSE},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpPlan plan = lp_test_plan(1, rows[i].pp, 2, 1, 8);
        plan.zero.stage = 3;
        plan.zero.keeps_parameters = rows[i].keeps;
        plan.zero.gradient_sync = rows[i].sync;
        lp_test_true(rows[i].label, lp_plan_keeps_parameters_throughout(&plan) == rows[i].wanted);
    }
}

/* Of keys' and values' gradients a ring sends 3 of 4 parts of what is on the wire for keys and
 * values, PyTorch's all 4, in fp32 where those have 16 bits. */
static void
test_context_gradients(void)
{
    LpPlan plan = lp_test_plan(1, 1, 1, 1, 1);
    plan.format.precision = LP_PRECISION_BF16;
    plan.context_kind = LP_CONTEXT_GATHERED_RING;
    lp_test_close("one rank", lp_plan_context_gradient_bytes(&plan, 600.0), 600.0, 0.0);
    plan.degree[LP_AXIS_CP] = 4;
    lp_test_close("PyTorch's", lp_plan_context_gradient_bytes(&plan, 600.0), 1600.0, 0.0);
    plan.context_kind = LP_CONTEXT_RING;
    lp_test_close("a ring", lp_plan_context_gradient_bytes(&plan, 600.0), 600.0, 0.0);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"names", test_names},
        {"activation bytes", test_activation_bytes},
        {"wire bytes", test_wire_bytes},
        {"context's gradients", test_context_gradients},
        {"ZeRO's stages", test_zero_stages},
        {"keeps parameters throughout", test_keeps_parameters_throughout},
        {NULL, NULL},
    };
    return lp_test_run("plan", cases);
}
