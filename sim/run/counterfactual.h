/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of an iteration that explain it: each a step further from the machine as it is. */
#pragma once

#include "base/child_process.h"
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

/** Starts them, in one process. Error: LP_CHILD_PROCESS_ERROR_START. */
gboolean lp_counterfactuals_start(LpCounterfactuals *self, const LpCommunicationMap *map,
                                  const LpContention *contention, LpIsolatedCache *cache,
                                  LpFidelity fidelity, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Waits for them, once. @io_peak_rss_bytes: their process's peak of resident memory is added.
 * Error: LP_CHILD_PROCESS_ERROR_RESULT. */
gboolean lp_counterfactuals_finish(LpCounterfactuals *self, LpCounterfactualResults *out_results,
                                   guint64 *io_peak_rss_bytes,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
