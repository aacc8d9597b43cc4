/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that state what a row before them states: one of them is run, and all have its predictions.
 */
#pragma once

#include "validation/cases/case_kind.h"

G_BEGIN_DECLS

/** The rows of a run so far, found by what they state. */
typedef struct LpDuplicateRows LpDuplicateRows;

/** @kind: borrowed. Returns: (transfer full). */
LpDuplicateRows *lp_duplicate_rows_new(const LpCaseKind *kind);
/** @self may be NULL. */
void lp_duplicate_rows_free(LpDuplicateRows *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpDuplicateRows, lp_duplicate_rows_free)

/** Whether @row repeats an earlier row. If so it is remembered under @index, and @outcome gets the
 * notes that reading it gives. Rows that cannot be read, and rows of kinds that name no inputs,
 * repeat none. @index: place of its outcome. */
gboolean lp_duplicate_rows_add(LpDuplicateRows *self, guint index, const LpTableRow *row,
                               LpOutcome *outcome) G_GNUC_WARN_UNUSED_RESULT;
/** The number of rows that repeat an earlier one. */
guint lp_duplicate_rows_n(const LpDuplicateRows *self);
/** The place of the outcome of repeated row number @i, in the order in which they were added. */
guint lp_duplicate_rows_index(const LpDuplicateRows *self, guint i);
/** Copies the predictions of the earlier row to repeated row number @i, if they are ok. Returns:
 * whether they are; a failure may be the row's own. @outcomes: LpOutcome, by place. */
gboolean lp_duplicate_rows_settle(const LpDuplicateRows *self, guint i,
                                  const GPtrArray *outcomes) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
