/* SPDX-License-Identifier: Apache-2.0 */
/* Checkpoints and restarts of "lightpath goodput" as options describe them. */
#include "cli/checkpoint_options.h"

#include "base/units.h"
#include "cli/options.h"
#include "model/memory/memory.h"

#include <string.h>

#define TIME_MAX_S 1e9
#define INTERVAL_MIN_S 1e-3

void
lp_checkpoint_options_clear(LpCheckpointOptions *self)
{
    g_free(self->interval);
    g_free(self->size);
    g_free(self->time);
    g_free(self->storage);
    g_free(self->detection);
    g_free(self->scheduling);
}

static gboolean
read_quantity(const char *option, const char *text, LpQuantity quantity, double minimum,
              double maximum, double *io_value, GError **error)
{
    g_autoptr(GError) fault = NULL;
    return text == NULL ||
           lp_quantity_parse_in(quantity, text, minimum, maximum, io_value, &fault) ||
           lp_usage_error(error, "--%s: %s", option, fault->message);
}

static gboolean
fill_times(const LpCheckpointOptions *self, LpGoodputReport *report, GError **error)
{
    const LpReliabilityNumber *settings = report->reliability->setting;
    report->checkpoint_bytes =
        lp_memory_checkpoint_bytes(&report->workload->transformer, &report->workload->plan);
    report->storage_bytes_per_s = settings[LP_RELIABILITY_STORAGE_BANDWIDTH].value;
    report->detection_s = settings[LP_RELIABILITY_DETECTION_TIME].value;
    report->scheduling_s = settings[LP_RELIABILITY_SCHEDULING_TIME].value;
    if (!read_quantity("checkpoint-size", self->size, LP_QUANTITY_SIZE, 0.0, 1e18,
                       &report->checkpoint_bytes, error) ||
        !read_quantity("storage-bandwidth", self->storage, LP_QUANTITY_BANDWIDTH, 1.0, 1e18,
                       &report->storage_bytes_per_s, error) ||
        !read_quantity("detection-time", self->detection, LP_QUANTITY_TIME, 0.0, TIME_MAX_S,
                       &report->detection_s, error) ||
        !read_quantity("scheduling-time", self->scheduling, LP_QUANTITY_TIME, 0.0, TIME_MAX_S,
                       &report->scheduling_s, error))
        return FALSE;
    if (report->storage_bytes_per_s > 0.0)
        report->loading_s = report->checkpoint_bytes / report->storage_bytes_per_s;
    else if (self->time == NULL)
        return lp_usage_error(error,
                              "--storage-bandwidth: got none, and %s says none; wanted it, "
                              "or --checkpoint-time",
                              report->reliability->name);
    report->input.write_s = report->loading_s;
    if (!read_quantity("checkpoint-time", self->time, LP_QUANTITY_TIME, 0.0, TIME_MAX_S,
                       &report->input.write_s, error))
        return FALSE;
    report->input.restart_s = report->detection_s + report->scheduling_s + report->loading_s;
    return TRUE;
}

static gboolean
fill_interval(const LpCheckpointOptions *self, LpGoodputReport *report, GError **error)
{
    static const struct {
        const char *name;
        double (*interval_s)(double write_s, double failures_per_s);
    } rules[] = {{"optimal", lp_checkpoint_optimum_s},
                 {"daly", lp_checkpoint_daly_s},
                 {"young", lp_checkpoint_young_s}};
    const char *text = self->interval != NULL ? self->interval : rules[0].name;
    double rate = lp_fleet_interruptions_per_s(&report->input.fleet);
    for (guint i = 0; i < G_N_ELEMENTS(rules); i++)
        if (strcmp(text, rules[i].name) == 0) {
            report->interval_rule = rules[i].name;
            report->input.interval_s = rules[i].interval_s(report->input.write_s, rate);
            return TRUE;
        }
    report->interval_rule = "given";
    g_autoptr(GError) fault = NULL;
    return lp_quantity_parse_in(LP_QUANTITY_TIME, text, INTERVAL_MIN_S, TIME_MAX_S,
                                &report->input.interval_s, &fault) ||
           lp_usage_error(error, "--checkpoint-interval: %s, or optimal, daly or young",
                          fault->message);
}

gboolean
lp_checkpoint_options_fill(const LpCheckpointOptions *self, LpGoodputReport *report, GError **error)
{
    return fill_times(self, report, error) && fill_interval(self, report, error);
}
