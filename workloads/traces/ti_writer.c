/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives are the messages of their steps, as replay knows no groups. */
#include "workloads/traces/ti.h"

#include "workloads/traces/trace_steps.h"

static void
write_collective(const LpTrace *trace, guint32 rank, const LpTraceNode *node, GString *text)
{
    g_autoptr(GArray) steps = lp_trace_steps(trace, node, rank);
    for (guint i = 0; i < steps->len; i++) {
        const LpTraceStep *step = &g_array_index(steps, LpTraceStep, i);
        if (step->to != LP_TRACE_NOBODY)
            g_string_append_printf(text, "%u isend %u %u %" G_GUINT64_FORMAT "\n", rank, step->to,
                                   step->tag, step->send_bytes);
        if (step->from != LP_TRACE_NOBODY)
            g_string_append_printf(text, "%u recv %u %u %" G_GUINT64_FORMAT "\n", rank, step->from,
                                   step->tag, step->receive_bytes);
        if (step->to != LP_TRACE_NOBODY)
            g_string_append_printf(text, "%u wait %u %u %u\n", rank, rank, step->to, step->tag);
    }
}

static void
write_node(const LpTrace *trace, guint32 rank, const LpTraceNode *node, GString *text)
{
    const LpGivenOp *op = &node->op;
    switch (op->kind) {
    case LP_GIVEN_COMPUTE:
        if (op->work.device_s > 0.0)
            g_string_append_printf(text, "%u compute %.17g\n", rank,
                                   op->work.device_s * trace->speed_flop_per_s);
        break;
    case LP_GIVEN_COLLECTIVE:
        write_collective(trace, rank, node, text);
        break;
    default:
        g_string_append_printf(text, "%u %s %u %u %" G_GUINT64_FORMAT "\n", rank,
                               op->kind == LP_GIVEN_SEND ? "send" : "recv", (guint32)op->peer,
                               op->tag, op->bytes);
        break;
    }
}

char *
lp_ti_write(const LpTrace *trace, guint32 rank)
{
    const LpTraceRank *one = lp_trace_rank(trace, rank);
    GString *text = g_string_new(NULL);
    g_string_append_printf(text, "# speed %.17g\n%u init\n", trace->speed_flop_per_s, rank);
    for (guint i = 0; i < one->nodes->len; i++)
        if (!lp_trace_node(one, i)->is_joint)
            write_node(trace, rank, lp_trace_node(one, i), text);
    g_string_append_printf(text, "%u finalize\n", rank);
    return g_string_free(text, FALSE);
}
