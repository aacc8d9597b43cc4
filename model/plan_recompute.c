/* SPDX-License-Identifier: Apache-2.0 */
/* What of a layer selective recomputation runs again. */
#include "model/plan_recompute.h"

gboolean
lp_plan_recomputes_alternate(const LpPlan *self)
{
    return self->recompute == LP_RECOMPUTE_SELECTIVE && self->selective == LP_SELECTIVE_ALTERNATE;
}

gboolean
lp_plan_recomputes_scores(const LpPlan *self, LpAttentionKind attention)
{
    return self->recompute == LP_RECOMPUTE_SELECTIVE && self->selective == LP_SELECTIVE_CORE &&
           attention == LP_ATTENTION_UNFUSED;
}
