/* SPDX-License-Identifier: Apache-2.0 */
/* Runs children in slots: when a child ends, its slot takes the next task. */
#include "base/child_pool.h"

#include "base/error.h"

/* The time between two looks at the progress of running tasks, ms. */
#define PAUSE_MS 200

typedef struct {
    const LpChildPool *pool;    /* borrowed */
    const LpChildTask *tasks;   /* borrowed */
    guint n, n_started, n_done; /* n: that are to run, fewer once the pool is over */
    LpChildProcess **children;  /* owned, of the owned: by slot, NULL for idle ones */
    guint *of_slot;             /* owned: the task that runs in it */
    double n_told;              /* what was told last: it never goes back */
    GError *error;              /* owned: of the first task in their order that gave one */
    guint failed;               /* that task */
} Slots;

static void
slots_clear(Slots *self)
{
    for (guint i = 0; i < self->pool->n_at_once; i++)
        lp_child_process_free(self->children[i]);
    g_free(self->children);
    g_free(self->of_slot);
    g_clear_error(&self->error);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Slots, slots_clear)

static gboolean
fill(Slots *self, GError **error)
{
    for (guint i = 0; i < self->pool->n_at_once && self->n_started < self->n; i++) {
        const LpChildTask *task = &self->tasks[self->n_started];
        if (self->children[i] != NULL)
            continue;
        if (self->pool->is_over != NULL && self->pool->is_over(self->pool->is_over_data)) {
            self->n = self->n_started;
            return TRUE;
        }
        self->children[i] = lp_child_process_start(self->pool->name, task->work, task->data,
                                                   task->size_bytes, error);
        if (self->children[i] == NULL)
            return FALSE;
        self->of_slot[i] = self->n_started++;
    }
    return TRUE;
}

static void
tell(Slots *self)
{
    double n_done = self->n_done;
    for (guint i = 0; i < self->pool->n_at_once; i++)
        if (self->children[i] != NULL)
            n_done += lp_child_process_share(self->children[i]);
    self->n_told = MAX(self->n_told, MIN(n_done, self->n));
    if (self->pool->progress != NULL && self->n_told < self->n)
        self->pool->progress(self->n_told, self->n, self->pool->progress_data);
}

/* No task begins any more; those that run may be before this one. */
static void
fail(Slots *self, guint task, GError *fault)
{
    self->n = self->n_started;
    if (self->error != NULL && self->failed < task) {
        g_error_free(fault);
        return;
    }
    g_clear_error(&self->error);
    self->error = fault;
    self->failed = task;
}

static gboolean
collect(Slots *self, guint64 *io_peak_rss_bytes, GError **error)
{
    for (guint i = 0; i < self->pool->n_at_once; i++) {
        if (self->children[i] == NULL || !lp_child_process_has_ended(self->children[i]))
            continue;
        const LpChildTask *task = &self->tasks[self->of_slot[i]];
        gboolean left_error = lp_child_process_left_error(self->children[i]);
        GError *fault = NULL;
        self->n_done++;
        if (lp_child_process_finish(g_steal_pointer(&self->children[i]), task->out_result,
                                    task->size_bytes, io_peak_rss_bytes, &fault))
            continue;
        if (!left_error || lp_error_is_shortage(fault)) {
            g_propagate_error(error, fault);
            return FALSE;
        }
        if (task->out_error != NULL)
            *task->out_error = fault;
        else
            fail(self, self->of_slot[i], fault);
    }
    return TRUE;
}

gboolean
lp_child_pool_run(const LpChildPool *self, const LpChildTask *tasks, guint n,
                  guint64 *io_peak_rss_bytes, GError **error)
{
    g_auto(Slots) slots = {.pool = self,
                           .tasks = tasks,
                           .n = n,
                           .children = g_new0(LpChildProcess *, self->n_at_once),
                           .of_slot = g_new0(guint, self->n_at_once)};
    tell(&slots);
    while (slots.n_done < slots.n) {
        if (!fill(&slots, error))
            return FALSE;
        if (slots.n_done < slots.n)
            lp_child_process_wait_any(slots.children, self->n_at_once,
                                      self->progress != NULL ? PAUSE_MS : -1);
        if (!collect(&slots, io_peak_rss_bytes, error))
            return FALSE;
        tell(&slots);
    }
    if (slots.error != NULL) {
        g_propagate_error(error, g_steal_pointer(&slots.error));
        return FALSE;
    }
    if (self->progress != NULL)
        self->progress(slots.n, slots.n, self->progress_data);
    return TRUE;
}
