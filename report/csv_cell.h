/* SPDX-License-Identifier: Apache-2.0 */
/* Cells of comma-separated values (RFC 4180), one behind the other. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Each appends a cell to @text, which does not begin a table: the row of its columns stands there.
 * An empty first cell of a row would be taken for none. @value: NULL for an empty cell. */
void lp_csv_add_text(GString *text, const char *value);
/** A number with all its digits. */
void lp_csv_add_number(GString *text, double value);
/** A whole number. */
void lp_csv_add_count(GString *text, guint64 value);

G_END_DECLS
