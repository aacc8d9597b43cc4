/* SPDX-License-Identifier: Apache-2.0 */
/* Makes what runs of a program that is given. */
#pragma once

#include "model/times/accelerator.h"
#include "workloads/given/given_program.h"
#include "workloads/program/program.h"

G_BEGIN_DECLS

/** The program of @given by the settings of @plan. FLOP and bytes take what units of its precision
 * of @accelerator give them; NULL: nothing. Whether all its ranks come to their ends is checked,
 * too. Errors: LP_INPUT_ERROR, "FILE:LINE: ...". Returns: (transfer full). */
LpProgram *lp_given_lowering_program(const LpGivenProgram *given, const LpAccelerator *accelerator,
                                     const LpPlan *plan, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
