/* SPDX-License-Identifier: Apache-2.0 */
/* How long the matrix units take for a product: tiles, waves of tiles, alignment.
 *
 * A product is cut into tiles of its output, one block of threads each; a wave is as many blocks as
 * there are multiprocessors (Anthony et al., "The Case for Co-Designing Model Architectures with
 * Hardware", ICPP 2024, arXiv 2401.14489, section 3). */
#pragma once

#include "model/times/accelerator.h"

G_BEGIN_DECLS

/** n_batch times (m, k)(k, n). */
typedef struct {
    double m, k, n, n_batch;
} LpGemm;

/** Bytes of an element of a product's operands. */
double lp_gemm_element_bytes(LpPrecision precision);

/** Arithmetic alone, s: neither memory nor launch.
 *
 * min over tiles (Tm, Tn) and splits S of k of
 *   W 2 Tm Tn (k / S + ramp / x) SMs / (peak * gemm_efficiency * tile * alignment),
 *   W = ceil(n_batch S ceil(m / Tm) ceil(n / Tn) / SMs),
 * x the bytes of an element. Splits are tried only where one wave is not full, and pay for the
 * partial sums that they pass through memory. Without tiles or multiprocessors:
 * FLOP / (peak * gemm_efficiency). */
double lp_gemm_arithmetic_s(const LpGemm *self, const LpAccelerator *accelerator,
                            LpPrecision precision);

/** The share of its rate that a product keeps, of which @m, @k and @n are the sides: 1 where all
 * are multiples of the accelerator's alignment, misaligned_efficiency for each halving below it, or
 * what it has for rows that are no multiples of 4 bytes. */
double lp_gemm_alignment(const LpGemm *self, const LpAccelerator *accelerator,
                         LpPrecision precision);

/** Fused attention (Dao, arXiv 2307.08691): blocks of 128 queries, in waves, at the accelerator's
 * attention efficiency for @kernel; @self counts both products, k summed over them. Arithmetic
 * alone, s. */
double lp_gemm_attention_s(const LpGemm *self, const LpAccelerator *accelerator,
                           LpPrecision precision, LpAttentionKernel kernel);

G_END_DECLS
