/* SPDX-License-Identifier: Apache-2.0 */
/* How runs end. */
#include "sim/run/run_end.h"

#include "sim/simulation_error.h"

gboolean
lp_run_is_too_long(double least_s, GError **error)
{
    g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_LIMIT,
                "the run takes at least %g s: more than it may", least_s);
    return FALSE;
}

gboolean
lp_run_has_ended(const LpRunResult *run, GError **error)
{
    if (run->n_waiting == 0)
        return TRUE;
    if (run->is_past_limit)
        return lp_run_is_too_long(run->least_s, error);
    g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_RUN,
                "the run stopped at %g s: %" G_GUINT64_FORMAT " ranks wait for each other",
                run->end_s, run->n_waiting);
    return FALSE;
}
