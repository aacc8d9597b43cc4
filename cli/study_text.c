/* SPDX-License-Identifier: Apache-2.0 */
/* A sentence, and a table of what is exported. */
#include "cli/study_text.h"

#include "base/text_table.h"
#include "cli/options.h"
#include "report/result_field.h"
#include "study/study_export.h"

#include <string.h>

#define ROWS_MAX 40

static const char *
text_at(const json_t *array, gsize index)
{
    return json_string_value(json_array_get(array, index));
}

static const char *
name_at(const json_t *records, gsize index)
{
    return json_string_value(json_object_get(json_array_get(records, index), "name"));
}

static LpTextTable *
new_table(const json_t *axes, const json_t *records)
{
    g_autoptr(GPtrArray) columns = g_ptr_array_new();
    for (gsize i = 0; i < json_array_size(axes); i++)
        g_ptr_array_add(columns, (gpointer)(guintptr)text_at(axes, i));
    for (gsize i = 0; i < json_array_size(records); i++)
        g_ptr_array_add(columns, (gpointer)(guintptr)name_at(records, i));
    const char *state = lp_result_field_label("sweep", "/points/0/state");
    g_ptr_array_add(columns, (gpointer)(guintptr)state);
    g_ptr_array_add(columns, NULL);
    return lp_text_table_new((const char *const *)columns->pdata);
}

static void
add_number(LpTextTable *table, const json_t *value)
{
    if (json_is_number(value))
        lp_text_table_add_cell(table, "%.6g", json_number_value(value));
    else
        lp_text_table_add_cell(table, "%s", json_is_string(value) ? json_string_value(value) : "-");
}

static void
add_row(LpTextTable *table, const json_t *axes, const json_t *records, const json_t *point)
{
    const json_t *set = json_object_get(point, "set");
    const json_t *recorded = json_object_get(point, "recorded");
    const char *message = json_string_value(json_object_get(point, "message"));
    lp_text_table_add_row(table);
    for (gsize i = 0; i < json_array_size(axes); i++)
        lp_text_table_add_cell(table, "%s",
                               json_string_value(json_object_get(set, text_at(axes, i))));
    for (gsize i = 0; i < json_array_size(records); i++)
        add_number(table, json_object_get(recorded, name_at(records, i)));
    lp_text_table_add_cell(table, "%s%s%s", json_string_value(json_object_get(point, "state")),
                           message != NULL ? ": " : "", message != NULL ? message : "");
}

gboolean
lp_study_text_print(LpStudyStore *store, gint64 study, const char *path, GError **error)
{
    LpStudyCounts counts;
    g_autoptr(json_t) document = lp_study_export_json(store, study, ROWS_MAX, error);
    if (document == NULL || !lp_study_store_count(store, study, &counts, error))
        return FALSE;
    const json_t *axes = json_object_get(document, "axes");
    const json_t *records = json_object_get(document, "records");
    const json_t *points = json_object_get(document, "points");
    g_autoptr(GString) text = g_string_new(NULL);
    g_string_append_printf(text, "%s: %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " points done",
                           json_string_value(json_object_get(document, "study")), counts.n_done,
                           counts.n);
    if (counts.n_refused > 0)
        g_string_append_printf(text, ", %" G_GUINT64_FORMAT " refused", counts.n_refused);
    g_string_append_printf(text, ", in %s\n\n", path);
    g_autoptr(LpTextTable) table = new_table(axes, records);
    for (gsize i = 0; i < json_array_size(points); i++)
        add_row(table, axes, records, json_array_get(points, i));
    lp_text_table_append(text, table, 0);
    if (counts.n > ROWS_MAX)
        g_string_append_printf(text,
                               "\nand %" G_GUINT64_FORMAT " more (lightpath sweep export %s)\n",
                               counts.n - ROWS_MAX, path);
    return lp_print_result(text->str, error);
}
