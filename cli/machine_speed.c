/* SPDX-License-Identifier: Apache-2.0 */
/* A short piece of work of the kind that engines do. */
#include "cli/machine_speed.h"

#include <time.h>

/* What it takes where ring-1024-bare takes LP_FORECAST_RING_S, the quickest of many. */
#define REFERENCE_S 0.0090
#define N_TURNS 3
#define N_EVENTS 50000u
#define N_AT_ONCE 4096u

double
lp_processor_s(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct {
    double end_s;
    guint32 place;
} Event;

static int
compare(const void *a, const void *b, void *data)
{
    (void)data;
    const Event *first = a, *second = b;
    return first->end_s < second->end_s ? -1
           : first->end_s > second->end_s
               ? 1
               : (first->place > second->place) - (first->place < second->place);
}

/* Events that end and start others: a small heap object each, found by place, in order of time. */
static double
work(void)
{
    g_autoptr(GTree) queue = g_tree_new_full(compare, NULL, g_free, NULL);
    guint32 state = 1;
    double now_s = 0.0;
    for (guint32 i = 0; i < N_EVENTS; i++) {
        GTreeNode *first = i < N_AT_ONCE ? NULL : g_tree_node_first(queue);
        if (first != NULL) {
            now_s = ((const Event *)g_tree_node_key(first))->end_s;
            (void)g_tree_remove(queue, g_tree_node_key(first));
        }
        state = state * 1664525u + 1013904223u;
        Event *event = g_new(Event, 1);
        *event = (Event){now_s + 1e-9 * (double)(state >> 8), i};
        g_tree_insert(queue, event, NULL);
    }
    return now_s;
}

double
lp_machine_slowness(void)
{
    double quickest_s = G_MAXDOUBLE;
    for (guint i = 0; i < N_TURNS; i++) {
        double start_s = lp_processor_s();
        volatile double end_s = work();
        (void)end_s;
        quickest_s = MIN(quickest_s, lp_processor_s() - start_s);
    }
    return quickest_s / REFERENCE_S;
}
