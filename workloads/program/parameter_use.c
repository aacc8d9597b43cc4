/* SPDX-License-Identifier: Apache-2.0 */
/* A trace of both passes, and what stays between two uses. */
#include "workloads/program/parameter_use.h"

#include "model/times/layer_tensors.h"

double
lp_parameter_use_size(const LpParameterUse *self)
{
    return self->parameters.dense + self->parameters.experts;
}

static const LpParameterUse *
get(const GArray *uses, guint index)
{
    return &g_array_index(uses, LpParameterUse, index);
}

static void
append(GArray *uses, LpParameterUse use)
{
    if (lp_parameter_use_size(&use) > 0.0)
        g_array_append_val(uses, use);
}

/* --- in which order --- */

/* Matrices are in the order of the backward pass. */
void
lp_parameter_use_place(const LpLayerTensors *tensors, guint i, LpBlock *block, LpBlockPart *part)
{
    guint behind = i < tensors->n_ffn ? i : (i - tensors->n_ffn) % tensors->n_attention;
    gboolean first = i >= tensors->n_ffn + (tensors->n_blocks - 1) * tensors->n_attention;
    *block = i < tensors->n_ffn ? LP_BLOCK_FFN : first ? LP_BLOCK_ATTENTION : LP_BLOCK_CROSS;
    *part = behind == 0 ? LP_BLOCK_PART_OUTPUT_PRODUCT : LP_BLOCK_PART_INPUT_PRODUCT;
}

static LpParameterUse
matrix_use(const LpUnit *unit, guint index, const LpLayerTensors *tensors, guint i)
{
    LpParameterUse use = {.unit = index,
                          .tensor = i,
                          .parameters = {tensors->share[i] * unit->parameters.dense, 0.0}};
    lp_parameter_use_place(tensors, i, &use.block, &use.part);
    return use;
}

/* What a layer's first product needs besides its own matrix: experts, which DeepSpeed gathers as a
 * whole (set_z3_leaf_modules), their router, what makes a module for further tokens. */
static LpParameters
others(const LpTransformer *transformer, const LpUnit *unit, const LpLayerTensors *tensors,
       guint n_matrices)
{
    LpLayer layer = lp_transformer_layer(transformer, unit->layer);
    double dense = 0.0;
    for (guint i = n_matrices; i < tensors->n && (layer.has_experts || layer.mtp); i++)
        dense += tensors->share[i] * unit->parameters.dense;
    return (LpParameters){dense, unit->parameters.experts};
}

static void
append_unit(GArray *uses, const LpTransformer *transformer, const LpPlan *plan, const LpUnit *unit,
            guint index, gboolean backwards)
{
    LpParameterUse whole = {.unit = index,
                            .tensor = LP_PARAMETER_USE_WHOLE,
                            .block = LP_N_BLOCKS,
                            .parameters = unit->parameters};
    if (unit->kind != LP_UNIT_LAYER) {
        append(uses, whole);
        return;
    }
    LpLayerTensors tensors = lp_layer_tensors(transformer, plan, unit->layer);
    guint n = lp_layer_tensors_n_matrices(&tensors);
    gboolean again = lp_plan_repeats_layer(plan, transformer, unit->layer);
    whole.parameters = others(transformer, unit, &tensors, n);
    append(uses, whole);
    for (guint i = n; i-- > 0 && (!backwards || again);)
        append(uses, matrix_use(unit, index, &tensors, i));
    for (guint i = 0; i < n && backwards; i++)
        append(uses, matrix_use(unit, index, &tensors, i));
}

static void
append_pass(GArray *uses, const LpTransformer *transformer, const LpPlan *plan, const GArray *units,
            gboolean backwards)
{
    for (guint i = 0; i < units->len; i++)
        append_unit(uses, transformer, plan, lp_units_get(units, i, backwards),
                    backwards ? units->len - 1 - i : i, backwards);
}

/* --- what is there --- */

/* The next use of the same tensor as that at @index, if so few parameters are used in between that
 * it stays; or 0. */
static guint
next_kept(const GArray *uses, guint index, double live_parameters)
{
    const LpParameterUse *use = get(uses, index);
    double between = 0.0;
    for (guint i = index + 1; i < uses->len && between < live_parameters; i++) {
        if (get(uses, i)->unit == use->unit && get(uses, i)->tensor == use->tensor)
            return i;
        between += lp_parameter_use_size(get(uses, i));
    }
    return 0;
}

static void
find_gathers(GArray *uses, const LpPlan *plan)
{
    for (guint i = 0; i < uses->len; i++)
        g_array_index(uses, LpParameterUse, i).gathers = TRUE;
    for (guint i = 0; i < uses->len; i++) {
        guint next = next_kept(uses, i, plan->zero.live_parameters);
        g_array_index(uses, LpParameterUse, i).stays = next > 0;
        if (next > 0)
            g_array_index(uses, LpParameterUse, next).gathers = FALSE;
    }
}

GArray *
lp_parameter_uses_new(const LpTransformer *transformer, const LpPlan *plan, const GArray *units,
                      gboolean backwards)
{
    GArray *uses = g_array_new(FALSE, TRUE, sizeof(LpParameterUse));
    gboolean both = lp_plan_backward_follows_forward(plan) && !plan->zero.keeps_parameters;
    if (both || !backwards)
        append_pass(uses, transformer, plan, units, FALSE);
    guint n_forward = uses->len;
    if (both || backwards)
        append_pass(uses, transformer, plan, units, TRUE);
    find_gathers(uses, plan);
    if (both && backwards && n_forward > 0)
        g_array_remove_range(uses, 0, n_forward);
    else if (both)
        g_array_set_size(uses, n_forward);
    return uses;
}
