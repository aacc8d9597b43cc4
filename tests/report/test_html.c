/* SPDX-License-Identifier: Apache-2.0 */
/* Text of others inside a page: between tags, in scripts, in data; and the library of plots. */
#include "report/html.h"

#include "base/error.h"
#include "report/vega.h"
#include "tests/testlib.h"

#include <glib/gstdio.h>

#include <string.h>

static void
test_text(void)
{
    static const struct {
        const char *label, *text, *wanted;
    } rows[] = {
        {"nothing", "", ""},
        {"plain", "GPT 1.7B, 10 %", "GPT 1.7B, 10 %"},
        {"element", "</script><b>", "&lt;/script&gt;&lt;b&gt;"},
        {"attribute", "\" onclick='x'", "&quot; onclick=&#39;x&#39;"},
        {"entity", "a &amp; b", "a &amp;amp; b"},
        {"comment", "<!-- -->", "&lt;!-- --&gt;"},
        {"control characters", "a\nb\tc\033[0m", "a b c [0m"},
        {"beyond ASCII", "\xc3\xa9", "\xc3\xa9"},
        {"not UTF-8", "a\xff", "a\xef\xbf\xbd"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GString) page = g_string_new(NULL);
        lp_html_add_text(page, rows[i].text);
        lp_test_text(rows[i].label, page->str, rows[i].wanted);
    }
}

static void
test_cells(void)
{
    g_autoptr(GString) page = g_string_new(NULL);
    lp_html_cell_text(page, "", "a < b");
    lp_html_cell_text(page, "plan", "c");
    lp_html_cell_number(page, "n", -0.0, "0 %");
    lp_html_cell_number(page, "n", 1.0 / 3.0, "33 %");
    lp_test_text("cells", page->str,
                 "<td>a &lt; b</td><td class=\"plan\">c</td><td class=\"n\" data-v=\"0\">0 %</td>"
                 "<td class=\"n\" data-v=\"0.333333\">33 %</td>");
}

/* What is read back is what was put in, and nothing of it can end the element. */
static void
test_json(void)
{
    static const char *const texts[] = {"</script><b>", "<!--<script>", "a && b > c", "\"\\\"", "",
                                        "1e+18.0"};
    for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autoptr(json_t) node = json_string(texts[i]);
        g_autofree char *json = lp_html_json(node);
        lp_test_true(texts[i], strpbrk(json, "<>&") == NULL);
        g_autoptr(json_t) back = json_loads(json, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);
        lp_test_text(texts[i], back != NULL ? json_string_value(back) : "(no JSON)", texts[i]);
    }
}

static void
test_script(void)
{
    g_autofree char *script =
        lp_html_script("a = '</script>' + \"</SCRIPT \" + '<!--'; b = c </d/;");
    lp_test_text("script", script, "a = '<\\/script>' + \"<\\/SCRIPT \" + '<\\!--'; b = c </d/;");
}

static void
test_vega_missing(void)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *script = lp_vega_load("/nonexistent", &error);
    lp_test_true("no script", script == NULL);
    lp_test_error("no such folder", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_FILE,
                  "Debian's package libjs-vega: /nonexistent/vega-util.min.js: ");
}

/* Each module stands in the script once, under the name by which others ask for it, without the
 * line for debuggers. */
static void
test_vega_modules(void)
{
    static const char *const names[] = {
        "util",       "format",    "time",           "canvas",     "loader",
        "statistics", "dataflow",  "scale",          "scenegraph", "expression",
        "selection",  "functions", "event-selector", "transforms", "view-transforms",
        "encode",     "runtime",   "view",           "parser"};
    g_autoptr(GError) error = NULL;
    g_autofree char *folder = g_dir_make_tmp("lightpath-XXXXXX", &error);
    lp_test_true("folder", folder != NULL);
    for (guint i = 0; folder != NULL && i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = g_strdup_printf("%s/vega-%s.min.js", folder, names[i]);
        g_autofree char *text = g_strdup_printf("define([], %u);\n//# sourceMappingURL=x.map\n", i);
        lp_test_true(path, g_file_set_contents(path, text, -1, NULL));
    }
    g_autofree char *script = lp_vega_load(folder, &error);
    lp_test_text("fault", error != NULL ? error->message : "", "");
    for (guint i = 0; script != NULL && i < G_N_ELEMENTS(names); i++) {
        const char *name = strcmp(names[i], "selection") == 0 ? "selections" : names[i];
        g_autofree char *wanted = g_strdup_printf(
            "take(\"vega-%s\", function (define) {\ndefine([], %u);\n});\n", name, i);
        lp_test_true(wanted, strstr(script, wanted) != NULL);
    }
    lp_test_true("terms", script != NULL && strstr(script, "Redistribution and use") != NULL);
    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = g_strdup_printf("%s/vega-%s.min.js", folder, names[i]);
        (void)g_unlink(path);
    }
    (void)g_rmdir(folder);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"text is escaped", test_text},
        {"cells of tables", test_cells},
        {"JSON in a script element", test_json},
        {"scripts in a script element", test_script},
        {"a library that is not there", test_vega_missing},
        {"a library put together", test_vega_modules},
        {NULL, NULL},
    };
    return lp_test_run("html", cases);
}
