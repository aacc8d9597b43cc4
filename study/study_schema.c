/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a store, and how its file is written. */
#include "study/study_schema.h"

#include "base/error.h"

#define TEXT_OF(macro) TEXT_OF_ITSELF(macro)
#define TEXT_OF_ITSELF(text) #text

/* "LPSW", in the file's header. */
#define APPLICATION "1280332631"

/* A journal that is rolled back, not a log that is written ahead: the store then is one file, which
 * can be copied and lie on a network's disk, where the log's shared memory does not work. EXTRA
 * syncs the folder, too, so that what a power cut leaves has each transaction that was ended. */
static const char settings[] = "PRAGMA journal_mode = DELETE; PRAGMA synchronous = EXTRA;"
                               "PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;";

static const char tables[] =
    "CREATE TABLE study ("
    "  study_id INTEGER PRIMARY KEY,"
    "  digest TEXT NOT NULL UNIQUE,"
    "  name TEXT NOT NULL,"
    "  program TEXT NOT NULL,"
    "  n_points INTEGER NOT NULL,"
    "  is_whole INTEGER NOT NULL,"
    "  axes TEXT NOT NULL,"
    "  records TEXT NOT NULL,"
    "  xml TEXT NOT NULL,"
    "  slurm_job TEXT);"
    "CREATE TABLE point ("
    "  point_id INTEGER PRIMARY KEY,"
    "  digest TEXT NOT NULL UNIQUE,"
    "  program TEXT NOT NULL,"
    "  inputs TEXT NOT NULL,"
    "  state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'refused', 'crashed')),"
    "  owner INTEGER);"
    "CREATE INDEX point_owner ON point (owner) WHERE state = 'running';"
    "CREATE TABLE member ("
    "  study_id INTEGER NOT NULL REFERENCES study,"
    "  place INTEGER NOT NULL,"
    "  point_id INTEGER NOT NULL REFERENCES point,"
    "  labels TEXT NOT NULL,"
    "  PRIMARY KEY (study_id, place)) WITHOUT ROWID;"
    "CREATE TABLE result ("
    "  point_id INTEGER PRIMARY KEY REFERENCES point,"
    "  iteration_time_s REAL,"
    "  closed_form_s REAL,"
    "  tokens_per_s REAL,"
    "  mfu REAL,"
    "  memory_bytes REAL,"
    "  goodput REAL,"
    "  json TEXT,"
    "  message TEXT);"
    "PRAGMA application_id = " APPLICATION ";"
    "PRAGMA user_version = " TEXT_OF(LP_STUDY_SCHEMA_VERSION) ";";

static gboolean
refuse(const LpDatabase *database, GError **error, const char *got)
{
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_FILE,
                "%s: got %s, wanted a store that this version of \"lightpath sweep\" wrote",
                lp_database_path(database), got);
    return FALSE;
}

/* Makes or checks the tables in a transaction, since two processes may find the same file empty. */
static gboolean
make_or_check(LpDatabase *database, gboolean make, GError **error)
{
    gint64 application, version, n_tables;
    if (!lp_database_count(database, "PRAGMA application_id", &application, error) ||
        !lp_database_count(database, "PRAGMA user_version", &version, error) ||
        !lp_database_count(database, "SELECT count(*) FROM sqlite_schema", &n_tables, error))
        return FALSE;
    if (make && application == 0 && version == 0 && n_tables == 0)
        return lp_database_run(database, tables, error);
    if (application != g_ascii_strtoll(APPLICATION, NULL, 10))
        return refuse(database, error, "a database of something else");
    g_autofree char *got = g_strdup_printf("version %" G_GINT64_FORMAT " of its tables", version);
    return version == LP_STUDY_SCHEMA_VERSION || refuse(database, error, got);
}

gboolean
lp_study_schema_prepare(LpDatabase *database, GError **error)
{
    return lp_database_run(database, settings, error) &&
           lp_database_run(database, "BEGIN IMMEDIATE", error) &&
           lp_database_end(database, make_or_check(database, TRUE, error), error);
}

gboolean
lp_study_schema_check(LpDatabase *database, GError **error)
{
    return make_or_check(database, FALSE, error);
}
