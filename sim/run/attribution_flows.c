/* SPDX-License-Identifier: Apache-2.0 */
/* Sums and quantiles of a record of flows. */
#include "sim/run/attribution_flows.h"

#include <math.h>
#include <string.h>

static guint
n_kinds_of(guint n_jobs)
{
    return n_jobs * LP_N_TRAFFIC + 1;
}

gsize
lp_attribution_flows_bytes(guint n_jobs)
{
    gsize n_kinds = n_kinds_of(n_jobs), n_links = (gsize)n_jobs * LP_SUMMARY_LINKS;
    return sizeof(double) * n_jobs * LP_N_TIERS + sizeof(LpSlowdown) * n_kinds +
           sizeof(LpBottleneckLink) * n_links + sizeof(LpCrossing) * n_links * n_kinds;
}

LpAttributionFlows
lp_attribution_flows_in(void *block, guint n_jobs)
{
    LpAttributionFlows self = {.n_jobs = n_jobs, .n_kinds = n_kinds_of(n_jobs)};
    guint n_links = n_jobs * LP_SUMMARY_LINKS;
    self.tier_lost_s = block;
    self.slowdowns = (gpointer)(self.tier_lost_s + (gsize)n_jobs * LP_N_TIERS);
    self.links = (gpointer)(self.slowdowns + self.n_kinds);
    self.crossings = (gpointer)(self.links + n_links);
    return self;
}

const LpCrossing *
lp_attribution_flows_crossings(const LpAttributionFlows *self, guint job, guint place)
{
    return self->crossings + ((gsize)job * LP_SUMMARY_LINKS + place) * self->n_kinds;
}

static gint
compare_slowdowns(gconstpointer a, gconstpointer b)
{
    double one = ((const LpFlowSlowdown *)a)->ratio, other = ((const LpFlowSlowdown *)b)->ratio;
    return one < other ? -1 : one > other;
}

static guint64
count_flows(const GArray *slowdowns)
{
    guint64 n = 0;
    for (guint i = 0; i < slowdowns->len; i++)
        n += g_array_index(slowdowns, LpFlowSlowdown, i).n;
    return n;
}

/* The smallest value that at least @fraction of all @n_flows do not exceed. */
static double
quantile(const GArray *sorted, guint64 n_flows, double fraction)
{
    guint64 rank = MAX((guint64)ceil(fraction * (double)n_flows), 1), n = 0;
    guint i = 0;
    while ((n += g_array_index(sorted, LpFlowSlowdown, i).n) < rank)
        i++;
    return g_array_index(sorted, LpFlowSlowdown, i).ratio;
}

static void
fill_slowdowns(LpAttributionFlows *self, const LpFlowRecord *record)
{
    for (guint kind = 0; kind < self->n_kinds; kind++) {
        GArray *values = record->slowdowns[kind];
        guint64 n = count_flows(values);
        if (n == 0)
            continue;
        g_array_sort(values, compare_slowdowns);
        self->slowdowns[kind] = (LpSlowdown){.n_flows = n,
                                             .ideal_s = record->ideal_s[kind],
                                             .actual_s = record->actual_s[kind],
                                             .median = quantile(values, n, 0.5),
                                             .p99 = quantile(values, n, 0.99),
                                             .worst = quantile(values, n, 1.0)};
    }
}

/* A link that flows crossed, or the one of lowest number of a class of links. */
typedef struct {
    const char *name; /* borrowed from the network */
    guint32 link;
    guint32 n_alike;
    const LpCrossing *crossings; /* borrowed from the record, by kind */
} Crossed;

static gint
compare_names(gconstpointer a, gconstpointer b)
{
    const Crossed *one = a, *other = b;
    return strcmp(one->name, other->name);
}

/* By name: where links cost as much, what is shown does not hang on how they are numbered. Returns:
 * (transfer full) of Crossed. */
static GArray *
find_crossed(const LpFlowRecord *record, const LpNetwork *network)
{
    GArray *crossed = g_array_new(FALSE, FALSE, sizeof(Crossed));
    const LpLinkClasses *classes =
        record->quotient == NULL ? NULL : lp_quotient_links(record->quotient);
    for (guint32 link = 0; link < record->n_links; link++) {
        Crossed found = {NULL, link, 1, record->crossings[link]};
        if (found.crossings == NULL)
            continue;
        if (classes != NULL) {
            found.link = classes->lowest[link];
            found.n_alike = classes->n_alike[link];
        }
        found.name = lp_network_link_name(network, found.link);
        g_array_append_val(crossed, found);
    }
    g_array_sort(crossed, compare_names);
    return crossed;
}

/* The costliest. */
typedef struct {
    LpBottleneckLink links[LP_SUMMARY_LINKS];
    const LpCrossing *crossings[LP_SUMMARY_LINKS]; /* borrowed */
} Costliest;

/* Of equal ones the first stays. */
static void
insert(Costliest *self, LpBottleneckLink link, const LpCrossing *crossings)
{
    for (guint i = 0; i < LP_SUMMARY_LINKS; i++) {
        if (lp_bottleneck_link_all_s(&link) <= lp_bottleneck_link_all_s(&self->links[i]))
            continue;
        LpBottleneckLink kept = self->links[i];
        const LpCrossing *kept_crossings = self->crossings[i];
        self->links[i] = link;
        self->crossings[i] = crossings;
        link = kept;
        crossings = kept_crossings;
    }
}

/* What a flow of @flow_class adds to what crossed a link of its own, which @weight of its bytes do.
 */
static void
add_class(LpCrossing *crossings, const LpFlowRecord *record, guint32 flow_class, double weight)
{
    const LpCrossing *of_class = &record->of_class[flow_class];
    LpCrossing *at = &crossings[record->class_kind[flow_class]];
    if (of_class->n_flows == 0)
        return;
    at->from_s = at->n_flows == 0 ? of_class->from_s : MIN(at->from_s, of_class->from_s);
    at->to_s = MAX(at->to_s, of_class->to_s);
    at->n_flows += of_class->n_flows;
    at->bytes += of_class->bytes * weight;
}

/* Of a class of links only what it held back is recorded: what crossed one of them is what their
 * flows carried. */
static void
add_classes(LpCrossing *crossings, const LpFlowRecord *record, guint32 link)
{
    const LpFlowList *list = lp_quotient_flows(record->quotient);
    const guint32 *classes = lp_quotient_flow_classes(record->quotient);
    for (guint i = 0; i < list->flows->len; i++) {
        const LpFlowOfRun *flow = &g_array_index(list->flows, LpFlowOfRun, i);
        for (guint32 k = 0; k < lp_flow_of_run_n_links(flow); k++)
            if (flow->route->links[k] == link)
                add_class(crossings, record, classes[i], lp_route_weight(flow->route, k));
    }
}

static void
fill_job(LpAttributionFlows *self, guint job, const LpFlowRecord *record, const GArray *crossed,
         const LpNetwork *network)
{
    Costliest costliest = {.links = {{.lost_s = 0.0}}};
    for (guint i = 0; i < crossed->len; i++) {
        const Crossed *at = &g_array_index(crossed, Crossed, i);
        LpBottleneckLink held = {at->link, at->n_alike, 0.0};
        for (guint traffic = 0; traffic < LP_N_TRAFFIC; traffic++)
            held.lost_s += at->crossings[lp_flow_record_kind(record, job, traffic)].lost_s;
        self->tier_lost_s[job * LP_N_TIERS + lp_network_link(network, at->link).tier] +=
            lp_bottleneck_link_all_s(&held);
        insert(&costliest, held, at->crossings);
    }
    for (guint i = 0; i < LP_SUMMARY_LINKS && costliest.links[i].lost_s > 0.0; i++) {
        gsize place = (gsize)job * LP_SUMMARY_LINKS + i;
        LpCrossing *crossings = self->crossings + place * self->n_kinds;
        self->links[place] = costliest.links[i];
        memcpy(crossings, costliest.crossings[i], sizeof(LpCrossing) * self->n_kinds);
        if (record->quotient != NULL)
            add_classes(crossings, record, self->links[place].link);
    }
}

void
lp_attribution_flows_fill(LpAttributionFlows *self, const LpFlowRecord *record,
                          const LpNetwork *network)
{
    fill_slowdowns(self, record);
    g_autoptr(GArray) crossed = find_crossed(record, network);
    for (guint job = 0; job < self->n_jobs; job++)
        fill_job(self, job, record, crossed, network);
}
