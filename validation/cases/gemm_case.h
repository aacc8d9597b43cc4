/* SPDX-License-Identifier: Apache-2.0 */
/* A row of measured products: rate or time of one kernel on one accelerator. */
#pragma once

#include "model/gemm.h"
#include "validation/cases/case_kind.h"

G_BEGIN_DECLS

/** Rows with the columns of gemm.csv. The measured columns are tflops and, without it, time_ms. */
extern const LpCaseKind lp_gemm_case;

/** Time of one product, or of a batch of them in @grouped, that is measured alone, s: its kernel at
 * the accelerator's burst_efficiency, with the launch of one kernel in place of launch_s. Unless
 * the kernels of many repetitions are @queued behind each other, the time contains what the host
 * takes to launch one and to wait for it. */
double lp_gemm_case_time_s(const LpGemm *gemm, const LpAccelerator *accelerator,
                           LpPrecision precision, LpExpertsKernel grouped, gboolean queued);

G_END_DECLS
