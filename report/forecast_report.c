/* SPDX-License-Identifier: Apache-2.0 */
/* Forecasts for people and for programs. */
#include "report/forecast_report.h"

#include "base/file.h"
#include "base/text_table.h"
#include "base/units.h"
#include "report/report_parts.h"
#include "report/result_field.h"

/* All that the command would take here. */
static double
processor_s(const LpForecastReport *self)
{
    return self->setup_s + self->slowness * lp_forecast_processor_s(self->forecast);
}

static double
most_s(const LpForecastReport *self)
{
    return self->setup_s + self->slowness * lp_forecast_most_s(self->forecast);
}

/* Code of libraries that the process that explains does not touch. */
#define CODE_BYTES 30000000u

/* The memory of the command's two processes, one of which prepares and runs and one that explains.
 * Data that they share count in both, as with --cost. */
static guint64
memory_bytes(const LpForecastReport *self)
{
    guint64 data_bytes = self->peak_rss_bytes - MIN(self->peak_rss_bytes, CODE_BYTES);
    return self->peak_rss_bytes + data_bytes + lp_forecast_bytes(self->forecast);
}

static const LpForecastRun *
run_at(const LpForecastReport *self, guint i)
{
    return &g_array_index(self->forecast->runs, LpForecastRun, i);
}

static void
add_run(json_t *runs, const LpForecastRun *run)
{
    const LpActivities *activities = &run->size.activities;
    json_t *object = lp_json_append_object(runs);
    lp_json_set_text(object, "name", run->name);
    if (run->job != G_MAXUINT32)
        lp_json_set_count(object, "job", run->job);
    lp_json_set_count(object, "ranks", run->size.n_ranks);
    lp_json_set_count(object, "actors", run->size.n_actors);
    lp_json_set_count(object, "flows", activities->n_flows);
    lp_json_set_count(object, "activities", lp_activities_n(activities));
    lp_json_set_count(object, "activities_min", lp_activities_min(activities));
    lp_json_set_count(object, "activities_max", lp_activities_max(activities));
    lp_json_set_number(object, "reference_s", run->processor_s);
}

char *
lp_forecast_report_to_json_text(const LpForecastReport *self)
{
    g_autoptr(json_t) root = lp_json_document();
    lp_json_set_text(root, self->is_scenario ? "scenario" : "workload", self->name);
    lp_json_set_text(root, "platform", lp_file_label(self->platform));
    lp_json_set_count(root, "accelerators", self->accelerators);
    lp_json_set_text(root, "fidelity", lp_fidelity_names[self->fidelity]);
    json_t *runs = lp_json_set_array(root, "runs");
    for (guint i = 0; i < self->forecast->runs->len; i++)
        add_run(runs, run_at(self, i));
    if (self->forecast->quotient.n_ranks > 0)
        lp_report_add_classes(lp_json_set_object(root, "classes"), &self->forecast->quotient);
    lp_json_set_number(root, "reference_s", lp_forecast_processor_s(self->forecast));
    lp_json_set_number(root, "setup_s", self->setup_s);
    lp_json_set_number(root, "slowness", self->slowness);
    lp_json_set_number(root, "processor_s", processor_s(self));
    if (self->forecast->otherwise_s > 0.0) {
        lp_json_set_number(root, "otherwise_s", self->forecast->otherwise_s);
        (void)json_object_set_new(root, "assumed_unlike", json_boolean(self->forecast->is_unlike));
        lp_json_set_number(root, "processor_s_max", most_s(self));
    }
    if (self->forecast->traffic.n_messages > 0.0) {
        json_t *traffic = lp_json_set_object(root, "traffic");
        lp_json_set_number(traffic, "messages", self->forecast->traffic.n_messages);
        lp_json_set_number(traffic, "under_way", self->forecast->traffic.n_under_way);
        lp_json_set_number(traffic, "lasts_s", self->forecast->traffic_lasts_s);
        lp_json_set_count(traffic, "overloaded_links", self->forecast->traffic.n_overloaded);
        lp_json_set_number(traffic, "processor_s",
                           self->slowness * lp_forecast_traffic_s(self->forecast));
    }
    lp_json_set_count(root, "memory_bytes", memory_bytes(self));
    return lp_json_print(root);
}

static void
append_runs(GString *out, const LpForecastReport *self)
{
    static const char *const columns[] = {
        "/runs/0/name",       "/runs/0/ranks",          "/runs/0/actors",      "/runs/0/flows",
        "/runs/0/activities", "/runs/0/activities_max", "/runs/0/reference_s", NULL};
    g_autoptr(LpTextTable) table = lp_result_field_new_table("forecast", columns, NULL);
    for (guint i = 0; i < self->forecast->runs->len; i++) {
        const LpForecastRun *run = run_at(self, i);
        const LpActivities *activities = &run->size.activities;
        lp_text_table_add_row(table);
        if (run->job == G_MAXUINT32)
            lp_text_table_add_cell(table, "%s", run->name);
        else
            lp_text_table_add_cell(table, "%s, job %u", run->name, run->job + 1);
        lp_text_table_add_cell(table, "%" G_GUINT64_FORMAT, run->size.n_ranks);
        lp_text_table_add_cell(table, "%" G_GUINT64_FORMAT, run->size.n_actors);
        lp_text_table_add_cell(table, "%" G_GUINT64_FORMAT, activities->n_flows);
        lp_text_table_add_cell(table, "%" G_GUINT64_FORMAT, lp_activities_n(activities));
        lp_text_table_add_cell(table, "%" G_GUINT64_FORMAT, lp_activities_max(activities));
        lp_text_table_add_cell(table, "%.2f", run->processor_s);
    }
    lp_text_table_append(out, table, 2);
}

char *
lp_forecast_report_to_text(const LpForecastReport *self)
{
    GString *out = g_string_new(NULL);
    g_autofree char *memory = lp_quantity_format(LP_QUANTITY_SIZE, (double)memory_bytes(self));
    g_string_append_printf(out, "%s    %s\nplatform    %s, %" G_GUINT64_FORMAT " accelerators\n",
                           self->is_scenario ? "scenario" : "workload", self->name,
                           lp_file_label(self->platform), self->accelerators);
    g_string_append_printf(out, "engine      not started, fidelity=%s\n",
                           lp_fidelity_names[self->fidelity]);
    lp_report_append_classes(out, &self->forecast->quotient);
    g_string_append(out, "\nwhat would run, on the machine of docs/architecture.md\n");
    append_runs(out, self);
    g_string_append_printf(out,
                           "\nhere, %.2f times as slow: about %.1f s of processor time, %.2f s of "
                           "them taken already; about %s\n",
                           self->slowness, processor_s(self), self->setup_s, memory);
    if (self->forecast->otherwise_s > 0.0)
        g_string_append_printf(out,
                               self->forecast->is_unlike
                                   ? "classes that are assumed alike are not: runs are tried until "
                                     "they are, %.1f s in all at most\n"
                                   : "if classes that are assumed alike turn out not to be: %.1f s "
                                     "in all\n",
                               most_s(self));
    if (self->forecast->traffic.n_messages > 0.0)
        g_string_append_printf(
            out,
            "of that, %.1f s are for traffic that no job sends: %.3g messages in %.3g s, %.3g of "
            "them under way at once\n",
            self->slowness * lp_forecast_traffic_s(self->forecast),
            self->forecast->traffic.n_messages, self->forecast->traffic_lasts_s,
            self->forecast->traffic.n_under_way);
    if (self->forecast->traffic.n_overloaded > 0)
        g_string_append_printf(out,
                               "links that are sent more than they carry: %u; jobs that need them "
                               "wait for as long as traffic piles up there, and so will you\n",
                               self->forecast->traffic.n_overloaded);
    return g_string_free(out, FALSE);
}
