/* SPDX-License-Identifier: Apache-2.0 */
/* Places jobs and their slow ranks. */
#include "sim/run/job.h"

#include "base/error.h"
#include "base/file.h"
#include "sim/simulation_error.h"

#include <string.h>

static void
job_free(LpJob *self)
{
    for (guint64 rank = 0; self->stragglers != NULL && rank < self->n_ranks; rank++)
        lp_straggler_free(self->stragglers[rank]);
    g_free(self->stragglers);
    lp_circuit_map_free(self->circuits);
    lp_circuit_map_free(self->impaired);
    lp_isolated_cache_free(self->cache);
    lp_isolated_cache_free(self->impaired_cache);
    lp_program_free(self->program);
    lp_setup_free(self->setup);
    g_free(self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpJob, job_free)

static gboolean
check_accelerators(const LpPlacement *placement, const LpMachine *machine, GError **error)
{
    for (guint64 rank = 0; rank < placement->n_ranks; rank++) {
        guint64 accelerator = lp_placement_accelerator(placement, rank);
        if (accelerator < machine->n_accelerators)
            continue;
        g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_FIT,
                    "got accelerator %" G_GUINT64_FORMAT " for rank %" G_GUINT64_FORMAT
                    ", wanted one of the %" G_GUINT64_FORMAT " of %s",
                    accelerator, rank, machine->n_accelerators, lp_file_label(machine->path));
        return FALSE;
    }
    return TRUE;
}

/* On the accelerators that the scenario names. Returns: (transfer full). */
static LpPlacement *
new_placement(const LpScenarioJob *job, guint64 n_ranks)
{
    if (job->accelerators == NULL && job->first == 0)
        return lp_placement_new_packed(n_ranks);
    guint32 *accelerators = g_new(guint32, n_ranks);
    for (guint32 rank = 0; rank < n_ranks; rank++)
        accelerators[rank] = job->accelerators != NULL
                                 ? g_array_index(job->accelerators, guint32, rank)
                                 : job->first + rank;
    return lp_placement_new_given(n_ranks, accelerators);
}

static LpSetup *
new_setup(const LpScenarioJob *job, const LpMachine *machine, GError **error)
{
    if (job->accelerators == NULL && !job->has_first)
        return lp_setup_new(job->workload, machine, error);
    g_autoptr(LpPlacement) placement = new_placement(job, lp_plan_n_ranks(&job->workload->plan));
    if (!check_accelerators(placement, machine, error))
        return NULL;
    return lp_setup_new_placed(job->workload, machine, g_steal_pointer(&placement), error);
}

static LpJob *
job_new(const LpScenarioJob *job, const LpMachine *machine, GError **error)
{
    g_autoptr(LpJob) self = g_new0(LpJob, 1);
    self->job = job;
    self->n_ranks = lp_plan_n_ranks(&job->workload->plan);
    self->setup = new_setup(job, machine, error);
    if (self->setup != NULL)
        self->program = lp_training_program_new(job->workload, &machine->accelerator, error);
    if (self->program != NULL)
        return g_steal_pointer(&self);
    lp_scenario_job_prefix(job, error);
    return NULL;
}

/* @owners: by accelerator, the job on it. */
static gboolean
claim(const LpJob *self, const LpJob **owners, GError **error)
{
    for (guint64 rank = 0; rank < self->n_ranks; rank++) {
        guint64 accelerator = lp_placement_accelerator(self->setup->placement, rank);
        const LpJob *other = owners[accelerator];
        if (other == NULL) {
            owners[accelerator] = self;
            continue;
        }
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                    "%s: job \"%s\": got accelerator %" G_GUINT64_FORMAT
                    ", which job \"%s\" has, wanted accelerators of its own",
                    self->job->where, self->job->name, accelerator, other->job->name);
        return FALSE;
    }
    return TRUE;
}

/* --- slow ranks --- */

static gboolean
slow_down(LpJob *self, guint64 rank, const LpScenarioStraggler *straggler, GError **error)
{
    if (self->stragglers == NULL)
        self->stragglers = g_new0(LpStraggler *, self->n_ranks);
    if (self->stragglers[rank] != NULL) {
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                    "%s: <straggler>: got rank %" G_GUINT64_FORMAT
                    " of job \"%s\" a second time, wanted one straggler a rank",
                    straggler->where, rank, self->job->name);
        return FALSE;
    }
    self->stragglers[rank] = lp_straggler_new(straggler, self->job->name, rank);
    return TRUE;
}

static gboolean
is_slow(const LpJob *self, guint64 rank, const LpScenarioStraggler *straggler,
        const gboolean *is_listed)
{
    if (straggler->job == NULL)
        return is_listed[lp_placement_accelerator(self->setup->placement, rank)];
    if (strcmp(straggler->job, self->job->name) != 0)
        return FALSE;
    return straggler->ranks == NULL || is_listed[rank];
}

static gboolean
apply_straggler(GPtrArray *jobs, const LpScenarioStraggler *straggler, const LpMachine *machine,
                GError **error)
{
    const GArray *listed = straggler->job == NULL ? straggler->accelerators : straggler->ranks;
    g_autofree gboolean *is_listed = g_new0(gboolean, machine->n_accelerators);
    for (guint i = 0; listed != NULL && i < listed->len; i++) {
        guint32 number = g_array_index(listed, guint32, i);
        if (number >= machine->n_accelerators) {
            g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                        "%s: <straggler> accelerators: got %u, wanted one of the %" G_GUINT64_FORMAT
                        " of %s",
                        straggler->where, number, machine->n_accelerators,
                        lp_file_label(machine->path));
            return FALSE;
        }
        is_listed[number] = TRUE;
    }
    for (guint i = 0; i < jobs->len; i++) {
        LpJob *job = jobs->pdata[i];
        for (guint64 rank = 0; rank < job->n_ranks; rank++)
            if (is_slow(job, rank, straggler, is_listed) && !slow_down(job, rank, straggler, error))
                return FALSE;
    }
    return TRUE;
}

GPtrArray *
lp_jobs_new(const LpScenario *scenario, const LpMachine *machine, GError **error)
{
    g_autoptr(GPtrArray) jobs = g_ptr_array_new_with_free_func((GDestroyNotify)job_free);
    g_autofree const LpJob **owners = g_new0(const LpJob *, machine->n_accelerators);
    for (guint i = 0; i < scenario->jobs->len; i++) {
        LpJob *job = job_new(lp_scenario_job(scenario, i), machine, error);
        if (job == NULL)
            return NULL;
        g_ptr_array_add(jobs, job);
        if (!claim(job, owners, error))
            return NULL;
    }
    for (guint i = 0; i < scenario->stragglers->len; i++)
        if (!apply_straggler(jobs, scenario->stragglers->pdata[i], machine, error))
            return NULL;
    return g_steal_pointer(&jobs);
}

/* Returns: (transfer full). */
static LpCircuitMap *
new_circuits(const LpJob *self, const LpNetwork *network, const GArray *failed, GError **error)
{
    LpCircuitMap *circuits = lp_circuit_map_new(self->program, network, self->setup->library,
                                                self->setup->placement, failed, error);
    if (circuits == NULL)
        lp_scenario_job_prefix(self->job, error);
    return circuits;
}

gboolean
lp_job_enter(LpJob *self, const LpNetwork *network, GError **error)
{
    self->cache = lp_isolated_cache_new();
    self->circuits = new_circuits(self, network, NULL, error);
    if (self->circuits != NULL)
        self->map = self->circuits->map;
    return self->circuits != NULL;
}

gboolean
lp_job_impair(LpJob *self, const LpNetwork *network, const GArray *failed, GError **error)
{
    if (self->circuits->fixed == NULL || failed->len == 0)
        return TRUE;
    self->impaired_cache = lp_isolated_cache_new();
    self->impaired = new_circuits(self, network, failed, error);
    return self->impaired != NULL;
}
