/* SPDX-License-Identifier: Apache-2.0 */
/* How unevenly tokens are routed to experts: loads by layer and micro-batch. */
#pragma once

#include "model/plan/plan_options.h"

G_BEGIN_DECLS

/** Whether experts' loads differ: they are drawn with a skew, or measured, and no capacity makes
 * them alike. */
gboolean lp_plan_has_expert_loads(const LpPlan *self, const LpTransformer *transformer);
/** The number of draws of experts' loads in an iteration; 1 if they do not differ. */
guint64 lp_plan_n_expert_draws(const LpPlan *self, const LpTransformer *transformer);
/** Which of them layer @layer of the model, with experts, meets with @micro_batch of all those of
 * the iteration. */
guint32 lp_plan_expert_draw(const LpPlan *self, const LpTransformer *transformer, guint32 layer,
                            guint32 micro_batch);
/** Load of the experts of each of the ep ranks over the mean, @out_loads: by draw, ep numbers whose
 * mean is 1. Experts' loads are those of the table, whose layers and micro-batches begin again
 * where it has fewer; or exp(skew N(0,1)), drawn from a generator seeded with the seed. */
void lp_plan_expert_loads(const LpPlan *self, const LpTransformer *transformer, double *out_loads);

G_END_DECLS
