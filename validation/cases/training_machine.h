/* SPDX-License-Identifier: Apache-2.0 */
/* The machine on which a row of measured training ran. */
#pragma once

#include "platforms/machine/machine.h"
#include "validation/cases/public_model.h"
#include "validation/cases/measurements.h"
#include "validation/prediction/outcome.h"

G_BEGIN_DECLS

/**
 * Generates the machine that @row states: as many whole domains as its accelerators need; between
 * them the network of the system that its publication ran on or that it names, where the catalogue
 * has it, else a fabric that does not block, with a rail for each network card. What the row leaves
 * open and is filled in becomes a note of @outcome.
 * @models: has other names of accelerators. @out_platform: (transfer full) the text of its file.
 * Errors: LP_INPUT_ERROR, LP_MACHINE_ERROR: "FILE:LINE: ...". Returns: (transfer full).
 */
LpMachine *lp_training_machine_read(const LpTableRow *row, const LpPublicModels *models,
                                    LpOutcome *outcome, char **out_platform,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
