/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/workloads/huggingface_configs.h"

#include "tests/support/temporary.h"
#include "tests/testlib.h"

#include <string.h>

char *
lp_config_write(const char *json, gssize length)
{
    g_autofree char *text = g_strdup(json);
    return lp_temporary_with_suffix(".json", g_strdelimit(text, "'", '"'), length);
}

LpImport *
lp_config_import(const char *json, gssize length, GError **error)
{
    char *path = lp_config_write(json, length);
    LpImport *import = lp_huggingface_import(path, error);
    if (error != NULL && *error != NULL) {
        lp_test_true((*error)->message, g_str_has_prefix((*error)->message, path));
        g_autofree char *rest = g_strconcat("FILE", (*error)->message + strlen(path), NULL);
        g_free((*error)->message);
        (*error)->message = g_steal_pointer(&rest);
    }
    lp_temporary_remove(path);
    return import;
}

char *
lp_config_rest(const LpImport *import)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < import->rest->len; i++) {
        const LpImportRest *rest = g_ptr_array_index(import->rest, i);
        g_string_append_printf(text, "%s%s", i > 0 ? " " : "", rest->key);
    }
    return g_string_free(text, FALSE);
}

char *
lp_config_edited(const char *json, const char *from, const char *to)
{
    g_auto(GStrv) parts = g_strsplit(json, from, 2);
    lp_test_true(from, g_strv_length(parts) == 2);
    return g_strjoinv(to, parts);
}
