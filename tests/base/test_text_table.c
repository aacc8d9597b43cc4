/* SPDX-License-Identifier: Apache-2.0 */
/* Tables are as wide as their cells, in any locale and on any terminal. */
#include "base/text_table.h"

#include "tests/testlib.h"

#include <locale.h>
#include <string.h>

static char *
print(const LpTextTable *table, guint indent)
{
    GString *out = g_string_new("before\n");
    lp_text_table_append(out, table, indent);
    return g_string_free(out, FALSE);
}

static LpTextTable *
make_table(void)
{
    static const char *const columns[] = {"name", "#value", "where", NULL};
    LpTextTable *table = lp_text_table_new(columns);
    lp_text_table_add_row(table);
    lp_text_table_add_cell(table, "%s", "caf\u00e9");
    lp_text_table_add_cell(table, "%.2f", 12.5);
    lp_text_table_add_cell(table, "%s", "here and there");
    lp_text_table_add_row(table);
    lp_text_table_add_cell(table, "%s", "  long name");
    lp_text_table_add_cell(table, "%d", -7);
    return table;
}

static const char wanted[] = "before\n"
                             "  name         value  where\n"
                             "  caf\u00e9         12.50  here and there\n"
                             "    long name     -7\n";

static void
test_locales(void)
{
    static const char *const locales[] = {"C", "C.UTF-8"};
    g_autoptr(LpTextTable) table = make_table();
    for (guint i = 0; i < G_N_ELEMENTS(locales); i++) {
        (void)setlocale(LC_CTYPE, locales[i]);
        g_setenv("COLUMNS", "10", TRUE);
        g_autofree char *text = print(table, 2);
        lp_test_text(locales[i], text, wanted);
    }
}

static void
test_odd_cells(void)
{
    static const char *const columns[] = {"", "#", NULL};
    g_autoptr(LpTextTable) table = lp_text_table_new(columns);
    g_autofree char *empty = print(table, 0);
    lp_test_text("no rows", empty, "before\n");
    g_autofree char *wide = g_strnfill(300, 'x');
    lp_text_table_add_row(table);
    lp_text_table_add_cell(table, "%s", "a\nb\tc\xff");
    lp_text_table_add_cell(table, "%s", "1");
    lp_text_table_add_row(table);
    lp_text_table_add_cell(table, "%s", wide);
    g_autofree char *text = print(table, 0);
    lp_test_true("control characters", strstr(text, "before\na\\x0ab\\x09c\\xff ") == text);
    lp_test_true("nothing is cut", strstr(text, wide) != NULL);
    lp_test_true("two lines", g_str_has_suffix(text, "x\n"));
}

static void
test_nothing(void)
{
    static const char *const columns[] = {"#value", NULL};
    g_autoptr(LpTextTable) table = lp_text_table_new(columns);
    static const double values[] = {-1e-12, 1e-12, -0.0006, -0.4};
    for (guint i = 0; i < G_N_ELEMENTS(values); i++) {
        lp_text_table_add_row(table);
        lp_text_table_add_cell(table, "%.3f", values[i]);
    }
    g_autofree char *text = print(table, 0);
    lp_test_text("signs", text, "before\n value\n 0.000\n 0.000\n-0.001\n-0.400\n");
}

int
main(void)
{
    static const LpTestCase cases[] = {{"locales", test_locales},
                                       {"odd cells", test_odd_cells},
                                       {"nothing", test_nothing},
                                       {NULL, NULL}};
    return lp_test_run("text_table", cases);
}
