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
        /* Each rank has all positions, norms (4 h a layer, 2 h at the end) and biases behind sums
         * (2 h a layer). */
        double more = rows[i].tp - 1.0;
        lp_test_close(rows[i].label, sum,
                      wanted + more * (7.0 * 6.0 * 64.0 + 2048.0 * 64.0 + 2.0 * 64.0), IDENTITY);
        lp_test_close(rows[i].label, layers,
                      7.0 * (12.0 * 64.0 * 64.0 + 13.0 * 64.0) + more * 7.0 * 6.0 * 64.0, IDENTITY);
    }
}

/* Of layer @index of the test's shape: norms 4 h, a bias behind attention and one behind the
 * network or the shared expert, each h, and the router. */
static double
whole_parameters(const LpTransformer *shape, guint32 index)
{
    double h = shape->hidden, router = index > 0 ? h * shape->experts.n : 0.0;
    return 6.0 * h + router;
}

/* Parameters on all ranks, each counted once, are the transformer's, a tied copy, and further
 * copies of what each rank holds whole: of experts' parameters a bias each. */
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
            double more_experts = (lp_plan_expert_tp(&plan) - 1.0) * 24.0 * shape.hidden;
            double copies = 0.0;
            for (guint32 layer = 0; layer < shape.n_layers; layer++) {
                LpParameters part = lp_plan_layer_parameters(&plan, &shape, layer);
                double whole = (n_dense - 1.0) * whole_parameters(&shape, layer);
                double whole_experts = layer > 0 ? more_experts : 0.0;
                double experts = lp_transformer_layer_expert_parameters(&shape, layer);
                double all = lp_transformer_layer_parameters(&shape, layer);
                copies += whole + whole_experts;
                lp_test_close(lp_test_expert_rows[i].label, n_dense * part.dense,
                              all - experts + whole, IDENTITY);
                lp_test_close(lp_test_expert_rows[i].label, n_experts * part.experts,
                              experts + whole_experts, IDENTITY);
            }
            copies += (n_dense - 1.0) * (48.0 + 2.0) * shape.hidden;
            double sum = 0.0;
            for (guint32 stage = 0; stage < plan.degree[LP_AXIS_PP]; stage++) {
                LpParameters part = lp_plan_rank_parameters(&plan, &shape, stage);
                sum += n_dense * part.dense + n_experts * part.experts;
            }
            double copy =
                tied == 1 && plan.degree[LP_AXIS_PP] > 1 ? (double)shape.vocab * shape.hidden : 0.0;
            lp_test_close(lp_test_expert_rows[i].label, sum,
                          lp_transformer_parameters(&shape) + copy + copies, IDENTITY);
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
                          2.0 * (lp_transformer_parameters(&shape) + copies), IDENTITY);
        }
}

/* DeepSeek-V3 with t = 8 and e = 64: a rank holds a layer's compression h (1536 + 512 + 64), norms
 * 2 h + 1536 + 512 and router 256 h whole, and an eighth of q-up 1536 128 (128 + 64), kv-up
 * 512 128 (128 + 128), projection 128 128 h and of the shared expert 3 h 2048; its gradients of
 * what is whole are summed if sequences are scattered. */
static void
test_latent(void)
{
    double h = 7168.0, whole = h * 2112.0 + 2.0 * h + 2048.0 + 256.0 * h;
    LpTransformer shape = lp_test_llama(8, 7168, 128, 128, 18432, 129280);
    shape.head_width = 128;
    shape.latent = (LpTransformerLatent){1536, 512, 64, 128};
    shape.experts = (LpTransformerExperts){
        .n = 256, .top_k = 8, .ffn = 2048, .n_shared = 1, .every = 1, .n_groups = 1};
    LpPlan plan = lp_test_plan(8, 1, 8, 1, 8);
    plan.degree[LP_AXIS_EP] = 64;
    plan.experts.tp = 1;
    double divided =
        1536.0 * 128.0 * 192.0 + 512.0 * 128.0 * 256.0 + 128.0 * 128.0 * h + 3.0 * h * 2048.0;
    LpParameters layer = lp_plan_layer_parameters(&plan, &shape, 3);
    lp_test_close("dense", layer.dense, whole + divided / 8.0, IDENTITY);
    lp_test_close("experts", layer.experts, 4.0 * 3.0 * h * 2048.0, IDENTITY);
    lp_test_close("not scattered", lp_plan_whole_gradients(&plan, &shape, 0), 0.0, 0.0);
    plan.sequence_parallel = TRUE;
    lp_test_close("summed", lp_plan_whole_gradients(&plan, &shape, 0), 8.0 * whole + h, IDENTITY);
    shape.latent.query_rank = 0;
    layer = lp_plan_layer_parameters(&plan, &shape, 3);
    lp_test_close("queries of all of the width", layer.dense,
                  whole - 1536.0 * h - 1536.0 + (divided + (h - 1536.0) * 128.0 * 192.0) / 8.0,
                  IDENTITY);
    plan.degree[LP_AXIS_TP] = 1;
    lp_test_close("one rank", lp_plan_whole_gradients(&plan, &shape, 0), 0.0, 0.0);
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
    plan.traits[LP_TRAIT_REPEAT_HEADS] = TRUE;
    lp_test_close("repeated", lp_plan_exchanged_width(&plan, &shape), 2.0 * 8.0 * 16.0 / 2.0, 0.0);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"stage parameters", test_stage_parameters},
        {"parameters of experts", test_parameters_of_experts},
        {"latent", test_latent},
        {"exchanged width", test_exchanged_width},
        {NULL, NULL},
    };
    return lp_test_run("plan parameters", cases);
}
