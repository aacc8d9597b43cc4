/* SPDX-License-Identifier: Apache-2.0 */
/* The tensors that a pass uses are all that a rank has, each once, but norms and biases of layers
 * whose other tensors are matrices alone. */
#include "workloads/program/parameter_use.h"

#include "tests/testlib.h"
#include "workloads/description/workload.h"

/* What layers leave out: two norms of width 4096 and no bias (Llama), or nothing. */
static const struct {
    const char *path;
    double left_out; /* by each layer */
} rows[] = {{"resource:///lightpath/workloads/llama-3-8b.xml", 2.0 * 4096.0},
            {"resource:///lightpath/workloads/mixtral-8x7b.xml", 0.0}};

static double
sum_of(const LpParameters *parameters)
{
    return parameters->dense + parameters->experts;
}

static void
test_all(void)
{
    const char *const settings[] = {
        "framework=deepspeed", "pp=1", "schedule=1f1b", "virtual-stages=1", "tp=1", "zero=3", NULL};
    for (guint row = 0; row < G_N_ELEMENTS(rows); row++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(LpWorkload) workload = lp_workload_load(rows[row].path, settings, &error);
        lp_test_text(rows[row].path, error != NULL ? error->message : NULL, NULL);
        if (workload == NULL)
            continue;
        g_autoptr(GArray) units = lp_units_new(&workload->transformer, &workload->plan, 0, 0);
        g_autoptr(GArray) uses =
            lp_parameter_uses_new(&workload->transformer, &workload->plan, units, FALSE);
        g_autofree double *used = g_new0(double, units->len);
        for (guint i = 0; i < uses->len; i++) {
            const LpParameterUse *use = &g_array_index(uses, LpParameterUse, i);
            used[use->unit] += lp_parameter_use_size(use);
        }
        for (guint i = 0; i < units->len; i++) {
            const LpUnit *unit = lp_units_get(units, i, FALSE);
            double left_out = unit->kind == LP_UNIT_LAYER ? rows[row].left_out : 0.0;
            lp_test_close(rows[row].path, used[i], sum_of(&unit->parameters) - left_out, 1e-12);
        }
    }
}

/* Tensors stand in the order of their gradients: the network's, those of attention to the encoder,
 * then attention's own; in each block what makes its output comes first. */
static void
test_places(void)
{
    static const struct {
        LpBlock block;
        LpBlockPart part;
    } wanted[] = {{LP_BLOCK_FFN, LP_BLOCK_PART_OUTPUT_PRODUCT},
                  {LP_BLOCK_FFN, LP_BLOCK_PART_INPUT_PRODUCT},
                  {LP_BLOCK_FFN, LP_BLOCK_PART_INPUT_PRODUCT},
                  {LP_BLOCK_CROSS, LP_BLOCK_PART_OUTPUT_PRODUCT},
                  {LP_BLOCK_CROSS, LP_BLOCK_PART_INPUT_PRODUCT},
                  {LP_BLOCK_ATTENTION, LP_BLOCK_PART_OUTPUT_PRODUCT},
                  {LP_BLOCK_ATTENTION, LP_BLOCK_PART_INPUT_PRODUCT}};
    const LpLayerTensors tensors = {.n = 10, .n_ffn = 3, .n_attention = 2, .n_blocks = 2};
    for (guint i = 0; i < G_N_ELEMENTS(wanted); i++) {
        LpBlock block;
        LpBlockPart part;
        lp_parameter_use_place(&tensors, i, &block, &part);
        lp_test_true("place", block == wanted[i].block && part == wanted[i].part);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"all tensors", test_all}, {"places", test_places}, {NULL, NULL}};
    return lp_test_run("uses of parameters", cases);
}
