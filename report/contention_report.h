/* SPDX-License-Identifier: Apache-2.0 */
/* The contention of the jobs of a scenario, as JSON and as tables. */
#pragma once

#include "base/json.h"
#include "report/contention_data.h"

G_BEGIN_DECLS

/** JSON of "contention", keys in a fixed order. Returns: (transfer full). */
json_t *lp_contention_report_to_json(const LpContentionReport *self);
/** lp_contention_report_to_json() as text, with a line end. Returns: (transfer full). */
char *lp_contention_report_to_json_text(const LpContentionReport *self);
/** The same content as tables for people. Returns: (transfer full). */
char *lp_contention_report_to_text(const LpContentionReport *self);

G_END_DECLS
