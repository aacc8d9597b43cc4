/* SPDX-License-Identifier: Apache-2.0 */
/* Casts the jobs, runs them, and writes down what came of it. */
#include "sim/run/attribution_run.h"

#include "base/child_process.h"
#include "sim/engine/engine.h"
#include "sim/engine/loading.h"
#include "sim/run/attribution_data.h"
#include "sim/run/job_quotient.h"

#define ALL_CLASSES ((1u << LP_N_TRAFFIC) - 1)

static guint
n_jobs(const LpScenarioSetup *scenario_setup)
{
    return scenario_setup->jobs->len;
}

static gsize
head_bytes(const LpScenarioSetup *scenario_setup)
{
    return sizeof(LpAttributionRunHead) + sizeof(LpRunResult) * n_jobs(scenario_setup);
}

gsize
lp_attribution_run_bytes(const LpAttributionRun *run)
{
    return head_bytes(run->scenario_setup) +
           (run->kind == LP_ATTRIBUTED_RECORD
                ? sizeof(LpAttributionWaits) * n_jobs(run->scenario_setup) +
                      lp_attribution_flows_bytes(n_jobs(run->scenario_setup))
                : 0);
}

LpRunResult *
lp_attribution_run_results(void *block)
{
    return (gpointer)((guint8 *)block + sizeof(LpAttributionRunHead));
}

/* Of a run that records: what each job waited for, and then the flows. */
LpAttributionWaits *
lp_attribution_run_waits(const LpScenarioSetup *scenario_setup, void *block)
{
    return (gpointer)((guint8 *)block + head_bytes(scenario_setup));
}

void *
lp_attribution_run_flows(const LpScenarioSetup *scenario_setup, void *block)
{
    return lp_attribution_run_waits(scenario_setup, block) + n_jobs(scenario_setup);
}

/* --- in the child --- */

static gboolean
has(const LpAttributionRun *run, LpContender contender)
{
    return (run->contenders & (1u << contender)) != 0;
}

static void
add_jobs(LpJobSet *job_set, const LpAttributionRun *run)
{
    gboolean is_alone = !has(run, LP_CONTENDER_OTHERS) && !has(run, LP_CONTENDER_BACKGROUND);
    job_set->counts_flows = TRUE;
    for (guint i = 0; i < n_jobs(run->scenario_setup); i++) {
        guint isolated = i == run->job ? ALL_CLASSES & ~run->contenders : 0;
        if (i == run->job || has(run, LP_CONTENDER_OTHERS))
            lp_job_set_add(job_set, i,
                           is_alone ? LP_SCENARIO_SCOPE_ALONE : LP_SCENARIO_SCOPE_TOGETHER,
                           isolated);
    }
    for (guint i = 0; i < job_set->n && run->kind != LP_ATTRIBUTED_AS_IS; i++)
        lp_run_job_idealise(&job_set->jobs[i]);
}

static LpQuotientView
view_of(const LpAttributionRun *run)
{
    LpQuotientView view = {.is_apart = TRUE, .knows_owners = run->kind == LP_ATTRIBUTED_RECORD};
    if (run->kind == LP_ATTRIBUTED_TIER)
        view.uncontended[run->tier] = TRUE;
    return view;
}

/* Classes have no machine that the engine could share. */
static LpFlowEngine *
new_sharing(const LpAttributionRun *run, const LpRunJob *job, LpFlowRecord *record)
{
    LpQuotientView view = view_of(run);
    if (job->quotient != NULL) {
        LpFlowEngine *sharing = lp_flow_engine_new_of_classes(job->quotient, record, NULL);
        lp_flow_engine_set_uncontended(sharing, view.uncontended);
        return sharing;
    }
    return run->kind == LP_ATTRIBUTED_CONTENDERS || run->kind == LP_ATTRIBUTED_AS_IS
               ? NULL
               : lp_flow_engine_new(run->scenario_setup->network, view.uncontended, record);
}

static LpFlowRecord *
new_record(const LpAttributionRun *run, const LpRunJob *job)
{
    const LpScenarioSetup *scenario_setup = run->scenario_setup;
    if (run->kind != LP_ATTRIBUTED_RECORD)
        return NULL;
    return job->quotient != NULL ? lp_flow_record_new_of_classes(job->quotient)
                                 : lp_flow_record_new(lp_network_n_links(scenario_setup->network),
                                                      n_jobs(scenario_setup));
}

/* Where ranks stand for classes the engine starts here, on next to nothing. Returns: (transfer
 * full), the quotient; NULL: there is none, or another run's. */
static LpQuotient *
find_classes(const LpAttributionRun *run, LpRunJob *job)
{
    LpQuotientView view = view_of(run);
    job->quotient = run->quotient;
    if (run->quotient == NULL || run->kind == LP_ATTRIBUTED_RECORD)
        return NULL;
    LpQuotient *own =
        lp_job_quotient_new(run->scenario_setup, job, ALL_CLASSES & ~run->contenders, &view);
    job->quotient = own;
    return own;
}

static gboolean
load(const LpAttributionRun *run, GError **error)
{
    return run->quotient == NULL ||
           lp_network_load_minimal(run->scenario_setup->network,
                                   run->scenario_setup->engine_options, error);
}

gboolean
lp_attribution_run_child(const void *data, GByteArray *result, GError **error)
{
    const LpAttributionRun *run = data;
    const LpScenarioSetup *scenario_setup = run->scenario_setup;
    LpAttributionRunHead *head = (gpointer)result->data;
    LpRunResult *results = lp_attribution_run_results(head);
    g_auto(LpJobSet) job_set = lp_job_set_of(scenario_setup);
    add_jobs(&job_set, run);
    g_autoptr(LpQuotient) own = find_classes(run, &job_set.jobs[0]);
    if (!load(run, error))
        return FALSE;
    g_autoptr(LpWatch) watch = NULL;
    gboolean has_background =
        has(run, LP_CONTENDER_BACKGROUND) && scenario_setup->backgrounds->len > 0;
    if (scenario_setup->faults != NULL || has_background)
        watch = lp_watch_new(lp_network_n_links(scenario_setup->network));
    g_autoptr(LpFlowRecord) record = new_record(run, &job_set.jobs[0]);
    g_autoptr(LpWaitRecord) waits =
        record == NULL ? NULL : lp_wait_record_new(n_jobs(scenario_setup));
    g_autoptr(LpFlowEngine) sharing = new_sharing(run, &job_set.jobs[0], record);
    LpRunContext context = {.backgrounds = has_background ? scenario_setup->backgrounds : NULL,
                            .faults = scenario_setup->faults,
                            .watch = watch,
                            .sharing = sharing,
                            .waits = waits,
                            .progress = lp_child_process_report};
    /* A job by itself keeps its place among all. */
    lp_run_jobs(job_set.jobs, job_set.n, &context, job_set.n == 1 ? &results[run->job] : results);
    if (watch != NULL)
        head->stall = lp_watch_stall(watch);
    if (job_set.n == 1 && !head->stall.is_overloaded)
        head->stall.job = run->job;
    if (head->stall.is_stalled)
        head->n_waiting = results[head->stall.job].n_waiting;
    if (record != NULL) {
        LpAttributionFlows summary = lp_attribution_flows_in(
            lp_attribution_run_flows(scenario_setup, head), n_jobs(scenario_setup));
        lp_attribution_flows_fill(&summary, record, scenario_setup->network);
        for (guint i = 0; i < n_jobs(scenario_setup); i++)
            lp_attribution_run_waits(scenario_setup, head)[i] = lp_attribution_waits(
                waits, i, lp_scenario_setup_job(scenario_setup, i)->job->n_iterations);
    }
    return TRUE;
}

LpQuotient *
lp_attribution_run_quotient(const LpScenarioSetup *scenario_setup)
{
    g_auto(LpJobSet) job_set = lp_job_set_of(scenario_setup);
    LpAttributionRun run = {
        .scenario_setup = scenario_setup, .kind = LP_ATTRIBUTED_RECORD, .contenders = G_MAXUINT};
    LpQuotientView view = view_of(&run);
    add_jobs(&job_set, &run);
    if (lp_engine_has_started())
        return NULL;
    g_autoptr(LpQuotient) quotient =
        lp_job_quotient_new(scenario_setup, &job_set.jobs[0], 0, &view);
    return quotient != NULL && lp_job_quotient_is_worthwhile(quotient, job_set.jobs[0].map,
                                                             job_set.jobs[0].contention)
               ? g_steal_pointer(&quotient)
               : NULL;
}
