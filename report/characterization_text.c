/* SPDX-License-Identifier: Apache-2.0 */
/* Characterisations as tables for people. */
#include "base/file.h"
#include "base/text_table.h"
#include "base/units.h"
#include "report/characterization.h"
#include "report/characterization_rows.h"
#include "report/report_parts.h"
#include "report/result_field.h"

#define OUTPUT "characterize"
#define OPERATION "/operations/0"

static void
add_size(LpTextTable *table, double bytes)
{
    lp_text_table_add_quantity(table, LP_QUANTITY_SIZE, bytes);
}

static void
append_head(GString *out, const LpCharacterization *self)
{
    const LpMachine *machine = self->machine;
    lp_report_append_workload(out, self->workload);
    if (machine != NULL)
        lp_report_append_platform(out, machine, lp_plan_n_ranks(&self->workload->plan));
    lp_report_append_plan(out, self->workload, self->whole_plan);
}

static void
append_operations(GString *out, const json_t *report)
{
    static const char *const keys[] = {
        "/parallelism",    "/operation",     "/group",        "/ranks", "/stage",     "/calls",
        "/smallest_bytes", "/largest_bytes", "/buffer_bytes", "/bytes", "/all_bytes", NULL};
    g_autoptr(LpTextTable) table = lp_result_field_table(OUTPUT, "/operations", keys, report);
    g_string_append(out, "\nwhat an accelerator asks for in an iteration, of the stage that asks "
                         "for most\n\n");
    lp_text_table_append(out, table, 2);
    if (json_array_size(json_object_get(report, "operations")) == 0)
        g_string_append(out, "  nothing\n");
}

static void
append_histogram(GString *out, const LpCharacterization *self)
{
    if (self->census->rows->len == 0)
        return;
    static const char *const columns[] = {OPERATION "/parallelism",
                                          OPERATION "/operation",
                                          OPERATION "/group",
                                          OPERATION "/histogram/0/from_bytes",
                                          OPERATION "/histogram/0/below_bytes",
                                          OPERATION "/histogram/0/calls",
                                          OPERATION "/histogram/0/buffer_bytes",
                                          NULL};
    g_autoptr(LpTextTable) table = lp_result_field_new_table(OUTPUT, columns, NULL);
    for (guint i = 0; i < self->census->rows->len; i++) {
        const LpCensusRow *row = lp_collective_census_row(self->census, i);
        g_autoptr(GArray) bins = lp_characterization_bins(row);
        for (guint k = 0; k < bins->len; k++) {
            const LpSizeBin *bin = &g_array_index(bins, LpSizeBin, k);
            g_autofree char *from = g_format_size_full(bin->from_bytes, G_FORMAT_SIZE_IEC_UNITS);
            g_autofree char *below =
                g_format_size_full(2 * bin->from_bytes, G_FORMAT_SIZE_IEC_UNITS);
            lp_text_table_add_row(table);
            lp_text_table_add_cell(table, "%s", lp_traffic_names[row->traffic]);
            lp_text_table_add_cell(table, "%s", lp_collective_names[row->collective]);
            lp_text_table_add_cell(table, "%s", lp_characterization_group(row));
            lp_text_table_add_cell(table, "%s", from);
            lp_text_table_add_cell(table, "%s", below);
            lp_text_table_add_cell(table, "%" G_GUINT64_FORMAT, bin->n_calls);
            add_size(table, (double)bin->bytes);
        }
    }
    g_string_append(out, "\nsizes of their buffers\n\n");
    lp_text_table_append(out, table, 2);
}

static void
append_times(GString *out, const json_t *report)
{
    static const char *const keys[] = {"/parallelism",     "/operation", "/group",
                                       "/seconds",         "/share",     "/algorithmic_bytes_per_s",
                                       "/bus_bytes_per_s", NULL};
    g_autoptr(LpTextTable) table = lp_result_field_table(OUTPUT, "/operations", keys, report);
    g_string_append(out, "\ntime in flight, hidden or not, and bandwidth\n\n");
    lp_text_table_append(out, table, 2);
}

static void
append_exposed(GString *out, const LpCharacterization *self)
{
    const LpRunResult *run = &self->simulation->run;
    LpFigures figures = lp_figures(self->workload, self->machine, run->iteration_time_s);
    g_autofree char *exposed_s = lp_result_field_heading("parallelism", "/exposed_s");
    g_autofree char *share = lp_result_field_heading("parallelism", "/exposed_share");
    const char *const columns[] = {lp_result_field_label("change", "/term"), exposed_s, share,
                                   NULL};
    g_autoptr(LpTextTable) table = lp_text_table_new(columns);
    for (LpTerm term = 0; term < LP_N_TERMS; term++) {
        if (run->terms.s[term] == 0.0)
            continue;
        lp_text_table_add_row(table);
        lp_text_table_add_cell(table, "%s", lp_term_names[term]);
        lp_text_table_add_cell(table, "%.6f", run->terms.s[term]);
        lp_text_table_add_cell(table, "%.2f", 100.0 * run->terms.s[term] / run->iteration_time_s);
    }
    g_string_append_printf(out, "\niteration %.6f s", figures.iteration_time_s);
    if (self->workload->given == NULL)
        g_string_append_printf(out, ", %.0f %s, %s %.4f", figures.tokens_per_s,
                               lp_result_field_label("rates", "/tokens_per_s"),
                               lp_result_field_label("rates", "/mfu"), figures.mfu);
    g_string_append(out, "\n\n");
    lp_text_table_append(out, table, 2);
}

/* --- sweeps --- */

static gboolean
has_traffic(const GArray *points, LpTraffic traffic)
{
    for (guint i = 0; i < points->len; i++)
        if (g_array_index(points, LpSweepPoint, i).all_bytes[traffic] > 0.0)
            return TRUE;
    return FALSE;
}

static void
add_point(LpTextTable *table, const LpCharacterization *self, const LpSweepPoint *point)
{
    lp_text_table_add_row(table);
    lp_text_table_add_cell(table, "%s", point->value);
    if (point->reason[0] != '\0')
        return;
    lp_text_table_add_cell(table, "%.4g", point->parameters * 1e-9);
    lp_text_table_add_cell(table, "%.0f", point->n_tokens);
    if (self->machine != NULL) {
        double exposed_s = 0.0;
        for (LpTerm term = LP_TERM_TP; term <= LP_TERM_CP; term++)
            exposed_s += point->terms.s[term];
        lp_text_table_add_cell(table, "%.6f", point->figures.iteration_time_s);
        lp_text_table_add_cell(table, "%.0f", point->figures.tokens_per_s);
        lp_text_table_add_cell(table, "%.4f", point->figures.mfu);
        lp_text_table_add_cell(table, "%.2f", 100.0 * exposed_s / point->figures.iteration_time_s);
    }
    add_size(table, point->largest_bytes);
    for (LpTraffic traffic = 0; traffic < LP_N_TRAFFIC; traffic++)
        if (has_traffic(self->points, traffic))
            add_size(table, point->all_bytes[traffic]);
}

static void
append_sweep(GString *out, const LpCharacterization *self)
{
    g_autoptr(GPtrArray) columns = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(columns, g_strconcat("#", self->parameter, NULL));
    g_ptr_array_add(columns, lp_result_field_heading("sweep_point", "/parameters"));
    g_ptr_array_add(columns, lp_result_field_heading("sweep_point", "/tokens"));
    if (self->machine != NULL) {
        g_ptr_array_add(columns, lp_result_field_heading("sweep_point", "/iteration_time_s"));
        g_ptr_array_add(columns, lp_result_field_heading("sweep_point", "/tokens_per_s"));
        g_ptr_array_add(columns, lp_result_field_heading("sweep_point", "/mfu"));
        g_ptr_array_add(columns, lp_result_field_heading("parallelism", "/exposed_share"));
    }
    g_ptr_array_add(columns, lp_result_field_heading("sweep_point", "/largest_bytes"));
    for (LpTraffic traffic = 0; traffic < LP_N_TRAFFIC; traffic++)
        if (has_traffic(self->points, traffic))
            g_ptr_array_add(columns, g_strconcat("#", lp_traffic_names[traffic], NULL));
    g_ptr_array_add(columns, NULL);
    g_autoptr(LpTextTable) table = lp_text_table_new((const char *const *)columns->pdata);
    for (guint i = 0; i < self->points->len; i++)
        add_point(table, self, &g_array_index(self->points, LpSweepPoint, i));
    g_string_append_printf(out, "\nby %s; bytes are those that all accelerators send\n\n",
                           self->parameter);
    lp_text_table_append(out, table, 2);
    for (guint i = 0; i < self->points->len; i++) {
        const LpSweepPoint *point = &g_array_index(self->points, LpSweepPoint, i);
        if (point->reason[0] != '\0')
            g_string_append_printf(out, "  %s: %s\n", point->value, point->reason);
    }
}

char *
lp_characterization_to_text(const LpCharacterization *self)
{
    GString *out = g_string_new(NULL);
    g_autoptr(json_t) report = lp_characterization_to_json(self);
    append_head(out, self);
    append_operations(out, report);
    append_histogram(out, self);
    if (self->times != NULL) {
        append_times(out, report);
        append_exposed(out, self);
    }
    if (self->points != NULL)
        append_sweep(out, self);
    if (self->simulation != NULL)
        lp_report_append_engine(out, self->fidelity, self->collapse,
                                self->simulation->run.own_sharing, self->simulation->contention,
                                self->simulation->engine_options);
    return g_string_free(out, FALSE);
}
