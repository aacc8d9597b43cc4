/* SPDX-License-Identifier: Apache-2.0 */
/* Tables by libsmartcols, set so that the output depends on the cells alone. */
#include "base/text_table.h"

#include <libsmartcols.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

struct LpTextTable {
    struct libscols_table *table; /* owned */
    struct libscols_line *row;    /* borrowed from table: the last one, or NULL */
    gsize n_cells;                /* filled in the last row */
};

LpTextTable *
lp_text_table_new(const char *const *columns)
{
    gboolean has_headings = FALSE;
    LpTextTable *self = g_new0(LpTextTable, 1);
    self->table = scols_new_table();
    g_assert(self->table != NULL);
    /* Neither the terminal's width nor its colours. */
    scols_table_set_termforce(self->table, SCOLS_TERMFORCE_NEVER);
    scols_table_set_column_separator(self->table, "  ");
    for (; *columns != NULL; columns++) {
        gboolean is_number = **columns == '#';
        const char *heading = *columns + is_number;
        has_headings = has_headings || *heading != '\0';
        scols_table_new_column(self->table, heading, 0, is_number ? SCOLS_FL_RIGHT : 0);
    }
    scols_table_enable_noheadings(self->table, !has_headings);
    return self;
}

void
lp_text_table_free(LpTextTable *self)
{
    if (self == NULL)
        return;
    scols_unref_table(self->table);
    g_free(self);
}

void
lp_text_table_add_row(LpTextTable *self)
{
    self->row = scols_table_new_line(self->table, NULL);
    g_assert(self->row != NULL);
    self->n_cells = 0;
}

/* A sum that rounds to nothing has no sign. */
static const char *
without_sign_of_nothing(const char *text)
{
    return text[0] == '-' && text[1] == '0' && strspn(text + 1, "0.") == strlen(text + 1) ? text + 1
                                                                                          : text;
}

void
lp_text_table_add_cell(LpTextTable *self, const char *format, ...)
{
    g_return_if_fail(self->row != NULL && self->n_cells < scols_table_get_ncols(self->table));
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    int failed = scols_line_set_data(self->row, self->n_cells++, without_sign_of_nothing(text));
    g_assert(failed == 0);
}

void
lp_text_table_add_quantity(LpTextTable *self, LpQuantity quantity, double value)
{
    g_autofree char *text = lp_quantity_format(quantity, value);
    lp_text_table_add_cell(self, "%s", text);
}

/* Prints the table as UTF-8, since a table is to be the same in any locale, which decides about
 * printable characters and their width. Returns: to be freed. */
static char *
print_as_utf8(struct libscols_table *table)
{
    char *text = NULL;
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    locale_t before = utf8 != (locale_t)0 ? uselocale(utf8) : (locale_t)0;
    int failed = scols_print_table_to_string(table, &text);
    g_assert(failed == 0);
    if (utf8 != (locale_t)0) {
        (void)uselocale(before);
        freelocale(utf8);
    }
    return text;
}

void
lp_text_table_append(GString *out, const LpTextTable *self, guint indent)
{
    if (scols_table_get_nlines(self->table) == 0)
        return;
    char *text = print_as_utf8(self->table);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    free(text);
    for (guint i = 0; lines[i] != NULL; i++)
        if (lines[i + 1] != NULL || *lines[i] != '\0')
            g_string_append_printf(out, "%*s%s\n", (int)indent, "", g_strchomp(lines[i]));
}
