/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of the device become operations; what they cost and whom they meet is in attributes. */
#define _GNU_SOURCE /* memmem() */
#include "workloads/traces/chakra.h"

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/units.h"
#include "workloads/traces/chakra_head.h"
#include "workloads/traces/chakra_index.h"
#include "workloads/traces/chakra_node.h"
#include "workloads/traces/trace_alike.h"
#include "workloads/traces/trace_files.h"
#include "workloads/traces/trace_groups.h"

#include <math.h>
#include <string.h>

/* Counts of bytes and FLOP stay exact as doubles; a century. */
#define COUNT_MAX 9007199254740992.0
#define FLOP_MAX 1e27
#define TIME_MAX_S 3.2e9

typedef struct {
    LpTrace *trace; /* borrowed */
    guint32 rank;
    const char *path;        /* borrowed */
    guint number;            /* of the node, from 1; 0: of none */
    guint *n_nodes;          /* borrowed: of all ranks */
    LpTraceNaming *naming;   /* borrowed: groups */
    const LpChakraNode *raw; /* borrowed */
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
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE, "%s:%u: %s", lp_file_label(self->path),
                self->number, message);
    return FALSE;
}

static gboolean
is_said(const Reader *self, LpChakraAttribute attribute)
{
    return self->raw->attributes[attribute].is_said;
}

/* --- attributes --- */

static gboolean
read_number(const Reader *self, LpChakraAttribute attribute, double minimum, double maximum,
            double *io_value, GError **error)
{
    const LpChakraValue *value = &self->raw->attributes[attribute];
    if (!value->is_said)
        return TRUE;
    if (value->is_text || !(value->number >= minimum && value->number <= maximum))
        return fail(self, error, "got %s %.6g, wanted a number from %.6g to %.6g",
                    lp_chakra_attribute_names[attribute].text, value->is_text ? NAN : value->number,
                    minimum, maximum);
    *io_value = value->number;
    return TRUE;
}

static gboolean
read_word(const Reader *self, LpChakraAttribute attribute, const char *const *words,
          gboolean *out_is_said, int *out_word, GError **error)
{
    *out_is_said = is_said(self, attribute);
    g_autofree char *text = lp_chakra_text(self->raw->attributes[attribute].text);
    *out_word = *out_is_said ? lp_choice_parse(text, words, error) : 0;
    if (*out_word >= 0)
        return TRUE;
    g_prefix_error(error, "%s:%u: %s: ", lp_file_label(self->path), self->number,
                   lp_chakra_attribute_names[attribute].text);
    return FALSE;
}

static gboolean
read_size(const Reader *self, guint64 *out_bytes, GError **error)
{
    double bytes = 0.0;
    if (!read_number(self, LP_CHAKRA_TENSOR_SIZE, 0.0, COUNT_MAX, &bytes, error) ||
        !read_number(self, LP_CHAKRA_COMM_SIZE, 0.0, COUNT_MAX, &bytes, error))
        return FALSE;
    *out_bytes = (guint64)bytes;
    return TRUE;
}

/* --- kinds --- */

/* A time, or FLOP and bytes where there is none. */
static gboolean
read_compute(const Reader *self, LpGivenOp *op, GError **error)
{
    double wait_s = 0.0;
    LpWork *work = &op->work;
    op->kind = LP_GIVEN_COMPUTE;
    work->device_s = (double)self->raw->duration_us * 1e-6;
    if (work->device_s > TIME_MAX_S)
        return fail(self, error, "got %.3g s, wanted at most a century", work->device_s);
    if (!read_number(self, LP_CHAKRA_TIME, 0.0, TIME_MAX_S, &work->device_s, error) ||
        !read_number(self, LP_CHAKRA_OPS, 0.0, FLOP_MAX, &op->flop, error) ||
        !read_number(self, LP_CHAKRA_TENSOR_SIZE, 0.0, COUNT_MAX, &op->memory_bytes, error) ||
        !read_number(self, LP_CHAKRA_HOST, 0.0, TIME_MAX_S, &work->host_s, error))
        return FALSE;
    work->issue_s = work->host_s;
    work->bound_s = work->device_s;
    work->waits = is_said(self, LP_CHAKRA_WAIT);
    op->has_rates = self->raw->duration_us == 0 && !is_said(self, LP_CHAKRA_TIME) &&
                    (op->flop > 0.0 || op->memory_bytes > 0.0);
    if (!op->has_rates)
        op->flop = op->memory_bytes = 0.0;
    if (!read_number(self, LP_CHAKRA_ISSUE, 0.0, TIME_MAX_S, &work->issue_s, error) ||
        !read_number(self, LP_CHAKRA_BOUND, 0.0, TIME_MAX_S, &work->bound_s, error) ||
        !read_number(self, LP_CHAKRA_IDLE, 0.0, TIME_MAX_S, &work->idle_s, error) ||
        !read_number(self, LP_CHAKRA_WAIT, 0.0, TIME_MAX_S, &wait_s, error))
        return FALSE;
    work->wait_s = wait_s;
    return TRUE;
}

static gboolean
read_message(const Reader *self, LpGivenKind kind, LpGivenOp *op, GError **error)
{
    gboolean sends = kind == LP_GIVEN_SEND;
    LpChakraAttribute other = sends ? LP_CHAKRA_COMM_DESTINATION : LP_CHAKRA_COMM_SOURCE;
    double peer = 0.0, tag = 0.0, maximum = (double)self->trace->ranks->len - 1.0;
    op->kind = kind;
    if (!is_said(self, other))
        return fail(self, error, "got a %s without %s, wanted the other rank",
                    sends ? "send" : "receive", lp_chakra_attribute_names[other].text);
    if (!read_number(self, other, 0.0, maximum, &peer, error) ||
        !read_number(self, LP_CHAKRA_COMM_TAG, 0.0, (double)G_MAXUINT32, &tag, error) ||
        !read_size(self, &op->bytes, error))
        return FALSE;
    op->peer = (gint64)peer;
    op->tag = (guint32)tag;
    return (guint32)op->peer != self->rank ||
           fail(self, error, "got a message of rank %u to itself, wanted another rank", self->rank);
}

static gboolean
read_collective(const Reader *self, LpGivenOp *op, GError **error)
{
    double type = 0.0, bytes = -1.0;
    int traffic;
    op->kind = LP_GIVEN_COLLECTIVE;
    if (!read_number(self, LP_CHAKRA_COMM_TYPE, 0.0, 255.0, &type, error))
        return FALSE;
    int collective = lp_chakra_collective_of((gint64)type);
    if (collective < 0)
        return fail(self, error,
                    "got comm_type %.0f, wanted a collective other than gather (3) "
                    "and scatter (4)",
                    type);
    op->collective = (LpCollective)collective;
    g_autofree char *name = lp_chakra_text(self->raw->attributes[LP_CHAKRA_GROUP].text);
    if (!lp_trace_naming_find(self->naming, self->rank, is_said(self, LP_CHAKRA_GROUP) ? name : "",
                              &op->group, error)) {
        g_prefix_error(error, "%s:%u: pg_name: ", lp_file_label(self->path), self->number);
        return FALSE;
    }
    if (!read_size(self, &op->bytes, error) ||
        !read_number(self, LP_CHAKRA_BYTES, 0.0, COUNT_MAX, &bytes, error) ||
        !read_word(self, LP_CHAKRA_CLASS, lp_traffic_names, &op->has_traffic, &traffic, error))
        return FALSE;
    guint n = lp_trace_group(self->trace, op->group)->ranks->len;
    if (bytes < 0.0)
        bytes = (double)op->bytes * (double)lp_chakra_members_of(op->collective, n);
    op->traffic = (LpTraffic)traffic;
    if (bytes > COUNT_MAX || op->traffic == LP_TRAFFIC_PP)
        return fail(self, error,
                    "got %.6g B of class %s, wanted at most 2^53 of a class of "
                    "collectives",
                    bytes, lp_traffic_names[op->traffic]);
    op->bytes = op->collective == LP_COLLECTIVE_BARRIER ? 0 : (guint64)bytes;
    return TRUE;
}

/* What is no operation of the device keeps the order of those that are; the host only calls for
 * communication. */
static gboolean
read_op(const Reader *self, gboolean is_cpu, LpTraceNode *node, GError **error)
{
    if (is_said(self, LP_CHAKRA_PASS)) {
        node->is_joint = node->is_pass = TRUE;
        return TRUE;
    }
    if (is_cpu && self->raw->type > LP_CHAKRA_METADATA && self->raw->type <= LP_CHAKRA_COLLECTIVE)
        return read_compute(self, &node->op, error);
    switch ((LpChakraType)self->raw->type) {
    case LP_CHAKRA_METADATA:
        node->is_joint = TRUE;
        return TRUE;
    case LP_CHAKRA_MEMORY_LOAD:
    case LP_CHAKRA_MEMORY_STORE:
    case LP_CHAKRA_COMPUTE:
        return read_compute(self, &node->op, error);
    case LP_CHAKRA_SEND:
        return read_message(self, LP_GIVEN_SEND, &node->op, error);
    case LP_CHAKRA_RECEIVE:
        return read_message(self, LP_GIVEN_RECEIVE, &node->op, error);
    case LP_CHAKRA_COLLECTIVE:
        return read_collective(self, &node->op, error);
    }
    return fail(self, error, "got a node of type %" G_GUINT64_FORMAT ", wanted 1 to 7",
                self->raw->type);
}

static gboolean
read_node(Reader *self, GError **error)
{
    const LpChakraNode *raw = self->raw;
    LpTraceNode node;
    if (++*self->n_nodes > LP_TRACE_NODES_MAX)
        return fail(self, error, "got more than %u nodes of all ranks, wanted fewer",
                    LP_TRACE_NODES_MAX);
    memset(&node, 0, sizeof node);
    node.id = raw->id;
    node.op.line = self->number;
    double stream = 0.0, is_cpu = 0.0;
    int term;
    if (!read_number(self, LP_CHAKRA_IS_CPU, 0.0, 1.0, &is_cpu, error) ||
        !read_op(self, is_cpu > 0.0, &node, error) ||
        !read_number(self, LP_CHAKRA_STREAM, -1e9, 1e9, &stream, error) ||
        !read_word(self, LP_CHAKRA_TERM, lp_term_names, &node.op.has_term, &term, error))
        return FALSE;
    node.op.term = (LpTerm)term;
    node.stream = is_said(self, LP_CHAKRA_STREAM) ? (gint64)stream : LP_TRACE_NO_STREAM;
    if (is_cpu > 0.0)
        node.stream = LP_TRACE_HOST_STREAM;
    /* What takes no time holds nothing up. */
    if (node.op.kind == LP_GIVEN_COMPUTE && node.stream == LP_TRACE_HOST_STREAM &&
        node.op.work.device_s <= 0.0)
        node.is_joint = TRUE;
    LpTraceRank *rank = lp_trace_rank(self->trace, self->rank);
    node.n_callers = raw->callers->len;
    (void)lp_trace_add_node(rank, &node);
    for (guint i = 0; i < raw->deps->len; i++)
        lp_trace_add_dep(rank, g_array_index(raw->deps, guint64, i));
    for (guint i = 0; i < raw->callers->len; i++)
        lp_trace_add_dep(rank, g_array_index(raw->callers, guint64, i));
    return TRUE;
}

/* --- files --- */

/* IOInfo: values first. */
static gboolean
read_groups_node(const Reader *self, GError **error)
{
    LpWire inputs = self->raw->inputs;
    LpWireField field;
    while (lp_wire_next(&inputs, &field) && field.number > 0)
        if (field.number == 1 && field.type == LP_WIRE_BYTES &&
            !lp_chakra_groups_read(self->naming, self->rank, self->path, self->number, field.bytes,
                                   error))
            return FALSE;
    return TRUE;
}

/* The next place from @file on that names a node of groups; NULL: none. */
static const guint8 *
find_groups(LpWire file)
{
    static const char name[] = "process_group:init";
    return file.at == file.end ? NULL
                               : memmem(file.at, (gsize)(file.end - file.at), name, strlen(name));
}

static gboolean
lists_groups(const LpChakraNode *raw)
{
    return raw->type == LP_CHAKRA_METADATA && find_groups(raw->name) != NULL;
}

static gboolean
read_head(const Reader *self, LpWire message, gboolean wants_groups, GError **error)
{
    const LpChakraHead head = {self->trace, self->naming, self->path, self->rank};
    return lp_chakra_head_read(&head, message, wants_groups, error);
}

/* Reads the nodes that define groups. Faults of other nodes are reported when these are read. */
static gboolean
read_all_groups(Reader *self, LpWire file, LpChakraNode *raw, GError **error)
{
    LpWire message;
    self->number = 0;
    if (file.at == file.end || !lp_wire_message(&file, &message))
        return TRUE;
    if (!read_head(self, message, TRUE, error))
        return FALSE;
    const guint8 *named = find_groups(file);
    for (self->number = 1; named != NULL && lp_wire_message(&file, &message); self->number++) {
        if (message.end <= named)
            continue;
        if (lp_chakra_node_read(raw, message) && lists_groups(raw) &&
            !read_groups_node(self, error))
            return FALSE;
        named = find_groups(file);
    }
    return TRUE;
}

static gboolean
read_nodes(Reader *self, LpWire file, LpChakraNode *raw, GError **error)
{
    for (self->number = 0; file.at < file.end; self->number++) {
        LpWire message;
        if (!lp_wire_message(&file, &message))
            return fail(self, error,
                        "got the end of the file within a message, wanted a whole "
                        "Chakra execution trace");
        if (self->number == 0) {
            if (!read_head(self, message, FALSE, error))
                return FALSE;
            continue;
        }
        if (!lp_chakra_node_read(raw, message))
            return fail(self, error, "got a message that is none, wanted a Node");
        if (!read_node(self, error))
            return FALSE;
    }
    return self->number > 0 ||
           fail(self, error, "got an empty file, wanted a Chakra execution trace");
}

/* Whether @rank does what @other does, whose file has the same bytes: it means the same groups, and
 * no message says how far the other rank is. */
static gboolean
does_the_same(const LpTrace *trace, LpTraceNaming *naming, guint32 rank, const LpTraceRank *other)
{
    const LpTraceRank *nodes = lp_trace_rank(trace, other->like);
    for (guint i = 0; i < nodes->nodes->len; i++) {
        LpGivenKind kind = lp_trace_node(nodes, i)->op.kind;
        if (kind == LP_GIVEN_SEND || kind == LP_GIVEN_RECEIVE)
            return FALSE;
    }
    for (guint i = 0; i < other->groups->len; i++) {
        guint32 group = g_array_index(other->groups, guint32, i), found;
        if (!lp_trace_naming_find(naming, rank, lp_trace_group(trace, group)->name, &found, NULL) ||
            found != group)
            return FALSE;
    }
    return TRUE;
}

/* What is read of ranks one after the other. */
typedef struct {
    LpTrace *trace;        /* borrowed */
    LpTraceFiles *files;   /* borrowed */
    LpTraceNaming *naming; /* borrowed */
    LpTraceAlike *alike;   /* borrowed; NULL: an index says who is alike */
    LpChakraNode raw;
    guint n_nodes; /* of ranks that keep them */
} Ranks;

static gboolean
read_rank(Ranks *self, guint32 rank, gboolean wants_groups, GError **error)
{
    LpTraceRank *one = lp_trace_rank(self->trace, rank);
    Reader reader = {.trace = self->trace,
                     .rank = rank,
                     .path = one->path,
                     .n_nodes = &self->n_nodes,
                     .naming = self->naming,
                     .raw = &self->raw};
    gsize length;
    const guint8 *bytes = g_bytes_get_data(self->files->bytes->pdata[rank], &length);
    LpWire file = {bytes, bytes != NULL ? bytes + length : NULL};
    if (wants_groups)
        return read_all_groups(&reader, file, &self->raw, error);
    const LpTraceRank *same = lp_trace_rank(self->trace, self->files->same[rank]);
    if (same != one && does_the_same(self->trace, self->naming, rank, same)) {
        one->like = same->like;
        g_array_append_vals(one->groups, same->groups->data, same->groups->len);
    } else if (!read_nodes(&reader, file, &self->raw, error))
        return FALSE;
    else if (self->alike != NULL)
        self->n_nodes -= lp_trace_alike_add(self->alike, rank) - one->nodes->len;
    g_bytes_unref(self->files->bytes->pdata[rank]);
    self->files->bytes->pdata[rank] = NULL;
    return TRUE;
}

/* Groups are known before what runs on them. */
static gboolean
read_ranks(Ranks *self, GError **error)
{
    for (guint pass = 0; pass < 2; pass++) {
        for (guint32 rank = 0; rank < self->trace->ranks->len; rank++)
            if (lp_trace_rank(self->trace, rank)->like == rank &&
                !read_rank(self, rank, pass == 0, error))
                return FALSE;
        if (pass == 0 && !lp_trace_naming_check(self->naming, error))
            return FALSE;
    }
    return TRUE;
}

static gboolean
read_files(LpTrace *trace, LpTraceFiles *files, LpTraceNaming *naming, gboolean is_index,
           GError **error)
{
    g_autoptr(LpTraceAlike) alike = is_index ? NULL : lp_trace_alike_new(trace);
    g_autoptr(GArray) deps = g_array_new(FALSE, FALSE, sizeof(guint64));
    g_autoptr(GArray) callers = g_array_new(FALSE, FALSE, sizeof(guint64));
    Ranks ranks = {.trace = trace,
                   .files = files,
                   .naming = naming,
                   .alike = alike,
                   .raw = {.deps = deps, .callers = callers}};
    return read_ranks(&ranks, error);
}

LpTrace *
lp_chakra_read(const char *const *paths, guint n_paths, const char *groups, GError **error)
{
    gboolean is_index = n_paths == 1 && g_str_has_suffix(paths[0], ".json");
    g_autoptr(json_t) index = NULL;
    if (is_index && groups != NULL) {
        (void)lp_value_error(error, "--groups: got it with an index, which has the groups");
        return NULL;
    }
    g_autoptr(LpTraceFiles) files = is_index ? lp_chakra_index_load(paths[0], &index, error)
                                             : lp_trace_files_load(paths, n_paths, error);
    if (files == NULL)
        return NULL;
    g_autoptr(LpTrace) trace = lp_trace_files_trace(files);
    g_autoptr(LpTraceNaming) naming = lp_trace_naming_new(trace);
    trace->groups_are_used = is_index;
    if ((is_index && !lp_chakra_index_groups(index, paths[0], naming, error)) ||
        (groups != NULL && !lp_trace_naming_load(naming, groups, error)) ||
        !read_files(trace, files, naming, is_index, error))
        return NULL;
    return g_steal_pointer(&trace);
}
