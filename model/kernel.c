/* SPDX-License-Identifier: Apache-2.0 */
/* Which kernels a rank runs, block by block and pass by pass, and how long each takes.
 *
 * t is the tensor-parallel degree, b the micro-batch. GPT style (GELU) has biases and dropout,
 * Llama style (SwiGLU) neither. Memory-bound kernels count each tensor that they read or write
 * once, as Megatron-LM fuses them: scale-mask-softmax, bias-GELU and bias-dropout-add. */
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
    double element_bytes;
    double tokens;           /* b s */
    double scattered_tokens; /* those that norms and dropout-adds see: b s / t if scattered */
    double tp;
    double query_width;  /* h / t */
    double kv_width;     /* of the keys, and of the values, on one rank */
    double n_score_sets; /* b a / t: attention matrices, s x s each */
} List;

/* The products that a weight takes part in: y = x w, dx = dy w', dw = x' dy. */
typedef enum {
    PRODUCT_OUTPUT,
    PRODUCT_DATA_GRADIENT,
    PRODUCT_WEIGHT_GRADIENT
} Product;

static List
list_new(const LpTransformer *transformer, const LpPlan *plan, LpKernel *kernels)
{
    double tp = plan->degree[LP_AXIS_TP];
    double tokens = (double)plan->micro_batch * transformer->seq;
    double head_width = (double)transformer->hidden / transformer->n_heads;
    return (List){
        .kernels = kernels,
        .transformer = transformer,
        .plan = plan,
        .element_bytes = lp_plan_activation_bytes(plan),
        .tokens = tokens,
        .scattered_tokens = plan->sequence_parallel ? tokens / tp : tokens,
        .tp = tp,
        .query_width = transformer->hidden / tp,
        /* Ranks in excess of the key-value heads hold copies: at least one head each. */
        .kv_width = head_width * fmax(1.0, transformer->n_kv_heads / tp),
        .n_score_sets = plan->micro_batch * transformer->n_heads / tp,
    };
}

static gboolean
has_dropout(const List *list)
{
    return list->transformer->ffn_kind == LP_FFN_GELU;
}

static void
add(List *list, LpKernel kernel)
{
    g_assert(list->n_kernels < LP_KERNELS_MAX);
    list->kernels[list->n_kernels++] = kernel;
}

static void
add_memory(List *list, const char *name, double bytes)
{
    add(list, (LpKernel){.name = name, .bytes = bytes});
}

static void
add_gemm(List *list, const char *name, double m, double k, double n, double n_batch)
{
    double bytes = (m * k + k * n + m * n) * n_batch * list->element_bytes;
    add(list, (LpKernel){name, m, k, n, n_batch, bytes, FALSE});
}

/* One product of the (n_inputs, n_outputs) weight @name. */
static void
add_weight(List *list, const char *name, double n_inputs, double n_outputs, Product product)
{
    switch (product) {
    case PRODUCT_OUTPUT:
        add_gemm(list, name, list->tokens, n_inputs, n_outputs, 1.0);
        break;
    case PRODUCT_DATA_GRADIENT:
        add_gemm(list, name, list->tokens, n_outputs, n_inputs, 1.0);
        break;
    case PRODUCT_WEIGHT_GRADIENT:
        add_gemm(list, name, n_inputs, list->tokens, n_outputs, 1.0);
        break;
    }
}

static void
add_qkv(List *list, Product product)
{
    add_weight(list, "qkv", list->transformer->hidden, list->query_width + 2.0 * list->kv_width,
               product);
}

static void
add_projection(List *list, Product product)
{
    add_weight(list, "projection", list->query_width, list->transformer->hidden, product);
}

static void
add_up(List *list, Product product)
{
    double width = list->transformer->ffn / list->tp;
    add_weight(list, "up", list->transformer->hidden, width, product);
    if (list->transformer->ffn_kind == LP_FFN_SWIGLU)
        add_weight(list, "gate", list->transformer->hidden, width, product);
}

static void
add_down(List *list, Product product)
{
    add_weight(list, "down", list->transformer->ffn / list->tp, list->transformer->hidden, product);
}

static void
add_logits(List *list, Product product)
{
    add_weight(list, "logits", list->transformer->hidden, list->transformer->vocab / list->tp,
               product);
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
    double elements = list->n_score_sets * list->transformer->seq * list->transformer->seq;
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

/* The gradient of a bias of @width reads the gradient of the output. */
static void
add_bias_gradient(List *list, double width)
{
    if (has_dropout(list))
        add_memory(list, "bias-gradient", list->tokens * width * list->element_bytes);
}

/* Rotary positions read and write queries and keys. */
static void
add_rotary(List *list)
{
    if (list->transformer->positions == LP_POSITIONS_ROTARY)
        add_memory(list, "rotary",
                   2.0 * list->tokens * (list->query_width + list->kv_width) * list->element_bytes);
}

/* --- the core of attention: everything between queries, keys, values and their mixture --- */

/* One fused kernel, @products as many operations as either product takes forward; it moves
 * @query_tensors of queries' and @kv_tensors of keys' size, and no scores. */
static void
add_flash(List *list, double products, double query_tensors, double kv_tensors)
{
    const LpTransformer *shape = list->transformer;
    double head_width = (double)shape->hidden / shape->n_heads;
    double width = query_tensors * list->query_width + kv_tensors * list->kv_width;
    add(list, (LpKernel){.name = "flash",
                         .m = shape->seq,
                         .k = products * head_width,
                         .n = shape->seq,
                         .n_batch = list->n_score_sets,
                         .bytes = list->tokens * width * list->element_bytes,
                         .fused = TRUE});
}

static void
add_scores(List *list, const char *name)
{
    const LpTransformer *shape = list->transformer;
    add_gemm(list, name, shape->seq, (double)shape->hidden / shape->n_heads, shape->seq,
             list->n_score_sets);
}

static void
add_values(List *list, const char *name)
{
    const LpTransformer *shape = list->transformer;
    add_gemm(list, name, shape->seq, shape->seq, (double)shape->hidden / shape->n_heads,
             list->n_score_sets);
}

static void
add_core_forward(List *list)
{
    if (list->transformer->attention == LP_ATTENTION_FLASH) {
        add_flash(list, 2.0, 2.0, 2.0); /* q, o; k, v */
        return;
    }
    add_scores(list, "scores");
    add_on_scores(list, "softmax", 2.0, 0.0);
    if (has_dropout(list))
        add_on_scores(list, "attention-dropout", 2.0, 1.0);
    add_values(list, "values");
}

/* Flash: 2.5 times the forward operations, since it computes the scores anew (five products
 * against two; Dao, arXiv 2307.08691, section 4.1). */
static void
add_core_backward(List *list)
{
    if (list->transformer->attention == LP_ATTENTION_FLASH) {
        add_flash(list, 5.0, 4.0, 4.0); /* q, o, do, dq; k, v, dk, dv */
        return;
    }
    add_scores(list, "values-gradient-weights"); /* do v': (s, h/a)(h/a, s) */
    add_values(list, "values-gradient-values");  /* p' do: (s, s)(s, h/a) */
    if (has_dropout(list))
        add_on_scores(list, "attention-dropout-backward", 2.0, 1.0);
    add_on_scores(list, "softmax-backward", 3.0, 0.0);
    add_values(list, "scores-gradient-queries");
    add_values(list, "scores-gradient-keys");
}

/* --- blocks --- */

static void
add_attention_forward(List *list)
{
    add_hidden(list, "norm", 2.0, 0.0);
    add_qkv(list, PRODUCT_OUTPUT);
    add_rotary(list);
    add_core_forward(list);
    add_projection(list, PRODUCT_OUTPUT);
    add_residual(list);
}

static void
add_attention_backward(List *list)
{
    add_residual_backward(list);
    add_bias_gradient(list, list->transformer->hidden);
    add_projection(list, PRODUCT_DATA_GRADIENT);
    add_core_backward(list);
    add_rotary(list);
    add_bias_gradient(list, list->query_width + 2.0 * list->kv_width);
    add_qkv(list, PRODUCT_DATA_GRADIENT);
    add_hidden(list, "norm-backward", 3.0, 0.0);
}

/* The activation function passes over @tensors of the inner width. */
static void
add_activation(List *list, const char *name, double tensors)
{
    add_memory(list, name,
               tensors * list->tokens * list->transformer->ffn / list->tp * list->element_bytes);
}

static void
add_ffn_forward(List *list)
{
    gboolean gated = list->transformer->ffn_kind == LP_FFN_SWIGLU;
    add_hidden(list, "norm", 2.0, 0.0);
    add_up(list, PRODUCT_OUTPUT);
    add_activation(list, gated ? "swiglu" : "bias-gelu", gated ? 3.0 : 2.0);
    add_down(list, PRODUCT_OUTPUT);
    add_residual(list);
}

static void
add_ffn_backward(List *list)
{
    gboolean gated = list->transformer->ffn_kind == LP_FFN_SWIGLU;
    add_residual_backward(list);
    add_bias_gradient(list, list->transformer->hidden);
    add_down(list, PRODUCT_DATA_GRADIENT);
    add_activation(list, gated ? "swiglu-backward" : "bias-gelu-backward", gated ? 5.0 : 3.0);
    add_bias_gradient(list, list->transformer->ffn / list->tp);
    add_up(list, PRODUCT_DATA_GRADIENT);
    add_hidden(list, "norm-backward", 3.0, 0.0);
}

/* Looking up reads and writes a row a token; learned positions are added to the result. */
static void
add_embedding_forward(List *list)
{
    double tensor_bytes = list->tokens * list->transformer->hidden * list->element_bytes;
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
    if (has_dropout(list))
        add_hidden(list, "dropout-backward", 2.0, 1.0);
    if (list->transformer->positions == LP_POSITIONS_LEARNED)
        add_memory(list, "positions-gradient", elements * list->element_bytes);
    add_memory(list, "look-up-backward",
               elements * (list->element_bytes + 2.0 * list->plan->gradient_bytes));
}

/* A pass over the logits: @elements read or written as activations, @losses in fp32. */
static void
add_loss(List *list, const char *name, double elements, double losses)
{
    double n_logits = list->tokens * list->transformer->vocab / list->tp;
    add_memory(list, name, n_logits * (elements * list->element_bytes + losses * LOSS_BYTES));
}

/* The vocabulary-parallel cross entropy of Megatron-LM: converts to fp32 (1 read, 1 write), takes
 * the maximum (1), subtracts it (2), exponentiates (2), sums (1) and divides (2). */
static void
add_head_forward(List *list)
{
    add_hidden(list, "norm", 2.0, 0.0);
    add_logits(list, PRODUCT_OUTPUT);
    add_loss(list, "loss", 1.0, 9.0);
}

/* Scales the kept softmax (2), converts back (1 read, 1 write). */
static void
add_head_backward(List *list)
{
    add_loss(list, "loss-backward", 1.0, 3.0);
    add_logits(list, PRODUCT_DATA_GRADIENT);
    add_hidden(list, "norm-backward", 3.0, 0.0);
}

static void
add_forward(List *list, LpBlock block)
{
    static void (*const add_block[LP_N_BLOCKS])(List *) = {
        [LP_BLOCK_EMBEDDING] = add_embedding_forward,
        [LP_BLOCK_ATTENTION] = add_attention_forward,
        [LP_BLOCK_FFN] = add_ffn_forward,
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
        [LP_BLOCK_FFN] = add_ffn_backward,
        [LP_BLOCK_HEAD] = add_head_backward,
    };
    add_block[block](list);
}

static void
add_backward_weight(List *list, LpBlock block)
{
    if (block == LP_BLOCK_ATTENTION) {
        add_projection(list, PRODUCT_WEIGHT_GRADIENT);
        add_qkv(list, PRODUCT_WEIGHT_GRADIENT);
    } else if (block == LP_BLOCK_FFN) {
        add_down(list, PRODUCT_WEIGHT_GRADIENT);
        add_up(list, PRODUCT_WEIGHT_GRADIENT);
    } else if (block == LP_BLOCK_HEAD) {
        add_logits(list, PRODUCT_WEIGHT_GRADIENT);
    }
}

static void
add_recompute(List *list, LpBlock block)
{
    gboolean in_layer = block == LP_BLOCK_ATTENTION || block == LP_BLOCK_FFN;
    if (list->plan->recompute == LP_RECOMPUTE_FULL && in_layer)
        add_forward(list, block);
    else if (list->plan->recompute == LP_RECOMPUTE_SELECTIVE && block == LP_BLOCK_ATTENTION &&
             list->transformer->attention == LP_ATTENTION_UNFUSED)
        add_core_forward(list);
}

guint
lp_block_kernels(const LpTransformer *transformer, const LpPlan *plan, LpBlock block, LpPass pass,
                 LpKernel *out_kernels)
{
    gboolean outside = block == LP_BLOCK_EMBEDDING || block == LP_BLOCK_HEAD;
    if (outside && !transformer->embedding)
        return 0;
    static void (*const add_pass[LP_N_PASSES])(List *, LpBlock) = {
        [LP_PASS_FORWARD] = add_forward,
        [LP_PASS_BACKWARD_INPUT] = add_backward_input,
        [LP_PASS_BACKWARD_WEIGHT] = add_backward_weight,
        [LP_PASS_RECOMPUTE] = add_recompute,
    };
    List list = list_new(transformer, plan, out_kernels);
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

double
lp_kernel_time_s(const LpKernel *self, const LpAccelerator *accelerator, LpPrecision precision)
{
    double moving_s = memory_s(self->bytes, accelerator);
    if (self->n_batch <= 0.0)
        return moving_s + accelerator->launch_s;
    LpGemm gemm = {self->m, self->k, self->n, self->n_batch};
    double computing_s = self->fused ? lp_gemm_attention_s(&gemm, accelerator, precision)
                                     : lp_gemm_arithmetic_s(&gemm, accelerator, precision);
    return fmax(computing_s, moving_s) + accelerator->launch_s;
}

double
lp_block_time_s(const LpTransformer *transformer, const LpPlan *plan,
                const LpAccelerator *accelerator, LpBlock block, LpPass pass)
{
    LpKernel kernels[LP_KERNELS_MAX];
    guint n_kernels = lp_block_kernels(transformer, plan, block, pass, kernels);
    double sum_s = 0.0;
    for (guint i = 0; i < n_kernels; i++)
        sum_s += lp_kernel_time_s(&kernels[i], accelerator, plan->precision);
    return sum_s;
}

/* Bytes that one step of Adam moves a parameter: it reads the gradient; reads and writes the fp32
 * weight and two fp32 moments (Kingma and Ba, arXiv 1412.6980, algorithm 1: 3 x 8 B); and, where
 * training computes in 2 bytes, writes the weight's 2-byte copy (Micikevicius et al.,
 * arXiv 1710.03740, section 3.1). */
static double
optimizer_bytes_per_parameter(const LpPlan *plan)
{
    double copy_bytes = lp_plan_activation_bytes(plan) == 2 ? 2.0 : 0.0;
    return plan->gradient_bytes + 24.0 + copy_bytes;
}

double
lp_optimizer_time_s(const LpTransformer *transformer, const LpPlan *plan,
                    const LpAccelerator *accelerator, guint32 stage)
{
    double parameters = lp_plan_stage_parameters(plan, transformer, stage);
    return memory_s(parameters * optimizer_bytes_per_parameter(plan), accelerator) +
           accelerator->launch_s;
}
