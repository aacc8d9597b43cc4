/* SPDX-License-Identifier: Apache-2.0 */
/* Quotients of a scenario_setup's only job. */
#include "sim/run/job_quotient.h"

/* Whether nothing is there but one job, all of whose ranks and links stay as they are. */
static gboolean
is_plain(const LpScenarioSetup *scenario_setup, const LpRunJob *job)
{
    return scenario_setup->collapse && scenario_setup->jobs->len == 1 &&
           scenario_setup->backgrounds->len == 0 && scenario_setup->faults == NULL &&
           lp_scenario_setup_job(scenario_setup, 0)->stragglers == NULL &&
           lp_scenario_setup_job(scenario_setup, 0)->circuits->switched == NULL && !job->is_rotor;
}

LpQuotient *
lp_job_quotient_new(const LpScenarioSetup *scenario_setup, const LpRunJob *job, guint isolated,
                    const LpQuotientView *view)
{
    const char *reason;
    LpQuotientJob of_job = {
        .map = job->map, .contention = job->contention, .cache = job->cache, .isolated = isolated};
    LpQuotientInput input = {
        .jobs = &of_job, .n_jobs = 1, .fidelity = scenario_setup->fidelity, .view = *view};
    return is_plain(scenario_setup, job) ? lp_quotient_new(&input, &reason) : NULL;
}

gboolean
lp_job_quotient_is_worthwhile(const LpQuotient *quotient, const LpCommunicationMap *map,
                              const LpContention *contention)
{
    guint64 n_replicas = lp_contention_n_replicas(contention, map->communicators);
    LpQuotientSize size = lp_quotient_size(quotient);
    return 2 * size.n_rank_classes * n_replicas <= size.n_ranks;
}

guint
lp_job_quotient_alike(const LpQuotient *quotient, const LpCommunicators *communicators)
{
    return quotient == NULL
               ? 0
               : lp_communicators_of_one_class(communicators, lp_quotient_ranks(quotient)->of_rank);
}
