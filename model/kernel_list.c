/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of kernels that all blocks use.
 *
 * t is the tensor-parallel degree, b the micro-batch. Memory-bound kernels count each tensor that
 * they read or write once, as Megatron-LM fuses them: scale-mask-softmax, bias-GELU and
 * bias-dropout-add. */
#include "model/kernel_list.h"

#include "model/precision.h"

/* Ring attention gives a rank its share of the queries of all of its heads, all-to-all all queries
 * of its share of the heads; each meets all keys. */
LpKernelList
lp_kernel_list(const LpTransformer *transformer, const LpPlan *plan, guint32 index,
               LpKernel *kernels)
{
    LpLayer layer = lp_transformer_layer(transformer, index);
    double tp = plan->degree[LP_AXIS_TP], cp = plan->degree[LP_AXIS_CP];
    double tokens = lp_plan_tokens(plan, layer.seq);
    gboolean heads_divided = plan->context_kind == LP_CONTEXT_ULYSSES;
    return (LpKernelList){
        .kernels = kernels,
        .transformer = transformer,
        .plan = plan,
        .layer = layer,
        .element_bytes = lp_plan_activation_bytes(plan),
        .tokens = tokens,
        .scattered_tokens = plan->sequence_parallel ? tokens / tp : tokens,
        .tp = tp,
        .query_width = lp_transformer_query_width(transformer) / tp,
        .key_width = lp_plan_key_width(plan, transformer),
        .value_width = lp_plan_value_width(plan, transformer),
        .mixture_width = lp_transformer_mixture_width(transformer) / tp,
        .n_score_sets = plan->batch.micro * transformer->n_heads / tp / (heads_divided ? cp : 1.0),
        .n_queries = layer.seq / (heads_divided ? 1.0 : cp),
    };
}

void
lp_list_kernel(LpKernelList *list, LpKernel kernel)
{
    g_assert(list->n_kernels < LP_KERNELS_MAX);
    kernel.part = list->part;
    kernel.share = kernel.share > 0.0 ? kernel.share : 1.0;
    kernel.wide = list->wide || list->part == LP_PART_CORE;
    list->kernels[list->n_kernels++] = kernel;
}

void
lp_list_memory(LpKernelList *list, const char *name, double bytes)
{
    lp_list_kernel(list, (LpKernel){.name = name, .bytes = bytes});
}

void
lp_list_stream(LpKernelList *list, const char *name, double bytes)
{
    lp_list_kernel(list, (LpKernel){.name = name, .bytes = bytes, .streams = TRUE});
}

/* Whether the next products take operands that were cast. */
static gboolean
is_narrow(const LpKernelList *list)
{
    return !list->wide && list->part != LP_PART_CORE &&
           lp_precision_is_narrow(list->plan->format.precision);
}

/* Three small kernels before a product of four bits: scales of either operand brought into the
 * order that the product takes, and those of both tensors multiplied (Transformer Engine 2.8,
 * pytorch/csrc/util.cpp, swizzle_scaling_factors; common/recipe/nvfp4.cu). Their bytes do not
 * count, and they are issued with the product, by the library. */
static void
list_scales(LpKernelList *list)
{
    const LpPlanFormat *format = &list->plan->format;
    if (format->scales_apart && format->precision == LP_PRECISION_NVFP4 && is_narrow(list))
        lp_list_kernel(list, (LpKernel){.name = "scales", .n_launches = 3, .apart = TRUE});
}

/* A product that moves @result_bytes for each element of its result. */
static void
list_product(LpKernelList *list, const LpKernel *product, double result_bytes)
{
    LpKernel kernel = *product;
    double operand_bytes =
        is_narrow(list) ? lp_plan_operand_bytes(list->plan) : list->element_bytes;
    kernel.bytes = ((kernel.m * kernel.k + kernel.k * kernel.n) * operand_bytes +
                    kernel.m * kernel.n * result_bytes) *
                   kernel.n_batch;
    list_scales(list);
    lp_list_kernel(list, kernel);
}

void
lp_list_gemm(LpKernelList *list, const char *name, double m, double k, double n, double n_batch)
{
    list_product(list, &(LpKernel){.name = name, .m = m, .k = k, .n = n, .n_batch = n_batch},
                 list->element_bytes);
}

/* The sum of a gradient of @elements with those before it, by kernels of its own: of wider ones it
 * may take a copy that was cast. */
static void
list_accumulation(LpKernelList *list, double elements)
{
    double sum_bytes = list->plan->format.gradient_bytes, bytes = list->element_bytes;
    if (list->plan->format.casts_gradients && sum_bytes > bytes) {
        lp_list_stream(list, "cast-gradient", elements * (bytes + sum_bytes));
        bytes = sum_bytes;
    }
    lp_list_stream(list, "accumulate", elements * (bytes + 2.0 * sum_bytes));
}

/* Whether each micro-batch's gradients are summed by replicas, whose shares are then added up. */
static gboolean
shares_gradients(const LpPlan *plan)
{
    return plan->zero.stage == 3 || (plan->zero.stage == 2 && lp_plan_reduces_each(plan));
}

/* A micro-batch's gradient of a weight, and its sum with those before it: read and written by the
 * product itself, or by a kernel behind it that reads the gradient too. Where ZeRO shares gradients
 * out they are summed in the shares, so small that they do not count. */
static void
list_weight_gradient(LpKernelList *list, const char *name, double n_inputs, double n_outputs)
{
    const LpPlan *plan = list->plan;
    LpKernel product = {
        .name = name, .m = n_inputs, .k = list->tokens, .n = n_outputs, .n_batch = 1.0};
    double sum_bytes = 2.0 * plan->format.gradient_bytes;
    gboolean sums = !shares_gradients(plan), fuses = sums && plan->host.fuses_accumulation;
    list_product(list, &product, fuses ? sum_bytes : list->element_bytes);
    if (sums && !fuses)
        list_accumulation(list, n_inputs * n_outputs);
}

/* Narrow products read copies of their operands: along the rows, and along the columns for the
 * weights' gradients (model/precision.h). */
void
lp_list_cast(LpKernelList *list, double elements)
{
    const LpPlanFormat *format = &list->plan->format;
    double reads = lp_plan_cast_reads(list->plan);
    if (format->casts_apart && format->precision == LP_PRECISION_NVFP4)
        reads += 1.0;
    double copy_bytes = elements * lp_precision_traits(format->precision)->scaled_bytes;
    if (is_narrow(list) && !list->is_cast)
        lp_list_kernel(
            list, (LpKernel){.name = "cast",
                             .bytes = elements * reads * list->element_bytes + 2.0 * copy_bytes,
                             .column_bytes = copy_bytes});
}

/* A weight that was gathered in 16 bits for this pass is cast to the one copy that the pass needs.
 * Where all of a rank's weights stay, they are cast once an iteration (model/optimizer.h). */
static void
list_weight_cast(LpKernelList *list, double elements)
{
    const LpPlan *plan = list->plan;
    const LpPrecisionTraits *traits = lp_precision_traits(plan->format.precision);
    if (is_narrow(list) && plan->zero.stage == 3 && !plan->format.narrow_parameters)
        lp_list_stream(list, "cast-weight",
                       elements * (lp_plan_cast_reads(list->plan) * list->element_bytes +
                                   traits->scaled_bytes));
}

/* Autocast casts a weight once in a forward pass (PyTorch, aten/src/ATen/autocast_mode.cpp:
 * cached_cast); the backward pass takes the copy that was kept. */
static void
list_autocast(LpKernelList *list, double elements)
{
    const LpPlan *plan = list->plan;
    if (plan->host.autocasts && plan->zero.stage < 3 && list->element_bytes < LP_FP32_BYTES)
        lp_list_stream(list, "autocast", elements * (LP_FP32_BYTES + list->element_bytes));
}

/* FSDP of PyTorch 2 gathers a unit as one piece, which it copies into the parameters, and copies
 * their gradients, made wide, into the piece that it scatters (torch/distributed/fsdp/_fully_shard/
 * _fsdp_collectives.py: foreach_all_gather_copy_out, foreach_reduce_scatter_copy_in): below. */
static void
list_unit_copies(LpKernelList *list, double elements, LpProduct product)
{
    const LpPlan *plan = list->plan;
    if (!plan->zero.copies_units || plan->zero.stage < 3)
        return;
    double wire_bytes = list->wide ? list->element_bytes : lp_plan_parameter_wire_bytes(plan);
    gboolean gathers_again = product == LP_PRODUCT_DATA_GRADIENT && !plan->zero.keeps_parameters;
    /* A tensor that comes by itself is taken where it lies. */
    gboolean alone = lp_plan_gathers_tensors(plan) && elements >= plan->zero.gather_bucket;
    if (!alone && !lp_plan_keeps_parameters_throughout(plan) &&
        (list->pass == LP_PASS_FORWARD || gathers_again))
        lp_list_stream(list, "copy-out", elements * 2.0 * wire_bytes);
}

/* Copies of a gradient before replicas sum it: those that the plan counts, or the one of a unit. */
static void
list_gradient_copies(LpKernelList *list, double elements)
{
    const LpPlan *plan = list->plan;
    double n_units = plan->zero.copies_units && plan->zero.stage == 3 ? 1.0 : 0.0;
    double n = plan->format.gradient_copies > 0 ? plan->format.gradient_copies : n_units;
    if (n > 0.0 && lp_plan_reduces_each(plan))
        lp_list_stream(list, "copy-in",
                       n * elements * (list->element_bytes + plan->format.gradient_bytes));
}

void
lp_list_weight(LpKernelList *list, const char *name, double n_inputs, double n_outputs,
               LpProduct product)
{
    list_unit_copies(list, n_inputs * n_outputs, product);
    if (product == LP_PRODUCT_WEIGHT_GRADIENT)
        list_gradient_copies(list, n_inputs * n_outputs);
    switch (product) {
    case LP_PRODUCT_OUTPUT:
        lp_list_cast(list, list->tokens * n_inputs);
        list_weight_cast(list, n_inputs * n_outputs);
        list_autocast(list, n_inputs * n_outputs);
        lp_list_gemm(list, name, list->tokens, n_inputs, n_outputs, 1.0);
        break;
    case LP_PRODUCT_DATA_GRADIENT:
        lp_list_cast(list, list->tokens * n_outputs);
        list_weight_cast(list, n_inputs * n_outputs);
        lp_list_gemm(list, name, list->tokens, n_outputs, n_inputs, 1.0);
        break;
    case LP_PRODUCT_WEIGHT_GRADIENT:
        list_weight_gradient(list, name, n_inputs, n_outputs);
        break;
    }
}

void
lp_list_input_gradients(LpKernelList *list, double n_products)
{
    gboolean is_eager = list->plan->host.kernels == LP_KERNELS_EAGER;
    gboolean is_scattered = list->plan->input_collectives != LP_INPUT_COLLECTIVES_SHARED;
    double tokens = is_scattered ? list->scattered_tokens : list->tokens;
    lp_list_stream(list, "sum",
                   (n_products - 1.0) * (is_eager ? 3.0 : 1.0) * tokens *
                       list->transformer->hidden * list->element_bytes);
}

void
lp_list_hidden(LpKernelList *list, const char *name, double tensors, double masks)
{
    double elements = list->scattered_tokens * list->transformer->hidden;
    lp_list_memory(list, name, elements * (tensors * list->element_bytes + masks * LP_MASK_BYTES));
}

static gboolean
has_eager_norms(const LpKernelList *list)
{
    return list->plan->host.eager_norms && lp_transformer_has_rms_norms(list->transformer);
}

/* Layer norms are operations that autocast has in fp32 (PyTorch, aten/src/ATen/autocast_mode.cpp:
 * layer_norm, fp32), and the product behind casts its input back; norms that are fused, or modules
 * of their own, are not. */
static gboolean
has_cast_norms(const LpKernelList *list)
{
    return list->plan->host.autocasts && list->element_bytes < LP_FP32_BYTES &&
           list->plan->host.kernels == LP_KERNELS_EAGER &&
           !lp_transformer_has_rms_norms(list->transformer);
}

/* A norm in fp32 that passes over @tensors of @elements, with a cast before it and one behind it.
 */
static void
list_cast_norm(LpKernelList *list, const char *name, double elements, double tensors)
{
    lp_list_stream(list, "norm-cast", elements * 2.0 * (LP_FP32_BYTES + list->element_bytes));
    lp_list_memory(list, name, elements * tensors * LP_FP32_BYTES);
}

/* One operation at a time in fp32 (torchtitan, torchtitan/models/norms.py of 2024: RMSNorm;
 * PyTorch's own until it had a kernel): widened, squared, averaged, scaled, narrowed, weighed. */
void
lp_list_norm(LpKernelList *list, const char *name)
{
    double elements = list->scattered_tokens * list->transformer->hidden;
    if (has_cast_norms(list)) {
        list_cast_norm(list, name, elements, 2.0);
        return;
    }
    if (!has_eager_norms(list)) {
        lp_list_hidden(list, name, 2.0, 0.0);
        return;
    }
    lp_list_stream(list, "norm-steps",
                   elements * (6.0 * LP_FP32_BYTES + 4.0 * list->element_bytes));
    lp_list_memory(list, name, elements * LP_FP32_BYTES);
}

/* The same back: of the weight a product to either side and a sum over rows; widened; of the scale
 * a product to either side and a sum over columns; of the average a tensor; of the square a copy, a
 * factor and a product (PyTorch, tools/autograd: pow_backward); both gradients summed and narrowed.
 */
void
lp_list_norm_backward(LpKernelList *list, const char *name)
{
    double elements = list->scattered_tokens * list->transformer->hidden;
    if (has_cast_norms(list)) {
        list_cast_norm(list, name, elements, 3.0);
        return;
    }
    if (!has_eager_norms(list)) {
        lp_list_hidden(list, name, 3.0, 0.0);
        return;
    }
    lp_list_stream(list, "norm-steps-backward",
                   elements * (18.0 * LP_FP32_BYTES + 7.0 * list->element_bytes));
    lp_list_memory(list, name, elements * (LP_FP32_BYTES + list->element_bytes));
}

void
lp_list_reorder(LpKernelList *list, gboolean is_split)
{
    lp_list_reorder_each(list, 1, is_split);
}

void
lp_list_reorder_each(LpKernelList *list, guint32 n, gboolean is_split)
{
    const LpPlan *plan = list->plan;
    gboolean is_apart = plan->sequence_parallel && plan->degree[LP_AXIS_TP] > 1;
    if (plan->host.layout == LP_LAYOUT_SEQUENCE_FIRST || !is_apart ||
        (is_split && plan->overlap.tp == LP_OVERLAP_TP_RING))
        return;
    double elements = n * list->tokens * list->transformer->hidden;
    lp_list_kernel(list, (LpKernel){.name = "reorder",
                                    .bytes = 2.0 * elements * list->element_bytes,
                                    .streams = TRUE,
                                    .n_launches = n});
}

void
lp_list_reorder_again(LpKernelList *list, guint32 n)
{
    if (lp_plan_gathers_again(list->plan))
        lp_list_reorder_each(list, n, !list->plan->overlap.tp_pairs);
}

void
lp_list_residual(LpKernelList *list)
{
    if (lp_transformer_has_dropout(list->transformer))
        lp_list_hidden(list, "bias-dropout-add", 3.0, 1.0);
    else
        lp_list_hidden(list, "add", 3.0, 0.0);
}

void
lp_list_residual_backward(LpKernelList *list)
{
    lp_list_hidden(list, "add-backward", 3.0, 0.0);
    if (lp_transformer_has_dropout(list->transformer))
        lp_list_hidden(list, "dropout-backward", 2.0, 1.0);
}

void
lp_list_bias_gradient(LpKernelList *list, double width)
{
    if (lp_transformer_has_biases(list->transformer))
        lp_list_memory(list, "bias-gradient", list->tokens * width * list->element_bytes);
}

/* What the operations below pass over beyond what one kernel does. */
static double
eager_activation_passes(const LpKernelList *list, gboolean backward)
{
    if (!backward)
        return 2.0;
    return list->plan->host.projections == LP_PROJECTIONS_JOINED ? 8.0 : 4.0;
}

void
lp_list_activation(LpKernelList *list, gboolean backward, double elements)
{
    double bytes = elements * list->element_bytes;
    if (list->transformer->ffn_kind == LP_FFN_GELU) {
        lp_list_memory(list, backward ? "bias-gelu-backward" : "bias-gelu",
                       (backward ? 3.0 : 2.0) * bytes);
    } else if (list->plan->host.kernels == LP_KERNELS_FUSED) {
        lp_list_memory(list, backward ? "swiglu-backward" : "swiglu",
                       (backward ? 5.0 : 3.0) * bytes);
        if (list->plan->host.eager_activation)
            lp_list_stream(list, "gate-steps", eager_activation_passes(list, backward) * bytes);
    } else if (!backward) {
        /* One operation at a time: the gate's function and the product with it; back, a gradient
         * for either factor, that of the function, and the copy that joins the two halves (nanotron
         * 0.4, models/llama.py, GLUActivation; Megatron-LM, megatron/model/transformer.py). */
        lp_list_memory(list, "gate-function", 2.0 * bytes);
        lp_list_memory(list, "gate-product", 3.0 * bytes);
    } else {
        lp_list_memory(list, "gate-product-backward", 3.0 * bytes);
        lp_list_memory(list, "gate-product-backward", 3.0 * bytes);
        lp_list_memory(list, "gate-function-backward", 3.0 * bytes);
        if (list->plan->host.projections == LP_PROJECTIONS_JOINED)
            lp_list_memory(list, "gate-join", 4.0 * bytes);
    }
}
