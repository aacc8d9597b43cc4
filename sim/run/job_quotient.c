/* SPDX-License-Identifier: Apache-2.0 */
/* Quotients of a scene's only job. */
#include "sim/run/job_quotient.h"

/* Whether nothing is there but one job, all of whose ranks and links stay as they are. */
static gboolean
is_plain(const LpScene *scene, const LpRunJob *job)
{
    return scene->collapse && scene->jobs->len == 1 && scene->backgrounds->len == 0 &&
           scene->faults == NULL && lp_scene_job(scene, 0)->stragglers == NULL &&
           lp_scene_job(scene, 0)->circuits->switched == NULL && !job->turns;
}

LpQuotient *
lp_job_quotient_new(const LpScene *scene, const LpRunJob *job, guint isolated,
                    const LpQuotientView *view)
{
    const char *reason;
    LpQuotientJob of_job = {
        .map = job->map, .contention = job->contention, .cache = job->cache, .isolated = isolated};
    LpQuotientInput input = {
        .jobs = &of_job, .n_jobs = 1, .fidelity = scene->fidelity, .view = *view};
    return is_plain(scene, job) ? lp_quotient_new(&input, &reason) : NULL;
}

gboolean
lp_job_quotient_pays(const LpQuotient *quotient, const LpCommunicationMap *map,
                     const LpContention *contention)
{
    guint64 n_images = lp_contention_n_images(contention, map->communicators);
    LpQuotientSize size = lp_quotient_size(quotient);
    return 2 * size.n_rank_classes * n_images <= size.n_ranks;
}

guint
lp_job_quotient_alike(const LpQuotient *quotient, const LpCommunicators *communicators)
{
    return quotient == NULL
               ? 0
               : lp_communicators_of_one_class(communicators, lp_quotient_ranks(quotient)->of_rank);
}
