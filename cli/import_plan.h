/* SPDX-License-Identifier: Apache-2.0 */
/* A plan for an imported model, which has none of its own. */
#pragma once

#include "platforms/machine/machine.h"
#include "workloads/import/import.h"

G_BEGIN_DECLS

/**
 * Gives @import the plan that divides the model least among those that fill @machine and fit into
 * its memory: tensor parallelism inside domains, pipeline stages and expert parallelism in powers
 * of two, optimiser states shared out. Recomputation, and sharded parameters, come only where
 * nothing else fits. The batch is four micro-batches for each stage and replica: of it only the
 * user can know more.
 * @path: what messages name. Error: LP_SIMULATION_ERROR_MEMORY.
 */
gboolean lp_import_propose_plan(LpImport *import, const char *path, const LpMachine *machine,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
