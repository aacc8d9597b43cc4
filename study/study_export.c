/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a store as JSON, and JSON as CSV. */
#include "study/study_export.h"

#include "base/error.h"
#include "study/study_record.h"

#include <string.h>

/* --- the study --- */

static gboolean
refuse_name(LpStudyStore *store, const char *name, GError **error)
{
    const char *path = lp_database_path(lp_study_store_database(store));
    g_autoptr(GString) names = g_string_new(NULL);
    g_autoptr(LpQuery) query = lp_query_new(lp_study_store_database(store),
                                            "SELECT DISTINCT name FROM study ORDER BY name", error);
    for (gboolean any = query != NULL; any;) {
        if (!lp_query_next(query, &any, error))
            return FALSE;
        if (any)
            g_string_append_printf(names, "%s\"%s\"", names->len > 0 ? ", " : "",
                                   lp_query_text(query, 0));
    }
    if (query != NULL)
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME, "%s: got %s%s%s, wanted %s", path,
                    name != NULL ? "the study \"" : "no study in it", name != NULL ? name : "",
                    name != NULL ? "\"" : "",
                    names->len > 0 ? names->str : "a store that a sweep has begun");
    return FALSE;
}

gboolean
lp_study_export_find(LpStudyStore *store, const char *name, gint64 *out_study, GError **error)
{
    gboolean any = FALSE;
    g_autoptr(LpQuery) query =
        lp_query_new(lp_study_store_database(store),
                     "SELECT max(study_id) FROM study WHERE name = ?1 OR ?1 IS NULL", error);
    if (query == NULL)
        return FALSE;
    lp_query_begin(query, "s", name);
    if (!lp_query_next(query, &any, error))
        return FALSE;
    *out_study = any ? lp_query_count(query, 0) : 0;
    return *out_study > 0 || refuse_name(store, name, error);
}

static json_t *
read_json(const char *text, GError **error)
{
    return lp_json_read("store", text, strlen(text), error);
}

/* Adds "study", "axes" and "records". */
static gboolean
add_head(LpStudyStore *store, gint64 study, json_t *document, GError **error)
{
    gboolean any = FALSE;
    g_autoptr(LpQuery) query =
        lp_query_new(lp_study_store_database(store),
                     "SELECT name, axes, records FROM study WHERE study_id = ?", error);
    if (query == NULL)
        return FALSE;
    lp_query_begin(query, "i", study);
    if (!lp_query_next(query, &any, error) || !any)
        return FALSE;
    lp_json_set_text(document, "study", lp_query_text(query, 0));
    json_t *axes = read_json(lp_query_text(query, 1), error);
    json_object_set_new(document, "axes", axes);
    json_t *records = axes != NULL ? read_json(lp_query_text(query, 2), error) : NULL;
    json_object_set_new(document, "records", records);
    return records != NULL;
}

/* --- the points --- */

static json_t *
set_of(const json_t *axes, const char *labels, GError **error)
{
    g_autoptr(json_t) texts = read_json(labels, error);
    json_t *set = texts != NULL ? json_object() : NULL;
    for (gsize i = 0; set != NULL && i < json_array_size(axes); i++)
        json_object_set(set, json_string_value(json_array_get(axes, i)), json_array_get(texts, i));
    return set;
}

static json_t *
recorded_of(const json_t *records, const char *text, GError **error)
{
    g_autoptr(json_t) result = text != NULL ? read_json(text, error) : json_object();
    json_t *recorded = result != NULL ? json_object() : NULL;
    for (gsize i = 0; recorded != NULL && i < json_array_size(records); i++) {
        const json_t *record = json_array_get(records, i);
        const json_t *value =
            lp_study_record_find(result, json_string_value(json_object_get(record, "key")));
        if (value != NULL)
            json_object_set_new(recorded, json_string_value(json_object_get(record, "name")),
                                json_deep_copy(value));
    }
    return recorded;
}

/* The point of a row. Returns: (transfer full). */
static json_t *
read_point(const json_t *document, const LpQuery *query, GError **error)
{
    g_autoptr(json_t) point = json_object();
    json_t *set = set_of(json_object_get(document, "axes"), lp_query_text(query, 0), error);
    if (set == NULL)
        return NULL;
    json_object_set_new(point, "set", set);
    json_t *recorded =
        recorded_of(json_object_get(document, "records"), lp_query_text(query, 2), error);
    if (recorded == NULL)
        return NULL;
    /* What is under way is not there yet: who runs it is nobody's business. */
    const char *state = lp_query_text(query, 1);
    gboolean is_over = strcmp(state, "running") != 0;
    json_object_set_new(point, "recorded", recorded);
    lp_json_set_text(point, "state", is_over ? state : "waiting");
    if (lp_query_text(query, 3) != NULL)
        lp_json_set_text(point, "message", lp_query_text(query, 3));
    return g_steal_pointer(&point);
}

/* What is done with each point. */
typedef void (*Visit)(const json_t *document, json_t *point, gpointer data);

/* Goes through the first @n_most points of @study. Returns: (transfer full) the head. */
static json_t *
visit_points(LpStudyStore *store, gint64 study, guint n_most, Visit visit, gpointer data,
             GError **error)
{
    g_autoptr(json_t) document = lp_json_document();
    g_autoptr(LpQuery) query =
        lp_query_new(lp_study_store_database(store),
                     "SELECT labels, state, json, message FROM member JOIN point USING (point_id) "
                     "LEFT JOIN result USING (point_id) WHERE study_id = ? ORDER BY place LIMIT ?",
                     error);
    if (query == NULL || !add_head(store, study, document, error))
        return NULL;
    lp_query_begin(query, "ii", study, (gint64)n_most);
    for (gboolean any = TRUE; any;) {
        if (!lp_query_next(query, &any, error))
            return NULL;
        g_autoptr(json_t) point = any ? read_point(document, query, error) : NULL;
        if (any && point == NULL)
            return NULL;
        if (any)
            visit(document, point, data);
    }
    return g_steal_pointer(&document);
}

static void
append_point(const json_t *document, json_t *point, gpointer data)
{
    (void)document;
    json_array_append(data, point);
}

json_t *
lp_study_export_json(LpStudyStore *store, gint64 study, guint n_most, GError **error)
{
    json_t *points = json_array();
    json_t *document = visit_points(store, study, n_most, append_point, points, error);
    if (document != NULL)
        json_object_set(document, "points", points);
    json_decref(points);
    return document;
}

/* --- CSV --- */

static void
add_cell(GString *out, const char *text)
{
    if (out->len > 0 && out->str[out->len - 1] != '\n')
        g_string_append_c(out, ',');
    if (strpbrk(text, ",\"\n\r") == NULL) {
        /* An empty first cell is no line without cells. */
        g_string_append(out, *text == '\0' && (out->len == 0 || out->str[out->len - 1] == '\n')
                                 ? "\"\""
                                 : text);
        return;
    }
    g_autoptr(GString) quoted = g_string_new(text);
    g_string_replace(quoted, "\"", "\"\"", 0);
    g_string_append_printf(out, "\"%s\"", quoted->str);
}

/* A text as it is, anything else as JSON has it. */
static void
add_value(GString *out, const json_t *value)
{
    if (value == NULL || json_is_string(value)) {
        add_cell(out, value != NULL ? json_string_value(value) : "");
        return;
    }
    g_autofree char *text =
        json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(17));
    add_cell(out, text);
}

static void
add_line(const json_t *document, json_t *point, gpointer data)
{
    GString *out = data;
    const json_t *axes = json_object_get(document, "axes"), *set = json_object_get(point, "set");
    const json_t *records = json_object_get(document, "records");
    const json_t *recorded = json_object_get(point, "recorded");
    for (gsize i = 0; i < json_array_size(axes); i++)
        add_value(out, json_object_get(set, json_string_value(json_array_get(axes, i))));
    for (gsize i = 0; i < json_array_size(records); i++) {
        const json_t *name = json_object_get(json_array_get(records, i), "name");
        add_value(out, json_object_get(recorded, json_string_value(name)));
    }
    add_value(out, json_object_get(point, "state"));
    add_value(out, json_object_get(point, "message"));
    g_string_append_c(out, '\n');
}

char *
lp_study_export_csv(LpStudyStore *store, gint64 study, GError **error)
{
    g_autoptr(GString) lines = g_string_new("\n"), out = g_string_new(NULL);
    g_autoptr(json_t) document = visit_points(store, study, G_MAXUINT, add_line, lines, error);
    if (document == NULL)
        return NULL;
    const json_t *axes = json_object_get(document, "axes");
    const json_t *records = json_object_get(document, "records");
    for (gsize i = 0; i < json_array_size(axes); i++)
        add_value(out, json_array_get(axes, i));
    for (gsize i = 0; i < json_array_size(records); i++)
        add_value(out, json_object_get(json_array_get(records, i), "name"));
    g_string_append_printf(out, "%sstate,message%s", out->len > 0 ? "," : "", lines->str);
    return g_strdup(out->str);
}
