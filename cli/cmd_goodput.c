/* SPDX-License-Identifier: Apache-2.0 */
/* lightpath goodput: days of training on a machine that fails and is repaired. */
#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/option_rows.h"
#include "cli/options.h"
#include "cli/plan_arguments.h"
#include "cli/progress.h"

#include "base/child_pool.h"
#include "base/units.h"
#include "cli/checkpoint_options.h"
#include "cli/fleet_options.h"
#include "report/goodput_report.h"
#include "sim/days/days.h"
#include "sim/run/simulation.h"
#include "workloads/description/given_workload.h"

#define DAY_S 86400.0
#define DAYS_MAX 36500.0
#define DEFAULT_DAYS 30.0
#define RUNS_MIN 10
#define RUNS_MAX 1000000
#define DEFAULT_RUNS 1000
#define DEFAULT_SEED 1
/* The largest number of failures of all runs together, which take some minutes. */
#define FAILURES_MAX 1e8

typedef struct {
    LpPlanArguments plan;
    char *iteration_time, *days, *runs, *seed, *format; /* owned */
    gboolean approximate, verbose;
    LpFleetOptions fleet;
    LpCheckpointOptions checkpoints;
} Options;

static void
options_clear(Options *self)
{
    g_free(self->iteration_time);
    g_free(self->days);
    g_free(self->runs);
    g_free(self->seed);
    g_free(self->format);
    lp_plan_arguments_clear(&self->plan);
    lp_fleet_options_clear(&self->fleet);
    lp_checkpoint_options_clear(&self->checkpoints);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

/* What the options say that needs no machine. */
typedef struct {
    LpFormat format;
    double iteration_time_s; /* 0: to be simulated */
} Choices;

static gboolean
read_choices(const Options *options, Choices *out, LpGoodputReport *report, GError **error)
{
    g_autoptr(GError) fault = NULL;
    double days = DEFAULT_DAYS;
    guint seed = DEFAULT_SEED;
    if (options->days != NULL && !lp_number_parse(options->days, 1e-3, DAYS_MAX, &days, &fault))
        return lp_usage_error(error, "--days: %s", fault->message);
    if (options->iteration_time != NULL &&
        !lp_quantity_parse_in(LP_QUANTITY_TIME, options->iteration_time, 1e-9, 1e9,
                              &out->iteration_time_s, &fault))
        return lp_usage_error(error, "--iteration-time: %s", fault->message);
    report->input.period_s = days * DAY_S;
    report->whole_plan = options->verbose;
    if (!lp_format_parse(options->format, &out->format, error) ||
        !lp_option_count("runs", options->runs, RUNS_MIN, RUNS_MAX, DEFAULT_RUNS, &report->n_runs,
                         error) ||
        !lp_option_count("seed", options->seed, 0, G_MAXUINT32, DEFAULT_SEED, &seed, error))
        return FALSE;
    report->seed = seed;
    return TRUE;
}

static gboolean
simulate(const Options *options, LpGoodputReport *report, GError **error)
{
    LpSimulationOptions run = {.fidelity = LP_FIDELITY_FLOW, .collapse = TRUE, .alone = TRUE};
    if (options->approximate) {
        run.negligible = LP_SIMULATION_NEGLIGIBLE;
        run.shares_max = LP_SIMULATION_SHARES_MAX;
    }
    g_autoptr(LpSetup) setup = lp_setup_new(report->workload, report->machine, error);
    if (setup == NULL || (!options->plan.ignore_memory &&
                          !lp_setup_check_memory(report->workload, report->machine, error)))
        return FALSE;
    g_auto(LpProgress) progress = lp_progress_start("steps");
    lp_progress_watch(&progress, &run.run);
    g_autoptr(LpSimulation) simulation = lp_simulation_run_in_child(setup, run, error);
    if (simulation == NULL)
        return FALSE;
    report->is_simulated = TRUE;
    report->iteration_time_s = simulation->run.iteration_time_s;
    return TRUE;
}

/* Nobody waits for years to be told that nothing gets done. */
static gboolean
check_failures(const LpGoodputReport *report, GError **error)
{
    double n = lp_fleet_failures_per_s(&report->input.fleet) * report->input.period_s;
    return n * report->n_runs <= FAILURES_MAX ||
           lp_usage_error(error,
                          "--runs: got %u runs of some %.3g failures, wanted at most %g of all",
                          report->n_runs, n, FAILURES_MAX);
}

/* Runs in a row, in a process of their own. */
typedef struct {
    const LpGoodputReport *report; /* borrowed */
    guint first, n;
} Share;

static gboolean
run_share(const void *data, GByteArray *result, GError **error)
{
    const Share *share = data;
    (void)error;
    LpGoodput *runs = (LpGoodput *)(gpointer)result->data;
    for (guint i = 0; i < share->n; i++) {
        runs[i] = lp_days_run(&share->report->input, share->report->seed, share->first + i);
        lp_child_process_report(i + 1, share->n, NULL);
    }
    return TRUE;
}

/* Shares have about as many runs each. */
typedef struct {
    LpProgress *shown; /* borrowed */
    guint n_runs;
} RunProgress;

static void
report_runs(double n_done, guint64 n_all, void *data)
{
    RunProgress *self = data;
    lp_progress_show(self->shown, n_done / (double)n_all * self->n_runs, self->n_runs);
}

/* What is drawn in a run depends on its number alone, not on who runs it. */
static gboolean
run_all(const LpGoodputReport *report, LpGoodput *runs, GError **error)
{
    guint n = MIN(g_get_num_processors(), report->n_runs);
    g_autofree Share *shares = g_new(Share, n);
    g_autofree LpChildTask *tasks = g_new(LpChildTask, n);
    for (guint i = 0, first = 0; i < n; first += shares[i++].n) {
        shares[i] = (Share){report, first, (report->n_runs - first) / (n - i)};
        tasks[i] = (LpChildTask){.work = run_share,
                                 .data = &shares[i],
                                 .out_result = &runs[first],
                                 .size_bytes = shares[i].n * sizeof *runs};
    }
    g_auto(LpProgress) shown = lp_progress_start("runs");
    RunProgress progress = {&shown, report->n_runs};
    LpChildPool pool = {.name = "process of days",
                        .n_at_once = n,
                        .progress = shown.is_shown ? report_runs : NULL,
                        .progress_data = &progress};
    return lp_child_pool_run(&pool, tasks, n, NULL, error);
}

static gboolean
work_out(LpGoodputReport *report, LpGoodput *runs, GError **error)
{
    g_autofree double *workspace = g_new0(double, lp_goodput_workspace(&report->input.fleet) + 1);
    report->has_closed_form = lp_goodput_is_closed(&report->input.fleet);
    if (report->has_closed_form)
        report->closed_form = lp_goodput(&report->input, workspace);
    report->runs = runs;
    return run_all(report, runs, error);
}

static gboolean
run(const Options *options, char **arguments, GError **error)
{
    Choices choices = {0};
    LpGoodputReport report = {0};
    g_autoptr(LpWorkload) workload = NULL;
    g_autoptr(LpMachine) machine = NULL;
    if (!read_choices(options, &choices, &report, error))
        return FALSE;
    g_autoptr(LpReliability) reliability = lp_fleet_options_reliability(&options->fleet, error);
    if (reliability == NULL ||
        !lp_load_inputs(arguments[1], arguments[2], lp_plan_arguments_settings(&options->plan),
                        options->plan.choice, &workload, &machine, error) ||
        !lp_given_workload_refuse(workload, "the program says nothing of checkpoints", error))
        return FALSE;
    report.workload = workload;
    report.machine = machine;
    report.reliability = reliability;
    report.iteration_time_s = choices.iteration_time_s;
    if (!lp_fleet_options_fill(&options->fleet, &report, error) ||
        !lp_checkpoint_options_fill(&options->checkpoints, &report, error) ||
        !check_failures(&report, error) ||
        (options->iteration_time == NULL && !simulate(options, &report, error)))
        return FALSE;
    g_autofree LpGoodput *runs = g_new0(LpGoodput, report.n_runs);
    if (!work_out(&report, runs, error))
        return FALSE;
    g_autofree char *text = choices.format == LP_FORMAT_JSON
                                ? lp_goodput_report_to_json_text(&report)
                                : lp_goodput_report_to_text(&report);
    return lp_print_result(text, error);
}

gboolean
lp_cmd_goodput(int argc, char **argv, GError **error)
{
    g_auto(Options) options = {0};
    LpFleetOptions *fleet = &options.fleet;
    LpCheckpointOptions *checkpoints = &options.checkpoints;
    const GOptionEntry entries[] = {
        {"days", 0, 0, G_OPTION_ARG_STRING, &options.days, "Length of the period (default 30)",
         "NUMBER"},
        {"runs", 0, 0, G_OPTION_ARG_STRING, &options.runs,
         "Runs of the Monte Carlo method (default 1000)", "N"},
        {"seed", 0, 0, G_OPTION_ARG_STRING, &options.seed, "Of what is drawn (default 1)", "N"},
        {"iteration-time", 0, 0, G_OPTION_ARG_STRING, &options.iteration_time,
         "Of an iteration, in place of simulating it", "TIME"},
        {"reliability", 0, 0, G_OPTION_ARG_STRING, &fleet->reliability,
         "Profiles of what fails, or files with some, later ones over earlier (default llama-3)",
         "NAME|FILE,..."},
        {"part", 0, 0, G_OPTION_ARG_STRING_ARRAY, &fleet->parts,
         "Override mtbf, availability, repair, effect, count or slowdown of a part; may be given "
         "again",
         "PART:KEY=VALUE,..."},
        {"host-size", 0, 0, G_OPTION_ARG_STRING, &fleet->host_size,
         "Accelerators of a host (default: the profile's, else 8, at most a domain)", "N"},
        {"block", 0, 0, G_OPTION_ARG_STRING, &fleet->block,
         "Accelerators that fail and are given to jobs together (default: the profile's, else a "
         "domain or a host)",
         "N"},
        {"slices", 0, 0, G_OPTION_ARG_STRING, &fleet->slices,
         "Jobs like this at the same time, or as many as the machine holds (default 1)", "N|max"},
        {"spares", 0, 0, G_OPTION_ARG_STRING, &fleet->spares,
         "Blocks beyond those of the jobs (default: what the machine has)", "N"},
        {"packing", 0, 0, G_OPTION_ARG_STRING, &fleet->packing,
         "Which blocks make a slice (default any)", "any|fixed|contiguous|pods|rings"},
        {"grid", 0, 0, G_OPTION_ARG_STRING, &fleet->grid,
         "With contiguous: blocks of the machine's torus", "AxBxC"},
        {"shape", 0, 0, G_OPTION_ARG_STRING, &fleet->shape, "With contiguous: blocks of a slice",
         "AxBxC"},
        {"pod", 0, 0, G_OPTION_ARG_STRING, &fleet->pod, "With pods: accelerators of a pod", "N"},
        {"group", 0, 0, G_OPTION_ARG_STRING, &fleet->group,
         "With pods, rings: accelerators that must be in one (default: the job's)", "N"},
        {"hops", 0, 0, G_OPTION_ARG_STRING, &fleet->hops,
         "With rings: blocks up to so many places away are joined", "N"},
        {"regroup", 0, 0, G_OPTION_ARG_STRING, &fleet->regroup,
         "With rings: running jobs are never moved for others, or groups are formed anew, which is "
         "free (default never)",
         "never|free"},
        {"checkpoint-interval", 0, 0, G_OPTION_ARG_STRING, &checkpoints->interval,
         "Work between two checkpoints (default optimal)", "TIME|optimal|daly|young"},
        {"checkpoint-size", 0, 0, G_OPTION_ARG_STRING, &checkpoints->size,
         "Of all ranks' (default: weights, fp32 weights and moments)", "SIZE"},
        {"checkpoint-time", 0, 0, G_OPTION_ARG_STRING, &checkpoints->time,
         "In which training stands still for one (default: size over bandwidth)", "TIME"},
        {"storage-bandwidth", 0, 0, G_OPTION_ARG_STRING, &checkpoints->storage,
         "At which a job's checkpoints are written and read (default: the profile's)", "RATE"},
        {"detection-time", 0, 0, G_OPTION_ARG_STRING, &checkpoints->detection,
         "From a failure until its parts are replaced (default: the profile's)", "TIME"},
        {"scheduling-time", 0, 0, G_OPTION_ARG_STRING, &checkpoints->scheduling,
         "From then until the job loads its checkpoint (default: the profile's)", "TIME"},
        LP_ROW_SET(&options.plan.settings),
        LP_ROW_FRAMEWORK(&options.plan.framework),
        LP_ROW_MEMORY_RESERVE(&options.plan.memory_reserve),
        LP_ROW_PLAN(&options.plan.plan),
        {"approximate", 0, 0, G_OPTION_ARG_NONE, &options.approximate,
         "Leave out of the simulation what validate leaves out", NULL},
        LP_ROW_IGNORE_MEMORY(&options.plan.ignore_memory),
        LP_ROW_VERBOSE(&options.verbose),
        LP_ROW_FORMAT(&options.format),
        {NULL, 0, 0, 0, NULL, NULL, NULL}};
    if (!lp_options_parse("goodput", "WORKLOAD PLATFORM",
                          "Says what a machine that fails and is repaired gets done in days: in "
                          "closed form and by Monte Carlo.",
                          entries, &argc, &argv, 2, 2, error) ||
        !lp_plan_arguments_read(&options.plan, error))
        return FALSE;
    return run(&options, argv, error);
}
