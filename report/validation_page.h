/* SPDX-License-Identifier: Apache-2.0 */
/* The predictions of a table of measurements, as one page that needs nothing else. */
#pragma once

#include "report/validation_report.h"

G_BEGIN_DECLS

/** @vega: the script of lp_vega_load(), which draws the page's plots. Returns: (transfer full). */
char *lp_validation_to_page(const LpValidation *self, const char *vega);

G_END_DECLS
