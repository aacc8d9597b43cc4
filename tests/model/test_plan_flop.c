/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/model/shapes.h"
#include "tests/testlib.h"

#define IDENTITY 1e-12 /* the same sum in another order */

/* Narayanan et al., SC 2021, equation 3: 96 B s L h^2 (1 + s/6h + V/16Lh) with full recomputation;
 * without, 72 and V/12Lh. */
static void
test_flop(void)
{
    static const struct {
        const char *label;
        guint32 n_layers, hidden, n_heads, global_batch;
    } rows[] = {
        {"smallest", 1, 1, 1, 1},
        {"1.7B", 24, 2304, 24, 512},
        {"GPT-3 175B", 96, 12288, 96, 1536},
        {"1T", 128, 25600, 160, 3072},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpTransformer gpt = lp_test_gpt(rows[i].n_layers, rows[i].hidden, rows[i].n_heads);
        LpPlan plan = lp_test_plan(1, 1, 1, 1, rows[i].global_batch);
        double l = rows[i].n_layers;
        double h = rows[i].hidden;
        double bslh2 = rows[i].global_batch * 2048.0 * l * h * h;
        double model = 72.0 * bslh2 * (1.0 + 2048.0 / (6.0 * h) + 51200.0 / (12.0 * l * h));
        double full = 96.0 * bslh2 * (1.0 + 2048.0 / (6.0 * h) + 51200.0 / (16.0 * l * h));
        double scores = 4.0 * bslh2 * 2048.0 / h;
        lp_test_close(rows[i].label, lp_plan_model_flop(&plan, &gpt), model, IDENTITY);
        lp_test_close(rows[i].label, lp_plan_hardware_flop(&plan, &gpt), model, IDENTITY);
        plan.recompute = LP_RECOMPUTE_FULL;
        lp_test_close(rows[i].label, lp_plan_model_flop(&plan, &gpt), model, IDENTITY);
        lp_test_close(rows[i].label, lp_plan_hardware_flop(&plan, &gpt), full, IDENTITY);
        plan.recompute = LP_RECOMPUTE_SELECTIVE;
        lp_test_close(rows[i].label, lp_plan_hardware_flop(&plan, &gpt), model + scores, IDENTITY);
        gpt.attention = LP_ATTENTION_FLASH;
        lp_test_close(rows[i].label, lp_plan_hardware_flop(&plan, &gpt), model, IDENTITY);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"flop", test_flop},
        {NULL, NULL},
    };
    return lp_test_run("plan flop", cases);
}
