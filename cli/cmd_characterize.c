/* SPDX-License-Identifier: Apache-2.0 */
/* lightpath characterize: what a workload's parallelisms ask of the network. */
#include "cli/commands.h"
#include "cli/option_rows.h"
#include "cli/options.h"
#include "cli/plan_arguments.h"
#include "cli/progress.h"
#include "cli/sweep.h"

#include "report/characterization.h"

static const char *const switch_names[] = {"off", "on", NULL};

typedef struct {
    LpPlanArguments plan;
    char *fidelity, *collapse, *format, *sweep, *jobs; /* owned */
    gboolean verbose;
} Options;

static void
options_clear(Options *self)
{
    g_free(self->fidelity);
    g_free(self->collapse);
    g_free(self->format);
    g_free(self->sweep);
    g_free(self->jobs);
    lp_plan_arguments_clear(&self->plan);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

static gboolean
read_options(const Options *options, char **arguments, LpSweepBase *out_base, LpFormat *out_format,
             GError **error)
{
    guint fidelity, collapse;
    *out_base = (LpSweepBase){.workload = arguments[1],
                              .platform = arguments[2],
                              .settings = lp_plan_arguments_settings(&options->plan),
                              .plan = options->plan.choice,
                              .ignore_memory = options->plan.ignore_memory};
    if (!lp_format_parse(options->format, out_format, error) ||
        !lp_option_choice("fidelity", options->fidelity, lp_fidelity_names, LP_FIDELITY_FLOW,
                          &fidelity, error) ||
        !lp_option_choice("collapse", options->collapse, switch_names, TRUE, &collapse, error) ||
        !lp_option_count("jobs", options->jobs, 1, 1024, g_get_num_processors(),
                         &out_base->n_at_once, error))
        return FALSE;
    out_base->fidelity = (LpFidelity)fidelity;
    out_base->collapse = collapse != 0;
    if (out_base->platform == NULL && out_base->plan != LP_PLAN_FILE)
        return lp_usage_error(error, "--plan: got fit, wanted a platform that the plan is to fit");
    return TRUE;
}

/* --- without a machine --- */

static gboolean
print(const LpCharacterization *shown, LpFormat format, GError **error)
{
    g_autofree char *text = format == LP_FORMAT_JSON ? lp_characterization_to_json_text(shown)
                                                     : lp_characterization_to_text(shown);
    return lp_print_result(text, error);
}

static gboolean
count(const LpSweepBase *base, LpCharacterization *shown, const Options *options, LpFormat format,
      GError **error)
{
    g_autofree char *path = lp_input_find(base->workload, LP_INPUT_WORKLOAD, error);
    g_autoptr(LpWorkload) workload =
        path == NULL ? NULL : lp_workload_load(path, base->settings, error);
    g_autoptr(LpProgram) program =
        workload == NULL ? NULL : lp_sweep_program(workload, NULL, error);
    if (program == NULL)
        return FALSE;
    g_autofree char *parameter = NULL;
    g_autoptr(GArray) points = NULL;
    if (options->sweep != NULL &&
        (points = lp_sweep_run(base, workload, options->sweep, &parameter, error)) == NULL)
        return FALSE;
    g_autoptr(LpCollectiveCensus) census = lp_collective_census_new(program);
    shown->workload = workload;
    shown->program = program;
    shown->census = census;
    shown->parameter = parameter;
    shown->points = points;
    return print(shown, format, error);
}

/* --- on a machine --- */

/* The engine starts once in a process: the sweep's processes are forked before it does. */
static gboolean
simulate(const LpSweepBase *base, LpCharacterization *shown, const Options *options,
         LpFormat format, GError **error)
{
    g_autoptr(LpWorkload) workload = NULL;
    g_autoptr(LpMachine) machine = NULL;
    if (!lp_load_inputs(base->workload, base->platform, base->settings, base->plan, &workload,
                        &machine, error))
        return FALSE;
    g_autoptr(LpSetup) setup = lp_setup_new(workload, machine, error);
    g_autoptr(LpProgram) program =
        setup == NULL ? NULL : lp_sweep_program(workload, machine, error);
    if (program == NULL ||
        (!base->ignore_memory && !lp_setup_check_memory(workload, machine, error)))
        return FALSE;
    g_autofree char *parameter = NULL;
    g_autoptr(GArray) points = NULL;
    if (options->sweep != NULL &&
        (points = lp_sweep_run(base, workload, options->sweep, &parameter, error)) == NULL)
        return FALSE;
    g_autoptr(LpCollectiveCensus) census = lp_collective_census_new(program);
    g_autoptr(LpCallTimes) times = lp_call_times_new();
    LpSimulationOptions run = {.fidelity = base->fidelity,
                               .collapse = base->collapse,
                               .alone = TRUE,
                               .run = {.calls = times}};
    g_auto(LpProgress) progress = lp_progress_start("steps");
    lp_progress_watch(&progress, &run.run);
    g_autoptr(LpSimulation) simulation = lp_simulation_run(setup, run, error);
    if (simulation == NULL)
        return FALSE;
    shown->workload = workload;
    shown->program = program;
    shown->census = census;
    shown->machine = machine;
    shown->simulation = simulation;
    shown->times = times;
    shown->parameter = parameter;
    shown->points = points;
    return print(shown, format, error);
}

gboolean
lp_cmd_characterize(int argc, char **argv, GError **error)
{
    g_auto(Options) options = {0};
    const GOptionEntry entries[] = {
        {"sweep", 0, 0, G_OPTION_ARG_STRING, &options.sweep,
         "Also with other values of an attribute: seq=1024,2048, or seq for some around its own",
         "NAME[=VALUE,...]"},
        {"jobs", 0, 0, G_OPTION_ARG_STRING, &options.jobs,
         "Runs of a sweep at the same time (default: processors)", "N"},
        LP_ROW_FIDELITY(&options.fidelity),
        LP_ROW_COLLAPSE(&options.collapse),
        LP_ROW_SET(&options.plan.settings),
        LP_ROW_FRAMEWORK(&options.plan.framework),
        LP_ROW_MEMORY_RESERVE(&options.plan.memory_reserve),
        LP_ROW_PLAN(&options.plan.plan),
        LP_ROW_FORMAT(&options.format),
        LP_ROW_IGNORE_MEMORY(&options.plan.ignore_memory),
        LP_ROW_VERBOSE(&options.verbose),
        {NULL, 0, 0, 0, NULL, NULL, NULL}};
    LpSweepBase base;
    LpFormat format;
    if (!lp_options_parse(
            "characterize", "WORKLOAD [PLATFORM]",
            "Says what each parallelism asks of the network in an iteration: operations, calls, "
            "bytes and their sizes; on a machine also times and bandwidths.",
            entries, &argc, &argv, 1, 2, error) ||
        !lp_plan_arguments_read(&options.plan, error) ||
        !read_options(&options, argv, &base, &format, error))
        return FALSE;
    LpCharacterization shown = {
        .fidelity = base.fidelity, .collapse = base.collapse, .whole_plan = options.verbose};
    return base.platform == NULL ? count(&base, &shown, &options, format, error)
                                 : simulate(&base, &shown, &options, format, error);
}
