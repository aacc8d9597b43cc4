/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/model/expert_plans.h"
#include "tests/testlib.h"

#define IDENTITY 1e-12 /* the same sum in another order */

static void
test_stage_parameters(void)
{
    static const struct {
        const char *label;
        guint32 tp, pp;
        gboolean tied;
        guint32 copies; /* of the word embedding, over all stages */
    } rows[] = {
        {"one rank", 1, 1, TRUE, 1},         {"one stage, untied", 1, 1, FALSE, 2},
        {"two stages, tied", 1, 2, TRUE, 2}, {"two stages, untied", 1, 2, FALSE, 2},
        {"tp 4, pp 3", 4, 3, TRUE, 2},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpTransformer shape = lp_test_gpt(7, 64, 4);
        shape.tied_embeddings = rows[i].tied;
        LpPlan plan = lp_test_plan(rows[i].tp, rows[i].pp, 1, 1, 1);
        double sum = 0.0, layers = 0.0;
        for (guint32 stage = 0; stage < rows[i].pp; stage++) {
            sum += rows[i].tp * lp_plan_stage_parameters(&plan, &shape, stage);
            layers += rows[i].tp * lp_plan_rank_layer_parameters(&plan, &shape, stage).dense;
        }
        double word_embedding = 51200.0 * 64.0;
        double wanted = 7.0 * (12.0 * 64.0 * 64.0 + 13.0 * 64.0) + 2048.0 * 64.0 + 2.0 * 64.0 +
                        rows[i].copies * word_embedding;
        lp_test_close(rows[i].label, sum, wanted, IDENTITY);
        lp_test_close(rows[i].label, layers, 7.0 * (12.0 * 64.0 * 64.0 + 13.0 * 64.0), IDENTITY);
    }
}

/* Parameters on all ranks, each counted once, are the transformer's, and a tied copy. */
static void
test_parameters_of_experts(void)
{
    LpTransformer shape = lp_test_expert_shape();
    for (guint i = 0; i < G_N_ELEMENTS(lp_test_expert_rows); i++)
        for (guint tied = 0; tied < 2; tied++) {
            LpPlan plan = lp_test_expert_plan(i);
            shape.tied_embeddings = tied == 1;
            double n_dense = plan.degree[LP_AXIS_TP];
            double n_experts = (double)plan.degree[LP_AXIS_EP] * lp_plan_expert_tp(&plan);
            for (guint32 layer = 0; layer < shape.n_layers; layer++) {
                LpParameters part = lp_plan_layer_parameters(&plan, &shape, layer);
                lp_test_close(lp_test_expert_rows[i].label,
                              n_dense * part.dense + n_experts * part.experts,
                              lp_transformer_layer_parameters(&shape, layer), IDENTITY);
                lp_test_close(lp_test_expert_rows[i].label, n_experts * part.experts,
                              lp_transformer_layer_expert_parameters(&shape, layer), IDENTITY);
            }
            double sum = 0.0;
            for (guint32 stage = 0; stage < plan.degree[LP_AXIS_PP]; stage++) {
                LpParameters part = lp_plan_rank_parameters(&plan, &shape, stage);
                sum += n_dense * part.dense + n_experts * part.experts;
            }
            double copy =
                tied == 1 && plan.degree[LP_AXIS_PP] > 1 ? (double)shape.vocab * shape.hidden : 0.0;
            lp_test_close(lp_test_expert_rows[i].label, sum,
                          lp_transformer_parameters(&shape) + copy, IDENTITY);
            if (plan.degree[LP_AXIS_PP] % 2 != 0)
                continue;
            /* Everything twice; both ends stand on the same ranks, so tied embeddings need no copy.
             */
            plan.pipeline.schedule = LP_SCHEDULE_DUALPIPE;
            double twice = 0.0;
            for (guint32 stage = 0; stage < plan.degree[LP_AXIS_PP]; stage++) {
                LpParameters part = lp_plan_rank_parameters(&plan, &shape, stage);
                twice += n_dense * part.dense + n_experts * part.experts;
            }
            lp_test_close(lp_test_expert_rows[i].label, twice,
                          2.0 * lp_transformer_parameters(&shape), IDENTITY);
        }
}

/* Keys and values of 2 heads of 16 each over t = 2, of 8 heads where they are repeated, and of as
 * many heads as there are ranks where cp = 4 divides heads. */
static void
test_exchanged_width(void)
{
    LpTransformer shape = lp_test_llama(1, 128, 8, 2, 256, 32000);
    LpPlan plan = lp_test_plan(2, 1, 1, 1, 1);
    lp_test_close("own heads", lp_plan_exchanged_width(&plan, &shape), 2.0 * 2.0 * 16.0 / 2.0, 0.0);
    plan.degree[LP_AXIS_CP] = 4;
    lp_test_close("round a ring", lp_plan_exchanged_width(&plan, &shape), 2.0 * 16.0, 0.0);
    plan.context_kind = LP_CONTEXT_ULYSSES;
    lp_test_close("divided", lp_plan_exchanged_width(&plan, &shape), 4.0 * 2.0 * 16.0, 0.0);
    plan.host.repeats_heads = TRUE;
    lp_test_close("repeated", lp_plan_exchanged_width(&plan, &shape), 2.0 * 8.0 * 16.0 / 2.0, 0.0);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"stage parameters", test_stage_parameters},
        {"parameters of experts", test_parameters_of_experts},
        {"exchanged width", test_exchanged_width},
        {NULL, NULL},
    };
    return lp_test_run("plan parameters", cases);
}
