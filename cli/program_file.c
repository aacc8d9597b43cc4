/* SPDX-License-Identifier: Apache-2.0 */
/* Writes what a workload's ranks do as a program by hand. */
#include "cli/program_file.h"

#include "cli/inputs.h"
#include "cli/option_rows.h"
#include "cli/options.h"
#include "cli/output_paths.h"

#include "base/file.h"
#include "sim/mapping/setup.h"
#include "workloads/program/program_xml.h"
#include "workloads/program/training_program.h"

#include <string.h>

typedef struct {
    char *output, *framework, *plan; /* owned */
    char **settings;                 /* owned */
} Options;

static void
options_clear(Options *self)
{
    g_free(self->output);
    g_free(self->framework);
    g_free(self->plan);
    g_strfreev(self->settings);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

static gboolean
write_program(const Options *options, char **arguments, GError **error)
{
    LpPlanChoice plan;
    g_autoptr(LpWorkload) workload = NULL;
    g_autoptr(LpMachine) machine = NULL;
    if (!lp_plan_choice_parse(options->plan, FALSE, &plan, error) ||
        !lp_load_inputs(arguments[1], arguments[2], (const char *const *)options->settings, plan,
                        &workload, &machine, error))
        return FALSE;
    g_autoptr(LpSetup) setup = lp_setup_new(workload, machine, error);
    g_autoptr(LpProgram) program =
        setup == NULL ? NULL : lp_training_program_new(workload, &machine->accelerator, error);
    g_autofree char *text =
        program == NULL ? NULL
                        : lp_program_to_xml(program, workload, machine->accelerator.name, error);
    if (text == NULL)
        return FALSE;
    return options->output != NULL ? lp_file_write(options->output, text, strlen(text), error)
                                   : lp_print_result(text, error);
}

gboolean
lp_cmd_workload_program(int argc, char **argv, GError **error)
{
    g_auto(Options) options = {0};
    const GOptionEntry entries[] = {LP_ROW_SET(&options.settings),
                                    LP_ROW_FRAMEWORK(&options.framework),
                                    LP_ROW_PLAN(&options.plan),
                                    {"output", 'o', 0, G_OPTION_ARG_STRING, &options.output,
                                     "Write it there, and not to standard output", "FILE.xml"},
                                    {NULL, 0, 0, 0, NULL, NULL, NULL}};
    if (!lp_options_parse("workload program", "WORKLOAD PLATFORM",
                          "Writes what the ranks of a workload compute, send and reduce as a "
                          "program by hand, with the kernel times of the platform's accelerator.",
                          entries, &argc, &argv, 2, 2, error) ||
        !lp_settings_add_framework(&options.settings, options.framework, error))
        return FALSE;
    return lp_check_outputs(&(LpOutputPath){"--output", options.output, FALSE}, 1, argv + 1,
                            error) &&
           write_program(&options, argv, error);
}
