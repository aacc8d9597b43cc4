/* SPDX-License-Identifier: Apache-2.0 */
/* Calls the command's own function, with its standard output in memory. */
#include "cli/study_point.h"

#include "base/error.h"
#include "base/file.h"
#include "cli/command_output.h"
#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/progress.h"
#include "cli/machine_variant.h"
#include "study/study_run.h"

#include <string.h>

/* The commands of the table in study/study.c. */
static const struct {
    const char *name;
    gboolean (*function)(int argc, char **argv, GError **error);
} commands[] = {{"simulate", lp_cmd_simulate},         {"estimate", lp_cmd_estimate},
                {"contention", lp_cmd_contention},     {"goodput", lp_cmd_goodput},
                {"characterize", lp_cmd_characterize}, {"collective", lp_cmd_collective}};

/* --- in the child --- */

static gboolean
run_command(const char *const *words, GError **error)
{
    g_autoptr(GPtrArray) line = g_ptr_array_new();
    for (; *words != NULL; words++)
        g_ptr_array_add(line, (gpointer)(guintptr)*words);
    static char format[] = "--format=json";
    g_ptr_array_add(line, format);
    g_ptr_array_add(line, NULL);
    for (guint i = 0; i < G_N_ELEMENTS(commands); i++)
        if (strcmp(commands[i].name, line->pdata[0]) == 0)
            return commands[i].function((int)line->len - 1, (char **)line->pdata, error);
    return lp_value_error(error, "got the command %s, wanted one that studies have",
                          (const char *)line->pdata[0]);
}

gboolean
lp_study_point_run(const void *data, GByteArray *result, GError **error)
{
    int output = lp_command_output_begin(NULL);
    lp_progress_send_to_parent();
    /* A child that leaves nothing has crashed, since memory is short. */
    return output >= 0 && run_command(data, error) &&
           lp_command_output_take(output, result, NULL) && result->len > 0;
}

/* --- in the parent --- */

void
lp_study_point_warm(const char *const *words)
{
    g_autoptr(GString) machine = g_string_new(NULL);
    for (const char *const *word = words + 2; *word != NULL; word++)
        if (!g_str_has_prefix(*word, "--set="))
            g_string_append_printf(machine, "%s%s", machine->len > 0 ? " " : "", *word);
    /* What is wrong with them is each point's own matter. */
    g_autoptr(LpWorkload) workload = NULL;
    g_autoptr(LpMachine) made = NULL;
    if (!lp_load_inputs(words[1], machine->str, NULL, LP_PLAN_FILE, &workload, &made, NULL))
        return;
}

char *
lp_study_point_machine_options(const char *name, GError **error)
{
    static const char command[] = "lightpath platform generate ";
    g_autoptr(LpMachine) machine = lp_input_load_machine(name, error);
    g_autoptr(LpMachine) again =
        machine != NULL ? lp_machine_variant_new(machine, (const char *const[]){NULL}, error)
                        : NULL;
    return again != NULL ? g_strdup(machine->generated_by + strlen(command)) : NULL;
}
