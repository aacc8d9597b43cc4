/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/comparison_result.h"

#include "cli/change.h"
#include "cli/comparison_run.h"

#include "base/text_table.h"
#include "report/report_parts.h"

static const json_t *
simulated(const LpComparisonRun *self)
{
    return json_object_get(self->result, "simulated");
}

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

static gboolean
is_shown(const GArray *runs, LpTerm term)
{
    for (guint i = 0; i < runs->len; i++)
        if (lp_change_term_s(g_array_index(runs, LpComparisonRun, i).result, term) != 0.0)
            return TRUE;
    return FALSE;
}

static void
add_figures(LpTextTable *table, const GArray *runs, const char *label, const char *key, int digits)
{
    if (json_object_get(simulated(&g_array_index(runs, LpComparisonRun, 0)), key) == NULL)
        return;
    lp_text_table_add_row(table);
    lp_text_table_add_cell(table, "%s", label);
    for (guint i = 0; i < runs->len; i++) {
        const json_t *figures = simulated(&g_array_index(runs, LpComparisonRun, i));
        lp_text_table_add_cell(table, "%.*f", digits,
                               json_number_value(json_object_get(figures, key)));
    }
}

static void
add_terms(LpTextTable *table, const GArray *runs)
{
    for (LpTerm term = 0; term < LP_N_TERMS; term++) {
        if (!is_shown(runs, term))
            continue;
        lp_text_table_add_row(table);
        lp_text_table_add_cell(table, "  %s", lp_term_names[term]);
        for (guint i = 0; i < runs->len; i++)
            lp_text_table_add_cell(
                table, "%.6f",
                lp_change_term_s(g_array_index(runs, LpComparisonRun, i).result, term));
    }
}

static void
add_speedup(LpTextTable *table, const GArray *runs)
{
    double first_s = iteration_time_s(&g_array_index(runs, LpComparisonRun, 0));
    lp_text_table_add_row(table);
    lp_text_table_add_cell(table, "speed-up");
    for (guint i = 0; i < runs->len; i++)
        lp_text_table_add_cell(
            table, "%.4f", first_s / iteration_time_s(&g_array_index(runs, LpComparisonRun, i)));
}

/* What only machines with technologies have; "-" where a run has none. No row if no run has. */
static void
add_if_any(LpTextTable *table, const GArray *runs, const char *label, const char *part,
           const char *key, int digits)
{
    gboolean is_any = FALSE;
    for (guint i = 0; i < runs->len; i++)
        is_any =
            is_any ||
            json_object_get(json_object_get(g_array_index(runs, LpComparisonRun, i).result, part),
                            key) != NULL;
    if (!is_any)
        return;
    lp_text_table_add_row(table);
    lp_text_table_add_cell(table, "%s", label);
    for (guint i = 0; i < runs->len; i++) {
        const json_t *figures =
            json_object_get(g_array_index(runs, LpComparisonRun, i).result, part);
        const json_t *value = json_object_get(figures, key);
        if (value == NULL)
            lp_text_table_add_cell(table, "-");
        else
            lp_text_table_add_cell(table, "%.*f", digits, json_number_value(value));
    }
}

static void
add_circuits(LpTextTable *table, const GArray *runs)
{
    static const struct {
        const char *label, *key;
        int digits;
    } rows[] = {
        {"reconfigurations", "reconfigurations", 0},
        {"  on the critical path", "critical_path_reconfigurations", 0},
        {"  waited for, exposed (s)", "wait_exposed_s", 6},
        {"  dead time hidden (s)", "wait_hidden_s", 6},
        {"duty cycle of circuits", "duty_cycle", 4},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
        add_if_any(table, runs, rows[i].label, "circuits", rows[i].key, rows[i].digits);
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
    g_autoptr(LpTextTable) table = new_table(runs->len);
    add_figures(table, runs, "iteration time", "iteration_time_s", 6);
    add_terms(table, runs);
    add_figures(table, runs, "hardware TFLOP/s", "hardware_tflops_per_accelerator", 1);
    add_figures(table, runs, "MFU", "mfu", 4);
    add_speedup(table, runs);
    add_if_any(table, runs, "p50 over seeds (s)", "distribution", "p50_s", 6);
    add_if_any(table, runs, "p95", "distribution", "p95_s", 6);
    add_if_any(table, runs, "p99", "distribution", "p99_s", 6);
    add_circuits(table, runs);
    add_if_any(table, runs, "dynamic energy, J", "energy_j", "dynamic", 3);
    add_if_any(table, runs, "static energy, J", "energy_j", "static", 3);
    add_if_any(table, runs, "network, W", "network", "power_w", 1);
    add_if_any(table, runs, "network, USD", "network", "price_usd", 0);
    g_string_append_c(out, '\n');
    lp_text_table_append(out, table, 2);
    g_string_append_c(out, '\n');
    append_runs(out, runs);
    return g_string_free(out, FALSE);
}
