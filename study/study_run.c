/* SPDX-License-Identifier: Apache-2.0 */
/* A loop of turns: what has ended is stored, what waits is claimed, and idle slots get it. */
#include "study/study_run.h"

#include "base/error.h"
#include "study/study_record.h"

#include <string.h>

/* Between two looks at is_stopped(), and at what others do, ms. */
#define PAUSE_MS 100
/* Turns in which nothing is asked for after a turn that found too little: all of a study is gone
 * through for that. */
#define RESTS 20

typedef struct {
    LpStudyStore *store;
    gint64 number;
    const LpStudy *study;
    const LpStudyRunOptions *options;
    LpChildProcess **children; /* owned, of the owned: by slot, NULL for idle ones */
    LpStudyTask *of_slot;      /* owned, words and all */
    GArray *queue;             /* owned: LpStudyTask, claimed and not begun */
    GArray *results;           /* owned: LpStudyResult, not stored yet */
    guint n_running;
    guint n_rests;        /* turns left in which nothing is asked for */
    LpStudyCounts counts; /* at the beginning */
    guint64 n_ended;      /* since */
} Runner;

static void
clear_result(gpointer data)
{
    LpStudyResult *result = data;
    g_free(result->text);
}

static void
runner_clear(Runner *self)
{
    for (guint i = 0; i < self->options->n_at_once; i++) {
        lp_child_process_free(self->children[i]);
        g_strfreev(self->of_slot[i].words);
    }
    g_free(self->children);
    g_free(self->of_slot);
    if (self->queue != NULL)
        g_array_unref(self->queue);
    g_array_unref(self->results);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Runner, runner_clear)

/* --- one turn --- */

/* Takes the first of the queue. */
static LpStudyTask
take(GArray *queue)
{
    LpStudyTask task = g_array_index(queue, LpStudyTask, 0);
    g_array_index(queue, LpStudyTask, 0).words = NULL;
    g_array_remove_index(queue, 0);
    return task;
}

static gboolean
start(Runner *self, GError **error)
{
    for (guint i = 0; i < self->options->n_at_once && self->queue->len > 0; i++) {
        if (self->children[i] != NULL)
            continue;
        g_clear_pointer(&self->of_slot[i].words, g_strfreev);
        self->of_slot[i] = take(self->queue);
        self->children[i] =
            lp_child_process_start("sweep", self->options->work, self->of_slot[i].words, 0, error);
        if (self->children[i] == NULL)
            return FALSE;
        self->n_running++;
    }
    return TRUE;
}

/* What @child left. */
static LpStudyResult
read_result(const Runner *self, gint64 id, const LpChildProcess *child)
{
    const GByteArray *bytes = lp_child_process_result(child);
    g_autoptr(GError) fault = NULL;
    if (!lp_child_process_check(child, &fault))
        return (LpStudyResult){id,
                               lp_error_is_shortage(fault) ? LP_STUDY_CRASHED : LP_STUDY_REFUSED,
                               g_strdup(fault->message)};
    g_autofree char *text = g_strndup((const char *)bytes->data, bytes->len);
    char *kept = lp_study_record_keep(self->study, text, &fault);
    return kept != NULL ? (LpStudyResult){id, LP_STUDY_DONE, kept}
                        : (LpStudyResult){id, LP_STUDY_REFUSED, g_strdup(fault->message)};
}

static void
collect(Runner *self)
{
    for (guint i = 0; i < self->options->n_at_once; i++) {
        LpChildProcess *child = self->children[i];
        if (child == NULL || !lp_child_process_has_ended(child))
            continue;
        LpStudyResult result = read_result(self, self->of_slot[i].id, child);
        g_array_append_val(self->results, result);
        lp_child_process_free(g_steal_pointer(&self->children[i]));
        self->n_running--;
        self->n_ended++;
    }
}

static void
tell(const Runner *self)
{
    const LpStudyCounts *counts = &self->counts;
    guint64 n_before = counts->n_done + counts->n_refused + counts->n_crashed;
    double n_done = (double)(n_before + self->n_ended);
    for (guint i = 0; i < self->options->n_at_once; i++)
        if (self->children[i] != NULL)
            n_done += lp_child_process_share(self->children[i]);
    if (self->options->progress != NULL)
        self->options->progress(MIN(n_done, (double)counts->n), counts->n,
                                self->options->progress_data);
}

/* Stores what there is, and claims as many points as could begin until the next turn. */
static gboolean
take_turn(Runner *self, gboolean wants_more, GError **error)
{
    guint n_at_once = self->options->n_at_once;
    self->n_rests -= self->n_rests > 0 ? 1 : 0;
    gboolean asks =
        wants_more && self->queue->len < n_at_once && (self->n_rests == 0 || self->n_running == 0);
    guint n_wanted = asks ? 2 * n_at_once - self->queue->len : 0;
    if (n_wanted == 0 && self->results->len == 0)
        return TRUE;
    g_autoptr(GArray) tasks = NULL;
    if (!lp_study_store_exchange(self->store, self->number, self->results, n_wanted, &tasks, error))
        return FALSE;
    g_array_set_size(self->results, 0);
    if (asks && tasks->len < n_wanted)
        self->n_rests = RESTS;
    for (guint i = 0; i < tasks->len; i++) {
        LpStudyTask task = g_array_index(tasks, LpStudyTask, i);
        g_array_index(tasks, LpStudyTask, i).words = NULL;
        g_array_append_val(self->queue, task);
    }
    return TRUE;
}

/* --- all --- */

static void
clear_task(gpointer data)
{
    LpStudyTask *task = data;
    g_strfreev(task->words);
}

/* Whether something is left to wait for: what others run may come back if they end. */
static gboolean
wait_for_others(Runner *self, gboolean *out_any, GError **error)
{
    if (!lp_study_store_is_shared(self->store, self->number, out_any, error))
        return FALSE;
    if (*out_any)
        g_usleep(PAUSE_MS * 1000);
    return TRUE;
}

static gboolean
run_all(Runner *self, gboolean *out_stopped, GError **error)
{
    for (gboolean any = TRUE; any;) {
        *out_stopped = self->options->is_stopped();
        if (!take_turn(self, !*out_stopped, error))
            return FALSE;
        if (*out_stopped)
            return TRUE;
        if (!start(self, error))
            return FALSE;
        if (self->n_running > 0) {
            lp_child_process_wait_any(self->children, self->options->n_at_once, PAUSE_MS);
            collect(self);
            tell(self);
        } else if (!wait_for_others(self, &any, error)) {
            return FALSE;
        }
    }
    return TRUE;
}

gboolean
lp_study_run(LpStudyStore *store, gint64 number, const LpStudy *study,
             const LpStudyRunOptions *options, gboolean *out_stopped, GError **error)
{
    g_auto(Runner) self = {.store = store,
                           .number = number,
                           .study = study,
                           .options = options,
                           .children = g_new0(LpChildProcess *, options->n_at_once),
                           .of_slot = g_new0(LpStudyTask, options->n_at_once),
                           .queue = g_array_new(FALSE, TRUE, sizeof(LpStudyTask)),
                           .results = g_array_new(FALSE, TRUE, sizeof(LpStudyResult))};
    g_array_set_clear_func(self.queue, clear_task);
    g_array_set_clear_func(self.results, clear_result);
    return lp_study_store_count(store, number, &self.counts, error) &&
           run_all(&self, out_stopped, error);
}
