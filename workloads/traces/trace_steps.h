/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives as messages, for formats that have none in groups: rings, pairs in turn, binomial
 * trees. */
#pragma once

#include "workloads/traces/trace.h"

G_BEGIN_DECLS

/** The peer of a step in which a member does not send, or does not receive. */
#define LP_TRACE_NOBODY G_MAXUINT32

/** What a member does in a step: both at once; the next step begins when both have ended. */
typedef struct {
    guint32 to, from; /**< ranks, or LP_TRACE_NOBODY */
    guint64 send_bytes, receive_bytes;
    guint32 tag;
} LpTraceStep;

/** What @rank does in @node, a collective of @trace, LpTraceStep. All-reduces, reduce-scatters and
 * all-gathers are rings, all-to-alls go round, broadcasts and reductions are binomial trees, and
 * barriers disseminate messages of a byte. Returns: (transfer full). */
GArray *lp_trace_steps(const LpTrace *trace, const LpTraceNode *node, guint32 rank);

G_END_DECLS
