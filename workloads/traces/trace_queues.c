/* SPDX-License-Identifier: Apache-2.0 */
/* A stream is a queue, that which computes most the compute queue. Nodes without a stream compute
 * there, send on a queue of messages, and run collectives on one for each class of traffic. */
#include "workloads/traces/trace_queues.h"

#define KEY_COMPUTE (G_MININT64 + 2)
#define KEY_MESSAGES (G_MININT64 + 3)
#define KEY_CLASS (G_MININT64 + 4)

/* A stream, or nodes of a kind without one. */
typedef struct {
    gint64 key;
    double compute_s;
    guint n_computes;
    guint32 queue;
} Stream;

struct LpTraceQueues {
    GHashTable *numbers; /* owned: from a Stream.key to the Stream, borrowed */
    GPtrArray *streams;  /* owned: Stream, in the order in which they are first used */
};

static gint64
key_of(const LpTrace *trace, const LpTraceNode *node)
{
    if (node->stream != LP_TRACE_NO_STREAM)
        return node->stream;
    if (node->op.kind == LP_GIVEN_COLLECTIVE)
        return KEY_CLASS + (gint64)lp_trace_group(trace, node->op.group)->traffic;
    return node->op.kind == LP_GIVEN_COMPUTE ? KEY_COMPUTE : KEY_MESSAGES;
}

static Stream *
find(const LpTraceQueues *self, gint64 key)
{
    return g_hash_table_lookup(self->numbers, &key);
}

static void
count(LpTraceQueues *self, const LpTrace *trace, const LpTraceNode *node, guint n_ranks)
{
    gint64 key = key_of(trace, node);
    Stream *stream = find(self, key);
    if (stream == NULL) {
        stream = g_new0(Stream, 1);
        stream->key = key;
        g_ptr_array_add(self->streams, stream);
        g_hash_table_insert(self->numbers, &stream->key, stream);
    }
    if (node->op.kind == LP_GIVEN_COMPUTE) {
        stream->compute_s += node->op.work.device_s * (double)n_ranks;
        stream->n_computes += n_ranks;
    }
}

static const Stream *
find_compute(const LpTraceQueues *self, const LpTrace *trace)
{
    const Stream *best = NULL;
    if (trace->compute_stream != LP_TRACE_NO_STREAM)
        return find(self, trace->compute_stream);
    for (guint i = 0; i < self->streams->len; i++) {
        const Stream *stream = self->streams->pdata[i];
        if (stream->n_computes == 0 || stream->key == LP_TRACE_HOST_STREAM)
            continue;
        if (best == NULL || stream->compute_s > best->compute_s ||
            (stream->compute_s >= best->compute_s && stream->n_computes > best->n_computes))
            best = stream;
    }
    return best;
}

static char *
name_of(gint64 key)
{
    if (key == LP_TRACE_HOST_STREAM)
        return g_strdup("host");
    if (key == KEY_COMPUTE)
        return g_strdup("kernels");
    if (key == KEY_MESSAGES)
        return g_strdup("messages");
    if (key >= KEY_CLASS && key < KEY_CLASS + (gint64)LP_N_TRAFFIC)
        return g_strdup(lp_traffic_names[key - KEY_CLASS]);
    return g_strdup_printf("stream-%" G_GINT64_FORMAT, key);
}

LpTraceQueues *
lp_trace_queues_new(LpTrace *trace, LpGivenProgram *program)
{
    LpTraceQueues *self = g_new0(LpTraceQueues, 1);
    self->numbers = g_hash_table_new(g_int64_hash, g_int64_equal);
    self->streams = g_ptr_array_new_with_free_func(g_free);
    g_autofree guint *n_alike = g_new0(guint, trace->ranks->len);
    for (guint32 rank = 0; rank < trace->ranks->len; rank++)
        n_alike[lp_trace_rank(trace, rank)->like]++;
    for (guint32 rank = 0; rank < trace->ranks->len; rank++) {
        const LpTraceRank *one = lp_trace_rank(trace, rank);
        for (guint i = 0; i < one->nodes->len; i++)
            if (!lp_trace_node(one, i)->is_joint)
                count(self, trace, lp_trace_node(one, i), n_alike[rank]);
    }
    const Stream *compute = find_compute(self, trace);
    for (guint i = 0; i < self->streams->len; i++) {
        Stream *stream = self->streams->pdata[i];
        g_autofree char *name = name_of(stream->key);
        guint32 queue =
            stream == compute ? LP_GIVEN_COMPUTE_QUEUE : lp_given_program_queue(program, name);
        stream->queue = queue == G_MAXUINT32 ? LP_GIVEN_QUEUES_MAX - 1 : queue;
        trace->n_shared += queue == G_MAXUINT32 ? 1 : 0;
    }
    return self;
}

void
lp_trace_queues_free(LpTraceQueues *self)
{
    if (self == NULL)
        return;
    g_hash_table_unref(self->numbers);
    g_ptr_array_unref(self->streams);
    g_free(self);
}

guint32
lp_trace_queues_of(const LpTraceQueues *self, const LpTrace *trace, const LpTraceNode *node)
{
    return find(self, key_of(trace, node))->queue;
}
