/* SPDX-License-Identifier: Apache-2.0 */
/* A walk in depth, from each node to those that it depends on. */
#include "workloads/traces/trace_order.h"

#include "base/error.h"
#include "base/file.h"

static gboolean
fail_at(const LpTraceRank *rank, guint place, GError **error, const char *what, guint64 id,
        const char *wanted)
{
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                "%s:%u: got %s %" G_GUINT64_FORMAT ", wanted %s", lp_file_label(rank->path),
                place + 1, what, id, wanted);
    return FALSE;
}

/* For each dependency, the place of the node that it names. */
static guint *
find_places(const LpTraceRank *rank, GError **error)
{
    g_autoptr(GHashTable) places = g_hash_table_new(g_int64_hash, g_int64_equal);
    for (guint i = 0; i < rank->nodes->len; i++) {
        LpTraceNode *node = lp_trace_node(rank, i);
        if (!g_hash_table_insert(places, &node->id, GUINT_TO_POINTER(i))) {
            (void)fail_at(rank, i, error, "a second node", node->id, "each id once");
            return NULL;
        }
    }
    g_autofree guint *found = g_new0(guint, rank->deps->len + 1);
    for (guint i = 0; i < rank->nodes->len; i++) {
        const LpTraceNode *node = lp_trace_node(rank, i);
        for (guint k = node->first_dep; k < node->first_dep + node->n_deps; k++) {
            guint64 id = g_array_index(rank->deps, guint64, k);
            gpointer place;
            gboolean is_there = g_hash_table_lookup_extended(places, &id, NULL, &place);
            if (!is_there && k < node->first_dep + node->n_deps - node->n_callers) {
                (void)fail_at(rank, i, error, "a dependency on node", id, "one of the file's");
                return NULL;
            }
            found[k] = is_there ? GPOINTER_TO_UINT(place) : LP_TRACE_NO_NODE;
        }
    }
    return g_steal_pointer(&found);
}

typedef enum {
    NEW,
    OPEN, /* on the way from the node that the walk began at */
    DONE
} State;

typedef struct {
    const LpTraceRank *rank; /* borrowed */
    const guint *deps;       /* borrowed */
    guint8 *state;           /* owned, by place: State */
    guint *n_followed;       /* owned, by place: dependencies that are done */
    GArray *way;             /* owned: guint, places that are open */
    GArray *order;           /* owned */
} Walk;

static gboolean
is_done(const Walk *self, guint dep)
{
    return self->deps[dep] == LP_TRACE_NO_NODE || self->state[self->deps[dep]] == DONE;
}

static gboolean
walk(Walk *self, guint start, GError **error)
{
    g_array_append_val(self->way, start);
    while (self->way->len > 0) {
        guint place = g_array_index(self->way, guint, self->way->len - 1);
        const LpTraceNode *node = lp_trace_node(self->rank, place);
        self->state[place] = OPEN;
        while (self->n_followed[place] < node->n_deps &&
               is_done(self, node->first_dep + self->n_followed[place]))
            self->n_followed[place]++;
        if (self->n_followed[place] == node->n_deps) {
            self->state[place] = DONE;
            g_array_append_val(self->order, place);
            g_array_set_size(self->way, self->way->len - 1);
            continue;
        }
        guint next = self->deps[node->first_dep + self->n_followed[place]];
        if (self->state[next] == OPEN)
            return fail_at(self->rank, place, error, "a cycle of dependencies through node",
                           node->id, "none");
        g_array_append_val(self->way, next);
    }
    return TRUE;
}

static GArray *
sort(const LpTraceRank *rank, const gboolean *is_late, const guint *deps, GError **error)
{
    guint n = rank->nodes->len;
    g_autofree guint8 *state = g_new0(guint8, n + 1);
    g_autofree guint *n_followed = g_new0(guint, n + 1);
    g_autoptr(GArray) way = g_array_new(FALSE, FALSE, sizeof(guint));
    g_autoptr(GArray) order = g_array_sized_new(FALSE, FALSE, sizeof(guint), n);
    Walk self = {rank, deps, state, n_followed, way, order};
    for (guint late = 0; late < 2; late++)
        for (guint i = 0; i < n; i++)
            if (state[i] == NEW && (late == 1 || !is_late[i]) && !walk(&self, i, error))
                return NULL;
    return g_steal_pointer(&order);
}

static void
leave_callers_out(const LpTraceRank *rank, guint *io_deps)
{
    for (guint i = 0; i < rank->nodes->len; i++) {
        const LpTraceNode *node = lp_trace_node(rank, i);
        guint end = node->first_dep + node->n_deps;
        for (guint k = end - node->n_callers; k < end; k++)
            io_deps[k] = LP_TRACE_NO_NODE;
    }
}

GArray *
lp_trace_order(const LpTraceRank *rank, const gboolean *is_late, guint **out_deps, GError **error)
{
    g_autofree guint *deps = find_places(rank, error);
    if (deps == NULL)
        return NULL;
    g_autoptr(GArray) order = sort(rank, is_late, deps, NULL);
    if (order == NULL) {
        leave_callers_out(rank, deps);
        order = sort(rank, is_late, deps, error);
    }
    if (order != NULL)
        *out_deps = g_steal_pointer(&deps);
    return g_steal_pointer(&order);
}
