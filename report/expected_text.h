/* SPDX-License-Identifier: Apache-2.0 */
/* The error to expect of a prediction, as reports show it. */
#pragma once

#include "base/json.h"
#include "validation/prediction/expected_error.h"

G_BEGIN_DECLS

/** Sets "expected_error" of @object; nothing where no step was measured. */
void lp_expected_error_add_json(json_t *object, const LpExpectedError *self);
/** "4.0 % in the median, 10.5 % for nine in ten (85 measured steps of megatron-core on h100-sxm,
 * dense)", or that none was measured. Returns: (transfer full). */
char *lp_expected_error_to_text(const LpExpectedError *self, const LpWorkload *workload,
                                const LpMachine *machine);

G_END_DECLS
