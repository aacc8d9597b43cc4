/* SPDX-License-Identifier: Apache-2.0 */
/* What stands in the fields of a measured row. */
#pragma once

#include "base/table.h"
#include "platforms/generation/specification.h"
#include "validation/prediction/outcome.h"

G_BEGIN_DECLS

/** The value of attribute @name among the "NAME=VALUE" of @column, the last counts; NULL if it is
 * not said. Returns: (transfer full). */
char *lp_row_attribute(const LpTableRow *row, const char *column, const char *name);
/** The same as a number; 0 if it is not said, or no number. */
double lp_row_attribute_number(const LpTableRow *row, const char *column, const char *name);

/** The machine in @column: the options of "platform generate", with "--" before each or without.
 * Errors: LP_INPUT_ERROR, LP_MACHINE_ERROR: "FILE:LINE: column @column: ...". Returns: (transfer
 * full). */
LpMachineSpecification *lp_row_machine(const LpTableRow *row, const char *column,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Fails @outcome where column "refused" says why nothing can be predicted; "out of scope: " before
 * it means that its model is none that anybody claims to predict. Error: LP_INPUT_ERROR_VALUE. */
gboolean lp_row_check_refused(const LpTableRow *row, LpOutcome *outcome,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Takes the notes of column "inferred", which " | " divides. */
void lp_row_take_inferred(const LpTableRow *row, LpOutcome *outcome);

G_END_DECLS
