/* SPDX-License-Identifier: Apache-2.0 */
/* Files of traces, one a rank, whose names say which. */
#pragma once

#include "workloads/traces/trace.h"

G_BEGIN_DECLS

/** Files by rank. */
typedef struct {
    GPtrArray *paths; /* owned texts */
    GPtrArray *bytes; /* owned: GBytes; NULL: of a rank that is like a lower one */
    guint32 *like;    /* owned: LpTraceRank.like */
    guint32 *same;    /* owned: the lowest rank whose file has the same bytes */
} LpTraceFiles;

/** The bytes of the file at @path, which gzip may have packed, of at most 256 MiB. Errors:
 * LP_INPUT_ERROR_FILE. Returns: (transfer full). */
GBytes *lp_trace_file_read(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** The rank of each of @paths, by their names: each from 0 on is there once. Errors:
 * LP_INPUT_ERROR. */
gboolean lp_trace_files_ranks(const char *const *paths, guint n_paths, guint32 *out_ranks,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** The traces of @n_ranks ranks, still without files. Returns: (transfer full). */
LpTraceFiles *lp_trace_files_new(guint32 n_ranks);

/** Reads @paths, "NAME.RANK.et" of each rank from 0 on; of one alone any name. Errors:
 * LP_INPUT_ERROR: a rank that lacks or is there twice, a file that cannot be read. Returns:
 * (transfer full). */
LpTraceFiles *lp_trace_files_load(const char *const *paths, guint n_paths,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
void lp_trace_files_free(LpTraceFiles *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpTraceFiles, lp_trace_files_free)

/** A trace of these ranks without nodes. Returns: (transfer full). */
LpTrace *lp_trace_files_trace(const LpTraceFiles *self);

G_END_DECLS
