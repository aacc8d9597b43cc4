/* SPDX-License-Identifier: Apache-2.0 */
/* Plans the runs of an attribution, has them done side by side, and divides the delay. */
#include "sim/run/attribution.h"

#include "base/child_pool.h"
#include "sim/run/attribution_run.h"
#include "sim/run/attribution_game.h"

#include <math.h>

/* Less of an iteration is rounding. */
#define ROUNDING 1e-10
#define ALL_CLASSES ((1u << LP_N_TRAFFIC) - 1)

typedef struct {
    LpScenarioSetup *scenario_setup; /* borrowed */
    LpQuotient *quotient;    /* owned: of the run that records; NULL: ranks stand for themselves */
    GArray *runs;            /* owned LpAttributionRun */
    GPtrArray *blocks;       /* owned: their results */
    LpAttributions *results; /* borrowed */
} Plan;

static guint
n_jobs(const LpScenarioSetup *scenario_setup)
{
    return scenario_setup->jobs->len;
}

/* --- runs --- */

/* Who can contend, of a job: classes that may meet any traffic, and what is not the job's. */
static guint
find_contenders(const LpScenarioSetup *scenario_setup, guint job, LpAttribution *attribution)
{
    g_auto(LpJobSet) job_set = lp_job_set_of(scenario_setup);
    lp_job_set_add(&job_set, job, LP_SCENARIO_SCOPE_TOGETHER, 0);
    const LpContention *contention = job_set.contentions[0];
    const LpCommunicationMap *map = job_set.jobs[0].map;
    guint contenders = lp_program_has_messages(map->program) ? 1u << LP_TRAFFIC_PP : 0;
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        if (lp_communicators_n(map->communicators, group) > 0 && !contention->all_private[group])
            contenders |= 1u << lp_group_traits(group)->traffic;
    if (n_jobs(scenario_setup) > 1)
        contenders |= 1u << LP_CONTENDER_OTHERS;
    if (scenario_setup->backgrounds->len > 0)
        contenders |= 1u << LP_CONTENDER_BACKGROUND;
    attribution->n_replicas = lp_contention_n_replicas(contention, map->communicators);
    for (guint i = 0; i < LP_N_CONTENDERS; i++)
        attribution->contends[i] = (contenders & (1u << i)) != 0;
    return contenders;
}

static void
plan(Plan *self, LpAttributionRun run)
{
    run.scenario_setup = self->scenario_setup;
    run.quotient = self->quotient;
    g_array_append_val(self->runs, run);
}

/* All sets of its contenders, in the order of their bits; those without traffic of its own are all
 * like the empty one. The last is that of all: by classes, the run that records. */
static void
plan_sets(Plan *self, guint job, guint contenders)
{
    for (guint set = 0;; set = (set - contenders) & contenders) {
        gboolean is_record = self->quotient != NULL && set == contenders && set != 0;
        if (!is_record && (set == 0 || (set & ALL_CLASSES) != 0))
            plan(self, (LpAttributionRun){
                           .kind = LP_ATTRIBUTED_CONTENDERS, .job = job, .contenders = set});
        if (set == contenders)
            return;
    }
}

static gboolean
do_runs(Plan *self, guint from, const LpChildPool *pool, GError **error)
{
    guint n = self->runs->len - from;
    g_autofree LpChildTask *tasks = g_new0(LpChildTask, n);
    for (guint i = 0; i < n; i++) {
        const LpAttributionRun *run = &g_array_index(self->runs, LpAttributionRun, from + i);
        void *block = g_malloc0(lp_attribution_run_bytes(run));
        g_ptr_array_add(self->blocks, block);
        tasks[i] = (LpChildTask){.work = lp_attribution_run_child,
                                 .data = run,
                                 .out_result = block,
                                 .size_bytes = lp_attribution_run_bytes(run)};
    }
    if (!lp_child_pool_run(pool, tasks, n, &self->results->peak_rss_bytes, error))
        return FALSE;
    for (guint i = 0; i < n; i++) {
        const LpAttributionRunHead *head = self->blocks->pdata[from + i];
        if (!lp_scenario_setup_check_stall(self->scenario_setup, &head->stall, head->n_waiting,
                                           error))
            return FALSE;
    }
    return TRUE;
}

static const LpRunResult *
result_of(const Plan *self, guint run, guint job)
{
    return &lp_attribution_run_results(self->blocks->pdata[run])[job];
}

/* --- tiers --- */

static double
without_rounding(double part_s, double whole_s)
{
    return fabs(part_s) < ROUNDING * whole_s ? 0.0 : part_s;
}

/* On a tier that held no flow back nothing would change. */
static void
plan_tiers(Plan *self)
{
    const LpAttributionFlows *flows = &self->results->flows;
    for (LpTier tier = 0; tier < LP_N_TIERS; tier++) {
        gboolean held = FALSE;
        for (guint job = 0; job < n_jobs(self->scenario_setup); job++)
            held = held || flows->tier_lost_s[job * LP_N_TIERS + tier] > 0.0;
        if (held)
            plan(self, (LpAttributionRun){
                           .kind = LP_ATTRIBUTED_TIER, .contenders = G_MAXUINT, .tier = tier});
    }
}

static void
find_tiers_in_use(const LpScenarioSetup *scenario_setup, gboolean *out_in_use)
{
    for (guint32 i = 0; i < lp_network_n_links(scenario_setup->network); i++)
        if (scenario_setup->n_users[i] > 0)
            out_in_use[lp_network_link(scenario_setup->network, i).tier] = TRUE;
}

/* @record: the run that all others are compared with; those of tiers come behind it. */
static void
divide_by_tier(const Plan *self, guint record, guint first_tier)
{
    gboolean in_use[LP_N_TIERS] = {FALSE};
    find_tiers_in_use(self->scenario_setup, in_use);
    for (guint job = 0; job < n_jobs(self->scenario_setup); job++) {
        LpAttribution *attribution = &self->results->jobs[job];
        double whole_s = result_of(self, record, job)->iteration_time_s;
        for (LpTier tier = 0; tier < LP_N_TIERS; tier++)
            attribution->has_tier[tier] = in_use[tier];
        attribution->interaction_s = attribution->total_s;
        for (guint i = first_tier; i < self->runs->len; i++) {
            LpTier tier = g_array_index(self->runs, LpAttributionRun, i).tier;
            double part_s = whole_s - result_of(self, i, job)->iteration_time_s;
            attribution->tier_s[tier] = without_rounding(part_s, whole_s);
            attribution->interaction_s -= attribution->tier_s[tier];
        }
        attribution->interaction_s = without_rounding(attribution->interaction_s, whole_s);
    }
}

/* --- pairs --- */

static void
fill_game(LpAttributionGame *game, const Plan *plan, guint job, guint first_run)
{
    const LpRunResult *none = result_of(plan, first_run, job);
    guint run = first_run;
    for (guint set = 0; set < 1u << game->n; set++) {
        double *row = &game->values[set * LP_CONTENTION_GAME_COLUMNS];
        if (set != 0 && !lp_attribution_game_has_own(lp_attribution_game_contenders(game, set)))
            continue;
        gboolean is_record = plan->quotient != NULL && set != 0 && set == (1u << game->n) - 1;
        const LpRunResult *result = result_of(plan, is_record ? 0 : run++, job);
        double whole_s = none->iteration_time_s;
        row[0] = without_rounding(result->iteration_time_s - whole_s, whole_s);
        for (LpTerm term = 0; term < LP_N_TERMS; term++)
            row[1 + term] = result->terms.s[term] - none->terms.s[term];
    }
}

static void
divide_by_pair(const Plan *plan, guint job, guint first_run)
{
    LpAttribution *self = &plan->results->jobs[job];
    g_auto(LpAttributionGame) game = lp_attribution_game(self);
    fill_game(&game, plan, job, first_run);
    self->uncontended_s = result_of(plan, first_run, job)->iteration_time_s;
    self->total_s = game.values[((1u << game.n) - 1) * LP_CONTENTION_GAME_COLUMNS];
    lp_attribution_game_divide(&game, self);
}

/* --- circuits --- */

static gboolean
are_switched(const LpScenarioSetup *scenario_setup)
{
    for (guint job = 0; job < n_jobs(scenario_setup); job++)
        if (lp_scenario_setup_job(scenario_setup, job)->circuits->switched != NULL)
            return TRUE;
    return lp_circuit_switch_is_rotor(&lp_network_machine(scenario_setup->network)->circuits);
}

/* What waiting for them adds to a run in which all contend. @as_is, @all: of @job. */
static void
add_circuits(LpAttribution *self, const LpRunResult *as_is, const LpRunResult *all)
{
    double whole_s = as_is->iteration_time_s;
    self->has_circuits = TRUE;
    self->circuits_s = without_rounding(whole_s - all->iteration_time_s, whole_s);
    self->total_s += self->circuits_s;
    self->iteration_time_s = whole_s;
}

/* --- all --- */

static void
find_duration(const Plan *self, guint record)
{
    double start_s = INFINITY, end_s = 0.0;
    for (guint job = 0; job < n_jobs(self->scenario_setup); job++) {
        start_s = MIN(start_s, result_of(self, record, job)->start_s);
        end_s = MAX(end_s, result_of(self, record, job)->end_s);
    }
    self->results->duration_s = end_s - start_s;
}

/* The run in which all of @job's contenders do: by classes, the one that records. */
static guint
all_contend(const Plan *self, const guint *first_run, guint job)
{
    return self->quotient != NULL ? 0 : first_run[job + 1] - 1;
}

static gboolean
attribute(Plan *self, const LpChildPool *pool, GError **error)
{
    LpAttributions *results = self->results;
    guint n = n_jobs(self->scenario_setup);
    g_autofree guint *first_run = g_new(guint, n + 1);
    self->quotient = lp_attribution_run_quotient(self->scenario_setup);
    if (self->quotient == NULL && !lp_scenario_setup_load(self->scenario_setup, error))
        return FALSE;
    plan(self, (LpAttributionRun){.kind = LP_ATTRIBUTED_RECORD, .contenders = G_MAXUINT});
    for (guint job = 0; job < n; job++) {
        first_run[job] = self->runs->len;
        plan_sets(self, job, find_contenders(self->scenario_setup, job, &results->jobs[job]));
        if (self->quotient != NULL)
            results->jobs[job].n_replicas = 1;
    }
    guint as_is = self->runs->len;
    gboolean switched = are_switched(self->scenario_setup);
    if (switched)
        plan(self, (LpAttributionRun){.kind = LP_ATTRIBUTED_AS_IS, .contenders = G_MAXUINT});
    guint first_tier = self->runs->len;
    if (!do_runs(self, 0, pool, error))
        return FALSE;
    void *record = self->blocks->pdata[0];
    results->flows_block = g_memdup2(lp_attribution_run_flows(self->scenario_setup, record),
                                     lp_attribution_flows_bytes(n));
    for (guint job = 0; job < n; job++)
        results->jobs[job].waits = lp_attribution_run_waits(self->scenario_setup, record)[job];
    results->flows = lp_attribution_flows_in(results->flows_block, n);
    plan_tiers(self);
    if (!do_runs(self, first_tier, pool, error))
        return FALSE;
    for (guint job = 0; job < n; job++) {
        first_run[job + 1] = job + 1 < n ? first_run[job + 1] : as_is;
        divide_by_pair(self, job, first_run[job]);
        results->jobs[job].iteration_time_s =
            result_of(self, all_contend(self, first_run, job), job)->iteration_time_s;
    }
    divide_by_tier(self, 0, first_tier);
    for (guint job = 0; switched && job < n; job++)
        add_circuits(&results->jobs[job], result_of(self, as_is, job),
                     result_of(self, all_contend(self, first_run, job), job));
    find_duration(self, 0);
    results->n_runs = self->runs->len;
    for (guint i = 0; i < self->runs->len; i++)
        for (guint job = 0; job < n; job++)
            results->n_activities += result_of(self, i, job)->n_activities;
    return TRUE;
}

LpAttributions *
lp_attributions_new(LpScenarioSetup *scenario_setup, guint n_at_once,
                    void (*progress)(double n_done, guint64 n_all, void *data), void *progress_data,
                    GError **error)
{
    g_autoptr(LpAttributions) self = g_new0(LpAttributions, 1);
    self->jobs = g_new0(LpAttribution, n_jobs(scenario_setup));
    LpChildPool pool = {.name = "process of a run",
                        .n_at_once = n_at_once,
                        .progress = progress,
                        .progress_data = progress_data};
    Plan plan = {.scenario_setup = scenario_setup,
                 .runs = g_array_new(FALSE, FALSE, sizeof(LpAttributionRun)),
                 .blocks = g_ptr_array_new_with_free_func(g_free),
                 .results = self};
    gboolean good = attribute(&plan, &pool, error);
    g_array_unref(plan.runs);
    g_ptr_array_unref(plan.blocks);
    lp_quotient_free(plan.quotient);
    return good ? g_steal_pointer(&self) : NULL;
}

void
lp_attributions_free(LpAttributions *self)
{
    if (self == NULL)
        return;
    g_free(self->jobs);
    g_free(self->flows_block);
    g_free(self);
}

double
lp_attributions_link_s(const LpAttributions *self, const LpScenarioSetup *scenario_setup, guint job,
                       guint place)
{
    const LpBottleneckLink *link = &self->flows.links[job * LP_SUMMARY_LINKS + place];
    LpTier tier = lp_network_link(scenario_setup->network, link->link).tier;
    double lost_s = self->flows.tier_lost_s[job * LP_N_TIERS + tier];
    return lost_s > 0.0 ? self->jobs[job].tier_s[tier] * lp_bottleneck_link_all_s(link) / lost_s
                        : 0.0;
}
