/* SPDX-License-Identifier: Apache-2.0 */
/* How large a program may get, known before it is built. */
#pragma once

#include "workloads/description/workload.h"

G_BEGIN_DECLS

/** Whether the program of one training iteration of @workload fits in memory, and its bytes in 64
 * bits. Error: LP_PROGRAM_ERROR_SIZE, "FILE: attributes: got, wanted". */
gboolean lp_program_size_check(const LpWorkload *workload,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
