/* SPDX-License-Identifier: Apache-2.0 */
/* A training job on a generated machine, as the quotient takes it: everything is simulated flow by
 * flow, and no engine runs. */
#pragma once

#include "sim/quotient/quotient.h"

G_BEGIN_DECLS

typedef struct {
    LpWorkload *workload; /* owned, as all below */
    LpMachine *machine;
    LpProgram *program;
    LpNetwork *network;
    LpPlacement *placement;
    LpLibrary library;
    LpCommunicationMap *map;
    LpContention *nothing;
    LpIsolatedCache *cache;
    LpQuotientJob job;
    LpQuotientInput input; /**< fidelity flow */
} LpJobFlows;

/** Of lp_small_workload_load() and lp_generated_machine_good(), with the costs of @library.
 * Returns: (transfer full), NULL after a failure. */
LpJobFlows *lp_job_flows_new(const char *settings, const char *options, const char *library);
void lp_job_flows_free(LpJobFlows *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpJobFlows, lp_job_flows_free)

G_END_DECLS
