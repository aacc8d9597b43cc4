/* SPDX-License-Identifier: Apache-2.0 */
/* A row of measured training: the workload and the machine that it states. */
#pragma once

#include "validation/cases/case_kind.h"
#include "validation/prediction/prediction.h"

G_BEGIN_DECLS

/** Columns "workload", "framework" and "machine"; "unchecked" is "memory" where a plan ran that by
 * our count does not fit. The measured column is iteration_s, of rows of kind memory memory_GB. */
extern const LpCaseKind lp_training_case;

/** What a row states. */
typedef struct {
    LpWorkload *workload; /* owned */
    LpMachine *machine;   /* owned: generated, as large as the row says, in whole domains */
    char *platform;       /* owned: the file that it was read from */
} LpTrainingCase;

/**
 * Reads the workload and the machine of @row. What is inferred, by column "inferred" or since the
 * framework has it so, becomes notes of @outcome. Columns
 * of what was measured are not read. A model that is out of scope fails @outcome by that status and
 * is an error too. Errors: LP_INPUT_ERROR, LP_MODEL_ERROR, LP_MACHINE_ERROR: "FILE:LINE: ...".
 */
gboolean lp_training_case_read(LpTrainingCase *self, const LpTableRow *row, LpOutcome *outcome,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Frees what @self owns. */
void lp_training_case_clear(LpTrainingCase *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(LpTrainingCase, lp_training_case_clear)

G_END_DECLS
