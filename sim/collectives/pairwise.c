/* SPDX-License-Identifier: Apache-2.0 */
/* Pairwise exchange: at each of n - 1 steps a member sends another one its block. Among a power of
 * two members swap, else blocks go to the one that many members up. (Thakur, Rabenseifner and
 * Gropp, Int. J. High Perf. Comp. Appl. 19, 2005.) */
#include "sim/collectives/algorithm.h"
#include "sim/collectives/exchange.h"

static void
init(LpStepSchedule *self, guint64 largest_bytes)
{
    (void)largest_bytes;
    guint64 half = self->shape.n_members - 1;
    self->n_steps = self->shape.collective == LP_COLLECTIVE_ALL_REDUCE ? 2 * half : half;
}

static guint64
distance_of(const LpStepSchedule *self, guint64 step)
{
    return step % (self->shape.n_members - 1) + 1;
}

static gboolean
swaps(const LpStepSchedule *self)
{
    return (self->shape.n_members & (self->shape.n_members - 1)) == 0;
}

static void
visit(const LpStepSchedule *self, guint64 member, guint64 step, LpSink *sink)
{
    guint64 n = self->shape.n_members, distance = distance_of(self, step);
    guint64 to = swaps(self) ? member ^ distance : (member + distance) % n;
    gboolean gathers = self->shape.collective == LP_COLLECTIVE_ALL_GATHER || step >= n - 1;
    if (self->shape.collective == LP_COLLECTIVE_ALL_TO_ALL)
        lp_exchange_visit_pair(self, member, to, to, sink);
    else
        lp_sink_add_blocks(sink, to, &self->blocks, 0, gathers ? member : to, 1, !gathers);
}

static void
sources(const LpStepSchedule *self, guint64 member, guint64 step, LpSources *out_sources)
{
    guint64 n = self->shape.n_members, distance = distance_of(self, step);
    lp_sources_add(out_sources, swaps(self) ? member ^ distance : (member + n - distance) % n);
}

const LpAlgorithmClass lp_pairwise_class = {
    .init = init, .visit = visit, .sources = sources, .total_bytes = lp_least_total_bytes};
