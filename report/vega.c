/* SPDX-License-Identifier: Apache-2.0 */
/* Puts Vega together from Debian's modules. libjs-vega has no bundle of all of Vega: it has a
 * module a file, with what it uses of d3 compiled in, and each overwrites the global "vega" of
 * those before when it is loaded by itself. They are asynchronous modules too (AMD), so that a
 * define() of a few lines, report/page/modules.js, gives each those that it asks for. */
#include "report/vega.h"

#include "base/error.h"
#include "base/file.h"
#include "report/embedded.h"

#include <string.h>

/* Each after those that it needs. Maps, forests, word clouds and statistics of regression, which no
 * plot of ours uses, are left out. */
static const char *const modules[] = {
    "util",       "format",    "time",           "canvas",     "loader",
    "statistics", "dataflow",  "scale",          "scenegraph", "expression",
    "selection",  "functions", "event-selector", "transforms", "view-transforms",
    "encode",     "runtime",   "view",           "parser"};

/* The terms under which Vega and the parts of d3 in it may be passed on ask for their notices. */
static const char notice[] = "/* Vega, https://vega.github.io. Copyright 2015-2021 University of "
                             "Washington Interactive Data\n"
                             " * Lab; with parts of d3, copyright 2010-2022 Mike Bostock, and of "
                             "Esprima, copyright 2012-2013\n"
                             " * Ariya Hidayat and others.\n"
                             " *\n";

const char *
lp_vega_folder(void)
{
    return LP_VEGA_INSTALLED;
}

/* Without the line that names a file for debuggers. */
static void
add_module(GString *script, const char *name, const char *text, gsize length)
{
    const char *map = g_strrstr_len(text, (gssize)length, "\n//# sourceMappingURL=");
    /* One file goes by another name than those say that need it. */
    const char *known = strcmp(name, "selection") == 0 ? "selections" : name;
    g_string_append_printf(script, "take(\"vega-%s\", function (define) {\n", known);
    g_string_append_len(script, text, map != NULL ? map - text : (gssize)length);
    g_string_append(script, "\n});\n");
}

static gboolean
add_modules(GString *script, const char *folder, GError **error)
{
    for (guint i = 0; i < G_N_ELEMENTS(modules); i++) {
        g_autofree char *name = g_strconcat("vega-", modules[i], ".min.js", NULL);
        g_autofree char *path = g_build_filename(folder, name, NULL);
        g_autoptr(GBytes) bytes = lp_file_read(path, error);
        if (bytes == NULL) {
            g_prefix_error(error, "the page's plots are drawn by Vega, of Debian's package "
                                  "libjs-vega: ");
            return FALSE;
        }
        gsize length;
        const char *text = g_bytes_get_data(bytes, &length);
        add_module(script, modules[i], text, length);
    }
    return TRUE;
}

char *
lp_vega_load(const char *folder, GError **error)
{
    g_autoptr(GString) script = g_string_new(notice);
    lp_embedded_append(script, "vega-licence.txt");
    g_string_append(script, " */\n");
    lp_embedded_append(script, "modules.js");
    if (!add_modules(script, folder, error))
        return NULL;
    /* What Vega's own bundle does with its modules. */
    g_string_append(
        script,
        "Object.assign(modules[\"vega-dataflow\"].transforms, modules[\"vega-transforms\"],\n"
        "              modules[\"vega-view-transforms\"], modules[\"vega-encode\"]);\n"
        "const vega = {View: modules[\"vega-view\"].View,\n"
        "              parse: modules[\"vega-parser\"].parse};\n");
    return g_string_free(g_steal_pointer(&script), FALSE);
}
