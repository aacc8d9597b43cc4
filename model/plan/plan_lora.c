/* SPDX-License-Identifier: Apache-2.0 */
/* What of a plan is trained. */
#include "model/plan/plan_lora.h"

#include "model/transformer/transformer_shape.h"

gboolean
lp_plan_freezes(const LpPlan *self)
{
    return self->lora.rank > 0;
}

gboolean
lp_plan_adapts(const LpPlan *self, guint32 targets)
{
    guint32 all = self->lora.targets != 0 ? self->lora.targets : LP_ADAPTED_ALL;
    return lp_plan_freezes(self) && (all & targets) != 0;
}

gboolean
lp_plan_check_lora(const LpPlan *self, GError **error)
{
    if (!self->format.quantized_weights || lp_plan_freezes(self))
        return TRUE;
    g_set_error(error, LP_MODEL_ERROR, LP_MODEL_ERROR_PLAN,
                "quantized-weights: got yes, wanted no without lora-rank");
    return FALSE;
}
