/* SPDX-License-Identifier: Apache-2.0 */
/* Which kernels a rank runs, block by block and pass by pass, and how long each takes.
 *
 * t is the tensor-parallel degree, b the micro-batch. Memory-bound kernels count each tensor that
 * they read or write once, as Megatron-LM fuses them: scale-mask-softmax, bias-GELU and
 * bias-dropout-add. */
#include "model/kernel.h"

#include "model/gemm.h"

#include <math.h>

/* Bytes of an element of a dropout mask, and of the loss, which is computed in fp32. */
#define MASK_BYTES 1.0
#define LOSS_BYTES 4.0

/* Kernels being listed, and the sizes that they share. */
typedef struct {
    LpKernel *kernels; /* borrowed from the caller */
    guint n_kernels;
    const LpTransformer *transformer; /* borrowed */
    const LpPlan *plan;               /* borrowed */
    LpLayer layer;
    LpPart part;   /* of the next kernel */
    gboolean wide; /* the same, outside the core of attention */
    double element_bytes;
    double tokens;           /* b s / cp */
    double scattered_tokens; /* those that norms and dropout-adds see: over t if scattered */
    double tp;
    double query_width; /* of the queries, keys, values and their mixture, on one rank */
    double key_width, value_width, mixture_width;
    double n_score_sets; /* attention matrices, of so many queries: */
    double n_queries;
} List;

/* The products that a weight takes part in: y = x w, dx = dy w', dw = x' dy. */
typedef enum {
    PRODUCT_OUTPUT,
    PRODUCT_DATA_GRADIENT,
    PRODUCT_WEIGHT_GRADIENT
} Product;

/* Ring attention gives a rank its share of the queries of all of its heads, all-to-all all queries
 * of its share of the heads; each meets all keys. */
static List
list_new(const LpTransformer *transformer, const LpPlan *plan, guint32 index, LpKernel *kernels)
{
    LpLayer layer = lp_transformer_layer(transformer, index);
    double tp = plan->degree[LP_AXIS_TP], cp = plan->degree[LP_AXIS_CP];
    double tokens = lp_plan_tokens(plan, layer.seq);
    gboolean heads_divided = plan->context_kind == LP_CONTEXT_ULYSSES;
    return (List){
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
        .n_score_sets = plan->micro_batch * transformer->n_heads / tp / (heads_divided ? cp : 1.0),
        .n_queries = layer.seq / (heads_divided ? 1.0 : cp),
    };
}

static gboolean
has_dropout(const List *list)
{
    return lp_transformer_has_dropout(list->transformer);
}

static void
add(List *list, LpKernel kernel)
{
    g_assert(list->n_kernels < LP_KERNELS_MAX);
    kernel.part = list->part;
    kernel.share = kernel.share > 0.0 ? kernel.share : 1.0;
    kernel.wide = list->wide || list->part == LP_PART_CORE;
    list->kernels[list->n_kernels++] = kernel;
}

static void
add_memory(List *list, const char *name, double bytes)
{
    add(list, (LpKernel){.name = name, .bytes = bytes});
}

static void
add_stream(List *list, const char *name, double bytes)
{
    add(list, (LpKernel){.name = name, .bytes = bytes, .streams = TRUE});
}

static void
add_gemm(List *list, const char *name, double m, double k, double n, double n_batch)
{
    double bytes = (m * k + k * n + m * n) * n_batch * list->element_bytes;
    add(list, (LpKernel){.name = name, .m = m, .k = k, .n = n, .n_batch = n_batch, .bytes = bytes});
}

/* Products in fp8 read copies of their operands in it: as they are, and transposed for the weights'
 * gradients (Micikevicius et al., arXiv 2209.05433; NVIDIA, Transformer Engine's user guide). Those
 * of weights are made once for all micro-batches. */
static void
add_cast(List *list, double elements)
{
    if (list->plan->precision == LP_PRECISION_FP8 && !list->wide)
        add_stream(list, "cast", elements * (list->element_bytes + 2.0));
}

/* A micro-batch's gradient of a weight is read, and its sum with those before it written. Where
 * ZeRO shares gradients out they are summed in the shares, so small that they do not count. */
static void
add_accumulation(List *list, double elements)
{
    if (list->plan->zero < 3)
        add_stream(list, "accumulate",
                   elements * (list->element_bytes + 2.0 * list->plan->gradient_bytes));
}

/* One product of the (n_inputs, n_outputs) weight @name. */
static void
add_weight(List *list, const char *name, double n_inputs, double n_outputs, Product product)
{
    switch (product) {
    case PRODUCT_OUTPUT:
        add_cast(list, list->tokens * n_inputs);
        add_gemm(list, name, list->tokens, n_inputs, n_outputs, 1.0);
        break;
    case PRODUCT_DATA_GRADIENT:
        add_cast(list, list->tokens * n_outputs);
        add_gemm(list, name, list->tokens, n_outputs, n_inputs, 1.0);
        break;
    case PRODUCT_WEIGHT_GRADIENT:
        add_gemm(list, name, n_inputs, list->tokens, n_outputs, 1.0);
        add_accumulation(list, n_inputs * n_outputs);
        break;
    }
}

/* Queries, keys and values of the rank's own heads out of what they were compressed to. */
static void
add_latent_up(List *list, Product product)
{
    const LpTransformer *shape = list->transformer;
    double own_heads = shape->n_heads / list->tp;
    double expanded = own_heads * (list->key_width * list->tp / shape->n_heads - shape->rope_width +
                                   list->mixture_width / own_heads);
    if (shape->query_rank > 0)
        add_weight(list, "q-up", shape->query_rank, list->query_width, product);
    add_weight(list, "kv-up", shape->kv_rank, expanded, product);
}

/* MLA compresses queries, keys and values first, on every rank of tp for itself, and expands them
 * to the rank's own heads (DeepSeek-V2, arXiv 2405.04434, section 2.1). */
static void
add_latent_qkv(List *list, Product product)
{
    const LpTransformer *shape = list->transformer;
    if (shape->query_rank > 0)
        add_weight(list, "q-down", shape->hidden, shape->query_rank, product);
    else
        add_weight(list, "q", shape->hidden, list->query_width, product);
    add_weight(list, "kv-down", shape->hidden, (double)shape->kv_rank + shape->rope_width, product);
    add_latent_up(list, product);
}

static void
add_qkv(List *list, Product product)
{
    if (list->transformer->kv_rank > 0)
        add_latent_qkv(list, product);
    else
        add_weight(list, "qkv", list->transformer->hidden,
                   list->query_width + list->key_width + list->value_width, product);
}

static void
add_projection(List *list, Product product)
{
    add_weight(list, "projection", list->mixture_width, list->transformer->hidden, product);
}

static void
add_up(List *list, double width, Product product)
{
    add_weight(list, "up", list->transformer->hidden, width, product);
    if (list->transformer->ffn_kind == LP_FFN_SWIGLU)
        add_weight(list, "gate", list->transformer->hidden, width, product);
}

static void
add_down(List *list, double width, Product product)
{
    add_weight(list, "down", width, list->transformer->hidden, product);
}

static void
add_logits(List *list, Product product)
{
    list->wide = TRUE;
    add_weight(list, "logits", list->transformer->hidden, list->transformer->vocab / list->tp,
               product);
    list->wide = FALSE;
}

/* Elements of one tensor of hidden activations outside the tensor-parallel region. */
static double
hidden_elements(const List *list)
{
    return list->scattered_tokens * list->transformer->hidden;
}

/* @tensors of hidden activations, and @masks, pass the memory once each. */
static void
add_hidden(List *list, const char *name, double tensors, double masks)
{
    add_memory(list, name,
               hidden_elements(list) * (tensors * list->element_bytes + masks * MASK_BYTES));
}

/* The same for attention matrices. */
static void
add_on_scores(List *list, const char *name, double tensors, double masks)
{
    double elements = list->n_score_sets * list->n_queries * list->layer.keys;
    add_memory(list, name, elements * (tensors * list->element_bytes + masks * MASK_BYTES));
}

/* The end of a block: reads its output and the residual, writes their sum (and a mask). */
static void
add_residual(List *list)
{
    if (has_dropout(list))
        add_hidden(list, "bias-dropout-add", 3.0, 1.0);
    else
        add_hidden(list, "add", 3.0, 0.0);
}

/* Its backward: where the residual forked off two gradients meet; dropout scales one of them. */
static void
add_residual_backward(List *list)
{
    add_hidden(list, "add-backward", 3.0, 0.0);
    if (has_dropout(list))
        add_hidden(list, "dropout-backward", 2.0, 1.0);
}

static void
add_qkv_bias_gradient(List *list)
{
    double width = list->query_width + list->key_width + list->value_width;
    if (list->transformer->bias == LP_BIAS_QKV || lp_transformer_has_biases(list->transformer))
        add_memory(list, "bias-gradient", list->tokens * width * list->element_bytes);
}

/* The gradient of a bias of @width reads the gradient of the output. */
static void
add_bias_gradient(List *list, double width)
{
    if (lp_transformer_has_biases(list->transformer))
        add_memory(list, "bias-gradient", list->tokens * width * list->element_bytes);
}

/* Rotary positions read and write queries and keys. */
static void
add_rotary(List *list)
{
    if (list->transformer->positions == LP_POSITIONS_ROTARY)
        add_memory(list, "rotary",
                   2.0 * list->tokens * (list->query_width + list->key_width) *
                       list->element_bytes);
}

/* --- what runs one operation at a time --- */

static gboolean
is_eager(const List *list)
{
    return list->plan->kernels == LP_KERNELS_EAGER;
}

/* A tensor of @width a token is copied into another layout. */
static void
add_copy(List *list, double width)
{
    if (is_eager(list))
        add_memory(list, "layout", 2.0 * list->tokens * width * list->element_bytes);
}

/* Queries, keys and values come out of one product and are copied apart, keys and values twice
 * more, around the rotary positions (nanotron 0.4, models/llama.py, CausalSelfAttention). */
static void
add_layout_entry(List *list)
{
    double pairs = list->key_width + list->value_width;
    add_copy(list, list->query_width + pairs);
    add_copy(list, pairs);
    add_copy(list, pairs);
}

/* The mixture is copied into the order of the tokens. */
static void
add_layout_exit(List *list)
{
    add_copy(list, list->mixture_width);
}

/* The gate's function and the product with it, each on its own; back, a gradient for either factor,
 * that of the function, and the copy that joins the two halves (the same file, GLUActivation). */
static void
add_eager_gate(List *list, gboolean backward, double elements)
{
    double bytes = elements * list->element_bytes;
    if (!backward) {
        add_memory(list, "gate-function", 2.0 * bytes);
        add_memory(list, "gate-product", 3.0 * bytes);
        return;
    }
    add_memory(list, "gate-product-backward", 3.0 * bytes);
    add_memory(list, "gate-product-backward", 3.0 * bytes);
    add_memory(list, "gate-function-backward", 3.0 * bytes);
    add_memory(list, "gate-join", 4.0 * bytes);
}

/* --- the core of attention: everything between queries, keys, values and their mixture --- */

/* The part of the square of scores that a causal mask leaves to a fused kernel, in tiles of so many
 * tokens (Dao, arXiv 2307.08691, section 3.1): half, and half of the diagonal tiles. */
#define FLASH_TILE 128.0

static double
causal_share(const List *list)
{
    if (!list->layer.causal || list->layer.keys < list->layer.seq)
        return 1.0;
    return fmin(1.0, 0.5 + 0.5 * FLASH_TILE / list->layer.seq);
}

/* One fused kernel, @products as many operations as either product takes forward; it moves
 * @tensors each of queries, keys, values and their mixture, and no scores. */
static void
add_flash(List *list, double products, double tensors)
{
    double heads = list->transformer->n_heads / list->tp;
    double head_width = 0.5 * (list->query_width + list->mixture_width) / heads;
    double width = list->query_width + list->key_width + list->value_width + list->mixture_width;
    add(list, (LpKernel){.name = "flash",
                         .m = list->n_queries,
                         .k = products * head_width,
                         .n = list->layer.keys,
                         .n_batch = list->n_score_sets,
                         .bytes = tensors * list->tokens * width * list->element_bytes,
                         .share = causal_share(list),
                         .fused = TRUE,
                         .eager = is_eager(list)});
}

/* (queries, head)(head, keys) */
static void
add_scores(List *list, const char *name, double width)
{
    add_gemm(list, name, list->n_queries, width * list->tp / list->transformer->n_heads,
             list->layer.keys, list->n_score_sets);
}

/* (queries, keys)(keys, head) */
static void
add_values(List *list, const char *name, double width)
{
    add_gemm(list, name, list->n_queries, list->layer.keys,
             width * list->tp / list->transformer->n_heads, list->n_score_sets);
}

static void
add_core_forward(List *list)
{
    list->part = LP_PART_CORE;
    if (list->transformer->attention == LP_ATTENTION_FLASH) {
        add_flash(list, 2.0, 1.0); /* q, k, v, o */
        return;
    }
    add_scores(list, "scores", list->query_width);
    add_on_scores(list, "softmax", 2.0, 0.0);
    if (has_dropout(list))
        add_on_scores(list, "attention-dropout", 2.0, 1.0);
    add_values(list, "values", list->mixture_width);
}

/* Flash: 2.5 times the forward operations, since it computes the scores anew (five products
 * against two; Dao, arXiv 2307.08691, section 4.1). */
static void
add_core_backward(List *list)
{
    list->part = LP_PART_CORE;
    if (list->transformer->attention == LP_ATTENTION_FLASH) {
        add_flash(list, 5.0, 2.0); /* q, k, v, o and their gradients */
        return;
    }
    add_scores(list, "values-gradient-weights", list->mixture_width); /* do v': (s, h/a)(h/a, s) */
    add_values(list, "values-gradient-values", list->mixture_width);  /* p' do: (s, s)(s, h/a) */
    if (has_dropout(list))
        add_on_scores(list, "attention-dropout-backward", 2.0, 1.0);
    add_on_scores(list, "softmax-backward", 3.0, 0.0);
    add_values(list, "scores-gradient-queries", list->query_width);
    add_values(list, "scores-gradient-keys", list->query_width);
}

/* --- blocks --- */

/* MLA normalises the compressed queries, keys and values. */
static void
add_latent_norms(List *list, const char *name, double tensors)
{
    const LpTransformer *shape = list->transformer;
    if (shape->kv_rank > 0)
        add_memory(list, name,
                   tensors * list->tokens * ((double)shape->query_rank + shape->kv_rank) *
                       list->element_bytes);
}

static void
add_attention_forward(List *list)
{
    list->part = LP_PART_BEFORE;
    add_hidden(list, "norm", 2.0, 0.0);
    list->part = LP_PART_ENTRY;
    add_qkv(list, PRODUCT_OUTPUT);
    list->part = LP_PART_INNER;
    add_latent_norms(list, "latent-norm", 2.0);
    add_layout_entry(list);
    add_rotary(list);
    add_core_forward(list);
    add_layout_exit(list);
    list->part = LP_PART_EXIT;
    add_projection(list, PRODUCT_OUTPUT);
    list->part = LP_PART_AFTER;
    add_residual(list);
}

static void
add_attention_backward(List *list)
{
    list->part = LP_PART_BEFORE;
    add_residual_backward(list);
    add_bias_gradient(list, list->transformer->hidden);
    list->part = LP_PART_ENTRY;
    add_projection(list, PRODUCT_DATA_GRADIENT);
    add_layout_exit(list);
    add_core_backward(list);
    list->part = LP_PART_INNER;
    add_rotary(list);
    add_layout_entry(list);
    add_latent_norms(list, "latent-norm-backward", 3.0);
    add_qkv_bias_gradient(list);
    list->part = LP_PART_EXIT;
    add_qkv(list, PRODUCT_DATA_GRADIENT);
    list->part = LP_PART_AFTER;
    add_hidden(list, "norm-backward", 3.0, 0.0);
}

/* Cross-attention: @queries for the decoder's tokens, keys and values for the encoder's. */
static void
add_cross_qkv(List *list, Product product)
{
    double own_tokens = list->tokens;
    add_weight(list, "q", list->transformer->hidden, list->query_width, product);
    list->tokens = lp_plan_tokens(list->plan, list->transformer->seq);
    add_weight(list, "kv", list->transformer->hidden, list->key_width + list->value_width, product);
    list->tokens = own_tokens;
}

static void
look_at_encoder(List *list)
{
    list->layer.keys = list->transformer->seq;
    list->layer.causal = FALSE;
}

static void
add_cross_forward(List *list)
{
    look_at_encoder(list);
    list->part = LP_PART_BEFORE;
    add_hidden(list, "norm", 2.0, 0.0);
    list->part = LP_PART_ENTRY;
    add_cross_qkv(list, PRODUCT_OUTPUT);
    add_core_forward(list);
    list->part = LP_PART_EXIT;
    add_projection(list, PRODUCT_OUTPUT);
    list->part = LP_PART_AFTER;
    add_residual(list);
}

static void
add_cross_backward(List *list)
{
    look_at_encoder(list);
    list->part = LP_PART_BEFORE;
    add_residual_backward(list);
    list->part = LP_PART_ENTRY;
    add_projection(list, PRODUCT_DATA_GRADIENT);
    add_core_backward(list);
    list->part = LP_PART_EXIT;
    add_cross_qkv(list, PRODUCT_DATA_GRADIENT);
    list->part = LP_PART_AFTER;
    add_hidden(list, "norm-backward", 3.0, 0.0);
}

/* The activation function passes over @tensors of @elements. */
static void
add_activation(List *list, gboolean backward, double elements)
{
    gboolean gated = list->transformer->ffn_kind == LP_FFN_SWIGLU;
    if (gated && is_eager(list)) {
        add_eager_gate(list, backward, elements);
        return;
    }
    static const char *const names[2][2] = {{"bias-gelu", "bias-gelu-backward"},
                                            {"swiglu", "swiglu-backward"}};
    static const double tensors[2][2] = {{2.0, 3.0}, {3.0, 5.0}};
    add_memory(list, names[gated][backward],
               tensors[gated][backward] * elements * list->element_bytes);
}

/* A feed-forward network of inner width @width on all tokens: dense, or all shared experts. */
static void
add_network_forward(List *list, double width)
{
    list->part = LP_PART_ENTRY;
    add_up(list, width, PRODUCT_OUTPUT);
    list->part = LP_PART_INNER;
    add_activation(list, FALSE, list->tokens * width);
    list->part = LP_PART_EXIT;
    add_down(list, width, PRODUCT_OUTPUT);
}

/* @bias_width: of the bias in its middle; 0: none is counted. */
static void
add_network_backward(List *list, double width, double bias_width)
{
    list->part = LP_PART_ENTRY;
    add_down(list, width, PRODUCT_DATA_GRADIENT);
    list->part = LP_PART_INNER;
    add_activation(list, TRUE, list->tokens * width);
    if (bias_width > 0.0)
        add_bias_gradient(list, bias_width);
    list->part = LP_PART_EXIT;
    add_up(list, width, PRODUCT_DATA_GRADIENT);
}

static void
add_network_weights(List *list, double width)
{
    add_down(list, width, PRODUCT_WEIGHT_GRADIENT);
    add_up(list, width, PRODUCT_WEIGHT_GRADIENT);
}

static double
ffn_width(const List *list)
{
    return list->transformer->ffn / list->tp;
}

static void
add_ffn_forward(List *list)
{
    list->part = LP_PART_BEFORE;
    add_hidden(list, "norm", 2.0, 0.0);
    add_network_forward(list, ffn_width(list));
    list->part = LP_PART_AFTER;
    add_residual(list);
}

static void
add_ffn_backward(List *list)
{
    list->part = LP_PART_BEFORE;
    add_residual_backward(list);
    add_bias_gradient(list, list->transformer->hidden);
    add_network_backward(list, ffn_width(list), ffn_width(list));
    list->part = LP_PART_AFTER;
    add_hidden(list, "norm-backward", 3.0, 0.0);
}

/* --- layers with experts --- */

/* Tensors of a token's hidden width, one for each expert slot, and @singles of the token itself. */
static void
add_slots(List *list, const char *name, double slots, double singles)
{
    double tensors = slots * lp_transformer_expert_slots(list->transformer) + singles;
    add_hidden(list, name, tensors, 0.0);
}

static void
add_router(List *list, Product product)
{
    double all_tokens = list->tokens;
    list->tokens = list->scattered_tokens;
    list->wide = TRUE;
    add_weight(list, "router", list->transformer->hidden, list->transformer->n_experts, product);
    list->wide = FALSE;
    list->tokens = all_tokens;
}

static void
add_router_forward(List *list)
{
    list->part = LP_PART_BEFORE;
    add_hidden(list, "norm", 2.0, 0.0);
    add_router(list, PRODUCT_OUTPUT);
    add_slots(list, "permute", 1.0, 1.0);
}

static void
add_router_backward(List *list)
{
    list->part = LP_PART_AFTER;
    add_slots(list, "permute-backward", 1.0, 1.0);
    add_router(list, PRODUCT_DATA_GRADIENT);
    add_hidden(list, "norm-backward", 3.0, 0.0);
}

static void
add_combine_forward(List *list)
{
    list->part = LP_PART_AFTER;
    add_slots(list, "unpermute", 1.0, 1.0);
    add_residual(list);
}

static void
add_combine_backward(List *list)
{
    list->part = LP_PART_BEFORE;
    add_residual_backward(list);
    add_slots(list, "unpermute-backward", 1.0, 1.0);
}

/* Products of all of a rank's experts at once, each with its share of the tokens that came: as many
 * as the rank sent, where all experts are equally loaded. */
static void
add_expert_weight(List *list, const char *name, double n_inputs, double n_outputs, Product product)
{
    double n_own = (double)list->transformer->n_experts / list->plan->degree[LP_AXIS_EP];
    guint before = list->n_kernels;
    double all_tokens = list->tokens;
    list->tokens = all_tokens / n_own;
    add_weight(list, name, n_inputs, n_outputs, product);
    list->tokens = all_tokens;
    for (guint i = before; i < list->n_kernels; i++) {
        list->kernels[i].n_batch *= n_own;
        list->kernels[i].bytes *= n_own;
    }
}

/* A rank's experts: their tokens, and the width that the rank holds of each. */
typedef struct {
    double tokens, width;
} Experts;

static Experts
experts_of(const List *list)
{
    double etp = lp_plan_expert_tp(list->plan);
    double sources = etp > 1.0 ? list->tokens : list->scattered_tokens;
    return (Experts){.tokens = sources * lp_transformer_expert_slots(list->transformer),
                     .width = lp_transformer_expert_ffn(list->transformer) / etp};
}

static void
add_expert_products(List *list, gboolean up, Product product)
{
    Experts experts = experts_of(list);
    double all_tokens = list->tokens;
    double hidden = list->transformer->hidden;
    list->tokens = experts.tokens;
    if (up) {
        add_expert_weight(list, "experts-up", hidden, experts.width, product);
        if (list->transformer->ffn_kind == LP_FFN_SWIGLU)
            add_expert_weight(list, "experts-gate", hidden, experts.width, product);
    } else {
        add_expert_weight(list, "experts-down", experts.width, hidden, product);
    }
    list->tokens = all_tokens;
}

/* Tokens that came from all ranks are put in the order of the experts, and back. */
static void
add_sort(List *list, const char *name)
{
    Experts experts = experts_of(list);
    add_memory(list, name, 2.0 * experts.tokens * list->transformer->hidden * list->element_bytes);
}

static void
add_experts_forward(List *list)
{
    Experts experts = experts_of(list);
    list->part = LP_PART_INNER;
    add_sort(list, "sort");
    add_expert_products(list, TRUE, PRODUCT_OUTPUT);
    add_activation(list, FALSE, experts.tokens * experts.width);
    add_expert_products(list, FALSE, PRODUCT_OUTPUT);
    add_sort(list, "sort-back");
}

static void
add_experts_backward(List *list)
{
    Experts experts = experts_of(list);
    list->part = LP_PART_INNER;
    add_sort(list, "sort-back-backward");
    add_expert_products(list, FALSE, PRODUCT_DATA_GRADIENT);
    add_activation(list, TRUE, experts.tokens * experts.width);
    add_expert_products(list, TRUE, PRODUCT_DATA_GRADIENT);
    add_sort(list, "sort-backward");
}

/* All shared experts together are one feed-forward network. */
static double
shared_width(const List *list)
{
    return (double)list->transformer->n_shared_experts *
           lp_transformer_expert_ffn(list->transformer) / list->tp;
}

static void
add_shared_forward(List *list)
{
    if (list->transformer->n_shared_experts > 0)
        add_network_forward(list, shared_width(list));
}

static void
add_shared_backward(List *list)
{
    if (list->transformer->n_shared_experts > 0)
        add_network_backward(list, shared_width(list), 0.0);
}

/* --- embedding and head --- */

/* Looking up reads and writes a row a token; learned positions are added to the result. */
static void
add_embedding_forward(List *list)
{
    double tensor_bytes = list->tokens * list->transformer->hidden * list->element_bytes;
    list->part = LP_PART_INNER;
    if (list->transformer->patch > 0)
        /* A rank of tp embeds its share of the patches' width. */
        add_weight(list, "patches", lp_transformer_patch_values(list->transformer),
                   list->transformer->hidden / list->tp, PRODUCT_OUTPUT);
    else
        add_memory(list, "look-up", 2.0 * tensor_bytes);
    if (list->transformer->positions == LP_POSITIONS_LEARNED)
        add_memory(list, "add-positions", 3.0 * tensor_bytes);
    if (has_dropout(list))
        add_hidden(list, "dropout", 2.0, 1.0);
}

/* Adds each token's gradient to its row: reads it, reads and writes the row. */
static void
add_embedding_backward(List *list)
{
    double elements = list->tokens * list->transformer->hidden;
    list->part = LP_PART_INNER;
    if (has_dropout(list))
        add_hidden(list, "dropout-backward", 2.0, 1.0);
    if (list->transformer->positions == LP_POSITIONS_LEARNED)
        add_memory(list, "positions-gradient", elements * list->element_bytes);
    if (list->transformer->patch == 0)
        add_memory(list, "look-up-backward",
                   elements * (list->element_bytes + 2.0 * list->plan->gradient_bytes));
}

/* A pass over the logits: @elements read or written as activations, @losses in fp32. */
static void
add_loss(List *list, const char *name, double elements, double losses)
{
    double n_logits = list->tokens * list->transformer->vocab / list->tp;
    add_stream(list, name, n_logits * (elements * list->element_bytes + losses * LOSS_BYTES));
}

/* The final norm passes over all tokens, the logits are of those that are predicted. */
static void
predict(List *list)
{
    list->part = LP_PART_INNER;
    list->tokens = lp_plan_tokens(list->plan, lp_transformer_head_tokens(list->transformer));
}

/* The vocabulary-parallel cross entropy of Megatron-LM: converts to fp32 (1 read, 1 write), takes
 * the maximum (1), subtracts it (2), exponentiates (2), sums (1) and divides (2). */
static void
add_head_forward(List *list)
{
    predict(list);
    add_hidden(list, "norm", 2.0, 0.0);
    add_logits(list, PRODUCT_OUTPUT);
    add_loss(list, "loss", 1.0, 9.0);
}

/* Scales the kept softmax (2), converts back (1 read, 1 write). */
static void
add_head_backward(List *list)
{
    predict(list);
    add_loss(list, "loss-backward", 1.0, 3.0);
    add_logits(list, PRODUCT_DATA_GRADIENT);
    add_hidden(list, "norm-backward", 3.0, 0.0);
}

/* --- passes --- */

static void
add_forward(List *list, LpBlock block)
{
    static void (*const add_block[LP_N_BLOCKS])(List *) = {
        [LP_BLOCK_EMBEDDING] = add_embedding_forward, [LP_BLOCK_ATTENTION] = add_attention_forward,
        [LP_BLOCK_CROSS] = add_cross_forward,         [LP_BLOCK_FFN] = add_ffn_forward,
        [LP_BLOCK_ROUTER] = add_router_forward,       [LP_BLOCK_EXPERTS] = add_experts_forward,
        [LP_BLOCK_COMBINE] = add_combine_forward,     [LP_BLOCK_SHARED] = add_shared_forward,
        [LP_BLOCK_HEAD] = add_head_forward,
    };
    add_block[block](list);
}

static void
add_backward_input(List *list, LpBlock block)
{
    static void (*const add_block[LP_N_BLOCKS])(List *) = {
        [LP_BLOCK_EMBEDDING] = add_embedding_backward,
        [LP_BLOCK_ATTENTION] = add_attention_backward,
        [LP_BLOCK_CROSS] = add_cross_backward,
        [LP_BLOCK_FFN] = add_ffn_backward,
        [LP_BLOCK_ROUTER] = add_router_backward,
        [LP_BLOCK_EXPERTS] = add_experts_backward,
        [LP_BLOCK_COMBINE] = add_combine_backward,
        [LP_BLOCK_SHARED] = add_shared_backward,
        [LP_BLOCK_HEAD] = add_head_backward,
    };
    add_block[block](list);
}

static void
add_backward_weight(List *list, LpBlock block)
{
    const LpTransformer *shape = list->transformer;
    list->part = LP_PART_INNER;
    switch (block) {
    case LP_BLOCK_EMBEDDING:
        if (shape->patch > 0)
            add_weight(list, "patches", lp_transformer_patch_values(shape),
                       shape->hidden / list->tp, PRODUCT_WEIGHT_GRADIENT);
        break;
    case LP_BLOCK_ATTENTION:
        add_projection(list, PRODUCT_WEIGHT_GRADIENT);
        add_qkv(list, PRODUCT_WEIGHT_GRADIENT);
        break;
    case LP_BLOCK_CROSS:
        add_projection(list, PRODUCT_WEIGHT_GRADIENT);
        add_cross_qkv(list, PRODUCT_WEIGHT_GRADIENT);
        break;
    case LP_BLOCK_FFN:
        add_network_weights(list, ffn_width(list));
        break;
    case LP_BLOCK_ROUTER:
        add_router(list, PRODUCT_WEIGHT_GRADIENT);
        break;
    case LP_BLOCK_EXPERTS:
        add_expert_products(list, FALSE, PRODUCT_WEIGHT_GRADIENT);
        add_expert_products(list, TRUE, PRODUCT_WEIGHT_GRADIENT);
        break;
    case LP_BLOCK_SHARED:
        if (shape->n_shared_experts > 0)
            add_network_weights(list, shared_width(list));
        break;
    case LP_BLOCK_HEAD:
        predict(list);
        add_logits(list, PRODUCT_WEIGHT_GRADIENT);
        break;
    case LP_BLOCK_COMBINE:
    case LP_N_BLOCKS:
        break;
    }
}

/* What costs little against what its outputs take in memory: Megatron-Core's recompute modules
 * layernorm, moe_act and mla_up_proj. */
static void
add_light_again(List *list, LpBlock block)
{
    Experts experts = experts_of(list);
    list->part = LP_PART_BEFORE;
    if (block == LP_BLOCK_ATTENTION || block == LP_BLOCK_CROSS || block == LP_BLOCK_FFN ||
        block == LP_BLOCK_ROUTER)
        add_hidden(list, "norm", 2.0, 0.0);
    list->part = LP_PART_INNER;
    if (block == LP_BLOCK_ATTENTION && list->transformer->kv_rank > 0) {
        add_latent_norms(list, "latent-norm", 2.0);
        add_latent_up(list, PRODUCT_OUTPUT);
        add_rotary(list);
    }
    if (block == LP_BLOCK_FFN)
        add_activation(list, FALSE, list->tokens * ffn_width(list));
    if (block == LP_BLOCK_EXPERTS)
        add_activation(list, FALSE, experts.tokens * experts.width);
    if (block == LP_BLOCK_SHARED && list->transformer->n_shared_experts > 0)
        add_activation(list, FALSE, list->tokens * shared_width(list));
}

static void
add_recompute(List *list, LpBlock block)
{
    gboolean in_layer = block != LP_BLOCK_EMBEDDING && block != LP_BLOCK_HEAD;
    gboolean attends = block == LP_BLOCK_ATTENTION || block == LP_BLOCK_CROSS;
    if (list->plan->recompute == LP_RECOMPUTE_FULL && in_layer)
        add_forward(list, block);
    else if (list->plan->recompute == LP_RECOMPUTE_LIGHT && in_layer)
        add_light_again(list, block);
    else if (list->plan->recompute == LP_RECOMPUTE_SELECTIVE && attends &&
             list->transformer->attention == LP_ATTENTION_UNFUSED) {
        if (block == LP_BLOCK_CROSS)
            look_at_encoder(list);
        add_core_forward(list);
    }
}

/* Whether a layer has the block. */
static gboolean
has_block(const List *list, LpBlock block)
{
    switch (block) {
    case LP_BLOCK_EMBEDDING:
    case LP_BLOCK_HEAD:
        return list->transformer->embedding;
    case LP_BLOCK_CROSS:
        return list->layer.cross;
    case LP_BLOCK_FFN:
        return !list->layer.has_experts;
    case LP_BLOCK_ROUTER:
    case LP_BLOCK_EXPERTS:
    case LP_BLOCK_COMBINE:
    case LP_BLOCK_SHARED:
        return list->layer.has_experts;
    case LP_BLOCK_ATTENTION:
    case LP_N_BLOCKS:
        break;
    }
    return TRUE;
}

guint
lp_block_kernels(const LpTransformer *transformer, const LpPlan *plan, guint32 index, LpBlock block,
                 LpPass pass, LpKernel *out_kernels)
{
    static void (*const add_pass[LP_N_PASSES])(List *, LpBlock) = {
        [LP_PASS_FORWARD] = add_forward,
        [LP_PASS_BACKWARD_INPUT] = add_backward_input,
        [LP_PASS_BACKWARD_WEIGHT] = add_backward_weight,
        [LP_PASS_RECOMPUTE] = add_recompute,
    };
    List list = list_new(transformer, plan, index, out_kernels);
    if (has_block(&list, block))
        add_pass[pass](&list, block);
    return list.n_kernels;
}

/* --- times --- */

double
lp_kernel_flop(const LpKernel *self)
{
    return 2.0 * self->m * self->k * self->n * self->n_batch;
}

static double
memory_s(double bytes, const LpAccelerator *accelerator)
{
    return bytes / (accelerator->memory_bytes_per_s * accelerator->memory_efficiency);
}

static double
elementwise_s(double bytes, const LpAccelerator *accelerator)
{
    double efficiency = accelerator->elementwise_efficiency;
    return efficiency > 0.0 ? bytes / (accelerator->memory_bytes_per_s * efficiency)
                            : memory_s(bytes, accelerator);
}

double
lp_kernel_time_s(const LpKernel *self, const LpAccelerator *accelerator, LpPrecision precision)
{
    if (self->n_batch <= 0.0)
        return (self->streams ? memory_s(self->bytes, accelerator)
                              : elementwise_s(self->bytes, accelerator)) +
               accelerator->launch_s;
    double moving_s = memory_s(self->bytes, accelerator);
    LpGemm gemm = {self->m, self->k, self->n, self->n_batch};
    double share = self->share > 0.0 ? self->share : 1.0;
    if (self->wide && precision == LP_PRECISION_FP8)
        precision = LP_PRECISION_BF16;
    double computing_s =
        self->fused ? share * lp_gemm_attention_s(&gemm, accelerator, precision, self->eager)
                    : lp_gemm_arithmetic_s(&gemm, accelerator, precision);
    return fmax(computing_s, moving_s) + accelerator->launch_s;
}

/* --- device and host --- */

LpWork
lp_work_then(LpWork first, LpWork second)
{
    return (LpWork){.device_s = first.device_s + second.device_s,
                    .host_s = first.host_s + second.host_s,
                    .bound_s =
                        fmax(first.bound_s + second.device_s, first.host_s + second.bound_s)};
}

LpWork
lp_work_scale(LpWork work, double factor)
{
    return (LpWork){work.device_s * factor, work.host_s * factor, work.bound_s * factor};
}

LpWork
lp_kernel_work(const LpKernel *self, const LpAccelerator *accelerator, const LpPlan *plan)
{
    double time_s = lp_kernel_time_s(self, accelerator, plan->precision);
    return (LpWork){time_s, plan->cuda_graphs ? 0.0 : accelerator->host_kernel_s, time_s};
}

double
lp_collective_host_s(const LpAccelerator *accelerator, const LpPlan *plan)
{
    return plan->cuda_graphs ? 0.0 : accelerator->host_collective_s;
}

LpWork
lp_block_part_work(const LpTransformer *transformer, const LpPlan *plan,
                   const LpAccelerator *accelerator, guint32 index, LpBlock block, LpPass pass,
                   LpPart part)
{
    LpKernel kernels[LP_KERNELS_MAX];
    guint n_kernels = lp_block_kernels(transformer, plan, index, block, pass, kernels);
    LpWork sum = LP_WORK_NONE;
    for (guint i = 0; i < n_kernels; i++)
        if (kernels[i].part == part)
            sum = lp_work_then(sum, lp_kernel_work(&kernels[i], accelerator, plan));
    return sum;
}

LpWork
lp_block_work(const LpTransformer *transformer, const LpPlan *plan,
              const LpAccelerator *accelerator, guint32 index, LpBlock block, LpPass pass)
{
    LpWork sum = LP_WORK_NONE;
    for (LpPart part = 0; part < LP_N_PARTS; part++)
        sum = lp_work_then(
            sum, lp_block_part_work(transformer, plan, accelerator, index, block, pass, part));
    return sum;
}

double
lp_block_time_s(const LpTransformer *transformer, const LpPlan *plan,
                const LpAccelerator *accelerator, guint32 index, LpBlock block, LpPass pass)
{
    return lp_block_work(transformer, plan, accelerator, index, block, pass).device_s;
}

/* --- the optimiser --- */

/* Bytes that one step moves a parameter: it reads the gradient; reads and writes the fp32 weight
 * and the moments; and, where training computes in 2 bytes, writes the weight's 2-byte copy
 * (Micikevicius et al., arXiv 1710.03740, section 3.1). */
static double
optimizer_bytes_per_parameter(const LpPlan *plan)
{
    double copy_bytes = lp_plan_activation_bytes(plan) == 2 ? 2.0 : 0.0;
    return plan->gradient_bytes + 8.0 + 2.0 * lp_plan_moment_bytes(plan) + copy_bytes;
}

/* ZeRO divides the step over the ranks that share the states (Rajbhandari et al.,
 * arXiv 1910.02054, section 5.1). */
double
lp_optimizer_time_s(const LpTransformer *transformer, const LpPlan *plan,
                    const LpAccelerator *accelerator, guint32 stage)
{
    LpParameters own =
        lp_plan_sharded_parameters(plan, lp_plan_rank_parameters(plan, transformer, stage));
    return memory_s((own.dense + own.experts) * optimizer_bytes_per_parameter(plan), accelerator) +
           accelerator->launch_s;
}
