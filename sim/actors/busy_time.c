/* SPDX-License-Identifier: Apache-2.0 */
/* A union of spans: the last is drawn out while it can be, the others are put in order now and
 * then.
 */
#include "sim/actors/busy_time.h"

typedef struct {
    double start_s, end_s;
} Span;

static Span *
span_at(const LpBusyTime *self, guint i)
{
    return &g_array_index(self->spans, Span, i);
}

void
lp_busy_time_clear(LpBusyTime *self)
{
    g_clear_pointer(&self->spans, g_array_unref);
    *self = (LpBusyTime){.is_full = FALSE};
}

static gint
compare(gconstpointer a, gconstpointer b)
{
    const Span *one = a, *other = b;
    return one->start_s < other->start_s ? -1 : one->start_s > other->start_s;
}

/* Puts all in order; those that touch become one. */
static void
settle(LpBusyTime *self)
{
    if (self->spans == NULL)
        return;
    g_array_sort(self->spans, compare);
    guint n = 0;
    for (guint i = 1; i < self->spans->len; i++) {
        Span *last = span_at(self, n), next = *span_at(self, i);
        if (next.start_s <= last->end_s)
            last->end_s = MAX(last->end_s, next.end_s);
        else
            *span_at(self, ++n) = next;
    }
    g_array_set_size(self->spans, n + 1);
}

void
lp_busy_time_add(LpBusyTime *self, double start_s, double end_s)
{
    if (self->is_full)
        return;
    if (self->spans == NULL)
        self->spans = g_array_new(FALSE, FALSE, sizeof(Span));
    if (self->spans->len > 0) {
        Span *last = span_at(self, self->spans->len - 1);
        if (start_s >= last->start_s && start_s <= last->end_s) {
            last->end_s = MAX(last->end_s, end_s);
            return;
        }
    }
    if (self->spans->len >= 2 * LP_BUSY_TIME_SPANS_MAX) {
        settle(self);
        self->is_full = self->spans->len > LP_BUSY_TIME_SPANS_MAX;
    }
    Span span = {start_s, end_s};
    g_array_append_val(self->spans, span);
}

void
lp_busy_time_merge(LpBusyTime *self, const LpBusyTime *other)
{
    for (guint i = 0; other->spans != NULL && i < other->spans->len; i++)
        lp_busy_time_add(self, span_at(other, i)->start_s, span_at(other, i)->end_s);
    self->is_full = self->is_full || other->is_full;
}

double
lp_busy_time_s(LpBusyTime *self)
{
    double sum_s = 0.0;
    if (self->is_full)
        return -1.0;
    settle(self);
    for (guint i = 0; self->spans != NULL && i < self->spans->len; i++)
        sum_s += span_at(self, i)->end_s - span_at(self, i)->start_s;
    return sum_s;
}
