/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a run up to its circuits. */
#include "tests/sim/engine_job.h"

#include "platforms/catalogue/libraries.h"
#include "tests/sim/engine_actors.h"
#include "tests/support/small_workload.h"
#include "tests/testlib.h"
#include "workloads/program/training_program.h"

gboolean
lp_engine_job_init(LpEngineJob *self, const char *settings, const char *options)
{
    g_autoptr(GError) error = NULL;
    self->network = lp_engine_actors_network(options);
    self->workload = lp_small_workload_load(settings);
    if (self->network == NULL || self->workload == NULL ||
        !lp_library_find("single-ring", &self->library, NULL))
        return FALSE;
    const LpMachine *machine = lp_network_machine(self->network);
    self->program = lp_training_program_new(self->workload, &machine->accelerator, NULL);
    self->placement = lp_placement_new_packed(self->program->n_ranks);
    self->circuits = lp_circuit_map_new(self->program, self->network, &self->library,
                                        self->placement, NULL, &error);
    lp_test_text(settings, error != NULL ? error->message : NULL, NULL);
    return self->circuits != NULL;
}
