/* SPDX-License-Identifier: Apache-2.0 */
/* An order of a rank's nodes in which each stands behind what it depends on. */
#pragma once

#include "workloads/traces/trace.h"

G_BEGIN_DECLS

/** A caller that the file does not have. */
#define LP_TRACE_NO_NODE G_MAXUINT

/** The places of @rank's nodes, guint, as near to the order of its file as dependencies let them
 * be; those of which @is_late, by place, stand as far behind as they may: before the first that
 * depends on them. Who calls a node goes before it, unless that is a cycle: callers end behind
 * those whom they call and wait for. @out_deps: by dependency, the place of the node that
 * LpTraceRank.deps names, or LP_TRACE_NO_NODE: there is no such caller, or callers are left out
 * (transfer full). Errors: LP_INPUT_ERROR, "FILE:NODE: ...": a node that there is not, an id given
 * twice, a cycle. Returns: (transfer full). */
GArray *lp_trace_order(const LpTraceRank *rank, const gboolean *is_late, guint **out_deps,
                       GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
