/* SPDX-License-Identifier: Apache-2.0 */
/* The forecast of a command's runs and their cost, as JSON and as a table. */
#pragma once

#include "sim/fidelity.h"
#include "sim/run/forecast.h"

G_BEGIN_DECLS

/** The inputs of a forecast's report. All are borrowed. */
typedef struct {
    const char *name; /**< of the workload or scenario */
    gboolean is_scenario;
    const char *platform; /**< its path */
    guint64 accelerators; /**< ranks of all plans */
    LpFidelity fidelity;
    const LpForecast *forecast;
    double setup_s;         /**< processor time of what comes before the runs, as it took here */
    double slowness;        /**< how many times as long a run takes here as on the machine of
                               LP_FORECAST_RING_S */
    guint64 peak_rss_bytes; /**< of the process that prepared them */
} LpForecastReport;

/** Returns: (transfer full). */
char *lp_forecast_report_to_json_text(const LpForecastReport *self);
/** The same as a table for people. Returns: (transfer full). */
char *lp_forecast_report_to_text(const LpForecastReport *self);

G_END_DECLS
