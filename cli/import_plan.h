/* SPDX-License-Identifier: Apache-2.0 */
/* A plan for an imported model, which has none of its own. */
#pragma once

#include "platforms/machine/machine.h"
#include "workloads/import/import.h"

G_BEGIN_DECLS

/**
 * Gives @import a plan that fills @machine and leaves a tenth of its memory: of those in powers of
 * two, with tensor parallelism inside domains, stages of at least four layers and optimiser states
 * shared out, the one that divides the model least and than which none is a tenth faster by the
 * closed form. Parameters are sharded where nothing else fits, or the framework does it of itself.
 * A batch has some 4 million tokens, and at least four micro-batches for each stage and replica.
 * Also a framework and a precision, where the import has none that people train with there.
 * @path: what messages name; @option: that named the machine. Error: LP_SIMULATION_ERROR_MEMORY.
 */
gboolean lp_import_propose_plan(LpImport *import, const char *path, const LpMachine *machine,
                                const char *option, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
