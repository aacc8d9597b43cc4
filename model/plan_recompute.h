/* SPDX-License-Identifier: Apache-2.0 */
/* What of a layer selective recomputation runs again. */
#pragma once

#include "model/plan_options.h"

G_BEGIN_DECLS

/** Whether every second product is recomputed: LP_SELECTIVE_ALTERNATE. */
gboolean lp_plan_recomputes_alternate(const LpPlan *self);
/** Whether @attention's scores are recomputed alone: flash attention keeps none. */
gboolean lp_plan_recomputes_scores(const LpPlan *self, LpAttentionKind attention);

G_END_DECLS
