/* SPDX-License-Identifier: Apache-2.0 */
/* An all-to-all among all ports of a torus, as what crosses its links.
 *
 * Every port has data for every other one under way all the time, each on its way link by link, and
 * none waits for others: so each link carries what its pairs have for each other, from beginning to
 * end. A flow from each port to each neighbour stands for it, 2 d flows a port in place of one for
 * each pair, and the exchange takes as long as the busiest link. */
#include "sim/collectives/algorithm.h"

#include <math.h>

static void
init(LpStepSchedule *self, guint64 largest_bytes)
{
    (void)largest_bytes;
    self->n_steps = self->shape.n_members > 1 ? 1 : 0;
}

static guint64
sends_max(const LpStepSchedule *self)
{
    return 2 * (guint64)self->shape.ways->torus->n_dimensions;
}

/* Blocks are equal but for a byte. */
static void
visit(const LpStepSchedule *self, guint64 member, guint64 step, LpSink *sink)
{
    (void)step;
    const LpTorusPaths *ways = self->shape.ways;
    double block_bytes = (double)self->shape.bytes / (double)self->shape.n_members;
    for (guint32 d = 0; d < ways->torus->n_dimensions; d++)
        for (guint32 down = 0; down < 2; down++) {
            guint64 n_pairs = ways->crossings[(member * ways->torus->n_dimensions + d) * 2 + down];
            guint64 to = lp_torus_neighbour(ways->torus, member, d, down == 0);
            lp_sink_add(sink, to, 0, (guint64)llround((double)n_pairs * block_bytes), FALSE);
        }
}

static void
sources(const LpStepSchedule *self, guint64 member, guint64 step, LpSources *out_sources)
{
    (void)step;
    const LpTorus *torus = self->shape.ways->torus;
    for (guint32 d = 0; d < torus->n_dimensions; d++)
        for (guint32 down = 0; down < 2; down++)
            lp_sources_add(out_sources, lp_torus_neighbour(torus, member, d, down == 0));
}

static guint64
n_phases(const LpStepSchedule *self)
{
    return self->n_steps;
}

/* The last byte of the farthest pair crosses every link of its way. */
static LpStepPhase
phase(const LpStepSchedule *self, guint64 index)
{
    (void)index;
    const LpTorus *torus = self->shape.ways->torus;
    guint64 farthest = 0;
    for (guint64 port = 0; port < self->shape.n_members; port++)
        farthest = MAX(farthest, lp_torus_hops(torus, 0, port));
    LpStepPhase all = {.first_step = 0, .n_steps = 1, .n_latencies = farthest};
    return all;
}

const LpAlgorithmClass lp_torus_exchange_class = {.init = init,
                                                  .sends_max = sends_max,
                                                  .visit = visit,
                                                  .visit_phase = visit,
                                                  .sources = sources,
                                                  .n_phases = n_phases,
                                                  .phase = phase};
