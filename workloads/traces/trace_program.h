/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a program by hand of traces. */
#pragma once

#include "workloads/traces/trace.h"

G_BEGIN_DECLS

/** A program of what the ranks of @trace do: streams become queues, and ranks that do the same
 * become one section. Checked, as what its ranks do together. Errors: LP_INPUT_ERROR, "FILE:NODE:
 * ...": dependencies that are not there or form a cycle, and what a program by hand cannot say or
 * would be refused for. Returns: (transfer full). */
LpGivenProgram *lp_trace_to_given(LpTrace *trace, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
