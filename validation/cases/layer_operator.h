/* SPDX-License-Identifier: Apache-2.0 */
/* The shape of one operator of a Transformer layer that a note describes in words. */
#pragma once

#include "model/gemm.h"

G_BEGIN_DECLS

/** Kinds of operators, by what their time follows from. */
typedef enum {
    LP_OPERATOR_PRODUCT,
    LP_OPERATOR_SOFTMAX,
    LP_OPERATOR_ELEMENTWISE, /**< norms and activations: each tensor in and out once */
    LP_OPERATOR_ALL_REDUCE,
    LP_N_OPERATORS
} LpOperatorKind;

/** What one accelerator computes of the operator. */
typedef struct {
    LpOperatorKind kind;
    LpGemm gemm; /**< of a product */
    double
        elements; /**< of others: elements read, and as many written; of an all-reduce, reduced */
    guint32 n_ranks; /**< of an all-reduce */
} LpLayerOperator;

/**
 * Reads a note and what it says of the machine:
 * - "batched WHATEVER 64x2048x256x2048": batch, m, k, n of a product;
 * - "GPT-3 layer prefill (h 12288, bs 8, s 2048), operator Wo_proj" and "TP=4": an operator of a
 *   layer of width h with a feed-forward network of 4 h and heads of width 128 (GPT-3 175B,
 *   Brown et al., arXiv 2005.14165, table 2.1) unless the note says "16 heads", on b s tokens
 *   ("bs 8" or "mb 8"), or on b tokens against s keys if it says "decode".
 * Errors: LP_INPUT_ERROR_VALUE, "got, wanted".
 */
gboolean lp_layer_operator_parse(LpLayerOperator *self, const char *note, const char *machine,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
