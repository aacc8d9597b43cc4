/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses who shares links. */
#include "sim/run/run_sharing.h"

/* Whether some job shares links without the engine. */
static gboolean
is_apart(const LpRunJob *jobs, guint n_jobs)
{
    gboolean any = FALSE;
    for (guint i = 0; i < n_jobs; i++)
        any = any || (jobs[i].tasks->mode.level == LP_RUN_AS_IS &&
                      lp_communication_map_is_separate(jobs[i].map, jobs[i].tasks->mode.fidelity));
    return any;
}

/* In place of the engine; NULL: it shares links. The first job's quotient is the run's. */
static LpFlowEngine *
new_filled(const LpRunJob *jobs, guint n_jobs)
{
    static const gboolean none[LP_N_TIERS] = {FALSE};
    if (!is_apart(jobs, n_jobs))
        return lp_flow_engine_new_lossy(jobs[0].map->network);
    return jobs[0].quotient != NULL ? lp_flow_engine_new_of_classes(jobs[0].quotient, NULL, NULL)
                                    : lp_flow_engine_new(jobs[0].map->network, none, NULL);
}

LpFlowEngine *
lp_run_sharing_new(const LpRunJob *jobs, guint n_jobs, const LpFlowEngine *given,
                   const LpFaults *faults, const LpQuotient *quotient)
{
    const LpNetwork *network = jobs[0].map->network;
    LpRotorRun *rotor = NULL;
    for (guint i = 0; i < n_jobs && rotor == NULL; i++)
        rotor = jobs[i].is_rotor ? lp_rotor_run_new(network) : NULL;
    if (rotor == NULL && given != NULL)
        return NULL;
    LpFlowEngine *filled = rotor == NULL ? new_filled(jobs, n_jobs) : NULL;
    if (filled != NULL)
        return filled;
    gboolean recovers = faults != NULL && lp_faults_any_recovers(faults);
    if (rotor == NULL && !recovers)
        return NULL;
    return lp_flow_engine_new_of_engine(rotor, recovers ? lp_opening_new(network, quotient) : NULL);
}
