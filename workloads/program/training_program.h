/* SPDX-License-Identifier: Apache-2.0 */
/* One training iteration as a program.
 *
 * All ranks of a stage run the same program on their own communicators, so programs are stored once
 * a stage; what repeats from micro-batch to micro-batch is a segment, stored once a chunk. The
 * programs can be read before anything runs. */
#pragma once

#include "workloads/description/workload.h"
#include "workloads/program/program.h"

G_BEGIN_DECLS

#define LP_PROGRAM_ERROR (lp_program_error_quark())
GQuark lp_program_error_quark(void);
typedef enum {
    LP_PROGRAM_ERROR_SIZE, /**< More steps than fit in memory, or bytes than can be counted. */
} LpProgramError;

/** The program of one iteration of @workload, with the kernel times of @accelerator. Error:
 * LP_PROGRAM_ERROR_SIZE. Returns: (transfer full). */
LpProgram *lp_training_program_new(const LpWorkload *workload, const LpAccelerator *accelerator,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
