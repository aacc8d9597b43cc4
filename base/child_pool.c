/* SPDX-License-Identifier: Apache-2.0 */
/* Children in slots: whoever ends makes room for the next task. */
#include "base/child_pool.h"

/* Between two looks at what running tasks tell, ms. */
#define PAUSE_MS 200

typedef struct {
    const LpChildPool *pool;    /* borrowed */
    const LpChildTask *tasks;   /* borrowed */
    guint n, n_started, n_done; /* n: that are to run, fewer once the pool is over */
    LpChildProcess **children;  /* owned, of the owned: by slot, NULL for idle ones */
    guint *of_slot;             /* owned: the task that runs in it */
    double n_told;              /* what was told last: it never goes back */
} Slots;

static void
slots_clear(Slots *self)
{
    for (guint i = 0; i < self->pool->n_at_once; i++)
        lp_child_process_free(self->children[i]);
    g_free(self->children);
    g_free(self->of_slot);
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

static gboolean
collect(Slots *self, guint64 *io_peak_rss_bytes, GError **error)
{
    for (guint i = 0; i < self->pool->n_at_once; i++) {
        if (self->children[i] == NULL || !lp_child_process_has_ended(self->children[i]))
            continue;
        const LpChildTask *task = &self->tasks[self->of_slot[i]];
        if (!lp_child_process_finish(g_steal_pointer(&self->children[i]), task->out_result,
                                     task->size_bytes, io_peak_rss_bytes, error))
            return FALSE;
        self->n_done++;
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
    if (self->progress != NULL)
        self->progress(slots.n, slots.n, self->progress_data);
    return TRUE;
}
