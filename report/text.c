/* SPDX-License-Identifier: Apache-2.0 */
/* Reports as tables for people: results as report/fields.xml names and orders their values. */
#include "base/c_locale.h"
#include "base/file.h"
#include "base/text_table.h"
#include "base/units.h"
#include "report/difference_parts.h"
#include "report/expected_text.h"
#include "report/result_field.h"
#include "report/given_text.h"
#include "report/kernel_rows.h"
#include "report/closed_form_limits.h"
#include "report/report.h"
#include "report/report_parts.h"
#include "sim/engine/engine.h"

#include <math.h>
#include <string.h>

/* The type that all results of an iteration share: those of simulate, of estimate, and of each job.
 */
#define RESULT "iteration"

static double
number_at(const json_t *result, const char *pointer)
{
    return json_number_value(lp_json_find(result, pointer));
}

static const char *
label_of(const char *pointer)
{
    return lp_result_field_label(RESULT, pointer);
}

/* --- head --- */

void
lp_report_append_workload(GString *out, const LpWorkload *workload)
{
    if (workload->given != NULL) {
        g_autofree char *text = lp_given_text(workload->given);
        g_string_append_printf(out, "workload    %s, a program by hand: %s\n", workload->name,
                               text);
        return;
    }
    g_string_append_printf(out, "workload    %s, %.4g billion parameters\n", workload->name,
                           lp_transformer_parameters(&workload->transformer) * 1e-9);
}

void
lp_report_append_platform(GString *out, const LpMachine *machine, guint64 n_ranks)
{
    g_autofree char *label = g_strdup(lp_file_label(machine->path));
    g_strdelimit(label, "\n\r\t", ' ');
    g_string_append_printf(
        out,
        "platform    %s (%s), %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " accelerators %s\n",
        label, machine->system, n_ranks, machine->n_accelerators, machine->accelerator.name);
}

static void
append_head(GString *out, const LpReport *self)
{
    lp_report_append_workload(out, self->workload);
    lp_report_append_platform(out, self->machine, lp_plan_n_ranks(&self->workload->plan));
    lp_report_append_plan(out, self->workload, self->whole_plan);
}

/* A line each. */
void
lp_report_append_contention(GString *out, const char *contention)
{
    g_auto(GStrv) clauses = g_strsplit(contention, "; ", -1);
    for (guint i = 0; clauses[i] != NULL; i++)
        g_string_append_printf(out, "            %s\n", clauses[i]);
}

void
lp_report_append_engine(GString *out, LpFidelity fidelity, gboolean collapse, gboolean own_sharing,
                        const char *contention, const GArray *engine_options)
{
    g_string_append_printf(out, "\nengine      %s, fidelity=%s, collapse=%s\n", lp_engine_version(),
                           lp_fidelity_names[fidelity], collapse ? "on" : "off");
    if (own_sharing)
        g_string_append(out, "            links are shared by " LP_REPORT_OWN_SHARING "\n");
    if (contention != NULL)
        lp_report_append_contention(out, contention);
    g_string_append(out, "           ");
    for (guint i = 0; i < engine_options->len; i++) {
        const LpEngineOption *option = &g_array_index(engine_options, LpEngineOption, i);
        g_string_append_printf(out, " %s:%s", option->name, option->value);
        if (i % 4 == 3)
            g_string_append(out, "\n           ");
    }
    g_string_append_c(out, '\n');
}

void
lp_report_append_classes(GString *out, const LpQuotientSize *size)
{
    if (size->n_ranks == 0)
        return;
    g_string_append_printf(out,
                           "            %" G_GUINT64_FORMAT " ranks in %" G_GUINT64_FORMAT
                           " classes, %" G_GUINT64_FORMAT " links in %" G_GUINT64_FORMAT
                           ", %" G_GUINT64_FORMAT " flows in %" G_GUINT64_FORMAT "\n",
                           size->n_ranks, size->n_rank_classes, size->n_links, size->n_link_classes,
                           size->n_flows, size->n_flow_classes);
    if (size->n_ways == 0)
        return;
    g_string_append_printf(out,
                           "            %" G_GUINT64_FORMAT
                           " ways over links, assumed alike within a class of flows: ",
                           size->n_ways);
    if (size->n_trials > 0)
        g_string_append_printf(out, "checked at every instant, run %u\n", size->n_trials);
    else
        g_string_append(out, "more classes if that does not hold\n");
}

static void
append_end(GString *out, const LpReport *self)
{
    for (guint i = 0; i < self->warnings->len; i++)
        g_string_append_printf(out, "warning     %s\n", (const char *)self->warnings->pdata[i]);
    if (self->has_cost) {
        g_autofree char *rss =
            lp_quantity_format(LP_QUANTITY_SIZE, (double)self->cost.peak_rss_bytes);
        g_string_append_printf(out, "cost        %.2f s, %s, %" G_GUINT64_FORMAT " activities\n",
                               self->cost.wall_s, rss, self->simulation->run.n_activities);
        lp_report_append_classes(out, &self->simulation->quotient);
    }
}

/* --- parts with a row each value --- */

/* The rows of the object at @pointer. Returns: (transfer full). */
static LpTextTable *
part_table(const json_t *result, const char *pointer)
{
    const json_t *part = lp_json_find(result, pointer);
    LpTextTable *table = lp_text_table_new((const char *const[]){"", "#", NULL});
    lp_result_field_add_rows(table, lp_result_field_find(RESULT, pointer), &part, 1, TRUE);
    return table;
}

void
lp_report_append_part(GString *out, const json_t *result, const char *pointer)
{
    if (lp_json_find(result, pointer) == NULL)
        return;
    g_autoptr(LpTextTable) table = part_table(result, pointer);
    g_string_append_printf(out, "\n%s\n", label_of(pointer));
    lp_text_table_append(out, table, 2);
}

void
lp_report_append_memory(GString *out, const json_t *result, const LpMachine *machine)
{
    double spare_bytes = number_at(result, "/memory/spare_bytes");
    g_autofree char *spare = lp_quantity_format(LP_QUANTITY_SIZE, fabs(spare_bytes));
    gboolean fits = json_is_true(lp_json_find(result, "/memory/fits"));
    lp_report_append_part(out, result, "/memory");
    if (machine != NULL)
        g_string_append_printf(
            out, "  %s %s: %s %s\n", fits ? label_of("/memory/fits") : "does not fit",
            machine->accelerator.name, spare, fits ? label_of("/memory/spare_bytes") : "too many");
}

static void
append_traffic(GString *out, const json_t *result)
{
    guint n;
    const LpResultField *classes =
        lp_result_field_members(lp_result_field_find(RESULT, "/traffic_bytes"), &n);
    g_autoptr(LpTextTable) table = lp_text_table_new((const char *const[]){"", "#", "", NULL});
    g_string_append_printf(out, "\n%s (narrowest tier)\n", label_of("/traffic_bytes"));
    for (guint i = 0; i < n; i++) {
        /* The embedding's tier is that of the gradients' sums, whose ranks it joins. */
        gboolean is_embedding = g_str_equal(classes[i].name, "embedding");
        const json_t *tier = json_object_get(lp_json_find(result, "/simulated/narrowest_tier"),
                                             is_embedding ? "dp" : classes[i].name);
        const json_t *bytes =
            json_object_get(lp_json_find(result, "/traffic_bytes"), classes[i].name);
        lp_text_table_add_row(table);
        lp_text_table_add_cell(table, "%s", classes[i].label);
        lp_text_table_add_cell(table, "%" JSON_INTEGER_FORMAT " B", json_integer_value(bytes));
        lp_text_table_add_cell(table, "%s", tier != NULL ? json_string_value(tier) : "");
    }
    lp_text_table_append(out, table, 2);
}

void
lp_report_append_needs(GString *out, const LpReport *self, const json_t *result)
{
    append_traffic(out, result);
    if (self->workload->given == NULL)
        lp_report_append_memory(out, result, self->machine);
}

void
lp_report_append_circuits(GString *out, const json_t *result)
{
    const json_t *plan = lp_json_find(result, "/circuits/plan");
    if (plan == NULL)
        return;
    g_autoptr(LpTextTable) table = part_table(result, "/circuits");
    g_string_append_printf(out, "\n%s: %s\n", label_of("/circuits"), json_string_value(plan));
    lp_text_table_append(out, table, 2);
}

static void
append_energy(GString *out, json_t *result)
{
    guint n;
    const LpResultField *kinds =
        lp_result_field_members(lp_result_field_find(RESULT, "/energy_j"), &n);
    g_autoptr(GPtrArray) columns = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(json_t) rows = json_object();
    json_t *technologies = lp_json_find(result, "/energy_j_by_technology"), *all;
    if (technologies == NULL)
        return;
    (void)json_object_update(rows, technologies);
    (void)json_object_set(rows, "all", lp_json_find(result, "/energy_j"));
    g_ptr_array_add(columns, g_strdup(label_of("/energy_j")));
    for (guint i = 0; i < n; i++)
        g_ptr_array_add(columns, g_strconcat("#", kinds[i].label, NULL));
    g_ptr_array_add(columns, NULL);
    g_autoptr(LpTextTable) table = lp_text_table_new((const char *const *)columns->pdata);
    const char *name;
    json_object_foreach (rows, name, all) {
        lp_text_table_add_row(table);
        lp_text_table_add_cell(table, "%s", name);
        for (guint i = 0; i < n; i++)
            lp_text_table_add_quantity(table, LP_QUANTITY_ENERGY,
                                       json_number_value(json_object_get(all, kinds[i].name)));
    }
    g_string_append_c(out, '\n');
    lp_text_table_append(out, table, 0);
    const json_t *token = json_object_get(result, "energy_j_per_token");
    if (token == NULL)
        return;
    g_autofree char *energy = lp_unit_text(LP_UNIT_ENERGY, json_number_value(token));
    g_string_append_printf(out, "  %s: %s\n", label_of("/energy_j_per_token"), energy);
}

/* --- times --- */

/* Terms that are 0 everywhere share one line, so that the others stand out. */
static void
append_zero_terms(GString *out, const json_t *const *columns, guint n)
{
    guint n_terms;
    const LpResultField *terms =
        lp_result_field_members(lp_result_field_find(RESULT, "/closed_form/terms_s"), &n_terms);
    g_autoptr(GString) zero = g_string_new(NULL);
    for (guint k = 0; k < n_terms; k++) {
        double sum_s = 0.0;
        for (guint i = 0; i < n; i++)
            sum_s += fabs(json_number_value(
                json_object_get(json_object_get(columns[i], "terms_s"), terms[k].name)));
        if (sum_s == 0.0)
            g_string_append_printf(zero, "%s%s", zero->len > 0 ? ", " : "", terms[k].label);
    }
    if (zero->len > 0)
        g_string_append_printf(out, "  %s: 0\n", zero->str);
}

/* The simulation and the closed forms side by side. */
static void
append_times(GString *out, const json_t *result)
{
    static const char *const models[] = {"/simulated", "/closed_form", "/amped"};
    const json_t *columns[G_N_ELEMENTS(models)];
    g_autoptr(GPtrArray) headings = g_ptr_array_new_with_free_func(g_free);
    guint n = 0;
    g_ptr_array_add(headings, g_strdup("seconds"));
    for (guint i = 0; i < G_N_ELEMENTS(models); i++)
        if ((columns[n] = lp_json_find(result, models[i])) != NULL) {
            g_ptr_array_add(headings, g_strconcat("#", label_of(models[i]), NULL));
            n++;
        }
    g_ptr_array_add(headings, NULL);
    g_autoptr(LpTextTable) table = lp_text_table_new((const char *const *)headings->pdata);
    lp_result_field_add_rows(table, lp_result_field_find(RESULT, "/closed_form"), columns, n,
                             FALSE);
    g_string_append_c(out, '\n');
    lp_text_table_append(out, table, 2);
    append_zero_terms(out, columns, n);
}

void
lp_report_append_distribution(GString *out, const json_t *result)
{
    static const char *const quantiles[] = {"/distribution/p50_s", "/distribution/p95_s",
                                            "/distribution/p99_s"};
    const json_t *runs = lp_json_find(result, "/distribution/runs");
    if (runs == NULL)
        return;
    g_string_append_printf(out, "%" JSON_INTEGER_FORMAT " %s:", json_integer_value(runs),
                           label_of("/distribution/runs"));
    for (guint i = 0; i < G_N_ELEMENTS(quantiles); i++)
        g_string_append_printf(out, "%s %s %.6f", i > 0 ? "," : "", label_of(quantiles[i]),
                               number_at(result, quantiles[i]));
    g_string_append_printf(out, " s; %.6f to %.6f s\n", number_at(result, "/distribution/low_s"),
                           number_at(result, "/distribution/high_s"));
}

/* Appends the expected error. */
static void
append_expected_error(GString *out, const LpReport *self)
{
    LpExpectedError expected = lp_expected_error_find(self->workload, self->machine);
    g_autofree char *text = lp_expected_error_to_text(&expected, self->workload, self->machine);
    g_string_append_printf(out, "  %s: %s\n", label_of("/expected_error/median"), text);
}

/* --- difference --- */

/* "@seconds s LABEL", of the value at @pointer. */
static void
append_run(GString *out, const json_t *result, const char *pointer, const char *end)
{
    g_string_append_printf(out, "%.6f s %s%s", number_at(result, pointer), label_of(pointer), end);
}

/* A value that six digits would show as 0 has no sign. */
static double
steady(double seconds)
{
    return fabs(seconds) < 0.5e-6 ? 0.0 : seconds;
}

static void
append_runs(GString *out, const json_t *result)
{
    g_string_append_printf(out, "  (runs: %.6f s as it is, ",
                           number_at(result, "/simulated/iteration_time_s"));
    append_run(out, result, "/simulated/uncontended_iteration_time_s", ", ");
    append_run(out, result, "/simulated/balanced_iteration_time_s", ",\n   ");
    append_run(out, result, "/simulated/free_messages_iteration_time_s", ";\n   ");
    g_string_append_printf(out, "%s: %.6f s as it is, %.6f s balanced)\n",
                           label_of("/simulated/overlap_s"),
                           steady(number_at(result, "/simulated/overlap_s")),
                           steady(number_at(result, "/simulated/balanced_overlap_s")));
}

static void
append_job_parts(GString *out, const json_t *result)
{
    if (lp_json_find(result, "/difference/others_s") == NULL)
        return;
    g_string_append_printf(
        out, "  (%s cost it %+.6f s, %s %+.6f s)\n", label_of("/difference/others_s"),
        steady(number_at(result, "/difference/others_s")), label_of("/difference/faults_s"),
        steady(number_at(result, "/difference/faults_s")));
}

static void
append_difference(GString *out, const json_t *result)
{
    g_autoptr(GArray) parts = lp_difference_parts(lp_json_find(result, "/difference"));
    g_autoptr(LpTextTable) table = lp_text_table_new((const char *const[]){"", "#", NULL});
    double whole_s = number_at(result, "/simulated/iteration_time_s") -
                     number_at(result, "/closed_form/iteration_time_s");
    g_string_append_printf(out, "\n%s: %+.6f s (%+.2f %%), of which\n",
                           label_of("/difference/iteration_fraction"), steady(whole_s),
                           100.0 * number_at(result, "/difference/iteration_fraction"));
    for (guint i = 0; i < parts->len; i++) {
        const LpDifferencePart *part = &g_array_index(parts, LpDifferencePart, i);
        lp_text_table_add_row(table);
        lp_text_table_add_cell(table, "%s", part->field->label);
        lp_text_table_add_cell(table, "%+.6f s", steady(part->seconds));
    }
    lp_text_table_append(out, table, 2);
    append_runs(out, result);
    append_job_parts(out, result);
}

/* Appends the difference of a program by hand. */
static void
append_given_difference(GString *out, const json_t *result)
{
    g_string_append_printf(
        out, "\n%s %s\n%s  %+.6f s (%.6f s as it is, ", label_of("/no_closed_form"),
        json_string_value(lp_json_find(result, "/no_closed_form")),
        label_of("/difference/contention_s"), steady(number_at(result, "/difference/contention_s")),
        number_at(result, "/simulated/iteration_time_s"));
    append_run(out, result, "/simulated/uncontended_iteration_time_s", ")\n");
    append_job_parts(out, result);
}

/* A paragraph for each text of the list at @pointer. Returns: how many. */
static size_t
append_texts(GString *out, const json_t *result, const char *pointer)
{
    const json_t *texts = lp_json_find(result, pointer);
    for (size_t i = 0; i < json_array_size(texts); i++)
        lp_report_append_prose(out, label_of(pointer), json_string_value(json_array_get(texts, i)));
    return json_array_size(texts);
}

void
lp_report_append_results(GString *out, const LpReport *self, const json_t *result)
{
    gboolean has_difference = lp_json_find(result, "/difference") != NULL;
    append_times(out, result);
    if (self->workload->given == NULL)
        append_expected_error(out, self);
    if (self->distribution.n > 0)
        g_string_append_c(out, '\n');
    lp_report_append_distribution(out, result);
    if (self->workload->given != NULL) {
        if (has_difference)
            append_given_difference(out, result);
        return;
    }
    if (lp_closed_form_limits_experts(self))
        g_string_append(
            out, "\nAMPeD leaves out the all-to-alls of experts, and so its MFU may pass 1\n");
    if (has_difference)
        append_difference(out, result);
    (void)append_texts(out, result, "/closed_form/left_out");
}

/* --- the whole --- */

char *
lp_report_to_text(const LpReport *self)
{
    g_auto(LpCLocale) locale = lp_c_locale_begin();
    g_autoptr(json_t) result = lp_report_to_json(self);
    GString *out = g_string_new(NULL);
    append_head(out, self);
    lp_report_append_engine(out, self->fidelity, self->collapse, self->simulation->run.own_sharing,
                            self->simulation->contention, self->simulation->engine_options);
    lp_report_append_needs(out, self, result);
    append_end(out, self);
    lp_report_append_results(out, self, result);
    lp_report_append_circuits(out, result);
    append_energy(out, result);
    lp_report_append_part(out, result, "/network");
    return g_string_free(out, FALSE);
}

char *
lp_report_estimate_to_text(const LpReport *self, gboolean amped)
{
    g_auto(LpCLocale) locale = lp_c_locale_begin();
    g_autoptr(json_t) result = lp_report_estimate_to_json(self, amped);
    GString *out = g_string_new(NULL);
    append_head(out, self);
    lp_report_append_memory(out, result, self->machine);
    if (amped) {
        g_autofree char *bytes =
            lp_quantity_format(LP_QUANTITY_SIZE, number_at(result, "/amped/memory_bytes"));
        g_string_append_printf(out, "  by AMPeD, fully sharded: %s\n", bytes);
    }
    append_end(out, self);
    append_times(out, result);
    g_autoptr(GString) texts = g_string_new(NULL);
    (void)append_texts(texts, result, amped ? "/amped/left_out" : "/closed_form/left_out");
    if (append_texts(texts, result, amped ? "/amped/doubts" : "/closed_form/doubts") > 0)
        g_string_append(texts, "            so do not trust it without a simulation "
                               "(docs/validation.md)\n");
    if (texts->len > 0)
        g_string_append_printf(out, "\n%s", texts->str);
    if (self->lists_kernels)
        lp_kernel_rows_append_text(out, self);
    return g_string_free(out, FALSE);
}
