/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels that a micro-batch runs, all layers together. */
#pragma once

#include "model/times/kernel.h"

G_BEGIN_DECLS

/** A kernel, and how often it runs. */
typedef struct {
    LpKernel kernel;
    LpBlock block;
    LpPass pass;
    guint32 n_runs; /**< of layers that are alike, or of embeddings and heads, one each */
    double time_s;  /**< of one run */
} LpKernelCount;

/** What one micro-batch runs in all layers, embeddings and heads, as one rank of each stage: passes
 * in their order, blocks in theirs. Copies around stage boundaries are none of it
 * (lp_boundary_copies_work()). Returns: (transfer full): LpKernelCount. */
GArray *lp_kernel_census(const LpTransformer *transformer, const LpPlan *plan,
                         const LpAccelerator *accelerator);
/** Sum over @counts, s. */
double lp_kernel_census_time_s(const GArray *counts);

G_END_DECLS
