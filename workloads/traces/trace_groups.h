/* SPDX-License-Identifier: Apache-2.0 */
/* Which group a rank means by a name, as traces and files of groups say. */
#pragma once

#include "workloads/traces/trace.h"

#include <jansson.h>

G_BEGIN_DECLS

/** The names of groups. */
typedef struct LpTraceNaming LpTraceNaming;

/** The names of @self, whose groups they become, and who alone knows that of no name: all ranks.
 * Returns: (transfer full). */
LpTraceNaming *lp_trace_naming_new(LpTrace *trace);
void lp_trace_naming_free(LpTraceNaming *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpTraceNaming, lp_trace_naming_free)

/** Reads a file of groups: {"1": [0, 1], ...}. Errors: LP_INPUT_ERROR, "PATH: got, wanted". */
gboolean lp_trace_naming_load(LpTraceNaming *self, const char *path,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Adds the group that @object describes to all of its members. Errors: LP_INPUT_ERROR, "got,
 * wanted". */
gboolean lp_trace_naming_add_to_all(LpTraceNaming *self, const json_t *object,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Reads the groups that the trace of @rank tells, in PyTorch's words: [{"pg_name": "1", "ranks":
 * [0, 1], "pg_desc": "..."}, ...], with anything before and behind. A file that was loaded goes
 * first. Errors: LP_INPUT_ERROR, "got, wanted". */
gboolean lp_trace_naming_add(LpTraceNaming *self, guint32 rank, const char *text, gsize length,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Checks that all members of each group in the traces know it. Errors: LP_INPUT_ERROR, "FILE: got,
 * wanted". */
gboolean lp_trace_naming_check(const LpTraceNaming *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** The group that @rank means by @name. Errors: LP_INPUT_ERROR, "got, wanted". */
gboolean lp_trace_naming_find(LpTraceNaming *self, guint32 rank, const char *name,
                              guint32 *out_group, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
