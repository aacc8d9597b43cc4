/* SPDX-License-Identifier: Apache-2.0 */
/* Why a closed form is not to be trusted without a simulation. */
#pragma once

#include "report/report_data.h"

G_BEGIN_DECLS

/** The properties of the plan and the machine whose cost only a run can tell: contention, circuits,
 * imbalance, experts' loads, hosts, overlaps that compete. Returns: (transfer full) of texts; none:
 * the form is as good as its fit to simulations in docs/validation.md. */
GPtrArray *lp_doubts(const LpReport *self);

G_END_DECLS
