/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of goodput. */
#include "report/goodput_report.h"

#include "base/file.h"
#include "base/text_table.h"
#include "base/units.h"
#include "report/goodput_figures.h"
#include "report/report_parts.h"
#include "report/result_field.h"

#include <math.h>

#define HOUR_S 3600.0
#define DAY_S 86400.0

/* "12.3 h", or "never". Returns: (transfer full). */
static char *
time_text(double seconds)
{
    if (isinf(seconds))
        return g_strdup("never");
    if (seconds >= 1000.0 * HOUR_S)
        return g_strdup_printf("%.0f h", seconds / HOUR_S);
    return seconds >= HOUR_S ? g_strdup_printf("%.4g h", seconds / HOUR_S)
                             : lp_quantity_format(LP_QUANTITY_TIME, seconds);
}

static void
append_fleet(GString *out, const LpGoodputReport *self)
{
    const LpFleet *fleet = &self->input.fleet;
    g_string_append_printf(
        out,
        "machine      %s: %" G_GUINT64_FORMAT " accelerators, %" G_GUINT64_FORMAT
        " blocks of %" G_GUINT64_FORMAT " (hosts of %" G_GUINT64_FORMAT "), each up %.4f %%\n",
        lp_file_label(self->machine->path), self->n_accelerators, fleet->n_blocks,
        self->block_accelerators, self->host_size, 100.0 * lp_fleet_block_availability(fleet));
    g_string_append_printf(out,
                           "jobs         %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                           " blocks; %" G_GUINT64_FORMAT " spare; packing %s",
                           fleet->n_slices, fleet->slice_blocks,
                           fleet->n_blocks - fleet->n_slices * fleet->slice_blocks,
                           lp_packing_names[fleet->packing]);
    if (fleet->packing == LP_PACKING_PODS)
        g_string_append_printf(
            out, ", groups of %" G_GUINT64_FORMAT " in pods of %" G_GUINT64_FORMAT " blocks",
            fleet->group_blocks, fleet->pod_blocks);
    if (fleet->packing == LP_PACKING_RINGS)
        g_string_append_printf(
            out, ", groups of %" G_GUINT64_FORMAT " in rings of %" G_GUINT64_FORMAT " hops",
            fleet->group_blocks, fleet->hops);
    if (fleet->packing == LP_PACKING_RINGS && fleet->n_slices > 1)
        g_string_append(out, fleet->regroup == LP_REGROUP_FREE ? ", formed anew for each job"
                                                               : ", never formed anew");
    if (fleet->packing == LP_PACKING_CONTIGUOUS)
        g_string_append_printf(out,
                               ", %" G_GUINT64_FORMAT "x%" G_GUINT64_FORMAT "x%" G_GUINT64_FORMAT
                               " of %" G_GUINT64_FORMAT "x%" G_GUINT64_FORMAT "x%" G_GUINT64_FORMAT,
                               fleet->shape[0], fleet->shape[1], fleet->shape[2], fleet->grid[0],
                               fleet->grid[1], fleet->grid[2]);
    g_string_append_c(out, '\n');
}

static void
append_checkpoints(GString *out, const LpGoodputReport *self)
{
    g_autofree char *size = lp_quantity_format(LP_QUANTITY_SIZE, self->checkpoint_bytes);
    g_autofree char *write = time_text(self->input.write_s);
    g_autofree char *interval = time_text(self->input.interval_s);
    g_autofree char *restart = time_text(self->input.restart_s);
    g_autofree char *detection = time_text(self->detection_s);
    g_autofree char *scheduling = time_text(self->scheduling_s);
    g_autofree char *loading = time_text(self->loading_s);
    g_string_append_printf(out, "checkpoints  %s, written in %s", size, write);
    if (self->storage_bytes_per_s > 0.0) {
        g_autofree char *rate =
            lp_quantity_format(LP_QUANTITY_BANDWIDTH, self->storage_bytes_per_s);
        g_string_append_printf(out, " at %s", rate);
    }
    g_string_append_printf(out, ", every %s (%s)\n", interval, self->interval_rule);
    g_string_append_printf(out, "restart      %s: detection %s, scheduling %s, loading %s\n",
                           restart, detection, scheduling, loading);
}

static void
append_parts(GString *out, const LpGoodputReport *self)
{
    static const struct {
        const char *key;
        gboolean is_number;
    } shown[] = {{"/name", FALSE},    {"/count", TRUE},   {"/mtbf_s", TRUE},
                 {"/repair_s", TRUE}, {"/effect", FALSE}, {"/source", FALSE}};
    /* Each time has its own unit. */
    g_autoptr(GPtrArray) columns = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < G_N_ELEMENTS(shown); i++)
        g_ptr_array_add(columns, g_strconcat(shown[i].is_number ? "#" : "",
                                             lp_result_field_label("failing", shown[i].key), NULL));
    g_ptr_array_add(columns, NULL);
    g_autoptr(LpTextTable) table = lp_text_table_new((const char *const *)columns->pdata);
    for (LpGoodputPart i = 0; i < LP_N_PARTS; i++) {
        const LpFailingParts *parts = &self->input.fleet.parts[i];
        const LpPartReliability *known = &self->reliability->part[i];
        if (!known->is_known)
            continue;
        g_autofree char *mtbf = time_text(parts->mtbf_s);
        g_autofree char *repair = time_text(parts->repair_s);
        lp_text_table_add_row(table);
        lp_text_table_add_cell(table, "%s", lp_part_names[i]);
        lp_text_table_add_cell(table, "%" G_GUINT64_FORMAT, self->n_parts[i]);
        lp_text_table_add_cell(table, "%s", mtbf);
        lp_text_table_add_cell(table, "%s", parts->effect == LP_EFFECT_JOB ? "-" : repair);
        if (parts->effect == LP_EFFECT_SLOW)
            lp_text_table_add_cell(table, "%s, %g times", lp_effect_names[parts->effect],
                                   parts->slowdown);
        else
            lp_text_table_add_cell(table, "%s", lp_effect_names[parts->effect]);
        lp_text_table_add_cell(table, "%s", known->source != NULL ? known->source : "given");
    }
    g_string_append_c(out, '\n');
    lp_text_table_append(out, table, 2);
}

static void
add_row(LpTextTable *table, const char *label, const LpGoodputRow *row, double unit, int digits)
{
    const double values[] = {row->closed, row->sample.mean, row->sample.half_width, row->p5,
                             row->p95};
    lp_text_table_add_row(table);
    lp_text_table_add_cell(table, "%s", label);
    for (guint i = 0; i < G_N_ELEMENTS(values); i++)
        if (isnan(values[i]))
            lp_text_table_add_cell(table, "-");
        else
            lp_text_table_add_cell(table, "%.*f", digits, values[i] / unit);
}

static void
append_agreement(GString *out, const LpGoodputReport *self, gboolean agrees)
{
    if (!self->has_closed_form)
        g_string_append(out, "closed form  none of contiguous slices\n");
    else if (!lp_goodput_is_exact(&self->input.fleet))
        g_string_append(out, "closed form  a bound: it forms groups anew for each job "
                             "(--regroup=free); running jobs are never moved here\n");
    else
        g_string_append_printf(out, "closed form  %s the 95 %% interval of the goodput\n",
                               agrees ? "within" : "outside");
}

static void
append_results(GString *out, const LpGoodputReport *self)
{
    LpGoodputRow rows[LP_N_GOODPUT_FIGURES];
    lp_goodput_rows(self, rows);
    static const struct {
        const char *key;
        LpGoodputFigure figure;
        const char *unit; /* behind the label */
        double in_base;
        int digits;
    } shown[] = {{"/goodput", LP_GOODPUT_FIGURE_GOODPUT, ", %", 0.01, 3},
                 {"/slice_goodput", LP_GOODPUT_FIGURE_SLICE_GOODPUT, ", %", 0.01, 3},
                 {"/availability", LP_GOODPUT_FIGURE_AVAILABILITY, ", %", 0.01, 3},
                 {"/lost_s/checkpointing", LP_GOODPUT_FIGURE_LOSS, ", h", HOUR_S, 3},
                 {"/lost_s/lost_work", LP_GOODPUT_FIGURE_LOSS + 1, ", h", HOUR_S, 3},
                 {"/lost_s/restart", LP_GOODPUT_FIGURE_LOSS + 2, ", h", HOUR_S, 3},
                 {"/lost_s/waiting", LP_GOODPUT_FIGURE_LOSS + 3, ", h", HOUR_S, 3},
                 {"/lost_s/degraded", LP_GOODPUT_FIGURE_LOSS + 4, ", h", HOUR_S, 3},
                 {"/lost_s/idle", LP_GOODPUT_FIGURE_LOSS + 5, ", h", HOUR_S, 3},
                 {"/interruptions", LP_GOODPUT_FIGURE_INTERRUPTIONS, "", 1.0, 2},
                 {"/tokens", LP_GOODPUT_FIGURE_TOKENS, ", 1e9", 1e9, 3}};
    static const char *const columns[] = {"/closed_form", "/runs", "/half_width", "/p5", "/p95"};
    g_autoptr(GPtrArray) headings = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(headings, g_strdup(""));
    for (guint i = 0; i < G_N_ELEMENTS(columns); i++)
        g_ptr_array_add(headings,
                        g_strconcat("#", lp_result_field_label("goodput", columns[i]), NULL));
    g_ptr_array_add(headings, NULL);
    g_autoptr(LpTextTable) table = lp_text_table_new((const char *const *)headings->pdata);
    for (guint i = 0; i < G_N_ELEMENTS(shown); i++) {
        gboolean is_loss = g_str_has_prefix(shown[i].key, "/lost_s");
        g_autofree char *label =
            g_strconcat(is_loss ? "  " : "", lp_result_field_label("goodput_figures", shown[i].key),
                        shown[i].unit, NULL);
        add_row(table, label, &rows[shown[i].figure], shown[i].in_base, shown[i].digits);
    }
    g_string_append_c(out, '\n');
    lp_text_table_append(out, table, 2);
    g_string_append_c(out, '\n');
    append_agreement(out, self, rows[LP_GOODPUT_FIGURE_GOODPUT].agrees);
}

char *
lp_goodput_report_to_text(const LpGoodputReport *self)
{
    GString *out = g_string_new(NULL);
    double rate = lp_fleet_interruptions_per_s(&self->input.fleet);
    g_autofree char *between = time_text(rate > 0.0 ? 1.0 / rate : (double)INFINITY);
    lp_report_append_workload(out, self->workload);
    lp_report_append_plan(out, self->workload, self->whole_plan);
    append_fleet(out, self);
    g_string_append_printf(out, "iteration    %.6f s, %s\n", self->iteration_time_s,
                           self->is_simulated ? "simulated" : "given");
    append_checkpoints(out, self);
    g_string_append_printf(out, "failures     %s; a job is interrupted every %s\n",
                           self->reliability->name, between);
    g_string_append_printf(out, "period       %g days, %u runs, seed %u\n",
                           self->input.period_s / DAY_S, self->n_runs, self->seed);
    append_parts(out, self);
    append_results(out, self);
    return g_string_free(out, FALSE);
}
