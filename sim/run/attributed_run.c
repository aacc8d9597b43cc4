/* SPDX-License-Identifier: Apache-2.0 */
/* Casts the jobs, runs them, and writes down what came of it. */
#include "sim/run/attributed_run.h"

#include "sim/engine/engine.h"
#include "sim/engine/loading.h"
#include "sim/run/attribution_data.h"
#include "sim/run/job_quotient.h"

#define ALL_CLASSES ((1u << LP_N_TRAFFIC) - 1)

static guint
n_jobs(const LpScene *scene)
{
    return scene->jobs->len;
}

static gsize
head_bytes(const LpScene *scene)
{
    return sizeof(LpAttributedHead) + sizeof(LpRunResult) * n_jobs(scene);
}

gsize
lp_attributed_run_bytes(const LpAttributedRun *run)
{
    return head_bytes(run->scene) + (run->kind == LP_ATTRIBUTED_RECORD
                                         ? sizeof(LpWaitSummary) * n_jobs(run->scene) +
                                               lp_flow_summary_bytes(n_jobs(run->scene))
                                         : 0);
}

LpRunResult *
lp_attributed_run_results(void *block)
{
    return (gpointer)((guint8 *)block + sizeof(LpAttributedHead));
}

/* Of a run that records: what each job waited for, and then the flows. */
LpWaitSummary *
lp_attributed_run_waits(const LpScene *scene, void *block)
{
    return (gpointer)((guint8 *)block + head_bytes(scene));
}

void *
lp_attributed_run_flows(const LpScene *scene, void *block)
{
    return lp_attributed_run_waits(scene, block) + n_jobs(scene);
}

/* --- in the child --- */

static gboolean
has(const LpAttributedRun *run, LpContender contender)
{
    return (run->contenders & (1u << contender)) != 0;
}

static void
add_jobs(LpCast *cast, const LpAttributedRun *run)
{
    gboolean is_alone = !has(run, LP_CONTENDER_OTHERS) && !has(run, LP_CONTENDER_BACKGROUND);
    cast->counts_flows = TRUE;
    for (guint i = 0; i < n_jobs(run->scene); i++) {
        guint isolated = i == run->job ? ALL_CLASSES & ~run->contenders : 0;
        if (i == run->job || has(run, LP_CONTENDER_OTHERS))
            lp_cast_add(cast, i, is_alone ? LP_SCENE_ALONE : LP_SCENE_TOGETHER, isolated);
    }
    for (guint i = 0; i < cast->n && run->kind != LP_ATTRIBUTED_AS_IS; i++)
        lp_run_job_idealise(&cast->jobs[i]);
}

static LpQuotientView
view_of(const LpAttributedRun *run)
{
    LpQuotientView view = {.is_apart = TRUE, .knows_owners = run->kind == LP_ATTRIBUTED_RECORD};
    if (run->kind == LP_ATTRIBUTED_TIER)
        view.uncontended[run->tier] = TRUE;
    return view;
}

/* Classes have no machine that the engine could share. */
static LpSharing *
new_sharing(const LpAttributedRun *run, const LpRunJob *job, LpFlowRecord *record)
{
    LpQuotientView view = view_of(run);
    if (job->quotient != NULL) {
        LpSharing *sharing = lp_sharing_new_of_classes(job->quotient, record, NULL);
        lp_sharing_set_uncontended(sharing, view.uncontended);
        return sharing;
    }
    return run->kind == LP_ATTRIBUTED_CONTENDERS || run->kind == LP_ATTRIBUTED_AS_IS
               ? NULL
               : lp_sharing_new(run->scene->network, view.uncontended, record);
}

static LpFlowRecord *
new_record(const LpAttributedRun *run, const LpRunJob *job)
{
    const LpScene *scene = run->scene;
    if (run->kind != LP_ATTRIBUTED_RECORD)
        return NULL;
    return job->quotient != NULL
               ? lp_flow_record_new_of_classes(job->quotient)
               : lp_flow_record_new(lp_network_n_links(scene->network), n_jobs(scene));
}

/* Where ranks stand for classes the engine starts here, on next to nothing. Returns: (transfer
 * full), the quotient; NULL: there is none, or another run's. */
static LpQuotient *
find_classes(const LpAttributedRun *run, LpRunJob *job)
{
    LpQuotientView view = view_of(run);
    job->quotient = run->quotient;
    if (run->quotient == NULL || run->kind == LP_ATTRIBUTED_RECORD)
        return NULL;
    LpQuotient *own = lp_job_quotient_new(run->scene, job, ALL_CLASSES & ~run->contenders, &view);
    job->quotient = own;
    return own;
}

static gboolean
load(const LpAttributedRun *run, GError **error)
{
    return run->quotient == NULL ||
           lp_network_load_bare(run->scene->network, run->scene->engine_options, error);
}

void
lp_attributed_run_child(const void *data, GByteArray *result)
{
    const LpAttributedRun *run = data;
    const LpScene *scene = run->scene;
    LpAttributedHead *head = (gpointer)result->data;
    LpRunResult *results = lp_attributed_run_results(head);
    g_autoptr(GError) error = NULL;
    g_auto(LpCast) cast = lp_cast(scene);
    add_jobs(&cast, run);
    g_autoptr(LpQuotient) own = find_classes(run, &cast.jobs[0]);
    if (!load(run, &error)) {
        g_strlcpy(head->message, error->message, sizeof head->message);
        return;
    }
    g_autoptr(LpWatch) watch = NULL;
    gboolean has_background = has(run, LP_CONTENDER_BACKGROUND) && scene->backgrounds->len > 0;
    if (scene->faults != NULL || has_background)
        watch = lp_watch_new(lp_network_n_links(scene->network));
    g_autoptr(LpFlowRecord) record = new_record(run, &cast.jobs[0]);
    g_autoptr(LpWaitRecord) waits = record == NULL ? NULL : lp_wait_record_new(n_jobs(scene));
    g_autoptr(LpSharing) sharing = new_sharing(run, &cast.jobs[0], record);
    LpSurroundings surroundings = {.backgrounds = has_background ? scene->backgrounds : NULL,
                                   .faults = scene->faults,
                                   .watch = watch,
                                   .sharing = sharing,
                                   .waits = waits};
    /* A job by itself keeps its place among all. */
    lp_run_jobs(cast.jobs, cast.n, &surroundings, cast.n == 1 ? &results[run->job] : results);
    if (watch != NULL)
        head->stall = lp_watch_stall(watch);
    if (cast.n == 1 && !head->stall.is_flooded)
        head->stall.job = run->job;
    if (head->stall.is_stalled)
        head->n_waiting = results[head->stall.job].n_waiting;
    if (record != NULL) {
        LpFlowSummary summary =
            lp_flow_summary_in(lp_attributed_run_flows(scene, head), n_jobs(scene));
        lp_flow_summary_fill(&summary, record, scene->network);
        for (guint i = 0; i < n_jobs(scene); i++)
            lp_attributed_run_waits(scene, head)[i] =
                lp_wait_summary(waits, i, lp_scene_job(scene, i)->job->n_iterations);
    }
}

LpQuotient *
lp_attributed_run_quotient(const LpScene *scene)
{
    g_auto(LpCast) cast = lp_cast(scene);
    LpAttributedRun run = {.scene = scene, .kind = LP_ATTRIBUTED_RECORD, .contenders = G_MAXUINT};
    LpQuotientView view = view_of(&run);
    add_jobs(&cast, &run);
    if (lp_engine_has_started())
        return NULL;
    g_autoptr(LpQuotient) quotient = lp_job_quotient_new(scene, &cast.jobs[0], 0, &view);
    return quotient != NULL &&
                   lp_job_quotient_pays(quotient, cast.jobs[0].map, cast.jobs[0].contention)
               ? g_steal_pointer(&quotient)
               : NULL;
}
