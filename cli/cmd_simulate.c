/* SPDX-License-Identifier: Apache-2.0 */
/* lightpath simulate: one iteration of a workload on a machine, beside the closed form. */
#include "cli/commands.h"
#include "cli/dry_run.h"
#include "cli/inputs.h"
#include "cli/made_machine.h"
#include "cli/option_rows.h"
#include "cli/options.h"
#include "cli/plan_arguments.h"
#include "cli/output_paths.h"
#include "cli/progress.h"
#include "cli/run_files.h"
#include "cli/variant.h"

#include "base/file.h"
#include "report/kernel_rows.h"
#include "report/report_parts.h"
#include "report/scenario_report.h"
#include "sim/run/observation.h"

#include <stdio.h>
#include <string.h>

#define RUNS_MAX 100000

/* Rounds of refinement of approximate collapse, unless told otherwise. */
#define ROUNDS 2
#define ROUNDS_MAX 1000000

/** What --collapse says. */
typedef enum {
    COLLAPSE_OFF,
    COLLAPSE_ON,
    COLLAPSE_APPROXIMATE
} Collapse;

static const char *const collapse_names[] = {"off", "on", "approximate", NULL};

typedef struct {
    LpPlanArguments plan;
    char *fidelity, *collapse, *format; /* owned */
    char *runs, *rounds, *seed;         /* owned */
    LpRunFiles files;
    gboolean cost, verbose, approximate, dry_run, no_difference;
} Options;

static void
options_clear(Options *self)
{
    g_free(self->fidelity);
    g_free(self->collapse);
    g_free(self->format);
    g_free(self->runs);
    g_free(self->rounds);
    g_free(self->seed);
    lp_run_files_clear(&self->files);
    lp_plan_arguments_clear(&self->plan);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

/* Adds the kernels to the data of a page, if the run has a plan. */
static void
add_kernels(const Options *options, json_t *object, const LpReport *report)
{
    if (options->files.page.path != NULL && report->workload->given == NULL)
        lp_kernel_rows_add_json(object, report);
}

static gboolean
write_files(const Options *options, const LpReport *report, const LpObservation *observation,
            const LpTimeline *timeline, GError **error)
{
    g_autoptr(json_t) document = lp_report_to_json(report);
    add_kernels(options, document, report);
    return lp_run_files_write(&options->files, document, observation, &(LpTrack){timeline, NULL}, 1,
                              error);
}

static gboolean
print_report(LpReport *report, LpFormat format, GError **error)
{
    g_autofree char *text =
        format == LP_FORMAT_JSON ? lp_report_to_json_text(report) : lp_report_to_text(report);
    return lp_print_result(text, error);
}

/* What the options say, read. */
typedef struct {
    LpFormat format;
    guint fidelity, collapse, n_runs, n_rounds; /* n_rounds: 0 unless collapse is approximate */
    guint seed;                                 /* added to all */
} Choices;

static gboolean
read_collapse(const Options *options, Choices *out_choices, GError **error)
{
    if (!lp_option_choice("collapse", options->collapse, collapse_names, COLLAPSE_ON,
                          &out_choices->collapse, error) ||
        !lp_option_count("collapse-rounds", options->rounds, 1, ROUNDS_MAX, ROUNDS,
                         &out_choices->n_rounds, error))
        return FALSE;
    gboolean is_approximate = out_choices->collapse == COLLAPSE_APPROXIMATE;
    if (options->rounds != NULL && !is_approximate)
        return lp_usage_error(error, "--collapse-rounds: got it without --collapse=approximate, "
                                     "wanted both or neither");
    if (options->runs != NULL && is_approximate)
        return lp_usage_error(error, "--runs: got it with --collapse=approximate, wanted one of "
                                     "them");
    if (!is_approximate)
        out_choices->n_rounds = 0;
    return TRUE;
}

static gboolean
read_choices(const Options *options, Choices *out_choices, GError **error)
{
    if (options->runs != NULL && options->approximate)
        return lp_usage_error(error, "--runs: got it with --approximate, wanted one of them");
    if (options->runs != NULL && options->seed != NULL)
        return lp_usage_error(error, "--runs: got it with --seed, wanted one of them");
    if (options->no_difference && lp_run_files_any(&options->files))
        return lp_usage_error(error, "--no-difference: got it with a file to write, wanted one of "
                                     "them: files show the difference");
    if (options->dry_run && (options->runs != NULL || lp_run_files_any(&options->files)))
        return lp_usage_error(error, "--dry-run: got it with --runs or a file to write, wanted "
                                     "neither: nothing is simulated");
    return lp_format_parse(options->format, &out_choices->format, error) &&
           lp_option_choice("fidelity", options->fidelity, lp_fidelity_names, LP_FIDELITY_FLOW,
                            &out_choices->fidelity, error) &&
           read_collapse(options, out_choices, error) &&
           lp_option_count("runs", options->runs, 1, RUNS_MAX, 0, &out_choices->n_runs, error) &&
           lp_option_count("seed", options->seed, 0, G_MAXINT32, 0, &out_choices->seed, error);
}

/* Before the engine starts here: each seed has a process of its own. Fills @out of @n_jobs. */
static gboolean
run_seeds(const Options *options, const Choices *choices, const char *path,
          const LpMachine *machine, guint n_jobs, LpProgress *progress, LpDistribution *out,
          GError **error)
{
    g_auto(GStrv) fitting = NULL;
    if (choices->n_runs == 0)
        return TRUE;
    lp_progress_phase(progress, "seeds", choices->n_runs / (choices->n_runs + 1.0));
    LpVariantBase base = {.workload = path,
                          .platform = machine->path,
                          .settings = lp_plan_arguments_settings(&options->plan),
                          .fidelity = (LpFidelity)choices->fidelity,
                          .collapse = choices->collapse != COLLAPSE_OFF,
                          .ignore_memory = options->plan.ignore_memory,
                          .n_jobs = n_jobs,
                          .n_at_once = g_get_num_processors(),
                          .progress = progress->is_shown ? lp_progress_callback : NULL,
                          .progress_data = progress};
    if (options->plan.choice != LP_PLAN_FILE) {
        fitting = lp_plan_choice_fit(options->plan.choice, path, base.settings, &machine, 1, error);
        if (fitting == NULL)
            return FALSE;
        base.settings = (const char *const *)fitting;
    }
    return lp_variants_distribution(&base, choices->n_runs, out, error);
}

static gboolean
write_scenario_files(const Options *options, const LpScenarioReport *report,
                     const LpObservation *observation, GError **error)
{
    const LpScenarioSimulation *simulation = report->simulation;
    g_autofree char *text = lp_scenario_report_to_json_text(report);
    g_autoptr(json_t) document = lp_json_read("report", text, strlen(text), error);
    if (document == NULL)
        return FALSE;
    g_autofree LpTrack *tracks = g_new0(LpTrack, simulation->n_jobs);
    for (guint i = 0; i < simulation->n_jobs; i++) {
        json_t *job = json_array_get(json_object_get(document, "jobs"), i);
        add_kernels(options, job, &report->jobs[i]);
        tracks[i] = (LpTrack){simulation->jobs[i].timeline, simulation->jobs[i].job->name};
    }
    return lp_run_files_write(&options->files, document, observation, tracks, simulation->n_jobs,
                              error);
}

static gboolean
print_scenario(const LpScenarioReport *report, LpFormat format, GError **error)
{
    g_autofree char *text = format == LP_FORMAT_JSON ? lp_scenario_report_to_json_text(report)
                                                     : lp_scenario_report_to_text(report);
    return lp_print_result(text, error);
}

static gboolean
simulate_scenario(const Options *options, const Choices *choices, const char *path,
                  const char *platform, double started_s, GError **error)
{
    if (options->plan.choice != LP_PLAN_FILE)
        return lp_usage_error(error, "--plan: got fit, wanted none: a scenario has several plans");
    if (choices->collapse == COLLAPSE_APPROXIMATE)
        return lp_usage_error(error, "--collapse: got approximate, wanted on or off: a scenario");
    g_autofree char *platform_path = lp_input_find(platform, LP_INPUT_PLATFORM, error);
    if (platform_path == NULL)
        return FALSE;
    g_autoptr(LpScenario) scenario =
        lp_scenario_load(path, lp_plan_arguments_settings(&options->plan), error);
    if (scenario == NULL)
        return FALSE;
    g_autoptr(LpMachine) machine = lp_made_machine_load(platform_path, error);
    if (machine == NULL)
        return FALSE;
    if (!lp_scenario_apply_machine(scenario, machine->domain_size, &machine->accelerator, error))
        return FALSE;
    lp_variant_shift_seeds(scenario, machine, choices->seed);
    if (!options->plan.ignore_memory && !lp_check_scenario_memory(scenario, machine, error))
        return FALSE;
    g_autofree LpDistribution *distributions = g_new0(LpDistribution, scenario->jobs->len);
    g_auto(LpProgress) progress = lp_progress_start("runs");
    if (!run_seeds(options, choices, path, machine, scenario->jobs->len, &progress, distributions,
                   error))
        return FALSE;
    g_autoptr(LpObservation) observation =
        lp_run_files_any(&options->files) ? lp_observation_new() : NULL;
    LpScenarioOptions run = {.fidelity = (LpFidelity)choices->fidelity,
                             .collapse = choices->collapse != COLLAPSE_OFF,
                             .timelines = observation != NULL,
                             .observation = observation};
    if (options->dry_run)
        return lp_dry_run_scenario(scenario, machine, run, choices->format, error);
    lp_progress_phase(&progress, "runs", 1.0);
    run.progress = progress.is_shown ? lp_progress_callback : NULL;
    run.progress_data = &progress;
    g_autoptr(LpScenarioSimulation) simulation =
        lp_scenario_simulation_run(scenario, machine, run, error);
    if (simulation == NULL)
        return FALSE;
    LpScenarioReport report;
    lp_scenario_report_init(&report, machine, simulation);
    for (guint i = 0; i < simulation->n_jobs; i++)
        report.jobs[i].distribution = distributions[i];
    report.fidelity = run.fidelity;
    report.collapse = run.collapse;
    report.whole_plan = options->verbose;
    report.has_cost = options->cost;
    report.cost = (LpCost){lp_wall_clock_s() - started_s,
                           lp_peak_rss_bytes() + simulation->children_peak_rss_bytes};
    g_autoptr(GError) fault = NULL;
    gboolean good = print_scenario(&report, choices->format, error);
    gboolean has_files = write_scenario_files(options, &report, observation, &fault);
    good = lp_outputs_join(good, has_files, &fault, error);
    lp_scenario_report_clear(&report);
    return good;
}

static gboolean
simulate(const Options *options, char **arguments, double started_s, GError **error)
{
    Choices choices;
    if (!read_choices(options, &choices, error))
        return FALSE;
    g_autofree char *path =
        lp_input_find(arguments[1], LP_INPUT_WORKLOAD | LP_INPUT_SCENARIO, error);
    if (path == NULL)
        return FALSE;
    if (lp_scenario_is_file(path))
        return simulate_scenario(options, &choices, path, arguments[2], started_s, error);
    g_autoptr(LpWorkload) workload = NULL;
    g_autoptr(LpMachine) machine = NULL;
    if (!lp_load_inputs(arguments[1], arguments[2], lp_plan_arguments_settings(&options->plan),
                        options->plan.choice, &workload, &machine, error))
        return FALSE;

    machine->path_seed += choices.seed;
    workload->plan.experts.seed += choices.seed;
    g_autoptr(LpSetup) setup = lp_setup_new(workload, machine, error);
    if (setup == NULL ||
        (!options->plan.ignore_memory && !lp_setup_check_memory(workload, machine, error)))
        return FALSE;
    LpDistribution distribution = {0};
    g_auto(LpProgress) progress = lp_progress_start("steps");
    if (!run_seeds(options, &choices, path, machine, 1, &progress, &distribution, error))
        return FALSE;
    gboolean any = lp_run_files_any(&options->files);
    g_autoptr(LpTimeline) timeline = any ? lp_timeline_new() : NULL;
    g_autoptr(LpObservation) observation = any ? lp_observation_new() : NULL;
    LpSimulationOptions run = {.fidelity = (LpFidelity)choices.fidelity,
                               .collapse = choices.collapse != COLLAPSE_OFF,
                               .alone = options->no_difference,
                               .n_rounds = choices.n_rounds,
                               .run = {.timeline = timeline},
                               .observation = observation};
    if (options->approximate) {
        run.negligible = LP_SIMULATION_NEGLIGIBLE;
        run.shares_max = LP_SIMULATION_SHARES_MAX;
    }
    if (options->dry_run)
        return lp_dry_run(setup, run, choices.format, error);
    lp_progress_phase(&progress, "steps", 1.0);
    lp_progress_watch(&progress, &run.run);
    g_autoptr(LpSimulation) simulation = lp_simulation_run(setup, run, error);
    if (simulation == NULL)
        return FALSE;
    LpReport report;
    lp_report_init(&report, setup, simulation);
    report.distribution = distribution;
    report.fidelity = run.fidelity;
    report.collapse = run.collapse;
    report.whole_plan = options->verbose;
    report.has_cost = options->cost;
    report.cost = (LpCost){lp_wall_clock_s() - started_s,
                           lp_peak_rss_bytes() + simulation->children_peak_rss_bytes};
    g_autoptr(GError) fault = NULL;
    gboolean good = print_report(&report, choices.format, error);
    gboolean has_files = write_files(options, &report, observation, timeline, &fault);
    good = lp_outputs_join(good, has_files, &fault, error);
    lp_report_clear(&report);
    return good;
}

gboolean
lp_cmd_simulate(int argc, char **argv, GError **error)
{
    double started_s = lp_wall_clock_s();
    g_auto(Options) options = {0};
    const GOptionEntry entries[] = {
        LP_ROW_FIDELITY(&options.fidelity),
        LP_ROW_COLLAPSE_IN_DETAIL(&options.collapse),
        {"collapse-rounds", 0, 0, G_OPTION_ARG_STRING, &options.rounds,
         "With --collapse=approximate: rounds in which links tell flows apart (2)", "K"},
        {"set", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.plan.settings,
         "Override an attribute of every workload; may be given again", "NAME=VALUE"},
        LP_ROW_FRAMEWORK(&options.plan.framework),
        LP_ROW_MEMORY_RESERVE(&options.plan.memory_reserve),
        LP_ROW_PLAN(&options.plan.plan),
        LP_ROW_FORMAT(&options.format),
        {"report", 0, 0, G_OPTION_ARG_FILENAME, &options.files.page.path,
         "Write a page with tables and plots, which needs no network", "FILE.html"},
        {"trace", 0, 0, G_OPTION_ARG_FILENAME, &options.files.trace,
         "Write a timeline for the Perfetto viewer", "FILE.json"},
        {"paje", 0, 0, G_OPTION_ARG_FILENAME, &options.files.paje,
         "Write a timeline for viewers of Paje's format, SimGrid's own", "FILE"},
        {"csv", 0, 0, G_OPTION_ARG_FILENAME, &options.files.csv,
         "Write tables of terms, links, traffic, operations and the timeline", "DIR"},
        {"runs", 0, 0, G_OPTION_ARG_STRING, &options.runs,
         "Simulate with so many seeds of jitter, traffic, hashes and skew, too", "N"},
        {"seed", 0, 0, G_OPTION_ARG_STRING, &options.seed,
         "Add so much to the seeds of jitter, traffic, hashes and skew (0)", "N"},
        {"ignore-memory", 0, 0, G_OPTION_ARG_NONE, &options.plan.ignore_memory,
         "Simulate a plan that does not fit in memory, with a warning", NULL},
        {"approximate", 0, 0, G_OPTION_ARG_NONE, &options.approximate,
         "Leave out what validate leaves out: contention with little traffic, and in large plans",
         NULL},
        LP_ROW_VERBOSE(&options.verbose),
        {"no-difference", 0, 0, G_OPTION_ARG_NONE, &options.no_difference,
         "Leave out the runs that only explain the difference from the closed form (not of "
         "scenarios)",
         NULL},
        {"cost", 0, 0, G_OPTION_ARG_NONE, &options.cost,
         "Also say what the simulation cost: time, memory, events", NULL},
        {"dry-run", 0, 0, G_OPTION_ARG_NONE, &options.dry_run,
         "Only say what would be simulated, and about how long that would take", NULL},
        {NULL, 0, 0, 0, NULL, NULL, NULL}};
    if (!lp_options_parse(
            "simulate", "WORKLOAD|SCENARIO PLATFORM",
            "Simulates one training iteration, or several jobs and other traffic side "
            "by side, and explains how the result differs from the closed form.",
            entries, &argc, &argv, 2, 2, error) ||
        !lp_plan_arguments_read(&options.plan, error))
        return FALSE;
    g_autofree char **inputs = lp_inputs(argv + 1, options.plan.settings);
    return lp_run_files_prepare(&options.files, inputs, error) &&
           simulate(&options, argv, started_s, error);
}
