/* SPDX-License-Identifier: Apache-2.0 */
/* Programs as traces, for other tools. */
#pragma once

#include "workloads/description/workload.h"
#include "workloads/program/program.h"
#include "workloads/traces/trace.h"

G_BEGIN_DECLS

/** What each rank of @program, that of @workload, does; @collapse: of ranks that do the same the
 * lowest has the nodes (LpTraceRank.like). Errors: LP_PROGRAM_ERROR_FORM, "FILE: got,
 * wanted": experts whose loads differ; more nodes than fit. Returns: (transfer full). */
LpTrace *lp_trace_of_program(const LpProgram *program, const LpWorkload *workload,
                             gboolean collapse, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
