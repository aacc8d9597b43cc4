/* SPDX-License-Identifier: Apache-2.0 */
/* Low-rank adapters beside frozen weights (LoRA: Hu et al., arXiv 2106.09685). */
#pragma once

#include "model/plan/plan_options.h"

G_BEGIN_DECLS

/** Bytes of a weight in 4 bits, with a scale of 8 bits for 64 of them and one of 4 bytes for 256 of
 * those (QLoRA: Dettmers et al., arXiv 2305.14314, section 3). */
#define LP_QUANTIZED_BYTES (0.5 + 1.0 / 64.0 + 4.0 / (64.0 * 256.0))

/** Whether weights are frozen, and adapters trained in their place. */
gboolean lp_plan_freezes(const LpPlan *self);
/** Whether one of @targets, a set of LpAdapted, has an adapter. */
gboolean lp_plan_adapts(const LpPlan *self, guint32 targets);

/** The rules for adapters among those of lp_plan_check(). Error: LP_MODEL_ERROR_PLAN: "attribute:
 * got, wanted". */
gboolean lp_plan_check_lora(const LpPlan *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
