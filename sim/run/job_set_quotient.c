/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers what jobs, ranks, senders and links have in common, and runs one of each class. */
#include "sim/run/job_set_quotient.h"

#include "sim/run/job_kind.h"

struct LpJobSetQuotient {
    LpJobSet *job_set;    /* borrowed */
    LpQuotient *quotient; /* owned */
    GArray *background;   /* owned LpBackgroundFlow, which it borrows */
};

/* What the quotient is made of. */
typedef struct {
    LpQuotientJob *jobs;          /* owned */
    guint32 **speeds;             /* owned, by job: by rank, or NULL */
    GArray *senders, *background; /* owned: guint32, LpBackgroundFlow */
    guint32 *changes;             /* owned, by link, or NULL */
    guint n_jobs;
} Parts;

static void
parts_clear(Parts *self)
{
    for (guint i = 0; i < self->n_jobs; i++)
        g_free(self->speeds[i]);
    g_free(self->speeds);
    g_free(self->jobs);
    g_free(self->changes);
    g_clear_pointer(&self->senders, g_array_unref);
    g_clear_pointer(&self->background, g_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Parts, parts_clear)

/* Slow ranks are alike if they are slower by one factor at the same time; what is drawn is the
 * rank's own. Others have the number 0. Returns: (transfer full) by rank; NULL: all compute as
 * described. */
static guint32 *
number_speeds(LpNumbering *kinds, const LpRunJob *job, guint32 index)
{
    if (job->stragglers == NULL)
        return NULL;
    guint32 *speeds = g_new(guint32, job->map->n_ranks);
    for (guint64 rank = 0; rank < job->map->n_ranks; rank++) {
        speeds[rank] = 0;
        if (job->stragglers[rank] == NULL)
            continue;
        gboolean is_steady = lp_straggler_number(job->stragglers[rank], kinds);
        lp_numbering_add_count(kinds, is_steady ? 0 : index + 1);
        lp_numbering_add_count(kinds, is_steady ? 0 : rank + 1);
        speeds[rank] = lp_numbering_end(kinds) + 1;
    }
    return speeds;
}

/* A timeline is a job's own. */
static void
add_jobs(Parts *self, const LpJobSet *job_set)
{
    g_auto(LpNumbering) kinds, speeds;
    lp_numbering_init(&kinds);
    lp_numbering_init(&speeds);
    self->n_jobs = job_set->n;
    self->jobs = g_new0(LpQuotientJob, job_set->n);
    self->speeds = g_new0(guint32 *, job_set->n);
    for (guint i = 0; i < job_set->n; i++) {
        const LpRunJob *job = &job_set->jobs[i];
        self->speeds[i] = number_speeds(&speeds, job, i);
        gboolean is_own = job->timeline != NULL || job_set->n == 1;
        self->jobs[i] = (LpQuotientJob){.map = job->map,
                                        .contention = job->contention,
                                        .cache = job->cache,
                                        .program = is_own ? i : lp_job_kind(&kinds, job),
                                        .isolated = job->tasks->mode.isolated,
                                        .speeds = self->speeds[i]};
    }
}

/* Returns: whether a quotient covers what there is; FALSE where background traffic has too many
 * ways. */
static gboolean
add_context(Parts *self, const LpScenarioSetup *scenario_setup, LpScenarioSetupScope scope)
{
    guint32 n_links = lp_network_n_links(scenario_setup->network);
    g_auto(LpNumbering) kinds;
    lp_numbering_init(&kinds);
    self->senders = g_array_new(FALSE, FALSE, sizeof(guint32));
    self->background = g_array_new(FALSE, FALSE, sizeof(LpBackgroundFlow));
    for (guint i = 0; scope == LP_SCENARIO_SCOPE_TOGETHER && i < scenario_setup->backgrounds->len;
         i++)
        if (!lp_background_add_classes(scenario_setup->backgrounds->pdata[i], &kinds, self->senders,
                                       self->background))
            return FALSE;
    if (scope == LP_SCENARIO_SCOPE_OWN || scenario_setup->faults == NULL)
        return TRUE;
    self->changes = g_new(guint32, n_links);
    lp_faults_number(scenario_setup->faults, n_links, self->changes);
    return TRUE;
}

static gboolean
is_covered(const LpJobSet *job_set)
{
    for (guint i = 0; i < job_set->n; i++)
        if (job_set->jobs[i].circuits != NULL || job_set->jobs[i].is_rotor)
            return FALSE;
    return job_set->scenario_setup->collapse;
}

/* Flows between hosts cost about twice what mailboxes do. */
static gboolean
is_worth_it(const LpJobSet *job_set, const LpQuotient *quotient)
{
    guint64 n_ranks = 0;
    for (guint i = 0; i < job_set->n; i++) {
        const LpCommunicationMap *map = job_set->jobs[i].map;
        n_ranks += map->n_ranks /
                   lp_contention_n_replicas(job_set->jobs[i].contention, map->communicators);
    }
    return 2 * lp_quotient_size(quotient).n_rank_classes <= n_ranks;
}

LpJobSetQuotient *
lp_job_set_quotient_new(LpJobSet *job_set, LpScenarioSetupScope scope)
{
    g_auto(Parts) parts = {.n_jobs = 0};
    if (!is_covered(job_set) || !add_context(&parts, job_set->scenario_setup, scope))
        return NULL;
    add_jobs(&parts, job_set);
    LpQuotientInput input = {.jobs = parts.jobs,
                             .n_jobs = parts.n_jobs,
                             .fidelity = job_set->scenario_setup->fidelity,
                             .changes = parts.changes,
                             .senders = &g_array_index(parts.senders, guint32, 0),
                             .n_senders = parts.senders->len,
                             .background = &g_array_index(parts.background, LpBackgroundFlow, 0),
                             .n_background = parts.background->len};
    const char *reason;
    g_autoptr(LpQuotient) quotient = lp_quotient_new(&input, &reason);
    if (quotient == NULL || !is_worth_it(job_set, quotient))
        return NULL;
    for (guint i = 0; i < job_set->n; i++) {
        const LpQuotient *own = lp_quotient_job(quotient, i);
        if (lp_quotient_identical_job(own) == i)
            lp_job_set_rely_on(job_set, i, lp_quotient_ranks(own)->of_rank);
    }
    LpJobSetQuotient *self = g_new0(LpJobSetQuotient, 1);
    self->job_set = job_set;
    self->quotient = g_steal_pointer(&quotient);
    self->background = g_steal_pointer(&parts.background);
    return self;
}

void
lp_job_set_quotient_free(LpJobSetQuotient *self)
{
    if (self == NULL)
        return;
    lp_quotient_free(self->quotient);
    g_array_unref(self->background);
    g_free(self);
}

LpQuotientSize
lp_job_set_quotient_size(const LpJobSetQuotient *self)
{
    return lp_quotient_size(self->quotient);
}

char *
lp_job_set_quotient_describe(const LpJobSetQuotient *self, guint index)
{
    const LpQuotient *job = lp_quotient_job(self->quotient, index);
    guint identical = lp_quotient_identical_job(job);
    if (identical == index)
        return lp_quotient_describe(job);
    return g_strdup_printf(
        "%" G_GUINT64_FORMAT " ranks do what those of job \"%s\" do",
        self->job_set->jobs[index].map->n_ranks,
        lp_scenario_setup_job(self->job_set->scenario_setup, identical)->job->name);
}

/* What is counted of the engine is counted once. */
static LpRunResult
result_of_identical(const LpRunResult *identical)
{
    LpRunResult result = *identical;
    result.n_actors = result.n_activities = result.sent_bytes = result.received_bytes = 0;
    return result;
}

/* Those jobs that are run, each with its part of the quotient. @out_place: of each job of the
 * job_set that is. Returns: how many. */
static guint
select_jobs(const LpJobSetQuotient *self, LpRunJob *out_jobs, guint *out_place)
{
    guint n = 0;
    for (guint i = 0; i < self->job_set->n; i++) {
        LpQuotient *own = lp_quotient_job(self->quotient, i);
        if (lp_quotient_identical_job(own) != i)
            continue;
        out_jobs[n] = self->job_set->jobs[i];
        out_jobs[n].quotient = own;
        out_place[i] = n++;
    }
    return n;
}

void
lp_job_set_quotient_forecast(const LpJobSetQuotient *self, const char *name, guint32 job,
                             LpForecast *io_forecast)
{
    g_autofree LpRunJob *jobs = g_new0(LpRunJob, self->job_set->n);
    g_autofree guint *place = g_new0(guint, self->job_set->n);
    guint n = select_jobs(self, jobs, place);
    lp_forecast_add(io_forecast, name, job, jobs, n);
}

gboolean
lp_job_set_quotient_run(LpJobSetQuotient *self, const LpRunContext *context,
                        LpRunResult *out_results, GError **error)
{
    const LpJobSet *job_set = self->job_set;
    if (!lp_quotient_load(self->quotient, job_set->scenario_setup->network,
                          job_set->scenario_setup->engine_options, error))
        return FALSE;
    LpRunContext all = *context;
    g_autofree LpRunJob *jobs = g_new0(LpRunJob, job_set->n);
    g_autofree LpRunResult *results = g_new0(LpRunResult, job_set->n);
    g_autofree guint *place = g_new0(guint, job_set->n);
    guint n = select_jobs(self, jobs, place);
    all.quotient = self->quotient;
    lp_run_jobs(jobs, n, &all, results);
    for (guint i = 0; i < job_set->n; i++) {
        guint identical = lp_quotient_identical_job(lp_quotient_job(self->quotient, i));
        out_results[i] = results[place[identical]];
        if (identical != i)
            out_results[i] = result_of_identical(&out_results[identical]);
    }
    return TRUE;
}
