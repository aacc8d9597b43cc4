/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the tables of docs/workload-format.md: one place says what an attribute means. */
#include "cli/attribute_table.h"

#include "base/file.h"
#include "workloads/description/attribute.h"

#include <string.h>

#define DOCUMENT "resource:///lightpath/docs/workload-format.md"
#define N_CELLS 5
#define LINE_WIDTH 96

static void
row_free(gpointer data)
{
    LpAttributeRow *self = data;
    g_free(self->name);
    g_free(self->meaning);
    g_free(self->values);
    g_free(self->range);
    g_free(self->fallback);
    g_strfreev(self->choices);
    g_free(self);
}

/* @cell without the marks of code. */
static char *
plain(const char *cell)
{
    g_auto(GStrv) parts = g_strsplit(cell, "`", -1);
    return g_strstrip(g_strjoinv("", parts));
}

/* What stands between marks of code in @cell. */
static char **
quoted(const char *cell)
{
    g_auto(GStrv) parts = g_strsplit(cell, "`", -1);
    GPtrArray *found = g_ptr_array_new();
    for (guint i = 0; parts[i] != NULL; i++)
        if (i % 2 == 1)
            g_ptr_array_add(found, g_strdup(parts[i]));
    g_ptr_array_add(found, NULL);
    return (char **)g_ptr_array_free(found, FALSE);
}

/* "| `tp` | meaning | values | range | default |". Other lines are no rows. */
static LpAttributeRow *
read_row(const char *line)
{
    g_auto(GStrv) cells = g_strsplit(line, "|", -1);
    /* Nothing stands before the first bar, nor behind the last. */
    if (!g_str_has_prefix(line, "| `") || g_strv_length(cells) != N_CELLS + 2)
        return NULL;
    LpAttributeRow *self = g_new0(LpAttributeRow, 1);
    self->name = plain(cells[1]);
    self->meaning = plain(cells[2]);
    self->values = plain(cells[3]);
    self->range = plain(cells[4]);
    self->fallback = plain(cells[5]);
    self->choices = quoted(cells[3]);
    return self;
}

GPtrArray *
lp_attribute_table_load(void)
{
    GPtrArray *rows = g_ptr_array_new_with_free_func(row_free);
    g_autoptr(GBytes) bytes = lp_file_read(DOCUMENT, NULL);
    g_assert(bytes != NULL);
    gsize length = 0;
    const char *content = g_bytes_get_data(bytes, &length);
    g_autofree char *text = g_strndup(content, length);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line != NULL; line++) {
        LpAttributeRow *row = read_row(*line);
        if (row != NULL && lp_attribute_find(row->name, NULL) != NULL)
            g_ptr_array_add(rows, row);
        else if (row != NULL)
            row_free(row);
    }
    return rows;
}

/* Appends @text in lines of a terminal's width, indented. */
static void
append_wrapped(GString *out, const char *text)
{
    g_auto(GStrv) words = g_strsplit(text, " ", -1);
    gsize column = 0;
    for (char **word = words; *word != NULL; word++) {
        gsize width = strlen(*word) + 1;
        if (column == 0 || column + width > LINE_WIDTH) {
            g_string_append(out, column == 0 ? "     " : "\n     ");
            column = strlen("     ");
        }
        g_string_append_printf(out, " %s", *word);
        column += width;
    }
    g_string_append_c(out, '\n');
}

char *
lp_attribute_table_to_text(const GPtrArray *rows)
{
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < rows->len; i++) {
        const LpAttributeRow *row = g_ptr_array_index(rows, i);
        g_string_append_printf(out, "%s: %s%s%s; default: %s\n", row->name, row->values,
                               *row->range != '\0' ? "; " : "", row->range, row->fallback);
        append_wrapped(out, row->meaning);
    }
    return g_string_free(out, FALSE);
}
