/* SPDX-License-Identifier: Apache-2.0 */
/* Writes plans as rows. The columns are what JSON has of them. */
#include "report/search_csv.h"

#include "report/csv_cell.h"

#include <string.h>

/* The column of member @name of a plan's object @key: what is varied by its name, a term with its
 * unit. Returns: (transfer full). */
static char *
column_of(const char *key, const char *name)
{
    if (strcmp(key, "set") == 0)
        return g_strdup(name);
    return strcmp(key, "terms_s") == 0 ? g_strconcat(name, "_s", NULL)
                                       : g_strconcat(key, "_", name, NULL);
}

/* Sets the member @key of @cells to @node; of an object the column of each of its members. */
static void
flatten(json_t *cells, const char *key, json_t *node)
{
    const char *name;
    json_t *value;
    if (!json_is_object(node))
        (void)json_object_set(cells, key, node);
    json_object_foreach (node, name, value) {
        g_autofree char *column = column_of(key, name);
        (void)json_object_set(cells, column, value);
    }
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
    GString *text = g_string_new(json_object_size(columns) == 0 ? "rank" : NULL);
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
