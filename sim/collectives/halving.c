/* SPDX-License-Identifier: Apache-2.0 */
/* Recursive halving and doubling. (Rabenseifner, ICCS 2004; Thakur, Rabenseifner and Gropp, Int. J.
 * High Perf. Comp. Appl. 19, 2005.)
 *
 * A power of two of members, the core, stand at positions; a step concerns the half of an aligned
 * range of positions. Halving: swap halves with the position half of the range away, keep the own.
 * Doubling is halving backwards. A broadcast scatters along the same ways before it doubles, a
 * reduce gathers after it has halved. In an all-reduce positions are indices with their bits
 * reversed, so that neighbours swap the most; else they are indices, and blocks lie in order.
 *
 * Members beyond the core (fold.h) leave it their data first and get the result at the end. */
#include "sim/collectives/algorithm.h"
#include "sim/collectives/fold.h"

typedef enum {
    STAGE_FOLD,
    STAGE_SCATTER,
    STAGE_HALVE,
    STAGE_DOUBLE,
    STAGE_GATHER,
    STAGE_UNFOLD
} Stage;

/* Step @k of a stage. */
typedef struct {
    Stage stage;
    guint64 k;
} Moment;

static gboolean
has_blocks(const LpStepSchedule *self)
{
    return self->shape.collective == LP_COLLECTIVE_REDUCE_SCATTER ||
           self->shape.collective == LP_COLLECTIVE_ALL_GATHER;
}

/* Whether all have the result at the end, or data at the beginning, so that pairs must meet. */
static gboolean
folds(const LpStepSchedule *self)
{
    return lp_fold_excess(self) > 0 && self->shape.collective != LP_COLLECTIVE_BROADCAST;
}

static gboolean
unfolds(const LpStepSchedule *self)
{
    return lp_fold_excess(self) > 0 && self->shape.collective != LP_COLLECTIVE_REDUCE;
}

static gboolean
has_half(const LpStepSchedule *self, Stage stage)
{
    LpCollective collective = self->shape.collective;
    switch (stage) {
    case STAGE_SCATTER:
        return collective == LP_COLLECTIVE_BROADCAST;
    case STAGE_HALVE:
        return collective != LP_COLLECTIVE_BROADCAST && collective != LP_COLLECTIVE_ALL_GATHER;
    case STAGE_DOUBLE:
        return collective != LP_COLLECTIVE_REDUCE && collective != LP_COLLECTIVE_REDUCE_SCATTER;
    case STAGE_GATHER:
        return collective == LP_COLLECTIVE_REDUCE;
    default:
        return FALSE;
    }
}

static Moment
moment_of(const LpStepSchedule *self, guint64 step)
{
    if (folds(self)) {
        if (step == 0)
            return (Moment){STAGE_FOLD, 0};
        step--;
    }
    for (Stage stage = STAGE_SCATTER; stage <= STAGE_GATHER; stage++) {
        if (!has_half(self, stage))
            continue;
        if (step < self->n_doublings)
            return (Moment){stage, step};
        step -= self->n_doublings;
    }
    return (Moment){STAGE_UNFOLD, 0};
}

static void
init(LpStepSchedule *self, guint64 largest_bytes)
{
    (void)largest_bytes;
    if (self->shape.collective != LP_COLLECTIVE_BROADCAST &&
        self->shape.collective != LP_COLLECTIVE_REDUCE)
        self->shape.root = 0;
    lp_fold_init(self);
    guint64 halves = has_blocks(self) ? 1 : 2;
    self->n_steps = halves * self->n_doublings + (folds(self) ? 1 : 0) + (unfolds(self) ? 1 : 0);
}

/* --- positions --- */

/* The position of a core member; the function is its own inverse. */
static guint64
position_of(const LpStepSchedule *self, guint64 core)
{
    if (self->shape.collective != LP_COLLECTIVE_ALL_REDUCE)
        return core;
    guint64 reversed = 0;
    for (guint32 bit = 0; bit < self->n_doublings; bit++)
        reversed |= ((core >> bit) & 1) << (self->n_doublings - 1 - bit);
    return reversed;
}

/* The offset of the data of a position. */
static guint64
begin_of(const LpStepSchedule *self, guint64 at)
{
    if (!has_blocks(self)) {
        LpBlocks shares = lp_blocks_of(self->shape.bytes, self->n_core);
        return lp_blocks_begin(&shares, at);
    }
    return lp_blocks_begin(&self->blocks, at + MIN(at, lp_fold_excess(self)));
}

/* Positions that a range at this moment spans. */
static guint64
range_of(const LpStepSchedule *self, Moment moment)
{
    gboolean shrinks = moment.stage == STAGE_SCATTER || moment.stage == STAGE_HALVE;
    return shrinks ? self->n_core >> moment.k : (guint64)2 << moment.k;
}

/* --- steps --- */

static gboolean
is_pairing(Moment moment)
{
    return moment.stage == STAGE_FOLD || moment.stage == STAGE_UNFOLD;
}

/* The only one whom @member may send to, or hear from; @member itself where it waits. */
static guint64
partner_of(const LpStepSchedule *self, guint64 member, Moment moment)
{
    LpFold fold = lp_fold_of(self, member);
    if (is_pairing(moment))
        return fold.is_pair ? lp_fold_member(self, fold.core, !fold.folded) : member;
    if (fold.folded)
        return member;
    guint64 at = position_of(self, fold.core) ^ (range_of(self, moment) / 2);
    return lp_fold_member(self, position_of(self, at), FALSE);
}

static void
visit_pairing(const LpStepSchedule *self, guint64 member, guint64 to, Moment moment, LpSink *sink)
{
    gboolean folded = lp_fold_of(self, member).folded;
    guint64 all = self->shape.bytes, waiting = folded ? member : to;
    guint64 begin = lp_blocks_begin(&self->blocks, waiting);
    guint64 end = lp_blocks_begin(&self->blocks, waiting + 1);
    gboolean gathers = self->shape.collective == LP_COLLECTIVE_ALL_GATHER;
    if (folded != (moment.stage == STAGE_FOLD))
        return;
    if (moment.stage == STAGE_FOLD && !gathers) {
        lp_sink_add(sink, to, 0, all, TRUE);
    } else if (moment.stage == STAGE_FOLD ||
               self->shape.collective == LP_COLLECTIVE_REDUCE_SCATTER) {
        lp_sink_add(sink, to, begin, end - begin, FALSE);
    } else if (gathers) {
        lp_sink_add(sink, to, 0, begin, FALSE);
        lp_sink_add(sink, to, end, all - end, FALSE);
    } else {
        lp_sink_add(sink, to, 0, all, FALSE);
    }
}

static void
visit(const LpStepSchedule *self, guint64 member, guint64 step, LpSink *sink)
{
    Moment moment = moment_of(self, step);
    guint64 to = partner_of(self, member, moment);
    if (to == member)
        return;
    if (is_pairing(moment)) {
        visit_pairing(self, member, to, moment, sink);
        return;
    }
    guint64 at = position_of(self, lp_fold_of(self, member).core);
    guint64 half = range_of(self, moment) / 2, within = at % (2 * half);
    if ((moment.stage == STAGE_SCATTER && within != 0) ||
        (moment.stage == STAGE_GATHER && within != half))
        return;
    /* Who halves or scatters gives away the partner's half; the others send what is their own. */
    gboolean gives = moment.stage == STAGE_SCATTER || moment.stage == STAGE_HALVE;
    guint64 first = (gives ? at ^ half : at) / half * half;
    guint64 begin = begin_of(self, first);
    lp_sink_add(sink, to, begin, begin_of(self, first + half) - begin, moment.stage == STAGE_HALVE);
}

static void
sources(const LpStepSchedule *self, guint64 member, guint64 step, LpSources *out_sources)
{
    lp_sources_add(out_sources, partner_of(self, member, moment_of(self, step)));
}

/* The bytes of all members. Members beyond the core add their data once to it and the result once
 * from it. With blocks, those of the waiting members come second in each pair. */
static guint64
total_bytes(const LpStepSchedule *self)
{
    guint64 excess = lp_fold_excess(self), all = self->shape.bytes;
    guint64 half = (self->n_core - 1) * all, waiting = 0;
    for (guint64 core = 0; has_blocks(self) && core < excess; core++)
        waiting += lp_blocks_bytes(&self->blocks, 2 * core + 1);
    switch (self->shape.collective) {
    case LP_COLLECTIVE_REDUCE_SCATTER:
        return half + excess * all + waiting;
    case LP_COLLECTIVE_ALL_GATHER:
        return half + excess * all; /* a block to the core, all the others back */
    case LP_COLLECTIVE_ALL_REDUCE:
        return 2 * half + 2 * excess * all;
    default: {
        /* Scattered or gathered, half of the buffer moves at each of log2 steps. */
        guint64 total = half + excess * all;
        for (guint64 at = 1; at < self->n_core; at++) {
            guint64 subtree = at & (~at + 1);
            total += begin_of(self, at + subtree) - begin_of(self, at);
        }
        return total;
    }
    }
}

const LpAlgorithmClass lp_halving_class = {
    .init = init, .visit = visit, .sources = sources, .total_bytes = total_bytes};
