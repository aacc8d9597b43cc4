/* SPDX-License-Identifier: Apache-2.0 */
/* The text of reports on a program by hand. */
#pragma once

#include "base/json.h"
#include "workloads/description/workload.h"
#include "workloads/given/given_program.h"

G_BEGIN_DECLS

/** Why there is no closed form of such a program. Static. */
extern const char *const lp_given_no_closed_form;

/** "16 ranks in 2 sections, 4 groups, 12 operations, 3 queues". Returns: (transfer full). */
char *lp_given_text(const LpGivenProgram *program);
/** Sets "program" of @object, the same as numbers, and "no_closed_form"; nothing if @workload is a
 * Transformer. */
void lp_given_add_json(json_t *object, const LpWorkload *workload);

G_END_DECLS
