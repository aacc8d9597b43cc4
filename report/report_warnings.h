/* SPDX-License-Identifier: Apache-2.0 */
/* What of a run may mislead. */
#pragma once

#include "report/report_data.h"

G_BEGIN_DECLS

/** Appends a line to the warnings of @self for each thing that its reader should know. */
void lp_report_warn(LpReport *self);

G_END_DECLS
