/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks and their places on the axes of parallelism. */
#pragma once

#include "model/plan/plan_options.h"

G_BEGIN_DECLS

/** A rank's coordinates on the axes; ep follows from the others and is not set. */
typedef struct {
    guint32 at[LP_N_AXES];
} LpCoordinates;

/** Number of ranks: tp cp dp pp. */
guint64 lp_plan_n_ranks(const LpPlan *self);
/** The rank at @coordinates; that on ep is not read. */
guint64 lp_plan_rank(const LpPlan *self, const LpCoordinates *coordinates);
/** Coordinates of @rank, below lp_plan_n_ranks(). */
LpCoordinates lp_plan_coordinates(const LpPlan *self, guint64 rank);
/** Distance in ranks between neighbours on @axis (not ep). */
guint64 lp_plan_stride(const LpPlan *self, LpAxis axis);

/** Ranks that hold the same slice of layers and tp shard: dp cp, both holders of a slice under
 * dualpipe. */
guint32 lp_plan_n_replicas(const LpPlan *self);
/** Ranks that share one set of states: lp_plan_n_replicas(), or less under hybrid sharding. */
guint32 lp_plan_shard_degree(const LpPlan *self);
/** Sets the shard degree, if the plan shards by domains: the replicas in one domain of @domain_size
 * accelerators, ranks packed. It is all replicas if they are in one domain, cannot be divided so,
 * or may not be (zero 0, ep above 1, dualpipe). */
void lp_plan_shard_by_domains(LpPlan *self, guint64 domain_size);
/** Decides whether the sums of gradients within a set of shards are waited for, if the plan leaves
 * it to the accelerator: they are if it @sums_on_cores that compute. */
void lp_plan_wait_by_accelerator(LpPlan *self, gboolean sums_on_cores);

G_END_DECLS
