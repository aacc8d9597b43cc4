/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that somebody wrote down (model/plan/step_list.h). */
#include "model/plan/step_list.h"
#include "sim/collectives/algorithm.h"

static void
init(LpStepSchedule *self, guint64 largest_bytes)
{
    (void)largest_bytes;
    self->n_steps = self->shape.list->n_steps;
}

static guint64
sends_max(const LpStepSchedule *self)
{
    return self->shape.list->most_partners;
}

/* Chunk @chunk; the @s-th block of n of an all-to-all's block pairs. */
static void
add_chunk(const LpStepSchedule *self, const LpListedSend *send, LpSink *sink)
{
    const LpStepList *list = self->shape.list;
    if (list->collective == LP_COLLECTIVE_ALL_TO_ALL) {
        guint32 s = send->chunk / list->n_ranks, d = send->chunk % list->n_ranks;
        lp_sink_add_blocks(sink, send->to, &self->blocks, s * self->shape.bytes, d, 1, FALSE);
        return;
    }
    LpBlocks chunks = lp_blocks_of(self->shape.bytes, list->n_chunks);
    lp_sink_add_blocks(sink, send->to, &chunks, 0, send->chunk, 1, send->sums);
}

static void
visit(const LpStepSchedule *self, guint64 member, guint64 step, LpSink *sink)
{
    const LpStepList *list = self->shape.list;
    guint64 place = step * list->n_ranks + member;
    for (guint32 i = list->begin[place]; i < list->begin[place + 1]; i++)
        add_chunk(self, &list->sends[i], sink);
}

/* Chunks of no bytes are not sent. */
static guint64
n_receives(const LpStepSchedule *self, guint64 member, guint64 step)
{
    const LpStepList *list = self->shape.list;
    guint64 n = 0;
    if (self->shape.bytes >= list->n_chunks)
        return list->n_senders[step * list->n_ranks + member];
    for (guint64 from = 0; from < list->n_ranks; from++) {
        LpSink sink = lp_sink_plain();
        sink.only = member;
        visit(self, from, step, &sink);
        n += sink.bytes > 0 ? 1 : 0;
    }
    return n;
}

static void
visit_owned(const LpStepSchedule *self, guint64 member, LpSink *sink)
{
    guint64 each = self->shape.list->n_chunks / self->shape.n_members;
    LpBlocks chunks = lp_blocks_of(self->shape.bytes, self->shape.list->n_chunks);
    lp_sink_add_blocks(sink, member, &chunks, 0, member * each, each, FALSE);
}

const LpAlgorithmClass lp_listed_class = {.init = init,
                                          .sends_max = sends_max,
                                          .visit = visit,
                                          .n_receives = n_receives,
                                          .visit_owned = visit_owned};
