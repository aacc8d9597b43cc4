/* SPDX-License-Identifier: Apache-2.0 */
/* Collects a report, and writes it as JSON. */
#include "report/report.h"

#include "base/file.h"
#include "base/units.h"
#include "report/json.h"
#include "report/report_parts.h"
#include "sim/engine/engine.h"
#include "sim/mapping/placement.h"

static LpClosedFormInput
closed_form_input(const LpReport *self, const LpFabric *fabric)
{
    return (LpClosedFormInput){.transformer = &self->workload->transformer,
                               .plan = &self->workload->plan,
                               .accelerator = &self->machine->accelerator,
                               .fabric = fabric,
                               .accelerators = self->placement->accelerators};
}

static void
warn_memory(LpReport *self)
{
    double wanted = lp_memory_sum(&self->memory);
    double capacity = self->machine->accelerator.memory_bytes;
    if (wanted <= capacity)
        return;
    g_autofree char *wanted_text = lp_quantity_format(LP_QUANTITY_SIZE, wanted);
    g_autofree char *capacity_text = lp_quantity_format(LP_QUANTITY_SIZE, capacity);
    g_ptr_array_add(self->warnings,
                    g_strdup_printf("memory: the fullest stage needs %s an accelerator; %s has %s",
                                    wanted_text, self->machine->accelerator.name, capacity_text));
}

static void
warn_precision(LpReport *self)
{
    LpPrecision precision = self->workload->plan.format.precision;
    const LpAccelerator *accelerator = &self->machine->accelerator;
    if (accelerator->peak_flop_per_s[precision] > 0.0)
        return;
    g_ptr_array_add(self->warnings,
                    g_strdup_printf("precision: %s has no %s unit; rates are over %.4g FLOP/s, the "
                                    "peak of the next wider precision that it has",
                                    accelerator->name, lp_precision_names[precision],
                                    lp_accelerator_peak_flop_per_s(accelerator, precision)));
}

static void
init(LpReport *self, const LpWorkload *workload, const LpMachine *machine,
     const LpSimulation *simulation, const LpPlacement *placement)
{
    *self = (LpReport){.workload = workload, .machine = machine, .simulation = simulation};
    self->placement = placement;
    LpFabric fabric = lp_machine_fabric(machine);
    LpClosedFormInput input = closed_form_input(self, &fabric);
    self->closed_form = lp_closed_form_terms(&input);
    self->amped = lp_amped_terms(&input);
    if (simulation != NULL)
        self->difference = lp_crosscheck(simulation, &input);
    self->memory = lp_memory_fullest(&workload->transformer, &workload->plan);
    self->warnings = g_ptr_array_new_with_free_func(g_free);
    warn_memory(self);
    warn_precision(self);
}

void
lp_report_init(LpReport *self, const LpSetup *setup, const LpSimulation *simulation)
{
    init(self, setup->workload, setup->machine, simulation, setup->placement);
}

void
lp_report_init_job(LpReport *self, LpSimulation *shown, const LpJobResult *result,
                   const LpMachine *machine)
{
    init(self, result->job->workload, machine, result->own, result->placement);
    *shown = *result->own;
    shown->run = result->together;
    self->simulation = shown;
    self->is_job = TRUE;
    self->others_s = result->together.iteration_time_s - result->alone.iteration_time_s;
    self->faults_s = result->alone.iteration_time_s - result->own->run.iteration_time_s;
    double closed_s = lp_terms_sum(&self->closed_form);
    self->difference.iteration_fraction = (shown->run.iteration_time_s - closed_s) / closed_s;
}

void
lp_report_clear(LpReport *self)
{
    g_clear_pointer(&self->warnings, g_ptr_array_unref);
}

/* Numbers stay numbers, so that scripts need not parse the plan. */
void
lp_report_add_plan(JsonBuilder *builder, const LpWorkload *workload)
{
    lp_json_begin(builder, "plan");
    const char *name;
    char *text;
    for (guint i = 0; (text = lp_workload_attribute(workload, i, &name)) != NULL; i++) {
        guint64 count;
        double number;
        if (lp_count_parse(text, 0, G_MAXINT64, &count, NULL))
            lp_json_count(builder, name, count);
        else if (lp_number_parse(text, 0.0, G_MAXDOUBLE, &number, NULL))
            lp_json_number(builder, name, number);
        else
            lp_json_text(builder, name, text);
        g_free(text);
    }
    json_builder_end_object(builder);
}

void
lp_report_add_engine(JsonBuilder *builder, LpFidelity fidelity, gboolean collapse,
                     const char *contention, const GArray *engine_options)
{
    lp_json_begin(builder, "engine");
    lp_json_text(builder, "name", lp_engine_version());
    lp_json_text(builder, "fidelity", lp_fidelity_names[fidelity]);
    lp_json_text(builder, "collapse", collapse ? "on" : "off");
    if (contention != NULL)
        lp_json_text(builder, "proof", contention);
    lp_json_begin(builder, "options");
    for (guint i = 0; i < engine_options->len; i++) {
        const LpEngineOption *option = &g_array_index(engine_options, LpEngineOption, i);
        lp_json_text(builder, option->name, option->value);
    }
    json_builder_end_object(builder);
    json_builder_end_object(builder);
}

static void
add_terms(JsonBuilder *builder, const LpTerms *terms)
{
    lp_json_begin(builder, "terms_s");
    for (LpTerm term = 0; term < LP_N_TERMS; term++)
        lp_json_number(builder, lp_term_names[term], terms->s[term]);
    json_builder_end_object(builder);
}

static void
add_figures(JsonBuilder *builder, const LpReport *self, double iteration_time_s,
            const LpTerms *terms)
{
    LpFigures figures = lp_figures(self->workload, self->machine, iteration_time_s);
    lp_json_number(builder, "iteration_time_s", figures.iteration_time_s);
    add_terms(builder, terms);
    lp_json_number(builder, "mfu", figures.mfu);
    lp_json_number(builder, "hfu", figures.hfu);
    lp_json_number(builder, "tokens_per_s", figures.tokens_per_s);
    lp_json_number(builder, "model_tflops_per_accelerator", figures.model_tflops_per_accelerator);
    lp_json_number(builder, "hardware_tflops_per_accelerator",
                   figures.hardware_tflops_per_accelerator);
}

static void
add_simulated(JsonBuilder *builder, const LpReport *self)
{
    const LpSimulation *simulation = self->simulation;
    lp_json_begin(builder, "simulated");
    add_figures(builder, self, simulation->run.iteration_time_s, &simulation->run.terms);
    lp_json_number(builder, "overlap_s", simulation->run.overlap_s);
    lp_json_number(builder, "uncontended_iteration_time_s",
                   simulation->uncontended.iteration_time_s);
    lp_json_number(builder, "balanced_iteration_time_s", simulation->balanced.iteration_time_s);
    lp_json_number(builder, "free_messages_iteration_time_s",
                   simulation->free_messages.iteration_time_s);
    lp_json_begin(builder, "narrowest_tier");
    for (LpTerm term = 0; term < LP_N_TERMS; term++)
        if (simulation->tiers.has_tier[term])
            lp_json_text(builder, lp_term_names[term],
                         lp_tier_names[simulation->tiers.narrowest[term]]);
    json_builder_end_object(builder);
    json_builder_end_object(builder);
}

static void
add_closed_form(JsonBuilder *builder, const LpReport *self, const char *key, const LpTerms *terms)
{
    lp_json_begin(builder, key);
    add_figures(builder, self, lp_terms_sum(terms), terms);
    json_builder_end_object(builder);
}

static void
add_difference(JsonBuilder *builder, const LpReport *self)
{
    const LpDifference *difference = &self->difference;
    lp_json_begin(builder, "difference");
    lp_json_number(builder, "iteration_fraction", difference->iteration_fraction);
    lp_json_number(builder, "contention_s", difference->contention_s);
    lp_json_number(builder, "overlap_s", difference->overlap_s);
    lp_json_number(builder, "algorithm_s", difference->algorithm_s);
    lp_json_begin(builder, "algorithm_parts_s");
    lp_json_number(builder, "communication", difference->communication_s);
    lp_json_number(builder, "schedule", difference->schedule_s);
    json_builder_end_object(builder);
    lp_json_number(builder, "imbalance_s", difference->imbalance_s);
    lp_json_number(builder, "slowdown_s", difference->slowdown_s);
    lp_json_number(builder, "host_s", difference->host_s);
    lp_json_number(builder, "unexplained_s", difference->unexplained_s);
    if (self->is_job) {
        lp_json_number(builder, "faults_s", self->faults_s);
        lp_json_number(builder, "others_s", self->others_s);
    }
    json_builder_end_object(builder);
}

static void
add_memory(JsonBuilder *builder, const LpReport *self)
{
    lp_json_begin(builder, "memory");
    lp_json_number(builder, "weights_bytes", self->memory.weights_bytes);
    lp_json_number(builder, "gradients_bytes", self->memory.gradients_bytes);
    lp_json_number(builder, "optimizer_bytes", self->memory.optimizer_bytes);
    lp_json_number(builder, "activations_bytes", self->memory.activations_bytes);
    lp_json_number(builder, "buffers_bytes", self->memory.buffers_bytes);
    lp_json_number(builder, "capacity_bytes", self->machine->accelerator.memory_bytes);
    json_builder_end_object(builder);
}

void
lp_report_add_results(JsonBuilder *builder, const LpReport *self)
{
    add_simulated(builder, self);
    add_closed_form(builder, self, "closed_form", &self->closed_form);
    add_closed_form(builder, self, "amped", &self->amped);
    add_difference(builder, self);
    lp_json_begin(builder, "traffic_bytes");
    for (LpTraffic traffic = 0; traffic < LP_N_TRAFFIC; traffic++)
        lp_json_count(builder, lp_traffic_names[traffic],
                      self->simulation->run.traffic_bytes[traffic]);
    json_builder_end_object(builder);
    add_memory(builder, self);
}

/* Keys that scripts may rely on, and whose content comes with energy, circuits and scenarios. */
static void
add_reserved(JsonBuilder *builder)
{
    lp_json_begin(builder, "energy_j");
    lp_json_number(builder, "static", 0.0);
    lp_json_number(builder, "dynamic", 0.0);
    json_builder_end_object(builder);
    lp_json_begin(builder, "energy_j_by_technology");
    json_builder_end_object(builder);
    lp_json_begin(builder, "circuits");
    lp_json_count(builder, "reconfigurations", 0);
    lp_json_number(builder, "wait_exposed_s", 0.0);
    lp_json_number(builder, "wait_hidden_s", 0.0);
    json_builder_end_object(builder);
    lp_json_begin_array(builder, "jobs");
    json_builder_end_array(builder);
}

void
lp_report_add_warnings(JsonBuilder *builder, const LpReport *self)
{
    lp_json_begin_array(builder, "warnings");
    for (guint i = 0; i < self->warnings->len; i++)
        json_builder_add_string_value(builder, self->warnings->pdata[i]);
    json_builder_end_array(builder);
}

static void
add_cost(JsonBuilder *builder, const LpReport *self)
{
    lp_json_begin(builder, "cost");
    lp_json_number(builder, "wall_s", self->cost.wall_s);
    lp_json_count(builder, "peak_rss_bytes", self->cost.peak_rss_bytes);
    lp_json_count(builder, "activities", self->simulation->run.n_activities);
    json_builder_end_object(builder);
}

static JsonBuilder *
begin_report(const LpReport *self)
{
    JsonBuilder *builder = json_builder_new();
    json_builder_begin_object(builder);
    lp_json_text(builder, "workload", self->workload->name);
    lp_json_text(builder, "platform", lp_file_label(self->machine->path));
    lp_json_count(builder, "accelerators", lp_plan_n_ranks(&self->workload->plan));
    lp_report_add_plan(builder, self->workload);
    return builder;
}

JsonNode *
lp_report_to_json(const LpReport *self)
{
    g_autoptr(JsonBuilder) builder = begin_report(self);
    lp_report_add_engine(builder, self->fidelity, self->collapse, self->simulation->contention,
                         self->simulation->engine_options);
    lp_report_add_results(builder, self);
    add_reserved(builder);
    lp_report_add_warnings(builder, self);
    if (self->has_cost)
        add_cost(builder, self);
    json_builder_end_object(builder);
    return json_builder_get_root(builder);
}

JsonNode *
lp_report_estimate_to_json(const LpReport *self, gboolean amped)
{
    g_autoptr(JsonBuilder) builder = begin_report(self);
    lp_json_text(builder, "model", amped ? "amped" : "consistent");
    add_closed_form(builder, self, "closed_form", amped ? &self->amped : &self->closed_form);
    add_memory(builder, self);
    lp_report_add_warnings(builder, self);
    json_builder_end_object(builder);
    return json_builder_get_root(builder);
}
