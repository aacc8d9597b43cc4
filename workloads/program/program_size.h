/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of a program: of its memory before it is built, and of the bytes that it moves. */
#pragma once

#include "workloads/description/workload.h"
#include "workloads/program/program.h"

G_BEGIN_DECLS

/** Whether the program of one training iteration of @workload fits in memory, and a rank's bytes
 * in 64 bits. Error: LP_PROGRAM_ERROR_SIZE, "FILE: attributes: got, wanted". */
gboolean lp_program_size_check(const LpWorkload *workload,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Whether what all ranks of @program move in an iteration can be counted: by each the most that
 * any stage's does, 2^61 bytes. Algorithms and protocols that send more than they must, and the 63
 * bits of numbers in JSON, are the room to spare. Error: as lp_program_size_check(), of @workload.
 */
gboolean lp_program_volume_check(const LpProgram *program, const LpWorkload *workload,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
