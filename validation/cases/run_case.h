/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of measured collectives, kernels and what shares links: a run on a machine. */
#pragma once

#include "validation/cases/case_kind.h"

G_BEGIN_DECLS

/** Columns "machine" and "run" (validation/cases/run_line.h); "base" and "base_machine": what it is
 * divided by, on the same machine unless said; and what was measured, the first of "ratio",
 * "tflops", "busbw_GBps" and "seconds" that is not empty. */
extern const LpCaseKind lp_run_case;

G_END_DECLS
