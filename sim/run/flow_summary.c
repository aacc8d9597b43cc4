/* SPDX-License-Identifier: Apache-2.0 */
/* Sums and quantiles of a record of flows. */
#include "sim/run/flow_summary.h"

#include <math.h>
#include <string.h>

static guint
n_kinds_of(guint n_jobs)
{
    return n_jobs * LP_N_TRAFFIC + 1;
}

gsize
lp_flow_summary_bytes(guint n_jobs)
{
    gsize n_kinds = n_kinds_of(n_jobs), n_links = (gsize)n_jobs * LP_SUMMARY_LINKS;
    return sizeof(double) * n_jobs * LP_N_TIERS + sizeof(LpSlowdown) * n_kinds +
           sizeof(LpHeldLink) * n_links + sizeof(LpCrossing) * n_links * n_kinds;
}

LpFlowSummary
lp_flow_summary_in(void *block, guint n_jobs)
{
    LpFlowSummary self = {.n_jobs = n_jobs, .n_kinds = n_kinds_of(n_jobs)};
    guint n_links = n_jobs * LP_SUMMARY_LINKS;
    self.tier_lost_s = block;
    self.slowdowns = (gpointer)(self.tier_lost_s + (gsize)n_jobs * LP_N_TIERS);
    self.links = (gpointer)(self.slowdowns + self.n_kinds);
    self.crossings = (gpointer)(self.links + n_links);
    return self;
}

const LpCrossing *
lp_flow_summary_crossings(const LpFlowSummary *self, guint job, guint place)
{
    return self->crossings + ((gsize)job * LP_SUMMARY_LINKS + place) * self->n_kinds;
}

static gint
compare_numbers(gconstpointer a, gconstpointer b)
{
    double one = *(const double *)a, other = *(const double *)b;
    return one < other ? -1 : one > other;
}

/* The smallest value that at least @fraction of all do not exceed. */
static double
quantile(const GArray *sorted, double fraction)
{
    guint rank = (guint)ceil(fraction * sorted->len);
    return g_array_index(sorted, double, MAX(rank, 1) - 1);
}

static void
fill_slowdowns(LpFlowSummary *self, const LpFlowRecord *record)
{
    for (guint kind = 0; kind < self->n_kinds; kind++) {
        GArray *values = record->slowdowns[kind];
        if (values->len == 0)
            continue;
        g_array_sort(values, compare_numbers);
        self->slowdowns[kind] = (LpSlowdown){.n_flows = values->len,
                                             .ideal_s = record->ideal_s[kind],
                                             .actual_s = record->actual_s[kind],
                                             .median = quantile(values, 0.5),
                                             .p99 = quantile(values, 0.99),
                                             .worst = quantile(values, 1.0)};
    }
}

/* A link that flows crossed. */
typedef struct {
    const char *name; /* borrowed from the network */
    guint32 link;
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
    for (guint32 link = 0; link < record->n_links; link++) {
        Crossed found = {NULL, link};
        if (record->crossings[link] == NULL)
            continue;
        found.name = lp_network_link_name(network, link);
        g_array_append_val(crossed, found);
    }
    g_array_sort(crossed, compare_names);
    return crossed;
}

/* Keeps the costliest; of equal ones the first. */
static void
insert(LpHeldLink *links, LpHeldLink link)
{
    for (guint i = 0; i < LP_SUMMARY_LINKS; i++)
        if (link.lost_s > links[i].lost_s) {
            LpHeldLink kept = links[i];
            links[i] = link;
            link = kept;
        }
}

static void
fill_job(LpFlowSummary *self, guint job, const LpFlowRecord *record, const GArray *crossed,
         const LpNetwork *network)
{
    LpHeldLink *links = self->links + (gsize)job * LP_SUMMARY_LINKS;
    for (guint i = 0; i < crossed->len; i++) {
        guint32 link = g_array_index(crossed, Crossed, i).link;
        double lost_s = 0.0;
        for (guint traffic = 0; traffic < LP_N_TRAFFIC; traffic++)
            lost_s += record->crossings[link][lp_flow_record_kind(record, job, traffic)].lost_s;
        self->tier_lost_s[job * LP_N_TIERS + lp_network_link(network, link).tier] += lost_s;
        insert(links, (LpHeldLink){link, lost_s});
    }
    for (guint i = 0; i < LP_SUMMARY_LINKS && links[i].lost_s > 0.0; i++)
        memcpy(self->crossings + ((gsize)job * LP_SUMMARY_LINKS + i) * self->n_kinds,
               record->crossings[links[i].link], sizeof(LpCrossing) * self->n_kinds);
}

void
lp_flow_summary_fill(LpFlowSummary *self, const LpFlowRecord *record, const LpNetwork *network)
{
    fill_slowdowns(self, record);
    g_autoptr(GArray) crossed = find_crossed(record, network);
    for (guint job = 0; job < self->n_jobs; job++)
        fill_job(self, job, record, crossed, network);
}
