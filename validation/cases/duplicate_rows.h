/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that state what a row before them states: one of them is run, and all have its predictions.
 */
#pragma once

#include "validation/cases/case_kind.h"

G_BEGIN_DECLS

/** The rows of a run so far, by what they state. */
typedef struct LpDuplicateRows LpDuplicateRows;

/** @kind: borrowed. Returns: (transfer full). */
LpDuplicateRows *lp_duplicate_rows_new(const LpCaseKind *kind);
/** @self may be NULL. */
void lp_duplicate_rows_free(LpDuplicateRows *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpDuplicateRows, lp_duplicate_rows_free)

/**
 * Whether @row is like one before it: then it is remembered under @index, and @outcome has the
 * notes that reading it gives. Rows that cannot be read, and those of kinds that name no inputs,
 * are like none. @index: place of its outcome.
 */
gboolean lp_duplicate_rows_add(LpDuplicateRows *self, guint index, const LpTableRow *row,
                               LpOutcome *outcome) G_GNUC_WARN_UNUSED_RESULT;
/** How many rows are like one before them. */
guint lp_duplicate_rows_n(const LpDuplicateRows *self);
/** The place of the outcome of the one of number @i, in the order in which they were added. */
guint lp_duplicate_rows_index(const LpDuplicateRows *self, guint i);
/** Gives that outcome the predictions of the row that it is like, if this is ok. Returns: whether
 * it is; what a row has failed for may be its own. @outcomes: LpOutcome, by place. */
gboolean lp_duplicate_rows_settle(const LpDuplicateRows *self, guint i,
                                  const GPtrArray *outcomes) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
