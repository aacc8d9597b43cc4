/* SPDX-License-Identifier: Apache-2.0 */
/* SQLite's calls, and its messages as errors of ours. */
#include "study/database.h"

#include "base/error.h"

#include <math.h>
#include <sqlite3.h>
#include <stdarg.h>

/* How long another process may take for a transaction, ms: it may enter ten million points. */
#define PATIENCE_MS 1800000

struct LpDatabase {
    char *path;    /* owned */
    sqlite3 *file; /* owned */
};

struct LpQuery {
    LpDatabase *database;    /* borrowed */
    sqlite3_stmt *statement; /* owned */
};

static gboolean
fail(const LpDatabase *self, GError **error)
{
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_FILE,
                "%s: got \"%s\" from SQLite, wanted a store that can be read and written",
                self->path, sqlite3_errmsg(self->file));
    return FALSE;
}

LpDatabase *
lp_database_open(const char *path, gboolean create, GError **error)
{
    g_autoptr(LpDatabase) self = g_new0(LpDatabase, 1);
    self->path = g_strdup(path);
    int flags = SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0);
    if (sqlite3_open_v2(path, &self->file, flags, NULL) != SQLITE_OK) {
        fail(self, error);
        return NULL;
    }
    sqlite3_busy_timeout(self->file, PATIENCE_MS);
    return g_steal_pointer(&self);
}

void
lp_database_free(LpDatabase *self)
{
    if (self == NULL)
        return;
    sqlite3_close(self->file);
    g_free(self->path);
    g_free(self);
}

const char *
lp_database_path(const LpDatabase *self)
{
    return self->path;
}

gboolean
lp_database_run(LpDatabase *self, const char *sql, GError **error)
{
    return sqlite3_exec(self->file, sql, NULL, NULL, NULL) == SQLITE_OK || fail(self, error);
}

gboolean
lp_database_end(LpDatabase *self, gboolean good, GError **error)
{
    if (good && lp_database_run(self, "COMMIT", error))
        return TRUE;
    /* Some errors have rolled it back already. */
    (void)sqlite3_exec(self->file, "ROLLBACK", NULL, NULL, NULL);
    return FALSE;
}

gboolean
lp_database_count(LpDatabase *self, const char *sql, gint64 *out_count, GError **error)
{
    gboolean any = FALSE;
    g_autoptr(LpQuery) query = lp_query_new(self, sql, error);
    if (query == NULL || !lp_query_next(query, &any, error))
        return FALSE;
    *out_count = any ? lp_query_count(query, 0) : 0;
    return TRUE;
}

guint64
lp_database_n_changed(const LpDatabase *self)
{
    return (guint64)sqlite3_changes64(self->file);
}

LpQuery *
lp_query_new(LpDatabase *self, const char *sql, GError **error)
{
    g_autoptr(LpQuery) query = g_new0(LpQuery, 1);
    query->database = self;
    if (sqlite3_prepare_v2(self->file, sql, -1, &query->statement, NULL) == SQLITE_OK)
        return g_steal_pointer(&query);
    fail(self, error);
    return NULL;
}

void
lp_query_free(LpQuery *self)
{
    if (self == NULL)
        return;
    sqlite3_finalize(self->statement);
    g_free(self);
}

void
lp_query_begin(LpQuery *self, const char *types, ...)
{
    va_list arguments;
    (void)sqlite3_reset(self->statement);
    (void)sqlite3_clear_bindings(self->statement);
    va_start(arguments, types);
    for (int i = 1; *types != '\0'; i++, types++) {
        if (*types == 'i') {
            (void)sqlite3_bind_int64(self->statement, i, va_arg(arguments, gint64));
        } else if (*types == 'd') {
            double value = va_arg(arguments, double);
            if (!isnan(value))
                (void)sqlite3_bind_double(self->statement, i, value);
        } else {
            const char *text = va_arg(arguments, const char *);
            if (text != NULL)
                (void)sqlite3_bind_text(self->statement, i, text, -1, SQLITE_STATIC);
        }
    }
    va_end(arguments);
}

gboolean
lp_query_next(LpQuery *self, gboolean *out_any, GError **error)
{
    int code = sqlite3_step(self->statement);
    *out_any = code == SQLITE_ROW;
    if (code == SQLITE_ROW || code == SQLITE_DONE)
        return TRUE;
    fail(self->database, error);
    /* An open statement would keep the file locked. */
    (void)sqlite3_reset(self->statement);
    return FALSE;
}

gboolean
lp_query_finish(LpQuery *self, GError **error)
{
    for (gboolean any = TRUE; any;)
        if (!lp_query_next(self, &any, error))
            return FALSE;
    (void)sqlite3_reset(self->statement);
    return TRUE;
}

gint64
lp_query_count(const LpQuery *self, guint index)
{
    return sqlite3_column_int64(self->statement, (int)index);
}

const char *
lp_query_text(const LpQuery *self, guint index)
{
    return (const char *)sqlite3_column_text(self->statement, (int)index);
}
