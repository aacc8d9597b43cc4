/* SPDX-License-Identifier: Apache-2.0 */
/* What holds the jobs of a scenario back, as JSON and as tables. */
#pragma once

#include "report/contention_data.h"

G_BEGIN_DECLS

/** JSON of "contention", keys in a fixed order, with a line end. Returns: (transfer full). */
char *lp_contention_report_to_json_text(const LpContentionReport *self);
/** The same content as tables for people. Returns: (transfer full). */
char *lp_contention_report_to_text(const LpContentionReport *self);

G_END_DECLS
