/* SPDX-License-Identifier: Apache-2.0 */
/* Writes plans as rows. The columns are what JSON has of them. */
#include "report/search_csv.h"

#include "report/csv_cell.h"

#include <string.h>

/* Members of a plan's objects become columns: of what is varied by their names, of terms with the
 * unit behind. */
static const struct {
    const char *key, *suffix;
} objects[] = {{"set", ""}, {"terms_s", "_s"}};

/* Sets the member "column" of @cells, to the value of @node; those of an object one by one. */
static void
flatten(json_t *cells, const char *key, json_t *node)
{
    const char *suffix = "";
    for (guint i = 0; i < G_N_ELEMENTS(objects); i++)
        if (strcmp(objects[i].key, key) == 0)
            suffix = objects[i].suffix;
    const char *name;
    json_t *value;
    json_object_foreach (node, name, value) {
        g_autofree char *column = g_strconcat(name, suffix, NULL);
        (void)json_object_set(cells, column, value);
    }
    if (!json_is_object(node))
        (void)json_object_set(cells, key, node);
}

/* Rows, an object of cells each. Returns: (transfer full). */
static json_t *
make_rows(const LpSearchReport *self)
{
    g_autoptr(json_t) plans = json_array();
    json_t *rows = json_array();
    for (guint i = 0; i < self->result->runs->len; i++) {
        lp_search_report_add_plan(plans, self, i);
        json_t *cells = lp_json_append_object(rows);
        const char *key;
        json_t *node;
        json_object_foreach (json_array_get(plans, i), key, node)
            flatten(cells, key, node);
    }
    return rows;
}

/* An object with a member for each column of any of @rows, in their order. Returns: (transfer
 * full). */
static json_t *
find_columns(const json_t *rows)
{
    json_t *columns = json_object();
    for (size_t i = 0; i < json_array_size(rows); i++)
        (void)json_object_update_missing(columns, json_array_get(rows, i));
    return columns;
}

static void
add_cell(GString *text, const json_t *value)
{
    if (json_is_integer(value))
        lp_csv_add_count(text, (guint64)json_integer_value(value));
    else if (json_is_real(value))
        lp_csv_add_number(text, json_real_value(value));
    else if (json_is_boolean(value))
        lp_csv_add_text(text, json_is_true(value) ? "yes" : "no");
    else
        lp_csv_add_text(text, json_string_value(value));
}

char *
lp_search_report_to_csv(const LpSearchReport *self)
{
    g_autoptr(json_t) rows = make_rows(self);
    g_autoptr(json_t) columns = find_columns(rows);
    GString *text = g_string_new(NULL);
    const char *name;
    json_t *any;
    json_object_foreach (columns, name, any)
        g_string_append_printf(text, "%s%s", text->len > 0 ? "," : "", name);
    g_string_append_c(text, '\n');
    for (size_t i = 0; i < json_array_size(rows); i++) {
        json_object_foreach (columns, name, any)
            add_cell(text, json_object_get(json_array_get(rows, i), name));
        g_string_append_c(text, '\n');
    }
    return g_string_free(text, FALSE);
}
