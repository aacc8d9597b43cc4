/* SPDX-License-Identifier: Apache-2.0 */
/* lightpath contention: which links hold an iteration back, and who is in whose way. */
#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/made_machine.h"
#include "cli/option_rows.h"
#include "cli/options.h"
#include "cli/plan_arguments.h"
#include "cli/output_paths.h"
#include "cli/page_file.h"
#include "cli/progress.h"

#include "base/file.h"
#include "cli/variant.h"
#include "report/contention_report.h"
#include "report/page_report.h"

#define JOBS_MAX 1024
#define RUNS_MAX 100000

static const char *const switch_names[] = {"off", "on", NULL};

typedef struct {
    LpPlanArguments plan;
    char *fidelity, *collapse, *format, *jobs, *runs; /* owned */
    char **what_ifs;                                  /* owned */
    gboolean cost, verbose, band;
    LpPageFile page;
} Options;

static void
options_clear(Options *self)
{
    g_free(self->fidelity);
    g_free(self->collapse);
    g_free(self->format);
    g_free(self->jobs);
    g_free(self->runs);
    lp_page_file_clear(&self->page);
    lp_plan_arguments_clear(&self->plan);
    g_strfreev(self->what_ifs);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

/* What the options say, read. */
typedef struct {
    LpFormat format;
    guint fidelity, collapse, n_jobs, n_runs;
} Choices;

static gboolean
check_what_ifs(const Options *options, GError **error)
{
    for (guint i = 0; options->what_ifs != NULL && options->what_ifs[i] != NULL; i++)
        if (options->what_ifs[i][0] == '\0')
            return lp_usage_error(error, "--what-if: got nothing, wanted NAME=VALUE,...");
    return TRUE;
}

static gboolean
read_choices(const Options *options, Choices *out_choices, GError **error)
{
    guint n_processors = MIN(g_get_num_processors(), JOBS_MAX);
    return check_what_ifs(options, error) &&
           lp_format_parse(options->format, &out_choices->format, error) &&
           lp_option_choice("fidelity", options->fidelity, lp_fidelity_names, LP_FIDELITY_FLOW,
                            &out_choices->fidelity, error) &&
           lp_option_choice("collapse", options->collapse, switch_names, TRUE,
                            &out_choices->collapse, error) &&
           lp_option_count("jobs", options->jobs, 1, JOBS_MAX, n_processors, &out_choices->n_jobs,
                           error) &&
           lp_option_count("runs", options->runs, 1, RUNS_MAX, 0, &out_choices->n_runs, error);
}

static gboolean
print_report(const LpContentionReport *report, LpFormat format, GError **error)
{
    g_autofree char *text = format == LP_FORMAT_JSON ? lp_contention_report_to_json_text(report)
                                                     : lp_contention_report_to_text(report);
    return lp_print_result(text, error);
}

static gboolean
write_page(const Options *options, const LpContentionReport *report, GError **error)
{
    if (options->page.path == NULL)
        return TRUE;
    g_autoptr(json_t) document = lp_contention_report_to_json(report);
    return lp_page_file_write(&options->page, lp_page_of_contention, document, error);
}

/* Loads the jobs and the machine. */
static LpScenario *
load_scenario(const Options *options, char **arguments, LpMachine **out_machine,
              gboolean *out_is_scenario, GError **error)
{
    const char *const *settings = lp_plan_arguments_settings(&options->plan);
    g_autofree char *path =
        lp_input_find(arguments[1], LP_INPUT_WORKLOAD | LP_INPUT_SCENARIO, error);
    if (path == NULL)
        return NULL;
    *out_is_scenario = lp_scenario_is_file(path);
    if (!*out_is_scenario) {
        LpWorkload *workload = NULL;
        return lp_load_inputs(arguments[1], arguments[2], settings, options->plan.choice, &workload,
                              out_machine, error)
                   ? lp_scenario_new_single(workload, path)
                   : NULL;
    }
    if (options->plan.choice != LP_PLAN_FILE) {
        (void)lp_usage_error(error, "--plan: got fit, wanted none: a scenario has several plans");
        return NULL;
    }
    g_autoptr(LpScenario) scenario = lp_scenario_load(path, settings, error);
    g_autofree char *platform_path =
        scenario != NULL ? lp_input_find(arguments[2], LP_INPUT_PLATFORM, error) : NULL;
    g_autoptr(LpMachine) machine =
        platform_path != NULL ? lp_made_machine_load(platform_path, error) : NULL;
    if (machine == NULL ||
        !lp_scenario_apply_machine(scenario, machine->domain_size, &machine->accelerator, error))
        return NULL;
    *out_machine = g_steal_pointer(&machine);
    return g_steal_pointer(&scenario);
}

/* What else was asked for. */
typedef struct {
    GArray *what_ifs, *runs, *band; /* owned: LpVariantRow */
} Variants;

static void
row_clear(LpVariantRow *self)
{
    g_free(self->name);
    g_free(self->times_s);
    g_free(self->misfit);
}

static GArray *
new_rows(void)
{
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(LpVariantRow));
    g_array_set_clear_func(rows, (GDestroyNotify)row_clear);
    return rows;
}

static void
variants_clear(Variants *self)
{
    g_array_unref(self->what_ifs);
    g_array_unref(self->runs);
    g_array_unref(self->band);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Variants, variants_clear)

/* Runs that progress counts on before it is known how many there are: of a band, and of the
 * attribution itself. */
#define N_BAND 4
#define N_ATTRIBUTED 16

/* Before the engine starts here: each variant starts its own. */
static gboolean
run_variants(const Options *options, const Choices *choices, const char *workload,
             const LpMachine *machine, guint n_jobs, LpProgress *progress, const Variants *out,
             GError **error)
{
    LpVariantBase base = {.workload = workload,
                          .platform = machine->path,
                          .settings = lp_plan_arguments_settings(&options->plan),
                          .fidelity = (LpFidelity)choices->fidelity,
                          .collapse = choices->collapse != 0,
                          .ignore_memory = options->plan.ignore_memory,
                          .n_jobs = n_jobs,
                          .n_at_once = choices->n_jobs,
                          .progress = progress->is_shown ? lp_progress_callback : NULL,
                          .progress_data = progress};
    g_auto(GStrv) fitting = NULL;
    if (options->plan.choice != LP_PLAN_FILE) {
        fitting =
            lp_plan_choice_fit(options->plan.choice, workload, base.settings, &machine, 1, error);
        if (fitting == NULL)
            return FALSE;
        base.settings = (const char *const *)fitting;
    }
    const char *const *what_ifs = (const char *const *)options->what_ifs;
    double n_what_ifs = what_ifs != NULL ? g_strv_length(options->what_ifs) : 0;
    double n_before = 0.0,
           n_all = n_what_ifs + choices->n_runs + (options->band ? N_BAND : 0) + N_ATTRIBUTED;
    n_before += n_what_ifs;
    if (what_ifs != NULL) {
        lp_progress_phase(progress, "what-ifs", n_before / n_all);
        if (!lp_variants_what_if(&base, what_ifs, out->what_ifs, error))
            return FALSE;
    }
    n_before += choices->n_runs;
    if (choices->n_runs > 0) {
        lp_progress_phase(progress, "seeds", n_before / n_all);
        if (!lp_variants_runs(&base, choices->n_runs, out->runs, error))
            return FALSE;
    }
    lp_progress_phase(progress, "runs of the band", (n_all - N_ATTRIBUTED) / n_all);
    return !options->band || lp_variants_band(&base, out->band, error);
}

static gboolean
attribute(const Options *options, char **arguments, double started_s, GError **error)
{
    Choices choices;
    LpContentionReport report = {.whole_plan = options->verbose, .has_cost = options->cost};
    if (!read_choices(options, &choices, error))
        return FALSE;
    g_autoptr(LpMachine) machine = NULL;
    g_autoptr(LpScenario) scenario =
        load_scenario(options, arguments, &machine, &report.is_scenario, error);
    if (scenario == NULL)
        return FALSE;
    if (!options->plan.ignore_memory && !lp_check_scenario_memory(scenario, machine, error))
        return FALSE;
    g_auto(Variants) variants = {new_rows(), new_rows(), new_rows()};
    g_auto(LpProgress) progress = lp_progress_start("runs");
    if (!run_variants(options, &choices, scenario->path, machine, scenario->jobs->len, &progress,
                      &variants, error))
        return FALSE;
    g_autoptr(LpScenarioSetup) scenario_setup = lp_scenario_setup_new_unloaded(
        scenario, machine, (LpFidelity)choices.fidelity, choices.collapse != 0, error);
    if (scenario_setup == NULL)
        return FALSE;
    lp_progress_phase(&progress, "runs", 1.0);
    g_autoptr(LpAttributions) attributions =
        lp_attributions_new(scenario_setup, choices.n_jobs, lp_progress_callback, &progress, error);
    if (attributions == NULL)
        return FALSE;
    report.scenario_setup = scenario_setup;
    report.machine = machine;
    report.attributions = attributions;
    report.what_ifs = variants.what_ifs->len > 0 ? variants.what_ifs : NULL;
    report.runs = variants.runs->len > 0 ? variants.runs : NULL;
    report.band = variants.band->len > 0 ? variants.band : NULL;
    report.cost =
        (LpCost){lp_wall_clock_s() - started_s, lp_peak_rss_bytes() + attributions->peak_rss_bytes};
    g_autoptr(GError) fault = NULL;
    gboolean good = print_report(&report, choices.format, error);
    return lp_outputs_join(good, write_page(options, &report, &fault), &fault, error);
}

gboolean
lp_cmd_contention(int argc, char **argv, GError **error)
{
    double started_s = lp_wall_clock_s();
    g_auto(Options) options = {0};
    const GOptionEntry entries[] = {
        LP_ROW_FIDELITY(&options.fidelity),
        LP_ROW_COLLAPSE(&options.collapse),
        {"set", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.plan.settings,
         "Override an attribute of every workload; may be given again", "NAME=VALUE"},
        LP_ROW_FRAMEWORK(&options.plan.framework),
        LP_ROW_MEMORY_RESERVE(&options.plan.memory_reserve),
        LP_ROW_PLAN(&options.plan.plan),
        LP_ROW_FORMAT(&options.format),
        {"report", 0, 0, G_OPTION_ARG_FILENAME, &options.page.path,
         "Write a page with tables and plots, which needs no network", "FILE.html"},
        {"jobs", 0, 0, G_OPTION_ARG_STRING, &options.jobs,
         "Runs at the same time (default: as many as processors)", "N"},
        {"what-if", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.what_ifs,
         "What another attribute of the plan, or option of a generated machine, would save; may be "
         "given again",
         "NAME=VALUE,..."},
        {"runs", 0, 0, G_OPTION_ARG_STRING, &options.runs,
         "Simulate with so many seeds of jitter, traffic, hashes and skew", "N"},
        {"band", 0, 0, G_OPTION_ARG_NONE, &options.band,
         "Simulate with both fidelities, hashed and ideal paths too", NULL},
        LP_ROW_IGNORE_MEMORY(&options.plan.ignore_memory),
        LP_ROW_VERBOSE(&options.verbose),
        {"cost", 0, 0, G_OPTION_ARG_NONE, &options.cost, "Also say what it cost: time, memory",
         NULL},
        {NULL, 0, 0, 0, NULL, NULL, NULL}};
    if (!lp_options_parse("contention", "WORKLOAD|SCENARIO PLATFORM",
                          "Says which tiers and links hold an iteration back, and which traffic "
                          "delays which.",
                          entries, &argc, &argv, 2, 2, error) ||
        !lp_plan_arguments_read(&options.plan, error))
        return FALSE;
    g_autofree char **inputs = lp_inputs(argv + 1, options.plan.settings);
    return lp_page_file_prepare(&options.page, inputs, error) &&
           attribute(&options, argv, started_s, error);
}
