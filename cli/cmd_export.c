/* SPDX-License-Identifier: Apache-2.0 */
/* lightpath export: workloads and programs as traces for other tools. */
#include "cli/commands.h"
#include "cli/option_rows.h"
#include "cli/options.h"
#include "cli/program_input.h"

#include "base/folder.h"
#include "base/units.h"
#include "workloads/traces/chakra.h"
#include "workloads/traces/chakra_index.h"
#include "workloads/traces/goal.h"
#include "workloads/traces/program_trace.h"
#include "workloads/traces/ti.h"

#include <string.h>

typedef struct {
    LpPlanArguments plan;
    char *output; /* owned */
    gboolean collapse;
} Options;

static void
options_clear(Options *self)
{
    lp_plan_arguments_clear(&self->plan);
    g_free(self->output);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

/* --- formats --- */

/* Files of a folder. */
typedef struct {
    GPtrArray *names; /* owned texts */
    GPtrArray *texts; /* owned: GBytes */
} Files;

static void
files_clear(Files *self)
{
    g_ptr_array_unref(self->names);
    g_ptr_array_unref(self->texts);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Files, files_clear)

static void
add_file(Files *self, char *name, GBytes *text)
{
    g_ptr_array_add(self->names, name);
    g_ptr_array_add(self->texts, text);
}

static void
write_chakra(const LpTrace *trace, gboolean collapse, Files *files)
{
    for (guint32 rank = 0; rank < trace->ranks->len; rank++)
        if (lp_trace_rank(trace, rank)->like == rank)
            add_file(files, lp_chakra_file_name(rank),
                     g_byte_array_free_to_bytes(lp_chakra_write(trace, rank)));
    char *groups = lp_chakra_groups(trace);
    add_file(files, g_strdup("groups.json"), g_bytes_new_take(groups, strlen(groups)));
    if (collapse) {
        char *index = lp_chakra_index_write(trace);
        add_file(files, g_strdup("classes.json"), g_bytes_new_take(index, strlen(index)));
    }
}

static void
write_goal(const LpTrace *trace, G_GNUC_UNUSED gboolean collapse, Files *files)
{
    char *text = lp_goal_write(trace);
    add_file(files, g_strdup("schedule.goal"), g_bytes_new_take(text, strlen(text)));
}

/* Replay takes a list of the files, by rank. */
static void
write_ti(const LpTrace *trace, G_GNUC_UNUSED gboolean collapse, Files *files)
{
    GString *list = g_string_new(NULL);
    for (guint32 rank = 0; rank < trace->ranks->len; rank++) {
        char *name = g_strdup_printf("trace.%u.ti", rank);
        char *text = lp_ti_write(trace, rank);
        g_string_append_printf(list, "%s\n", name);
        add_file(files, name, g_bytes_new_take(text, strlen(text)));
    }
    add_file(files, g_strdup("traces.txt"), g_string_free_to_bytes(list));
}

static const struct {
    const char *name;
    void (*write)(const LpTrace *trace, gboolean collapse, Files *files);
} formats[] = {{"chakra", write_chakra}, {"goal", write_goal}, {"ti", write_ti}};

/* --- command --- */

static LpTrace *
make_trace(const Options *options, char **arguments, GError **error)
{
    g_autoptr(LpWorkload) workload = NULL;
    g_autoptr(LpMachine) machine = NULL;
    g_autoptr(LpProgram) program = lp_program_input_load(&options->plan, arguments[0], arguments[1],
                                                         &workload, &machine, error);
    LpTrace *trace =
        program == NULL ? NULL : lp_trace_of_program(program, workload, options->collapse, error);
    if (trace != NULL)
        trace->speed_flop_per_s =
            lp_accelerator_peak_flop_per_s(&machine->accelerator, LP_PRECISION_BF16);
    return trace;
}

static gboolean
export_files(int format, const Options *options, char **arguments, GError **error)
{
    g_autoptr(LpTrace) trace = make_trace(options, arguments, error);
    g_auto(Files) files = {g_ptr_array_new_with_free_func(g_free),
                           g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref)};
    if (trace == NULL)
        return FALSE;
    formats[format].write(trace, options->collapse, &files);
    g_autofree LpFolderFile *list = g_new0(LpFolderFile, files.names->len);
    for (guint i = 0; i < files.names->len; i++) {
        list[i].name = files.names->pdata[i];
        list[i].text = g_bytes_get_data(files.texts->pdata[i], &list[i].length);
    }
    return lp_folder_write(options->output, list, files.names->len, error);
}

gboolean
lp_cmd_export(int argc, char **argv, GError **error)
{
    g_auto(Options) options = {0};
    const GOptionEntry entries[] = {LP_ROW_SET(&options.plan.settings),
                                    LP_ROW_FRAMEWORK(&options.plan.framework),
                                    LP_ROW_PLAN(&options.plan.plan),
                                    {"collapse", 0, 0, G_OPTION_ARG_NONE, &options.collapse,
                                     "Of chakra: one file for each class of ranks that do the "
                                     "same, and classes.json, which is imported alone",
                                     NULL},
                                    {"output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output,
                                     "The folder to write, new or empty", "DIR"},
                                    {NULL, 0, 0, 0, NULL, NULL, NULL}};
    const char *kinds[G_N_ELEMENTS(formats) + 1] = {NULL};
    for (guint i = 0; i < G_N_ELEMENTS(formats); i++)
        kinds[i] = formats[i].name;
    if (!lp_options_parse(
            "export", "FORMAT WORKLOAD PLATFORM",
            "Writes what the ranks of a workload or program do as traces for other "
            "tools, with the kernel times of the platform's accelerator: chakra, goal, ti.",
            entries, &argc, &argv, 3, 3, error) ||
        !lp_plan_arguments_read(&options.plan, error))
        return FALSE;
    g_autoptr(GError) fault = NULL;
    int format = lp_choice_parse(argv[1], kinds, &fault);
    if (format < 0)
        return lp_usage_error(error, "export: %s", fault->message);
    if (options.collapse && strcmp(argv[1], "chakra") != 0)
        return lp_usage_error(error,
                              "export: got --collapse with %s, wanted chakra: others name the "
                              "rank in each line",
                              argv[1]);
    if (options.output == NULL)
        return lp_usage_error(error, "export: got no -o, wanted -o DIR");
    return export_files(format, &options, argv + 2, error);
}
