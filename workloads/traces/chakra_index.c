/* SPDX-License-Identifier: Apache-2.0 */
/* Groups and classes as JSON. */
#include "workloads/traces/chakra_index.h"

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/ranges.h"
#include "workloads/traces/chakra.h"

#include <string.h>

#define RANKS_MAX 1000000

/* --- groups --- */

static json_t *
ranks_to_json(const LpTraceGroup *group)
{
    json_t *ranks = json_array();
    for (guint i = 0; i < group->ranks->len; i++)
        json_array_append_new(ranks, json_integer(g_array_index(group->ranks, guint32, i)));
    return ranks;
}

void
lp_chakra_add_group(json_t *list, const LpTraceGroup *group)
{
    g_autofree char *algorithm = lp_algorithms_format(&group->algorithms);
    json_t *object = lp_json_append_object(list);
    lp_json_set_text(object, "pg_name", group->name);
    lp_json_set_text(object, "pg_desc", group->kind);
    json_object_set_new(object, "ranks", ranks_to_json(group));
    lp_json_set_count(object, "group_size", group->ranks->len);
    lp_json_set_text(object, "lightpath.class", lp_traffic_names[group->traffic]);
    if (group->algorithms.n_levels > 0)
        lp_json_set_text(object, "lightpath.algorithm", algorithm);
}

char *
lp_chakra_groups(const LpTrace *trace)
{
    g_autoptr(json_t) root = json_object();
    for (guint32 i = 0; i < trace->groups->len; i++) {
        const LpTraceGroup *group = lp_trace_group(trace, i);
        json_object_set_new(root, group->name, ranks_to_json(group));
    }
    return lp_json_print(root);
}

/* --- writing --- */

char *
lp_chakra_file_name(guint32 rank)
{
    return g_strdup_printf("trace.%u.et", rank);
}

static void
write_classes(const LpTrace *trace, json_t *classes)
{
    guint32 n = trace->ranks->len;
    g_autofree GArray **members = g_new0(GArray *, n);
    for (guint32 rank = 0; rank < n; rank++) {
        guint32 like = lp_trace_rank(trace, rank)->like;
        if (like == rank)
            members[rank] = g_array_new(FALSE, FALSE, sizeof(guint32));
        g_array_append_val(members[like], rank);
    }
    for (guint32 rank = 0; rank < n; rank++) {
        if (members[rank] == NULL)
            continue;
        g_autofree char *file = lp_chakra_file_name(rank);
        g_autofree char *list =
            lp_ranges_format((const guint32 *)(gpointer)members[rank]->data, members[rank]->len);
        json_t *object = lp_json_append_object(classes);
        lp_json_set_text(object, "file", file);
        lp_json_set_text(object, "ranks", list);
        g_array_unref(members[rank]);
    }
}

/* The groups on which something runs: of a kind that the nodes of a member's class name. */
static void
write_used_groups(const LpTrace *trace, json_t *groups)
{
    guint32 n = trace->ranks->len;
    g_autoptr(GHashTable) used = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
    for (guint32 rank = 0; rank < n; rank++) {
        const LpTraceRank *one = lp_trace_rank(trace, rank);
        for (guint i = 0; i < one->nodes->len; i++) {
            const LpTraceNode *node = lp_trace_node(one, i);
            if (node->is_joint || node->op.kind != LP_GIVEN_COLLECTIVE)
                continue;
            char *kind = lp_trace_group(trace, node->op.group)->kind;
            gboolean *is_used = g_hash_table_lookup(used, kind);
            if (is_used == NULL) {
                is_used = g_new0(gboolean, n);
                g_hash_table_insert(used, kind, is_used);
            }
            is_used[rank] = TRUE;
        }
    }
    for (guint32 i = 0; i < trace->groups->len; i++) {
        const LpTraceGroup *group = lp_trace_group(trace, i);
        const gboolean *is_used = g_hash_table_lookup(used, group->kind);
        guint32 member = g_array_index(group->ranks, guint32, 0);
        if (is_used != NULL && is_used[lp_trace_rank(trace, member)->like])
            lp_chakra_add_group(groups, group);
    }
}

char *
lp_chakra_index_write(const LpTrace *trace)
{
    g_autoptr(json_t) root = json_object();
    lp_json_set_count(root, "ranks", trace->ranks->len);
    write_classes(trace, lp_json_set_array(root, "classes"));
    write_used_groups(trace, lp_json_set_array(root, "groups"));
    return lp_json_print_line(root);
}

/* --- reading --- */

static gboolean
fill_class(LpTraceFiles *self, const json_t *object, const char *folder, GError **error)
{
    const char *name = json_string_value(json_object_get(object, "file"));
    const char *list = json_string_value(json_object_get(object, "ranks"));
    if (name == NULL || list == NULL || *name == '\0' || strchr(name, '/') != NULL)
        return lp_value_error(error, "got a class that lacks a file beside the index or ranks, "
                                     "wanted \"file\" and \"ranks\"");
    g_autoptr(GArray) ranks = lp_ranges_parse(list, self->paths->len - 1, error);
    if (ranks == NULL)
        return FALSE;
    guint32 first = g_array_index(ranks, guint32, 0);
    for (guint i = 0; i < ranks->len; i++) {
        guint32 rank = g_array_index(ranks, guint32, i);
        if (rank < first || self->paths->pdata[rank] != NULL)
            return lp_value_error(error,
                                  "got rank %u %s, wanted each once, the lowest of a class "
                                  "first",
                                  rank, rank < first ? "behind a higher one" : "in two classes");
        self->paths->pdata[rank] = g_build_filename(folder, name, NULL);
        self->like[rank] = first;
    }
    self->bytes->pdata[first] = lp_file_read(self->paths->pdata[first], error);
    return self->bytes->pdata[first] != NULL;
}

static LpTraceFiles *
load_classes(const json_t *index, const char *path, GError **error)
{
    const json_t *count = json_object_get(index, "ranks");
    const json_t *classes = json_object_get(index, "classes");
    json_int_t n = json_is_integer(count) ? json_integer_value(count) : 0;
    g_autofree char *folder = g_path_get_dirname(path);
    if (n < 1 || n > RANKS_MAX || !json_is_array(classes)) {
        lp_value_error(error,
                       "got no index of classes, wanted \"ranks\" from 1 to %d and "
                       "\"classes\", as export chakra --collapse writes them",
                       RANKS_MAX);
        return NULL;
    }
    g_autoptr(LpTraceFiles) self = lp_trace_files_new((guint)n);
    for (gsize i = 0; i < json_array_size(classes); i++)
        if (!fill_class(self, json_array_get(classes, i), folder, error))
            return NULL;
    for (guint32 rank = 0; rank < self->paths->len; rank++)
        if (self->paths->pdata[rank] == NULL) {
            lp_value_error(error, "got no class with rank %u, wanted each of %u in one", rank,
                           self->paths->len);
            return NULL;
        }
    return g_steal_pointer(&self);
}

LpTraceFiles *
lp_chakra_index_load(const char *path, json_t **out_index, GError **error)
{
    g_autofree char *found = lp_file_argument(path, error);
    g_autoptr(GBytes) bytes = found != NULL ? lp_file_read(found, error) : NULL;
    if (bytes == NULL)
        return NULL;
    gsize length;
    const char *text = g_bytes_get_data(bytes, &length);
    g_autoptr(json_t) index = lp_json_read(path, text, length, error);
    if (index == NULL)
        return NULL;
    LpTraceFiles *files = load_classes(index, found, error);
    if (files == NULL)
        g_prefix_error(error, "%s: ", lp_file_label(path));
    else
        *out_index = g_steal_pointer(&index);
    return files;
}

gboolean
lp_chakra_index_groups(const json_t *index, const char *path, LpTraceNaming *naming, GError **error)
{
    const json_t *groups = json_object_get(index, "groups");
    for (gsize i = 0; i < json_array_size(groups); i++)
        if (!lp_trace_naming_add_to_all(naming, json_array_get(groups, i), error)) {
            g_prefix_error(error, "%s: ", lp_file_label(path));
            return FALSE;
        }
    return TRUE;
}
