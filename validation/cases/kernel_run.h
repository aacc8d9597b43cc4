/* SPDX-License-Identifier: Apache-2.0 */
/* One kernel that is measured alone, on one accelerator. */
#pragma once

#include "model/times/gemm.h"
#include "model/times/kernel.h"
#include "validation/cases/run_figures.h"

G_BEGIN_DECLS

/** Time of one product, or of a batch of them in @grouped, that is measured alone, s: its kernel at
 * the accelerator's burst_efficiency, with the launch of one kernel in place of launch_s. Unless
 * the kernels of many repetitions are @queued behind each other, the time contains what the host
 * takes to launch one and to wait for it. */
double lp_kernel_run_product_s(const LpGemm *gemm, const LpAccelerator *accelerator,
                               LpPrecision precision, LpExpertsKernel grouped, gboolean queued);

/** Whether @word is a kernel's: "product", "softmax" or "elementwise". */
gboolean lp_kernel_run_knows(const char *word);
/** The kernel of a line's @words. Errors: LP_INPUT_ERROR. */
gboolean lp_kernel_run(char **words, const LpAccelerator *accelerator, LpRunFigures *out,
                       GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
