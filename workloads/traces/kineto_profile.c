/* SPDX-License-Identifier: Apache-2.0 */
/* Sums kernels up by kind, and by what runs at a time. */
#include "workloads/traces/kineto_profile.h"

/* --- what runs at a time --- */

/* A kernel begins or ends. */
typedef struct {
    double at_s;
    gboolean communicates;
    int change;
} Edge;

static int
compare(gconstpointer a, gconstpointer b)
{
    const Edge *one = a, *other = b;
    return one->at_s < other->at_s ? -1 : one->at_s > other->at_s;
}

static void
add_edges(GArray *edges, const LpKinetoWork *work)
{
    gboolean communicates = work->kind == LP_KINETO_COMMUNICATION;
    Edge begin = {work->start_s, communicates, 1}, end = {work->end_s, communicates, -1};
    g_array_append_val(edges, begin);
    g_array_append_val(edges, end);
}

static void
sweep(LpKinetoProfile *self, const GArray *edges, double from_s)
{
    int n[2] = {0, 0};
    double at_s = from_s;
    for (guint i = 0; i < edges->len; i++) {
        const Edge *edge = &g_array_index(edges, Edge, i);
        double part_s = edge->at_s - at_s;
        self->computing_s += n[0] > 0 ? part_s : 0.0;
        self->communicating_s += n[1] > 0 ? part_s : 0.0;
        self->overlap_s += n[0] > 0 && n[1] > 0 ? part_s : 0.0;
        self->idle_s += n[0] == 0 && n[1] == 0 ? part_s : 0.0;
        n[edge->communicates ? 1 : 0] += edge->change;
        at_s = edge->at_s;
    }
    self->span_s = at_s - from_s;
}

LpKinetoProfile
lp_kineto_profile(const LpKinetoEvents *events)
{
    LpKinetoProfile self = {.span_s = 0.0};
    g_autoptr(GArray) edges = g_array_new(FALSE, FALSE, sizeof(Edge));
    double from_s = G_MAXDOUBLE;
    for (guint i = 0; i < events->works->len; i++) {
        const LpKinetoWork *work = &g_array_index(events->works, LpKinetoWork, i);
        self.n[work->kind]++;
        self.sum_s[work->kind] += work->end_s - work->start_s;
        from_s = MIN(from_s, work->called_end_s > 0.0 ? work->called_s : work->start_s);
        add_edges(edges, work);
    }
    g_array_sort(edges, compare);
    sweep(&self, edges, from_s);
    return self;
}
