/* SPDX-License-Identifier: Apache-2.0 */
/* The units of a chunk of layers. */
#include "workloads/program/unit.h"

#include "model/plan/precision.h"
#include "model/times/trained.h"
#include "workloads/program/layer.h"
#include "workloads/program/vocabulary.h"

static void
append(GArray *units, LpUnitKind kind, guint32 layer, LpParameters parameters, LpParameters trained)
{
    LpUnit unit = {kind, layer, parameters, trained};
    g_array_append_val(units, unit);
}

static void
append_end(GArray *units, const LpPlan *plan, LpUnitKind kind, double parameters)
{
    append(units, kind, 0, (LpParameters){parameters, 0.0},
           (LpParameters){lp_end_trained(plan, parameters), 0.0});
}

/* A pair's decoder begins in the middle of a chunk, and embeds its own sequences there. Parameters
 * of both embeddings are counted with the first. A module that predicts further tokens embeds them,
 * and ends in the head, whose parameters are counted with the head itself. */
GArray *
lp_units_new(const LpTransformer *transformer, const LpPlan *plan, guint32 stage, guint32 chunk)
{
    GArray *units = g_array_new(FALSE, FALSE, sizeof(LpUnit));
    const LpParameters none = {0.0, 0.0};
    double tp = plan->degree[LP_AXIS_TP];
    guint32 slice = lp_plan_slice(plan, stage, chunk);
    guint32 first = lp_plan_slice_first_layer(plan, transformer, slice);
    guint32 n_layers = lp_plan_slice_layers(plan, transformer, slice);
    if (transformer->embedding && lp_plan_holds_embedding(plan, stage, chunk))
        append_end(units, plan, LP_UNIT_EMBEDDING, lp_plan_embedding_parameters(plan, transformer));
    for (guint32 layer = first; layer < first + n_layers; layer++) {
        gboolean ahead = lp_transformer_layer(transformer, layer).mtp;
        if (ahead || (transformer->embedding && layer == transformer->n_layers))
            append(units, LP_UNIT_EMBEDDING, layer, none, none);
        append(units, LP_UNIT_LAYER, layer, lp_plan_layer_parameters(plan, transformer, layer),
               lp_layer_trained(transformer, plan, layer));
        if (ahead)
            append(units, LP_UNIT_HEAD, layer, none, none);
    }
    if (transformer->embedding && lp_plan_holds_head(plan, stage, chunk))
        append_end(units, plan, LP_UNIT_HEAD,
                   lp_plan_head_parameters(plan, transformer) +
                       lp_plan_tied_copy_parameters(plan, transformer) / tp);
    return units;
}

const LpUnit *
lp_units_get(const GArray *units, guint position, gboolean backwards)
{
    return &g_array_index(units, LpUnit, backwards ? units->len - 1 - position : position);
}

guint32
lp_units_chunk(const LpPlan *plan, guint32 stage, guint32 k)
{
    gboolean upper = stage >= plan->degree[LP_AXIS_PP] / 2;
    return plan->pipeline.schedule == LP_SCHEDULE_DUALPIPE && upper ? 1 - k : k;
}

/* Whether parameters lie in two buffers, of narrow and of wide ones. */
static gboolean
has_wide_buffer(const LpPlan *plan)
{
    return lp_plan_shares_step(plan) && plan->format.narrow_parameters &&
           lp_precision_is_narrow(plan->format.precision);
}

gboolean
lp_unit_is_wide(const LpUnit *self, const LpPlan *plan)
{
    return self->kind != LP_UNIT_LAYER && has_wide_buffer(plan);
}

gboolean
lp_unit_has_wide_tensor(const LpUnit *self, const LpPlan *plan, const LpLayerTensors *tensors,
                        guint i)
{
    return has_wide_buffer(plan) && self->parameters.experts <= 0.0 &&
           i >= lp_layer_tensors_n_matrices(tensors);
}

LpParameters
lp_unit_gathered_bytes(const LpUnit *self, const LpPlan *plan)
{
    LpParameters pooled = lp_plan_pooled_parameters(plan, self->parameters);
    LpParameters trained = lp_plan_pooled_parameters(plan, self->trained);
    double bytes = self->kind == LP_UNIT_LAYER ? lp_plan_parameter_wire_bytes(plan)
                                               : lp_plan_activation_bytes(plan);
    double trained_bytes = lp_plan_freezes(plan) ? lp_plan_activation_bytes(plan) : 0.0;
    if (lp_plan_freezes(plan) && plan->zero.stage != 3)
        bytes = 0.0;
    return (LpParameters){pooled.dense * bytes + trained.dense * trained_bytes,
                          pooled.experts * bytes + trained.experts * trained_bytes};
}

void
lp_unit_add_forward(const LpUnit *self, LpLowering *lowering)
{
    if (self->kind == LP_UNIT_EMBEDDING)
        lp_vocabulary_add_embedding_forward(lowering, self->layer);
    else if (self->kind == LP_UNIT_LAYER)
        lp_layer_add_forward(lowering, self->layer);
    else
        lp_vocabulary_add_head_forward(lowering);
}

void
lp_unit_add_backward(const LpUnit *self, LpLowering *lowering, LpRole role)
{
    if (self->kind == LP_UNIT_EMBEDDING)
        lp_vocabulary_add_embedding_backward(lowering, self->layer, role);
    else if (self->kind == LP_UNIT_LAYER)
        lp_layer_add_backward(lowering, self->layer, role);
    else
        lp_vocabulary_add_head_backward(lowering, role);
}
