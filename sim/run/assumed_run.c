/* SPDX-License-Identifier: Apache-2.0 */
/* Runs and divides classes in turn, until a run shows nothing apart that was together. */
#include "sim/run/assumed_run.h"

#include "base/child_process.h"
#include "sim/engine/engine.h"
#include "sim/quotient/numbering.h"
#include "sim/run/job_quotient.h"
#include "sim/run/run.h"

#include <string.h>

/* With fewer ranks to simulate a run takes moments, and so it does with fewer steps of them all. */
#define RANKS_MIN 32
#define STEPS_MIN 1024
/* With so many classes of flows it is what a run takes: the engine looks for each that ends among
 * all that are under way. */
#define FLOWS_MIN 8192.0
/* Among so many that takes as long as an activity. */
#define FLOWS_PER_ACTIVITY 250.0
/* What a trial costs beside its activities, in activities: a process and the engine's start; and
 * for each flow of the run, to find out which are alike. */
#define START_COST 4000.0
#define FLOW_COST 0.5
#define TRIALS_MAX 1000

/* --- one run --- */

/* Returns: (transfer full). */
static LpTasks *
new_tasks(const LpAssumedInput *input, const LpQuotient *quotient)
{
    LpRunMode mode = {.merge = TRUE,
                      .alike = lp_job_quotient_alike(quotient, input->model->map->communicators)};
    return lp_run_model_tasks(input->model, mode);
}

typedef struct {
    const LpAssumedInput *input; /* borrowed */
    const LpQuotient *quotient;  /* borrowed */
    const LpTasks *tasks;        /* borrowed: what collectives take alone is found once for all */
    gboolean gives_up;
} Trial;

static gboolean
run_here(const Trial *self, LpEquivalenceCheck *check, LpRunOptions options,
         LpRunResult *out_result, GError **error)
{
    if (!lp_network_load_minimal(self->input->model->network, self->input->model->engine_options,
                                 error))
        return FALSE;
    g_autoptr(LpFlowEngine) sharing = lp_flow_engine_new_of_classes(self->quotient, NULL, check);
    LpRunLimit own, *limit = NULL;
    if (options.limit != NULL) {
        own = *options.limit;
        own.check = check;
        limit = &own;
    }
    LpRunJob job = lp_run_job(self->input->model, self->tasks, self->quotient);
    job.timeline = options.timeline;
    job.calls = options.calls;
    LpRunContext context = {.sharing = sharing,
                            .log = options.log,
                            .limit = limit,
                            .progress = options.progress,
                            .expect = options.expect,
                            .progress_data = options.progress_data};
    lp_run_jobs(&job, 1, &context, out_result);
    return TRUE;
}

gboolean
lp_assumed_run_again(const LpAssumedInput *input, const LpQuotient *quotient, LpRunOptions options,
                     LpRunResult *out_result, GError **error)
{
    g_autoptr(LpTasks) tasks = new_tasks(input, quotient);
    Trial trial = {input, quotient, tasks, FALSE};
    return run_here(&trial, NULL, options, out_result, error);
}

static const LpLinkSets *
ways_of(const LpQuotient *quotient)
{
    return lp_quotient_links(quotient)->ways;
}

static gsize
outcome_bytes(const LpQuotient *quotient)
{
    return sizeof(LpRunResult) + sizeof(guint32) * ways_of(quotient)->n;
}

static gboolean
run_trial(const void *data, GByteArray *result, GError **error)
{
    const Trial *trial = data;
    LpRunResult *outcome = (gpointer)result->data;
    const LpLinkSets *ways = ways_of(trial->quotient);
    g_autoptr(LpEquivalenceCheck) check = lp_equivalence_check_new(ways, trial->gives_up);
    LpRunOptions options = {.limit = trial->input->told.limit,
                            .progress = trial->input->told.progress,
                            .expect = trial->input->told.expect,
                            .progress_data = trial->input->told.progress_data};
    if (!run_here(trial, check, options, outcome, error))
        return FALSE;
    /* It may have given up before its end. */
    if (options.progress != NULL)
        options.progress(1, 1, options.progress_data);
    memcpy(outcome + 1, lp_equivalence_check_marks(check), sizeof(guint32) * ways->n);
    return TRUE;
}

/* Returns: (transfer full) what comes home of a trial, behind which its marks stand, by way; NULL
 * with @error. */
static LpRunResult *
try(const Trial *trial, guint64 *io_peak_rss_bytes, GError **error)
{
    gsize size = outcome_bytes(trial->quotient);
    guint64 peak_rss_bytes = 0;
    LpChildProcess *process =
        lp_child_process_start("process of a run", run_trial, trial, size, error);
    if (process == NULL)
        return NULL;
    g_autofree LpRunResult *outcome = g_malloc(size);
    if (!lp_child_process_finish(process, outcome, size, &peak_rss_bytes, error))
        return NULL;
    *io_peak_rss_bytes = MAX(*io_peak_rss_bytes, peak_rss_bytes);
    return g_steal_pointer(&outcome);
}

/* --- what is assumed --- */

/* Where @marks say so, flows of a class no longer have one number in @io_assumed. Returns: whether
 * any mark does. */
static gboolean
tell_apart(const LpQuotient *quotient, const guint32 *marks, guint32 *io_assumed)
{
    const LpLinkSets *ways = ways_of(quotient);
    guint32 n = lp_quotient_flows(quotient)->flows->len;
    gboolean any = FALSE;
    LpNumbering numbers;
    lp_numbering_init(&numbers);
    for (guint32 i = 0; i < n; i++) {
        guint32 mark = marks[ways->of_flow[i]];
        any = any || mark != 0;
        lp_numbering_add_count(&numbers, io_assumed[i]);
        lp_numbering_add_count(&numbers, mark);
        io_assumed[i] = lp_numbering_end(&numbers);
    }
    lp_numbering_clear(&numbers);
    return any;
}

static LpQuotient *
new_quotient(const LpAssumedInput *input, const guint32 *assumed)
{
    const char *reason;
    LpQuotientJob job = {.map = input->model->map,
                         .contention = input->model->contention,
                         .cache = input->model->cache};
    LpQuotientInput of_run = {.jobs = &job,
                              .n_jobs = 1,
                              .fidelity = input->model->fidelity,
                              .view = {.is_apart = TRUE},
                              .assumed = assumed,
                              .same = input->proven};
    return lp_quotient_new(&of_run, &reason);
}

/* --- whether it pays --- */

/* Whether flows are what a run with the classes that are proven takes, not ranks. */
static gboolean
has_many_flows(const LpAssumedInput *input)
{
    return (double)lp_quotient_size(input->proven).n_flow_classes >= FLOWS_MIN &&
           lp_job_quotient_is_worthwhile(input->proven, input->model->map,
                                         input->model->contention);
}

/* Ranks that are simulated if nothing is assumed, or flows. */
static double
proven_classes(const LpAssumedInput *input)
{
    LpQuotientSize size = lp_quotient_size(input->proven);
    if (has_many_flows(input))
        return (double)size.n_flow_classes;
    if (lp_job_quotient_is_worthwhile(input->proven, input->model->map, input->model->contention))
        return (double)size.n_rank_classes;
    return (double)size.n_ranks / (double)lp_contention_n_replicas(
                                      input->model->contention, input->model->map->communicators);
}

/* As many of @quotient. */
static double
n_classes(const LpAssumedInput *input, const LpQuotient *quotient)
{
    LpQuotientSize size = lp_quotient_size(quotient);
    return (double)(has_many_flows(input) ? size.n_flow_classes : size.n_rank_classes);
}

static gboolean
is_small_enough(const LpAssumedInput *input, const LpQuotient *quotient, double n_proven)
{
    double factor = input->assume == LP_ASSUME_ALWAYS ? 1.0 : 2.0;
    return factor * n_classes(input, quotient) <= n_proven;
}

/* What all trials together may cost: as many activities as the run would take without them, which
 * cost more each where there are more, as far as the first of them, which runs to its end, lets one
 * guess. */
static double
find_cost_max(const LpAssumedInput *input, const LpQuotient *quotient, const LpRunResult *first,
              double n_proven)
{
    double n = (double)first->n_activities * n_proven / n_classes(input, quotient);
    if (has_many_flows(input))
        n *= n_proven / FLOWS_PER_ACTIVITY;
    if (input->assume == LP_ASSUME_ALWAYS)
        return G_MAXDOUBLE;
    return input->n_activities_max == 0 ? n : MIN(n, (double)input->n_activities_max);
}

static double
cost_of(const LpQuotient *quotient, const LpRunResult *outcome)
{
    return (double)outcome->n_activities + START_COST +
           FLOW_COST * (double)lp_quotient_size(quotient).n_flows;
}

/* --- all --- */

typedef struct {
    const LpAssumedInput *input; /* borrowed */
    double n_proven;
    guint32 *assumed; /* owned */
    double cost, cost_max;
} Search;

/* One trial of what is assumed now. Returns: whether there may be another, or FALSE with @error,
 * with @out_run's quotient, or when it does not pay. */
static gboolean
go_on(Search *self, LpAssumedRun *io_run, GError **error)
{
    g_autoptr(LpQuotient) quotient = new_quotient(self->input, self->assumed);
    if (quotient == NULL || !is_small_enough(self->input, quotient, self->n_proven))
        return FALSE;
    g_autoptr(LpTasks) tasks = new_tasks(self->input, quotient);
    Trial trial = {self->input, quotient, tasks, io_run->n_trials > 0};
    g_autofree LpRunResult *outcome = try(&trial, &io_run->peak_rss_bytes, error);
    if (outcome == NULL)
        return FALSE;
    if (io_run->n_trials++ == 0)
        self->cost_max = find_cost_max(self->input, quotient, outcome, self->n_proven);
    if (!tell_apart(quotient, (const guint32 *)(gconstpointer)(outcome + 1), self->assumed)) {
        io_run->run = *outcome;
        io_run->quotient = g_steal_pointer(&quotient);
        return FALSE;
    }
    self->cost += cost_of(quotient, outcome);
    return self->cost <= self->cost_max && io_run->n_trials < TRIALS_MAX;
}

/* Steps of a rank's program, of the mean stage. */
static double
n_steps(const LpProgram *program)
{
    return (double)program->steps->len / (double)MAX(program->stage_programs->len, 1);
}

static gboolean
is_worth_it(const LpAssumedInput *input, double n_proven)
{
    gboolean is_long = has_many_flows(input) || n_proven >= RANKS_MIN ||
                       n_proven * n_steps(input->model->map->program) >= STEPS_MIN;
    return input->assume == LP_ASSUME_ALWAYS ||
           (input->assume == LP_ASSUME_WHERE_WORTHWHILE && n_proven >= 2.0 && is_long);
}

LpQuotient *
lp_assumed_run_first(const LpAssumedInput *input)
{
    double n_proven = proven_classes(input);
    if (!is_worth_it(input, n_proven))
        return NULL;
    g_autofree guint32 *assumed =
        g_new0(guint32, MAX(lp_quotient_flows(input->proven)->flows->len, 1));
    g_autoptr(LpQuotient) quotient = new_quotient(input, assumed);
    return quotient != NULL && is_small_enough(input, quotient, n_proven)
               ? g_steal_pointer(&quotient)
               : NULL;
}

gboolean
lp_assumed_run_find(const LpAssumedInput *input, LpAssumedRun *out_run, GError **error)
{
    Search search = {.input = input, .n_proven = proven_classes(input)};
    GError *fault = NULL;
    *out_run = (LpAssumedRun){.quotient = NULL};
    if (lp_engine_has_started() || !is_worth_it(input, search.n_proven))
        return TRUE;
    search.assumed = g_new0(guint32, MAX(lp_quotient_flows(input->proven)->flows->len, 1));
    while (go_on(&search, out_run, &fault))
        ;
    g_free(search.assumed);
    if (fault != NULL)
        g_propagate_error(error, fault);
    return fault == NULL;
}
