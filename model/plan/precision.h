/* SPDX-License-Identifier: Apache-2.0 */
/* Number formats: the bytes of an element, and the cost of making one. */
#pragma once

#include "model/plan/plan_options.h"

G_BEGIN_DECLS

/** Bytes of an element in fp32, whatever the format of products. */
#define LP_FP32_BYTES 4.0

/** What sets a format apart. Operands of narrow formats (8 bits and fewer) are made of 16-bit
 * tensors, which a cast reads and writes twice: along the rows for one product, along the columns
 * for the other, unless products take one in any layout (LpAccelerator.any_layout) (NVIDIA,
 * Transformer Engine's documentation, low precision training, performance considerations, tables 1
 * and 2). */
typedef struct {
    double element_bytes; /**< of a product's operand, without scales */
    double scaled_bytes;  /**< of the same with its share of the scales */
    double weight_bytes;  /**< of a weight that replicas gather in this format; as many as in 16
                               bits where one copy cannot be made of the other */
    double cast_reads;    /**< times that a cast reads its tensor; 0: nothing is cast */
} LpPrecisionTraits;

/** The traits of @precision. Borrowed, static. */
const LpPrecisionTraits *lp_precision_traits(LpPrecision precision);
/** Whether products take operands that were cast to it: fp8, fp8-block, mxfp8, nvfp4, int8,
 * mxfp4. */
gboolean lp_precision_is_narrow(LpPrecision precision);
/** The format of what stays wide beside products of @precision (attention's core, logits, router):
 * bf16 beside narrow ones, else the same. */
LpPrecision lp_precision_wide(LpPrecision precision);

G_END_DECLS
