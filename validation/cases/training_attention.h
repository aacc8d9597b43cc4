/* SPDX-License-Identifier: Apache-2.0 */
/* How attention was computed in a row of measured training that does not say it. */
#pragma once

#include "validation/cases/training_restatement.h"

G_BEGIN_DECLS

/** Where neither the row nor its model says how attention was computed: as the framework has it;
 * else fused on accelerators that came after FlashAttention, and unfused on those before. Says what
 * it took. @self's machine is known. */
void lp_training_attention_choose(LpTrainingRestatement *self);

G_END_DECLS
