/* SPDX-License-Identifier: Apache-2.0 */
/* The queues on which the nodes of traces run. */
#pragma once

#include "workloads/traces/trace.h"

G_BEGIN_DECLS

/** Streams as queues. */
typedef struct LpTraceQueues LpTraceQueues;

/** The queues of @trace, in @program. Where there are more streams than queues, the last ones share
 * one. Returns: (transfer full). */
LpTraceQueues *lp_trace_queues_new(LpTrace *trace, LpGivenProgram *program);
void lp_trace_queues_free(LpTraceQueues *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpTraceQueues, lp_trace_queues_free)

/** The queue of @node, one of the traces. */
guint32 lp_trace_queues_of(const LpTraceQueues *self, const LpTrace *trace,
                           const LpTraceNode *node);

G_END_DECLS
