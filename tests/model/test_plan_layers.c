/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/model/shapes.h"
#include "tests/testlib.h"

#include <math.h>

#define IDENTITY 1e-12 /* the same sum in another order */

/* FLOP of @n layers from @first on as slice @slice of the plan. */
static double
slice_cost(const LpTransformer *shape, const LpPlan *plan, guint32 slice, guint32 first, guint32 n)
{
    double cost = slice == 0 ? lp_transformer_embedding_forward_flop(shape, 1.0) : 0.0;
    if (slice == lp_plan_n_slices(plan) - 1)
        cost += lp_transformer_logits_forward_flop(shape, 1.0);
    for (guint32 i = first; i < first + n; i++)
        cost += lp_transformer_layer_forward_flop(shape, i, 1.0);
    return cost;
}

/* The least slowest slice among all ways to deal the layers from @first on to @slice and on. */
static double
least_slowest(const LpTransformer *shape, const LpPlan *plan, guint32 slice, guint32 first)
{
    guint32 n_left = lp_transformer_n_layers(shape) - first;
    guint32 n_after = lp_plan_n_slices(plan) - slice - 1;
    if (n_after == 0)
        return slice_cost(shape, plan, slice, first, n_left);
    double least = INFINITY;
    for (guint32 n = 1; n + n_after <= n_left; n++)
        least = fmin(least, fmax(slice_cost(shape, plan, slice, first, n),
                                 least_slowest(shape, plan, slice + 1, first + n)));
    return least;
}

/* Slices follow each other, none is empty, and chunks of stages are all slices: each once, or under
 * dualpipe once on the stage of its number and once on that stage's mirror image. */
static void
check_partition(const char *label, const LpTransformer *shape, const LpPlan *plan)
{
    guint32 n_slices = lp_plan_n_slices(plan), next = 0, pp = plan->degree[LP_AXIS_PP];
    for (guint32 slice = 0; slice < n_slices; slice++) {
        lp_test_true(label, lp_plan_slice_first_layer(plan, shape, slice) == next);
        lp_test_true(label, lp_plan_slice_layers(plan, shape, slice) > 0);
        next += lp_plan_slice_layers(plan, shape, slice);
    }
    lp_test_true(label, next == lp_transformer_n_layers(shape));
    gboolean dual = plan->pipeline.schedule == LP_SCHEDULE_DUALPIPE;
    g_autofree guint *n_holders = g_new0(guint, n_slices);
    guint n_embeddings = 0, n_heads = 0;
    for (guint32 stage = 0; stage < pp; stage++)
        for (guint32 chunk = 0; chunk < lp_plan_n_chunks(plan); chunk++) {
            guint32 slice = lp_plan_slice(plan, stage, chunk);
            lp_test_true(label, slice < n_slices);
            lp_test_true(label, lp_plan_chunk_layers(plan, shape, stage, chunk) ==
                                    lp_plan_slice_layers(plan, shape, slice));
            lp_test_true(label, !dual || slice == (chunk == 0 ? stage : pp - 1 - stage));
            n_embeddings += lp_plan_holds_embedding(plan, stage, chunk) ? 1 : 0;
            n_heads += lp_plan_holds_head(plan, stage, chunk) ? 1 : 0;
            n_holders[slice]++;
        }
    for (guint32 slice = 0; slice < n_slices; slice++)
        lp_test_true(label, n_holders[slice] == (dual ? 2 : 1));
    lp_test_true(label, n_embeddings == (dual ? 2 : 1) && n_heads == n_embeddings);
}

static void
check_balance(const char *label, const LpTransformer *shape, guint32 pp, guint32 v)
{
    g_autofree char *row = g_strdup_printf("%s, %u layers, %u stages of %u", label,
                                           lp_transformer_n_layers(shape), pp, v);
    LpPlan plan = lp_test_plan(1, pp, 1, 1, pp);
    plan.pipeline.virtual_stages = v;
    plan.pipeline.stages = LP_STAGES_BALANCED;
    lp_plan_deal_layers(&plan, shape);
    check_partition(row, shape, &plan);
    double slowest = 0.0;
    for (guint32 slice = 0; slice < pp * v; slice++)
        slowest = fmax(slowest, slice_cost(shape, &plan, slice,
                                           lp_plan_slice_first_layer(&plan, shape, slice),
                                           lp_plan_slice_layers(&plan, shape, slice)));
    lp_test_close(row, slowest, least_slowest(shape, &plan, 0, 0), IDENTITY);
}

static void
test_balance(void)
{
    for (guint32 n_layers = 1; n_layers <= 9; n_layers++) {
        LpTransformer even = lp_test_gpt(n_layers, 64, 4);
        even.embedding = FALSE;
        /* The logits cost V / (12 h + 2 s) layers: 2.6. */
        LpTransformer head = lp_test_gpt(n_layers, 64, 4);
        head.vocab = 12800;
        LpTransformer image = lp_test_gpt(n_layers, 64, 4);
        image.tied_embeddings = FALSE;
        image.image.patch = 64;
        LpTransformer uneven = lp_test_gpt(n_layers, 64, 4);
        uneven.experts.n = 8;
        uneven.experts.top_k = 7;
        uneven.experts.every = 2;
        uneven.window.keys = 128;
        uneven.window.every = 3;
        for (guint32 pp = 1; pp <= n_layers && pp <= 5; pp++)
            for (guint32 v = 1; pp * v <= n_layers && v <= 2; v++) {
                check_balance("equal layers", &even, pp, v);
                check_balance("a head", &head, pp, v);
                check_balance("an image", &image, pp, v);
                check_balance("experts and windows", &uneven, pp, v);
            }
    }
}

static void
test_balance_by_hand(void)
{
    /* A head worth 51200 / (12 h + 2 s) = 10.5 of 22 layers: 16 against 6 + 10.5. */
    LpTransformer gpt = lp_test_gpt(22, 64, 4);
    LpPlan plan = lp_test_plan(1, 2, 1, 1, 2);
    plan.pipeline.stages = LP_STAGES_BALANCED;
    lp_plan_deal_layers(&plan, &gpt);
    lp_test_true("the head's stage is short", lp_plan_slice_layers(&plan, &gpt, 0) == 16);
    plan.pipeline.stages = LP_STAGES_EVEN;
    lp_test_true("even", lp_plan_slice_layers(&plan, &gpt, 0) == 11);
    plan.pipeline.n_listed = 7;
    lp_plan_deal_layers(&plan, &gpt);
    lp_test_true("not asked for", plan.pipeline.n_listed == 7);
    LpTransformer deep = lp_test_gpt(1024, 64, 4);
    plan = lp_test_plan(1, 1024, 1, 1, 1024);
    plan.pipeline.stages = LP_STAGES_BALANCED;
    lp_plan_deal_layers(&plan, &deep);
    lp_test_true("more slices than listed", plan.pipeline.n_listed == 0);
    check_partition("more slices than listed", &deep, &plan);
    plan.degree[LP_AXIS_PP] = LP_STAGE_LIST_MAX;
    lp_plan_deal_layers(&plan, &deep);
    check_partition("as many slices as listed", &deep, &plan);
}

/* A layer has 12 h^2 weights with GELU's 4 h, counted as 16 h^2 (three matrices); h is 256. */
static void
test_by_weight(void)
{
    static const struct {
        const char *label;
        guint32 n_layers, vocab, pp, layers[4];
    } rows[] = {
        /* Logits of 25 h^2: 24 and 1.56 layers on 2 stages, 12.78 each. */
        {"two stages", 24, 25 * 256, 2, {13, 11}},
        /* Of 64 h^2: 5 layers a stage, and few on the last. */
        {"a share just reached is enough", 16, 64 * 256, 4, {5, 5, 5, 1}},
        {"late stages without layers", 2, 64 * 256, 4, {2, 0, 0, 0}},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpTransformer shape = lp_test_gpt(rows[i].n_layers, 256, 4);
        shape.vocab = rows[i].vocab;
        LpPlan plan = lp_test_plan(1, rows[i].pp, 1, 1, 8);
        plan.pipeline.stages = LP_STAGES_BY_WEIGHT;
        lp_plan_deal_layers(&plan, &shape);
        for (guint32 stage = 0; stage < rows[i].pp; stage++)
            lp_test_true(rows[i].label,
                         lp_plan_slice_layers(&plan, &shape, stage) == rows[i].layers[stage]);
        if (rows[i].layers[rows[i].pp - 1] > 0)
            check_partition(rows[i].label, &shape, &plan);
    }
}

/* Of h^2: a mixer of 2 and a network of 12 where an attention layer has 4 + 12; two of 8 experts a
 * token, and a shared one, 8 wide, are 9 h of 256: less than a hundredth of a layer's. */
static void
test_by_weight_of_kinds(void)
{
    static const struct {
        const char *label;
        guint32 dense, layers[2];
        gboolean mixers;
    } rows[] = {
        /* Four of 14 and four of 16: half of 120 is reached by the first four and one more. */
        {"mixers first", 0, {5, 3}, TRUE},
        /* Four of 16 and four of 4.28: half of 81.1 is reached by the first three. */
        {"experts last", 4, {3, 5}, FALSE},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpTransformer shape = lp_test_gpt(8, 256, 4);
        shape.vocab = 1;
        if (rows[i].mixers) {
            shape.pattern = (LpLayerPattern){.n = 2,
                                             .count = {4, 4},
                                             .word = {LP_LAYER_MIXER, LP_LAYER_FULL},
                                             .n_mixers = 1,
                                             .mixer = {"mixer"}};
            shape.mixers[0].parameters = 2.0 * 256 * 256;
        } else {
            shape.experts = (LpTransformerExperts){
                .n = 8, .top_k = 2, .n_shared = 1, .ffn = 8, .every = 1, .n_dense_layers = 4};
        }
        LpPlan plan = lp_test_plan(1, 2, 1, 1, 8);
        plan.pipeline.stages = LP_STAGES_BY_WEIGHT;
        lp_plan_deal_layers(&plan, &shape);
        for (guint32 stage = 0; stage < 2; stage++)
            lp_test_true(rows[i].label,
                         lp_plan_slice_layers(&plan, &shape, stage) == rows[i].layers[stage]);
    }
}

/* Llama 3 405B: 126 layers, so that the ends of 16 stages have one less (Llama team, arXiv
 * 2407.21783, section 3.3.2); GPT of 22 layers in 24 slices (Qi et al., arXiv 2401.10241, table 3).
 */
static void
test_with_ends(void)
{
    static const struct {
        const char *label;
        guint32 n_layers, pp, virtual_stages, first, inner, last;
    } rows[] = {
        {"126 on 16", 126, 16, 1, 7, 8, 7},
        {"126 on 16, in eights", 126, 16, 8, 0, 1, 0},
        {"22 in 24", 22, 8, 3, 0, 1, 0},
        {"one stage", 12, 1, 1, 12, 12, 12},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpTransformer shape = lp_test_gpt(rows[i].n_layers, 256, 4);
        LpPlan plan = lp_test_plan(1, rows[i].pp, 1, 1, rows[i].pp);
        plan.pipeline.stages = LP_STAGES_WITH_ENDS;
        plan.pipeline.virtual_stages = rows[i].virtual_stages;
        lp_plan_deal_layers(&plan, &shape);
        guint32 n = lp_plan_n_slices(&plan);
        lp_test_true(rows[i].label, lp_plan_slice_layers(&plan, &shape, 0) == rows[i].first);
        lp_test_true(rows[i].label, lp_plan_slice_layers(&plan, &shape, n - 1) == rows[i].last);
        for (guint32 slice = 1; slice + 1 < n; slice++)
            lp_test_true(rows[i].label,
                         lp_plan_slice_layers(&plan, &shape, slice) == rows[i].inner);
    }
}

/* DeepSeek-V3's 61 layers and its module for multi-token prediction, and Kimi K2's without
 * (Megatron-Bridge, src/megatron/bridge/recipes: deepseek_v3.py and kimi_k2.py, by stages and
 * virtual stages). */
static void
test_front(void)
{
    static const struct {
        const char *label;
        guint32 n_mtp, pp, virtual_stages, inner, before_last, last;
    } rows[] = {
        {"4 stages", 1, 4, 1, 16, 16, 13 + 1},   {"8 stages", 1, 8, 1, 8, 8, 5 + 1},
        {"16 stages", 1, 16, 1, 4, 4, 1 + 1},    {"8 stages of 2", 1, 8, 2, 4, 4, 1 + 1},
        {"without modules", 0, 4, 4, 4, 4, 1},   {"one stage", 1, 1, 1, 62, 62, 62},
        {"only a module", 1, 8, 4, 2, 1, 0 + 1}, {"even anyway", 0, 61, 1, 1, 1, 1},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpTransformer shape = lp_test_llama(61, 256, 4, 4, 512, 512);
        shape.n_mtp = rows[i].n_mtp;
        LpPlan plan = lp_test_plan(1, rows[i].pp, 1, 1, rows[i].pp);
        plan.pipeline.stages = LP_STAGES_FRONT;
        plan.pipeline.virtual_stages = rows[i].virtual_stages;
        lp_plan_deal_layers(&plan, &shape);
        guint32 n = lp_plan_n_slices(&plan);
        lp_test_true(rows[i].label, lp_plan_slice_layers(&plan, &shape, n - 1) == rows[i].last);
        if (n > 1)
            lp_test_true(rows[i].label,
                         lp_plan_slice_layers(&plan, &shape, n - 2) == rows[i].before_last);
        for (guint32 slice = 0; slice + 2 < n; slice++)
            lp_test_true(rows[i].label,
                         lp_plan_slice_layers(&plan, &shape, slice) == rows[i].inner);
    }
}

static void
test_partition(void)
{
    for (guint32 n_layers = 1; n_layers <= 13; n_layers++)
        for (guint32 pp = 1; pp <= n_layers; pp++) {
            LpTransformer gpt = lp_test_gpt(n_layers, 64, 4);
            LpPlan plan = lp_test_plan(1, pp, 1, 1, pp);
            g_autofree char *label = g_strdup_printf("%u layers on %u", n_layers, pp);
            for (guint32 v = 1; v * pp <= n_layers; v++) {
                plan.pipeline.virtual_stages = v;
                check_partition(label, &gpt, &plan);
            }
            plan.pipeline.virtual_stages = 1;
            plan.pipeline.stages = LP_STAGES_LIST;
            plan.pipeline.n_listed = pp;
            for (guint32 slice = 0; slice < pp; slice++) /* all that can to the last */
                plan.pipeline.listed_layers[slice] = slice + 1 < pp ? 1 : n_layers - pp + 1;
            check_partition(label, &gpt, &plan);
            plan.pipeline.schedule = LP_SCHEDULE_DUALPIPE;
            if (pp % 2 == 0)
                check_partition(label, &gpt, &plan);
            plan.pipeline.stages = LP_STAGES_EVEN;
            if (pp % 2 == 0)
                check_partition(label, &gpt, &plan);
        }
}

/* Every chunk has floor or ceil of the mean; the first grows never, the last at last. */
static void
check_placement(guint32 n_layers, guint32 pp, guint32 v)
{
    LpTransformer shape = lp_test_gpt(n_layers, 64, 1);
    LpPlan plan = lp_test_plan(1, pp, 1, 1, pp);
    plan.pipeline.virtual_stages = v;
    g_autofree char *label = g_strdup_printf("%u layers on %u stages of %u", n_layers, pp, v);
    guint32 sum = 0;
    guint32 grown = 0;
    for (guint32 index = 0; index < pp * v; index++) {
        guint32 layers = lp_plan_chunk_layers(&plan, &shape, index % pp, index / pp);
        lp_test_true(label, layers >= n_layers / (pp * v) && layers <= n_layers / (pp * v) + 1);
        gboolean grows = layers > n_layers / (pp * v);
        lp_test_true(label, !(index == 0 && grows));
        lp_test_true(label, !(index == pp * v - 1 && grows && grown + 1 < index));
        grown += grows ? 1 : 0;
        sum += layers;
    }
    lp_test_true(label, sum == n_layers);
    sum = 0;
    for (guint32 stage = 0; stage < pp; stage++)
        sum += lp_plan_stage_layers(&plan, &shape, stage);
    lp_test_true(label, sum == n_layers);
}

static void
test_layers(void)
{
    for (guint32 n_layers = 1; n_layers <= 40; n_layers++)
        for (guint32 pp = 1; pp <= n_layers; pp++)
            for (guint32 v = 1; pp * v <= n_layers; v++)
                check_placement(n_layers, pp, v);
    check_placement(1 << 24, 1, 1);
    check_placement(105, 35, 3);
}

static void
test_layers_by_hand(void)
{
    /* 11 layers to 3 stages of 2 chunks: chunks in order 1 2 2 2 2 2; stages 1 + 2, 2 + 2, 2 + 2.
     */
    LpTransformer shape = lp_test_gpt(11, 64, 1);
    LpPlan plan = lp_test_plan(1, 3, 1, 1, 3);
    plan.pipeline.virtual_stages = 2;
    lp_test_true("first", lp_plan_chunk_layers(&plan, &shape, 0, 0) == 1);
    lp_test_true("fourth", lp_plan_chunk_layers(&plan, &shape, 0, 1) == 2);
    lp_test_true("stage 0", lp_plan_stage_layers(&plan, &shape, 0) == 3);
    lp_test_true("stage 2", lp_plan_stage_layers(&plan, &shape, 2) == 4);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"balance", test_balance},
        {"balance by hand", test_balance_by_hand},
        {"by weight", test_by_weight},
        {"by weight, of kinds", test_by_weight_of_kinds},
        {"front", test_front},
        {"with ends", test_with_ends},
        {"partition", test_partition},
        {"layers", test_layers},
        {"layers by hand", test_layers_by_hand},
        {NULL, NULL},
    };
    return lp_test_run("plan layers", cases);
}
