/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts files by rank. */
#include "workloads/traces/trace_files.h"

#include "base/error.h"
#include "base/file.h"
#include "base/units.h"

#include <string.h>

/* The last number of the name, before its ending: "job.12.et", "rank12.json.et". */
static gboolean
find_rank(const char *path, guint64 *out_rank)
{
    g_autofree char *name = g_path_get_basename(path);
    char *end = strrchr(name, '.');
    if (end != NULL && end != name)
        *end = '\0';
    for (end = name + strlen(name); end > name && !g_ascii_isdigit(end[-1]);)
        *--end = '\0';
    char *begin = end;
    while (begin > name && g_ascii_isdigit(begin[-1]))
        begin--;
    return begin < end && lp_count_parse(begin, 0, G_MAXUINT32, out_rank, NULL);
}

static gboolean
place(LpTraceFiles *self, const char *path, guint n_paths, GError **error)
{
    guint64 rank = 0;
    if (!find_rank(path, &rank) && n_paths > 1)
        return lp_value_error(error, "%s: got a name without a rank, wanted NAME.RANK.et of %u",
                              lp_file_label(path), n_paths);
    if (n_paths == 1)
        rank = 0;
    if (rank >= n_paths)
        return lp_value_error(error,
                              "%s: got rank %" G_GUINT64_FORMAT
                              " with %u files, wanted a file of each rank from 0 on",
                              lp_file_label(path), rank, n_paths);
    if (self->paths->pdata[rank] != NULL)
        return lp_value_error(error,
                              "%s: got rank %" G_GUINT64_FORMAT " a second time, after %s, wanted "
                              "a file of each rank",
                              lp_file_label(path), rank, (const char *)self->paths->pdata[rank]);
    g_autofree char *found = lp_file_argument(path, error);
    GBytes *bytes = found != NULL ? lp_file_read(found, error) : NULL;
    self->paths->pdata[rank] = g_strdup(path);
    self->bytes->pdata[rank] = bytes;
    return bytes != NULL;
}

static void
unref_bytes(gpointer bytes)
{
    if (bytes != NULL)
        g_bytes_unref(bytes);
}

LpTraceFiles *
lp_trace_files_new(guint32 n_ranks)
{
    LpTraceFiles *self = g_new0(LpTraceFiles, 1);
    self->paths = g_ptr_array_new_with_free_func(g_free);
    self->bytes = g_ptr_array_new_with_free_func(unref_bytes);
    self->like = g_new(guint32, n_ranks);
    self->same = g_new(guint32, n_ranks);
    g_ptr_array_set_size(self->paths, (gint)n_ranks);
    g_ptr_array_set_size(self->bytes, (gint)n_ranks);
    for (guint32 rank = 0; rank < n_ranks; rank++)
        self->like[rank] = self->same[rank] = rank;
    return self;
}

/* Files are told apart by their lengths and ends; only those that agree there are compared. */
static guint
file_hash(gconstpointer key)
{
    gsize length;
    const guint8 *data = g_bytes_get_data((GBytes *)(guintptr)key, &length);
    gsize n_compared = MIN(length, 1024);
    g_autoptr(GBytes) end = g_bytes_new_static(data + length - n_compared, n_compared);
    return g_bytes_hash(end) * 31 + (guint)length;
}

/* Files of the same bytes are kept once. */
static void
find_same(LpTraceFiles *self)
{
    g_autoptr(GHashTable) first = g_hash_table_new(file_hash, g_bytes_equal);
    for (guint32 rank = 0; rank < self->bytes->len; rank++) {
        GBytes *bytes = self->bytes->pdata[rank];
        gpointer found, same;
        if (!g_hash_table_lookup_extended(first, bytes, &found, &same)) {
            g_hash_table_insert(first, bytes, GUINT_TO_POINTER(rank));
            continue;
        }
        self->same[rank] = GPOINTER_TO_UINT(same);
        self->bytes->pdata[rank] = g_bytes_ref(found);
        g_bytes_unref(bytes);
    }
}

LpTraceFiles *
lp_trace_files_load(const char *const *paths, guint n_paths, GError **error)
{
    g_autoptr(LpTraceFiles) self = lp_trace_files_new(n_paths);
    for (guint i = 0; i < n_paths; i++)
        if (!place(self, paths[i], n_paths, error))
            return NULL;
    find_same(self);
    return g_steal_pointer(&self);
}

void
lp_trace_files_free(LpTraceFiles *self)
{
    if (self == NULL)
        return;
    g_ptr_array_unref(self->paths);
    g_ptr_array_unref(self->bytes);
    g_free(self->like);
    g_free(self->same);
    g_free(self);
}

LpTrace *
lp_trace_files_trace(const LpTraceFiles *self)
{
    LpTrace *trace = lp_trace_new(self->paths->pdata[0], self->paths->len);
    for (guint32 rank = 0; rank < self->paths->len; rank++) {
        lp_trace_rank(trace, rank)->path = g_strdup(self->paths->pdata[rank]);
        lp_trace_rank(trace, rank)->like = self->like[rank];
    }
    return trace;
}
