/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors of a layer and of a stage. */
#include "model/times/layer_tensors.h"

#include "model/times/kernel.h"
#include "model/plan/plan_layers.h"
#include "model/plan/plan_parameters.h"
#include "model/transformer/transformer_layers.h"
#include "model/transformer/transformer_parameters.h"

static void
add(LpLayerTensors *self, double parameters)
{
    if (parameters > 0.0)
        self->share[self->n++] = parameters;
}

/* Adds the tensors of a feed-forward network: the down projection, and the up projection with the
 * gate. */
static void
add_ffn(LpLayerTensors *self, const LpTransformer *transformer, const LpPlan *plan)
{
    double matrix = (double)transformer->hidden * transformer->ffn / plan->degree[LP_AXIS_TP];
    double n_up = lp_transformer_n_ffn_matrices(transformer) - 1.0;
    add(self, matrix);
    for (double i = 0.0; i < n_up; i += 1.0)
        if (plan->traits[LP_TRAIT_SEPARATE_PROJECTIONS] != LP_PROJECTIONS_JOINED)
            add(self, matrix);
    if (plan->traits[LP_TRAIT_SEPARATE_PROJECTIONS] == LP_PROJECTIONS_JOINED)
        add(self, n_up * matrix);
}

/* The projection, and queries, keys and values. */
static void
add_attention(LpLayerTensors *self, const LpTransformer *transformer, const LpPlan *plan)
{
    double h = transformer->hidden, tp = plan->degree[LP_AXIS_TP];
    double projection = lp_transformer_mixture_width(transformer) * h;
    double compression = lp_transformer_compression_weights(transformer);
    double before = lp_transformer_attention_weights(transformer) - projection - compression;
    add(self, projection / tp);
    if (plan->traits[LP_TRAIT_SEPARATE_PROJECTIONS] != LP_PROJECTIONS_SEPARATE ||
        transformer->latent.kv_rank > 0) {
        add(self, before / tp + compression);
        return;
    }
    add(self, lp_transformer_value_width(transformer) * h / tp);
    add(self, lp_transformer_key_width(transformer) * h / tp);
    add(self, lp_transformer_query_width(transformer) * h / tp);
}

/* Adds the tensors of a mixer in attention's place: the products of weights' gradients in its list.
 */
static void
add_mixer(LpLayerTensors *self, const LpTransformer *transformer, const LpPlan *plan, guint32 index)
{
    LpKernel kernels[LP_KERNELS_MAX];
    guint n = lp_block_kernels(transformer, plan, index, LP_BLOCK_ATTENTION,
                               LP_PASS_BACKWARD_WEIGHT, kernels);
    guint room = self->n + LP_MIXER_TENSORS_MAX;
    for (guint i = 0; i < n && self->n < room; i++)
        add(self, kernels[i].m * kernels[i].n * kernels[i].n_batch);
}

LpLayerTensors
lp_layer_tensors(const LpTransformer *transformer, const LpPlan *plan, guint32 index)
{
    LpLayer layer = lp_transformer_layer(transformer, index);
    double dense = lp_plan_layer_parameters(plan, transformer, index).dense;
    LpLayerTensors self = {.n_blocks = layer.cross ? 2 : 1};
    if (layer.has_network && !layer.has_experts)
        add_ffn(&self, transformer, plan);
    self.n_ffn = self.n;
    if (layer.mixer > 0)
        add_mixer(&self, transformer, plan, index);
    for (guint i = 0; i < self.n_blocks && layer.has_mixer && layer.mixer == 0; i++)
        add_attention(&self, transformer, plan);
    self.n_attention = (self.n - self.n_ffn) / self.n_blocks;
    double matrices = 0.0;
    for (guint i = 0; i < self.n; i++)
        matrices += self.share[i];
    guint n_rest = layer.has_experts                      ? 1
                   : layer.cross                          ? 3
                   : layer.has_mixer && layer.has_network ? 2
                                                          : 1;
    for (guint i = 0; i < n_rest; i++)
        add(&self, (dense - matrices) / n_rest);
    for (guint i = 0; i < self.n; i++)
        self.share[i] /= dense;
    return self;
}

guint
lp_layer_tensors_n_matrices(const LpLayerTensors *self)
{
    return self->n_ffn + self->n_blocks * self->n_attention;
}

double
lp_stage_tensors(const LpTransformer *transformer, const LpPlan *plan, guint32 stage)
{
    double n = 0.0;
    for (guint32 chunk = 0; chunk < lp_plan_n_chunks(plan); chunk++) {
        guint32 slice = lp_plan_slice(plan, stage, chunk);
        guint32 first = lp_plan_slice_first_layer(plan, transformer, slice);
        guint32 n_layers = lp_plan_slice_layers(plan, transformer, slice);
        for (guint32 layer = first; layer < first + n_layers; layer++)
            n += lp_layer_tensors(transformer, plan, layer).n;
        if (transformer->embedding && lp_plan_holds_embedding(plan, stage, chunk))
            n += 1.0;
        if (transformer->embedding && lp_plan_holds_head(plan, stage, chunk))
            n += !transformer->tied_embeddings ||
                         lp_plan_tied_copy_parameters(plan, transformer) > 0.0
                     ? 2.0
                     : 1.0;
    }
    return n;
}
