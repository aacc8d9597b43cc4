/* SPDX-License-Identifier: Apache-2.0 */
/* Published measurements (validation/published.csv) against the simulation, with one set of
 * constants for the accelerator: SC 2021, table 1, each within 10 %, and Korthikanti et al., table
 * 5, each within 8 % (Calculon's worst of these is 8.9 %: Isaev et al., SC 2023). */
#include "tests/sim/spawn.h"
#include "tests/testlib.h"

#include <glib/gstdio.h>

#include <string.h>

#define CASES "validation/published.csv"

static void
check_row(const char *line, double within)
{
    /* id, source, workload, accelerators, settings, quantity, measured */
    g_auto(GStrv) fields = g_strsplit(line, ",", -1);
    g_autofree char *options = g_strconcat("--system=dgx-a100 --accelerators=", fields[3], NULL);
    g_autofree char *platform = lp_spawn_platform(options);
    g_autofree char *command =
        g_strconcat("simulate ", fields[2], " ", platform, " --format=json", NULL);
    g_autoptr(GString) settings = g_string_new(NULL);
    g_auto(GStrv) words = g_strsplit(fields[4], " ", -1);
    for (guint i = 0; words[i] != NULL; i++)
        if (*words[i] != '\0')
            g_string_append_printf(settings, " --set=%s", words[i]);
    g_autoptr(JsonNode) result = lp_spawn_json(command, settings->str);
    g_autofree char *quantity = g_strconcat("simulated.", fields[5], NULL);
    lp_test_close(fields[0], lp_json_at(result, quantity), g_ascii_strtod(fields[6], NULL), within);
    (void)g_unlink(platform);
}

static void
check_source(const char *source, guint n_wanted, double within)
{
    g_autofree char *text = NULL;
    lp_test_true(CASES, g_file_get_contents(CASES, &text, NULL, NULL));
    if (text == NULL)
        return;
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    guint n = 0;
    for (guint i = 0; lines[i] != NULL; i++)
        if (strstr(lines[i], source) != NULL) {
            check_row(lines[i], within);
            n++;
        }
    lp_test_true(source, n == n_wanted);
}

static void
test_sc21(void)
{
    check_source(",sc21-table-1,", 10, 0.10);
}

static void
test_korthikanti(void)
{
    check_source(",korthikanti-table-5,", 8, 0.08);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"SC 2021", test_sc21}, {"Korthikanti", test_korthikanti}, {NULL, NULL}};
    return lp_test_run("published", cases);
}
