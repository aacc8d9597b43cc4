/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are no configuration: too large, missing, or mangled. */
#include "tests/workloads/huggingface_configs.h"

#include "base/error.h"
#include "tests/testlib.h"

#include <string.h>

/* What would be too much for the parser. */
static void
test_too_much(void)
{
    g_autofree char *deep = g_strnfill(100000, '[');
    g_autofree char *hidden = g_strconcat("{\"a\\\"\": \"[\", \"b\":", deep, NULL);
    g_autofree char *wide = g_strnfill(200000, ',');
    g_autofree char *big = g_strnfill((16u << 20) + 1, ' ');
    const struct {
        const char *label, *text;
        int code;
        const char *part;
    } rows[] = {
        {"deep", deep, LP_INPUT_ERROR_SYNTAX, "maximum parsing depth reached"},
        {"deep behind a text", hidden, LP_INPUT_ERROR_SYNTAX, "maximum parsing depth reached"},
        {"wide", wide, LP_INPUT_ERROR_SYNTAX, "unexpected token near ','"},
        {"big", big, LP_INPUT_ERROR_FILE, "got 16777217 bytes, wanted at most 16777216 (16 MiB)"}};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(LpImport) import = lp_config_import(rows[i].text, -1, &error);
        lp_test_true(rows[i].label, import == NULL);
        lp_test_error(rows[i].label, &error, LP_INPUT_ERROR, rows[i].code, rows[i].part);
    }
    g_autoptr(GError) error = NULL;
    g_autoptr(LpImport) missing = lp_huggingface_import("no-such.json", &error);
    lp_test_true("missing", missing == NULL);
    lp_test_error("missing", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_FILE, "no-such.json: ");
    g_autoptr(LpImport) folder = lp_huggingface_import("/", &error);
    lp_test_true("folder", folder == NULL);
    lp_test_error("folder", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_FILE, "/: ");
}

/* Any prefix, and any text with some bytes changed: an import or one line. */
static void
test_mangled(void)
{
    static const char *const texts[] = {LLAMA_2, QWEN3_MOE, DEEPSEEK_3, VIT, GPT_OSS};
    static const char bytes[] = "{}[]:,'\\0123456789-.eE tfn\n\x01\x80";
    g_autoptr(GRand) random = g_rand_new_with_seed(7);
    guint n_imports = 0;
    for (guint i = 0; i < 1500; i++) {
        const char *json = texts[i % G_N_ELEMENTS(texts)];
        g_autofree char *text = g_strdup(json);
        gint32 length = (gint32)strlen(text);
        if (i % 3 == 0)
            length = g_rand_int_range(random, 0, length);
        for (gint32 k = 0; k < (gint32)(i % 3) * 2; k++)
            text[g_rand_int_range(random, 0, length)] =
                bytes[g_rand_int_range(random, 0, (gint32)sizeof bytes - 1)];
        g_autoptr(GError) error = NULL;
        g_autoptr(LpImport) import = lp_config_import(text, length, &error);
        lp_test_true("an import or an error", (import == NULL) == (error != NULL));
        lp_test_true("one line", error == NULL || strchr(error->message, '\n') == NULL);
        n_imports += import != NULL ? 1 : 0;
    }
    lp_test_true("some of either", n_imports > 0 && n_imports < 1500);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"too much", test_too_much}, {"mangled", test_mangled}, {NULL, NULL}};
    return lp_test_run("config", cases);
}
