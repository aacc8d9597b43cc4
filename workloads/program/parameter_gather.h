/* SPDX-License-Identifier: Apache-2.0 */
/* ZeRO's all-gathers of parameters that replicas share among them: one of any, and those of stages
 * 1 and 2, of what the optimiser updated, unless they are hidden (updated_gathers.h). Stage 3's are
 * parameter_prefetch.h. */
#pragma once

#include "workloads/program/unit.h"

G_BEGIN_DECLS

/** Gathers @bytes, whole on each rank; the compute stream waits. */
void lp_parameter_gather_add(LpLowering *self, LpParameters bytes);
/** The same, launched. Returns: the number of the last launch, or G_MAXUINT. */
guint lp_parameter_gather_launch(LpLowering *self, LpParameters bytes);

/** ZeRO 1 and 2: gathers all updated parameters of @stage at once, or has each replica broadcast
 * its whole tensors, one replica after the other (parameter-gather); the compute stream waits. */
void lp_parameter_gather_add_updated(LpLowering *self, guint32 stage);

G_END_DECLS
