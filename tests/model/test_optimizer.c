/* SPDX-License-Identifier: Apache-2.0 */
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

int
main(void)
{
    static const LpTestCase cases[] = {
        {"optimizer", test_optimizer},
        {NULL, NULL},
    };
    return lp_test_run("optimizer", cases);
}
