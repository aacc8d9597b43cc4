/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors are dealt to replicas: the largest first, each to the one with least. */
#include "model/times/tensor_owners.h"

#include "tests/model/shapes.h"
#include "tests/testlib.h"

#include "model/plan/plan_parameters.h"

#define HIDDEN 8192.0

static double
sum_of(const GArray *owners)
{
    double sum = 0.0;
    for (guint i = 0; i < owners->len; i++)
        sum += g_array_index(owners, double, i);
    return sum;
}

/* A layer of GPT has tensors of 4, 4, 3 and 1 h^2, and norms with biases. */
static void
test_layer(void)
{
    static const struct {
        const char *label;
        guint64 n_members;
        double wanted[6]; /* h^2, but for biases and norms */
    } rows[] = {
        {"one", 1, {12.0}},
        {"two", 2, {7.0, 5.0}}, /* 4 + 3, and 4 + 1 */
        {"three", 3, {4.0, 4.0, 4.0}},
        {"more than tensors", 16, {4.0, 4.0, 3.0, 1.0, 0.0, 0.0}},
    };
    LpTransformer gpt = lp_test_gpt(1, (guint32)HIDDEN, 64);
    gpt.embedding = FALSE;
    LpPlan plan = lp_test_plan(1, 1, 8, 1, 8);
    double h2_bytes = HIDDEN * HIDDEN * lp_plan_parameter_wire_bytes(&plan);
    double all_bytes =
        lp_plan_layer_parameters(&plan, &gpt, 0).dense * lp_plan_parameter_wire_bytes(&plan);
    for (guint r = 0; r < G_N_ELEMENTS(rows); r++) {
        g_autoptr(GArray) owners = lp_tensor_owners_new(&gpt, &plan, 0, rows[r].n_members);
        lp_test_close(rows[r].label, owners->len, (double)MIN(rows[r].n_members, 6), 0.0);
        lp_test_close(rows[r].label, sum_of(owners), all_bytes, 1e-12);
        for (guint i = 0; i < owners->len; i++)
            lp_test_true(rows[r].label, fabs(g_array_index(owners, double, i) / h2_bytes -
                                             rows[r].wanted[i]) < 0.01);
    }
}

/* Those of a stage, over tensor parallelism; embedding and head are one each. */
static void
test_stages(void)
{
    LpTransformer gpt = lp_test_gpt(4, (guint32)HIDDEN, 64);
    LpPlan plan = lp_test_plan(2, 2, 64, 1, 64);
    for (guint32 stage = 0; stage < 2; stage++) {
        g_autoptr(GArray) owners = lp_tensor_owners_new(&gpt, &plan, stage, 64);
        lp_test_close("tensors", owners->len, 2.0 * 6.0 + 1.0, 0.0);
        lp_test_close("bytes", sum_of(owners),
                      lp_plan_stage_parameters(&plan, &gpt, stage) *
                          lp_plan_parameter_wire_bytes(&plan),
                      1e-12);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"layer", test_layer}, {"stages", test_stages}, {NULL, NULL}};
    return lp_test_run("tensor owners", cases);
}
