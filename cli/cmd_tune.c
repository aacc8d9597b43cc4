/* SPDX-License-Identifier: Apache-2.0 */
/* lightpath tune communication: which library and algorithm is best for which collective. */
#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/option_rows.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/output_paths.h"
#include "cli/program_input.h"
#include "cli/sizes.h"
#include "cli/subcommands.h"

#include "base/error.h"
#include "base/file.h"
#include "report/tuning_export.h"
#include "report/tuning_report.h"
#include "workloads/description/attribute_text.h"
#include "workloads/description/tuning_file.h"

#include <string.h>

typedef struct {
    LpPlanArguments plan;
    char *workload, *libraries, *bytes, *ranks, *format, *output, *export; /* owned */
} Options;

static void
options_clear(Options *self)
{
    lp_plan_arguments_clear(&self->plan);
    g_free(self->workload);
    g_free(self->libraries);
    g_free(self->bytes);
    g_free(self->ranks);
    g_free(self->format);
    g_free(self->output);
    g_free(self->export);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

/* What is tuned, for what, and what came of it. */
typedef struct {
    LpMachine *machine;   /* owned */
    LpWorkload *workload; /* owned, or NULL */
    LpTuning *tuning;     /* owned */
    GArray *runs;         /* owned, or NULL */
    char *library;        /* owned, or NULL */
} Work;

static void
work_clear(Work *self)
{
    if (self->runs != NULL)
        g_array_unref(self->runs);
    lp_tuning_free(self->tuning);
    lp_workload_free(self->workload);
    lp_machine_free(self->machine);
    g_free(self->library);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Work, work_clear)

static LpTuning *
new_tuning(const Options *options, const LpMachine *machine, LpProgress *progress, GError **error)
{
    g_autoptr(GError) fault = NULL;
    g_auto(GStrv) names =
        options->libraries != NULL ? g_strsplit(options->libraries, ",", -1) : NULL;
    if (names != NULL && *names == NULL) {
        lp_usage_error(error, "--libraries: got \"\", wanted names with commas between them");
        return NULL;
    }
    LpTuning *tuning = lp_tuning_new(machine, (const char *const *)names, &fault);
    if (tuning == NULL)
        lp_usage_error(error, "--libraries: %s", fault->message);
    if (tuning != NULL && progress->is_shown) {
        tuning->progress = lp_progress_callback;
        tuning->progress_data = progress;
    }
    return tuning;
}

/* --- a grid --- */

static gboolean
add_grid(const Options *options, Work *work, GError **error)
{
    static const LpCollective collectives[] = {LP_COLLECTIVE_ALL_REDUCE, LP_COLLECTIVE_ALL_GATHER,
                                               LP_COLLECTIVE_REDUCE_SCATTER,
                                               LP_COLLECTIVE_ALL_TO_ALL, LP_COLLECTIVE_BROADCAST};
    g_autoptr(GArray) bytes =
        lp_sizes_parse(options->bytes != NULL ? options->bytes : "1KiB-1GiB", error);
    if (bytes == NULL)
        return FALSE;
    g_auto(GStrv) groups = g_strsplit(options->ranks != NULL ? options->ranks : "", ",", -1);
    guint64 most = work->machine->n_accelerators;
    if (most < 2)
        return lp_usage_error(error, "tune: got a machine of one accelerator, wanted several");
    for (guint group = 0; group < MAX(g_strv_length(groups), 1); group++) {
        guint n_ranks = 0;
        if (!lp_option_count("ranks", groups[group], 2, most, most, &n_ranks, error))
            return FALSE;
        for (guint i = 0; i < G_N_ELEMENTS(collectives); i++)
            lp_tuning_add_grid(work->tuning, collectives[i], n_ranks, bytes);
    }
    if (work->tuning->points->len > 0)
        return TRUE;
    return lp_usage_error(error, "--libraries: got none that has a collective among so many ranks, "
                                 "wanted one that has");
}

/* Groups of several sizes have no common choice, which plans could take. */
static gboolean
tune_grid(const Options *options, Work *work, GError **error)
{
    g_autoptr(GError) fault = NULL;
    if (!add_grid(options, work, error) || !lp_tuning_measure(work->tuning, error) ||
        !lp_tuning_refine(work->tuning, error))
        return FALSE;
    const LpTuning *tuning = work->tuning;
    for (guint i = 1; i < tuning->points->len; i++)
        if (lp_tuning_point(tuning, i)->n_ranks != lp_tuning_point(tuning, 0)->n_ranks)
            return options->output == NULL ||
                   lp_usage_error(error, "-o: got groups of several sizes, wanted one --ranks, or "
                                         "--workload, whose groups have classes");
    g_autofree guint32 *chosen = g_new0(guint32, tuning->keys->len + 1);
    for (guint i = 0; i < tuning->points->len; i++) {
        const LpTuningPoint *point = lp_tuning_point(tuning, i);
        chosen[point->key] = lp_tuning_best(tuning, point);
    }
    work->library = lp_tuning_library_text(tuning, chosen, &fault);
    return work->library != NULL || options->output == NULL ||
           lp_usage_error(error, "-o: %s", fault->message);
}

/* --- a workload --- */

static gboolean
tune_workload(Work *work, const LpProgram *program, GError **error)
{
    g_autoptr(LpPlacement) placement = lp_placement_new(work->workload, work->machine, error);
    if (placement == NULL)
        return FALSE;
    lp_tuning_add_program(work->tuning, program, placement);
    if (work->tuning->points->len == 0) {
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                    "%s: got no collectives, wanted some to tune",
                    lp_file_label(work->workload->path));
        return FALSE;
    }
    if (!lp_tuning_measure(work->tuning, error)) {
        g_prefix_error(error, "--libraries: ");
        return FALSE;
    }
    LpSimulationOptions options = {.collapse = TRUE, .alone = TRUE};
    work->runs = lp_tuning_runs_new(work->tuning, work->workload, options, error);
    if (work->runs == NULL)
        return FALSE;
    guint best = lp_tuning_runs_best(work->runs);
    work->library = g_strdup(g_array_index(work->runs, LpTuningRun, best).library);
    return TRUE;
}

/* --- command --- */

static gboolean
tune(const Options *options, const char *platform, Work *work, GError **error)
{
    g_auto(LpProgress) progress = lp_progress_start("runs");
    if (options->workload == NULL) {
        work->machine = lp_input_load_machine(platform, error);
        work->tuning =
            work->machine == NULL ? NULL : new_tuning(options, work->machine, &progress, error);
        return work->tuning != NULL && tune_grid(options, work, error);
    }
    g_autoptr(LpProgram) program = lp_program_input_load(
        &options->plan, options->workload, platform, &work->workload, &work->machine, error);
    work->tuning = program == NULL ? NULL : new_tuning(options, work->machine, &progress, error);
    return work->tuning != NULL && tune_workload(work, program, error);
}

static gboolean
write_tuning(const Options *options, const Work *work, GError **error)
{
    g_autofree LpPlan *plan = g_new0(LpPlan, 1);
    if (options->output == NULL)
        return TRUE;
    if (!lp_text_library.set(plan, work->library, error))
        return FALSE;
    g_autofree char *text =
        lp_tuning_file_write(&plan->library, lp_file_label(work->machine->path),
                             work->workload != NULL ? work->workload->name : NULL);
    return lp_file_write(options->output, text, strlen(text), error);
}

static gboolean
print(const Options *options, LpFormat format, guint export, const Work *work, GError **error)
{
    LpTuningReport report = {work->tuning, work->workload, work->runs, work->library};
    if (export != LP_N_TUNING_EXPORTS) {
        g_autofree char *text = lp_tuning_export(work->tuning, (LpTuningExport) export, error);
        if (text == NULL) {
            g_prefix_error(error, "--export=%s: ", options->export);
            return FALSE;
        }
        return lp_print_result(text, error);
    }
    if (format == LP_FORMAT_JSON)
        return lp_print_json(lp_tuning_report_json(&report), error);
    g_autofree char *text = lp_tuning_report_text(&report);
    return lp_print_result(text, error);
}

/* The file, and what was measured also where it cannot be written. */
static gboolean
give(const Options *options, LpFormat format, guint export, const Work *work, GError **error)
{
    g_autoptr(GError) fault = NULL;
    gboolean is_written = write_tuning(options, work, &fault);
    gboolean good = print(options, format, export, work, error);
    return lp_outputs_join(good, is_written, &fault, error);
}

static gboolean
check_options(const Options *options, LpFormat *out_format, guint *out_export, GError **error)
{
    if (options->workload != NULL && (options->bytes != NULL || options->ranks != NULL))
        return lp_usage_error(error,
                              "--%s: got it with --workload, wanted one of them: a workload "
                              "has sizes and groups of its own",
                              options->bytes != NULL ? "bytes" : "ranks");
    if (options->workload == NULL && (options->plan.settings != NULL || options->plan.plan != NULL))
        return lp_usage_error(error, "--%s: got it without --workload, wanted both",
                              options->plan.settings != NULL ? "set" : "plan");
    if (options->export != NULL && options->format != NULL)
        return lp_usage_error(error, "--export: got it with --format, wanted one of them");
    return lp_format_parse(options->format, out_format, error) &&
           lp_option_choice("export", options->export, lp_tuning_export_names, LP_N_TUNING_EXPORTS,
                            out_export, error);
}

static gboolean
cmd_communication(int argc, char **argv, GError **error)
{
    g_auto(Options) options = {0};
    g_auto(Work) work = {0};
    LpFormat format = LP_FORMAT_TEXT;
    guint export = LP_N_TUNING_EXPORTS;
    const GOptionEntry entries[] = {
        {"workload", 0, 0, G_OPTION_ARG_STRING, &options.workload,
         "Tune what this calls, and weigh what changes of libraries cost (default: a grid)",
         "WORKLOAD"},
        {"libraries", 0, 0, G_OPTION_ARG_STRING, &options.libraries,
         "To choose from (default: the machine's, and those measured on its accelerator)",
         "NAME,..."},
        {"bytes", 0, 0, G_OPTION_ARG_STRING, &options.bytes,
         "Sizes of a grid, of the whole buffer: a list, or a range of doublings (default "
         "1KiB-1GiB)",
         "SIZE"},
        {"ranks", 0, 0, G_OPTION_ARG_STRING, &options.ranks,
         "Ranks of a grid's groups (default: all accelerators)", "N,..."},
        LP_ROW_SET(&options.plan.settings),
        LP_ROW_FRAMEWORK(&options.plan.framework),
        LP_ROW_PLAN(&options.plan.plan),
        LP_ROW_FORMAT(&options.format),
        {"export", 0, 0, G_OPTION_ARG_STRING, &options.export,
         "Print a table that a real library reads instead", "nccl-tuner|ncclx|ucc"},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output,
         "A tuning file to write, which library=FILE.xml takes", "FILE.xml"},
        {NULL, 0, 0, 0, NULL, NULL, NULL}};
    if (!lp_options_parse("tune communication", "PLATFORM",
                          "Says which communication library is best for each operation, size and "
                          "group, of a grid or of a workload.",
                          entries, &argc, &argv, 1, 1, error) ||
        !check_options(&options, &format, &export, error) ||
        !lp_plan_arguments_read(&options.plan, error))
        return FALSE;
    const LpOutputPath outputs[] = {{"-o", options.output, FALSE}};
    char *const files[] = {argv[1], options.workload, NULL};
    g_autofree char **inputs = lp_inputs(files, options.plan.settings);
    return lp_check_outputs(outputs, G_N_ELEMENTS(outputs), inputs, error) &&
           tune(&options, argv[1], &work, error) && give(&options, format, export, &work, error);
}

gboolean
lp_cmd_tune(int argc, char **argv, GError **error)
{
    static const LpCommand commands[] = {
        {"communication", cmd_communication, "choose communication libraries"}, {NULL, NULL, NULL}};
    return lp_run_command("lightpath tune", commands, NULL, NULL, argc, argv, error);
}
