/* SPDX-License-Identifier: Apache-2.0 */
/* Which ranks of a stage share experts. */
#pragma once

#include "model/plan/plan_options.h"

G_BEGIN_DECLS

/** The coordinates of a rank among the ranks of its stage that share the experts of a layer. */
typedef struct {
    guint32 tp, ep, dp; /**< below expert tp, ep, and the ranks that hold copies */
} LpExpertCoordinates;

/** Ranks that share one expert: as the plan says, else tp where ep fits into cp dp, else 1. */
guint32 lp_plan_expert_tp(const LpPlan *self);
/** Divides an ep group into parts of @domain_size accelerators, if the plan relays tokens by
 * domains. Ranks are packed; the group is one part if it cannot be divided so. */
void lp_plan_relay_by_domains(LpPlan *self, guint64 domain_size);
/** Decides whether passes overlap, if the plan leaves it to the domains: they do if an ep group of
 * packed ranks spans several domains of @domain_size accelerators and lp_plan_can_overlap_passes().
 */
void lp_plan_overlap_passes_by_domains(LpPlan *self, guint64 domain_size);
/** Whether all-to-alls can be overlapped with the passes of two micro-batches: 1F1B of one stage,
 * interleaved stages or DualPipe, without ZeRO stage 3 and with gradients summed at the end. */
gboolean lp_plan_can_overlap_passes(const LpPlan *self);
/** Whether the host waits in each layer with experts until the device has counted its tokens: the
 * plan asks for it, and experts' buffers do not have one size. */
gboolean lp_plan_awaits_counts(const LpPlan *self, const LpTransformer *transformer);
/** Ranks that hold copies of an expert, itself included; those of both ways under dualpipe. */
guint32 lp_plan_expert_replicas(const LpPlan *self);
/** The coordinates of @rank. In the rank order of a stage's tp cp dp ranks expert tp varies
 * fastest, then ep or the replicas, in the order in which ep and dp stand in the plan's rank order
 * (folding: Megatron-Core). */
LpExpertCoordinates lp_plan_expert_coordinates(const LpPlan *self, guint64 rank);
/** The rank of @stage with these expert coordinates. */
guint64 lp_plan_expert_rank(const LpPlan *self, guint32 stage, LpExpertCoordinates at);

G_END_DECLS
