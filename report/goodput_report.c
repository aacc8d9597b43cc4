/* SPDX-License-Identifier: Apache-2.0 */
/* JSON of goodput. */
#include "report/goodput_report.h"

#include "base/file.h"
#include "report/goodput_figures.h"
#include "report/report_parts.h"

#include <math.h>

static const char *const figure_keys[LP_GOODPUT_FIGURE_LOSS] = {
    [LP_GOODPUT_FIGURE_GOODPUT] = "goodput",
    [LP_GOODPUT_FIGURE_SLICE_GOODPUT] = "slice_goodput",
    [LP_GOODPUT_FIGURE_AVAILABILITY] = "availability",
    [LP_GOODPUT_FIGURE_INTERRUPTIONS] = "interruptions",
    [LP_GOODPUT_FIGURE_TOKENS] = "tokens",
};

static void
add_blocks(json_t *root, const LpGoodputReport *self)
{
    const LpFleet *fleet = &self->input.fleet;
    json_t *object = lp_json_set_object(root, "blocks");
    lp_json_set_count(object, "accelerators", self->block_accelerators);
    lp_json_set_count(object, "host_accelerators", self->host_size);
    lp_json_set_count(object, "all", fleet->n_blocks);
    lp_json_set_count(object, "slice", fleet->slice_blocks);
    lp_json_set_count(object, "slices", fleet->n_slices);
    lp_json_set_count(object, "spares", fleet->n_blocks - fleet->n_slices * fleet->slice_blocks);
    lp_json_set_text(object, "packing", lp_packing_names[fleet->packing]);
    if (fleet->packing == LP_PACKING_PODS) {
        lp_json_set_count(object, "pod", fleet->pod_blocks);
        lp_json_set_count(object, "group", fleet->group_blocks);
    }
    if (fleet->packing == LP_PACKING_RINGS) {
        lp_json_set_count(object, "group", fleet->group_blocks);
        lp_json_set_count(object, "hops", fleet->hops);
        lp_json_set_text(object, "regroup", lp_regroup_names[fleet->regroup]);
    }
    if (fleet->packing == LP_PACKING_CONTIGUOUS) {
        json_t *grid = lp_json_set_array(object, "grid");
        json_t *shape = lp_json_set_array(object, "shape");
        for (guint i = 0; i < 3; i++) {
            lp_json_append_number(grid, (double)fleet->grid[i]);
            lp_json_append_number(shape, (double)fleet->shape[i]);
        }
    }
    lp_json_set_number(object, "availability", lp_fleet_block_availability(fleet));
}

static void
add_checkpoints(json_t *root, const LpGoodputReport *self)
{
    json_t *object = lp_json_set_object(root, "checkpoint");
    lp_json_set_number(object, "bytes", self->checkpoint_bytes);
    if (self->storage_bytes_per_s > 0.0)
        lp_json_set_number(object, "storage_bytes_per_s", self->storage_bytes_per_s);
    lp_json_set_number(object, "write_s", self->input.write_s);
    lp_json_set_number(object, "interval_s", self->input.interval_s);
    lp_json_set_text(object, "interval_rule", self->interval_rule);
    json_t *restart = lp_json_set_object(root, "restart_s");
    lp_json_set_number(restart, "detection", self->detection_s);
    lp_json_set_number(restart, "scheduling", self->scheduling_s);
    lp_json_set_number(restart, "loading", self->loading_s);
}

static void
add_parts(json_t *root, const LpGoodputReport *self)
{
    json_t *array = lp_json_set_array(root, "parts");
    for (LpGoodputPart i = 0; i < LP_N_PARTS; i++) {
        const LpFailingParts *parts = &self->input.fleet.parts[i];
        const LpPartReliability *known = &self->reliability->part[i];
        if (!known->is_known)
            continue;
        json_t *object = lp_json_append_object(array);
        lp_json_set_text(object, "name", lp_part_names[i]);
        lp_json_set_count(object, "count", self->n_parts[i]);
        lp_json_set_text(object, "effect", lp_effect_names[parts->effect]);
        lp_json_set_number(object, "mtbf_s", parts->mtbf_s);
        lp_json_set_number(object, "repair_s", parts->repair_s);
        if (parts->effect == LP_EFFECT_SLOW)
            lp_json_set_number(object, "slowdown", parts->slowdown);
        lp_json_set_text(object, "source", known->source != NULL ? known->source : "given");
    }
}

/* The figures of a column: what @value takes of a row. */
static void
set_figures(json_t *object, const LpGoodputRow *rows, double (*value)(const LpGoodputRow *row))
{
    for (guint i = 0; i < LP_GOODPUT_FIGURE_LOSS; i++)
        lp_json_set_number(object, figure_keys[i], value(&rows[i]));
    json_t *lost = lp_json_set_object(object, "lost_s");
    for (guint i = 0; i < LP_N_LOSSES; i++)
        lp_json_set_number(lost, lp_loss_names[i], value(&rows[LP_GOODPUT_FIGURE_LOSS + i]));
}

static double
mean(const LpGoodputRow *row)
{
    return row->sample.mean;
}

static double
half_width(const LpGoodputRow *row)
{
    return row->sample.half_width;
}

static double
p5(const LpGoodputRow *row)
{
    return row->p5;
}

static double
p95(const LpGoodputRow *row)
{
    return row->p95;
}

static double
closed(const LpGoodputRow *row)
{
    return row->closed;
}

static json_t *
to_json(const LpGoodputReport *self)
{
    LpGoodputRow rows[LP_N_GOODPUT_FIGURES];
    lp_goodput_rows(self, rows);
    json_t *root = lp_json_document();
    lp_json_set_text(root, "workload", self->workload->name);
    lp_json_set_text(root, "platform", lp_file_label(self->machine->path));
    lp_json_set_text(root, "reliability", self->reliability->name);
    lp_json_set_count(root, "accelerators", self->n_accelerators);
    lp_json_set_count(root, "ranks", lp_plan_n_ranks(&self->workload->plan));
    lp_report_add_plan(root, self->workload);
    lp_json_set_number(root, "iteration_time_s", self->iteration_time_s);
    lp_json_set_text(root, "iteration_time", self->is_simulated ? "simulated" : "given");
    lp_json_set_number(root, "period_s", self->input.period_s);
    lp_json_set_count(root, "runs", self->n_runs);
    lp_json_set_count(root, "seed", self->seed);
    add_blocks(root, self);
    add_checkpoints(root, self);
    add_parts(root, self);
    lp_json_set_number(root, "interruptions_per_s",
                       lp_fleet_interruptions_per_s(&self->input.fleet));
    set_figures(root, rows, mean);
    set_figures(lp_json_set_object(root, "half_width"), rows, half_width);
    set_figures(lp_json_set_object(root, "p5"), rows, p5);
    set_figures(lp_json_set_object(root, "p95"), rows, p95);
    if (self->has_closed_form) {
        set_figures(lp_json_set_object(root, "closed_form"), rows, closed);
        lp_json_set_text(root, "agreement",
                         !lp_goodput_is_exact(&self->input.fleet) ? "bound"
                         : rows[LP_GOODPUT_FIGURE_GOODPUT].agrees ? "yes"
                                                                  : "no");
    }
    return root;
}

char *
lp_goodput_report_to_json_text(const LpGoodputReport *self)
{
    g_autoptr(json_t) root = to_json(self);
    return lp_json_print(root);
}
