/* SPDX-License-Identifier: Apache-2.0 */
/* Attention's core under context parallelism: ring attention, or all-to-alls (Ulysses). */
#pragma once

#include "workloads/program/lowering.h"

G_BEGIN_DECLS

/** Adds @core of layer @index, attention or a mixer over a sequence that the ranks of the
 * context-parallel group divide, with the exchanges that it needs; nothing if it takes no time.
 * @backward: its gradients. */
void lp_context_parallel_add_core(LpLowering *self, LpWork core, guint32 index, gboolean backward);
/** Adds the recomputation of @core, whose queries, keys and values are at hand as selective
 * recomputation finds them: those that came round a ring were not kept, exchanged heads were. */
void lp_context_parallel_add_recomputed_core(LpLowering *self, LpWork core, guint32 index);

G_END_DECLS
