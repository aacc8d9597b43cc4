/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of scenarios: a table of all jobs, and what a report says of one for each. */
#include "report/scenario.h"

#include "base/file.h"
#include "base/ranges.h"
#include "base/units.h"
#include "report/json.h"
#include "report/report_parts.h"

void
lp_scenario_report_init(LpScenarioReport *self, const LpMachine *machine,
                        const LpScenarioSimulation *simulation)
{
    *self = (LpScenarioReport){
        .scenario = simulation->scenario, .machine = machine, .simulation = simulation};
    self->jobs = g_new0(LpReport, simulation->n_jobs);
    self->shown = g_new0(LpSimulation, simulation->n_jobs);
    for (guint i = 0; i < simulation->n_jobs; i++)
        lp_report_init_job(&self->jobs[i], &self->shown[i], &simulation->jobs[i], machine);
}

void
lp_scenario_report_clear(LpScenarioReport *self)
{
    for (guint i = 0; i < self->simulation->n_jobs; i++)
        lp_report_clear(&self->jobs[i]);
    g_clear_pointer(&self->jobs, g_free);
    g_clear_pointer(&self->shown, g_free);
}

static double
slowdown(const LpJobResult *result)
{
    return result->together.iteration_time_s / result->alone.iteration_time_s;
}

/* Returns: (transfer full). */
static char *
accelerators(const LpJobResult *result)
{
    guint64 n_ranks = lp_plan_n_ranks(&result->job->workload->plan);
    g_autofree guint32 *numbers = g_new(guint32, n_ranks);
    for (guint32 rank = 0; rank < n_ranks; rank++)
        numbers[rank] = (guint32)lp_placement_accelerator(result->placement, rank);
    return lp_ranges_format(numbers, (guint)n_ranks);
}

static guint64
n_ranks(const LpScenarioReport *self)
{
    guint64 n = 0;
    for (guint i = 0; i < self->simulation->n_jobs; i++)
        n += lp_plan_n_ranks(&self->simulation->jobs[i].job->workload->plan);
    return n;
}

/* Of a message, over what it would have taken alone. */
static double
stretch(const LpBackgroundResult *result)
{
    return result->isolated_s > 0.0 ? result->time_s / result->isolated_s : 1.0;
}

static double
mean_s(const LpBackgroundResult *result)
{
    return result->n_messages > 0 ? result->time_s / (double)result->n_messages : 0.0;
}

/* --- JSON --- */

static void
add_job(JsonBuilder *builder, const LpScenarioReport *self, guint index)
{
    const LpJobResult *result = &self->simulation->jobs[index];
    const LpReport *report = &self->jobs[index];
    g_autofree char *places = accelerators(result);
    json_builder_begin_object(builder);
    lp_json_text(builder, "name", result->job->name);
    lp_json_text(builder, "workload", result->job->workload->name);
    lp_json_count(builder, "accelerators", lp_plan_n_ranks(&result->job->workload->plan));
    lp_json_text(builder, "places", places);
    lp_json_count(builder, "iterations", result->job->n_iterations);
    lp_json_number(builder, "start_s", result->together.start_s);
    lp_json_number(builder, "end_s", result->together.end_s);
    lp_json_number(builder, "alone_s", result->alone.iteration_time_s);
    lp_json_number(builder, "slowdown", slowdown(result));
    lp_report_add_plan(builder, result->job->workload);
    lp_json_text(builder, "proof", result->contention);
    lp_report_add_results(builder, report);
    lp_report_add_warnings(builder, report);
    json_builder_end_object(builder);
}

static void
add_traffic(JsonBuilder *builder, const LpScenarioReport *self, guint index)
{
    const LpScenarioTraffic *traffic = self->scenario->traffic->pdata[index];
    const LpBackgroundResult *result = &self->simulation->backgrounds[index];
    json_builder_begin_object(builder);
    lp_json_text(builder, "name", traffic->name);
    lp_json_text(builder, "pattern", lp_pattern_names[traffic->pattern]);
    lp_json_count(builder, "messages", result->n_messages);
    lp_json_count(builder, "bytes", result->n_bytes);
    lp_json_number(builder, "mean_time_s", mean_s(result));
    lp_json_number(builder, "slowdown", stretch(result));
    lp_json_count(builder, "under_way", result->n_under_way);
    lp_json_count(builder, "lost", result->n_lost);
    json_builder_end_object(builder);
}

static void
add_cost(JsonBuilder *builder, const LpScenarioReport *self)
{
    lp_json_begin(builder, "cost");
    lp_json_number(builder, "wall_s", self->cost.wall_s);
    lp_json_count(builder, "peak_rss_bytes", self->cost.peak_rss_bytes);
    lp_json_count(builder, "activities", self->simulation->n_activities);
    json_builder_end_object(builder);
}

JsonNode *
lp_scenario_report_to_json(const LpScenarioReport *self)
{
    g_autoptr(JsonBuilder) builder = json_builder_new();
    json_builder_begin_object(builder);
    lp_json_text(builder, "scenario", self->scenario->name);
    lp_json_text(builder, "platform", lp_file_label(self->machine->path));
    lp_json_count(builder, "accelerators", n_ranks(self));
    lp_report_add_engine(builder, self->fidelity, self->collapse, NULL,
                         self->simulation->engine_options);
    lp_json_begin_array(builder, "jobs");
    for (guint i = 0; i < self->simulation->n_jobs; i++)
        add_job(builder, self, i);
    json_builder_end_array(builder);
    lp_json_begin_array(builder, "traffic");
    for (guint i = 0; i < self->scenario->traffic->len; i++)
        add_traffic(builder, self, i);
    json_builder_end_array(builder);
    lp_json_begin_array(builder, "warnings");
    for (guint i = 0; i < self->simulation->n_jobs; i++)
        for (guint k = 0; k < self->jobs[i].warnings->len; k++) {
            g_autofree char *text = g_strdup_printf("%s: %s", self->simulation->jobs[i].job->name,
                                                    (const char *)self->jobs[i].warnings->pdata[k]);
            json_builder_add_string_value(builder, text);
        }
    json_builder_end_array(builder);
    if (self->has_cost)
        add_cost(builder, self);
    json_builder_end_object(builder);
    return json_builder_get_root(builder);
}

/* --- text --- */

static void
append_head(GString *out, const LpScenarioReport *self)
{
    const LpMachine *machine = self->machine;
    g_string_append_printf(out, "scenario    %s: jobs %u, traffic %u, stragglers %u, failures %u\n",
                           self->scenario->name, self->scenario->jobs->len,
                           self->scenario->traffic->len, self->scenario->stragglers->len,
                           self->scenario->failures->len);
    g_string_append_printf(out,
                           "platform    %s (%s), %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                           " accelerators %s\n",
                           lp_file_label(machine->path), machine->system, n_ranks(self),
                           machine->n_accelerators, machine->accelerator.name);
    lp_report_append_engine(out, self->fidelity, self->collapse, NULL,
                            self->simulation->engine_options);
}

static void
append_jobs(GString *out, const LpScenarioReport *self)
{
    g_string_append_printf(out, "\n  %-20s %12s %12s %12s %12s %9s %7s\n", "job", "start s",
                           "end s", "iteration s", "alone s", "slowdown", "MFU");
    for (guint i = 0; i < self->simulation->n_jobs; i++) {
        const LpJobResult *result = &self->simulation->jobs[i];
        LpFigures figures =
            lp_figures(result->job->workload, self->machine, result->together.iteration_time_s);
        g_string_append_printf(out, "  %-20s %12.6f %12.6f %12.6f %12.6f %9.4f %7.4f\n",
                               result->job->name, result->together.start_s, result->together.end_s,
                               result->together.iteration_time_s, result->alone.iteration_time_s,
                               slowdown(result), figures.mfu);
    }
}

static void
append_traffic(GString *out, const LpScenarioReport *self)
{
    if (self->scenario->traffic->len == 0)
        return;
    g_string_append_printf(out, "\n  %-20s %-12s %10s %12s %12s %9s %9s\n", "traffic", "pattern",
                           "messages", "size", "mean s", "slowdown", "under way");
    for (guint i = 0; i < self->scenario->traffic->len; i++) {
        const LpScenarioTraffic *traffic = self->scenario->traffic->pdata[i];
        const LpBackgroundResult *result = &self->simulation->backgrounds[i];
        g_autofree char *size = lp_quantity_format(LP_QUANTITY_SIZE, (double)result->n_bytes);
        g_string_append_printf(
            out, "  %-20s %-12s %10" G_GUINT64_FORMAT " %12s %12.6f %9.4f %9" G_GUINT64_FORMAT "\n",
            traffic->name, lp_pattern_names[traffic->pattern], result->n_messages, size,
            mean_s(result), stretch(result), result->n_under_way);
        if (result->n_lost > 0)
            g_string_append_printf(out,
                                   "  %20s %" G_GUINT64_FORMAT
                                   " more were not sent, since their routes were dead\n",
                                   "", result->n_lost);
    }
}

static void
append_job(GString *out, const LpScenarioReport *self, guint index)
{
    const LpJobResult *result = &self->simulation->jobs[index];
    const LpReport *report = &self->jobs[index];
    g_autofree char *places = accelerators(result);
    g_string_append_printf(out, "\njob         %s: %s on accelerators %s, iterations %u\n",
                           result->job->name, result->job->workload->name, places,
                           result->job->n_iterations);
    lp_report_append_plan(out, report);
    lp_report_append_contention(out, result->contention);
    lp_report_append_needs(out, report);
    for (guint i = 0; i < report->warnings->len; i++)
        g_string_append_printf(out, "warning     %s\n", (const char *)report->warnings->pdata[i]);
    lp_report_append_results(out, report);
}

char *
lp_scenario_report_to_text(const LpScenarioReport *self)
{
    GString *out = g_string_new(NULL);
    append_head(out, self);
    for (guint i = 0; i < self->simulation->n_jobs; i++)
        append_job(out, self, i);
    append_jobs(out, self);
    append_traffic(out, self);
    if (self->has_cost) {
        g_autofree char *rss =
            lp_quantity_format(LP_QUANTITY_SIZE, (double)self->cost.peak_rss_bytes);
        g_string_append_printf(out, "\ncost        %.2f s, %s, %" G_GUINT64_FORMAT " activities\n",
                               self->cost.wall_s, rss, self->simulation->n_activities);
    }
    return g_string_free(out, FALSE);
}
