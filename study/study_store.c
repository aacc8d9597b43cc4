/* SPDX-License-Identifier: Apache-2.0 */
/* Studies, points, claims and results in their tables. */
#include "study/study_store.h"

#include "base/json.h"
#include "study/study_owner.h"
#include "study/study_schema.h"

#include <math.h>
#include <string.h>

static const char *const state_names[] = {"done", "refused", "crashed"};

struct LpStudyStore {
    LpDatabase *database; /* owned */
    LpStudyOwnership own;
    gint64 next_place;                                /* where points that wait may be */
    LpQuery *find_waiting, *claim, *end, *add_result; /* owned; NULL until they are needed */
};

/* --- opening --- */

/* What is claimed by @owner, which does not live, is to be run. */
static gboolean
release(LpStudyStore *self, gint64 owner, GError **error)
{
    g_autoptr(LpQuery) query = lp_query_new(self->database,
                                            "UPDATE point SET state = 'waiting', owner = NULL "
                                            "WHERE state = 'running' AND owner = ?",
                                            error);
    if (query == NULL)
        return FALSE;
    lp_query_begin(query, "i", owner);
    return lp_query_finish(query, error);
}

/* Releases the points of dead processes, in a transaction, so that nobody claims a point in
 * between. */
static gboolean
release_dead(LpStudyStore *self, GError **error)
{
    g_autoptr(GArray) dead = g_array_new(FALSE, FALSE, sizeof(gint64));
    g_autoptr(LpQuery) query = lp_query_new(
        self->database, "SELECT DISTINCT owner FROM point WHERE state = 'running'", error);
    for (gboolean any = query != NULL; any;) {
        if (!lp_query_next(query, &any, error))
            return FALSE;
        gint64 owner = any ? lp_query_count(query, 0) : self->own.slot;
        if (owner != self->own.slot && !lp_study_owner_lives(&self->own, owner))
            g_array_append_val(dead, owner);
    }
    gboolean good = query != NULL;
    for (guint i = 0; good && i < dead->len; i++)
        good = release(self, g_array_index(dead, gint64, i), error);
    return good;
}

/* What a dead process left that had the place before. */
static gboolean
begin_life(LpStudyStore *self, GError **error)
{
    return lp_database_run(self->database, "BEGIN IMMEDIATE", error) &&
           lp_database_end(self->database, release(self, self->own.slot, error), error);
}

LpStudyStore *
lp_study_store_open(const char *path, GError **error)
{
    g_autoptr(LpStudyStore) self = g_new0(LpStudyStore, 1);
    self->own.file = -1;
    self->database = lp_database_open(path, TRUE, error);
    if (self->database == NULL || !lp_study_schema_prepare(self->database, error) ||
        !lp_study_owner_take(path, &self->own, error) || !begin_life(self, error))
        return NULL;
    return g_steal_pointer(&self);
}

LpStudyStore *
lp_study_store_read(const char *path, GError **error)
{
    g_autoptr(LpStudyStore) self = g_new0(LpStudyStore, 1);
    self->own.file = -1;
    self->database = lp_database_open(path, FALSE, error);
    if (self->database == NULL || !lp_study_schema_check(self->database, error))
        return NULL;
    return g_steal_pointer(&self);
}

void
lp_study_store_free(LpStudyStore *self)
{
    if (self == NULL)
        return;
    if (self->own.file >= 0)
        (void)release(self, self->own.slot, NULL);
    lp_query_free(self->find_waiting);
    lp_query_free(self->claim);
    lp_query_free(self->end);
    lp_query_free(self->add_result);
    lp_database_free(self->database);
    lp_study_owner_leave(&self->own);
    g_free(self);
}

LpDatabase *
lp_study_store_database(LpStudyStore *self)
{
    return self->database;
}

/* --- entering a study --- */

/* A JSON array of @texts. */
static char *
list_text(const char *const *texts)
{
    g_autoptr(json_t) list = json_array();
    for (; *texts != NULL; texts++)
        lp_json_append_text(list, *texts);
    return lp_json_print_line(list);
}

static char *
axes_text(const LpStudy *study)
{
    g_autoptr(json_t) list = json_array();
    for (guint i = 0; i < study->axes->len; i++)
        lp_json_append_text(list, lp_study_axis(study, i)->name);
    return lp_json_print_line(list);
}

static char *
records_text(const LpStudy *study)
{
    g_autoptr(json_t) list = json_array();
    for (guint i = 0; i < study->records->len; i++) {
        json_t *one = lp_json_append_object(list);
        lp_json_set_text(one, "name", lp_study_record(study, i)->name);
        lp_json_set_text(one, "key", lp_study_record(study, i)->key);
    }
    return lp_json_print_line(list);
}

/* @out_id: 0 where the store has no such study. @out_whole: whether all points are in. */
static gboolean
find_study(LpStudyStore *self, const char *digest, gint64 *out_id, gboolean *out_whole,
           GError **error)
{
    gboolean any = FALSE;
    g_autoptr(LpQuery) query = lp_query_new(
        self->database, "SELECT study_id, is_whole FROM study WHERE digest = ?", error);
    if (query == NULL)
        return FALSE;
    lp_query_begin(query, "s", digest);
    if (!lp_query_next(query, &any, error))
        return FALSE;
    *out_id = any ? lp_query_count(query, 0) : 0;
    *out_whole = any && lp_query_count(query, 1) != 0;
    return TRUE;
}

static gboolean
add_study(LpStudyStore *self, const LpStudy *study, LpStudySpace *space, const char *digest,
          const char *program, GError **error)
{
    g_autofree char *axes = axes_text(study), *records = records_text(study);
    g_autoptr(LpQuery) query = lp_query_new(self->database,
                                            "INSERT OR IGNORE INTO study (digest, name, program, "
                                            "n_points, is_whole, axes, records, xml) "
                                            "VALUES (?, ?, ?, ?, 0, ?, ?, ?)",
                                            error);
    if (query == NULL)
        return FALSE;
    lp_query_begin(query, "sssisss", digest, study->name, program,
                   (gint64)lp_study_space_n_points(space), axes, records, study->text);
    return lp_query_finish(query, error);
}

/* Enters the points that @space goes through up to @end. */
static gboolean
add_points(LpStudyStore *self, gint64 study, LpStudySpace *space, guint64 end, const char *program,
           GError **error)
{
    g_autoptr(LpQuery) add_point =
        lp_query_new(self->database,
                     "INSERT OR IGNORE INTO point (digest, program, inputs, state) "
                     "VALUES (?, ?, ?, 'waiting')",
                     error);
    g_autoptr(LpQuery) add_member =
        add_point == NULL ? NULL
                          : lp_query_new(self->database,
                                         "INSERT OR IGNORE INTO member SELECT ?, ?, point_id, ? "
                                         "FROM point WHERE digest = ?",
                                         error);
    g_autoptr(GError) fault = NULL;
    const LpStudyPoint *point = NULL;
    while (add_member != NULL && (point = lp_study_space_next(space, &fault)) != NULL &&
           point->place < end) {
        g_autofree char *inputs = list_text((const char *const *)point->words);
        g_autofree char *labels = list_text(point->labels);
        lp_query_begin(add_point, "sss", point->digest, program, inputs);
        if (!lp_query_finish(add_point, error))
            return FALSE;
        lp_query_begin(add_member, "iiss", study, (gint64)point->place, labels, point->digest);
        if (!lp_query_finish(add_member, error))
            return FALSE;
    }
    if (fault != NULL)
        g_propagate_error(error, g_steal_pointer(&fault));
    return add_member != NULL && (point != NULL || error == NULL || *error == NULL);
}

static gboolean
run_of_study(LpStudyStore *self, const char *sql, gint64 study, GError **error)
{
    g_autoptr(LpQuery) query = lp_query_new(self->database, sql, error);
    if (query == NULL)
        return FALSE;
    lp_query_begin(query, "i", study);
    return lp_query_finish(query, error);
}

static gboolean
enter(LpStudyStore *self, const LpStudy *study, LpStudySpace *space, guint64 first, guint64 end,
      const char *program, gint64 *out_study, GError **error)
{
    gboolean is_whole;
    g_autofree char *digest = lp_study_space_digest(space);
    if (!add_study(self, study, space, digest, program, error) ||
        !find_study(self, digest, out_study, &is_whole, error))
        return FALSE;
    lp_study_space_seek(space, first);
    if (!is_whole && !add_points(self, *out_study, space, end, program, error))
        return FALSE;
    if (first == 0 && end >= lp_study_space_n_points(space) &&
        !run_of_study(self, "UPDATE study SET is_whole = 1 WHERE study_id = ?", *out_study, error))
        return FALSE;
    return run_of_study(self,
                        "UPDATE point SET state = 'waiting' WHERE state = 'crashed' AND point_id "
                        "IN (SELECT point_id FROM member WHERE study_id = ?)",
                        *out_study, error);
}

gboolean
lp_study_store_enter(LpStudyStore *self, const LpStudy *study, LpStudySpace *space, guint64 first,
                     guint64 end, const char *program, gint64 *out_study, GError **error)
{
    self->next_place = 0;
    return lp_database_run(self->database, "BEGIN IMMEDIATE", error) &&
           lp_database_end(self->database,
                           enter(self, study, space, first, end, program, out_study, error), error);
}

/* --- results and claims --- */

static gboolean
prepare(LpStudyStore *self, GError **error)
{
    static const char *const texts[] = {
        "SELECT place, point_id, inputs FROM member JOIN point USING (point_id) WHERE study_id = ? "
        "AND place >= ? AND state = 'waiting' ORDER BY place LIMIT ?",
        "UPDATE point SET state = 'running', owner = ? WHERE point_id = ? AND state = 'waiting'",
        "UPDATE point SET state = ?, owner = NULL WHERE point_id = ? AND state IN ('running', "
        "'waiting', 'crashed')",
        "INSERT OR REPLACE INTO result VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"};
    LpQuery **const queries[] = {&self->find_waiting, &self->claim, &self->end, &self->add_result};
    for (guint i = 0; i < G_N_ELEMENTS(texts); i++)
        if (*queries[i] == NULL &&
            (*queries[i] = lp_query_new(self->database, texts[i], error)) == NULL)
            return FALSE;
    return TRUE;
}

/* A number of a run, wherever its command puts it; NAN: it has none. */
static double
number_of(const json_t *document, const char *object, const char *key)
{
    const json_t *inner = object != NULL ? json_object_get(document, object) : document;
    const json_t *value = json_object_get(inner, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static double
first_known(double one, double other)
{
    return isnan(one) ? other : one;
}

static gboolean
store_result(LpStudyStore *self, const LpStudyResult *result, GError **error)
{
    lp_query_begin(self->end, "si", state_names[result->outcome], result->id);
    if (!lp_query_finish(self->end, error))
        return FALSE;
    /* Another process has run it, too: both results are the same. */
    if (lp_database_n_changed(self->database) == 0)
        return TRUE;
    gboolean is_done = result->outcome == LP_STUDY_DONE;
    g_autoptr(json_t) document =
        is_done ? lp_json_read("result", result->text, strlen(result->text), error) : NULL;
    if (is_done && document == NULL)
        return FALSE;
    lp_query_begin(self->add_result, "iddddddss", result->id,
                   first_known(number_of(document, "simulated", "iteration_time_s"),
                               number_of(document, NULL, "iteration_time_s")),
                   number_of(document, "closed_form", "iteration_time_s"),
                   first_known(number_of(document, "simulated", "tokens_per_s"),
                               number_of(document, "closed_form", "tokens_per_s")),
                   first_known(number_of(document, "simulated", "mfu"),
                               number_of(document, "closed_form", "mfu")),
                   number_of(document, "memory", "total_bytes"),
                   number_of(document, NULL, "goodput"), is_done ? result->text : NULL,
                   is_done ? NULL : result->text);
    return lp_query_finish(self->add_result, error);
}

static void
clear_task(gpointer data)
{
    LpStudyTask *task = data;
    g_strfreev(task->words);
}

static char **
read_words(const char *text, GError **error)
{
    g_autoptr(json_t) list = lp_json_read("inputs", text, strlen(text), error);
    g_autoptr(GStrvBuilder) words = g_strv_builder_new();
    for (gsize i = 0; i < json_array_size(list); i++)
        g_strv_builder_add(words, json_string_value(json_array_get(list, i)));
    return list != NULL ? g_strv_builder_end(words) : NULL;
}

/* Claims points from next_place on, until @tasks has @n_wanted. */
static gboolean
claim(LpStudyStore *self, gint64 study, guint n_wanted, GArray *tasks, GError **error)
{
    g_autoptr(GArray) found = g_array_new(FALSE, TRUE, sizeof(LpStudyTask));
    lp_query_begin(self->find_waiting, "iii", study, self->next_place,
                   (gint64)(n_wanted - tasks->len));
    for (gboolean any = TRUE; any;) {
        if (!lp_query_next(self->find_waiting, &any, error))
            return FALSE;
        LpStudyTask task = {any ? lp_query_count(self->find_waiting, 1) : 0, NULL};
        if (!any)
            continue;
        self->next_place = lp_query_count(self->find_waiting, 0) + 1;
        task.words = read_words(lp_query_text(self->find_waiting, 2), error);
        if (task.words == NULL)
            return FALSE;
        g_array_append_val(tasks, task);
        g_array_append_val(found, task);
    }
    /* Two members may be one point. */
    for (guint i = 0; i < found->len; i++) {
        gint64 id = g_array_index(found, LpStudyTask, i).id;
        lp_query_begin(self->claim, "ii", self->own.slot, id);
        if (!lp_query_finish(self->claim, error))
            return FALSE;
        guint place = tasks->len - found->len + i;
        if (lp_database_n_changed(self->database) == 0) {
            g_array_remove_index(tasks, place);
            g_array_remove_index(found, i--);
        }
    }
    return TRUE;
}

static gboolean
turn(LpStudyStore *self, gint64 study, const GArray *results, guint n_wanted, GArray *tasks,
     GError **error)
{
    for (guint i = 0; i < results->len; i++)
        if (!store_result(self, &g_array_index(results, LpStudyResult, i), error))
            return FALSE;
    if (n_wanted == 0)
        return TRUE;
    if (!claim(self, study, n_wanted, tasks, error))
        return FALSE;
    if (tasks->len == n_wanted)
        return TRUE;
    /* At the end the points that other processes have left are claimed. */
    self->next_place = 0;
    return release_dead(self, error) && claim(self, study, n_wanted, tasks, error);
}

gboolean
lp_study_store_exchange(LpStudyStore *self, gint64 study, const GArray *results, guint n_wanted,
                        GArray **out_tasks, GError **error)
{
    g_autoptr(GArray) tasks = g_array_new(FALSE, TRUE, sizeof(LpStudyTask));
    g_array_set_clear_func(tasks, clear_task);
    if (!prepare(self, error) || !lp_database_run(self->database, "BEGIN IMMEDIATE", error) ||
        !lp_database_end(self->database, turn(self, study, results, n_wanted, tasks, error), error))
        return FALSE;
    *out_tasks = g_steal_pointer(&tasks);
    return TRUE;
}

/* --- how far it is --- */

gboolean
lp_study_store_is_shared(LpStudyStore *self, gint64 study, gboolean *out_is_shared, GError **error)
{
    *out_is_shared = FALSE;
    g_autoptr(LpQuery) query =
        lp_query_new(self->database,
                     "SELECT owner FROM point WHERE state = 'running' AND owner <> ? AND point_id "
                     "IN (SELECT point_id FROM member WHERE study_id = ?)",
                     error);
    if (query == NULL)
        return FALSE;
    lp_query_begin(query, "ii", self->own.slot, study);
    for (gboolean any = TRUE; any;) {
        if (!lp_query_next(query, &any, error))
            return FALSE;
        if (any && lp_study_owner_lives(&self->own, lp_query_count(query, 0)))
            *out_is_shared = TRUE;
    }
    return TRUE;
}

gboolean
lp_study_store_count(LpStudyStore *self, gint64 study, LpStudyCounts *out_counts, GError **error)
{
    g_autoptr(LpQuery) query =
        lp_query_new(self->database,
                     "SELECT state, count(*) FROM member JOIN point USING (point_id) "
                     "WHERE study_id = ? GROUP BY state",
                     error);
    if (query == NULL)
        return FALSE;
    *out_counts = (LpStudyCounts){0};
    guint64 *const counts[] = {&out_counts->n_done, &out_counts->n_refused, &out_counts->n_crashed};
    lp_query_begin(query, "i", study);
    for (gboolean any = TRUE; any;) {
        if (!lp_query_next(query, &any, error))
            return FALSE;
        guint64 n = any ? (guint64)lp_query_count(query, 1) : 0;
        out_counts->n += n;
        for (guint i = 0; any && i < G_N_ELEMENTS(counts); i++)
            if (strcmp(lp_query_text(query, 0), state_names[i]) == 0)
                *counts[i] = n;
    }
    return TRUE;
}
