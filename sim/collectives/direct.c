/* SPDX-License-Identifier: Apache-2.0 */
/* Everything to everyone at once: one step, or two for an all-reduce, whose halves follow each
 * other. */
#include "sim/collectives/algorithm.h"
#include "sim/collectives/exchange.h"

static void
init(LpStepSchedule *self, guint64 largest_bytes)
{
    (void)largest_bytes;
    guint64 steps = self->shape.collective == LP_COLLECTIVE_ALL_REDUCE ? 2 : 1;
    self->n_steps = self->shape.n_members > 1 ? steps : 0;
}

static guint64
sends_max(const LpStepSchedule *self)
{
    return MAX(self->shape.n_members, 2) - 1;
}

static gboolean
gathers(const LpStepSchedule *self, guint64 step)
{
    return self->shape.collective == LP_COLLECTIVE_ALL_GATHER || step > 0;
}

static void
add_piece(const LpStepSchedule *self, guint64 member, guint64 to, guint64 step, LpSink *sink)
{
    guint64 bytes = self->shape.bytes;
    switch (self->shape.collective) {
    case LP_COLLECTIVE_ALL_TO_ALL:
        lp_exchange_visit_pair(self, member, to, to, sink);
        return;
    case LP_COLLECTIVE_BROADCAST:
        lp_sink_add(sink, to, 0, member == self->shape.root ? bytes : 0, FALSE);
        return;
    case LP_COLLECTIVE_REDUCE:
        lp_sink_add(sink, to, 0, to == self->shape.root ? bytes : 0, TRUE);
        return;
    case LP_COLLECTIVE_SEND:
        lp_sink_add(sink, to, 0, member == 0 ? bytes : 0, FALSE);
        return;
    case LP_COLLECTIVE_BARRIER:
        lp_sink_add(sink, to, 0, bytes, TRUE);
        return;
    default:
        lp_sink_add_blocks(sink, to, &self->blocks, 0, gathers(self, step) ? member : to, 1,
                           !gathers(self, step));
    }
}

/* Visits the peers from the next member on, so that not all members begin with the same one. */
static void
visit(const LpStepSchedule *self, guint64 member, guint64 step, LpSink *sink)
{
    guint64 n = self->shape.n_members;
    sink->grouped = TRUE;
    for (guint64 distance = 1; distance < n; distance++)
        add_piece(self, member, (member + distance) % n, step, sink);
    sink->grouped = FALSE;
}

static guint64
n_receives(const LpStepSchedule *self, guint64 member, guint64 step)
{
    guint64 n = self->shape.n_members, received = 0;
    LpSink sink = lp_sink_plain();
    for (guint64 from = 0; from < n; from++) {
        guint64 before = sink.bytes;
        if (from != member)
            add_piece(self, from, member, step, &sink);
        received += sink.bytes > before ? 1 : 0;
    }
    return received;
}

static guint64
total_bytes(const LpStepSchedule *self)
{
    guint64 least = lp_least_total_bytes(self);
    return self->shape.collective == LP_COLLECTIVE_BARRIER ? self->shape.n_members * least : least;
}

const LpAlgorithmClass lp_direct_class = {.init = init,
                                          .sends_max = sends_max,
                                          .visit = visit,
                                          .n_receives = n_receives,
                                          .total_bytes = total_bytes};
