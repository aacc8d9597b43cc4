/* SPDX-License-Identifier: Apache-2.0 */
/* A fixed subset of the published steps (validation/training.csv) by "validate", with one set of
 * constants for the accelerator: SC 2021, table 1, and Korthikanti et al., table 5. Each row has
 * the error that it has reached, in per cent, and may be off by half a point more. For comparison,
 * Calculon's worst of the latter is 8.9 % (Isaev et al., SC 2023). */
#include "tests/support/spawn.h"
#include "tests/testlib.h"
#include "tests/support/temporary.h"

#include <math.h>
#include <string.h>

#define CASES "validation/training.csv"
#define SLACK 0.005

static const struct {
    const char *id;
    double reached; /* per cent */
} rows[] = {
    {"sc21-1-1.7b", -5.8},
    {"sc21-1-3.6b", -4.4},
    {"sc21-1-7.5b", -2.1},
    {"sc21-1-18b", 0.6},
    {"sc21-1-39b", 1.1},
    {"sc21-1-76b", -5.8},
    {"sc21-1-145b", -1.7},
    {"sc21-1-310b", -2.3},
    {"sc21-1-530b", -3.9},
    {"sc21-1-1t", -1.8},
    {"korthikanti-22b-full", 8.2},
    {"korthikanti-22b-selective", -1.3},
    {"korthikanti-175b-full", 11.7},
    {"korthikanti-175b-selective", 6.8},
    {"korthikanti-530b-full", 5.3},
    {"korthikanti-530b-selective", 1.1},
    {"korthikanti-1t-full", 6.4},
    {"korthikanti-1t-selective", 5.2},
};

/* The header and the rows of the table above, in its order. Returns: (transfer full), or NULL. */
static char *
subset(void)
{
    g_autofree char *text = NULL;
    if (!g_file_get_contents(CASES, &text, NULL, NULL))
        return NULL;
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    GString *kept = g_string_new(lines[0]);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *start = g_strconcat(rows[i].id, ",", NULL);
        for (guint k = 1; lines[k] != NULL; k++)
            if (g_str_has_prefix(lines[k], start))
                g_string_append_printf(kept, "\n%s", lines[k]);
    }
    return g_string_free(g_string_append_c(kept, '\n'), FALSE);
}

static void
test_rows(void)
{
    g_autofree char *text = subset();
    lp_test_true(CASES, text != NULL);
    if (text == NULL)
        return;
    char *path = lp_temporary_file(text, -1);
    g_autofree char *line = g_strconcat("validate --format=json --cases=", path, NULL);
    g_autoptr(json_t) result = lp_spawn_json(line, NULL);
    lp_temporary_remove(path);
    if (result == NULL)
        return;
    json_t *got = json_object_get(result, "rows");
    lp_test_true("all rows", json_array_size(got) == G_N_ELEMENTS(rows));
    for (guint i = 0; i < MIN(json_array_size(got), G_N_ELEMENTS(rows)); i++) {
        json_t *row = json_array_get(got, i);
        double error = json_number_value(json_object_get(row, "error"));
        g_autofree char *label = g_strdup_printf("%s: %+.2f %%, it was %+.1f %%", rows[i].id,
                                                 100.0 * error, rows[i].reached);
        lp_test_text(rows[i].id, json_string_value(json_object_get(row, "id")), rows[i].id);
        lp_test_text(rows[i].id, json_string_value(json_object_get(row, "status")), "ok");
        lp_test_true(label, fabs(error) <= fabs(rows[i].reached) / 100.0 + SLACK);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"rows", test_rows}, {NULL, NULL}};
    return lp_test_run("published", cases);
}
