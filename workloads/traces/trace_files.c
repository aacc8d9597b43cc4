/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts files by rank. */
#include "workloads/traces/trace_files.h"

#include "base/error.h"
#include "base/file.h"
#include "base/gzip.h"
#include "base/units.h"

#include <string.h>

#define PACKED ".gz"
#define FILE_MAX (256u << 20)

/* The last number of the name, before its ending: "job.12.et", "rank12.json.gz". */
static gboolean
find_rank(const char *path, guint64 *out_rank)
{
    g_autofree char *name = g_path_get_basename(path);
    if (g_str_has_suffix(name, PACKED))
        name[strlen(name) - strlen(PACKED)] = '\0';
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

GBytes *
lp_trace_file_read(const char *path, GError **error)
{
    g_autofree char *found = lp_file_argument(path, error);
    GBytes *bytes = found != NULL ? lp_file_read_at_most(found, FILE_MAX, error) : NULL;
    return bytes != NULL ? lp_gzip_unpack(bytes, path, FILE_MAX, error) : NULL;
}

gboolean
lp_trace_files_ranks(const char *const *paths, guint n_paths, guint32 *out_ranks, GError **error)
{
    g_autofree const char **of_rank = g_new0(const char *, n_paths);
    for (guint i = 0; i < n_paths; i++) {
        const char *label = lp_file_label(paths[i]);
        guint64 rank = 0;
        if (n_paths > 1 && !find_rank(paths[i], &rank))
            return lp_value_error(error,
                                  "%s: got a name without a rank, wanted NAME.RANK.EXTENSION, "
                                  "of each of %u ranks",
                                  label, n_paths);
        if (rank >= n_paths)
            return lp_value_error(error,
                                  "%s: got rank %" G_GUINT64_FORMAT
                                  " with %u files, wanted a file of each rank from 0 on",
                                  label, rank, n_paths);
        if (of_rank[rank] != NULL)
            return lp_value_error(error,
                                  "%s: got rank %" G_GUINT64_FORMAT
                                  " a second time, after %s, wanted a file of each rank",
                                  label, rank, of_rank[rank]);
        of_rank[rank] = paths[i];
        out_ranks[i] = (guint32)rank;
    }
    return TRUE;
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
    g_autoptr(GBytes) end =
        g_bytes_new_static(length == 0 ? NULL : data + length - n_compared, n_compared);
    return g_bytes_hash(end) * 31 + (guint)length;
}

/* Files of the same bytes are kept once. */
static gboolean
read_ranks(LpTraceFiles *self, GError **error)
{
    g_autoptr(GHashTable) first = g_hash_table_new(file_hash, g_bytes_equal);
    for (guint32 rank = 0; rank < self->paths->len; rank++) {
        GBytes *bytes = lp_trace_file_read(self->paths->pdata[rank], error);
        gpointer found, same;
        if (bytes == NULL)
            return FALSE;
        if (!g_hash_table_lookup_extended(first, bytes, &found, &same)) {
            g_hash_table_insert(first, bytes, GUINT_TO_POINTER(rank));
            self->bytes->pdata[rank] = bytes;
            continue;
        }
        self->same[rank] = GPOINTER_TO_UINT(same);
        self->bytes->pdata[rank] = g_bytes_ref(found);
        g_bytes_unref(bytes);
    }
    return TRUE;
}

LpTraceFiles *
lp_trace_files_load(const char *const *paths, guint n_paths, GError **error)
{
    g_autoptr(LpTraceFiles) self = lp_trace_files_new(n_paths);
    g_autofree guint32 *ranks = g_new0(guint32, n_paths);
    if (!lp_trace_files_ranks(paths, n_paths, ranks, error))
        return NULL;
    for (guint i = 0; i < n_paths; i++)
        self->paths->pdata[ranks[i]] = g_strdup(paths[i]);
    return read_ranks(self, error) ? g_steal_pointer(&self) : NULL;
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
