/* SPDX-License-Identifier: Apache-2.0 */
/* Published measurements of collectives (validation/collectives.csv) against the libraries' choices
 * and protocols on generated machines: each within 15 %. */
#include "tests/sim/spawn.h"
#include "tests/testlib.h"

#include <glib/gstdio.h>

#include <string.h>

#define CASES "validation/collectives.csv"
#define N_CASES 18u
#define WITHIN 0.15

/* The first run of a command's "runs". */
static JsonNode *
first_run(JsonNode *result)
{
    JsonArray *runs = json_object_get_array_member(json_node_get_object(result), "runs");
    return json_array_get_element(runs, 0);
}

static void
check_row(const char *line)
{
    /* id, source, operation, generate, collective, bytes, quantity, measured */
    g_auto(GStrv) fields = g_strsplit(line, ",", -1);
    lp_test_true(line, g_strv_length(fields) == 8);
    if (g_strv_length(fields) != 8)
        return;
    g_autofree char *platform = lp_spawn_platform(fields[3]);
    g_autofree char *command =
        g_strdup_printf("collective %s %s --library=auto --bytes=%sB --format=json", fields[2],
                        platform, fields[5]);
    g_autoptr(JsonNode) result = lp_spawn_json(command, fields[4]);
    (void)g_unlink(platform);
    if (result == NULL)
        return;
    gboolean is_time = strcmp(fields[6], "time_us") == 0;
    double value = is_time ? lp_json_at(first_run(result), "time_s") * 1e6
                           : lp_json_at(first_run(result), "bus_bytes_per_s") * 1e-9;
    lp_test_close(fields[0], value, g_ascii_strtod(fields[7], NULL), WITHIN);
}

static void
test_rows(void)
{
    g_autofree char *text = NULL;
    lp_test_true(CASES, g_file_get_contents(CASES, &text, NULL, NULL));
    if (text == NULL)
        return;
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    guint n = 0;
    for (guint i = 1; lines[0] != NULL && lines[i] != NULL; i++)
        if (*lines[i] != '\0') {
            check_row(lines[i]);
            n++;
        }
    lp_test_true("number of rows", n == N_CASES);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"published", test_rows}, {NULL, NULL}};
    return lp_test_run("collectives", cases);
}
