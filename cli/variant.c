/* SPDX-License-Identifier: Apache-2.0 */
/* Loads inputs once more in a child process, changes them, and runs all jobs. */
#include "cli/variant.h"

#include "base/child_pool.h"
#include "base/error.h"
#include "cli/inputs.h"
#include "cli/machine_variant.h"
#include "cli/made_machine.h"
#include "sim/engine/loading.h"
#include "sim/run/job_quotient.h"
#include "sim/run/job_set_quotient.h"
#include "sim/simulation_error.h"

#include <math.h>
#include <string.h>

/* What a child process runs. */
typedef struct {
    const LpVariantBase *base; /* borrowed */
    const char *setting;       /* borrowed: "name=value,...", of plan or machine; or NULL */
    LpFidelity fidelity;
    gboolean ideal_paths; /**< flows meet on ports only */
    guint32 seed;         /**< added to every seed */
} Variant;

/* What it leaves behind, and then the time of each job. */
typedef struct {
    double units;
    char misfit[512]; /**< what does not fit on the machine; "": all does */
} Head;

/* --- in the child --- */

/* Value of the setting "name=value"; @out_name: (transfer full). */
static const char *
split(const char *setting, char **out_name)
{
    const char *equals = strchr(setting, '=');
    *out_name = g_strndup(setting, equals == NULL ? strlen(setting) : (gsize)(equals - setting));
    return equals == NULL ? "" : equals + 1;
}

/* How often the value doubles, or halves; 1 where it is no number. */
static double
units_between(const char *before, const char *after)
{
    char *before_end, *after_end;
    double from = before == NULL ? 0.0 : g_ascii_strtod(before, &before_end);
    double to = g_ascii_strtod(after, &after_end);
    if (!(from > 0.0) || !(to > 0.0) || from == to || strcmp(before_end, after_end) != 0)
        return 1.0;
    return fabs(log2(to / from));
}

/* @more: "name=value" besides those of the command line. */
static LpScenario *
load_scenario(const LpVariantBase *base, const GPtrArray *more, GError **error)
{
    g_autoptr(GPtrArray) settings = g_ptr_array_new();
    for (guint i = 0; base->settings != NULL && base->settings[i] != NULL; i++)
        g_ptr_array_add(settings, (gpointer)(guintptr)base->settings[i]);
    for (guint i = 0; i < more->len; i++)
        g_ptr_array_add(settings, more->pdata[i]);
    g_ptr_array_add(settings, NULL);
    const char *const *all = (gpointer)settings->pdata;
    if (lp_scenario_is_file(base->workload))
        return lp_scenario_load(base->workload, all, error);
    LpWorkload *workload = lp_workload_load(base->workload, all, error);
    return workload == NULL ? NULL : lp_scenario_new_single(workload, base->workload);
}

void
lp_variant_shift_seeds(LpScenario *scenario, LpMachine *machine, guint32 seed)
{
    machine->path_seed += seed;
    for (guint i = 0; i < scenario->stragglers->len; i++)
        ((LpScenarioStraggler *)scenario->stragglers->pdata[i])->seed += seed;
    for (guint i = 0; i < scenario->traffic->len; i++)
        ((LpScenarioTraffic *)scenario->traffic->pdata[i])->seed += seed;
    for (guint i = 0; i < scenario->jobs->len; i++)
        ((LpScenarioJob *)scenario->jobs->pdata[i])->workload->plan.experts.seed += seed;
}

/* Flows meet on what a collective shares with itself, and nowhere else. */
static LpQuotientView
ideal_view(void)
{
    LpQuotientView view = {.is_apart = TRUE};
    for (LpTier tier = 0; tier < LP_N_TIERS; tier++)
        view.uncontended[tier] = !lp_tier_is_shared(tier);
    return view;
}

static gboolean
run_ideal(LpScenarioSetup *scenario_setup, LpJobSet *job_set, LpRunContext context,
          LpRunResult *results, GError **error)
{
    LpQuotientView view = ideal_view();
    g_autoptr(LpQuotient) quotient =
        lp_job_quotient_new(scenario_setup, &job_set->jobs[0], 0, &view);
    gboolean by_classes =
        quotient != NULL &&
        lp_job_quotient_is_worthwhile(quotient, job_set->jobs[0].map, job_set->contentions[0]);
    if (by_classes)
        job_set->jobs[0].quotient = quotient;
    if (!(by_classes ? lp_network_load_minimal(scenario_setup->network,
                                               scenario_setup->engine_options, error)
                     : lp_scenario_setup_load(scenario_setup, error)))
        return FALSE;
    g_autoptr(LpFlowEngine) sharing =
        by_classes ? lp_flow_engine_new_of_classes(quotient, NULL, NULL)
                   : lp_flow_engine_new(scenario_setup->network, view.uncontended, NULL);
    context.sharing = sharing;
    lp_run_jobs(job_set->jobs, job_set->n, &context, results);
    return TRUE;
}

/* Runs by classes, unless links may die: ranks are then named one by one. */
static gboolean
run_real(LpScenarioSetup *scenario_setup, LpJobSet *job_set, LpRunContext context,
         LpRunResult *results, GError **error)
{
    g_autoptr(LpJobSetQuotient) quotient =
        scenario_setup->faults == NULL
            ? lp_job_set_quotient_new(job_set, LP_SCENARIO_SCOPE_TOGETHER)
            : NULL;
    if (quotient != NULL)
        return lp_job_set_quotient_run(quotient, &context, results, error);
    if (!lp_scenario_setup_load(scenario_setup, error))
        return FALSE;
    lp_run_jobs(job_set->jobs, job_set->n, &context, results);
    return TRUE;
}

static gboolean
run_scenario(const Variant *self, LpScenarioSetup *scenario_setup, double *out_times_s,
             GError **error)
{
    g_autoptr(LpWatch) watch = lp_watch_new(lp_network_n_links(scenario_setup->network));
    g_autofree LpRunResult *results = g_new0(LpRunResult, scenario_setup->jobs->len);
    g_auto(LpJobSet) job_set = lp_job_set_of(scenario_setup);
    for (guint i = 0; i < scenario_setup->jobs->len; i++)
        lp_job_set_add(&job_set, i, LP_SCENARIO_SCOPE_TOGETHER, 0);
    LpRunContext context = {.watch = watch,
                            .faults = scenario_setup->faults,
                            .backgrounds = scenario_setup->backgrounds,
                            .progress = lp_child_process_report};
    if (!(self->ideal_paths ? run_ideal(scenario_setup, &job_set, context, results, error)
                            : run_real(scenario_setup, &job_set, context, results, error)))
        return FALSE;
    LpStall stall = lp_watch_stall(watch);
    for (guint i = 0; i < job_set.n; i++)
        out_times_s[i] = results[i].iteration_time_s;
    return lp_scenario_setup_check_stall(
        scenario_setup, &stall, stall.is_stalled ? results[stall.job].n_waiting : 0, error);
}

/* The settings of a variant, sorted by what they change. */
typedef struct {
    char **words;       /* owned */
    GPtrArray *plan;    /* owned array of borrowed words */
    GPtrArray *machine; /* owned array of borrowed words, NULL-ended */
} Changes;

static void
changes_clear(Changes *self)
{
    g_strfreev(self->words);
    g_ptr_array_unref(self->plan);
    g_ptr_array_unref(self->machine);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Changes, changes_clear)

static Changes
read_changes(const char *setting)
{
    Changes self = {g_strsplit(setting != NULL ? setting : "", ",", -1), g_ptr_array_new(),
                    g_ptr_array_new()};
    for (guint i = 0; self.words[i] != NULL; i++) {
        g_autofree char *name = NULL;
        (void)split(self.words[i], &name);
        g_ptr_array_add(lp_machine_variant_knows(name) ? self.machine : self.plan, self.words[i]);
    }
    g_ptr_array_add(self.machine, NULL);
    return self;
}

/* Checks changes of plans; changes of the machine are checked when it is made. */
static gboolean
check_changes(const char *setting, GError **error)
{
    g_auto(Changes) changes = read_changes(setting);
    for (guint i = 0; i < changes.plan->len; i++) {
        const char *word = changes.plan->pdata[i];
        if (!lp_workload_check_setting(word, error)) {
            g_prefix_error(error, "--what-if=%s: ", word);
            return FALSE;
        }
    }
    return TRUE;
}

/* Summed over all changes; 1 if there is none. */
static double
count_units(const Changes *self, const LpWorkload *workload, const LpMachine *machine)
{
    double units = 0.0;
    for (guint i = 0; self->words[i] != NULL; i++) {
        g_autofree char *name = NULL;
        const char *value = split(self->words[i], &name);
        g_autofree char *before = lp_machine_variant_knows(name)
                                      ? lp_machine_variant_value(machine, name)
                                      : lp_input_attribute(workload, name);
        units += units_between(before, value);
    }
    return units > 0.0 ? units : 1.0;
}

static gboolean
run(const Variant *self, double *out_units, double *out_times_s, GError **error)
{
    g_autoptr(GPtrArray) nothing = g_ptr_array_new();
    g_auto(Changes) changes = read_changes(self->setting);
    g_autoptr(LpScenario) plain = load_scenario(self->base, nothing, error);
    g_autoptr(LpScenario) scenario =
        plain == NULL ? NULL : load_scenario(self->base, changes.plan, error);
    g_autoptr(LpMachine) machine =
        scenario == NULL ? NULL : lp_made_machine_load(self->base->platform, error);
    if (machine == NULL)
        return FALSE;
    *out_units = count_units(&changes, lp_scenario_job(plain, 0)->workload, machine);
    if (changes.machine->len > 1) {
        LpMachine *varied =
            lp_machine_variant_new(machine, (gpointer)changes.machine->pdata, error);
        if (varied == NULL)
            return FALSE;
        lp_machine_free(machine);
        machine = varied;
    }
    if (!lp_scenario_apply_machine(scenario, machine->domain_size, &machine->accelerator, error))
        return FALSE;
    for (guint i = 0; !self->base->ignore_memory && i < scenario->jobs->len; i++)
        if (!lp_setup_check_memory(lp_scenario_job(scenario, i)->workload, machine, error))
            return FALSE;
    lp_variant_shift_seeds(scenario, machine, self->seed);
    g_autoptr(LpScenarioSetup) scenario_setup = lp_scenario_setup_new_unloaded(
        scenario, machine, self->fidelity, self->base->collapse, error);
    return scenario_setup != NULL && run_scenario(self, scenario_setup, out_times_s, error);
}

static gboolean
run_child(const void *data, GByteArray *result, GError **error)
{
    Head *head = (gpointer)result->data;
    GError *fault = NULL;
    if (run(data, &head->units, (double *)(gpointer)(head + 1), &fault))
        return TRUE;
    if (!g_error_matches(fault, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_MEMORY) &&
        !g_error_matches(fault, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_FIT)) {
        g_propagate_error(error, fault);
        return FALSE;
    }
    g_strlcpy(head->misfit, fault->message, sizeof head->misfit);
    g_error_free(fault);
    return TRUE;
}

/* --- series of them --- */

static gsize
block_bytes(const LpVariantBase *base)
{
    return sizeof(Head) + sizeof(double) * base->n_jobs;
}

/* Only what is asked "what if" may not fit. */
static gboolean
add_row(const LpVariantBase *base, const char *name, const Head *head, const GError *fault,
        gboolean may_misfit, GArray *out, GError **error)
{
    const char *reason = lp_input_reason(fault != NULL ? fault->message : head->misfit, name);
    if (fault == NULL && head->misfit[0] != '\0' && may_misfit) {
        LpVariantRow row = {
            .name = g_strdup(name), .units = head->units, .misfit = g_strdup(reason)};
        g_array_append_val(out, row);
        return TRUE;
    }
    if (fault != NULL || head->misfit[0] != '\0') {
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE, "%s: %s", name, reason);
        return FALSE;
    }
    LpVariantRow row = {.name = g_strdup(name),
                        .units = head->units,
                        .times_s = g_memdup2(head + 1, sizeof(double) * base->n_jobs)};
    g_array_append_val(out, row);
    return TRUE;
}

/* @names: of the rows. */
static gboolean
run_all(const LpVariantBase *base, const Variant *variants, char *const *names, guint n,
        gboolean may_misfit, GArray *out, GError **error)
{
    g_autofree LpChildTask *tasks = g_new0(LpChildTask, n);
    g_autofree guint8 *blocks = g_malloc0(block_bytes(base) * n);
    g_autofree GError **faults = g_new0(GError *, n);
    LpChildPool pool = {.name = "process of a run",
                        .n_at_once = base->n_at_once,
                        .progress = base->progress,
                        .progress_data = base->progress_data};
    for (guint i = 0; i < n; i++)
        tasks[i] = (LpChildTask){.work = run_child,
                                 .data = &variants[i],
                                 .out_result = blocks + block_bytes(base) * i,
                                 .size_bytes = block_bytes(base),
                                 .out_error = &faults[i]};
    gboolean good = lp_child_pool_run(&pool, tasks, n, NULL, error);
    for (guint i = 0; i < n; i++) {
        good =
            good && add_row(base, names[i], tasks[i].out_result, faults[i], may_misfit, out, error);
        g_clear_error(&faults[i]);
    }
    return good;
}

gboolean
lp_variants_what_if(const LpVariantBase *base, const char *const *what_ifs, GArray *out,
                    GError **error)
{
    g_auto(GStrv) names = g_strdupv((char **)(gpointer)(guintptr)what_ifs);
    guint n = names == NULL ? 0 : g_strv_length(names);
    g_autofree Variant *variants = g_new0(Variant, n);
    for (guint i = 0; i < n; i++) {
        if (!check_changes(names[i], error))
            return FALSE;
        variants[i] = (Variant){.base = base, .setting = names[i], .fidelity = base->fidelity};
    }
    if (run_all(base, variants, names, n, TRUE, out, error))
        return TRUE;
    g_prefix_error(error, "--what-if=");
    return FALSE;
}

gboolean
lp_variants_runs(const LpVariantBase *base, guint n_runs, GArray *out, GError **error)
{
    g_autofree Variant *variants = g_new0(Variant, n_runs);
    g_auto(GStrv) names = g_new0(char *, n_runs + 1);
    for (guint i = 0; i < n_runs; i++) {
        names[i] = g_strdup_printf("seed + %u", i);
        variants[i] = (Variant){.base = base, .fidelity = base->fidelity, .seed = i};
    }
    return run_all(base, variants, names, n_runs, FALSE, out, error);
}

static void
clear_row(gpointer data)
{
    LpVariantRow *row = data;
    g_free(row->name);
    g_free(row->times_s);
    g_free(row->misfit);
}

gboolean
lp_variants_distribution(const LpVariantBase *base, guint n_runs, LpDistribution *out,
                         GError **error)
{
    g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(LpVariantRow));
    g_array_set_clear_func(rows, clear_row);
    if (!lp_variants_runs(base, n_runs, rows, error))
        return FALSE;
    g_autofree double *times_s = g_new(double, n_runs);
    for (guint job = 0; job < base->n_jobs; job++) {
        for (guint i = 0; i < n_runs; i++)
            times_s[i] = g_array_index(rows, LpVariantRow, i).times_s[job];
        out[job] = lp_distribution_of(times_s, n_runs);
    }
    return TRUE;
}

/* The setting that hashes paths over all links above a leaf, where that changes something. Returns:
 * (transfer full), or NULL. */
static char *
hashed(const LpVariantBase *base)
{
    g_autoptr(LpMachine) machine = lp_made_machine_load(base->platform, NULL);
    if (machine == NULL || machine->path_choice != LP_PATH_CHOICE_STATIC)
        return NULL;
    const LpCluster *fabric = &machine->cluster[LP_ATTACHMENT_SCALE_OUT];
    guint32 n_paths = fabric->n_levels < 2 ? 1 : fabric->up[1];
    g_autofree char *setting = g_strdup_printf("path-choice=hash,paths=%u", n_paths);
    g_auto(GStrv) options = g_strsplit(setting, ",", -1);
    g_autoptr(LpMachine) varied =
        n_paths < 2 ? NULL : lp_machine_variant_new(machine, (const char *const *)options, NULL);
    return varied != NULL ? g_steal_pointer(&setting) : NULL;
}

gboolean
lp_variants_band(const LpVariantBase *base, GArray *out, GError **error)
{
    Variant variants[4] = {{.base = base, .fidelity = LP_FIDELITY_FLOW},
                           {.base = base, .fidelity = LP_FIDELITY_MESSAGE},
                           {.base = base, .fidelity = base->fidelity, .ideal_paths = TRUE},
                           {.base = base, .fidelity = base->fidelity}};
    static const char *const names[] = {"flow", "message", "ideal paths", "hashed paths"};
    g_autofree char *setting = hashed(base);
    variants[3].setting = setting;
    return run_all(base, variants, (char *const *)(gpointer)(guintptr)names,
                   setting != NULL ? 4 : 3, FALSE, out, error);
}
