/* SPDX-License-Identifier: Apache-2.0 */
/* Puts steps in order, and executes them symbolically. */
#include "model/plan/step_list.h"

#include "model/plan/plan.h"

#include <string.h>

static const guint32 collectives = 1u << LP_COLLECTIVE_ALL_REDUCE |
                                   1u << LP_COLLECTIVE_REDUCE_SCATTER |
                                   1u << LP_COLLECTIVE_ALL_GATHER | 1u << LP_COLLECTIVE_ALL_TO_ALL |
                                   1u << LP_COLLECTIVE_BROADCAST | 1u << LP_COLLECTIVE_REDUCE;

gboolean
lp_step_list_can(LpCollective collective)
{
    return (collectives >> collective & 1u) != 0;
}

/* --- in order --- */

static gint
compare(gconstpointer a, gconstpointer b)
{
    const LpListedSend *one = a, *other = b;
    if (one->step != other->step)
        return one->step < other->step ? -1 : 1;
    return one->from == other->from ? 0 : one->from < other->from ? -1 : 1;
}

/* Whether an earlier send of the same member and step goes to the same one. */
static gboolean
is_known(const LpStepList *self, guint32 first, guint32 index)
{
    for (guint32 i = first; i < index; i++)
        if (self->sends[i].to == self->sends[index].to)
            return TRUE;
    return FALSE;
}

static void
count_partners(LpStepList *self)
{
    self->most_partners = 1;
    for (guint64 place = 0; place < (guint64)self->n_steps * self->n_ranks; place++) {
        guint32 n = 0;
        for (guint32 i = self->begin[place]; i < self->begin[place + 1]; i++) {
            if (is_known(self, self->begin[place], i))
                continue;
            self->n_senders[place - self->sends[i].from + self->sends[i].to]++;
            n++;
        }
        self->most_partners = MAX(self->most_partners, n);
    }
}

LpStepList *
lp_step_list_new(const char *name, LpCollective collective, guint32 n_ranks, guint32 n_chunks,
                 guint32 n_steps, GArray *sends)
{
    LpStepList *self = g_new0(LpStepList, 1);
    guint64 n_places = (guint64)n_steps * n_ranks;
    *self = (LpStepList){.name = g_strdup(name),
                         .collective = collective,
                         .n_ranks = n_ranks,
                         .n_chunks = n_chunks,
                         .n_steps = n_steps,
                         .n_sends = sends->len,
                         .begin = g_new0(guint32, n_places + 1),
                         .n_senders = g_new0(guint32, n_places)};
    g_array_sort(sends, compare);
    self->sends = (LpListedSend *)(gpointer)g_array_free(sends, FALSE);
    guint32 at = 0;
    for (guint64 place = 0; place < n_places; place++) {
        self->begin[place] = at;
        while (at < self->n_sends && self->sends[at].step == place / n_ranks &&
               self->sends[at].from == place % n_ranks)
            at++;
    }
    self->begin[n_places] = at;
    count_partners(self);
    return self;
}

void
lp_step_list_free(LpStepList *self)
{
    if (self == NULL)
        return;
    g_free(self->name);
    g_free(self->sends);
    g_free(self->begin);
    g_free(self->n_senders);
    g_free(self);
}

/* --- symbolic execution --- */

/* The data of members: for each chunk, a set of members whose summands, or whose data, it has. */
typedef struct {
    const LpStepList *list; /* borrowed */
    gsize n_words;          /* of a set */
    guint64 *sets;          /* owned, by member and chunk */
    guint32 *touched;       /* owned, by member and chunk: 1 + the last step that wrote it, */
    gboolean *is_replaced;  /* owned, and whether that replaced it */
} State;

static guint64 *
set_of(const State *self, guint32 member, guint32 chunk)
{
    return self->sets + ((gsize)member * self->list->n_chunks + chunk) * self->n_words;
}

static void
add_member(guint64 *set, guint32 member)
{
    set[member / 64] |= (guint64)1 << member % 64;
}

static gboolean
is_empty(const State *self, const guint64 *set)
{
    for (gsize i = 0; i < self->n_words; i++)
        if (set[i] != 0)
            return FALSE;
    return TRUE;
}

static gboolean
overlaps(const State *self, const guint64 *a, const guint64 *b)
{
    for (gsize i = 0; i < self->n_words; i++)
        if ((a[i] & b[i]) != 0)
            return TRUE;
    return FALSE;
}

static gboolean
sums_up(LpCollective collective)
{
    return collective == LP_COLLECTIVE_ALL_REDUCE || collective == LP_COLLECTIVE_REDUCE_SCATTER ||
           collective == LP_COLLECTIVE_REDUCE;
}

/* The member who has the data of @chunk, or of a reduce-scatter gets the sum. */
static guint32
owner_of(const LpStepList *self, guint32 chunk)
{
    switch (self->collective) {
    case LP_COLLECTIVE_ALL_GATHER:
    case LP_COLLECTIVE_REDUCE_SCATTER:
        return chunk / (self->n_chunks / self->n_ranks);
    case LP_COLLECTIVE_ALL_TO_ALL:
        return chunk / self->n_ranks;
    default:
        return 0;
    }
}

static void
init(State *self, const LpStepList *list)
{
    gsize n = (gsize)list->n_ranks * list->n_chunks;
    *self = (State){.list = list, .n_words = (list->n_ranks + 63) / 64};
    self->sets = g_new0(guint64, n * self->n_words);
    self->touched = g_new0(guint32, n);
    self->is_replaced = g_new0(gboolean, n);
    for (guint32 chunk = 0; chunk < list->n_chunks; chunk++)
        for (guint32 member = 0; member < list->n_ranks; member++)
            if (sums_up(list->collective) || member == owner_of(list, chunk))
                add_member(set_of(self, member, chunk), member);
}

static void
clear(State *self)
{
    g_free(self->sets);
    g_free(self->touched);
    g_free(self->is_replaced);
}

static gboolean
fail(const LpListedSend *send, guint32 member, GError **error, const char *problem)
{
    g_set_error(error, LP_MODEL_ERROR, 0, "step %u: member %u: got chunk %u %s", send->step, member,
                send->chunk, problem);
    return FALSE;
}

/* Carries out @send, which carries @carried, at its receiver. */
static gboolean
receive(State *self, const LpListedSend *send, const guint64 *carried, GError **error)
{
    gsize place = (gsize)send->to * self->list->n_chunks + send->chunk;
    guint64 *set = set_of(self, send->to, send->chunk);
    gboolean is_second = self->touched[place] == send->step + 1;
    if (send->sums && !sums_up(self->list->collective))
        return fail(send, send->to, error, "to sum, wanted no sums in an operation without them");
    if (is_second && (!send->sums || self->is_replaced[place]))
        return fail(send, send->to, error, "twice, wanted one message where one replaces it");
    if (send->sums && overlaps(self, set, carried))
        return fail(send, send->to, error, "with a summand that it has already, wanted each once");
    for (gsize i = 0; i < self->n_words; i++)
        set[i] = carried[i] | (send->sums ? set[i] : 0);
    self->touched[place] = send->step + 1;
    self->is_replaced[place] = !send->sums;
    return TRUE;
}

/* Executes @step. Members send what they had before the step. */
static gboolean
execute(State *self, guint32 step, GError **error)
{
    const LpStepList *list = self->list;
    guint32 first = list->begin[(gsize)step * list->n_ranks];
    guint32 end = list->begin[((gsize)step + 1) * list->n_ranks];
    g_autofree guint64 *carried = g_new(guint64, ((gsize)end - first) * self->n_words + 1);
    for (guint32 i = first; i < end; i++) {
        const LpListedSend *send = &list->sends[i];
        const guint64 *set = set_of(self, send->from, send->chunk);
        if (is_empty(self, set))
            return fail(send, send->from, error, "to send, wanted one that has come before");
        memcpy(carried + (i - first) * self->n_words, set, sizeof *set * self->n_words);
    }
    for (guint32 i = first; i < end; i++)
        if (!receive(self, &list->sends[i], carried + (i - first) * self->n_words, error))
            return FALSE;
    return TRUE;
}

/* Whether the operation promises @chunk to @member. */
static gboolean
is_promised(const LpStepList *self, guint32 member, guint32 chunk)
{
    switch (self->collective) {
    case LP_COLLECTIVE_REDUCE_SCATTER:
        return member == owner_of(self, chunk);
    case LP_COLLECTIVE_REDUCE:
        return member == 0;
    case LP_COLLECTIVE_ALL_TO_ALL:
        return member == chunk % self->n_ranks;
    default:
        return TRUE;
    }
}

static gboolean
check_end(const State *self, guint32 member, guint32 chunk, GError **error)
{
    const LpStepList *list = self->list;
    const guint64 *set = set_of(self, member, chunk);
    guint32 n_held = 0;
    for (gsize i = 0; i < self->n_words; i++)
        n_held += (guint32)__builtin_popcountll(set[i]);
    if (sums_up(list->collective) ? n_held == list->n_ranks : n_held == 1)
        return TRUE;
    if (sums_up(list->collective))
        g_set_error(
            error, LP_MODEL_ERROR, 0,
            "after step %u, the last: member %u: got %u summands of chunk %u, wanted all %u",
            MAX(list->n_steps, 1) - 1, member, n_held, chunk, list->n_ranks);
    else
        g_set_error(
            error, LP_MODEL_ERROR, 0,
            "after step %u, the last: member %u: got nothing of chunk %u, wanted member %u's",
            MAX(list->n_steps, 1) - 1, member, chunk, owner_of(list, chunk));
    return FALSE;
}

gboolean
lp_step_list_check(const LpStepList *self, GError **error)
{
    State state;
    gboolean good = TRUE;
    init(&state, self);
    for (guint32 step = 0; good && step < self->n_steps; step++)
        good = execute(&state, step, error);
    for (guint32 member = 0; good && member < self->n_ranks; member++)
        for (guint32 chunk = 0; good && chunk < self->n_chunks; chunk++)
            good = !is_promised(self, member, chunk) || check_end(&state, member, chunk, error);
    clear(&state);
    return good;
}

/* --- several --- */

const LpStepList *
lp_step_lists_find(const LpStepLists *self, LpCollective collective, guint64 n_ranks)
{
    for (guint32 i = 0; i < self->n; i++)
        if (self->lists[i]->collective == collective && self->lists[i]->n_ranks == n_ranks)
            return self->lists[i];
    return NULL;
}

gboolean
lp_step_lists_have(const LpStepLists *self, LpCollective collective)
{
    for (guint32 i = 0; i < self->n; i++)
        if (self->lists[i]->collective == collective)
            return TRUE;
    return FALSE;
}
