/* SPDX-License-Identifier: Apache-2.0 */
/* The limits of a closed form for a plan on a machine. */
#pragma once

#include "base/json.h"
#include "report/report_data.h"

G_BEGIN_DECLS

/** Lists each effect that would change the time and has no place in the formulas, with what the
 * formulas take in its place. Beside a simulation, of the consistent form, it lists the effects
 * that were measured and are large. @amped: of the AMPeD form. @difference: the key of the result,
 * or NULL. Returns: (transfer full) of texts. */
GPtrArray *lp_closed_form_limits(const LpReport *self, gboolean amped, const json_t *difference);

/** Whether the AMPeD form has no time for the all-to-alls of the plan's experts. */
gboolean lp_closed_form_limits_experts(const LpReport *self);

G_END_DECLS
