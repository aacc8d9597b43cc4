/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/workloads/configurations.h"

#include "tests/testlib.h"

#include <glib/gstdio.h>

#include <string.h>

char *
lp_configuration_write(const char *json, gssize length)
{
    char *path = NULL;
    int file = g_file_open_tmp("lightpath-test-XXXXXX.json", &path, NULL);
    lp_test_true("temporary file", file >= 0 && g_close(file, NULL));
    g_autofree char *text = g_strdup(json);
    lp_test_true("write", g_file_set_contents(path, g_strdelimit(text, "'", '"'), length, NULL));
    return path;
}

LpImport *
lp_configuration_import(const char *json, gssize length, GError **error)
{
    g_autofree char *path = lp_configuration_write(json, length);
    LpImport *import = lp_huggingface_import(path, error);
    (void)g_unlink(path);
    if (error != NULL && *error != NULL) {
        lp_test_true((*error)->message, g_str_has_prefix((*error)->message, path));
        g_autofree char *rest = g_strconcat("FILE", (*error)->message + strlen(path), NULL);
        g_free((*error)->message);
        (*error)->message = g_steal_pointer(&rest);
    }
    return import;
}

char *
lp_configuration_edit(const char *json, const char *from, const char *to)
{
    g_auto(GStrv) parts = g_strsplit(json, from, 2);
    lp_test_true(from, g_strv_length(parts) == 2);
    return g_strjoinv(to, parts);
}
