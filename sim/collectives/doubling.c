/* SPDX-License-Identifier: Apache-2.0 */
/* Recursive doubling: at step k members 2^k apart swap all that they have. (Thakur, Rabenseifner
 * and Gropp, Int. J. High Perf. Comp. Appl. 19, 2005.) Of an all-gather that is the
 * second half of recursive halving and doubling. */
#include "sim/collectives/algorithm.h"
#include "sim/collectives/fold.h"

static gboolean
is_gather(const LpStepSchedule *self)
{
    return self->shape.collective == LP_COLLECTIVE_ALL_GATHER;
}

static void
init(LpStepSchedule *self, guint64 largest_bytes)
{
    if (is_gather(self)) {
        lp_halving_class.init(self, largest_bytes);
        return;
    }
    self->shape.root = 0;
    lp_fold_init(self);
    self->n_steps = self->n_doublings + (lp_fold_excess(self) > 0 ? 2 : 0);
}

/* The one whom @member swaps with, or @member where it waits. */
static guint64
partner_of(const LpStepSchedule *self, guint64 member, guint64 step)
{
    LpFold fold = lp_fold_of(self, member);
    guint64 first = lp_fold_excess(self) > 0 ? 1 : 0;
    if (step < first || step >= first + self->n_doublings)
        return fold.is_pair ? lp_fold_member(self, fold.core, !fold.folded) : member;
    if (fold.folded)
        return member;
    return lp_fold_member(self, fold.core ^ ((guint64)1 << (step - first)), FALSE);
}

static void
visit(const LpStepSchedule *self, guint64 member, guint64 step, LpSink *sink)
{
    if (is_gather(self)) {
        lp_halving_class.visit(self, member, step, sink);
        return;
    }
    guint64 to = partner_of(self, member, step);
    gboolean folds = lp_fold_excess(self) > 0;
    gboolean before = folds && step == 0, after = folds && step + 1 == self->n_steps;
    gboolean folded = lp_fold_of(self, member).folded;
    if (to != member && (!before || folded) && (!after || !folded))
        lp_sink_add(sink, to, 0, self->shape.bytes, !after);
}

static void
sources(const LpStepSchedule *self, guint64 member, guint64 step, LpSources *out_sources)
{
    if (is_gather(self))
        lp_halving_class.sources(self, member, step, out_sources);
    else
        lp_sources_add(out_sources, partner_of(self, member, step));
}

static guint64
total_bytes(const LpStepSchedule *self)
{
    if (is_gather(self))
        return lp_halving_class.total_bytes(self);
    return (self->n_core * self->n_doublings + 2 * lp_fold_excess(self)) * self->shape.bytes;
}

const LpAlgorithmClass lp_doubling_class = {
    .init = init, .visit = visit, .sources = sources, .total_bytes = total_bytes};
