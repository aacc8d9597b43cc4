/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a run came to its end. */
#pragma once

#include "sim/run/result.h"

G_BEGIN_DECLS

/** Whether all ranks of a run came to their end. Errors: LP_SIMULATION_ERROR_RUN: some wait for
 * each other; LP_SIMULATION_ERROR_LIMIT. */
gboolean lp_run_has_ended(const LpRunResult *run, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** FALSE with LP_SIMULATION_ERROR_LIMIT. */
gboolean lp_run_is_too_long(double least_s, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
