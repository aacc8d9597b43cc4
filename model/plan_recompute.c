/* SPDX-License-Identifier: Apache-2.0 */
/* What of a layer recomputation runs again. */
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

gboolean
lp_plan_recompute_stops_early(const LpPlan *self, const LpTransformer *transformer, guint32 index)
{
    return self->recompute == LP_RECOMPUTE_FULL && self->early_stop &&
           !lp_transformer_has_dropout(transformer) &&
           !lp_transformer_layer(transformer, index).has_experts;
}

gboolean
lp_plan_gathers_again(const LpPlan *self)
{
    return self->sequence_parallel && (!self->keeps_gathered || lp_plan_recomputes_alternate(self));
}
