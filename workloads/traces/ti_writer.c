/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives are the messages of their steps, as replay knows no groups. A message of ours leaves
 * when its sender comes to it, one of MPI when its receiver has come, too: so each receive is begun
 * before all else, and waited for at its place; those of one pair and tag in their order. */
#include "workloads/traces/ti.h"

#include "workloads/traces/trace_steps.h"

/* SMPI counts bytes in 32 bits with a sign. */
#define PIECE_MAX (1u << 30)

/* A rank that is being written. */
typedef struct {
    const LpTrace *trace; /* borrowed */
    guint32 rank;
    guint32 n_tags;           /* of all messages, before each gets its own */
    GString *begun, *actions; /* borrowed: receives, all else */
} Writer;

static guint64
count_pieces(guint64 bytes)
{
    return bytes == 0 ? 1 : (bytes - 1) / PIECE_MAX + 1;
}

/* A message to @to, of as many pieces as it needs, which have left when @waits goes behind. */
static void
begin_send(Writer *self, guint32 to, guint32 tag, guint64 bytes, GString *waits)
{
    for (guint64 n = count_pieces(bytes); n > 0; n--) {
        guint64 piece = n > 1 ? PIECE_MAX : bytes;
        g_string_append_printf(self->actions, "%u isend %u %u %" G_GUINT64_FORMAT "\n", self->rank,
                               to, tag, piece);
        g_string_append_printf(waits, "%u wait %u %u %u\n", self->rank, self->rank, to, tag);
        bytes -= piece;
    }
}

static void
receive(Writer *self, guint32 from, guint32 tag, guint64 bytes)
{
    for (guint64 n = count_pieces(bytes); n > 0; n--) {
        guint64 piece = n > 1 ? PIECE_MAX : bytes;
        g_string_append_printf(self->begun, "%u irecv %u %u %" G_GUINT64_FORMAT "\n", self->rank,
                               from, tag, piece);
        g_string_append_printf(self->actions, "%u wait %u %u %u\n", self->rank, from, self->rank,
                               tag);
        bytes -= piece;
    }
}

static void
write_collective(Writer *self, const LpTraceNode *node)
{
    g_autoptr(GArray) steps = lp_trace_steps(self->trace, node, self->rank);
    for (guint i = 0; i < steps->len; i++) {
        const LpTraceStep *step = &g_array_index(steps, LpTraceStep, i);
        g_autoptr(GString) waits = g_string_new(NULL);
        if (step->to != LP_TRACE_NOBODY)
            begin_send(self, step->to, step->tag, step->send_bytes, waits);
        if (step->from != LP_TRACE_NOBODY)
            receive(self, step->from, step->tag, step->receive_bytes);
        g_string_append_len(self->actions, waits->str, (gssize)waits->len);
    }
}

static void
write_node(Writer *self, const LpTraceNode *node)
{
    const LpGivenOp *op = &node->op;
    g_autoptr(GString) waits = g_string_new(NULL);
    switch (op->kind) {
    case LP_GIVEN_COMPUTE:
        if (op->work.device_s > 0.0)
            g_string_append_printf(self->actions, "%u compute %.17g\n", self->rank,
                                   op->work.device_s * self->trace->speed_flop_per_s);
        break;
    case LP_GIVEN_COLLECTIVE:
        write_collective(self, node);
        break;
    case LP_GIVEN_SEND:
        begin_send(self, (guint32)op->peer, op->tag, op->bytes, waits);
        g_string_append_len(self->actions, waits->str, (gssize)waits->len);
        break;
    default:
        receive(self, (guint32)op->peer, op->tag, op->bytes);
        break;
    }
}

char *
lp_ti_write(const LpTrace *trace, guint32 rank)
{
    const LpTraceRank *one = lp_trace_rank(trace, rank);
    g_autoptr(GString) actions = g_string_new(NULL);
    GString *text = g_string_new(NULL);
    Writer self = {.trace = trace, .rank = rank, .begun = text, .actions = actions};
    g_string_append_printf(text, "# speed %.17g\n%u init\n", trace->speed_flop_per_s, rank);
    for (guint i = 0; i < one->nodes->len; i++)
        if (!lp_trace_node(one, i)->is_joint)
            write_node(&self, lp_trace_node(one, i));
    g_string_append_len(text, actions->str, (gssize)actions->len);
    g_string_append_printf(text, "%u finalize\n", rank);
    return g_string_free(text, FALSE);
}
