/* SPDX-License-Identifier: Apache-2.0 */
/* A fixed subset of the published steps (validation/training.csv) by "validate", with one set of
 * constants for the accelerator: SC 2021, table 1, and Korthikanti et al., table 5. No error is
 * larger than Calculon's worst on the latter, 8.9 % (Isaev et al., SC 2023), and the mean of each
 * source is at most 5 %. */
#include "tests/support/spawn.h"
#include "tests/testlib.h"
#include "tests/support/temporary.h"

#include <math.h>
#include <string.h>

#define CASES "validation/training.csv"
#define WORST 0.089
#define MEAN 0.05

static const char *const rows[] = {
    "sc21-1-1.7b",
    "sc21-1-3.6b",
    "sc21-1-7.5b",
    "sc21-1-18b",
    "sc21-1-39b",
    "sc21-1-76b",
    "sc21-1-145b",
    "sc21-1-310b",
    "sc21-1-530b",
    "sc21-1-1t",
    "korthikanti-22b-full",
    "korthikanti-22b-selective",
    "korthikanti-175b-full",
    "korthikanti-175b-selective",
    "korthikanti-530b-full",
    "korthikanti-530b-selective",
    "korthikanti-1t-full",
    "korthikanti-1t-selective",
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
        g_autofree char *start = g_strconcat(rows[i], ",", NULL);
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
        g_autofree char *label = g_strdup_printf("%s: %+.2f %%", rows[i], 100.0 * error);
        lp_test_text(rows[i], json_string_value(json_object_get(row, "id")), rows[i]);
        lp_test_text(rows[i], json_string_value(json_object_get(row, "status")), "ok");
        lp_test_true(label, fabs(error) <= WORST);
    }
    json_t *sources = json_object_get(result, "sources");
    lp_test_true("both sources", json_array_size(sources) == 2);
    for (guint i = 0; i < json_array_size(sources); i++) {
        json_t *source = json_array_get(sources, i);
        lp_test_true(json_string_value(json_object_get(source, "source")),
                     lp_json_at(source, "mean_absolute_error") <= MEAN);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"rows", test_rows}, {NULL, NULL}};
    return lp_test_run("published", cases);
}
