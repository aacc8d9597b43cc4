/* SPDX-License-Identifier: Apache-2.0 */
/* Published measurements (validation/published.csv, table 1): each within 10 % of the simulation,
 * with one set of constants for the accelerator. */
#include "tests/sim/spawn.h"
#include "tests/testlib.h"

#include <glib/gstdio.h>

#include <string.h>

#define CASES "validation/published.csv"
#define WITHIN 0.10

static void
check_row(const char *line)
{
    /* id, source, workload, accelerators, settings, quantity, measured */
    g_auto(GStrv) fields = g_strsplit(line, ",", -1);
    g_autofree char *options = g_strconcat("--system=dgx-a100 --accelerators=", fields[3], NULL);
    g_autofree char *platform = lp_spawn_platform(options);
    g_autofree char *command =
        g_strconcat("simulate ", fields[2], " ", platform, " --format=json", NULL);
    g_autoptr(JsonNode) result = lp_spawn_json(command, NULL);
    lp_test_close(fields[0], lp_json_at(result, "simulated.hardware_tflops_per_accelerator"),
                  g_ascii_strtod(fields[6], NULL), WITHIN);
    (void)g_unlink(platform);
}

static void
test_table_1(void)
{
    g_autofree char *text = NULL;
    lp_test_true(CASES, g_file_get_contents(CASES, &text, NULL, NULL));
    if (text == NULL)
        return;
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    guint n = 0;
    for (guint i = 0; lines[i] != NULL; i++)
        if (strstr(lines[i], ",sc21-table-1,") != NULL) {
            check_row(lines[i]);
            n++;
        }
    lp_test_true("ten rows", n == 10);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"table 1", test_table_1}, {NULL, NULL}};
    return lp_test_run("published", cases);
}
