/* SPDX-License-Identifier: Apache-2.0 */
/* Algorithms of MSCCL as lists of steps. */
#pragma once

#include "model/plan/step_list.h"

G_BEGIN_DECLS

/** Reads an algorithm of MSCCL (github.com/microsoft/msccl). Its thread blocks, which wait for each
 * other, are followed in rounds, each of which becomes a step. What is received into scratch to be
 * summed later is summed when it comes. The list is checked. Errors: LP_INPUT_ERROR, "FILE:LINE:
 * got, wanted". Returns: (transfer full). */
LpStepList *lp_msccl_read(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
