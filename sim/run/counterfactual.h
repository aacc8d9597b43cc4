/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of an iteration that explain it: each a step further from the machine as it is. */
#pragma once

#include "base/child_process.h"
#include "sim/run/forecast.h"
#include "sim/run/run.h"

G_BEGIN_DECLS

typedef struct {
    LpRunResult uncontended;   /**< every communication takes its isolated time */
    LpRunResult balanced;      /**< uncontended, and every stage takes the mean stage's time */
    LpRunResult free_messages; /**< balanced, and messages between stages take no time */
} LpCounterfactualResults;

typedef struct {
    LpChildProcess *process; /* owned, until they are finished */
} LpCounterfactuals;

/** Starts those of @model, borrowed, in one process. They send nothing through the engine: where it
 * has not started, it does so there on next to nothing. Error: LP_CHILD_PROCESS_ERROR_START. */
gboolean lp_counterfactuals_start(LpCounterfactuals *self, const LpRunModel *model,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Waits for them, once. @io_peak_rss_bytes: their process's peak of resident memory is added.
 * Errors: LP_CHILD_PROCESS_ERROR_RESULT, LP_SIMULATION_ERROR_RUN. */
gboolean lp_counterfactuals_finish(LpCounterfactuals *self, LpCounterfactualResults *out_results,
                                   guint64 *io_peak_rss_bytes,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Adds what they would cost, for the job at index @job (LpForecastRun). */
void lp_counterfactuals_forecast(const LpRunModel *model, guint32 job, LpForecast *io_forecast);

G_END_DECLS
