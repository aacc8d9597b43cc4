/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of plain text: columns as wide as what stands in them, whatever the terminal is. */
#pragma once

#include "base/units.h"
#include <glib.h>

G_BEGIN_DECLS

typedef struct LpTextTable LpTextTable;

/** A table without rows. @columns: their headings, NULL-ended; "#" before a heading sets its column
 * to the right, for numbers. If all are empty, no line of headings is printed. Returns: (transfer
 * full). */
LpTextTable *lp_text_table_new(const char *const *columns);
void lp_text_table_free(LpTextTable *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpTextTable, lp_text_table_free)

/** Begins a row, whose cells are empty. */
void lp_text_table_add_row(LpTextTable *self);
/** Fills the next cell of the last row. Control characters, and bytes that are not UTF-8, are shown
 * as \xNN; a number that rounds to 0 has no sign. */
void lp_text_table_add_cell(LpTextTable *self, const char *format, ...) G_GNUC_PRINTF(2, 3);
/** The same with a quantity and its unit, as lp_quantity_format() writes it. */
void lp_text_table_add_quantity(LpTextTable *self, LpQuantity quantity, double value);

/** Appends the table to @out, each line with a line end and after @indent blanks; nothing if it has
 * no rows. Cells are never cut. */
void lp_text_table_append(GString *out, const LpTextTable *self, guint indent);

G_END_DECLS
