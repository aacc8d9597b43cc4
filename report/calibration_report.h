/* SPDX-License-Identifier: Apache-2.0 */
/* The result of a fit of constants, for people and for scripts. */
#pragma once

#include "base/json.h"
#include "validation/calibration/fit.h"

G_BEGIN_DECLS

/** @cases: the file of rows. Returns: (transfer full). */
char *lp_calibration_to_text(const LpFit *fit, const char *cases);
/** The content of lp_calibration_to_text() as JSON, keys in a fixed order. Returns: (transfer
 * full). */
json_t *lp_calibration_to_json(const LpFit *fit, const char *cases);

G_END_DECLS
