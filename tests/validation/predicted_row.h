/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a CSV, described and predicted in a test. */
#pragma once

#include "validation/cases/case.h"

/** A table of @header and one @row, as a file. Returns: (transfer full), or NULL and a failure. */
LpTable *lp_rows_table(const char *header, const char *row);

/** What becomes of the row @index, in this process. Returns: (transfer full). */
LpOutcome *lp_rows_outcome(const LpTable *table, guint index);

/** Asserts that the row fails, or comes out well if @wanted is NULL, and that its reason has
 * @wanted and is one line. */
void lp_rows_expect(const char *label, const char *header, const char *row, const char *wanted);
