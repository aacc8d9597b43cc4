/* SPDX-License-Identifier: Apache-2.0 */
/* Goes through the steps of one period of a ring. */
#include "sim/analysis/ring_messages.h"

/* Members worked out at a time, so that what is between two passes stays in the nearest cache. */
#define AT_ONCE 512u

static gboolean
repeats(const LpRingMessage *messages, guint64 n, guint64 period)
{
    for (guint64 i = period; i < n; i++) {
        LpRingMessage a = messages[i], b = messages[i - period];
        if (a.long_s > b.long_s || a.long_s < b.long_s || a.short_s > b.short_s ||
            a.short_s < b.short_s)
            return FALSE;
    }
    return TRUE;
}

static guint64
find_period(guint64 n, guint64 bytes, const LpRingMessage *messages)
{
    for (guint64 period = 1; bytes % n == 0 && period < n; period++)
        if (n % period == 0 && repeats(messages, n, period))
            return period;
    return n;
}

guint64
lp_ring_messages_n(LpCollective collective, guint64 n_members, guint64 bytes,
                   const LpRingMessage *messages)
{
    return find_period(n_members, bytes, messages) * lp_ring_n_steps(collective, n_members);
}

/* Times of a period of members. */
typedef struct {
    guint64 n;
    double *at_s;             /* owned: when each has done the steps so far */
    double *long_s, *short_s; /* owned: what its messages take */
    guint64 first, n_long;    /* the members that send longer blocks, round the end */
} Ring;

/* Members from @first on, up to @end, of whom all or none send longer blocks. */
static void
add_part(const Ring *self, const double *cost_s, guint64 first, guint64 end, guint64 from,
         guint64 to, double *out_done_s)
{
    guint64 begin = MAX(first, from), stop = MIN(end, to);
    for (guint64 i = begin; i < stop; i++)
        out_done_s[i - first] = self->at_s[i] + cost_s[i];
}

/* When the messages of members @first to @end have arrived. */
static void
find_done(const Ring *self, guint64 first, guint64 end, double *out_done_s)
{
    guint64 last = self->first + self->n_long, wrapped = last > self->n ? last - self->n : 0;
    guint64 stop = MIN(last, self->n);
    add_part(self, self->long_s, first, end, 0, wrapped, out_done_s);
    add_part(self, self->short_s, first, end, wrapped, self->first, out_done_s);
    add_part(self, self->long_s, first, end, self->first, stop, out_done_s);
    add_part(self, self->short_s, first, end, stop, self->n, out_done_s);
}

static void
do_step(Ring *self)
{
    double done_s[AT_ONCE + 1];
    find_done(self, self->n - 1, self->n, done_s);
    for (guint64 first = 0; first < self->n; first += AT_ONCE) {
        guint64 end = MIN(first + AT_ONCE, self->n), n = end - first;
        find_done(self, first, end, done_s + 1);
        for (guint64 i = 0; i < n; i++)
            self->at_s[first + i] = MAX(done_s[i + 1], done_s[i]);
        done_s[0] = done_s[n];
    }
}

double
lp_ring_messages_time_s(LpCollective collective, guint64 n_members, guint64 bytes,
                        const LpRingMessage *messages)
{
    Ring ring = {.n = find_period(n_members, bytes, messages)};
    ring.at_s = g_new0(double, ring.n);
    ring.long_s = g_new(double, ring.n);
    ring.short_s = g_new(double, ring.n);
    for (guint64 i = 0; i < ring.n; i++) {
        ring.long_s[i] = messages[i].long_s;
        ring.short_s[i] = messages[i].short_s;
    }
    guint64 n_steps = lp_ring_n_steps(collective, n_members);
    for (guint64 step = 0; step < n_steps; step++) {
        /* Member i sends the block of member 0, i further on; the first blocks are longer. */
        guint64 own = lp_ring_block(collective, n_members, 0, step);
        ring.first = (n_members - own) % n_members % ring.n;
        ring.n_long = bytes % n_members;
        do_step(&ring);
    }
    double last_s = 0.0;
    for (guint64 i = 0; i < ring.n; i++)
        last_s = MAX(last_s, ring.at_s[i]);
    g_free(ring.at_s);
    g_free(ring.long_s);
    g_free(ring.short_s);
    return last_s;
}
