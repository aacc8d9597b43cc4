/* SPDX-License-Identifier: Apache-2.0 */
/* Algorithms of MSCCL become lists of steps. */
#include "cli/import_steps.h"

#include "cli/options.h"
#include "cli/output_paths.h"

#include "base/file.h"
#include "workloads/given/msccl.h"
#include "workloads/given/step_writer.h"

#include <string.h>

static gboolean
import_file(const char *path, const char *output, GError **error)
{
    g_autoptr(LpStepList) list = lp_msccl_read(path, error);
    if (list == NULL)
        return FALSE;
    g_autofree char *xml = lp_step_list_to_xml(list, "an algorithm of MSCCL, in rounds");
    if (output == NULL || strcmp(output, "-") == 0)
        return lp_print_result(xml, error);
    g_autoptr(GError) fault = NULL;
    gboolean is_written = lp_file_write(output, xml, strlen(xml), &fault);
    g_autofree char *text = g_strdup_printf(
        "algorithm   %s\nfile        %s\noperation   %s of %u ranks, %u chunks\nsteps       %u\n"
        "sends       %u\n",
        list->name, output, lp_collective_names[list->collective], list->n_ranks, list->n_chunks,
        list->n_steps, list->n_sends);
    return lp_outputs_join(lp_print_result(text, error), is_written, &fault, error);
}

gboolean
lp_cmd_import_steps(int argc, char **argv, GError **error)
{
    g_autofree char *output = NULL;
    const GOptionEntry entries[] = {{"output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
                                     "Where to write the steps (default standard output)",
                                     "STEPS.xml"},
                                    {NULL, 0, 0, 0, NULL, NULL, NULL}};
    if (!lp_options_parse("import msccl", "FILE.xml",
                          "Makes a list of steps of an algorithm of MSCCL.", entries, &argc, &argv,
                          1, 1, error))
        return FALSE;
    const LpOutputPath written = {"-o", output != NULL && strcmp(output, "-") != 0 ? output : NULL,
                                  FALSE};
    return lp_check_outputs(&written, 1, argv + 1, error) && import_file(argv[1], output, error);
}
