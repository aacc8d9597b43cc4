/* SPDX-License-Identifier: Apache-2.0 */
/* What depends on what is not in a profile: it is taken from who launched what, and from what
 * streams were seen to wait for (docs/program-format.md). */
#include "workloads/traces/kineto.h"

#include "base/error.h"
#include "base/file.h"
#include "workloads/traces/kineto_events.h"
#include "workloads/traces/trace_alike.h"
#include "workloads/traces/trace_files.h"
#include "workloads/traces/trace_groups.h"

#include <string.h>

#define ELEMENTS_MAX 1125899906842624
/* Work looks at all streams. */
#define STREAMS_MAX 1000
/* For which one file may stand. */
#define RANKS_MAX 1024

typedef struct {
    LpTrace *trace;               /* borrowed */
    LpTraceRank *into;            /* borrowed */
    LpTraceNaming *naming;        /* borrowed */
    const LpKinetoEvents *events; /* borrowed */
    const LpKinetoScale *scale;   /* borrowed; NULL: 1 */
    const char *path;             /* borrowed */
    guint32 rank;
    GArray *last;       /* owned: guint, by stream that has been used: 1 + its last work */
    guint64 host;       /* the host's last node; 0: none */
    double host_free_s; /* when its last call ended */
    guint64 *node_of;   /* owned, by work */
} Reader;

static gboolean fail(const Reader *self, const LpKinetoWork *work, GError **error,
                     const char *format, ...) G_GNUC_PRINTF(4, 5);

static gboolean
fail(const Reader *self, const LpKinetoWork *work, GError **error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE, "%s:%u: %s", lp_file_label(self->path),
                work->line, message);
    return FALSE;
}

static const LpKinetoWork *
work_at(const Reader *self, guint i)
{
    return &g_array_index(self->events->works, LpKinetoWork, i);
}

static LpTraceNode *
add_node(Reader *self, gint64 stream, guint line)
{
    LpTraceNode node;
    memset(&node, 0, sizeof node);
    node.id = self->into->nodes->len + 1;
    node.stream = stream;
    node.op.line = line;
    return lp_trace_add_node(self->into, &node);
}

/* --- communication --- */

static const struct {
    const char *word; /* in a collective's name, which has no '_' */
    LpCollective collective;
} collectives[] = {
    {"allreduce", LP_COLLECTIVE_ALL_REDUCE}, {"reducescatter", LP_COLLECTIVE_REDUCE_SCATTER},
    {"allgather", LP_COLLECTIVE_ALL_GATHER}, {"alltoall", LP_COLLECTIVE_ALL_TO_ALL},
    {"broadcast", LP_COLLECTIVE_BROADCAST},  {"reduce", LP_COLLECTIVE_REDUCE},
    {"barrier", LP_COLLECTIVE_BARRIER}};
static const struct {
    const char *name;
    guint64 bytes;
} types[] = {{"Float", 4},
             {"Double", 8},
             {"Half", 2},
             {"BFloat16", 2},
             {"Int", 4},
             {"Long", 8},
             {"Byte", 1},
             {"Char", 1},
             {"Bool", 1},
             {"Short", 2},
             {"Float8_e4m3fn", 1},
             {"Float8_e5m2", 1},
             /* as shapes are told */
             {"float", 4},
             {"double", 8},
             {"c10::Half", 2},
             {"c10::BFloat16", 2},
             {"int", 4},
             {"long", 8},
             {"long int", 8},
             {"unsigned char", 1},
             {"signed char", 1},
             {"bool", 1},
             {"short int", 2}};

static char *
name_of(const LpKinetoWork *work)
{
    const char *name = json_string_value(json_object_get(work->said, "Collective name"));
    if (name == NULL)
        return NULL;
    GString *bare = g_string_new(NULL);
    for (; *name != '\0'; name++)
        if (*name != '_')
            g_string_append_c(bare, g_ascii_tolower(*name));
    return g_string_free(bare, FALSE);
}

static gboolean
read_bytes(const Reader *self, const LpKinetoWork *work, gboolean is_out, guint64 *out_bytes,
           GError **error)
{
    const json_t *count = json_object_get(work->said, is_out ? "Out msg nelems" : "In msg nelems");
    const char *type = json_string_value(json_object_get(work->said, "dtype"));
    json_int_t n = json_integer_value(count);
    if (!json_is_integer(count) || n < 0 || n > ELEMENTS_MAX)
        return fail(self, work, error, "got a collective without %s, wanted a count of elements",
                    is_out ? "Out msg nelems" : "In msg nelems");
    for (guint i = 0; i < G_N_ELEMENTS(types); i++)
        if (g_strcmp0(type, types[i].name) == 0) {
            *out_bytes = (guint64)n * types[i].bytes;
            return TRUE;
        }
    g_autofree char *shown = lp_error_quote(type != NULL ? type : "");
    return fail(self, work, error, "got dtype %s, wanted a type of PyTorch's tensors", shown);
}

/* The group is told by the event, if not by the head of the file. */
static gboolean
find_group(const Reader *self, const LpKinetoWork *work, guint32 *out_group, GError **error)
{
    const char *name = json_string_value(json_object_get(work->said, "Process Group Name"));
    const char *ranks = json_string_value(json_object_get(work->said, "Process Group Ranks"));
    if (lp_trace_naming_find(self->naming, self->rank, name != NULL ? name : "", out_group, NULL))
        return TRUE;
    if (ranks != NULL && strstr(ranks, "...") == NULL) {
        g_autoptr(json_t) list = json_array();
        json_t *group = lp_json_append_object(list);
        json_t *members = json_loads(ranks, 0, NULL);
        lp_json_set_text(group, "pg_name", name);
        json_object_set_new(group, "ranks", members != NULL ? members : json_array());
        g_autofree char *text = lp_json_print_flat(list);
        if (members != NULL &&
            !lp_trace_naming_add(self->naming, self->rank, text, strlen(text), error)) {
            g_prefix_error(error, "%s:%u: ", lp_file_label(self->path), work->line);
            return FALSE;
        }
    }
    if (lp_trace_naming_find(self->naming, self->rank, name, out_group, error))
        return TRUE;
    g_prefix_error(error, "%s:%u: ", lp_file_label(self->path), work->line);
    return FALSE;
}

static gboolean
read_message(const Reader *self, const LpKinetoWork *work, gboolean sends, LpGivenOp *op,
             GError **error)
{
    const char *key = sends ? "Dst Rank" : "Src Rank";
    const json_t *peer = json_object_get(work->said, key);
    op->kind = sends ? LP_GIVEN_SEND : LP_GIVEN_RECEIVE;
    op->peer = json_integer_value(peer);
    if (!json_is_integer(peer) || op->peer < 0 || op->peer >= (gint64)self->trace->ranks->len ||
        op->peer == (gint64)self->rank)
        return fail(self, work, error, "got a message without %s, wanted another rank", key);
    return read_bytes(self, work, !sends, &op->bytes, error);
}

static gboolean
read_work(const Reader *self, const LpKinetoWork *work, LpGivenOp *op, GError **error)
{
    g_autofree char *name = name_of(work);
    double factor = self->scale != NULL ? self->scale->factor[work->kind] : 1.0;
    op->work.device_s = op->work.bound_s = factor * (work->end_s - work->start_s);
    if (name == NULL) {
        op->has_term = work->kind == LP_KINETO_COMMUNICATION;
        op->term = work->is_expert ? LP_TERM_EP : LP_TERM_DP;
        self->trace->n_unsized += op->has_term ? 1 : 0;
        return TRUE;
    }
    op->work = LP_WORK_NONE;
    if (strcmp(name, "send") == 0 || strcmp(name, "recv") == 0)
        return read_message(self, work, *name == 's', op, error);
    for (guint i = 0; i < G_N_ELEMENTS(collectives); i++) {
        if (strstr(name, collectives[i].word) == NULL)
            continue;
        op->kind = LP_GIVEN_COLLECTIVE;
        op->collective = collectives[i].collective;
        return find_group(self, work, &op->group, error) &&
               (op->collective == LP_COLLECTIVE_BARRIER ||
                read_bytes(self, work, op->collective == LP_COLLECTIVE_ALL_GATHER, &op->bytes,
                           error));
    }
    g_autofree char *shown = lp_error_quote(name);
    return fail(self, work, error, "got Collective name %s, wanted one that is simulated", shown);
}

/* --- order --- */

static void
depend(Reader *self, guint64 id)
{
    if (id != 0)
        lp_trace_add_dep(self->into, id);
}

/* The host until it has made the call, from its last one on. */
static void
add_host(Reader *self, const LpKinetoWork *work)
{
    LpTraceNode *node = add_node(self, LP_TRACE_HOST_STREAM, work->line);
    double time_s = MAX(work->called_end_s - self->host_free_s, 0.0);
    node->op.work.device_s = node->op.work.bound_s = time_s;
    depend(self, self->host);
    self->host = self->into->nodes->len;
    self->host_free_s = MAX(self->host_free_s, work->called_end_s);
}

/* The host waits for what was launched before, and had ended when it went on. */
static void
add_sync(Reader *self, const LpKinetoSync *sync)
{
    if (self->host == 0)
        return;
    add_node(self, LP_TRACE_HOST_STREAM, 1)->is_joint = TRUE;
    depend(self, self->host);
    for (guint i = 0; i < self->last->len; i++) {
        guint last = g_array_index(self->last, guint, i);
        if (work_at(self, last - 1)->end_s <= sync->end_s)
            depend(self, self->node_of[last - 1]);
    }
    /* What it does on its way there is its own. */
    self->host = self->into->nodes->len;
    self->host_free_s = MAX(self->host_free_s, sync->end_s);
}

/* Collectives wait for all that other streams have been given. Others wait for what had just ended
 * when they began, if only that held them: their stream stood idle, and they were launched. */
static void
add_waits(Reader *self, const LpKinetoWork *work, gboolean is_collective, guint own)
{
    double ready_s = work->called_end_s;
    guint held_by = 0;
    if (own > 0)
        ready_s = MAX(ready_s, work_at(self, own - 1)->end_s);
    for (guint i = 0; i < self->last->len; i++) {
        guint last = g_array_index(self->last, guint, i);
        const LpKinetoWork *other = work_at(self, last - 1);
        if (other->stream == work->stream)
            continue;
        if (is_collective)
            depend(self, self->node_of[last - 1]);
        else if (other->end_s <= work->start_s && other->end_s >= ready_s &&
                 (held_by == 0 || other->end_s > work_at(self, held_by - 1)->end_s))
            held_by = last;
    }
    if (held_by > 0)
        depend(self, self->node_of[held_by - 1]);
}

static gboolean
add_work(Reader *self, guint index, GError **error)
{
    const LpKinetoWork *work = work_at(self, index);
    guint place = 0, own = 0;
    while (place < self->last->len &&
           work_at(self, g_array_index(self->last, guint, place) - 1)->stream != work->stream)
        place++;
    if (place < self->last->len)
        own = g_array_index(self->last, guint, place);
    add_host(self, work);
    LpTraceNode *node = add_node(self, work->stream, work->line);
    self->node_of[index] = node->id;
    if (!read_work(self, work, &node->op, error))
        return FALSE;
    gboolean is_collective = node->op.kind == LP_GIVEN_COLLECTIVE;
    depend(self, self->host);
    if (own > 0)
        depend(self, self->node_of[own - 1]);
    add_waits(self, work, is_collective, own);
    own = index + 1;
    if (place < self->last->len)
        g_array_index(self->last, guint, place) = own;
    else
        g_array_append_val(self->last, own);
    return self->last->len <= STREAMS_MAX ||
           fail(self, work, error, "got more than %d streams, wanted those of a device",
                STREAMS_MAX);
}

static gboolean
add_rank(Reader *self, GError **error)
{
    const LpKinetoEvents *events = self->events;
    g_autofree guint64 *node_of = g_new0(guint64, events->works->len);
    g_autoptr(GArray) last = g_array_new(FALSE, FALSE, sizeof(guint));
    guint n_syncs = 0;
    self->host_free_s = work_at(self, 0)->called_s;
    self->node_of = node_of;
    self->last = last;
    for (guint i = 0; i < events->works->len; i++) {
        for (; n_syncs < events->syncs->len &&
               g_array_index(events->syncs, LpKinetoSync, n_syncs).start_s <
                   work_at(self, i)->called_s;
             n_syncs++)
            add_sync(self, &g_array_index(events->syncs, LpKinetoSync, n_syncs));
        if (!add_work(self, i, error))
            return FALSE;
    }
    return TRUE;
}

/* --- files --- */

/* The groups that the head of the file tells. */
static gboolean
read_groups(const Reader *self, GError **error)
{
    const json_t *groups = lp_kineto_events_head(self->events, "pg_config");
    if (json_array_size(groups) == 0)
        return TRUE;
    g_autofree char *text = lp_json_print_flat(groups);
    if (lp_trace_naming_add(self->naming, self->rank, text, strlen(text), error))
        return TRUE;
    g_prefix_error(error, "%s: ", lp_file_label(self->path));
    return FALSE;
}

/* A file may stand for other ranks of its job that do the same, in collectives of all. */
static gboolean
add_copy(const Reader *self, GError **error)
{
    for (guint i = 0; i < self->events->works->len; i++) {
        const LpKinetoWork *work = work_at(self, i);
        guint32 group;
        if (work->said != NULL && !find_group(self, work, &group, error))
            return FALSE;
    }
    self->into->like = 0;
    return TRUE;
}

static gboolean
check_alike(const LpTrace *trace, GError **error)
{
    const LpTraceRank *first = lp_trace_rank(trace, 0);
    for (guint i = 0; i < first->nodes->len; i++) {
        const LpGivenOp *op = &lp_trace_node(first, i)->op;
        if (op->kind == LP_GIVEN_COMPUTE)
            continue;
        const LpTraceGroup *group =
            op->kind == LP_GIVEN_COLLECTIVE ? lp_trace_group(trace, op->group) : NULL;
        if (group == NULL || group->ranks->len < trace->ranks->len)
            return lp_value_error(error,
                                  "%s:%u: got %s of some of %u ranks, wanted the files of all "
                                  "ranks, or collectives of all",
                                  lp_file_label(first->path), op->line, lp_given_op_name(op),
                                  trace->ranks->len);
    }
    return TRUE;
}

static gboolean
read_rank(LpTrace *trace, LpTraceNaming *naming, const LpKinetoEvents *events,
          const LpKinetoScale *scale, guint32 rank, gboolean is_copy, GError **error)
{
    Reader reader = {.trace = trace,
                     .into = lp_trace_rank(trace, rank),
                     .naming = naming,
                     .events = events,
                     .scale = scale,
                     .path = lp_trace_rank(trace, rank)->path,
                     .rank = rank};
    return read_groups(&reader, error) &&
           (is_copy ? add_copy(&reader, error) : add_rank(&reader, error));
}

/* One file may stand for all ranks of its job if none differs from it. */
static guint32
count_ranks(const LpKinetoEvents *events, guint n_files)
{
    json_int_t n = json_integer_value(lp_kineto_events_head(events, "world_size"));
    return n_files == 1 && n > 1 && n <= RANKS_MAX ? (guint32)n : n_files;
}

/* Finds the rank of each file: by its name, else by its profile. */
static gboolean
find_ranks(const char *const *paths, const GPtrArray *files, guint32 *out_ranks, GError **error)
{
    g_autoptr(GError) fault = NULL;
    g_autofree gboolean *is_there = g_new0(gboolean, files->len);
    if (lp_trace_files_ranks(paths, files->len, out_ranks, &fault))
        return TRUE;
    for (guint i = 0; i < files->len; i++) {
        const json_t *rank = lp_kineto_events_head(files->pdata[i], "rank");
        json_int_t number = json_is_integer(rank) ? json_integer_value(rank) : -1;
        if (number < 0 || number >= (json_int_t)files->len || is_there[number]) {
            g_propagate_error(error, g_steal_pointer(&fault));
            return FALSE;
        }
        out_ranks[i] = (guint32)number;
        is_there[number] = TRUE;
    }
    return TRUE;
}

static GPtrArray *
load_files(const char *const *paths, guint n_paths, GError **error)
{
    g_autoptr(GPtrArray) files =
        g_ptr_array_new_with_free_func((GDestroyNotify)lp_kineto_events_free);
    for (guint i = 0; i < n_paths; i++) {
        LpKinetoEvents *events = lp_kineto_events_load(paths[i], error);
        if (events == NULL)
            return NULL;
        g_ptr_array_add(files, events);
    }
    return g_steal_pointer(&files);
}

static gboolean
read_ranks(LpTrace *trace, LpTraceNaming *naming, const GPtrArray *files, const guint32 *file_of,
           const LpKinetoScale *scale, GError **error)
{
    g_autoptr(LpTraceAlike) alike = lp_trace_alike_new(trace);
    for (guint32 rank = 0; rank < trace->ranks->len; rank++) {
        gboolean is_copy = rank >= files->len;
        if (!read_rank(trace, naming, files->pdata[file_of[rank]], scale, rank, is_copy, error) ||
            (rank == 0 && trace->ranks->len > files->len && !check_alike(trace, error)))
            return FALSE;
        if (!is_copy)
            (void)lp_trace_alike_add(alike, rank);
    }
    return lp_trace_naming_check(naming, error);
}

LpTrace *
lp_kineto_read(const char *const *paths, guint n_paths, const char *groups,
               const LpKinetoScale *scale, GError **error)
{
    g_autoptr(GPtrArray) files = load_files(paths, n_paths, error);
    g_autofree guint32 *ranks = g_new0(guint32, n_paths);
    if (files == NULL || !find_ranks(paths, files, ranks, error))
        return NULL;
    guint32 n_ranks = count_ranks(files->pdata[0], n_paths);
    g_autofree guint32 *file_of = g_new0(guint32, n_ranks);
    g_autoptr(LpTrace) trace = lp_trace_new(paths[0], n_ranks);
    for (guint i = 0; i < n_paths; i++)
        file_of[ranks[i]] = i;
    for (guint32 rank = 0; rank < n_ranks; rank++)
        lp_trace_rank(trace, rank)->path = g_strdup(paths[file_of[rank]]);
    g_autoptr(LpTraceNaming) naming = lp_trace_naming_new(trace);
    if ((groups != NULL && !lp_trace_naming_load(naming, groups, error)) ||
        !read_ranks(trace, naming, files, file_of, scale, error))
        return NULL;
    return g_steal_pointer(&trace);
}
