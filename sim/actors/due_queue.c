/* SPDX-License-Identifier: Apache-2.0 */
/* A binary heap whose items know their places. */
#include "sim/actors/due_queue.h"

/* The parent of place p is p / 2, so that places begin at 1. */
struct LpDueQueue {
    GPtrArray *items; /* owned, of borrowed LpDue: by place less 1 */
};

LpDueQueue *
lp_due_queue_new(void)
{
    LpDueQueue *self = g_new(LpDueQueue, 1);
    self->items = g_ptr_array_new();
    return self;
}

void
lp_due_queue_free(LpDueQueue *self)
{
    if (self == NULL)
        return;
    g_ptr_array_unref(self->items);
    g_free(self);
}

static gboolean
is_before(const LpDue *one, const LpDue *other)
{
    return one->at_s != other->at_s ? one->at_s < other->at_s : one->number < other->number;
}

static LpDue *
item_at(const LpDueQueue *self, guint place)
{
    return self->items->pdata[place - 1];
}

static void
set(LpDueQueue *self, guint place, LpDue *due)
{
    self->items->pdata[place - 1] = due;
    due->place = place;
}

/* Puts @due at @place, which is free, or nearer to the first. */
static void
rise(LpDueQueue *self, guint place, LpDue *due)
{
    for (; place > 1 && is_before(due, item_at(self, place / 2)); place /= 2)
        set(self, place, item_at(self, place / 2));
    set(self, place, due);
}

/* Puts @due at @place, which is free, or farther from the first. */
static void
sink(LpDueQueue *self, guint place, LpDue *due)
{
    guint n = self->items->len;
    for (guint next; (next = 2 * place) <= n; place = next) {
        if (next < n && is_before(item_at(self, next + 1), item_at(self, next)))
            next++;
        if (!is_before(item_at(self, next), due))
            break;
        set(self, place, item_at(self, next));
    }
    set(self, place, due);
}

void
lp_due_queue_put(LpDueQueue *self, LpDue *due)
{
    if (due->place == 0) {
        g_ptr_array_add(self->items, due);
        due->place = self->items->len;
    }
    rise(self, due->place, due);
    sink(self, due->place, due);
}

LpDue *
lp_due_queue_first(const LpDueQueue *self)
{
    return self->items->len == 0 ? NULL : item_at(self, 1);
}

void
lp_due_queue_take_first(LpDueQueue *self)
{
    LpDue *last = g_ptr_array_steal_index(self->items, self->items->len - 1);
    LpDue *first = self->items->len == 0 ? last : item_at(self, 1);
    if (first != last)
        sink(self, 1, last);
    first->place = 0;
}
