/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of both ends of the model: embedding, and final norm, logits and loss. */
#include "model/kernel.h"
#include "model/kernel_list.h"

/* Bytes of an element of the loss, which is computed in fp32. */
#define LOSS_BYTES 4.0

/* --- embedding --- */

/* A rank of tp embeds its share of the patches' width. */
static void
list_patches(LpKernelList *list, LpProduct product)
{
    lp_list_weight(list, "patches", lp_transformer_patch_values(list->transformer),
                   list->transformer->hidden / list->tp, product);
}

/* Looking up reads and writes a row a token; learned positions are added to the result. */
static void
embedding_forward(LpKernelList *list)
{
    double tensor_bytes = list->tokens * list->transformer->hidden * list->element_bytes;
    list->part = LP_PART_INNER;
    if (list->transformer->image.patch > 0)
        list_patches(list, LP_PRODUCT_OUTPUT);
    else
        lp_list_memory(list, "look-up", 2.0 * tensor_bytes);
    if (list->transformer->positions == LP_POSITIONS_LEARNED)
        lp_list_memory(list, "add-positions", 3.0 * tensor_bytes);
    if (lp_transformer_has_dropout(list->transformer))
        lp_list_hidden(list, "dropout", 2.0, 1.0);
}

/* Adds each token's gradient to its row: reads it, reads and writes the row. */
static void
embedding_backward(LpKernelList *list)
{
    double elements = list->tokens * list->transformer->hidden;
    list->part = LP_PART_INNER;
    if (lp_transformer_has_dropout(list->transformer))
        lp_list_hidden(list, "dropout-backward", 2.0, 1.0);
    if (list->transformer->positions == LP_POSITIONS_LEARNED)
        lp_list_memory(list, "positions-gradient", elements * list->element_bytes);
    if (list->transformer->image.patch == 0)
        lp_list_memory(list, "look-up-backward",
                       elements * (list->element_bytes + 2.0 * list->plan->format.gradient_bytes));
}

static void
embedding_weights(LpKernelList *list)
{
    if (list->transformer->image.patch > 0)
        list_patches(list, LP_PRODUCT_WEIGHT_GRADIENT);
}

const LpBlockKernels lp_embedding_kernels = {
    .forward = embedding_forward,
    .backward_input = embedding_backward,
    .backward_weight = embedding_weights,
};

/* --- what a module that predicts further tokens begins with --- */

/* Megatron-Core, megatron/core/transformer/multi_token_prediction.py: _concat_embeddings(). */
static void
list_joining_norms(LpKernelList *list)
{
    list->part = LP_PART_BEFORE;
    lp_list_norm(list, "norm");
    lp_list_norm(list, "embedding-norm");
}

static void
list_joining_product(LpKernelList *list, LpProduct product)
{
    lp_list_weight(list, "join-product", 2.0 * list->transformer->hidden,
                   list->transformer->hidden / list->tp, product);
}

static void
mtp_forward(LpKernelList *list)
{
    list_joining_norms(list);
    lp_list_hidden(list, "join", 4.0, 0.0);
    list->part = LP_PART_ENTRY;
    list_joining_product(list, LP_PRODUCT_OUTPUT);
}

static void
mtp_backward(LpKernelList *list)
{
    list->part = LP_PART_EXIT;
    list_joining_product(list, LP_PRODUCT_DATA_GRADIENT);
    list->part = LP_PART_AFTER;
    lp_list_hidden(list, "join-backward", 4.0, 0.0);
    lp_list_norm_backward(list, "norm-backward");
    lp_list_norm_backward(list, "embedding-norm-backward");
}

static void
mtp_weights(LpKernelList *list)
{
    list_joining_product(list, LP_PRODUCT_WEIGHT_GRADIENT);
}

static void
mtp_again(LpKernelList *list)
{
    if (lp_plan_makes_again(list->plan, LP_AGAIN_NORMS))
        list_joining_norms(list);
}

const LpBlockKernels lp_mtp_kernels = {
    .forward = mtp_forward,
    .backward_input = mtp_backward,
    .backward_weight = mtp_weights,
    .again = mtp_again,
};

/* --- head --- */

/* The final norm passes over all tokens, the logits are of those that are predicted. */
static void
predict(LpKernelList *list)
{
    list->part = LP_PART_INNER;
    list->tokens = lp_plan_tokens(list->plan, lp_transformer_head_tokens(list->transformer));
}

static void
list_logits(LpKernelList *list, LpProduct product)
{
    list->wide = !list->plan->format.narrow_logits;
    lp_list_weight(list, "logits", list->transformer->hidden, list->transformer->vocab / list->tp,
                   product);
    list->wide = FALSE;
}

/* A pass over the logits, a rank's share or, gathered, all: @elements read or written as
 * activations, @losses in fp32. */
static void
list_loss(LpKernelList *list, const char *name, double elements, double losses)
{
    double n_logits = list->tokens * lp_plan_loss_words(list->plan, list->transformer->vocab);
    lp_list_stream(list, name, n_logits * (elements * list->element_bytes + losses * LOSS_BYTES));
}

/* PyTorch's cross entropy of a copy of the logits in fp32 without the last token's: converts (1
 * read, 1 write), copies (2), reads for the maximum, the sum and the result (3) and writes it (1);
 * back, gradients are cleared (1) for those of the labels, read for their sum (1) and, with the
 * result, for the logits' own (3), cleared once more and copied in (3), and converted (1 read, 1
 * write) (huggingface/transformers 4.39, src/transformers/models/llama/modeling_llama.py:
 * LlamaForCausalLM.forward; PyTorch, aten/src/ATen/native/cuda/SoftMax.cu: cunn_SoftMaxForward). */
#define SHIFTED_FORWARD 7.0
#define SHIFTED_BACKWARD 9.0

/* The vocabulary-parallel cross entropy of Megatron-LM: converts to fp32 (1 read, 1 write), takes
 * the maximum (1), subtracts it (2), exponentiates (2), sums (1) and divides (2). Transformer
 * Engine's reads the logits for their maximum and sum, and once more to put their gradient in their
 * place (transformer_engine/pytorch/triton/cross_entropy.py, 2025). Ranks' parts of gathered logits
 * are joined along the words by a copy (Aleph-Alpha/scaling, src/scaling/core/nn/linear/utils.py:
 * _all_concat). */
static void
head_forward(LpKernelList *list)
{
    predict(list);
    lp_list_norm(list, "norm");
    list_logits(list, LP_PRODUCT_OUTPUT);
    if (list->tp > 1 && list->plan->host.parallel_loss == LP_PARALLEL_LOSS_GATHERED)
        list_loss(list, "join-logits", 2.0, 0.0);
    if (list->plan->host.fuses_loss)
        list_loss(list, "fused-loss", 3.0, 0.0);
    else
        list_loss(list, "loss", 1.0, list->plan->host.shifts_logits ? SHIFTED_FORWARD : 9.0);
}

/* Scales the kept softmax (2), converts back (1 read, 1 write); or scales the kept gradient (2). */
static void
head_backward(LpKernelList *list)
{
    predict(list);
    if (list->plan->host.fuses_loss)
        list_loss(list, "fused-loss-backward", 2.0, 0.0);
    else
        list_loss(list, "loss-backward", 1.0,
                  list->plan->host.shifts_logits ? SHIFTED_BACKWARD : 3.0);
    list_logits(list, LP_PRODUCT_DATA_GRADIENT);
    lp_list_norm_backward(list, "norm-backward");
}

static void
head_weights(LpKernelList *list)
{
    predict(list);
    list_logits(list, LP_PRODUCT_WEIGHT_GRADIENT);
}

const LpBlockKernels lp_head_kernels = {
    .forward = head_forward,
    .backward_input = head_backward,
    .backward_weight = head_weights,
};
