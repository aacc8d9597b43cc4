/* SPDX-License-Identifier: Apache-2.0 */
/* Places jobs and their slow ranks. */
#include "sim/run/job.h"

#include "base/error.h"
#include "base/file.h"
#include "sim/mapping/placement.h"
#include "sim/run/simulation.h"

#include <string.h>

static void
tenant_free(LpTenant *self)
{
    for (guint64 rank = 0; self->paces != NULL && rank < self->n_ranks; rank++)
        lp_pace_free(self->paces[rank]);
    g_free(self->paces);
    lp_edges_free(self->edges);
    lp_iteration_free(self->iteration);
    g_free(self->accelerators);
    g_free(self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpTenant, tenant_free)

guint64
lp_tenant_accelerator(const LpTenant *self, guint64 rank)
{
    return self->accelerators == NULL ? rank : self->accelerators[rank];
}

static gboolean
check_accelerators(const LpTenant *self, const LpMachine *machine, GError **error)
{
    for (guint64 rank = 0; rank < self->n_ranks; rank++) {
        guint64 accelerator = lp_tenant_accelerator(self, rank);
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

static gboolean
place(LpTenant *self, const LpMachine *machine, GError **error)
{
    const LpScenarioJob *job = self->job;
    if (job->accelerators == NULL && !job->has_first) {
        GError *fault = NULL;
        if (!lp_simulation_check(job->workload, machine, error))
            return FALSE;
        self->accelerators = lp_placement_new(job->workload, machine, &fault);
        if (fault == NULL)
            return TRUE;
        g_propagate_error(error, fault);
        return FALSE;
    }
    if (job->accelerators == NULL && job->first == 0)
        return check_accelerators(self, machine, error);
    self->accelerators = g_new(guint32, self->n_ranks);
    for (guint32 rank = 0; rank < self->n_ranks; rank++)
        self->accelerators[rank] = job->accelerators != NULL
                                       ? g_array_index(job->accelerators, guint32, rank)
                                       : job->first + rank;
    return check_accelerators(self, machine, error);
}

static LpTenant *
tenant_new(const LpScenarioJob *job, const LpMachine *machine, GError **error)
{
    g_autoptr(LpTenant) self = g_new0(LpTenant, 1);
    self->job = job;
    self->n_ranks = lp_plan_n_ranks(&job->workload->plan);
    if (place(self, machine, error))
        self->iteration = lp_iteration_new(job->workload, &machine->accelerator, error);
    if (self->iteration != NULL &&
        lp_simulation_library(job->workload, machine, &self->library, error))
        return g_steal_pointer(&self);
    g_prefix_error(error, "%s: job \"%s\": ", job->where, job->name);
    return NULL;
}

/* @owners: by accelerator, the tenant on it. */
static gboolean
claim(const LpTenant *self, const LpTenant **owners, GError **error)
{
    for (guint64 rank = 0; rank < self->n_ranks; rank++) {
        guint64 accelerator = lp_tenant_accelerator(self, rank);
        const LpTenant *other = owners[accelerator];
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
slow_down(LpTenant *self, guint64 rank, const LpScenarioStraggler *straggler, GError **error)
{
    if (self->paces == NULL)
        self->paces = g_new0(LpPace *, self->n_ranks);
    if (self->paces[rank] != NULL) {
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                    "%s: <straggler>: got rank %" G_GUINT64_FORMAT
                    " of job \"%s\" a second time, wanted one straggler a rank",
                    straggler->where, rank, self->job->name);
        return FALSE;
    }
    self->paces[rank] = lp_pace_new(straggler, self->job->name, rank);
    return TRUE;
}

static gboolean
is_slow(const LpTenant *self, guint64 rank, const LpScenarioStraggler *straggler,
        const gboolean *is_listed)
{
    if (straggler->job == NULL)
        return is_listed[lp_tenant_accelerator(self, rank)];
    if (strcmp(straggler->job, self->job->name) != 0)
        return FALSE;
    return straggler->ranks == NULL || is_listed[rank];
}

static gboolean
apply_straggler(GPtrArray *tenants, const LpScenarioStraggler *straggler, const LpMachine *machine,
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
    for (guint i = 0; i < tenants->len; i++) {
        LpTenant *tenant = tenants->pdata[i];
        for (guint64 rank = 0; rank < tenant->n_ranks; rank++)
            if (is_slow(tenant, rank, straggler, is_listed) &&
                !slow_down(tenant, rank, straggler, error))
                return FALSE;
    }
    return TRUE;
}

GPtrArray *
lp_tenants_new(const LpScenario *scenario, const LpMachine *machine, GError **error)
{
    g_autoptr(GPtrArray) tenants = g_ptr_array_new_with_free_func((GDestroyNotify)tenant_free);
    g_autofree const LpTenant **owners = g_new0(const LpTenant *, machine->n_accelerators);
    for (guint i = 0; i < scenario->jobs->len; i++) {
        LpTenant *tenant = tenant_new(lp_scenario_job(scenario, i), machine, error);
        if (tenant == NULL)
            return NULL;
        g_ptr_array_add(tenants, tenant);
        if (!claim(tenant, owners, error))
            return NULL;
    }
    for (guint i = 0; i < scenario->stragglers->len; i++)
        if (!apply_straggler(tenants, scenario->stragglers->pdata[i], machine, error))
            return NULL;
    return g_steal_pointer(&tenants);
}

gboolean
lp_tenant_enter(LpTenant *self, const LpNetwork *network, GError **error)
{
    self->edges = lp_edges_new(self->iteration, network, &self->library, self->accelerators, error);
    if (self->edges != NULL)
        return TRUE;
    g_prefix_error(error, "%s: job \"%s\": ", self->job->where, self->job->name);
    return FALSE;
}
