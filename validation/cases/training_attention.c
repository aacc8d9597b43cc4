/* SPDX-License-Identifier: Apache-2.0 */
/* Attention where nothing is stated. */
#include "validation/cases/training_attention.h"

#include "model/transformer.h"
#include "validation/cases/training_framework.h"

#define ATTENTION "attention"

/* Floats of 8 bits came with Hopper and its contemporaries, in the year of FlashAttention (May
 * 2022); no software for them is older. */
static gboolean
postdates_flash(const LpAccelerator *accelerator)
{
    return accelerator->peak_flop_per_s[LP_PRECISION_FP8] > 0.0;
}

void
lp_training_attention_choose(LpTrainingRestatement *self)
{
    if (lp_settings_get(&self->settings, ATTENTION) != NULL)
        return;
    g_autofree char *habit = lp_training_framework_default(&self->settings, ATTENTION);
    if (habit != NULL) {
        lp_outcome_infer(self->outcome, ATTENTION " %s: as %s has it", habit,
                         lp_settings_get(&self->settings, "framework"));
        lp_settings_set(&self->settings, ATTENTION, habit);
        return;
    }
    const LpAccelerator *accelerator = &self->machine->accelerator;
    gboolean is_fused = postdates_flash(accelerator);
    const char *kind =
        lp_attention_kind_names[is_fused ? LP_ATTENTION_FLASH : LP_ATTENTION_UNFUSED];
    lp_outcome_infer(self->outcome, ATTENTION " %s: nothing is stated%s%s%s", kind,
                     is_fused ? ", and " : "", is_fused ? accelerator->name : "",
                     is_fused ? " came after FlashAttention" : "");
    lp_settings_set(&self->settings, ATTENTION, kind);
}
