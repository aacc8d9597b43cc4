/* SPDX-License-Identifier: Apache-2.0 */
/* The rules by which a row of measured training becomes the attributes of a workload. */
#pragma once

#include "platforms/machine/machine.h"
#include "validation/cases/public_model.h"
#include "validation/cases/settings.h"
#include "validation/cases/measurements.h"
#include "validation/prediction/outcome.h"
#include "workloads/description/workload.h"

G_BEGIN_DECLS

/** A row on the way to being a workload. */
typedef struct {
    const LpTableRow *row;      /* borrowed */
    LpPublicModels *models;     /* owned */
    const LpPublicModel *model; /* borrowed from models; NULL: the row names no public model */
    const LpMachine *machine;   /* borrowed; NULL until the rules have been applied */
    LpOutcome *outcome;         /* borrowed: takes notes of what is inferred */
    LpSettings settings;        /* owned: the attributes so far */
    LpWorkload *scratch;        /* owned: each value is set on it alone, to be checked */
    gboolean is_layer;          /**< a single layer was measured, not a whole model */
    gboolean shares_open;       /**< neither row nor framework says which states replicas share */
} LpTrainingRestatement;

/** Begins with no attributes. @row and @outcome are borrowed, until the restatement is cleared.
 * Errors: LP_INPUT_ERROR of the shipped public models. */
gboolean lp_training_restatement_init(LpTrainingRestatement *self, const LpTableRow *row,
                                      LpOutcome *outcome, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Frees what @self owns; also after lp_training_restatement_init() has failed. */
void lp_training_restatement_clear(LpTrainingRestatement *self);

/** Checks @value of @column as the attribute @name would be checked, so that the message names the
 * column, and sets it. Errors: LP_INPUT_ERROR, LP_MODEL_ERROR: "FILE:LINE: column @column: ...". */
gboolean lp_training_restatement_set(LpTrainingRestatement *self, const char *column,
                                     const char *name, const char *value,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Applies all rules but those that depend on memory (lp_training_plan_new()), in their order.
 * Errors: LP_INPUT_ERROR, LP_MODEL_ERROR: "FILE:LINE: ...". */
gboolean lp_training_restatement_apply(LpTrainingRestatement *self,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
