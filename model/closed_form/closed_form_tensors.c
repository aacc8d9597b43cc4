/* SPDX-License-Identifier: Apache-2.0 */
/* ZeRO stage 3 tensor by tensor: a tensor is gathered for each of its uses, but for those that come
 * before live_parameters others have been used. With full recomputation a backward pass uses a
 * layer's matrices twice, in the order of the forward pass and back. */
#include "model/closed_form/closed_form_terms.h"
#include "model/closed_form/closed_form_counts.h"
#include "model/times/layer_tensors.h"
#include "model/times/list_copies.h"
#include "model/times/trained.h"

#include <math.h>

/* The matrices of a layer, the last of the forward pass first, and its other parameters, which its
 * first product needs. */
typedef struct {
    guint n;
    double matrix[LP_LAYER_TENSORS_MAX];
    double sum; /* of the matrices */
    LpParameters others;
    double others_size;
    gboolean again; /* a backward pass uses the matrices twice */
} Layer;

static Layer
layer_at(const LpClosedFormInput *input, guint32 index)
{
    const LpTransformer *shape = input->transformer;
    LpParameters parameters = lp_plan_layer_parameters(input->plan, shape, index);
    LpLayerTensors tensors = lp_layer_tensors(shape, input->plan, index);
    LpLayer kind = lp_transformer_layer(shape, index);
    Layer layer = {.n = lp_layer_tensors_n_matrices(&tensors),
                   .others = {0.0, parameters.experts},
                   .again = lp_plan_repeats_layer(input->plan, shape, index)};
    for (guint i = 0; i < tensors.n; i++) {
        double size = tensors.share[i] * parameters.dense;
        if (i < layer.n)
            layer.sum += layer.matrix[i] = size;
        else if (kind.has_experts || kind.mtp)
            layer.others.dense += size;
    }
    layer.others_size = layer.others.dense + layer.others.experts;
    return layer;
}

static void
add_piece(LpClosedFormPieces *pieces, LpParameters parameters, double bytes)
{
    pieces->n_dense += parameters.dense > 0.0;
    pieces->n_experts += parameters.experts > 0.0;
    pieces->bytes.dense += parameters.dense * bytes;
    pieces->bytes.experts += parameters.experts * bytes;
}

/* Adds the gathers of @layer in a backward pass. @between: the parameters that are used between its
 * two passes. */
static void
add_backward(LpClosedFormPieces *pieces, const Layer *layer, double between, double live,
             double bytes)
{
    if (layer->sum + between >= live)
        add_piece(pieces, layer->others, bytes);
    double behind = 0.0; /* of the layer, in the forward pass */
    for (guint i = 0; i < layer->n; i++) {
        LpParameters matrix = {layer->matrix[i], 0.0};
        double before = layer->sum - behind - layer->matrix[i];
        double from_forward = behind + between + layer->others_size;
        if (layer->again && from_forward + before >= live)
            add_piece(pieces, matrix, bytes);
        if ((layer->again ? 2.0 * behind : from_forward + behind) >= live)
            add_piece(pieces, matrix, bytes);
        behind += layer->matrix[i];
    }
}

static void
add_forward(LpClosedFormPieces *pieces, const Layer *layer, double bytes)
{
    add_piece(pieces, layer->others, bytes);
    for (guint i = 0; i < layer->n; i++)
        add_piece(pieces, (LpParameters){layer->matrix[i], 0.0}, bytes);
}

static LpClosedFormPieces
mean_of(const LpClosedFormInput *input, LpClosedFormPieces sum)
{
    double pp = degree(input, LP_AXIS_PP);
    LpParameters bytes = {sum.bytes.dense / pp, sum.bytes.experts / pp};
    return (LpClosedFormPieces){.n_dense = sum.n_dense / pp,
                                .n_experts = sum.n_experts / pp,
                                .bytes = lp_plan_pooled_parameters(input->plan, bytes)};
}

LpClosedFormPieces
lp_closed_form_tensor_gathers(const LpClosedFormInput *input, gboolean backwards)
{
    const LpTransformer *shape = input->transformer;
    const LpPlan *plan = input->plan;
    double live = plan->zero.live_parameters;
    double layer_bytes = lp_plan_parameter_wire_bytes(plan);
    double end_bytes = lp_plan_activation_bytes(plan);
    double head = lp_plan_head_parameters(plan, shape);
    double embedding = lp_plan_embedding_parameters(plan, shape);
    double between = lp_plan_backward_follows_forward(plan) ? 0.0 : INFINITY;
    LpClosedFormPieces sum = {0.0, 0.0, {0.0, 0.0}};
    if (!backwards || between >= live)
        add_piece(&sum, (LpParameters){head, 0.0}, end_bytes);
    between += 2.0 * head;
    for (guint32 i = lp_transformer_n_layers(shape); i-- > 0;) {
        Layer layer = layer_at(input, i);
        if (backwards)
            add_backward(&sum, &layer, between, live, layer_bytes);
        else
            add_forward(&sum, &layer, layer_bytes);
        between += 2.0 * layer.others_size + (layer.again ? 3.0 : 2.0) * layer.sum;
    }
    if (!backwards || between >= live)
        add_piece(&sum, (LpParameters){embedding, 0.0}, end_bytes);
    return mean_of(input, sum);
}

/* --- sums --- */

/* A bucket of gradients being filled. */
typedef struct {
    LpParameters filled;
    LpClosedFormPieces sums;
} Bucket;

static void
flush(Bucket *self)
{
    self->sums.n_dense += self->filled.dense > 0.0;
    self->sums.n_experts += self->filled.experts > 0.0;
    self->filled = (LpParameters){0.0, 0.0};
}

/* It is summed before it would overflow. */
static void
fill(Bucket *self, LpParameters parameters, double limit)
{
    double size = self->filled.dense + self->filled.experts + parameters.dense + parameters.experts;
    if (limit > 0.0 && size > limit * (1.0 + 1e-9))
        flush(self);
    self->filled.dense += parameters.dense;
    self->filled.experts += parameters.experts;
}

LpClosedFormPieces
lp_closed_form_tensor_sums(const LpClosedFormInput *input)
{
    const LpTransformer *shape = input->transformer;
    const LpPlan *plan = input->plan;
    double element_bytes = plan->format.gradient_bytes;
    double limit = lp_plan_bucket_bytes(plan, element_bytes) / element_bytes;
    guint32 n_layers = lp_transformer_n_layers(shape);
    guint32 slice = MAX(n_layers / lp_plan_n_slices(plan), 1);
    Bucket bucket = {.filled = {0.0, 0.0}};
    double head = lp_end_trained(plan, lp_plan_head_parameters(plan, shape));
    double embedding = lp_end_trained(plan, lp_plan_embedding_parameters(plan, shape));
    fill(&bucket, (LpParameters){head, 0.0}, limit);
    for (guint32 i = n_layers; i-- > 0;) {
        LpParameters parameters = lp_layer_trained(shape, plan, i);
        LpLayerTensors tensors = lp_layer_tensors(shape, plan, i);
        for (guint k = 0; k < tensors.n && limit > 0.0; k++)
            fill(&bucket, (LpParameters){tensors.share[k] * parameters.dense, 0.0}, limit);
        fill(&bucket, (LpParameters){limit > 0.0 ? 0.0 : parameters.dense, parameters.experts},
             limit);
        if (i > 0 && i % slice == 0 && degree(input, LP_AXIS_PP) > 1.0)
            flush(&bucket);
    }
    fill(&bucket, (LpParameters){embedding, 0.0}, limit);
    flush(&bucket);
    return mean_of(input, bucket.sums);
}
