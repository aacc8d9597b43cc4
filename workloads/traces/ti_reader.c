/* SPDX-License-Identifier: Apache-2.0 */
/* Actions stand on the compute stream, but for messages that are sent or awaited beside it. */
#include "workloads/traces/ti.h"

#include "base/error.h"
#include "base/file.h"
#include "base/units.h"
#include "workloads/traces/trace_alike.h"
#include "workloads/traces/trace_files.h"

#include <string.h>

#define COUNT_MAX 9007199254740992u
#define FLOP_MAX 1e27
#define TIME_MAX_S 3.2e9
#define SEND_STREAM 1
#define RECEIVE_STREAM 2

typedef struct {
    LpTrace *trace;    /* borrowed */
    LpTraceRank *into; /* borrowed */
    guint32 rank;
    guint line;
    guint64 last; /* the last node of the compute stream; 0: none */
    GArray *open; /* owned: guint64, nodes that nobody has waited for */
    char **words; /* borrowed: of the line */
    guint n_words;
} Reader;

static gboolean fail(const Reader *self, GError **error, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

static gboolean
fail(const Reader *self, GError **error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE, "%s:%u: %s",
                lp_file_label(self->into->path), self->line, message);
    return FALSE;
}

static gboolean
read_count(const Reader *self, guint word, guint64 maximum, guint64 *out_value, GError **error)
{
    const char *text = word < self->n_words ? self->words[word] : "nothing";
    if (lp_count_parse(text, 0, maximum, out_value, NULL))
        return TRUE;
    g_autofree char *shown = lp_error_quote(text);
    return fail(self, error, "%s: got %s, wanted a whole number up to %" G_GUINT64_FORMAT,
                self->words[1], shown, maximum);
}

static gboolean
read_real(const Reader *self, double maximum, double *out_value, GError **error)
{
    char *end = NULL;
    const char *text = self->n_words > 2 ? self->words[2] : "";
    *out_value = g_ascii_strtod(text, &end);
    if (*text != '\0' && *end == '\0' && *out_value >= 0.0 && *out_value <= maximum)
        return TRUE;
    g_autofree char *shown = lp_error_quote(text);
    return fail(self, error, "%s: got %s, wanted a number up to %g", self->words[1], shown,
                maximum);
}

/* Adds a node behind what the compute stream has done. */
static LpTraceNode *
add_node(Reader *self, gint64 stream)
{
    LpTraceNode node;
    memset(&node, 0, sizeof node);
    node.id = self->into->nodes->len + 1;
    node.stream = stream;
    node.op.line = self->line;
    LpTraceNode *made = lp_trace_add_node(self->into, &node);
    if (self->last != 0)
        lp_trace_add_dep(self->into, self->last);
    if (stream == LP_TRACE_COMPUTE_STREAM)
        self->last = node.id;
    return made;
}

/* --- actions --- */

static gboolean
read_compute(Reader *self, GError **error)
{
    double value;
    gboolean is_sleep = strcmp(self->words[1], "sleep") == 0;
    if (!read_real(self, is_sleep ? TIME_MAX_S : FLOP_MAX, &value, error))
        return FALSE;
    LpGivenOp *op = &add_node(self, LP_TRACE_COMPUTE_STREAM)->op;
    op->kind = LP_GIVEN_COMPUTE;
    op->has_rates = !is_sleep && self->trace->speed_flop_per_s <= 0.0;
    if (op->has_rates)
        op->flop = value;
    else
        op->work.device_s = is_sleep ? value : value / self->trace->speed_flop_per_s;
    op->work.bound_s = op->work.device_s;
    return TRUE;
}

static gboolean
read_message(Reader *self, gboolean sends, gboolean is_packet_network, GError **error)
{
    guint64 peer, tag, bytes;
    if (!read_count(self, 2, self->trace->ranks->len - 1, &peer, error) ||
        !read_count(self, 3, G_MAXUINT32, &tag, error) ||
        !read_count(self, 4, COUNT_MAX, &bytes, error))
        return FALSE;
    if (peer == self->rank)
        return fail(self, error, "%s: got the own rank, wanted another", self->words[1]);
    gint64 beside = sends ? SEND_STREAM : RECEIVE_STREAM;
    LpTraceNode *node = add_node(self, is_packet_network ? beside : LP_TRACE_COMPUTE_STREAM);
    node->op.kind = sends ? LP_GIVEN_SEND : LP_GIVEN_RECEIVE;
    node->op.peer = (gint64)peer;
    node->op.tag = (guint32)tag;
    node->op.bytes = bytes;
    if (is_packet_network)
        g_array_append_val(self->open, node->id);
    return TRUE;
}

/* The first open request from @words[2] to @words[3] with a tag. */
static gboolean
read_wait(Reader *self, GError **error)
{
    guint64 from, to, tag;
    if (!read_count(self, 2, G_MAXUINT32, &from, error) ||
        !read_count(self, 3, G_MAXUINT32, &to, error) ||
        !read_count(self, 4, G_MAXUINT32, &tag, error))
        return FALSE;
    for (guint i = 0; i < self->open->len; i++) {
        guint64 id = g_array_index(self->open, guint64, i);
        const LpGivenOp *op = &lp_trace_node(self->into, (guint)id - 1)->op;
        gboolean sends = op->kind == LP_GIVEN_SEND;
        if (op->tag != tag || (sends ? self->rank : (guint64)op->peer) != from ||
            (sends ? (guint64)op->peer : self->rank) != to)
            continue;
        add_node(self, LP_TRACE_COMPUTE_STREAM)->is_joint = TRUE;
        lp_trace_add_dep(self->into, id);
        g_array_remove_index(self->open, i);
        return TRUE;
    }
    return fail(self, error,
                "wait: got a message that is not under way, wanted one of isend or "
                "irecv");
}

static gboolean
read_wait_all(Reader *self)
{
    add_node(self, LP_TRACE_COMPUTE_STREAM)->is_joint = TRUE;
    for (guint i = 0; i < self->open->len; i++)
        lp_trace_add_dep(self->into, g_array_index(self->open, guint64, i));
    g_array_set_size(self->open, 0);
    return TRUE;
}

static guint32
find_world(LpTrace *trace)
{
    if (trace->groups->len == 0) {
        GArray *ranks = lp_trace_group(trace, lp_trace_add_group(trace, "", "world"))->ranks;
        for (guint32 rank = 0; rank < trace->ranks->len; rank++)
            g_array_append_val(ranks, rank);
    }
    return 0;
}

/* @root_word: where the root may stand; 0: nowhere. */
static gboolean
read_collective(Reader *self, LpCollective collective, guint root_word, GError **error)
{
    guint64 bytes = 0, root = 0, n = self->trace->ranks->len;
    gboolean is_of_members =
        collective == LP_COLLECTIVE_ALL_GATHER || collective == LP_COLLECTIVE_ALL_TO_ALL;
    if (collective != LP_COLLECTIVE_BARRIER && !read_count(self, 2, COUNT_MAX / n, &bytes, error))
        return FALSE;
    if (root_word > 0 && root_word < self->n_words &&
        !read_count(self, root_word, n - 1, &root, error))
        return FALSE;
    if (root != 0)
        return fail(self, error, "%s: got root %" G_GUINT64_FORMAT ", wanted 0", self->words[1],
                    root);
    LpGivenOp *op = &add_node(self, LP_TRACE_COMPUTE_STREAM)->op;
    op->kind = LP_GIVEN_COLLECTIVE;
    op->collective = collective;
    op->group = find_world(self->trace);
    op->bytes = bytes * (is_of_members ? n : 1);
    return TRUE;
}

static const struct {
    const char *name;
    LpCollective collective;
    guint root_word; /* 0: none */
} collectives[] = {
    {"allreduce", LP_COLLECTIVE_ALL_REDUCE, 0}, {"allgather", LP_COLLECTIVE_ALL_GATHER, 0},
    {"alltoall", LP_COLLECTIVE_ALL_TO_ALL, 0},  {"bcast", LP_COLLECTIVE_BROADCAST, 3},
    {"reduce", LP_COLLECTIVE_REDUCE, 4},        {"barrier", LP_COLLECTIVE_BARRIER, 0}};
static const char *const nothing[] = {"init",     "finalize", "comm_size", "comm_split",
                                      "comm_dup", "location", "test",      NULL};

static gboolean
read_action(Reader *self, GError **error)
{
    const char *name = self->words[1];
    if (g_strv_contains(nothing, name))
        return TRUE;
    if (strcmp(name, "compute") == 0 || strcmp(name, "sleep") == 0)
        return read_compute(self, error);
    if (strcmp(name, "send") == 0 || strcmp(name, "isend") == 0)
        return read_message(self, TRUE, *name == 'i', error);
    if (strcmp(name, "recv") == 0 || strcmp(name, "irecv") == 0)
        return read_message(self, FALSE, *name == 'i', error);
    if (strcmp(name, "wait") == 0)
        return read_wait(self, error);
    if (strcmp(name, "waitall") == 0)
        return read_wait_all(self);
    for (guint i = 0; i < G_N_ELEMENTS(collectives); i++)
        if (strcmp(name, collectives[i].name) == 0)
            return read_collective(self, collectives[i].collective, collectives[i].root_word,
                                   error);
    g_autofree char *shown = lp_error_quote(name);
    return fail(self, error,
                "got action %s, wanted one of messages, compute or a collective of "
                "equal parts",
                shown);
}

static gboolean
read_line(Reader *self, char *text, GError **error)
{
    guint64 rank;
    char *words[8];
    self->words = words;
    self->n_words = 0;
    for (char *word = strtok_r(text, " \t\r", &text); word != NULL && self->n_words < 8;
         word = strtok_r(NULL, " \t\r", &text))
        words[self->n_words++] = word;
    if (self->n_words == 0)
        return TRUE;
    if (*words[0] == '#') {
        double speed = self->n_words == 3 && strcmp(words[1], "speed") == 0
                           ? g_ascii_strtod(words[2], NULL)
                           : 0.0;
        if (speed > 0.0 && speed <= FLOP_MAX)
            self->trace->speed_flop_per_s = speed;
        return TRUE;
    }
    if (self->n_words < 2 || !lp_count_parse(words[0], 0, G_MAXUINT32, &rank, NULL) ||
        rank != self->rank)
        return fail(self, error, "got no action of rank %u, wanted its number and an action",
                    self->rank);
    for (char *at = words[1]; *at != '\0'; at++)
        *at = g_ascii_tolower(*at);
    return read_action(self, error);
}

static gboolean
read_file(LpTrace *trace, guint32 rank, GBytes *bytes, guint *io_nodes, GError **error)
{
    g_autoptr(GArray) open = g_array_new(FALSE, FALSE, sizeof(guint64));
    Reader self = {.trace = trace, .into = lp_trace_rank(trace, rank), .rank = rank, .open = open};
    gsize length;
    const char *data = g_bytes_get_data(bytes, &length);
    if (length == 0)
        return fail(&self, error, "got an empty file, wanted actions of rank %u", rank);
    if (memchr(data, '\0', length) != NULL)
        return fail(&self, error, "got a byte of value 0, wanted text");
    g_autofree char *text = g_strndup(data, length);
    for (char *line = text, *next; line != NULL; line = next) {
        next = strchr(line, '\n');
        if (next != NULL)
            *next++ = '\0';
        self.line++;
        if (!read_line(&self, line, error))
            return FALSE;
        if (*io_nodes + self.into->nodes->len > LP_TRACE_NODES_MAX)
            return fail(&self, error, "got more than %u nodes of all ranks, wanted fewer",
                        LP_TRACE_NODES_MAX);
    }
    *io_nodes += self.into->nodes->len;
    return TRUE;
}

LpTrace *
lp_ti_read(const char *const *paths, guint n_paths, const char *groups, GError **error)
{
    if (groups != NULL) {
        (void)lp_value_error(error, "--groups: got it for traces that have none");
        return NULL;
    }
    g_autoptr(LpTraceFiles) files = lp_trace_files_load(paths, n_paths, error);
    if (files == NULL)
        return NULL;
    g_autoptr(LpTrace) trace = lp_trace_files_trace(files);
    g_autoptr(LpTraceAlike) alike = lp_trace_alike_new(trace);
    guint n_nodes = 0;
    trace->compute_stream = LP_TRACE_COMPUTE_STREAM;
    for (guint32 rank = 0; rank < n_paths; rank++) {
        if (!read_file(trace, rank, files->bytes->pdata[rank], &n_nodes, error))
            return NULL;
        n_nodes -= lp_trace_alike_add(alike, rank) - lp_trace_rank(trace, rank)->nodes->len;
    }
    return g_steal_pointer(&trace);
}
