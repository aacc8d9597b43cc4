/* SPDX-License-Identifier: Apache-2.0 */
/* Collects a report, and writes it as JSON. */
#include "report/report.h"

#include "base/units.h"
#include "sim/engine.h"

static LpClosedFormInput
closed_form_input(const LpReport *self, const LpFabric *fabric)
{
    return (LpClosedFormInput){.transformer = &self->workload->transformer,
                               .plan = &self->workload->plan,
                               .accelerator = &self->machine->accelerator,
                               .fabric = fabric};
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
                    g_strdup_printf("memory: the fullest stage needs %s an accelerator, a %s has %s",
                                    wanted_text, self->machine->accelerator.name, capacity_text));
}

void
lp_report_init(LpReport *self, const LpWorkload *workload, const LpMachine *machine,
               const LpSimulation *simulation)
{
    *self = (LpReport){.workload = workload, .machine = machine, .simulation = simulation};
    LpFabric fabric = lp_machine_fabric(machine);
    LpClosedFormInput input = closed_form_input(self, &fabric);
    self->closed_form = lp_closed_form_terms(&input);
    self->amped = lp_amped_terms(&input);
    if (simulation != NULL)
        self->difference = lp_crosscheck(simulation, &input);
    self->memory = lp_memory_fullest(&workload->transformer, &workload->plan);
    self->warnings = g_ptr_array_new_with_free_func(g_free);
    warn_memory(self);
}

void
lp_report_clear(LpReport *self)
{
    g_clear_pointer(&self->warnings, g_ptr_array_unref);
}

static void
add_double(JsonBuilder *builder, const char *key, double value)
{
    json_builder_set_member_name(builder, key);
    json_builder_add_double_value(builder, value);
}

static void
add_int(JsonBuilder *builder, const char *key, guint64 value)
{
    json_builder_set_member_name(builder, key);
    json_builder_add_int_value(builder, (gint64)value);
}

static void
add_text(JsonBuilder *builder, const char *key, const char *value)
{
    json_builder_set_member_name(builder, key);
    json_builder_add_string_value(builder, value);
}

static void
begin(JsonBuilder *builder, const char *key)
{
    json_builder_set_member_name(builder, key);
    json_builder_begin_object(builder);
}

/* Numbers stay numbers, so that scripts need not parse the plan. */
static void
add_plan(JsonBuilder *builder, const LpWorkload *workload)
{
    begin(builder, "plan");
    const char *name;
    char *text;
    for (guint i = 0; (text = lp_workload_attribute(workload, i, &name)) != NULL; i++) {
        guint64 count;
        double number;
        if (lp_count_parse(text, 0, G_MAXINT64, &count, NULL))
            add_int(builder, name, count);
        else if (lp_number_parse(text, 0.0, G_MAXDOUBLE, &number, NULL))
            add_double(builder, name, number);
        else
            add_text(builder, name, text);
        g_free(text);
    }
    json_builder_end_object(builder);
}

static void
add_engine(JsonBuilder *builder, const LpReport *self)
{
    begin(builder, "engine");
    add_text(builder, "name", lp_engine_version());
    add_text(builder, "fidelity", lp_fidelity_names[self->fidelity]);
    add_text(builder, "collapse", self->collapse ? "on" : "off");
    add_text(builder, "proof", self->simulation->proof);
    begin(builder, "options");
    for (guint i = 0; i < self->simulation->engine_options->len; i++) {
        const LpEngineOption *option =
            &g_array_index(self->simulation->engine_options, LpEngineOption, i);
        add_text(builder, option->name, option->value);
    }
    json_builder_end_object(builder);
    json_builder_end_object(builder);
}

static void
add_terms(JsonBuilder *builder, const LpTerms *terms)
{
    begin(builder, "terms_s");
    for (LpTerm term = 0; term < LP_N_TERMS; term++)
        add_double(builder, lp_term_names[term], terms->s[term]);
    json_builder_end_object(builder);
}

static void
add_figures(JsonBuilder *builder, const LpReport *self, double iteration_time_s,
            const LpTerms *terms)
{
    LpFigures figures = lp_figures(self->workload, self->machine, iteration_time_s);
    add_double(builder, "iteration_time_s", figures.iteration_time_s);
    add_terms(builder, terms);
    add_double(builder, "mfu", figures.mfu);
    add_double(builder, "hfu", figures.hfu);
    add_double(builder, "tokens_per_s", figures.tokens_per_s);
    add_double(builder, "model_tflops_per_accelerator", figures.model_tflops_per_accelerator);
    add_double(builder, "hardware_tflops_per_accelerator",
               figures.hardware_tflops_per_accelerator);
}

static void
add_simulated(JsonBuilder *builder, const LpReport *self)
{
    const LpSimulation *simulation = self->simulation;
    begin(builder, "simulated");
    add_figures(builder, self, simulation->run.iteration_time_s, &simulation->run.terms);
    add_double(builder, "overlap_s", simulation->run.overlap_s);
    add_double(builder, "uncontended_iteration_time_s", simulation->uncontended.iteration_time_s);
    add_double(builder, "balanced_iteration_time_s", simulation->balanced.iteration_time_s);
    add_double(builder, "free_messages_iteration_time_s",
               simulation->free_messages.iteration_time_s);
    begin(builder, "narrowest_tier");
    for (LpTerm term = 0; term < LP_N_TERMS; term++)
        if (simulation->has_tier[term])
            add_text(builder, lp_term_names[term], lp_tier_names[simulation->tiers[term]]);
    json_builder_end_object(builder);
    json_builder_end_object(builder);
}

static void
add_closed_form(JsonBuilder *builder, const LpReport *self, const char *key, const LpTerms *terms)
{
    begin(builder, key);
    add_figures(builder, self, lp_terms_sum(terms), terms);
    json_builder_end_object(builder);
}

static void
add_difference(JsonBuilder *builder, const LpDifference *difference)
{
    begin(builder, "difference");
    add_double(builder, "iteration_fraction", difference->iteration_fraction);
    add_double(builder, "contention_s", difference->contention_s);
    add_double(builder, "overlap_s", difference->overlap_s);
    add_double(builder, "algorithm_s", difference->algorithm_s);
    begin(builder, "algorithm_parts_s");
    add_double(builder, "communication", difference->communication_s);
    add_double(builder, "schedule", difference->schedule_s);
    json_builder_end_object(builder);
    add_double(builder, "imbalance_s", difference->imbalance_s);
    add_double(builder, "unexplained_s", difference->unexplained_s);
    json_builder_end_object(builder);
}

static void
add_memory(JsonBuilder *builder, const LpReport *self)
{
    begin(builder, "memory");
    add_double(builder, "weights_bytes", self->memory.weights_bytes);
    add_double(builder, "gradients_bytes", self->memory.gradients_bytes);
    add_double(builder, "optimizer_bytes", self->memory.optimizer_bytes);
    add_double(builder, "activations_bytes", self->memory.activations_bytes);
    add_double(builder, "buffers_bytes", self->memory.buffers_bytes);
    add_double(builder, "capacity_bytes", self->machine->accelerator.memory_bytes);
    json_builder_end_object(builder);
}

/* Keys that scripts may rely on, and whose content comes with energy, circuits and scenarios. */
static void
add_reserved(JsonBuilder *builder)
{
    begin(builder, "energy_j");
    add_double(builder, "static", 0.0);
    add_double(builder, "dynamic", 0.0);
    json_builder_end_object(builder);
    begin(builder, "energy_j_by_technology");
    json_builder_end_object(builder);
    begin(builder, "circuits");
    add_int(builder, "reconfigurations", 0);
    add_double(builder, "wait_exposed_s", 0.0);
    add_double(builder, "wait_hidden_s", 0.0);
    json_builder_end_object(builder);
    json_builder_set_member_name(builder, "jobs");
    json_builder_begin_array(builder);
    json_builder_end_array(builder);
}

static void
add_warnings(JsonBuilder *builder, const LpReport *self)
{
    json_builder_set_member_name(builder, "warnings");
    json_builder_begin_array(builder);
    for (guint i = 0; i < self->warnings->len; i++)
        json_builder_add_string_value(builder, self->warnings->pdata[i]);
    json_builder_end_array(builder);
}

static void
add_cost(JsonBuilder *builder, const LpReport *self)
{
    begin(builder, "cost");
    add_double(builder, "wall_s", self->cost.wall_s);
    add_int(builder, "peak_rss_bytes", self->cost.peak_rss_bytes);
    add_int(builder, "activities", self->simulation->run.n_activities);
    json_builder_end_object(builder);
}

static JsonBuilder *
begin_report(const LpReport *self)
{
    JsonBuilder *builder = json_builder_new();
    json_builder_begin_object(builder);
    add_text(builder, "workload", self->workload->name);
    add_text(builder, "platform", self->machine->path);
    add_int(builder, "accelerators", lp_plan_n_ranks(&self->workload->plan));
    add_plan(builder, self->workload);
    return builder;
}

JsonNode *
lp_report_to_json(const LpReport *self)
{
    g_autoptr(JsonBuilder) builder = begin_report(self);
    add_engine(builder, self);
    add_simulated(builder, self);
    add_closed_form(builder, self, "closed_form", &self->closed_form);
    add_closed_form(builder, self, "amped", &self->amped);
    add_difference(builder, &self->difference);
    begin(builder, "traffic_bytes");
    for (LpTraffic traffic = 0; traffic < LP_N_TRAFFIC; traffic++)
        add_int(builder, lp_traffic_names[traffic], self->simulation->run.traffic_bytes[traffic]);
    json_builder_end_object(builder);
    add_memory(builder, self);
    add_reserved(builder);
    add_warnings(builder, self);
    if (self->has_cost)
        add_cost(builder, self);
    json_builder_end_object(builder);
    return json_builder_get_root(builder);
}

JsonNode *
lp_report_estimate_to_json(const LpReport *self, gboolean amped)
{
    g_autoptr(JsonBuilder) builder = begin_report(self);
    add_text(builder, "model", amped ? "amped" : "consistent");
    add_closed_form(builder, self, "closed_form", amped ? &self->amped : &self->closed_form);
    add_memory(builder, self);
    add_warnings(builder, self);
    json_builder_end_object(builder);
    return json_builder_get_root(builder);
}

char *
lp_report_print_json(JsonNode *node)
{
    g_autoptr(JsonGenerator) generator = json_generator_new();
    json_generator_set_root(generator, node);
    json_generator_set_pretty(generator, TRUE);
    g_autofree char *text = json_generator_to_data(generator, NULL);
    return g_strconcat(text, "\n", NULL);
}
