/* SPDX-License-Identifier: Apache-2.0 */
/* Bruck's algorithms: any number of members in ceil(log2 n) steps. (Bruck, Ho, Kipnis, Upfal and
 * Weathersby, IEEE Trans. Parallel Distrib. Syst. 8(11), 1997.)
 *
 * All-gather: at step k a member sends all the blocks that it has, at most as many as are missing,
 * 2^k members down. A reduce-scatter is that backwards. All-to-all: a block that has d members to
 * go takes a hop of 2^k for each bit k of d. Barrier: word goes 2^k members up (dissemination:
 * Hensgen, Finkel and Manber, Int. J. Parallel Prog. 17, 1988). */
#include "sim/collectives/algorithm.h"
#include "sim/collectives/exchange.h"

static guint64
n_hops(const LpStepSchedule *self)
{
    return g_bit_storage(self->shape.n_members - 1);
}

static void
init(LpStepSchedule *self, guint64 largest_bytes)
{
    (void)largest_bytes;
    guint64 hops = self->shape.n_members > 1 ? n_hops(self) : 0;
    self->n_steps = self->shape.collective == LP_COLLECTIVE_ALL_REDUCE ? 2 * hops : hops;
}

static gboolean
gathers(const LpStepSchedule *self, guint64 step)
{
    return self->shape.collective == LP_COLLECTIVE_ALL_GATHER ||
           (self->shape.collective == LP_COLLECTIVE_ALL_REDUCE && step >= n_hops(self));
}

/* How far a step's messages go: a reduce-scatter's the farthest first. */
static guint64
hop_of(const LpStepSchedule *self, guint64 step)
{
    gboolean scatters = self->shape.collective == LP_COLLECTIVE_REDUCE_SCATTER ||
                        self->shape.collective == LP_COLLECTIVE_ALL_REDUCE;
    guint64 k = step;
    if (scatters)
        k = step < n_hops(self) ? n_hops(self) - 1 - step : step - n_hops(self);
    return (guint64)1 << k;
}

/* All blocks with the hop still to go that have come here: those of sources less hops away. */
static void
visit_pairs(const LpStepSchedule *self, guint64 member, guint64 hop, LpSink *sink)
{
    guint64 n = self->shape.n_members;
    for (guint64 distance = hop; distance < n; distance++) {
        if ((distance & hop) == 0)
            continue;
        guint64 from = (member + n - distance % hop) % n;
        lp_exchange_visit_pair(self, from, (from + distance) % n, (member + hop) % n, sink);
    }
}

static void
visit(const LpStepSchedule *self, guint64 member, guint64 step, LpSink *sink)
{
    guint64 n = self->shape.n_members, hop = hop_of(self, step);
    guint64 up = (member + hop) % n, down = (member + n - hop) % n;
    guint64 count = MIN(hop, n - hop);
    if (self->shape.collective == LP_COLLECTIVE_ALL_TO_ALL)
        visit_pairs(self, member, hop, sink);
    else if (self->shape.collective == LP_COLLECTIVE_BARRIER)
        lp_sink_add(sink, up, 0, self->shape.bytes, TRUE);
    else if (gathers(self, step))
        lp_sink_add_blocks(sink, down, &self->blocks, 0, member, count, FALSE);
    else
        lp_sink_add_blocks(sink, up, &self->blocks, 0, up, count, TRUE);
}

static void
sources(const LpStepSchedule *self, guint64 member, guint64 step, LpSources *out_sources)
{
    guint64 n = self->shape.n_members, hop = hop_of(self, step);
    lp_sources_add(out_sources, (gathers(self, step) ? member + hop : member + n - hop) % n);
}

static guint64
total_bytes(const LpStepSchedule *self)
{
    if (self->shape.collective == LP_COLLECTIVE_BARRIER)
        return self->shape.n_members * self->n_steps * self->shape.bytes;
    if (self->shape.collective != LP_COLLECTIVE_ALL_TO_ALL)
        return lp_least_total_bytes(self);
    LpSink sink = lp_sink_plain();
    for (guint64 member = 0; member < self->shape.n_members; member++)
        for (guint64 step = 0; step < self->n_steps; step++)
            visit(self, member, step, &sink);
    return sink.bytes;
}

const LpAlgorithmClass lp_bruck_class = {
    .init = init, .visit = visit, .sources = sources, .total_bytes = total_bytes};
