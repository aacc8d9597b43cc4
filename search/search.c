/* SPDX-License-Identifier: Apache-2.0 */
/* The rounds of a search: choose plans, simulate them side by side, compare bounds. */
#include "search/search.h"

#include "base/child_pool.h"
#include "base/file.h"
#include "model/closed_form/closed_form.h"
#include "sim/run/simulation.h"
#include "workloads/program/program_alike.h"
#include "workloads/program/training_program.h"

#include <math.h>
#include <string.h>

/* Plans of a round: enough to keep processors busy, few enough that bounds are compared often. */
#define ROUND 16

/* Limits of runs are looked for up to so many times a plan's bound, so nearly. */
#define LIMIT_FACTOR 1000.0
#define LIMIT_PRECISION 1e-6

/* What a child process tells. */
typedef struct {
    gboolean is_answered;
    double time_s, closed_s, least_s;
    LpTerms terms;
    LpLinkTraffic traffic;
} Answer;

typedef struct {
    const LpSearchSpace *space; /* borrowed */
    const LpSearchPlan *plan;   /* borrowed */
    double at_most_s;           /* what takes longer is not in the answer */
} Task;

/* --- in the child --- */

static double
closed_form_s(const LpSetup *setup)
{
    LpFabric fabric = lp_machine_fabric(setup->machine);
    LpClosedFormInput input = lp_setup_closed_form_input(setup, &fabric);
    LpTerms terms = lp_closed_form_terms(&input);
    return lp_terms_sum(&terms);
}

static LpSimulation *
simulate(const Task *task, double *out_closed_s, GError **error)
{
    g_autoptr(LpWorkload) workload = lp_search_space_workload(task->space, task->plan, error);
    if (workload == NULL)
        return NULL;
    g_autoptr(LpSetup) setup =
        lp_setup_new(workload, task->space->machines[task->plan->machine], error);
    LpSimulationOptions options = {.fidelity = LP_FIDELITY_FLOW,
                                   .collapse = TRUE,
                                   .alone = TRUE,
                                   .at_most_s = task->at_most_s};
    if (setup == NULL)
        return NULL;
    *out_closed_s = closed_form_s(setup);
    return lp_simulation_run(setup, options, error);
}

static gboolean
work(const void *data, GByteArray *result, GError **error)
{
    Answer *answer = (Answer *)(gpointer)result->data;
    g_autoptr(LpSimulation) simulation = simulate(data, &answer->closed_s, error);
    if (simulation == NULL)
        return FALSE;
    answer->is_answered = TRUE;
    answer->time_s = simulation->run.iteration_time_s;
    answer->least_s = simulation->run.least_s;
    answer->terms = simulation->run.terms;
    answer->traffic = simulation->link_traffic;
    return TRUE;
}

/* --- in the parent --- */

typedef struct {
    const LpSearchSpace *space;
    const LpSearchOptions *options;
    LpSearchResult *result;
    const LpSearchPlan **order; /* owned: of all plans, by their closed forms */
    const LpSearchPlan *last; /* that was chosen: equivalent plans follow each other in the order */
    double started_s;
} Search;

/* A plan, and what it takes by the closed form. */
typedef struct {
    const LpSearchPlan *plan; /* borrowed */
    LpSearchFigures guess;
} Guess;

/* What @plan takes at least if an iteration takes @time_s. */
static LpSearchFigures
figures_of(const LpSearchSpace *space, const LpSearchMeasure *measure, const LpSearchPlan *plan,
           double time_s)
{
    return lp_search_figures(measure, space->machines[plan->machine], plan->machine, time_s,
                             plan->memory_bytes, NULL);
}

static int
compare_guesses(gconstpointer a, gconstpointer b, gpointer data)
{
    const Guess *first = a, *second = b;
    int order = lp_search_compare(data, &first->guess, &second->guess);
    if (order != 0)
        return order;
    if (first->plan->bound_s != second->plan->bound_s)
        return first->plan->bound_s < second->plan->bound_s ? -1 : 1;
    return first->plan < second->plan ? -1 : first->plan > second->plan ? 1 : 0;
}

/* All plans of @space, the best by their closed forms first. Returns: (transfer full). */
static const LpSearchPlan **
order_plans(const LpSearchSpace *space, const LpSearchMeasure *measure)
{
    guint n = space->plans->len;
    g_autoptr(GArray) guesses = g_array_sized_new(FALSE, FALSE, sizeof(Guess), n);
    const LpSearchPlan **order = g_new(const LpSearchPlan *, MAX(n, 1));
    for (guint i = 0; i < n; i++) {
        const LpSearchPlan *plan = &g_array_index(space->plans, LpSearchPlan, i);
        Guess guess = {plan, figures_of(space, measure, plan, plan->closed_s)};
        g_array_append_val(guesses, guess);
    }
    g_array_sort_with_data(guesses, compare_guesses, (gpointer)(guintptr)measure);
    for (guint i = 0; i < n; i++)
        order[i] = g_array_index(guesses, Guess, i).plan;
    return order;
}

static const LpSearchRun *
run_at(const LpSearchResult *result, guint index)
{
    return &g_array_index(result->runs, LpSearchRun, index);
}

/* Whether @figures have more than @more of the objective above those of the first run. */
static gboolean
is_behind(const Search *self, const LpSearchFigures *figures, double more)
{
    LpObjective objective = self->options->measure.objective;
    return figures->of[objective] > (1.0 + more) * run_at(self->result, 0)->figures.of[objective];
}

/* Whether @plan can be neither among the best nor on the front if it takes at least @least_s: true
 * of all times above one, if of any. Runs are sorted. */
static gboolean
is_ruled_out(const Search *self, const LpSearchPlan *plan, double least_s)
{
    const LpSearchOptions *options = self->options;
    const GArray *runs = self->result->runs;
    if (options->all || runs->len < options->n_best)
        return FALSE;
    LpSearchFigures least = figures_of(self->space, &options->measure, plan, least_s);
    const LpSearchFigures *last = &run_at(self->result, options->n_best - 1)->figures;
    if (lp_search_compare(&options->measure, &least, last) <= 0 ||
        !is_behind(self, &least, options->within))
        return FALSE;
    if (is_behind(self, &least, LP_SEARCH_FRONT))
        return TRUE;
    for (guint i = 0; i < runs->len; i++)
        if (lp_search_is_as_good(&options->measure, &run_at(self->result, i)->figures, &least))
            return TRUE;
    return FALSE;
}

/* A time from which on @plan is ruled out, hardly above the least such; INFINITY: none is. */
static double
find_limit_s(const Search *self, const LpSearchPlan *plan)
{
    double low_s = plan->bound_s, high_s = LIMIT_FACTOR * low_s;
    if (!is_ruled_out(self, plan, high_s))
        return INFINITY;
    while (high_s > (1.0 + LIMIT_PRECISION) * low_s) {
        double middle_s = 0.5 * (low_s + high_s);
        if (is_ruled_out(self, plan, middle_s))
            high_s = middle_s;
        else
            low_s = middle_s;
    }
    return high_s;
}

/* What the ranks do by @plan; NULL: there is no such program. */
static LpProgram *
program_of(const LpSearchSpace *space, const LpSearchPlan *plan, const LpWorkload *workload)
{
    const LpMachine *machine = space->machines[plan->machine];
    return workload == NULL ? NULL : lp_training_program_new(workload, &machine->accelerator, NULL);
}

/* Whether nothing that a run sees tells the two apart. Programs are made only where closed form,
 * bound and memory cannot tell them apart either. */
static gboolean
are_equivalent(const LpSearchSpace *space, const LpSearchPlan *a, const LpSearchPlan *b)
{
    if (a->machine != b->machine || a->closed_s != b->closed_s || a->bound_s != b->bound_s ||
        a->memory_bytes != b->memory_bytes)
        return FALSE;
    g_autoptr(LpWorkload) first = lp_search_space_workload(space, a, NULL);
    g_autoptr(LpWorkload) second = lp_search_space_workload(space, b, NULL);
    g_autoptr(LpProgram) one = program_of(space, a, first);
    g_autoptr(LpProgram) other = program_of(space, b, second);
    return one != NULL && other != NULL && lp_program_is_alike(one, other) &&
           strcmp(first->placement, second->placement) == 0 &&
           strcmp(first->plan.library.name, second->plan.library.name) == 0 &&
           strcmp(first->plan.library.protocol, second->plan.library.protocol) == 0;
}

static int
compare_runs(gconstpointer a, gconstpointer b, gpointer data)
{
    const LpSearchRun *first = a, *second = b;
    int order = lp_search_compare(data, &first->figures, &second->figures);
    return order != 0 ? order : first->plan.index < second->plan.index ? -1 : 1;
}

/* Whether no further simulation may begin. */
static gboolean
is_over(const void *data)
{
    const Search *self = data;
    const LpSearchOptions *options = self->options;
    self->result->is_interrupted = self->result->is_interrupted ||
                                   (options->is_interrupted != NULL && options->is_interrupted());
    return self->result->is_interrupted ||
           (isfinite(options->budget_s) &&
            options->clock_s() - self->started_s >= options->budget_s);
}

static void
leave(Search *self, const LpSearchPlan *plan)
{
    self->result->n_left++;
    LpSearchFigures least = figures_of(self->space, &self->options->measure, plan, plan->bound_s);
    self->result->least_left_s = fmin(self->result->least_left_s, plan->bound_s);
    self->result->least_left =
        fmin(self->result->least_left, least.of[self->options->measure.objective]);
}

static void
take(Search *self, const LpSearchPlan *plan, const Answer *answer, const GError *fault)
{
    LpSearchResult *result = self->result;
    if (!answer->is_answered && fault == NULL) {
        leave(self, plan);
        return;
    }
    if (g_error_matches(fault, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_LIMIT)) {
        result->n_stopped++;
        return;
    }
    result->n_simulated++;
    if (fault != NULL) {
        result->n_failed++;
        if (result->failure == NULL)
            result->failure = g_strdup(fault->message);
        return;
    }
    LpSearchRun run = {.plan = *plan,
                       .time_s = answer->time_s,
                       .least_s = answer->least_s,
                       .terms = answer->terms};
    run.plan.closed_s = answer->closed_s;
    run.figures =
        lp_search_figures(&self->options->measure, self->space->machines[plan->machine],
                          plan->machine, answer->time_s, plan->memory_bytes, &answer->traffic);
    g_array_append_val(result->runs, run);
}

/* Simulates @n plans, or as many as it may. */
static gboolean
run_round(Search *self, const LpSearchPlan *const *plans, guint n, GError **error)
{
    Task tasks[ROUND];
    GError *faults[ROUND] = {NULL};
    g_autofree Answer *answer = g_new0(Answer, n);
    LpChildTask children[ROUND];
    for (guint i = 0; i < n; i++) {
        tasks[i] = (Task){self->space, plans[i], find_limit_s(self, plans[i])};
        children[i] = (LpChildTask){.work = work,
                                    .data = &tasks[i],
                                    .out_result = &answer[i],
                                    .size_bytes = sizeof answer[i],
                                    .out_error = &faults[i]};
    }
    LpChildPool pool = {.name = "search",
                        .n_at_once = self->options->n_at_once,
                        .is_over = is_over,
                        .is_over_data = self};
    gboolean good = lp_child_pool_run(&pool, children, n, NULL, error);
    for (guint i = 0; i < n; i++) {
        if (good)
            take(self, plans[i], &answer[i], faults[i]);
        g_clear_error(&faults[i]);
    }
    if (!good)
        return FALSE;
    g_array_sort_with_data(self->result->runs, compare_runs,
                           (gpointer)(guintptr)&self->options->measure);
    return TRUE;
}

/* Chooses the next round of plans from @at on; @at moves behind what was decided. */
static guint
choose(Search *self, guint *at, const LpSearchPlan **out_plans)
{
    const GArray *plans = self->space->plans;
    guint n = 0;
    for (; n < ROUND && *at < plans->len; (*at)++) {
        const LpSearchPlan *plan = self->order[*at];
        if (is_ruled_out(self, plan, plan->bound_s))
            self->result->n_bounded++;
        else if (self->last != NULL && are_equivalent(self->space, self->last, plan))
            self->result->n_equivalent++;
        else
            out_plans[n++] = self->last = plan;
    }
    return n;
}

/* Leaves all plans from @at on that could be in the answer. */
static void
leave_rest(Search *self, guint at)
{
    for (; at < self->space->plans->len; at++)
        if (is_ruled_out(self, self->order[at], self->order[at]->bound_s))
            self->result->n_bounded++;
        else
            leave(self, self->order[at]);
}

/* No other run is as good in everything, or comes first where another is equal. */
static void
mark_front(const Search *self)
{
    for (guint i = 0; i < self->result->runs->len; i++) {
        LpSearchRun *run = &g_array_index(self->result->runs, LpSearchRun, i);
        run->is_on_front = !is_behind(self, &run->figures, LP_SEARCH_FRONT);
        for (guint k = 0; run->is_on_front && k < i; k++)
            run->is_on_front = !lp_search_is_as_good(
                &self->options->measure, &run_at(self->result, k)->figures, &run->figures);
    }
}

LpSearchResult *
lp_search_run(const LpSearchSpace *space, const LpSearchOptions *options, GError **error)
{
    if (!lp_file_check_memory(error))
        return NULL;
    g_autoptr(LpSearchResult) result = g_new0(LpSearchResult, 1);
    result->runs = g_array_new(FALSE, FALSE, sizeof(LpSearchRun));
    result->least_left_s = result->least_left = INFINITY;
    guint n_plans = space->plans->len;
    g_autofree const LpSearchPlan **order = order_plans(space, &options->measure);
    Search self = {.space = space,
                   .options = options,
                   .result = result,
                   .order = order,
                   .started_s = isfinite(options->budget_s) ? options->clock_s() : 0.0};
    const LpSearchPlan *chosen[ROUND];
    guint at = 0, n;
    while ((n = choose(&self, &at, chosen)) > 0) {
        if (!run_round(&self, chosen, n, error))
            return NULL;
        if (is_over(&self)) {
            leave_rest(&self, at);
            at = n_plans;
        }
        if (options->progress != NULL)
            options->progress(at, n_plans, options->progress_data);
    }
    mark_front(&self);
    return g_steal_pointer(&result);
}

void
lp_search_result_free(LpSearchResult *self)
{
    if (self == NULL)
        return;
    if (self->runs != NULL)
        g_array_unref(self->runs);
    g_free(self->failure);
    g_free(self);
}
