/* SPDX-License-Identifier: Apache-2.0 */
/* A table of names for each rank. */
#include "workloads/traces/trace_groups.h"

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/units.h"
#include "workloads/given/step_file.h"

#include <string.h>

struct LpTraceNaming {
    LpTrace *trace;    /* borrowed */
    gboolean has_file; /* which traces do not contradict */
    GPtrArray *known;  /* owned: GHashTable, by rank, from a name to a group + 1 */
};

LpTraceNaming *
lp_trace_naming_new(LpTrace *trace)
{
    LpTraceNaming *self = g_new0(LpTraceNaming, 1);
    self->trace = trace;
    self->known = g_ptr_array_new_with_free_func((GDestroyNotify)g_hash_table_unref);
    for (guint32 rank = 0; rank < trace->ranks->len; rank++)
        g_ptr_array_add(self->known, g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL));
    return self;
}

void
lp_trace_naming_free(LpTraceNaming *self)
{
    if (self == NULL)
        return;
    g_ptr_array_unref(self->known);
    g_free(self);
}

static guint32
lookup(const LpTraceNaming *self, guint32 rank, const char *name)
{
    return GPOINTER_TO_UINT(g_hash_table_lookup(self->known->pdata[rank], name));
}

static void
learn(LpTraceNaming *self, guint32 rank, const char *name, guint32 group)
{
    g_hash_table_insert(self->known->pdata[rank], g_strdup(name), GUINT_TO_POINTER(group + 1));
}

static gboolean
has_rank(const GArray *ranks, guint32 rank)
{
    for (guint i = 0; i < ranks->len; i++)
        if (g_array_index(ranks, guint32, i) == rank)
            return TRUE;
    return FALSE;
}

static gboolean
same(const GArray *a, const GArray *b)
{
    return a->len == b->len && memcmp(a->data, b->data, a->len * sizeof(guint32)) == 0;
}

/* The members that @list names: all ranks if it is empty, or none. */
static GArray *
read_ranks(const LpTraceNaming *self, const char *name, const json_t *list, GError **error)
{
    guint32 n_ranks = self->trace->ranks->len;
    g_autoptr(GArray) ranks = g_array_new(FALSE, FALSE, sizeof(guint32));
    gsize n = json_array_size(list);
    g_autofree gboolean *is_in = g_new0(gboolean, n_ranks);
    if (list != NULL && !json_is_array(list)) {
        g_autofree char *shown = lp_error_quote(name);
        lp_value_error(error, "group %s: got no list, wanted its ranks", shown);
        return NULL;
    }
    for (gsize i = 0; i < n; i++) {
        const json_t *value = json_array_get(list, i);
        json_int_t number = json_is_integer(value) ? json_integer_value(value) : -1;
        if (number < 0 || number >= (json_int_t)n_ranks || is_in[number]) {
            lp_value_error(error,
                           "group %s: got member %" JSON_INTEGER_FORMAT
                           ", wanted each once, of the %u ranks of which there are files",
                           name, number, n_ranks);
            return NULL;
        }
        guint32 rank = (guint32)number;
        is_in[rank] = TRUE;
        g_array_append_val(ranks, rank);
    }
    for (guint32 rank = 0; n == 0 && rank < n_ranks; rank++)
        g_array_append_val(ranks, rank);
    return g_steal_pointer(&ranks);
}

/* What frameworks call their groups. */
static LpTraffic
guess_class(const char *kind)
{
    static const struct {
        const char *word;
        LpTraffic traffic;
    } words[] = {{"expert_data", LP_TRAFFIC_DP},      {"expert", LP_TRAFFIC_EP},
                 {"tensor", LP_TRAFFIC_TP},           {"context", LP_TRAFFIC_CP},
                 {"embedding", LP_TRAFFIC_EMBEDDING}, {"mesh_tp", LP_TRAFFIC_TP},
                 {"mesh_ep", LP_TRAFFIC_EP},          {"mesh_cp", LP_TRAFFIC_CP}};
    g_autofree char *low = g_ascii_strdown(kind, -1);
    for (guint i = 0; i < G_N_ELEMENTS(words); i++)
        if (strstr(low, words[i].word) != NULL)
            return words[i].traffic;
    return LP_TRAFFIC_DP;
}

static gboolean
fill_group(LpTraceGroup *group, const json_t *object, GError **error)
{
    const char *traffic = json_string_value(json_object_get(object, "lightpath.class"));
    const char *algorithm = json_string_value(json_object_get(object, "lightpath.algorithm"));
    group->traffic = guess_class(group->kind);
    if (traffic != NULL) {
        int found = lp_choice_parse(traffic, lp_traffic_names, error);
        if (found < 0)
            return FALSE;
        group->traffic = (LpTraffic)found;
    }
    if (group->traffic == LP_TRAFFIC_PP)
        return lp_value_error(error, "got class pp, that of messages, wanted one of collectives");
    if (algorithm != NULL && lp_step_file_is_named(algorithm))
        return lp_step_file_load(algorithm, &group->algorithms, error);
    return algorithm == NULL || lp_algorithms_parse(algorithm, &group->algorithms) ||
           lp_value_error(error, "got lightpath.algorithm that is none, wanted one of ours");
}

/* --- files of groups --- */

gboolean
lp_trace_naming_load(LpTraceNaming *self, const char *path, GError **error)
{
    g_autoptr(GBytes) bytes = lp_file_read(path, error);
    if (bytes == NULL)
        return FALSE;
    gsize length;
    const char *text = g_bytes_get_data(bytes, &length);
    g_autoptr(json_t) root = lp_json_read(path, text, length, error);
    if (root == NULL)
        return FALSE;
    const char *name;
    json_t *list;
    self->has_file = TRUE;
    if (!json_is_object(root))
        return lp_value_error(error, "%s: got no object, wanted {\"1\": [0, 1], ...}",
                              lp_file_label(path));
    json_object_foreach (root, name, list) {
        g_autoptr(GArray) ranks = read_ranks(self, name, list, error);
        if (ranks == NULL) {
            g_prefix_error(error, "%s: ", lp_file_label(path));
            return FALSE;
        }
        guint32 group = lp_trace_add_group(self->trace, name, "group");
        g_array_append_vals(lp_trace_group(self->trace, group)->ranks, ranks->data, ranks->len);
        for (guint i = 0; i < ranks->len; i++)
            learn(self, g_array_index(ranks, guint32, i), name, group);
    }
    return TRUE;
}

/* --- groups in traces --- */

/* The group of this name that a member has told already, which must be the same. */
static gboolean
find_named(const LpTraceNaming *self, const char *name, const GArray *ranks, guint32 *out_group,
           GError **error)
{
    *out_group = LP_TRACE_NO_GROUP;
    for (guint i = 0; i < ranks->len; i++) {
        guint32 member = g_array_index(ranks, guint32, i), known = lookup(self, member, name);
        if (known == 0)
            continue;
        if (!same(lp_trace_group(self->trace, known - 1)->ranks, ranks))
            return lp_value_error(error,
                                  "got group %s with other members than the trace of rank %u "
                                  "says, wanted members that agree",
                                  name, member);
        *out_group = known - 1;
        return TRUE;
    }
    return TRUE;
}

static gboolean
read_named(const LpTraceNaming *self, const json_t *object, const char **out_name,
           GArray **out_ranks, GError **error)
{
    *out_name = json_string_value(json_object_get(object, "pg_name"));
    if (*out_name == NULL)
        return lp_value_error(error, "got a group without pg_name, wanted a text");
    *out_ranks = read_ranks(self, *out_name, json_object_get(object, "ranks"), error);
    return *out_ranks != NULL;
}

static gboolean
make_named(LpTraceNaming *self, const json_t *object, const char *name, const GArray *ranks,
           guint32 *out_group, GError **error)
{
    const char *kind = json_string_value(json_object_get(object, "pg_desc"));
    *out_group =
        lp_trace_add_group(self->trace, name, kind != NULL && *kind != '\0' ? kind : "group");
    LpTraceGroup *made = lp_trace_group(self->trace, *out_group);
    g_array_append_vals(made->ranks, ranks->data, ranks->len);
    return fill_group(made, object, error);
}

static gboolean
add_named(LpTraceNaming *self, guint32 rank, const json_t *object, GError **error)
{
    const char *name;
    g_autoptr(GArray) ranks = NULL;
    guint32 group;
    if (!read_named(self, object, &name, &ranks, error))
        return FALSE;
    if (!has_rank(ranks, rank) || (self->has_file && lookup(self, rank, name) != 0))
        return TRUE;
    if (!find_named(self, name, ranks, &group, error))
        return FALSE;
    if (group == LP_TRACE_NO_GROUP && !make_named(self, object, name, ranks, &group, error))
        return FALSE;
    learn(self, rank, name, group);
    return TRUE;
}

gboolean
lp_trace_naming_add_to_all(LpTraceNaming *self, const json_t *object, GError **error)
{
    const char *name;
    g_autoptr(GArray) ranks = NULL;
    guint32 group;
    if (!read_named(self, object, &name, &ranks, error) ||
        !make_named(self, object, name, ranks, &group, error))
        return FALSE;
    self->has_file = TRUE;
    for (guint i = 0; i < ranks->len; i++) {
        guint32 rank = g_array_index(ranks, guint32, i);
        if (lookup(self, rank, name) != 0)
            return lp_value_error(error, "got group %s of rank %u a second time, wanted it once",
                                  name, rank);
        learn(self, rank, name, group);
    }
    return TRUE;
}

gboolean
lp_trace_naming_add(LpTraceNaming *self, guint32 rank, const char *text, gsize length,
                    GError **error)
{
    const char *begin = memchr(text, '[', length), *end = text + length;
    while (begin != NULL && begin + 1 < end && begin[1] != '{' && begin[1] != '\n' &&
           begin[1] != ']')
        begin = memchr(begin + 1, '[', (gsize)(end - begin - 1));
    while (begin != NULL && end > begin && end[-1] != ']')
        end--;
    /* A list in a list of texts: the last bracket is the outer one's. */
    if (begin != NULL && begin > text && end > begin + 1 && end[-2] == '\'')
        for (end--; end > begin && end[-1] != ']';)
            end--;
    if (begin == NULL)
        return TRUE;
    if (end <= begin + 1)
        end = text + length;
    g_autoptr(json_t) list = lp_json_read("groups", begin, (gsize)(end - begin), error);
    for (gsize i = 0; list != NULL && i < json_array_size(list); i++)
        if (!add_named(self, rank, json_array_get(list, i), error))
            return FALSE;
    return list != NULL;
}

gboolean
lp_trace_naming_check(const LpTraceNaming *self, GError **error)
{
    for (guint32 i = 0; i < self->trace->groups->len; i++) {
        const LpTraceGroup *group = lp_trace_group(self->trace, i);
        for (guint k = 0; k < group->ranks->len; k++) {
            guint32 rank = g_array_index(group->ranks, guint32, k);
            if (lookup(self, rank, group->name) != i + 1)
                return lp_value_error(
                    error,
                    "%s: got no group %s, or another one, in which rank %u is by the traces "
                    "of others, wanted members that agree",
                    lp_file_label(lp_trace_rank(self->trace, rank)->path), group->name, rank);
        }
    }
    return TRUE;
}

gboolean
lp_trace_naming_find(LpTraceNaming *self, guint32 rank, const char *name, guint32 *out_group,
                     GError **error)
{
    guint32 known = lookup(self, rank, name);
    if (known == 0 && *name == '\0') {
        /* What runs on no group runs on all ranks. */
        guint32 group = lp_trace_add_group(self->trace, "", "world");
        for (guint32 member = 0; member < self->trace->ranks->len; member++) {
            g_array_append_val(lp_trace_group(self->trace, group)->ranks, member);
            learn(self, member, "", group);
        }
        known = group + 1;
    }
    *out_group = known - 1;
    if (known != 0)
        return TRUE;
    g_autofree char *shown = lp_error_quote(name);
    return lp_value_error(error,
                          "got %s, in which rank %u is not, wanted a group that the traces or "
                          "--groups=FILE tell",
                          shown, rank);
}
