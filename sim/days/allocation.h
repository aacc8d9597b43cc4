/* SPDX-License-Identifier: Apache-2.0 */
/* Which blocks which job has, and where the next slice fits. */
#pragma once

#include "sim/days/outages.h"

G_BEGIN_DECLS

typedef struct LpAllocation LpAllocation;

/** No job has a block. @fleet, @outages: borrowed. Returns: (transfer full). */
LpAllocation *lp_allocation_new(const LpFleet *fleet, const LpOutages *outages);
void lp_allocation_free(LpAllocation *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpAllocation, lp_allocation_free)

/** Gives @job, which has none, blocks that are up and free and make a slice, the first that do in a
 * fixed order. If there are none, and groups of rings are formed anew, all jobs that run and @job
 * get others. Returns: FALSE if there is no way. */
gboolean lp_allocation_take(LpAllocation *self, guint64 job);
/** Gives the job that has @block another one for it, where any blocks make a slice. Returns: FALSE
 * if there is none, or blocks have places: the job keeps what it has. */
gboolean lp_allocation_replace(LpAllocation *self, guint64 block);
/** Takes all blocks from @job. */
void lp_allocation_release(LpAllocation *self, guint64 job);
/** The job that has @block, or -1. */
gint64 lp_allocation_job(const LpAllocation *self, guint64 block);

G_END_DECLS
