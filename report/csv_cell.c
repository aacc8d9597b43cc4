/* SPDX-License-Identifier: Apache-2.0 */
/* Writes cells, quoted where they have to be. */
#include "report/csv_cell.h"

#include <string.h>

static void
begin_cell(GString *text)
{
    if (text->str[text->len - 1] != '\n')
        g_string_append_c(text, ',');
}

void
lp_csv_add_text(GString *text, const char *value)
{
    begin_cell(text);
    if (value == NULL)
        return;
    if (strpbrk(value, ",\"\r\n") == NULL) {
        g_string_append(text, value);
        return;
    }
    g_string_append_c(text, '"');
    for (const char *at = value; *at != '\0'; at++)
        g_string_append_printf(text, *at == '"' ? "\"\"" : "%c", *at);
    g_string_append_c(text, '"');
}

void
lp_csv_add_number(GString *text, double value)
{
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    begin_cell(text);
    g_string_append(text, g_ascii_formatd(digits, sizeof digits, "%.17g", value + 0.0));
}

void
lp_csv_add_count(GString *text, guint64 value)
{
    begin_cell(text);
    g_string_append_printf(text, "%" G_GUINT64_FORMAT, value);
}
