/* SPDX-License-Identifier: Apache-2.0 */
/* Writes what a workload's ranks do as a program by hand. */
#include "cli/program_file.h"

#include "cli/option_rows.h"
#include "cli/options.h"
#include "cli/output_paths.h"
#include "cli/program_input.h"

#include "base/file.h"
#include "workloads/program/program_xml.h"

#include <string.h>

typedef struct {
    LpPlanArguments plan;
    char *output; /* owned */
} Options;

static void
options_clear(Options *self)
{
    lp_plan_arguments_clear(&self->plan);
    g_free(self->output);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

static gboolean
write_program(const Options *options, char **arguments, GError **error)
{
    g_autoptr(LpWorkload) workload = NULL;
    g_autoptr(LpMachine) machine = NULL;
    g_autoptr(LpProgram) program = lp_program_input_load(&options->plan, arguments[1], arguments[2],
                                                         &workload, &machine, error);
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
    const GOptionEntry entries[] = {LP_ROW_SET(&options.plan.settings),
                                    LP_ROW_FRAMEWORK(&options.plan.framework),
                                    LP_ROW_PLAN(&options.plan.plan),
                                    {"output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output,
                                     "Write it there, and not to standard output", "FILE.xml"},
                                    {NULL, 0, 0, 0, NULL, NULL, NULL}};
    if (!lp_options_parse("workload program", "WORKLOAD PLATFORM",
                          "Writes what the ranks of a workload compute, send and reduce as a "
                          "program by hand, with the kernel times of the platform's accelerator.",
                          entries, &argc, &argv, 2, 2, error) ||
        !lp_plan_arguments_read(&options.plan, error))
        return FALSE;
    g_autofree char **inputs = lp_inputs(argv + 1, options.plan.settings);
    return lp_check_outputs(&(LpOutputPath){"--output", options.output, FALSE}, 1, inputs, error) &&
           write_program(&options, argv, error);
}
