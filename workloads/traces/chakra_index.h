/* SPDX-License-Identifier: Apache-2.0 */
/* What stands beside Chakra traces, as JSON: groups, and an index of classes of ranks that share a
 * file: {"ranks": 4, "classes": [{"file": "trace.0.et", "ranks": "0-3"}], "groups": [{"pg_name":
 * "1", ...}]}. Its groups are those of all ranks, in PyTorch's words. */
#pragma once

#include "workloads/traces/trace.h"
#include "workloads/traces/trace_files.h"
#include "workloads/traces/trace_groups.h"

#include <jansson.h>

G_BEGIN_DECLS

/** Appends @group to @list in PyTorch's words. */
void lp_chakra_add_group(json_t *list, const LpTraceGroup *group);
/** The groups of all ranks, as ASTRA-sim takes them. Returns: (transfer full) JSON. */
char *lp_chakra_groups(const LpTrace *trace);

/** The index of @trace, whose ranks without nodes of their own are like others. The file of a class
 * is that of its lowest rank, lp_chakra_file_name(). Returns: (transfer full) JSON. */
char *lp_chakra_index_write(const LpTrace *trace);
/** "trace.RANK.et". Returns: (transfer full). */
char *lp_chakra_file_name(guint32 rank);

/** Reads the index at @path and the files beside it that it names. @out_index: what stands in it
 * (transfer full). Errors: LP_INPUT_ERROR, "PATH: got, wanted": a rank in no class or two, a file
 * in another folder. Returns: (transfer full). */
LpTraceFiles *lp_chakra_index_load(const char *path, json_t **out_index,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Adds the groups of @index to @naming. Errors: LP_INPUT_ERROR, "PATH: got, wanted". */
gboolean lp_chakra_index_groups(const json_t *index, const char *path, LpTraceNaming *naming,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
