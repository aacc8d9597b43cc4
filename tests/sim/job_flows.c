/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a run up to its flows. */
#include "tests/sim/job_flows.h"

#include "platforms/catalogue/libraries.h"
#include "tests/support/generated.h"
#include "tests/support/small_workload.h"
#include "tests/testlib.h"
#include "workloads/program/training_program.h"

LpJobFlows *
lp_job_flows_new(const char *settings, const char *options, const char *library)
{
    g_autoptr(LpJobFlows) self = g_new0(LpJobFlows, 1);
    g_autoptr(GError) error = NULL;
    self->workload = lp_small_workload_load(settings);
    self->machine = lp_generated_machine_good(options);
    if (self->workload == NULL || self->machine == NULL ||
        !lp_library_find(library, &self->library, NULL)) {
        lp_test_failed(settings, "no workload, machine or library");
        return NULL;
    }
    self->program = lp_training_program_new(self->workload, &self->machine->accelerator, NULL);
    self->network = lp_network_new(self->machine);
    self->placement = lp_placement_new_packed(self->program->n_ranks);
    self->map = lp_communication_map_new(self->program, self->network, &self->library,
                                         self->placement, NULL, &error);
    lp_test_text(settings, error != NULL ? error->message : NULL, NULL);
    if (self->map == NULL)
        return NULL;
    self->nothing = lp_contention_new_nothing(self->map);
    self->cache = lp_isolated_cache_new();
    self->job =
        (LpQuotientJob){.map = self->map, .contention = self->nothing, .cache = self->cache};
    self->input = (LpQuotientInput){.jobs = &self->job, .n_jobs = 1};
    self->input.fidelity = LP_FIDELITY_FLOW;
    return g_steal_pointer(&self);
}

void
lp_job_flows_free(LpJobFlows *self)
{
    if (self == NULL)
        return;
    lp_isolated_cache_free(self->cache);
    lp_contention_free(self->nothing);
    lp_communication_map_free(self->map);
    lp_placement_free(self->placement);
    lp_network_free(self->network);
    lp_program_free(self->program);
    lp_machine_free(self->machine);
    lp_workload_free(self->workload);
    g_free(self);
}
