/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of scenarios: a table of all jobs, and what a report says of one for each. */
#include "report/scenario_report.h"

#include "base/c_locale.h"
#include "base/file.h"
#include "base/ranges.h"
#include "base/text_table.h"
#include "base/units.h"
#include "base/json.h"
#include "report/circuits.h"
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
    lp_report_add_engine(root, self->fidelity, self->collapse, NULL,
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
    static const char *const columns[] = {"job",      "#start s",  "#end s", "#iteration s",
                                          "#alone s", "#slowdown", "#MFU",   NULL};
    g_autoptr(LpTextTable) table = lp_text_table_new(columns);
    for (guint i = 0; i < self->simulation->n_jobs; i++) {
        const LpJobResult *result = &self->simulation->jobs[i];
        LpFigures figures =
            lp_figures(result->job->workload, self->machine, result->together.iteration_time_s);
        lp_text_table_add_row(table);
        lp_text_table_add_cell(table, "%s", result->job->name);
        lp_text_table_add_cell(table, "%.6f", result->together.start_s);
        lp_text_table_add_cell(table, "%.6f", result->together.end_s);
        lp_text_table_add_cell(table, "%.6f", result->together.iteration_time_s);
        lp_text_table_add_cell(table, "%.6f", result->alone.iteration_time_s);
        lp_text_table_add_cell(table, "%.4f", slowdown(result));
        if (result->job->workload->given != NULL)
            lp_text_table_add_cell(table, "-");
        else
            lp_text_table_add_cell(table, "%.4f", figures.mfu);
    }
    g_string_append_c(out, '\n');
    lp_text_table_append(out, table, 2);
}

static void
add_traffic_row(LpTextTable *table, const LpScenarioTraffic *traffic,
                const LpBackgroundResult *result)
{
    lp_text_table_add_row(table);
    lp_text_table_add_cell(table, "%s", traffic->name);
    lp_text_table_add_cell(table, "%s", lp_pattern_names[traffic->pattern]);
    lp_text_table_add_cell(table, "%" G_GUINT64_FORMAT, result->n_messages);
    lp_text_table_add_quantity(table, LP_QUANTITY_SIZE, (double)result->n_bytes);
    lp_text_table_add_cell(table, "%.6f", mean_s(result));
    lp_text_table_add_cell(table, "%.4f", stretch(result));
    lp_text_table_add_cell(table, "%" G_GUINT64_FORMAT, result->n_under_way);
}

static void
append_traffic(GString *out, const LpScenarioReport *self)
{
    static const char *const columns[] = {"traffic", "pattern",   "#messages",  "#size",
                                          "#mean s", "#slowdown", "#under way", NULL};
    g_autoptr(LpTextTable) table = lp_text_table_new(columns);
    g_autoptr(GString) lost = g_string_new(NULL);
    if (self->scenario->traffic->len == 0)
        return;
    for (guint i = 0; i < self->scenario->traffic->len; i++) {
        const LpScenarioTraffic *traffic = self->scenario->traffic->pdata[i];
        const LpBackgroundResult *result = &self->simulation->backgrounds[i];
        add_traffic_row(table, traffic, result);
        if (result->n_lost > 0)
            g_string_append_printf(lost,
                                   "  %s: %" G_GUINT64_FORMAT
                                   " more were not sent, since their routes were dead\n",
                                   traffic->name, result->n_lost);
    }
    g_string_append_c(out, '\n');
    lp_text_table_append(out, table, 2);
    g_string_append(out, lost->str);
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
    lp_report_append_plan(out, report->workload, self->whole_plan);
    lp_report_append_contention(out, result->contention);
    lp_report_append_needs(out, report);
    for (guint i = 0; i < report->warnings->len; i++)
        g_string_append_printf(out, "warning     %s\n", (const char *)report->warnings->pdata[i]);
    lp_report_append_results(out, report);
    lp_circuits_append_text(out, report->simulation);
}

char *
lp_scenario_report_to_text(const LpScenarioReport *self)
{
    g_auto(LpCLocale) locale = lp_c_locale_begin();
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
        lp_report_append_classes(out, &self->simulation->quotient);
    }
    return g_string_free(out, FALSE);
}
