/* SPDX-License-Identifier: Apache-2.0 */
/* The traits of every number format. */
#include "model/plan/precision.h"

/* Scales and casts: NVIDIA, Transformer Engine's documentation, low precision training.
 * fp8: a scale for a tensor, out of the largest values of the steps before (delayed scaling), so
 * that a cast reads once; the copy for the other product is a transposition of the first.
 * fp8-block: fp32 scales of 128 activations, or of 128 x 128 weights, whose blocks may be
 * transposed, and whose scales are too few to count.
 * mxfp8: a scale of a byte for 32 values along the product's inner side: neither copy can be made
 * of the other.
 * nvfp4: one of a byte for 16 values, the same for 16 rows of weights, which may be transposed, and
 * one for the tensor, for which a cast reads all of it beforehand.
 * mxfp4: as mxfp8, of four bits (OCP Microscaling Formats, version 1.0, table 1; AMD, Primus'
 * documentation, MXFP4 training: only operands are cast, and replicas send 16 bits).
 * int8: one for a row along the product's inner side, too few to count, out of its largest value,
 * for which a cast reads it beforehand; neither copy can be made of the other. Both gradients are
 * products of integers, too (Google, AQT, aqt/jax/v2/config.py, as MaxText sets it:
 * src/maxtext/layers/quantizations.py, _get_int8_quant_config). */
static const LpPrecisionTraits traits[LP_N_PRECISIONS] = {
    [LP_PRECISION_FP32] = {4.0, 4.0, 4.0, 0.0},
    [LP_PRECISION_TF32] = {4.0, 4.0, 4.0, 0.0},
    [LP_PRECISION_FP16] = {2.0, 2.0, 2.0, 0.0},
    [LP_PRECISION_BF16] = {2.0, 2.0, 2.0, 0.0},
    [LP_PRECISION_FP8] = {1.0, 1.0, 1.0, 1.0},
    [LP_PRECISION_FP8_BLOCK] = {1.0, 1.0 + 4.0 / 128.0, 1.0, 1.0},
    [LP_PRECISION_MXFP8] = {1.0, 1.0 + 1.0 / 32.0, 2.0, 1.0},
    [LP_PRECISION_NVFP4] = {0.5, 0.5 + 1.0 / 16.0, 0.5 + 1.0 / 16.0, 2.0},
    [LP_PRECISION_INT8] = {1.0, 1.0, 2.0, 2.0},
    [LP_PRECISION_MXFP4] = {0.5, 0.5 + 1.0 / 32.0, 2.0, 1.0},
};

const LpPrecisionTraits *
lp_precision_traits(LpPrecision precision)
{
    return &traits[precision];
}

gboolean
lp_precision_is_narrow(LpPrecision precision)
{
    return traits[precision].cast_reads > 0.0;
}

LpPrecision
lp_precision_wide(LpPrecision precision)
{
    return lp_precision_is_narrow(precision) ? LP_PRECISION_BF16 : precision;
}
