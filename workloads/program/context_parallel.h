/* SPDX-License-Identifier: Apache-2.0 */
/* Attention's core under context parallelism: ring attention, or all-to-alls (Ulysses). */
#pragma once

#include "workloads/program/lowering.h"

G_BEGIN_DECLS

/** @core of layer @index, attention or a mixer over a sequence that the ranks of the
 * context-parallel group divide, with what they exchange for it; nothing if it takes no time.
 * @backward: its gradients. */
void lp_context_parallel_add_core(LpLowering *self, LpWork core, guint32 index, gboolean backward);
/** @core run again with queries, keys and values at hand, as selective recomputation finds them:
 * those that came round a ring were not kept, exchanged heads were. */
void lp_context_parallel_add_recomputed_core(LpLowering *self, LpWork core, guint32 index);

G_END_DECLS
