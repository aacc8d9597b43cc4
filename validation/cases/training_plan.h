/* SPDX-License-Identifier: Apache-2.0 */
/* What of a measured plan depends on memory: recomputation, precision of gradients, micro-batch. */
#pragma once

#include "validation/cases/training_restatement.h"

G_BEGIN_DECLS

/**
 * The workload of @self, whose rules have been applied and whose machine is set. What was measured
 * did fit: where our count of bytes says that it does not, recomputation that the row states stays
 * and is not refused, unless the states alone are too many; where it states none, gradients are
 * narrowed to 16 bits, or more is recomputed. A micro-batch that the row leaves out is the fastest
 * that fits by the consistent closed form; where recomputation is left out as well, both are chosen
 * together. Notes of both become part of the outcome. Errors: LP_INPUT_ERROR, LP_MODEL_ERROR:
 * "FILE:LINE: ...". Returns: (transfer full).
 */
LpWorkload *lp_training_plan_new(LpTrainingRestatement *self,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
