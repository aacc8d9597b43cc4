/* SPDX-License-Identifier: Apache-2.0 */
/* The predictions of a table of measurements, as text and as JSON. */
#pragma once

#include "base/json.h"
#include "validation/prediction/ranking.h"
#include "validation/prediction/score.h"
#include "validation/cases/measurements.h"

G_BEGIN_DECLS

typedef struct {
    const char *cases; /* borrowed: the file, as it is named to people */
    LpTableKind kind;
    LpPrediction model;
    const GPtrArray *outcomes; /* borrowed: LpOutcome * in the order of the file */
    guint n_left;              /* rows that were not predicted, as a signal ended it */
} LpValidation;

/** Whether @model predicts any row: of collectives AMPeD says nothing. */
gboolean lp_validation_predicts_any(const LpValidation *self, LpPrediction model);

/** Tables of sources, of models side by side, of the choice among plans, and of the worst rows.
 * Returns: (transfer full). */
char *lp_validation_to_text(const LpValidation *self);
/** Returns: (transfer full). */
json_t *lp_validation_to_json(const LpValidation *self);

G_END_DECLS
