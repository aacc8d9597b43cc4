/* SPDX-License-Identifier: Apache-2.0 */
/* A CSV file: a header, and rows of texts that are read by column. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** A table that has been read. */
typedef struct LpTable LpTable;
/** A row, borrowed from its table. */
typedef struct LpTableRow LpTableRow;

/**
 * Reads @path: RFC 4180 with LF or CRLF, UTF-8 with or without a byte-order mark, blank lines left
 * out. The first row is the header; every other has as many fields.
 * Errors: LP_INPUT_ERROR, "FILE: ..." or "FILE:LINE: got, wanted". Returns: (transfer full).
 */
LpTable *lp_table_load(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** The same from @text, of @length bytes; @path: what messages call it. */
LpTable *lp_table_parse(const char *path, const char *text, gsize length,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** @self may be NULL. */
void lp_table_free(LpTable *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpTable, lp_table_free)

/** The path that it was read from, borrowed. */
const char *lp_table_path(const LpTable *self);
/** The number of rows without the header. */
guint lp_table_n_rows(const LpTable *self);
/** Row @index, from 0, borrowed from @self. */
const LpTableRow *lp_table_row(const LpTable *self, guint index);

/** Whether the header has all of @columns, which spaces divide. */
gboolean lp_table_has_columns(const LpTable *self, const char *columns);
/** The name of column @index, from 0, borrowed; NULL past the last one. */
const char *lp_table_column(const LpTable *self, guint index);
/** The header as messages show it. Returns: (transfer full). */
char *lp_table_header(const LpTable *self);

/** The field in @column, borrowed; "" if it is empty or the file has no such column. */
const char *lp_table_text(const LpTableRow *row, const char *column);
/** Whether the file of @row has @column at all. */
gboolean lp_table_knows(const LpTableRow *row, const char *column);
/** Whether there is a field in @column that is not empty. */
gboolean lp_table_has(const LpTableRow *row, const char *column);
/** The content of the row, "column=field" a line, in the order of the columns' names, so that the
 * order of the header does not matter. Returns: (transfer full). */
char *lp_table_content(const LpTableRow *row);
/** The row's id: its column "id", or the line that it begins on. Returns: (transfer full). */
char *lp_table_id(const LpTableRow *row);

/** A whole number from @minimum to @maximum. *@io_value stays if the field is empty.
 * Errors: LP_INPUT_ERROR, as lp_table_fault(). */
gboolean lp_table_count(const LpTableRow *row, const char *column, guint64 minimum, guint64 maximum,
                        guint64 *io_value, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** A finite number from @minimum to @maximum. *@io_value stays if the field is empty.
 * Errors: LP_INPUT_ERROR, as lp_table_fault(). */
gboolean lp_table_number(const LpTableRow *row, const char *column, double minimum, double maximum,
                         double *io_value, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** A measured value, in the column's unit: above 0; an empty field is an error, too.
 * Errors: LP_INPUT_ERROR, as lp_table_fault(). */
gboolean lp_table_measured(const LpTableRow *row, const char *column, double *out_value,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** "FILE:LINE", the line on which the row begins. Returns: (transfer full). */
char *lp_table_where(const LpTableRow *row);
/** Puts "FILE:LINE: column @column: " before the message of @error; returns FALSE. */
gboolean lp_table_prefix(const LpTableRow *row, const char *column, GError **error);
/** Sets LP_INPUT_ERROR_VALUE "FILE:LINE: column @column: got FIELD, wanted @wanted"; FALSE. */
gboolean lp_table_fault(const LpTableRow *row, const char *column, const char *wanted,
                        GError **error);

G_END_DECLS
