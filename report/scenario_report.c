/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of scenarios: a table of all jobs, and what a report says of one for each. */
#include "report/scenario_report.h"

#include "base/c_locale.h"
#include "base/file.h"
#include "base/ranges.h"
#include "base/units.h"
#include "base/json.h"
#include "report/circuits.h"
#include "report/result_field.h"
#include "report/report_parts.h"

void
lp_scenario_report_init(LpScenarioReport *self, const LpMachine *machine,
                        const LpScenarioSimulation *simulation)
{
    g_auto(LpCLocale) locale = lp_c_locale_begin();
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

/* The mean time of a message over its time alone. */
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
add_job(json_t *array, const LpScenarioReport *self, guint index)
{
    const LpJobResult *result = &self->simulation->jobs[index];
    const LpReport *report = &self->jobs[index];
    g_autofree char *places = accelerators(result);
    json_t *object = lp_json_append_object(array);
    lp_json_set_text(object, "name", result->job->name);
    lp_json_set_text(object, "workload", result->job->workload->name);
    lp_json_set_count(object, "accelerators", lp_plan_n_ranks(&result->job->workload->plan));
    lp_json_set_text(object, "places", places);
    lp_json_set_count(object, "iterations", result->job->n_iterations);
    lp_json_set_number(object, "start_s", result->together.start_s);
    lp_json_set_number(object, "end_s", result->together.end_s);
    lp_json_set_number(object, "alone_s", result->alone.iteration_time_s);
    lp_json_set_number(object, "slowdown", slowdown(result));
    lp_report_add_plan(object, result->job->workload);
    lp_json_set_text(object, "proof", result->contention);
    lp_report_add_results(object, report);
    lp_circuits_add_json(object, report->simulation);
    lp_report_add_warnings(object, report);
}

static void
add_traffic(json_t *array, const LpScenarioReport *self, guint index)
{
    const LpScenarioTraffic *traffic = self->scenario->traffic->pdata[index];
    const LpBackgroundResult *result = &self->simulation->backgrounds[index];
    json_t *object = lp_json_append_object(array);
    lp_json_set_text(object, "name", traffic->name);
    lp_json_set_text(object, "pattern", lp_pattern_names[traffic->pattern]);
    lp_json_set_count(object, "messages", result->n_messages);
    lp_json_set_count(object, "bytes", result->n_bytes);
    lp_json_set_number(object, "mean_time_s", mean_s(result));
    lp_json_set_number(object, "slowdown", stretch(result));
    lp_json_set_count(object, "under_way", result->n_under_way);
    lp_json_set_count(object, "lost", result->n_lost);
}

static void
add_cost(json_t *object, const LpScenarioReport *self)
{
    json_t *cost = lp_json_set_object(object, "cost");
    lp_json_set_number(cost, "wall_s", self->cost.wall_s);
    lp_json_set_count(cost, "peak_rss_bytes", self->cost.peak_rss_bytes);
    lp_json_set_count(cost, "activities", self->simulation->n_activities);
    lp_report_add_classes(cost, &self->simulation->quotient);
}

static json_t *
to_json(const LpScenarioReport *self)
{
    json_t *root = lp_json_document();
    lp_json_set_text(root, "scenario", self->scenario->name);
    lp_json_set_text(root, "platform", lp_file_label(self->machine->path));
    lp_json_set_count(root, "accelerators", n_ranks(self));
    lp_report_add_engine(root, self->fidelity, self->collapse,
                         self->simulation->jobs[0].together.own_sharing, NULL,
                         self->simulation->engine_options);
    json_t *jobs = lp_json_set_array(root, "jobs");
    for (guint i = 0; i < self->simulation->n_jobs; i++)
        add_job(jobs, self, i);
    json_t *traffic = lp_json_set_array(root, "traffic");
    for (guint i = 0; i < self->scenario->traffic->len; i++)
        add_traffic(traffic, self, i);
    json_t *warnings = lp_json_set_array(root, "warnings");
    for (guint i = 0; i < self->simulation->n_jobs; i++)
        for (guint k = 0; k < self->jobs[i].warnings->len; k++) {
            g_autofree char *text = g_strdup_printf("%s: %s", self->simulation->jobs[i].job->name,
                                                    (const char *)self->jobs[i].warnings->pdata[k]);
            lp_json_append_text(warnings, text);
        }
    if (self->has_cost)
        add_cost(root, self);
    return root;
}

char *
lp_scenario_report_to_json_text(const LpScenarioReport *self)
{
    g_auto(LpCLocale) locale = lp_c_locale_begin();
    g_autoptr(json_t) node = to_json(self);
    return lp_json_print(node);
}

/* --- text --- */

static void
append_head(GString *out, const LpScenarioReport *self)
{
    g_string_append_printf(out, "scenario    %s: jobs %u, traffic %u, stragglers %u, failures %u\n",
                           self->scenario->name, self->scenario->jobs->len,
                           self->scenario->traffic->len, self->scenario->stragglers->len,
                           self->scenario->failures->len);
    lp_report_append_platform(out, self->machine, n_ranks(self));
    lp_report_append_engine(out, self->fidelity, self->collapse,
                            self->simulation->jobs[0].together.own_sharing, NULL,
                            self->simulation->engine_options);
}

static void
append_tables(GString *out, const LpScenarioReport *self, const json_t *result)
{
    static const char *const jobs[] = {
        "/name",    "/start_s",  "/end_s",         "/simulated/iteration_time_s",
        "/alone_s", "/slowdown", "/simulated/mfu", NULL};
    static const char *const traffic[] = {"/name",        "/pattern",  "/messages",  "/bytes",
                                          "/mean_time_s", "/slowdown", "/under_way", NULL};
    g_autoptr(LpTextTable) of_jobs = lp_result_field_table("scenario", "/jobs", jobs, result);
    g_string_append_c(out, '\n');
    lp_text_table_append(out, of_jobs, 2);
    if (self->scenario->traffic->len == 0)
        return;
    g_autoptr(LpTextTable) of_traffic =
        lp_result_field_table("scenario", "/traffic", traffic, result);
    g_string_append_c(out, '\n');
    lp_text_table_append(out, of_traffic, 2);
    for (guint i = 0; i < self->scenario->traffic->len; i++) {
        const LpScenarioTraffic *one = self->scenario->traffic->pdata[i];
        guint64 n_lost = self->simulation->backgrounds[i].n_lost;
        if (n_lost > 0)
            g_string_append_printf(out,
                                   "  %s: %" G_GUINT64_FORMAT
                                   " more were not sent, since their routes were dead\n",
                                   one->name, n_lost);
    }
}

static void
append_job(GString *out, const LpScenarioReport *self, guint index, const json_t *whole)
{
    const json_t *job = json_array_get(json_object_get(whole, "jobs"), index);
    const LpJobResult *result = &self->simulation->jobs[index];
    const LpReport *report = &self->jobs[index];
    g_autofree char *places = accelerators(result);
    g_string_append_printf(out, "\njob         %s: %s on accelerators %s, iterations %u\n",
                           result->job->name, result->job->workload->name, places,
                           result->job->n_iterations);
    lp_report_append_plan(out, report->workload, self->whole_plan);
    lp_report_append_contention(out, result->contention);
    lp_report_append_needs(out, report, job);
    for (guint i = 0; i < report->warnings->len; i++)
        g_string_append_printf(out, "warning     %s\n", (const char *)report->warnings->pdata[i]);
    lp_report_append_results(out, report, job);
    lp_report_append_circuits(out, job);
}

char *
lp_scenario_report_to_text(const LpScenarioReport *self)
{
    g_auto(LpCLocale) locale = lp_c_locale_begin();
    g_autoptr(json_t) result = to_json(self);
    GString *out = g_string_new(NULL);
    append_head(out, self);
    for (guint i = 0; i < self->simulation->n_jobs; i++)
        append_job(out, self, i, result);
    append_tables(out, self, result);
    if (self->has_cost) {
        g_autofree char *rss =
            lp_quantity_format(LP_QUANTITY_SIZE, (double)self->cost.peak_rss_bytes);
        g_string_append_printf(out, "\ncost        %.2f s, %s, %" G_GUINT64_FORMAT " activities\n",
                               self->cost.wall_s, rss, self->simulation->n_activities);
        lp_report_append_classes(out, &self->simulation->quotient);
    }
    return g_string_free(out, FALSE);
}
