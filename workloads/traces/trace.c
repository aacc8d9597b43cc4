/* SPDX-License-Identifier: Apache-2.0 */
/* Traces as arrays. */
#include "workloads/traces/trace.h"

#include <string.h>

static void
rank_free(LpTraceRank *self)
{
    g_free(self->path);
    g_array_unref(self->nodes);
    g_array_unref(self->deps);
    g_array_unref(self->groups);
    g_free(self);
}

static void
group_clear(LpTraceGroup *self)
{
    g_free(self->name);
    g_free(self->kind);
    g_array_unref(self->ranks);
}

LpTrace *
lp_trace_new(const char *path, guint32 n_ranks)
{
    LpTrace *self = g_new0(LpTrace, 1);
    self->path = g_strdup(path);
    self->execution.host_is_free = TRUE;
    self->compute_stream = LP_TRACE_NO_STREAM;
    self->ranks = g_ptr_array_new_with_free_func((GDestroyNotify)rank_free);
    self->groups = g_array_new(FALSE, TRUE, sizeof(LpTraceGroup));
    g_array_set_clear_func(self->groups, (GDestroyNotify)group_clear);
    for (guint32 rank = 0; rank < n_ranks; rank++) {
        LpTraceRank *one = g_new0(LpTraceRank, 1);
        one->nodes = g_array_new(FALSE, TRUE, sizeof(LpTraceNode));
        one->deps = g_array_new(FALSE, FALSE, sizeof(guint64));
        one->groups = g_array_new(FALSE, FALSE, sizeof(guint32));
        one->like = rank;
        g_ptr_array_add(self->ranks, one);
    }
    return self;
}

void
lp_trace_free(LpTrace *self)
{
    if (self == NULL)
        return;
    g_free(self->path);
    g_free(self->name);
    g_free(self->settings);
    g_ptr_array_unref(self->ranks);
    g_array_unref(self->groups);
    g_free(self);
}

LpTraceRank *
lp_trace_rank(const LpTrace *self, guint32 rank)
{
    return self->ranks->pdata[rank];
}

LpTraceNode *
lp_trace_node(const LpTraceRank *self, guint place)
{
    return &g_array_index(self->nodes, LpTraceNode, place);
}

LpTraceGroup *
lp_trace_group(const LpTrace *self, guint32 index)
{
    return &g_array_index(self->groups, LpTraceGroup, index);
}

guint32
lp_trace_add_group(LpTrace *self, const char *name, const char *kind)
{
    LpTraceGroup group = {.name = g_strdup(name),
                          .kind = g_strdup(kind),
                          .traffic = LP_TRAFFIC_DP,
                          .ranks = g_array_new(FALSE, FALSE, sizeof(guint32))};
    g_array_append_val(self->groups, group);
    return self->groups->len - 1;
}

LpTraceNode *
lp_trace_add_node(LpTraceRank *self, const LpTraceNode *node)
{
    g_array_append_vals(self->nodes, node, 1);
    LpTraceNode *added = lp_trace_node(self, self->nodes->len - 1);
    added->first_dep = self->deps->len;
    added->n_deps = 0;
    return added;
}

void
lp_trace_add_dep(LpTraceRank *self, guint64 id)
{
    g_array_append_val(self->deps, id);
    lp_trace_node(self, self->nodes->len - 1)->n_deps++;
}
