/* SPDX-License-Identifier: Apache-2.0 */
/* A node is one operation, or the steps of its collective; operations require others. */
#include "workloads/traces/goal.h"

#include "workloads/traces/trace_steps.h"

#include <math.h>

/* A rank that is being written. Labels of operations are numbers from 1. */
typedef struct {
    const LpTrace *trace; /* borrowed */
    guint32 rank;
    GString *text;    /* borrowed */
    guint64 n_labels; /* until now */
    guint64 *last;    /* owned, by place of a node and 2: the labels that it ends with; 0: none */
} Writer;

static guint64
begin(Writer *self)
{
    g_string_append_printf(self->text, "l%" G_GUINT64_FORMAT ": ", ++self->n_labels);
    return self->n_labels;
}

static void
require(Writer *self, guint64 label, guint64 other)
{
    if (other != 0)
        g_string_append_printf(
            self->text, "l%" G_GUINT64_FORMAT " requires l%" G_GUINT64_FORMAT "\n", label, other);
}

/* What the file has of a node before it; ids count from 1 in the order of nodes. */
static void
require_deps(Writer *self, const LpTraceNode *node, guint64 label)
{
    const LpTraceRank *rank = lp_trace_rank(self->trace, self->rank);
    for (guint i = node->first_dep; i < node->first_dep + node->n_deps; i++) {
        const guint64 *last = &self->last[2 * (g_array_index(rank->deps, guint64, i) - 1)];
        require(self, label, last[0]);
        require(self, label, last[1]);
    }
}

static guint32
cpu_of(const LpTraceNode *node)
{
    return node->stream > 0 ? (guint32)node->stream : 0;
}

static guint64
write_calc(Writer *self, const LpTraceNode *node, double time_s)
{
    guint64 label = begin(self);
    g_string_append_printf(self->text, "calc %.0f cpu %u\n", rint(time_s * 1e9), cpu_of(node));
    return label;
}

static guint64
write_message(Writer *self, const LpTraceNode *node, gboolean sends, guint64 bytes, guint32 peer,
              guint32 tag)
{
    guint64 label = begin(self);
    g_string_append_printf(self->text, "%s %" G_GUINT64_FORMAT "b %s %u tag %u cpu %u\n",
                           sends ? "send" : "recv", bytes, sends ? "to" : "from", peer, tag,
                           cpu_of(node));
    return label;
}

static void
write_collective(Writer *self, const LpTraceNode *node, guint64 *out_last)
{
    g_autoptr(GArray) steps = lp_trace_steps(self->trace, node, self->rank);
    guint64 begun = write_calc(self, node, 0.0);
    require_deps(self, node, begun);
    out_last[0] = begun;
    for (guint i = 0; i < steps->len; i++) {
        const LpTraceStep *step = &g_array_index(steps, LpTraceStep, i);
        guint64 labels[2] = {0, 0};
        if (step->to != LP_TRACE_NOBODY)
            labels[0] = write_message(self, node, TRUE, step->send_bytes, step->to, step->tag);
        if (step->from != LP_TRACE_NOBODY)
            labels[1] =
                write_message(self, node, FALSE, step->receive_bytes, step->from, step->tag);
        for (guint k = 0; k < 4; k++)
            if (labels[k / 2] != 0)
                require(self, labels[k / 2], out_last[k % 2]);
        out_last[0] = labels[0];
        out_last[1] = labels[1];
    }
}

static void
write_node(Writer *self, guint place)
{
    const LpTraceNode *node = lp_trace_node(lp_trace_rank(self->trace, self->rank), place);
    guint64 *last = &self->last[2 * place];
    const LpGivenOp *op = &node->op;
    if (!node->is_joint && op->kind == LP_GIVEN_COLLECTIVE) {
        write_collective(self, node, last);
        return;
    }
    last[0] = node->is_joint || op->kind == LP_GIVEN_COMPUTE
                  ? write_calc(self, node, node->is_joint ? 0.0 : op->work.device_s)
                  : write_message(self, node, op->kind == LP_GIVEN_SEND, op->bytes,
                                  (guint32)op->peer, op->tag);
    require_deps(self, node, last[0]);
}

char *
lp_goal_write(const LpTrace *trace)
{
    GString *text = g_string_new(NULL);
    g_string_append_printf(text, "num_ranks %u\n", trace->ranks->len);
    for (guint32 rank = 0; rank < trace->ranks->len; rank++) {
        guint n = lp_trace_rank(trace, rank)->nodes->len;
        g_autofree guint64 *last = g_new0(guint64, 2 * (gsize)n + 1);
        Writer self = {.trace = trace, .rank = rank, .text = text, .last = last};
        g_string_append_printf(text, "\nrank %u {\n", rank);
        for (guint i = 0; i < n; i++)
            write_node(&self, i);
        g_string_append(text, "}\n");
    }
    return g_string_free(text, FALSE);
}
