/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks that do the same: their nodes are kept once. */
#pragma once

#include "workloads/traces/trace.h"

G_BEGIN_DECLS

/** Ranks that differ, by what they do. */
typedef struct LpTraceAlike LpTraceAlike;

/** Of none yet. @trace: borrowed. Returns: (transfer full). */
LpTraceAlike *lp_trace_alike_new(LpTrace *trace);
void lp_trace_alike_free(LpTraceAlike *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpTraceAlike, lp_trace_alike_free)

/** Adds @rank, whose nodes have been read. If one that was added before has the same nodes, with
 * peers as far away and in other groups of the same kinds, @rank is like it and keeps none. Fills
 * LpTraceRank.groups in. Returns: how many nodes it had. */
guint lp_trace_alike_add(LpTraceAlike *self, guint32 rank);

/** Gives @rank, which is like another one, nodes of its own. */
void lp_trace_alike_restore(LpTrace *trace, guint32 rank);

G_END_DECLS
