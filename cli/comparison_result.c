/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/comparison_result.h"

#include "cli/change.h"
#include "cli/comparison_run.h"

#include "base/text_table.h"
#include "report/report_parts.h"
#include "report/result_field.h"

static double
iteration_time_s(const LpComparisonRun *self)
{
    return lp_change_iteration_time_s(self->result);
}

json_t *
lp_comparison_to_json(const GArray *runs)
{
    const LpComparisonRun *first = &g_array_index(runs, LpComparisonRun, 0);
    json_t *root = lp_json_document();
    json_t *results = lp_json_set_array(root, "runs");
    for (guint i = 0; i < runs->len; i++)
        (void)json_array_append(results, g_array_index(runs, LpComparisonRun, i).result);
    json_t *speedup = lp_json_set_array(root, "speedup");
    for (guint i = 0; i < runs->len; i++)
        lp_json_append_number(speedup, iteration_time_s(first) / iteration_time_s(&g_array_index(
                                                                     runs, LpComparisonRun, i)));
    json_t *changes = lp_json_set_array(root, "largest_change");
    for (guint i = 0; i < runs->len; i++) {
        const LpComparisonRun *run = &g_array_index(runs, LpComparisonRun, i);
        LpChange change = lp_change_largest(first->result, run->result);
        json_t *element = lp_json_append_object(changes);
        lp_json_set_text(element, "term", lp_term_names[change.term]);
        lp_json_set_number(element, "seconds", change.seconds);
        lp_json_set_text(element, "tier", change.tier);
        lp_json_set_number(element, "moved_s", change.moved_s);
        g_autofree char *warning = lp_change_warning(first->result, run->result, &change);
        if (warning != NULL)
            lp_json_set_text(element, "warning", warning);
    }
    if (first->contention == NULL)
        return root;
    json_t *contention = lp_json_set_array(root, "contention_s");
    for (guint i = 0; i < runs->len; i++)
        (void)json_array_append(
            contention,
            json_object_get(g_array_index(runs, LpComparisonRun, i).contention, "classes_s"));
    return root;
}

static void
add_speedup(LpTextTable *table, const GArray *runs)
{
    double first_s = iteration_time_s(&g_array_index(runs, LpComparisonRun, 0));
    lp_text_table_add_row(table);
    lp_text_table_add_cell(table, "%s", lp_result_field_label("compare", "/speedup"));
    for (guint i = 0; i < runs->len; i++)
        lp_text_table_add_cell(
            table, "%.4f", first_s / iteration_time_s(&g_array_index(runs, LpComparisonRun, i)));
}

static LpTextTable *
new_table(guint n_runs)
{
    g_autoptr(GPtrArray) columns = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(columns, g_strdup("seconds"));
    for (guint i = 0; i < n_runs; i++)
        g_ptr_array_add(columns, g_strdup_printf("#run %u", i + 1));
    g_ptr_array_add(columns, NULL);
    return lp_text_table_new((const char *const *)columns->pdata);
}

static void
append_runs(GString *out, const GArray *runs)
{
    const LpComparisonRun *first = &g_array_index(runs, LpComparisonRun, 0);
    for (guint i = 0; i < runs->len; i++) {
        const LpComparisonRun *run = &g_array_index(runs, LpComparisonRun, i);
        g_string_append_printf(out, "run %2u  %s", i + 1, run->platform);
        if (i > 0) {
            LpChange change = lp_change_largest(first->result, run->result);
            if (change.moved_s == 0.0)
                g_string_append(out, ": as run 1");
            else
                g_string_append_printf(out, ": %s changed most, %+.6f s (tier: %s)",
                                       lp_term_names[change.term], change.seconds, change.tier);
        }
        g_string_append_c(out, '\n');
        LpChange change = lp_change_largest(first->result, run->result);
        g_autofree char *warning = lp_change_warning(first->result, run->result, &change);
        if (warning != NULL)
            g_string_append_printf(out, "        warning: %s\n", warning);
        if (run->contention != NULL)
            lp_change_append_classes(out, run == first ? NULL : first->contention, run->contention);
    }
}

char *
lp_comparison_to_text(const GArray *runs, const LpWorkload *workload, gboolean whole_plan)
{
    GString *out = g_string_new(NULL);
    lp_report_append_workload(out, workload);
    lp_report_append_plan(out, workload, whole_plan);
    static const char *const rates[] = {"/simulated/hardware_tflops_per_accelerator",
                                        "/simulated/mfu"};
    static const char *const others[] = {"/distribution/p50_s",
                                         "/distribution/p95_s",
                                         "/distribution/p99_s",
                                         "/circuits/reconfigurations",
                                         "/circuits/critical_path_reconfigurations",
                                         "/circuits/wait_exposed_s",
                                         "/circuits/wait_hidden_s",
                                         "/circuits/duty_cycle",
                                         "/energy_j/dynamic",
                                         "/energy_j/static",
                                         "/network/power_w",
                                         "/network/price_usd"};
    g_autofree const json_t **results = g_new(const json_t *, runs->len);
    g_autofree const json_t **terms = g_new(const json_t *, runs->len);
    for (guint i = 0; i < runs->len; i++) {
        results[i] = g_array_index(runs, LpComparisonRun, i).result;
        terms[i] = lp_json_find(results[i], "/simulated/terms_s");
    }
    g_autoptr(LpTextTable) table = new_table(runs->len);
    lp_result_field_add_row(table, "simulate", "/simulated/iteration_time_s", FALSE, results,
                            runs->len);
    lp_result_field_add_rows(table, lp_result_field_find("simulate", "/simulated/terms_s"), terms,
                             runs->len, FALSE);
    for (guint i = 0; i < G_N_ELEMENTS(rates); i++)
        lp_result_field_add_row(table, "simulate", rates[i], FALSE, results, runs->len);
    add_speedup(table, runs);
    for (guint i = 0; i < G_N_ELEMENTS(others); i++)
        lp_result_field_add_row(table, "simulate", others[i], TRUE, results, runs->len);
    g_string_append_c(out, '\n');
    lp_text_table_append(out, table, 2);
    g_string_append_c(out, '\n');
    append_runs(out, runs);
    return g_string_free(out, FALSE);
}
