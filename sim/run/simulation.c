/* SPDX-License-Identifier: Apache-2.0 */
/* The run and its counterfactuals, side by side in processes of their own. */
#include "sim/run/simulation.h"

#include "base/c_locale.h"
#include "sim/analysis/isolated_time.h"
#include "sim/analysis/link_traffic.h"
#include "sim/analysis/tiers.h"
#include "sim/circuits/circuit_map.h"
#include "sim/engine/engine.h"
#include "sim/engine/loading.h"
#include "sim/run/assumed_check.h"
#include "sim/run/assumed_run.h"
#include "sim/run/job_quotient.h"
#include "sim/run/counterfactual.h"
#include "sim/run/forecast.h"
#include "sim/run/observation.h"
#include "sim/actors/run_limit.h"
#include "sim/run/run.h"
#include "sim/run/run_end.h"
#include "sim/run/run_routes.h"
#include "workloads/program/training_program.h"

/* Collectives of a segment whose groups may meet other traffic. @idle: while no gradients or
 * parameters are under way. */
static guint64
count_contended(const LpProgram *program, const LpContention *contention, guint32 segment_index,
                gboolean idle)
{
    const LpSegment *segment = lp_program_segment(program, segment_index);
    guint64 n = 0;
    for (guint i = 0; i < segment->n_ops; i++) {
        const LpOp *op = lp_program_op(program, segment->first_op + i);
        if (!lp_op_is_collective(op))
            continue;
        gboolean is_private =
            contention->all_private[op->group] ||
            (idle && op->group == LP_GROUP_TP && contention->tp_private_when_idle);
        n += is_private ? 0 : 1;
    }
    return n;
}

/* How often one rank of each stage takes part in such collectives, summed. */
static guint64
count_stage_shares(const LpProgram *program, const LpContention *contention)
{
    guint64 n = 0;
    g_autofree gboolean *idle = lp_idle_steps_find(program);
    for (guint k = 0; k < program->steps->len; k++) {
        const LpStep *step = lp_program_step(program, k);
        if (step->kind == LP_STEP_SEGMENT)
            n += count_contended(program, contention, step->segment, idle[k]);
    }
    return n;
}

/* And all that are simulated. @quotient: NULL if that is each for itself. */
static guint64
count_shares(const LpProgram *program, const LpContention *contention, const LpQuotient *quotient)
{
    guint64 n_ranks =
        quotient == NULL
            ? program->n_ranks / lp_contention_n_replicas(contention, program->communicators)
            : lp_quotient_size(quotient).n_rank_classes;
    double n_of_stage = (double)n_ranks / program->pipeline.n_stages;
    return (guint64)((double)count_stage_shares(program, contention) * n_of_stage);
}

static gboolean
has_energy_per_bit(const LpMachine *machine)
{
    return machine->cluster[LP_ATTACHMENT_SCALE_UP].energy_j_per_bit > 0.0 ||
           machine->cluster[LP_ATTACHMENT_SCALE_OUT].energy_j_per_bit > 0.0;
}

/* One rank of each class is enough where nothing contends. */
static void
run_isolated(LpSimulation *self, const LpRunModel *model, LpSimulationOptions options)
{
    LpRunContext none = {.watch = NULL};
    const LpCommunicators *communicators = model->map->communicators;
    g_autoptr(LpRankEquivalence) classes =
        lp_rank_equivalence_new(model->map, model->contention, model->cache, model->fidelity);
    LpRunMode mode = {.merge = TRUE,
                      .level = LP_RUN_UNCONTENDED,
                      .alike = lp_communicators_of_one_class(communicators, classes->of_rank)};
    g_autoptr(LpTasks) tasks = lp_run_model_tasks(model, mode);
    LpRunJob job = lp_run_job(model, tasks, NULL);
    lp_run_job_idealise(&job);
    job.classes = classes;
    self->isolated = tasks->isolated;
    if (options.forecast != NULL)
        lp_forecast_add(options.forecast, "simulated", G_MAXUINT32, &job, 1);
    else
        lp_run_jobs(&job, 1, &none, &self->run);
}

static gboolean
leaves_out_contention(const LpProgram *program, const LpContention *contention,
                      const LpQuotient *quotient, LpSimulationOptions options)
{
    return options.shares_max > 0 &&
           count_shares(program, contention, quotient) > options.shares_max;
}

/* Ranks by class. */
typedef struct {
    LpQuotient *quotient; /* owned; NULL: every rank is as good simulated for itself, or as one
                             slice of several */
    LpAssumedInput input; /* of a quotient that was assumed and has been checked */
    LpRunResult run;      /* then: as it was */
} Classes;

static void
classes_clear(Classes *self)
{
    lp_quotient_free(self->quotient);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Classes, classes_clear)

static gboolean
are_assumed(const Classes *self)
{
    return self->quotient != NULL && lp_quotient_size(self->quotient).n_ways > 0;
}

/* What needs no assumption; NULL: not covered. */
static LpQuotient *
prove_classes(const LpRunModel *model, LpSimulationOptions options)
{
    gboolean is_rotor = lp_circuit_switch_is_rotor(&lp_network_machine(model->network)->circuits);
    if (!options.collapse || model->circuits != NULL || is_rotor)
        return NULL;
    const char *reason;
    LpQuotientJob job = {.map = model->map, .contention = model->contention, .cache = model->cache};
    LpQuotientInput input = {
        .jobs = &job, .n_jobs = 1, .fidelity = options.fidelity, .n_rounds = options.n_rounds};
    return lp_quotient_new(&input, &reason);
}

/* What the run as it is does, by the classes of @quotient or NULL. Returns: (transfer full). */
static LpTasks *
tasks_of(const LpRunModel *model, const LpQuotient *quotient, LpSimulationOptions options)
{
    const LpCommunicators *communicators = model->map->communicators;
    LpRunMode mode = {.merge = options.collapse,
                      .alike = lp_job_quotient_alike(quotient, communicators)};
    return lp_run_model_tasks(model, mode);
}

/* What the run takes where what is assumed of classes does not hold: by what is proven. */
static void
forecast_otherwise(const LpRunModel *model, const LpQuotient *proven, LpSimulationOptions options)
{
    const LpQuotient *quotient =
        lp_job_quotient_is_worthwhile(proven, model->map, model->contention) ? proven : NULL;
    g_autoptr(LpTasks) tasks = tasks_of(model, quotient, options);
    LpRunJob job = lp_run_job(model, tasks, quotient);
    LpRunSize size = lp_run_size(&job);
    options.forecast->otherwise_s = lp_run_size_processor_s(&size);
}

/* Of the run as it is. */
static gboolean
find_classes(LpSimulation *self, const LpRunModel *model, LpSimulationOptions options, Classes *out,
             GError **error)
{
    g_autoptr(LpQuotient) proven = prove_classes(model, options);
    if (proven == NULL)
        return TRUE;
    out->input = (LpAssumedInput){.model = model,
                                  .proven = proven,
                                  .assume = options.n_rounds > 0 ? LP_ASSUME_NEVER : options.assume,
                                  .n_activities_max = options.shares_max,
                                  .told = options.run};
    LpAssumedRun assumed = {.quotient = NULL};
    if (options.forecast != NULL)
        assumed.quotient = lp_assumed_run_first(&out->input);
    else if (!lp_assumed_run_find(&out->input, &assumed, error))
        return FALSE;
    if (options.forecast != NULL && assumed.quotient != NULL)
        forecast_otherwise(model, proven, options);
    if (options.forecast != NULL && assumed.quotient != NULL)
        options.forecast->is_unlike = !lp_assumed_check_steps(&out->input, assumed.quotient);
    out->input.proven = NULL;
    out->run = assumed.run;
    out->quotient = assumed.quotient;
    self->children_peak_rss_bytes = assumed.peak_rss_bytes;
    if (out->quotient == NULL &&
        lp_job_quotient_is_worthwhile(proven, model->map, model->contention))
        out->quotient = g_steal_pointer(&proven);
    if (out->quotient != NULL) {
        self->quotient = lp_quotient_size(out->quotient);
        self->quotient.n_trials = are_assumed(out) ? assumed.n_trials : 0;
    }
    return TRUE;
}

static gboolean
load(const LpSimulation *self, const LpRunModel *model, Classes *classes, GError **error)
{
    if (self->is_isolated)
        return lp_network_load_minimal(model->network, self->engine_options, error);
    if (classes->quotient != NULL)
        return lp_quotient_load(classes->quotient, model->network, self->engine_options, error);
    return lp_run_routes_load(model, error);
}

/* As it was checked, or once more where it is to be seen. */
static gboolean
run_assumed(LpSimulation *self, const Classes *classes, LpRunOptions options, GError **error)
{
    self->run = classes->run;
    if (options.timeline == NULL && options.calls == NULL && options.log == NULL)
        return TRUE;
    return lp_assumed_run_again(&classes->input, classes->quotient, options, &self->run, error);
}

static gboolean
run_itself(LpSimulation *self, const LpRunModel *model, Classes *classes,
           LpSimulationOptions options, GError **error)
{
    gboolean is_assumed = !self->is_isolated && are_assumed(classes);
    if (options.forecast == NULL && !is_assumed && !load(self, model, classes, error))
        return FALSE;
    if (self->is_isolated) {
        run_isolated(self, model, options);
        return TRUE;
    }
    g_autoptr(LpTasks) tasks = tasks_of(model, classes->quotient, options);
    self->isolated = tasks->isolated;
    LpRunJob job = lp_run_job(model, tasks, classes->quotient);
    if (options.forecast != NULL)
        lp_forecast_add(options.forecast, "simulated", G_MAXUINT32, &job, 1);
    else if (is_assumed)
        return run_assumed(self, classes, options.run, error);
    else
        self->run = lp_run_iteration(job, options.run);
    return TRUE;
}

/* The steps of a run and of its counterfactual runs. */
typedef struct {
    LpRunOptions told;
    double n_done; /* of the run itself */
    guint64 n_all; /* likewise */
} Steps;

static void
report_other_steps(double n_done, guint64 n_all, void *data)
{
    const Steps *self = data;
    self->told.progress(self->n_done + n_done, self->n_all + n_all, self->told.progress_data);
}

/* Alone while they run: the others are quick, and would say nothing of how long these take. */
static void
report_own_steps(double n_done, guint64 n_all, void *data)
{
    Steps *self = data;
    self->n_done = n_done;
    self->n_all = n_all;
    self->told.progress(n_done, n_all, self->told.progress_data);
}

static void
report_expected(double processor_s, guint64 n_all, void *data)
{
    const Steps *self = data;
    self->told.expect(processor_s, n_all, self->told.progress_data);
}

/* The counterfactual runs first: their process needs nothing that this one loads. */
static gboolean
run_all(LpSimulation *self, const LpRunModel *model, Classes *classes, LpSimulationOptions options,
        GError **error)
{
    if (options.alone)
        return run_itself(self, model, classes, options, error);
    if (options.forecast != NULL) {
        gboolean good = run_itself(self, model, classes, options, error);
        lp_counterfactuals_forecast(model, G_MAXUINT32, options.forecast);
        return good;
    }
    LpCounterfactuals counterfactuals;
    if (!lp_counterfactuals_start(&counterfactuals, model, error))
        return FALSE;
    Steps steps = {.told = options.run};
    if (options.run.progress != NULL) {
        options.run.progress = report_own_steps;
        options.run.expect = options.run.expect != NULL ? report_expected : NULL;
        options.run.progress_data = &steps;
    }
    gboolean good = run_itself(self, model, classes, options, error);
    LpCounterfactualResults results;
    guint64 peak_rss_bytes = 0;
    if (good && steps.told.progress != NULL) {
        lp_child_process_wait(counterfactuals.process, report_other_steps, &steps);
        steps.told.progress(1.0, 1, steps.told.progress_data);
    }
    if (!lp_counterfactuals_finish(&counterfactuals, &results, &peak_rss_bytes,
                                   good ? error : NULL) ||
        !good)
        return FALSE;
    self->children_peak_rss_bytes = MAX(self->children_peak_rss_bytes, peak_rss_bytes);
    self->uncontended = results.uncontended;
    self->balanced = results.balanced;
    self->free_messages = results.free_messages;
    return TRUE;
}

/* What no actor ran takes its isolated time, as it did in the tasks that it is part of. */
static void
complete_calls(LpCallTimes *calls, const LpRunModel *model)
{
    const LpProgram *program = model->map->program;
    g_autoptr(LpIsolatedRings) rings = lp_isolated_rings_new(model->map, model->cache);
    for (guint k = 0; k < program->segments->len; k++) {
        const LpSegment *segment = lp_program_segment(program, k);
        for (guint i = segment->first_op; i < segment->first_op + segment->n_ops; i++) {
            const LpOp *op = lp_program_op(program, i);
            if (lp_op_is_collective(op) && g_array_index(calls->of_op, LpCallTime, i).n == 0)
                lp_call_times_add(
                    calls, program, op, 1,
                    lp_isolated_rings_time_s(rings, segment->stage, op, model->fidelity));
        }
    }
}

/* What is left of the run from each step on, if it may not take any time; FALSE with @error where
 * the whole of it is too much. */
static gboolean
find_limit(const LpCircuitMap *circuits, LpIsolatedCache *cache, LpSimulationOptions options,
           LpRemainingTime **out_remaining, LpRunLimit *out_limit, GError **error)
{
    if (options.at_most_s <= 0.0)
        return TRUE;
    const LpMachine *machine = lp_network_machine(circuits->map->network);
    gboolean changes = circuits->switched != NULL || lp_circuit_switch_is_rotor(&machine->circuits);
    *out_remaining = lp_remaining_time_new(circuits->map, cache, options.fidelity, changes);
    *out_limit = (LpRunLimit){.remaining = *out_remaining, .at_most_s = options.at_most_s};
    return lp_run_limit_holds(out_limit, (*out_remaining)->whole_s) ||
           lp_run_is_too_long((*out_remaining)->whole_s, error);
}

static LpContention *
prove(const LpCommunicationMap *map, LpSimulationOptions options)
{
    if (!options.collapse)
        return lp_contention_new_nothing(map);
    if (options.negligible > 0.0 && lp_contention_is_negligible(map, options.negligible))
        return lp_contention_new_negligible(map, options.fidelity);
    return lp_contention_new(map, options.fidelity, NULL);
}

LpSimulation *
lp_simulation_run(const LpSetup *setup, LpSimulationOptions options, GError **error)
{
    g_auto(LpCLocale) locale = lp_c_locale_begin();
    const LpMachine *machine = setup->machine;
    g_autoptr(LpProgram) program =
        lp_training_program_new(setup->workload, &machine->accelerator, error);
    if (program == NULL)
        return NULL;
    g_autoptr(LpSimulation) self = g_new0(LpSimulation, 1);
    self->is_alone = options.alone;
    g_autoptr(LpNetwork) network = lp_network_new(machine);
    g_autoptr(LpCircuitMap) circuits =
        lp_circuit_map_new(program, network, setup->library, setup->placement, NULL, error);
    if (circuits == NULL)
        return NULL;
    const LpCommunicationMap *map = circuits->map;
    self->engine_options = lp_engine_options(
        lp_run_actors_max(map, lp_communication_map_is_separate(map, options.fidelity)));
    self->circuits = g_strdup(circuits->description);
    g_autoptr(LpIsolatedCache) cache = lp_isolated_cache_new();
    g_autoptr(LpRemainingTime) remaining = NULL;
    LpRunLimit limit;
    if (!find_limit(circuits, cache, options, &remaining, &limit, error))
        return NULL;
    options.run.limit = remaining != NULL ? &limit : NULL;
    g_autoptr(LpContention) contention = prove(map, options);
    lp_contention_open_circuits(contention, map, circuits->switched);
    self->tiers = lp_tiers_find(map);
    if (has_energy_per_bit(machine))
        self->link_traffic = lp_link_traffic_find(map, circuits->switched);
    if (options.run.calls != NULL)
        lp_call_times_prepare(options.run.calls, program);
    g_autoptr(LpFlowLog) log = options.observation == NULL ? NULL : lp_flow_log_new(network);
    options.run.log = log;
    g_auto(Classes) classes = {.quotient = NULL};
    LpRunModel model = {network,
                        map,
                        circuits->switched,
                        contention,
                        cache,
                        options.fidelity,
                        self->engine_options};
    if (!find_classes(self, &model, options, &classes, error))
        return NULL;
    LpQuotient *quotient = classes.quotient;
    self->is_isolated = leaves_out_contention(program, contention, quotient, options);
    if (self->is_isolated) {
        quotient = NULL;
        self->quotient = (LpQuotientSize){0};
    }
    if (quotient != NULL && log != NULL)
        lp_flow_log_set_quotient(log, quotient);
    g_autofree char *ranks = quotient == NULL ? NULL : lp_quotient_describe(quotient);
    self->contention = lp_contention_describe(contention, map, ranks);
    if (!run_all(self, &model, &classes, options, error))
        return NULL;
    if (options.forecast != NULL) {
        options.forecast->quotient = self->quotient;
        return g_steal_pointer(&self);
    }
    if (!lp_run_has_ended(&self->run, error))
        return NULL;
    /* What a rotor relays crosses a light path once more. */
    if (has_energy_per_bit(machine))
        self->link_traffic.link_bytes[LP_ATTACHMENT_SCALE_OUT] += self->run.circuits.relayed_bytes;
    if (options.run.calls != NULL)
        complete_calls(options.run.calls, &model);
    if (log != NULL && !self->is_isolated) {
        lp_observation_add_job(options.observation, circuits, network, 1);
        lp_observation_finish(options.observation, log, network, self->run.end_s);
    }
    return g_steal_pointer(&self);
}

void
lp_simulation_free(LpSimulation *self)
{
    if (self == NULL)
        return;
    if (self->engine_options != NULL)
        g_array_unref(self->engine_options);
    g_free(self->contention);
    g_free(self->circuits);
    g_free(self);
}
