/* SPDX-License-Identifier: Apache-2.0 */
/* Collects a report, and writes it as JSON. */
#include "report/report.h"

#include "base/c_locale.h"
#include "base/file.h"
#include "base/json.h"
#include "report/circuits.h"
#include "report/difference_parts.h"
#include "report/doubts.h"
#include "report/energy.h"
#include "report/expected_text.h"
#include "report/kernel_rows.h"
#include "report/closed_form_limits.h"
#include "report/network_part.h"
#include "platforms/machine/machine_library.h"
#include "report/report_parts.h"
#include "report/report_warnings.h"
#include "sim/engine/engine.h"
#include "sim/mapping/placement.h"

static LpClosedFormInput
closed_form_input(const LpReport *self, const LpFabric *fabric)
{
    return (LpClosedFormInput){.transformer = &self->workload->transformer,
                               .plan = &self->workload->plan,
                               .accelerator = &self->machine->accelerator,
                               .fabric = fabric,
                               .accelerators = self->placement->accelerators,
                               .library = self->library};
}

/* Fills the report of a program by hand, which has no closed form, memory or figures of a model. */
static void
init_given(LpReport *self)
{
    const LpSimulation *simulation = self->simulation;
    if (simulation != NULL && !simulation->is_alone)
        self->difference.contention_s =
            simulation->run.iteration_time_s - simulation->uncontended.iteration_time_s;
    lp_report_warn(self);
}

static void
init(LpReport *self, const LpWorkload *workload, const LpMachine *machine,
     const LpSimulation *simulation, const LpPlacement *placement)
{
    *self = (LpReport){.workload = workload, .machine = machine, .simulation = simulation};
    self->placement = placement;
    self->warnings = g_ptr_array_new_with_free_func(g_free);
    if (machine->warning != NULL)
        g_ptr_array_add(self->warnings, g_strdup(machine->warning));
    self->library = lp_machine_libraries(machine, &workload->plan.library, NULL);
    if (workload->given != NULL) {
        init_given(self);
        return;
    }
    LpFabric fabric = lp_machine_fabric(machine);
    LpClosedFormInput input = closed_form_input(self, &fabric);
    self->closed_form = lp_closed_form_terms(&input);
    self->amped = lp_amped_terms(&input);
    if (simulation != NULL && !simulation->is_alone)
        self->difference = lp_crosscheck(simulation, &input);
    lp_report_warn(self);
}

void
lp_report_init(LpReport *self, const LpSetup *setup, const LpSimulation *simulation)
{
    g_auto(LpCLocale) locale = lp_c_locale_begin();
    init(self, setup->workload, setup->machine, simulation, setup->placement);
}

void
lp_report_init_job(LpReport *self, LpSimulation *shown, const LpJobResult *result,
                   const LpMachine *machine)
{
    g_auto(LpCLocale) locale = lp_c_locale_begin();
    init(self, result->job->workload, machine, result->own, result->placement);
    *shown = *result->own;
    shown->run = result->together;
    shown->uncontended = result->uncontended;
    self->simulation = shown;
    self->is_job = TRUE;
    self->others_s = result->together.iteration_time_s - result->alone.iteration_time_s;
    self->faults_s = result->alone.iteration_time_s - result->own->run.iteration_time_s;
    self->difference.contention_s =
        result->together.iteration_time_s - result->uncontended.iteration_time_s;
    self->stragglers_s =
        result->uncontended.iteration_time_s - result->own->uncontended.iteration_time_s;
    double closed_s = lp_terms_sum(&self->closed_form);
    if (closed_s > 0.0)
        self->difference.iteration_fraction = (shown->run.iteration_time_s - closed_s) / closed_s;
}

void
lp_report_clear(LpReport *self)
{
    g_clear_pointer(&self->warnings, g_ptr_array_unref);
    g_clear_pointer(&self->library, lp_library_free);
}

void
lp_report_add_engine(json_t *object, LpFidelity fidelity, gboolean collapse, gboolean own_sharing,
                     const char *contention, const GArray *engine_options)
{
    json_t *engine = lp_json_set_object(object, "engine");
    lp_json_set_text(engine, "name", lp_engine_version());
    lp_json_set_text(engine, "fidelity", lp_fidelity_names[fidelity]);
    lp_json_set_text(engine, "collapse", collapse ? "on" : "off");
    if (own_sharing)
        lp_json_set_text(engine, "link_sharing", LP_REPORT_OWN_SHARING);
    if (contention != NULL)
        lp_json_set_text(engine, "proof", contention);
    json_t *options = lp_json_set_object(engine, "options");
    for (guint i = 0; i < engine_options->len; i++) {
        const LpEngineOption *option = &g_array_index(engine_options, LpEngineOption, i);
        lp_json_set_text(options, option->name, option->value);
    }
}

static void
add_terms(json_t *object, const LpTerms *terms)
{
    json_t *terms_s = lp_json_set_object(object, "terms_s");
    for (LpTerm term = 0; term < LP_N_TERMS; term++)
        lp_json_set_number(terms_s, lp_term_names[term], terms->s[term]);
}

void
lp_report_add_figures(json_t *object, const LpWorkload *workload, const LpMachine *machine,
                      const LpTerms *terms, double iteration_time_s)
{
    LpFigures figures = lp_figures(workload, machine, iteration_time_s);
    lp_json_set_number(object, "iteration_time_s", figures.iteration_time_s);
    add_terms(object, terms);
    if (workload->given != NULL)
        return;
    lp_json_set_number(object, "mfu", figures.mfu);
    lp_json_set_number(object, "hfu", figures.hfu);
    lp_json_set_number(object, "tokens_per_s", figures.tokens_per_s);
    lp_json_set_number(object, "model_tflops_per_accelerator",
                       figures.model_tflops_per_accelerator);
    lp_json_set_number(object, "hardware_tflops_per_accelerator",
                       figures.hardware_tflops_per_accelerator);
}

static void
add_simulated(json_t *object, const LpReport *self)
{
    const LpSimulation *simulation = self->simulation;
    json_t *simulated = lp_json_set_object(object, "simulated");
    lp_report_add_figures(simulated, self->workload, self->machine, &simulation->run.terms,
                          simulation->run.iteration_time_s);
    lp_json_set_number(simulated, "overlap_s", simulation->run.overlap_s);
    if (!simulation->is_alone)
        lp_json_set_number(simulated, "uncontended_iteration_time_s",
                           simulation->uncontended.iteration_time_s);
    if (self->workload->given == NULL && !simulation->is_alone) {
        lp_json_set_number(simulated, "balanced_overlap_s", simulation->balanced.overlap_s);
        lp_json_set_number(simulated, "balanced_iteration_time_s",
                           simulation->balanced.iteration_time_s);
        lp_json_set_number(simulated, "free_messages_iteration_time_s",
                           simulation->free_messages.iteration_time_s);
    }
    json_t *narrowest_tier = lp_json_set_object(simulated, "narrowest_tier");
    for (LpTerm term = 0; term < LP_N_TERMS; term++)
        if (simulation->tiers.has_tier[term])
            lp_json_set_text(narrowest_tier, lp_term_names[term],
                             lp_tier_names[simulation->tiers.narrowest[term]]);
}

/* @difference: what the simulation has beside it, or NULL. */
static void
add_closed_form(json_t *object, const LpReport *self, const char *key, const json_t *difference)
{
    json_t *part = lp_json_set_object(object, key);
    gboolean is_amped = g_str_equal(key, "amped");
    const LpTerms *terms = is_amped ? &self->amped : &self->closed_form;
    lp_report_add_figures(part, self->workload, self->machine, terms, lp_terms_sum(terms));
    g_autoptr(GPtrArray) left_out = lp_closed_form_limits(self, is_amped, difference);
    json_t *array = lp_json_set_array(part, "left_out");
    for (guint i = 0; i < left_out->len; i++)
        lp_json_append_text(array, left_out->pdata[i]);
}

static void
add_job_parts(json_t *part, const LpReport *self)
{
    if (!self->is_job)
        return;
    lp_json_set_number(part, "stragglers_s", self->stragglers_s);
    lp_json_set_number(part, "faults_s", self->faults_s);
    lp_json_set_number(part, "others_s", self->others_s);
}

/* Returns: (transfer full), or NULL: it was not measured. */
static json_t *
difference_to_json(const LpReport *self)
{
    const LpDifference *difference = &self->difference;
    if (self->simulation->is_alone)
        return NULL;
    json_t *part = json_object();
    if (self->workload->given != NULL) {
        lp_json_set_number(part, "contention_s", difference->contention_s);
        add_job_parts(part, self);
        return part;
    }
    lp_json_set_number(part, "iteration_fraction", difference->iteration_fraction);
    lp_json_set_number(part, "contention_s", difference->contention_s);
    lp_json_set_number(part, "closed_form_contention_s", difference->closed_form_contention_s);
    lp_json_set_number(part, "overlap_s", difference->overlap_s);
    lp_json_set_number(part, "algorithm_s", difference->algorithm_s);
    json_t *algorithm_parts_s = lp_json_set_object(part, "algorithm_parts_s");
    lp_json_set_number(algorithm_parts_s, "communication", difference->communication_s);
    lp_json_set_number(algorithm_parts_s, "schedule", difference->schedule_s);
    lp_json_set_number(part, "imbalance_s", difference->imbalance_s);
    lp_json_set_number(part, "slowdown_s", difference->slowdown_s);
    lp_json_set_number(part, "host_s", difference->host_s);
    lp_json_set_number(part, "unexplained_s", difference->unexplained_s);
    json_t *array = lp_json_set_array(part, "parts");
    add_job_parts(part, self);
    g_autoptr(GArray) parts = lp_difference_parts(part);
    for (guint i = 0; i < parts->len; i++) {
        json_t *element = lp_json_append_object(array);
        lp_json_set_text(element, "part", g_array_index(parts, LpDifferencePart, i).field->label);
        lp_json_set_number(element, "seconds", g_array_index(parts, LpDifferencePart, i).seconds);
    }
    return part;
}

void
lp_report_add_memory(json_t *object, const LpWorkload *workload, const LpMachine *machine)
{
    json_t *part = lp_json_set_object(object, "memory");
    LpMemory memory = lp_memory_fullest(&workload->transformer, &workload->plan);
    lp_json_set_number(part, "weights_bytes", memory.weights_bytes);
    lp_json_set_number(part, "gradients_bytes", memory.gradients_bytes);
    lp_json_set_number(part, "optimizer_bytes", memory.optimizer_bytes);
    lp_json_set_number(part, "activations_bytes", memory.activations_bytes);
    lp_json_set_number(part, "buffers_bytes", memory.buffers_bytes);
    lp_json_set_number(part, "step_bytes", memory.step_bytes);
    lp_json_set_number(part, "cached_bytes", memory.cached_bytes);
    if (machine == NULL)
        return;
    LpMemoryFit fit = lp_memory_fit(&memory, &workload->plan, &machine->accelerator);
    lp_json_set_number(part, "total_bytes", fit.total_bytes);
    lp_json_set_number(part, "reserve_bytes", fit.reserve_bytes);
    lp_json_set_number(part, "capacity_bytes", fit.capacity_bytes);
    lp_json_set_number(part, "spare_bytes", fit.spare_bytes);
    (void)json_object_set_new(part, "fits", json_boolean(fit.fits));
}

static void
add_energy(json_t *object, const LpReport *self)
{
    LpEnergy energy = lp_energy_find(self->machine, &self->simulation->link_traffic,
                                     self->simulation->run.iteration_time_s);
    lp_energy_add_json(object, &energy, lp_figures_n_tokens(self->workload));
}

void
lp_report_add_distribution(json_t *object, const LpDistribution *distribution)
{
    if (distribution->n == 0)
        return;
    json_t *node = lp_json_set_object(object, "distribution");
    lp_json_set_count(node, "runs", distribution->n);
    lp_json_set_number(node, "p50_s", distribution->p50_s);
    lp_json_set_number(node, "p95_s", distribution->p95_s);
    lp_json_set_number(node, "p99_s", distribution->p99_s);
    lp_json_set_number(node, "low_s", distribution->low_s);
    lp_json_set_number(node, "high_s", distribution->high_s);
}

void
lp_report_add_results(json_t *object, const LpReport *self)
{
    g_autoptr(json_t) difference = difference_to_json(self);
    add_simulated(object, self);
    lp_report_add_distribution(object, &self->distribution);
    if (self->workload->given == NULL) {
        LpExpectedError expected = lp_expected_error_find(self->workload, self->machine);
        lp_expected_error_add_json(object, &expected);
        add_closed_form(object, self, "closed_form", difference);
        add_closed_form(object, self, "amped", difference);
    }
    if (difference != NULL)
        (void)json_object_set(object, "difference", difference);
    json_t *traffic_bytes = lp_json_set_object(object, "traffic_bytes");
    for (LpTraffic traffic = 0; traffic < LP_N_TRAFFIC; traffic++)
        lp_json_set_count(traffic_bytes, lp_traffic_names[traffic],
                          self->simulation->run.traffic_bytes[traffic]);
    if (self->workload->given == NULL)
        lp_report_add_memory(object, self->workload, self->machine);
}

void
lp_report_add_warnings(json_t *object, const LpReport *self)
{
    json_t *warnings = lp_json_set_array(object, "warnings");
    for (guint i = 0; i < self->warnings->len; i++)
        lp_json_append_text(warnings, self->warnings->pdata[i]);
}

void
lp_report_add_classes(json_t *cost, const LpQuotientSize *size)
{
    if (size->n_ranks == 0)
        return;
    lp_json_set_count(cost, "ranks", size->n_ranks);
    lp_json_set_count(cost, "rank_classes", size->n_rank_classes);
    lp_json_set_count(cost, "links", size->n_links);
    lp_json_set_count(cost, "link_classes", size->n_link_classes);
    lp_json_set_count(cost, "flows", size->n_flows);
    lp_json_set_count(cost, "flow_classes", size->n_flow_classes);
    if (size->n_ways > 0)
        lp_json_set_count(cost, "assumed_ways", size->n_ways);
    if (size->n_trials > 0)
        lp_json_set_count(cost, "trials", size->n_trials);
}

static void
add_cost(json_t *object, const LpReport *self)
{
    json_t *cost = lp_json_set_object(object, "cost");
    lp_json_set_number(cost, "wall_s", self->cost.wall_s);
    lp_json_set_count(cost, "peak_rss_bytes", self->cost.peak_rss_bytes);
    lp_json_set_count(cost, "activities", self->simulation->run.n_activities);
    lp_report_add_classes(cost, &self->simulation->quotient);
}

static json_t *
begin_report(const LpReport *self)
{
    json_t *root = lp_json_document();
    lp_json_set_text(root, "workload", self->workload->name);
    lp_json_set_text(root, "platform", lp_file_label(self->machine->path));
    lp_json_set_count(root, "accelerators", lp_plan_n_ranks(&self->workload->plan));
    lp_report_add_plan(root, self->workload);
    return root;
}

json_t *
lp_report_to_json(const LpReport *self)
{
    json_t *root = begin_report(self);
    lp_report_add_engine(root, self->fidelity, self->collapse, self->simulation->run.own_sharing,
                         self->simulation->contention, self->simulation->engine_options);
    lp_report_add_results(root, self);
    lp_circuits_add_json(root, self->simulation);
    add_energy(root, self);
    lp_network_add_json(root, self->machine);
    lp_report_add_warnings(root, self);
    if (self->has_cost)
        add_cost(root, self);
    return root;
}

json_t *
lp_report_estimate_to_json(const LpReport *self, gboolean amped)
{
    json_t *root = begin_report(self);
    lp_json_set_text(root, "model", amped ? "amped" : "consistent");
    add_closed_form(root, self, amped ? "amped" : "closed_form", NULL);
    g_autoptr(GPtrArray) doubts = lp_doubts(self);
    json_t *part = json_object_get(root, amped ? "amped" : "closed_form");
    (void)json_object_set_new(part, "trusted", json_boolean(doubts->len == 0));
    json_t *array = lp_json_set_array(part, "doubts");
    for (guint i = 0; i < doubts->len; i++)
        lp_json_append_text(array, doubts->pdata[i]);
    if (amped) {
        const LpWorkload *workload = self->workload;
        lp_json_set_number(json_object_get(root, "amped"), "memory_bytes",
                           lp_amped_memory_bytes(&workload->transformer, &workload->plan));
    }
    lp_report_add_memory(root, self->workload, self->machine);
    if (self->lists_kernels)
        lp_kernel_rows_add_json(root, self);
    lp_report_add_warnings(root, self);
    return root;
}
