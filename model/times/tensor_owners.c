/* SPDX-License-Identifier: Apache-2.0 */
/* Deals the tensors of a stage to its replicas. */
#include "model/times/tensor_owners.h"

#include "model/times/layer_tensors.h"
#include "model/times/trained.h"
#include "model/plan/plan_layers.h"
#include "model/plan/plan_parameters.h"
#include "model/transformer/transformer_parameters.h"

static void
add_layers(GArray *tensors, const LpTransformer *transformer, const LpPlan *plan, guint32 slice)
{
    double bytes = lp_plan_parameter_wire_bytes(plan);
    guint32 first = lp_plan_slice_first_layer(plan, transformer, slice);
    guint32 n_layers = lp_plan_slice_layers(plan, transformer, slice);
    for (guint32 layer = first; layer < first + n_layers; layer++) {
        LpLayerTensors parts = lp_layer_tensors(transformer, plan, layer);
        double dense = lp_layer_trained(transformer, plan, layer).dense;
        for (guint i = 0; i < parts.n; i++) {
            double tensor = parts.share[i] * (dense * bytes);
            g_array_append_val(tensors, tensor);
        }
    }
}

static void
add_end(GArray *tensors, const LpPlan *plan, double parameters)
{
    double tensor = lp_end_trained(plan, parameters) * lp_plan_activation_bytes(plan);
    g_array_append_val(tensors, tensor);
}

/* Bytes of each tensor of @stage, which a rank of a tensor-parallel group has its part of. */
static GArray *
tensor_bytes(const LpTransformer *transformer, const LpPlan *plan, guint32 stage)
{
    GArray *tensors = g_array_new(FALSE, FALSE, sizeof(double));
    for (guint32 chunk = 0; chunk < lp_plan_n_chunks(plan); chunk++) {
        add_layers(tensors, transformer, plan, lp_plan_slice(plan, stage, chunk));
        if (transformer->embedding && lp_plan_holds_embedding(plan, stage, chunk))
            add_end(tensors, plan, lp_plan_embedding_parameters(plan, transformer));
        if (transformer->embedding && lp_plan_holds_head(plan, stage, chunk))
            add_end(tensors, plan,
                    lp_plan_head_parameters(plan, transformer) +
                        lp_plan_tied_copy_parameters(plan, transformer) / plan->degree[LP_AXIS_TP]);
    }
    return tensors;
}

static int
compare_descending(gconstpointer a, gconstpointer b)
{
    double first = *(const double *)a, second = *(const double *)b;
    return (first < second) - (first > second);
}

GArray *
lp_tensor_owners_new(const LpTransformer *transformer, const LpPlan *plan, guint32 stage,
                     guint64 n_members)
{
    g_autoptr(GArray) tensors = tensor_bytes(transformer, plan, stage);
    g_array_sort(tensors, compare_descending);
    GArray *owners = g_array_new(FALSE, TRUE, sizeof(double));
    g_array_set_size(owners, (guint)MIN(n_members, tensors->len));
    for (guint i = 0; i < tensors->len; i++) {
        guint least = 0;
        for (guint k = 1; k < owners->len; k++)
            if (g_array_index(owners, double, k) < g_array_index(owners, double, least))
                least = k;
        g_array_index(owners, double, least) += g_array_index(tensors, double, i);
    }
    return owners;
}
