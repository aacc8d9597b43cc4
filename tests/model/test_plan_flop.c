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

/* The blocks that fms-fsdp checkpoints, of 15 (tests/test_selective_ac.py of
 * foundation-model-stack/fms-fsdp), and the first of each slice (Megatron-Core, recompute_method
 * block). */
static void
test_recompute_layers(void)
{
    static const struct {
        const char *label;
        LpRecomputeLayers layers;
        guint32 pp, virtual_stages;
        const char *again; /* of each layer: recomputed or kept */
    } rows[] = {
        {"all", {0}, 1, 1, "xxxxxxxxxxxxxxx"},
        {"1/100", {.part = 1, .of = 100}, 1, 1, "..............."},
        {"1/5", {.part = 1, .of = 5}, 1, 1, "..x....x....x.."},
        {"1/3", {.part = 1, .of = 3}, 1, 1, ".x..x..x..x..x."},
        {"1/2", {.part = 1, .of = 2}, 1, 1, "x.x.x.x.x.x.x.x"},
        {"3/5", {.part = 3, .of = 5}, 1, 1, "x.x.xx.x.xx.x.x"},
        {"2/3", {.part = 2, .of = 3}, 5, 1, "x.xx.xx.xx.xx.x"},
        {"1/1", {.part = 1, .of = 1}, 1, 1, "xxxxxxxxxxxxxxx"},
        {"the first 2 of each stage", {.first = 2}, 3, 1, "xx...xx...xx..."},
        {"the first of each chunk", {.first = 1}, 3, 5, "xxxxxxxxxxxxxxx"},
        {"more than there are", {.first = 9}, 3, 1, "xxxxxxxxxxxxxxx"},
    };
    LpTransformer gpt = lp_test_gpt(15, 1024, 16);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpPlan plan = lp_test_plan(1, rows[i].pp, 1, 1, 15);
        double model = lp_plan_hardware_flop(&plan, &gpt), n_again = 0.0;
        plan.pipeline.virtual_stages = rows[i].virtual_stages;
        plan.recompute = LP_RECOMPUTE_FULL;
        double full = lp_plan_hardware_flop(&plan, &gpt);
        plan.recompute_layers = rows[i].layers;
        for (guint32 layer = 0; layer < 15; layer++) {
            gboolean again = lp_plan_recomputes_layer(&plan, &gpt, layer);
            lp_test_true(rows[i].label, again == (rows[i].again[layer] == 'x'));
            n_again += again ? 1.0 : 0.0;
        }
        lp_test_close(rows[i].label, lp_plan_recomputed_share(&plan, &gpt), n_again / 15.0,
                      IDENTITY);
        lp_test_close(rows[i].label, lp_plan_hardware_flop(&plan, &gpt),
                      model + (full - model) * n_again / 15.0, IDENTITY);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"flop", test_flop},
        {"recomputed layers", test_recompute_layers},
        {NULL, NULL},
    };
    return lp_test_run("plan flop", cases);
}
