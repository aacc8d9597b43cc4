/* SPDX-License-Identifier: Apache-2.0 */
/* A training job on a machine in the engine, with circuits or without: in a process of its own
 * (tests/support/forked.h). It lives as long as the process. */
#pragma once

#include "sim/circuits/circuit_map.h"
#include "workloads/description/workload.h"

G_BEGIN_DECLS

typedef struct {
    LpWorkload *workload;
    LpProgram *program;
    LpNetwork *network;
    LpPlacement *placement;
    LpLibrary library;
    LpCircuitMap *circuits;
} LpEngineJob;

/** Of lp_small_workload_load() and lp_engine_actors_network(), with links as they are. Returns:
 * FALSE after a failure. */
gboolean lp_engine_job_init(LpEngineJob *self, const char *settings, const char *options);

G_END_DECLS
