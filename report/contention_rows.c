/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts what was found. */
#include "report/contention_rows.h"

#include <math.h>
#include <string.h>

const LpScenarioJob *
lp_contention_job(const LpContentionReport *self, guint index)
{
    return lp_scenario_setup_job(self->scenario_setup, index)->job;
}

guint64
lp_contention_n_ranks(const LpContentionReport *self)
{
    guint64 n = 0;
    for (guint i = 0; i < self->scenario_setup->jobs->len; i++)
        n += lp_scenario_setup_job(self->scenario_setup, i)->n_ranks;
    return n;
}

static gint
compare_pairs(gconstpointer a, gconstpointer b)
{
    const LpPairRow *one = a, *other = b;
    if (one->seconds != other->seconds)
        return one->seconds > other->seconds ? -1 : 1;
    return one->delayed != other->delayed ? (gint)one->delayed - (gint)other->delayed
                                          : (gint)one->by - (gint)other->by;
}

GArray *
lp_pair_rows_new(const LpAttribution *self)
{
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(LpPairRow));
    for (LpContender delayed = 0; delayed < LP_CONTENDER_OTHERS; delayed++)
        for (LpContender by = 0; by < LP_N_CONTENDERS; by++) {
            LpPairRow row = {delayed, by, self->pair_s[delayed][by]};
            if (self->contends[delayed] && self->contends[by])
                g_array_append_val(rows, row);
        }
    g_array_sort(rows, compare_pairs);
    return rows;
}

static gint
compare_what_ifs(gconstpointer a, gconstpointer b)
{
    const LpWhatIfRow *one = a, *other = b;
    if ((one->misfit != NULL) != (other->misfit != NULL))
        return one->misfit != NULL ? 1 : -1;
    if (one->saved_per_unit_s != other->saved_per_unit_s)
        return one->saved_per_unit_s > other->saved_per_unit_s ? -1 : 1;
    return strcmp(one->name, other->name);
}

GArray *
lp_what_if_rows_new(const LpContentionReport *self, guint job)
{
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(LpWhatIfRow));
    double now_s = self->attributions->jobs[job].iteration_time_s;
    for (guint i = 0; self->what_ifs != NULL && i < self->what_ifs->len; i++) {
        const LpVariantRow *variant = &g_array_index(self->what_ifs, LpVariantRow, i);
        LpWhatIfRow row = {
            .name = variant->name, .units = variant->units, .misfit = variant->misfit};
        if (variant->misfit == NULL) {
            row.time_s = variant->times_s[job];
            row.saved_s = now_s - row.time_s;
            row.saved_per_unit_s = row.saved_s / row.units;
        }
        g_array_append_val(rows, row);
    }
    g_array_sort(rows, compare_what_ifs);
    return rows;
}

LpDistribution
lp_distribution(const GArray *rows, guint job)
{
    g_autofree double *times_s = g_new(double, rows->len);
    for (guint i = 0; i < rows->len; i++)
        times_s[i] = g_array_index(rows, LpVariantRow, i).times_s[job];
    return lp_distribution_of(times_s, rows->len);
}

static gint
compare_links(gconstpointer a, gconstpointer b)
{
    const LpLinkRow *one = a, *other = b;
    if (one->seconds != other->seconds)
        return one->seconds > other->seconds ? -1 : 1;
    return one->place < other->place ? -1 : 1;
}

static double
utilisation(const LpContentionReport *self, guint job, guint place, const LpLink *link)
{
    const LpFlowSummary *flows = &self->attributions->flows;
    const LpCrossing *crossings = lp_flow_summary_crossings(flows, job, place);
    double bytes = 0.0;
    for (guint kind = 0; kind < flows->n_kinds; kind++)
        bytes += crossings[kind].bytes;
    return bytes / (link->bytes_per_s * self->attributions->duration_s);
}

GArray *
lp_link_rows_new(const LpContentionReport *self, guint job)
{
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(LpLinkRow));
    const LpNetwork *network = self->scenario_setup->network;
    for (guint place = 0; place < LP_SUMMARY_LINKS; place++) {
        LpHeldLink held = self->attributions->flows.links[job * LP_SUMMARY_LINKS + place];
        if (held.lost_s <= 0.0)
            break;
        LpLink link = lp_network_link(network, held.link);
        LpLinkRow row = {
            .place = place,
            .link = held.link,
            .name = lp_network_link_name(network, held.link),
            .tier = link.tier,
            .n_alike = held.n_alike,
            .seconds = lp_attributions_link_s(self->attributions, self->scenario_setup, job, place),
            .utilisation = utilisation(self, job, place, &link)};
        g_array_append_val(rows, row);
    }
    g_array_sort(rows, compare_links);
    return rows;
}

double
lp_other_links_s(const LpContentionReport *self, guint job, const GArray *link_rows)
{
    const LpAttribution *attribution = &self->attributions->jobs[job];
    double all_s = attribution->total_s - attribution->interaction_s - attribution->circuits_s;
    double rest_s = all_s;
    for (guint i = 0; i < link_rows->len; i++)
        rest_s -= g_array_index(link_rows, LpLinkRow, i).seconds;
    /* Rounding of the sum above. */
    return fabs(rest_s) < 1e-12 * fabs(all_s) ? 0.0 : rest_s;
}
