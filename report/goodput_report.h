/* SPDX-License-Identifier: Apache-2.0 */
/* Goodput over days, closed form beside Monte Carlo, as JSON and as tables. */
#pragma once

#include "report/goodput_data.h"

G_BEGIN_DECLS

/** JSON of "goodput", keys in a fixed order, with a line end. Returns: (transfer full). */
char *lp_goodput_report_to_json_text(const LpGoodputReport *self);
/** The same content as tables for people. Returns: (transfer full). */
char *lp_goodput_report_to_text(const LpGoodputReport *self);

G_END_DECLS
