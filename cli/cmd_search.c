/* SPDX-License-Identifier: Apache-2.0 */
/* lightpath search: the fastest plans of a workload on machines. */
#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/machine_variant.h"
#include "cli/interruption.h"
#include "cli/option_rows.h"
#include "cli/options.h"
#include "cli/plan_arguments.h"
#include "cli/progress.h"
#include "cli/search_machines.h"
#include "cli/output_paths.h"
#include "cli/search_outputs.h"

#include "base/file.h"
#include "base/units.h"
#include "platforms/machine/network_parts.h"
#include "report/energy.h"
#include "report/search_report.h"
#include "workloads/description/given_workload.h"

#include <math.h>
#include <string.h>

#define JOBS_MAX 1024
#define SHOWN_MAX 1000000
/* Combinations that are gone through in minutes. */
#define COMBINATIONS_MAX 1e8

typedef struct {
    LpPlanArguments plan;
    char *format, *top, *within, *budget, *jobs, *objective, *accelerator_price; /* owned */
    char **vary;                                                                 /* owned */
    LpSearchOutputs outputs;
    gboolean exhaustive;
} Options;

static void
options_clear(Options *self)
{
    g_strfreev(self->vary);
    g_free(self->objective);
    g_free(self->accelerator_price);
    g_free(self->format);
    g_free(self->top);
    g_free(self->within);
    g_free(self->budget);
    g_free(self->jobs);
    lp_search_outputs_clear(&self->outputs);
    lp_plan_arguments_clear(&self->plan);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

/* What the options say, read. */
typedef struct {
    LpFormat format;
    guint n_best;
    LpSearchOptions run;
    double accelerator_price_usd;
} Choices;

static gboolean
read_objective(const Options *options, Choices *out, GError **error)
{
    g_autoptr(GError) fault = NULL;
    if (options->accelerator_price != NULL &&
        !lp_number_parse(options->accelerator_price, 0.0, 1e9, &out->accelerator_price_usd, NULL) &&
        !lp_quantity_parse(LP_QUANTITY_PRICE, options->accelerator_price,
                           &out->accelerator_price_usd, &fault))
        return lp_usage_error(error, "--accelerator-price: %s", fault->message);
    for (LpObjective i = 0; i < LP_N_OBJECTIVES; i++)
        if (g_strcmp0(options->objective != NULL ? options->objective : "time",
                      lp_objective_names[i]) == 0) {
            out->run.measure.objective = i;
            return TRUE;
        }
    return lp_usage_error(error, "--objective: got \"%s\", wanted time, cost, energy or memory",
                          options->objective);
}

static gboolean
read_choices(const Options *options, Choices *out, GError **error)
{
    double percent = 0.0;
    g_autoptr(GError) fault = NULL;
    if (!lp_format_parse(options->format, &out->format, error) ||
        !read_objective(options, out, error) ||
        !lp_option_count("top", options->top, 1, SHOWN_MAX, 10, &out->n_best, error) ||
        !lp_option_count("jobs", options->jobs, 1, JOBS_MAX, g_get_num_processors(),
                         &out->run.n_at_once, error))
        return FALSE;
    if (options->within != NULL &&
        !lp_number_parse(options->within, 0.0, 1000.0, &percent, &fault)) {
        return lp_usage_error(error, "--within: %s", fault->message);
    }
    if (options->budget != NULL &&
        !lp_number_parse(options->budget, 0.0, 1e9, &out->run.budget_s, &fault)) {
        return lp_usage_error(error, "--budget: %s", fault->message);
    }
    if (options->budget == NULL)
        out->run.budget_s = INFINITY;
    out->run.n_best = out->n_best;
    out->run.within = percent / 100.0;
    out->run.all = options->exhaustive;
    out->run.clock_s = lp_wall_clock_s;
    out->run.is_interrupted = lp_interruption_has_come;
    return TRUE;
}

/* Names the axis with the most values where combinations are too many to go through. */
static gboolean
check_size(const LpSearchAxes *axes, GError **error)
{
    double n = lp_search_axes_n_plans(axes);
    const LpSearchAxis *longest = axes->axes->len > 0 ? lp_search_axis(axes, 0) : NULL;
    for (guint i = 1; i < axes->axes->len; i++)
        if (g_strv_length(lp_search_axis(axes, i)->values) > g_strv_length(longest->values))
            longest = lp_search_axis(axes, i);
    return n <= COMBINATIONS_MAX ||
           lp_usage_error(
               error,
               "--vary: got %.3g combinations, wanted at most %.0e: fewer axes, or fewer "
               "values such as of %s, which has %u",
               n, COMBINATIONS_MAX, longest->name, g_strv_length(longest->values));
}

/* Checks that there is a plan to run at all. */
static gboolean
check_any(const LpSearchSpace *space, GError **error)
{
    if (space->plans->len > 0)
        return TRUE;
    g_autofree char *memory = lp_quantity_format(LP_QUANTITY_SIZE, space->least_lacking_bytes);
    const LpSearchRefusal *refusal =
        space->refusals->len > 0 ? &g_array_index(space->refusals, LpSearchRefusal, 0) : NULL;
    g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_FIT,
                "search: got %" G_GUINT64_FORMAT
                " plans of which none is legal and fits, wanted at least one (%s%s)",
                space->n_considered,
                space->n_refused_memory > 0 ? "what lacks the least memory lacks "
                : refusal != NULL           ? "most often "
                                            : "",
                space->n_refused_memory > 0 ? memory
                : refusal != NULL           ? refusal->message
                                            : "");
    return FALSE;
}

static double
energy_j(const LpMachine *machine, const LpLinkTraffic *traffic, double time_s)
{
    LpEnergy energy = lp_energy_find(machine, traffic, time_s);
    return lp_energy_sum_j(&energy);
}

/* Prices of @machines, USD; 0 where that of the network is not known. Returns: (transfer full). */
static double *
find_prices(const GPtrArray *machines, double accelerator_price_usd)
{
    double *prices = g_new0(double, machines->len);
    for (guint i = 0; i < machines->len; i++) {
        const LpMachine *machine = machines->pdata[i];
        LpMachineNetwork network = lp_machine_network(machine);
        if (network.has_price)
            prices[i] =
                network.cost.price_usd + accelerator_price_usd * (double)machine->n_accelerators;
    }
    return prices;
}

/* Checks that all of @machines can be compared by the objective. */
static gboolean
check_objective(const GPtrArray *machines, const LpSearchMeasure *measure, GError **error)
{
    static const LpLinkTraffic none;
    for (guint i = 0; i < machines->len; i++) {
        const LpMachine *machine = machines->pdata[i];
        gboolean is_known =
            measure->objective == LP_OBJECTIVE_COST     ? lp_machine_network(machine).has_price
            : measure->objective == LP_OBJECTIVE_ENERGY ? lp_energy_find(machine, &none, 1.0).n > 0
                                                        : TRUE;
        if (!is_known)
            return lp_usage_error(error,
                                  "--objective: got %s, wanted machines whose technologies have "
                                  "it: %s has no --technology and --switch-technology of the "
                                  "catalogue",
                                  lp_objective_names[measure->objective],
                                  lp_file_label(machine->path));
    }
    return TRUE;
}

static gboolean
search(const Options *options, Choices *choices, const char *path, const char *const *items,
       GPtrArray *machines, char **refused, GError **error)
{
    const char *const *settings = lp_plan_arguments_settings(&options->plan);
    g_autoptr(LpWorkloadDraft) draft = lp_workload_draft_load(path, settings, error);
    if (draft == NULL)
        return FALSE;
    g_autoptr(LpWorkload) own = lp_workload_draft_read(draft);
    if (!lp_given_workload_refuse(own, "the program has no plan that could be another", error))
        return FALSE;
    g_autoptr(GPtrArray) axes = g_ptr_array_new_with_free_func((GDestroyNotify)lp_search_axes_free);
    for (guint i = 0; i < machines->len; i++) {
        const LpMachine *machine = machines->pdata[i];
        g_autoptr(GError) fault = NULL;
        LpSearchAxes *own_axes =
            lp_search_axes_new(items, own, settings, machine->n_accelerators, &fault);
        if (own_axes == NULL) {
            return lp_usage_error(error, "--vary: %s", fault->message);
        }
        g_ptr_array_add(axes, own_axes);
        if (!check_size(own_axes, error))
            return FALSE;
    }
    g_autofree double *prices = find_prices(machines, choices->accelerator_price_usd);
    choices->run.measure.price_usd = prices;
    choices->run.measure.energy_j = energy_j;
    if (!check_objective(machines, &choices->run.measure, error))
        return FALSE;
    g_auto(LpProgress) progress = lp_progress_start("plans");
    g_autoptr(LpSearchSpace) space = lp_search_space_new(
        draft, (const LpMachine *const *)machines->pdata, machines->len,
        (const LpSearchAxes *const *)axes->pdata, options->plan.ignore_memory,
        choices->run.n_at_once, progress.is_shown ? lp_progress_callback : NULL, &progress, error);
    if (space == NULL || !check_any(space, error))
        return FALSE;
    choices->run.progress = progress.is_shown ? lp_progress_callback : NULL;
    choices->run.progress_data = &progress;
    lp_interruption_hold();
    g_autoptr(LpSearchResult) result = lp_search_run(space, &choices->run, error);
    if (result == NULL)
        return FALSE;
    LpSearchReport report = {.workload = own->name,
                             .space = space,
                             .result = result,
                             .refused_machines = refused,
                             .measure = &choices->run.measure,
                             .n_best = choices->n_best,
                             .within = choices->run.within};
    return lp_search_outputs_give(&options->outputs, &report, choices->format, error);
}

static gboolean
is_axis(const char *name)
{
    return lp_workload_has_attribute(name, NULL) || lp_machine_variant_knows(name);
}

gboolean
lp_cmd_search(int argc, char **argv, GError **error)
{
    g_auto(Options) options = {0};
    const GOptionEntry entries[] = {
        {"vary", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.vary,
         "What differs: attributes, each with its values (1|2|4, 1..8, 1..64*2) or all that "
         "can differ, and options of the machine with their values (default: tp pp cp ep "
         "micro-batch virtual-stages recompute "
         "sequence-parallel zero)",
         "NAME[=VALUES],..."},
        LP_ROW_SET(&options.plan.settings),
        LP_ROW_FRAMEWORK(&options.plan.framework),
        LP_ROW_MEMORY_RESERVE(&options.plan.memory_reserve),
        {"objective", 0, 0, G_OPTION_ARG_STRING, &options.objective,
         "What the best have least of: time (default), cost, energy or memory", "NAME"},
        {"accelerator-price", 0, 0, G_OPTION_ARG_STRING, &options.accelerator_price,
         "Price of an accelerator, beside that of the network", "USD"},
        {"top", 0, 0, G_OPTION_ARG_STRING, &options.top, "Show so many plans (10)", "N"},
        {"within", 0, 0, G_OPTION_ARG_STRING, &options.within,
         "And all that take at most so much longer than the first", "PERCENT"},
        {"budget", 0, 0, G_OPTION_ARG_STRING, &options.budget,
         "Begin no simulation after so many seconds", "SECONDS"},
        {"jobs", 0, 0, G_OPTION_ARG_STRING, &options.jobs,
         "Simulate so many plans side by side (as many as there are processors)", "N"},
        {"exhaustive", 0, 0, G_OPTION_ARG_NONE, &options.exhaustive,
         "Simulate all plans, also those that lower bounds rule out", NULL},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &options.outputs.workload,
         "Write the first plan as a workload", "FILE.xml"},
        {"report", 0, 0, G_OPTION_ARG_FILENAME, &options.outputs.page.path,
         "Write a page: all plans, the front, what was refused, the first plan's run", "FILE.html"},
        {"csv", 0, 0, G_OPTION_ARG_FILENAME, &options.outputs.csv,
         "Write a table of all plans that were simulated", "FILE.csv"},
        LP_ROW_EXPORT(&options.outputs.export),
        LP_ROW_FORMAT(&options.format),
        LP_ROW_IGNORE_MEMORY(&options.plan.ignore_memory),
        {NULL, 0, 0, 0, NULL, NULL, NULL}};
    Choices choices = {.format = LP_FORMAT_TEXT};
    if (!lp_options_parse("search", "WORKLOAD PLATFORM...",
                          "Finds the fastest plans for a workload on one or several machines.",
                          entries, &argc, &argv, 2, G_MAXINT, error) ||
        !read_choices(&options, &choices, error) || !lp_plan_arguments_read(&options.plan, error))
        return FALSE;
    g_autofree char **inputs = lp_inputs(argv + 1, options.plan.settings);
    if (!lp_search_outputs_prepare(&options.outputs, inputs, options.format, error))
        return FALSE;
    g_autofree char *path = lp_input_find(argv[1], LP_INPUT_WORKLOAD, error);
    g_auto(GStrv) items = options.vary != NULL
                              ? lp_search_items((const char *const *)options.vary, is_axis)
                              : g_new0(char *, 1);
    g_auto(GStrv) refused = NULL;
    g_autoptr(GPtrArray) machines =
        path != NULL ? lp_search_machines_load(argv + 2, items, &refused, error) : NULL;
    const char *const *own_items = items[0] != NULL ? (const char *const *)items : NULL;
    return machines != NULL &&
           search(&options, &choices, path, own_items, machines, refused, error);
}
