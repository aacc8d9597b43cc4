/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors of parameters, against models whose tensors are known. */
#include "model/times/layer_tensors.h"

#include "tests/model/shapes.h"
#include "tests/testlib.h"

/* Llama 2 7B: 291 tensors in its published file, 9 a layer (llama.cpp prints them as n_tensors);
 * with queries, keys and values in one, and the gate with what goes up, 6 a layer. */
static void
test_llama(void)
{
    LpTransformer llama = lp_test_llama(32, 4096, 32, 32, 11008, 32000);
    LpPlan plan = lp_test_plan(1, 1, 8, 1, 8);
    plan.traits[LP_TRAIT_SEPARATE_PROJECTIONS] = LP_PROJECTIONS_SEPARATE;
    lp_test_close("apart", lp_stage_tensors(&llama, &plan, 0), 291.0, 1e-12);
    plan.traits[LP_TRAIT_SEPARATE_PROJECTIONS] = LP_PROJECTIONS_JOINED;
    lp_test_close("joined", lp_stage_tensors(&llama, &plan, 0), 32.0 * 6.0 + 3.0, 1e-12);
}

/* Their shares are those of the matrices, in the order of the backward pass: of a layer of GPT, 12
 * h^2 and some, 4/12 go down, 4/12 up, 1/12 is the projection, 3/12 queries, keys and values. */
static void
test_shares(void)
{
    static const double wanted[] = {4.0 / 12.0, 4.0 / 12.0, 1.0 / 12.0, 3.0 / 12.0};
    LpTransformer gpt = lp_test_gpt(2, 8192, 64);
    LpPlan plan = lp_test_plan(1, 1, 8, 1, 8);
    LpLayerTensors tensors = lp_layer_tensors(&gpt, &plan, 1);
    lp_test_close("down and up", tensors.n_ffn, 2.0, 1e-12);
    lp_test_close("of attention", tensors.n_attention, 2.0, 1e-12);
    lp_test_close("blocks", tensors.n_blocks, 1.0, 1e-12);
    double sum = 0.0;
    for (guint i = 0; i < tensors.n; i++)
        sum += tensors.share[i];
    lp_test_close("sum", sum, 1.0, 1e-12);
    for (guint i = 0; i < G_N_ELEMENTS(wanted); i++)
        lp_test_close("share", tensors.share[i], wanted[i], 1e-3); /* biases and norms */
}

/* Stages have the tensors of their layers; a tied embedding has a copy on the last. */
static void
test_stages(void)
{
    LpTransformer llama = lp_test_llama(32, 4096, 32, 32, 11008, 32000);
    LpPlan plan = lp_test_plan(1, 4, 2, 1, 8);
    lp_test_close("first", lp_stage_tensors(&llama, &plan, 0), 8.0 * 6.0 + 1.0, 1e-12);
    lp_test_close("second", lp_stage_tensors(&llama, &plan, 1), 8.0 * 6.0, 1e-12);
    lp_test_close("last", lp_stage_tensors(&llama, &plan, 3), 8.0 * 6.0 + 2.0, 1e-12);
    llama.tied_embeddings = TRUE;
    lp_test_close("copy", lp_stage_tensors(&llama, &plan, 3), 8.0 * 6.0 + 2.0, 1e-12);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"llama", test_llama}, {"shares", test_shares}, {"stages", test_stages}, {NULL, NULL}};
    return lp_test_run("layer-tensors", cases);
}
