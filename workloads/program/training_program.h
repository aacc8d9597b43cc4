/* SPDX-License-Identifier: Apache-2.0 */
/* The program of one training iteration of a workload, all stages of it. */
#pragma once

#include "workloads/description/workload.h"
#include "workloads/program/program.h"

G_BEGIN_DECLS

/**
 * The program of one training iteration of @workload, with the kernel times of @accelerator (which
 * may be NULL for one by hand, whose FLOP then take no time), or that
 * which is given by hand. It
 * knows nothing else of any machine.
 * Errors: LP_PROGRAM_ERROR_SIZE, "FILE: attributes: got, wanted"; of one by hand LP_INPUT_ERROR.
 * Returns: (transfer full).
 */
LpProgram *lp_training_program_new(const LpWorkload *workload, const LpAccelerator *accelerator,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
