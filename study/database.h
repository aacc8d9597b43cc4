/* SPDX-License-Identifier: Apache-2.0 */
/* The one door to SQLite: a file, statements, and errors of one line. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** An open file. */
typedef struct LpDatabase LpDatabase;
/** A statement that can be run again with other values. */
typedef struct LpQuery LpQuery;

/** Opens @path, and makes it if it is not there and @create. Errors: LP_INPUT_ERROR_FILE, "PATH:
 * ...", also of files that are no databases. Returns: (transfer full). */
LpDatabase *lp_database_open(const char *path, gboolean create,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** @self may be NULL. */
void lp_database_free(LpDatabase *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpDatabase, lp_database_free)
/** The path of the database, as messages name it. Borrowed. */
const char *lp_database_path(const LpDatabase *self);

/** Runs @sql, one statement or several, without values. Errors: LP_INPUT_ERROR_FILE. */
gboolean lp_database_run(LpDatabase *self, const char *sql,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Ends a transaction: keeps all of it, or, if that is not @good or cannot be done, nothing.
 * Returns: whether it is kept. Errors: LP_INPUT_ERROR_FILE, unless @error is set already. */
gboolean lp_database_end(LpDatabase *self, gboolean good, GError **error);
/** The whole number that @sql selects; 0: no row. Errors: LP_INPUT_ERROR_FILE. */
gboolean lp_database_count(LpDatabase *self, const char *sql, gint64 *out_count,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Rows that the last statement changed. */
guint64 lp_database_n_changed(const LpDatabase *self);

/** Prepares @sql. Errors: LP_INPUT_ERROR_FILE. Returns: (transfer full), to be freed before @self.
 */
LpQuery *lp_query_new(LpDatabase *self, const char *sql, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** @self may be NULL. */
void lp_query_free(LpQuery *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpQuery, lp_query_free)

/** Begins anew with values for its parameters: of each letter of @types one more argument, gint64
 * of 'i', double of 'd' (NAN: nothing), text of 's' (NULL: nothing; must stay until the query is
 * begun anew or freed). */
void lp_query_begin(LpQuery *self, const char *types, ...);
/** Goes to the next row. @out_any: whether there is one. Errors: LP_INPUT_ERROR_FILE. */
gboolean lp_query_next(LpQuery *self, gboolean *out_any, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Runs it to its end. Errors: LP_INPUT_ERROR_FILE. */
gboolean lp_query_finish(LpQuery *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Column @index of the row, from 0; nothing is 0, or NULL of texts. */
gint64 lp_query_count(const LpQuery *self, guint index);
/** Borrowed until the query goes on. */
const char *lp_query_text(const LpQuery *self, guint index);

G_END_DECLS
