/* SPDX-License-Identifier: Apache-2.0 */
/* Merges by digests: numbers of rows are each store's own. */
#include "study/study_merge.h"

#include "base/error.h"
#include "study/study_schema.h"

/* What the other store, attached as "part", has. A point that has ended there and not here takes
 * over state and result; one that has ended here stays. */
static const char merge[] =
    "INSERT OR IGNORE INTO main.study (digest, name, program, n_points, is_whole, axes, records, "
    "xml) "
    "  SELECT digest, name, program, n_points, is_whole, axes, records, xml FROM part.study "
    "  ORDER BY study_id;"
    "UPDATE main.study SET is_whole = 1 WHERE digest IN "
    "  (SELECT digest FROM part.study WHERE is_whole = 1);"
    "INSERT OR IGNORE INTO main.point (digest, program, inputs, state) "
    "  SELECT digest, program, inputs, 'waiting' FROM part.point ORDER BY point_id;"
    "INSERT OR IGNORE INTO main.member (study_id, place, point_id, labels) "
    "  SELECT s.study_id, m.place, p.point_id, m.labels FROM part.member AS m "
    "  JOIN part.study AS ps ON ps.study_id = m.study_id "
    "  JOIN part.point AS pp ON pp.point_id = m.point_id "
    "  JOIN main.study AS s ON s.digest = ps.digest "
    "  JOIN main.point AS p ON p.digest = pp.digest;"
    "INSERT OR REPLACE INTO main.result "
    "  SELECT p.point_id, r.iteration_time_s, r.closed_form_s, r.tokens_per_s, r.mfu, "
    "         r.memory_bytes, r.goodput, r.json, r.message "
    "  FROM part.result AS r JOIN part.point AS pp ON pp.point_id = r.point_id "
    "  JOIN main.point AS p ON p.digest = pp.digest "
    "  WHERE pp.state IN ('done', 'refused') AND p.state NOT IN ('done', 'refused');"
    "UPDATE main.point SET owner = NULL, state = "
    "  (SELECT pp.state FROM part.point AS pp WHERE pp.digest = point.digest) "
    "  WHERE state NOT IN ('done', 'refused') AND digest IN "
    "  (SELECT digest FROM part.point WHERE state IN ('done', 'refused'));";

static gboolean
merge_attached(LpDatabase *database, GError **error)
{
    /* IMMEDIATE would take both stores for writing, and SQLite then leaves a journal of both beside
     * them where the disk is full. The first statement takes the one that is written. */
    return lp_database_run(database, "BEGIN", error) &&
           lp_database_end(database, lp_database_run(database, merge, error), error);
}

gboolean
lp_study_merge(LpStudyStore *store, const char *path, GError **error)
{
    LpDatabase *database = lp_study_store_database(store);
    {
        /* Whether it is a store; it is closed again before it is read. */
        g_autoptr(LpDatabase) part = lp_database_open(path, FALSE, error);
        if (part == NULL || !lp_study_schema_check(part, error))
            return FALSE;
    }
    g_autoptr(LpQuery) attach = lp_query_new(database, "ATTACH ? AS part", error);
    if (attach == NULL)
        return FALSE;
    lp_query_begin(attach, "s", path);
    if (!lp_query_finish(attach, error))
        return FALSE;
    gboolean good = merge_attached(database, error);
    if (!good)
        g_prefix_error(error, "%s into ", path);
    return lp_database_run(database, "DETACH part", good ? error : NULL) && good;
}
