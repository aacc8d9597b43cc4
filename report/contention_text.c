/* SPDX-License-Identifier: Apache-2.0 */
/* Contention as text: the tree of lp_contention_report_to_json(), named as report/fields.xml has
 * it. */
#include "base/text_table.h"
#include "base/units.h"
#include "report/contention_report.h"
#include "report/report_parts.h"
#include "report/result_field.h"

/* The type of the results of each job. */
#define JOB "contended"

static double
number_at(const json_t *object, const char *pointer)
{
    return json_number_value(lp_json_find(object, pointer));
}

static void
append_head(GString *out, const LpContentionReport *self, const json_t *result)
{
    const LpScenario *scenario = self->scenario_setup->scenario;
    if (self->is_scenario)
        g_string_append_printf(out,
                               "scenario    %s: jobs %u, traffic %u, stragglers %u, failures %u\n",
                               scenario->name, scenario->jobs->len, scenario->traffic->len,
                               scenario->stragglers->len, scenario->failures->len);
    else
        lp_report_append_workload(out,
                                  lp_scenario_setup_job(self->scenario_setup, 0)->job->workload);
    lp_report_append_platform(out, self->machine, (guint64)number_at(result, "/accelerators"));
    if (!self->is_scenario)
        lp_report_append_plan(out, lp_scenario_setup_job(self->scenario_setup, 0)->job->workload,
                              self->whole_plan);
    lp_report_append_engine(out, self->scenario_setup->fidelity, self->scenario_setup->collapse,
                            TRUE, NULL, self->scenario_setup->engine_options);
    g_string_append_printf(out, "runs        %u\n", self->attributions->n_runs);
}

static void
add_text(LpTextTable *table, const json_t *object, const char *key, const char *absent)
{
    const json_t *value = json_object_get(object, key);
    lp_text_table_add_cell(table, "%s", value != NULL ? json_string_value(value) : absent);
}

static void
add_seconds(LpTextTable *table, const json_t *object, const char *key)
{
    lp_text_table_add_cell(table, "%.6f", json_number_value(json_object_get(object, key)));
}

static void
add_count(LpTextTable *table, const json_t *object, const char *key)
{
    lp_text_table_add_cell(table, "%" JSON_INTEGER_FORMAT,
                           json_integer_value(json_object_get(object, key)));
}

static void
append_table(GString *out, const LpTextTable *table)
{
    g_string_append_c(out, '\n');
    lp_text_table_append(out, table, 2);
}

/* "  LABEL: @seconds s". */
static void
append_rest(GString *out, const char *pointer, double seconds)
{
    g_string_append_printf(out, "  %s: %.6f s\n", lp_result_field_label(JOB, pointer), seconds);
}

/* Adds @seconds in per cent of all contention of @job. */
static void
add_share(LpTextTable *table, const json_t *job, double seconds)
{
    double total_s = number_at(job, "/total_s");
    if (total_s != 0.0)
        lp_text_table_add_cell(table, "%.1f", 100.0 * seconds / total_s);
}

static void
add_part(LpTextTable *table, const json_t *job, const char *name, double seconds)
{
    lp_text_table_add_row(table);
    lp_text_table_add_cell(table, "%s", name);
    lp_text_table_add_cell(table, "%.6f", seconds);
    add_share(table, job, seconds);
}

static void
append_tiers(GString *out, const json_t *job)
{
    const char *name;
    json_t *seconds;
    g_autofree char *lost = lp_result_field_heading(JOB, "/pairs_s/0/seconds");
    g_autoptr(LpTextTable) table = lp_text_table_new(
        (const char *const[]){lp_result_field_label(JOB, "/tiers_s"), lost, "#%", NULL});
    json_object_foreach (lp_json_find(job, "/tiers_s"), name, seconds)
        add_part(table, job, name, json_number_value(seconds));
    add_part(table, job, lp_result_field_label(JOB, "/interaction_s"),
             number_at(job, "/interaction_s"));
    add_part(table, job, "all", number_at(job, "/total_s"));
    append_table(out, table);
}

static void
append_pairs(GString *out, const json_t *job)
{
    static const char *const columns[] = {"/pairs_s/0/delayed", "/pairs_s/0/by",
                                          "/pairs_s/0/seconds", NULL};
    const json_t *pairs = lp_json_find(job, "/pairs_s");
    g_autoptr(LpTextTable) table =
        lp_result_field_new_table(JOB, columns, (const char *const[]){"#%", NULL});
    if (json_array_size(pairs) == 0)
        return;
    for (gsize i = 0; i < json_array_size(pairs); i++) {
        const json_t *pair = json_array_get(pairs, i);
        lp_text_table_add_row(table);
        add_text(table, pair, "delayed", "");
        add_text(table, pair, "by", "");
        add_seconds(table, pair, "seconds");
        add_share(table, job, number_at(pair, "/seconds"));
    }
    append_table(out, table);
    const char *name;
    json_t *seconds;
    g_string_append(out, "  a class with all that it is part of (Shapley):");
    json_object_foreach (lp_json_find(job, "/classes_s"), name, seconds)
        g_string_append_printf(out, " %s %.6f", name, json_number_value(seconds));
    g_string_append_c(out, '\n');
}

/* A row for each class that crossed @link; the first goes on with the row of the link. @n_before:
 * columns before. */
static void
add_crossings(LpTextTable *table, const json_t *link, gboolean names_jobs, guint n_before)
{
    const json_t *crossed = json_object_get(link, "crossed");
    for (gsize i = 0; i < json_array_size(crossed); i++) {
        const json_t *one = json_array_get(crossed, i);
        const char *job = json_string_value(json_object_get(one, "job"));
        for (guint k = 0; i > 0 && k < n_before; k++) {
            if (k == 0)
                lp_text_table_add_row(table);
            lp_text_table_add_cell(table, "%s", "");
        }
        lp_text_table_add_cell(table, "%s%s%s", names_jobs && job != NULL ? job : "",
                               names_jobs && job != NULL ? " " : "",
                               json_string_value(json_object_get(one, "traffic")));
        add_count(table, one, "flows");
        lp_text_table_add_quantity(table, LP_QUANTITY_SIZE, number_at(one, "/bytes"));
        add_seconds(table, one, "from_s");
        add_seconds(table, one, "to_s");
        add_seconds(table, one, "held_back_s");
    }
}

/* Whether a row of @list stands for others, too. */
static gboolean
are_any_alike(const json_t *list)
{
    for (gsize i = 0; i < json_array_size(list); i++)
        if (json_integer_value(json_object_get(json_array_get(list, i), "alike")) > 1)
            return TRUE;
    return FALSE;
}

#define CROSSED "/links/0/crossed/0"

/* A table with the columns of @pointers; that of what is alike only where @are_alike. */
static LpTextTable *
new_table(const char *const *pointers, gboolean are_alike)
{
    const char *columns[16];
    guint n = 0;
    for (guint i = 0; pointers[i] != NULL; i++)
        if (are_alike || !g_str_has_suffix(pointers[i], "/alike"))
            columns[n++] = pointers[i];
    columns[n] = NULL;
    return lp_result_field_new_table(JOB, columns, NULL);
}

static void
append_links(GString *out, const json_t *job, gboolean names_jobs)
{
    static const char *const columns[] = {
        "/links/0/place",       "/links/0/tier",    "/links/0/alike",       "/links/0/seconds",
        "/links/0/utilisation", CROSSED "/traffic", CROSSED "/flows",       CROSSED "/bytes",
        CROSSED "/from_s",      CROSSED "/to_s",    CROSSED "/held_back_s", NULL};
    const json_t *links = lp_json_find(job, "/links");
    gboolean are_alike = are_any_alike(links);
    if (json_array_size(links) == 0)
        return;
    g_autoptr(LpTextTable) table = new_table(columns, are_alike);
    for (gsize i = 0; i < json_array_size(links); i++) {
        const json_t *link = json_array_get(links, i);
        lp_text_table_add_row(table);
        add_text(table, link, "place", "");
        add_text(table, link, "tier", "");
        if (are_alike)
            add_count(table, link, "alike");
        add_seconds(table, link, "seconds");
        lp_text_table_add_cell(table, "%.4f", number_at(link, "/utilisation"));
        add_crossings(table, link, names_jobs, are_alike ? 5 : 4);
    }
    append_table(out, table);
    append_rest(out, "/other_links_s", number_at(job, "/other_links_s"));
    if (are_alike)
        g_string_append(out, "  (seconds are of all links alike; what crossed one is of each)\n");
    json_int_t n_replicas = json_integer_value(lp_json_find(job, "/mirror_images"));
    if (n_replicas > 1)
        g_string_append_printf(out,
                               "  (a link stands for itself and its %" JSON_INTEGER_FORMAT
                               " replicas on other slices)\n",
                               n_replicas - 1);
}

static void
append_flows(GString *out, const json_t *job)
{
    static const char *const columns[] = {
        "/traffic",         "/flows",        "/alone_s",        "/actual_s",
        "/slowdown_median", "/slowdown_p99", "/slowdown_worst", NULL};
    g_autoptr(LpTextTable) table = lp_result_field_table(JOB, "/flows", columns, job);
    if (json_array_size(lp_json_find(job, "/flows")) > 0)
        append_table(out, table);
}

static void
append_stragglers(GString *out, const json_t *job)
{
    static const char *const columns[] = {"/stragglers/0/traffic", "/stragglers/0/collective",
                                          "/stragglers/0/rank",    "/stragglers/0/alike",
                                          "/stragglers/0/times",   "/stragglers/0/seconds",
                                          "/stragglers/0/worst_s", NULL};
    const json_t *waits = lp_json_find(job, "/stragglers");
    gboolean are_alike = are_any_alike(waits);
    double rest_s = number_at(job, "/waited_s");
    if (json_array_size(waits) == 0)
        return;
    g_autoptr(LpTextTable) table = new_table(columns, are_alike);
    for (gsize i = 0; i < json_array_size(waits); i++) {
        const json_t *wait = json_array_get(waits, i);
        rest_s -= number_at(wait, "/seconds") * number_at(wait, "/alike");
        lp_text_table_add_row(table);
        add_text(table, wait, "traffic", "");
        add_text(table, wait, "collective", "several");
        add_count(table, wait, "rank");
        if (are_alike)
            add_count(table, wait, "alike");
        add_count(table, wait, "times");
        add_seconds(table, wait, "seconds");
        add_seconds(table, wait, "worst_s");
    }
    append_table(out, table);
    append_rest(out, "/waited_s", MAX(rest_s, 0.0));
}

static void
append_path(GString *out, const json_t *job)
{
    static const char *const columns[] = {"/term",  "/stage",   "/for_stage",
                                          "/times", "/seconds", NULL};
    g_autoptr(LpTextTable) table = lp_result_field_table(JOB, "/critical_path", columns, job);
    if (lp_json_find(job, "/critical_path") == NULL)
        return;
    append_table(out, table);
    append_rest(out, "/other_path_s", number_at(job, "/other_path_s"));
}

static void
append_what_ifs(GString *out, const json_t *job)
{
    static const char *const columns[] = {
        "/what_ifs/0/name",  "/what_ifs/0/iteration_time_s", "/what_ifs/0/saved_s",
        "/what_ifs/0/units", "/what_ifs/0/saved_per_unit_s", NULL};
    const json_t *rows = lp_json_find(job, "/what_ifs");
    g_autoptr(GString) reasons = g_string_new(NULL);
    g_autoptr(LpTextTable) table = lp_result_field_new_table(JOB, columns, NULL);
    for (gsize i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        const char *misfit = json_string_value(json_object_get(row, "does_not_fit"));
        lp_text_table_add_row(table);
        add_text(table, row, "name", "");
        if (misfit != NULL) {
            lp_text_table_add_cell(table, "does not fit");
            lp_text_table_add_cell(table, "-");
            lp_text_table_add_cell(table, "%.3g", number_at(row, "/units"));
            lp_text_table_add_cell(table, "-");
            g_string_append_printf(reasons, "  %s does not fit: %s\n",
                                   json_string_value(json_object_get(row, "name")), misfit);
            continue;
        }
        add_seconds(table, row, "iteration_time_s");
        lp_text_table_add_cell(table, "%+.6f", number_at(row, "/saved_s"));
        lp_text_table_add_cell(table, "%.3g", number_at(row, "/units"));
        lp_text_table_add_cell(table, "%+.6f", number_at(row, "/saved_per_unit_s"));
    }
    if (json_array_size(rows) == 0)
        return;
    append_table(out, table);
    g_string_append(out, reasons->str);
}

static void
append_band(GString *out, const json_t *job)
{
    const char *name, *comma = "";
    json_t *seconds;
    if (lp_json_find(job, "/band") == NULL)
        return;
    g_string_append_printf(out, "band        %.6f to %.6f s:", number_at(job, "/band/low_s"),
                           number_at(job, "/band/high_s"));
    json_object_foreach (lp_json_find(job, "/band/ways_s"), name, seconds) {
        g_string_append_printf(out, "%s %s %.6f", comma, name, json_number_value(seconds));
        comma = ",";
    }
    g_string_append_c(out, '\n');
}

static void
append_job(GString *out, const LpContentionReport *self, guint index, const json_t *result)
{
    const LpScenarioJob *scenario_job = lp_scenario_setup_job(self->scenario_setup, index)->job;
    const json_t *job =
        self->is_scenario ? json_array_get(json_object_get(result, "jobs"), index) : result;
    if (self->is_scenario) {
        g_string_append_printf(out, "\njob         %s: %s\n", scenario_job->name,
                               scenario_job->workload->name);
        lp_report_append_plan(out, scenario_job->workload, self->whole_plan);
    }
    g_string_append_printf(
        out, "\niteration   %.6f s, of which %.6f s (%.2f %%) contention; %.6f s without\n",
        number_at(job, "/iteration_time_s"), number_at(job, "/total_s"),
        100.0 * number_at(job, "/total_s") / number_at(job, "/iteration_time_s"),
        number_at(job, "/uncontended_s"));
    append_band(out, job);
    lp_report_append_distribution(out, job);
    append_tiers(out, job);
    append_pairs(out, job);
    append_links(out, job, self->scenario_setup->jobs->len > 1);
    append_flows(out, job);
    append_stragglers(out, job);
    append_path(out, job);
    append_what_ifs(out, job);
}

char *
lp_contention_report_to_text(const LpContentionReport *self)
{
    GString *out = g_string_new(NULL);
    g_autoptr(json_t) result = lp_contention_report_to_json(self);
    append_head(out, self, result);
    for (guint i = 0; i < self->scenario_setup->jobs->len; i++)
        append_job(out, self, i, result);
    if (self->has_cost) {
        g_autofree char *rss =
            lp_quantity_format(LP_QUANTITY_SIZE, (double)self->cost.peak_rss_bytes);
        g_string_append_printf(out, "\ncost        %.2f s, %s\n", self->cost.wall_s, rss);
    }
    return g_string_free(out, FALSE);
}
