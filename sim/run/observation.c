/* SPDX-License-Identifier: Apache-2.0 */
/* Puts together what the program says of bytes and what the run says of instants. */
#include "sim/run/observation.h"

#include "sim/analysis/link_traffic.h"

#include <math.h>

static void
tier_clear(LpObservedTier *self)
{
    g_free(self->series);
}

static void
link_clear(LpObservedLink *self)
{
    g_free(self->name);
    g_free(self->place);
    g_free(self->series);
}

LpObservation *
lp_observation_new(void)
{
    LpObservation *self = g_new0(LpObservation, 1);
    self->tiers = g_array_new(FALSE, FALSE, sizeof(LpObservedTier));
    self->links = g_array_new(FALSE, FALSE, sizeof(LpObservedLink));
    self->blocks = g_array_new(FALSE, FALSE, sizeof(LpObservedBlock));
    self->background = g_array_new(FALSE, FALSE, sizeof(LpLoggedMessage));
    g_array_set_clear_func(self->tiers, (GDestroyNotify)tier_clear);
    g_array_set_clear_func(self->links, (GDestroyNotify)link_clear);
    return self;
}

void
lp_observation_free(LpObservation *self)
{
    if (self == NULL)
        return;
    g_array_unref(self->tiers);
    g_array_unref(self->links);
    g_array_unref(self->blocks);
    g_array_unref(self->background);
    lp_traffic_census_free(self->census);
    g_free(self);
}

void
lp_observation_add_job(LpObservation *self, const LpCircuitMap *circuits, const LpNetwork *network,
                       guint32 n_iterations)
{
    if (self->census == NULL)
        self->census = lp_traffic_census_new(network);
    lp_link_traffic_count(circuits->map, circuits->switched, n_iterations, self->census);
}

/* --- links --- */

/* What crosses a link in the whole run. */
static double
link_bytes(const LpObservation *self, const LpFlowLog *log, guint32 link, double *out_bytes)
{
    double sum = 0.0;
    for (guint kind = 0; kind < LP_N_FLOW_LOG_KINDS; kind++) {
        double bytes = kind == LP_FLOW_LOG_BACKGROUND
                           ? lp_flow_log_background_bytes(log, link)
                           : lp_traffic_census_link(self->census, link, (LpTraffic)kind);
        out_bytes[kind] = bytes;
        sum += bytes;
    }
    return sum;
}

/* A link among those of its tier. */
typedef struct {
    guint32 link;
    gboolean has_series;
    double utilisation;
} Candidate;

/* Those whose bytes the run saw come first, since only they can be followed over time; of equal
 * ones the first. */
static gint
compare_candidates(gconstpointer a, gconstpointer b)
{
    const Candidate *one = a, *other = b;
    if (one->has_series != other->has_series)
        return one->has_series ? -1 : 1;
    if (one->utilisation != other->utilisation)
        return one->utilisation > other->utilisation ? -1 : 1;
    return one->link < other->link ? -1 : one->link > other->link;
}

static double
bin_length_s(const LpObservation *self, guint bin)
{
    return MAX(MIN((bin + 1) * self->bin_s, self->end_s) - bin * self->bin_s, 0.0);
}

/* Puts up to @bytes into a bin. Returns: what it has no room for. */
static double
put(const LpObservation *self, LpFlowSeries *series, double bytes_per_s, guint bin, double bytes)
{
    double room = bytes_per_s * bin_length_s(self, bin) - series->bytes[bin];
    double taken = CLAMP(room, 0.0, bytes);
    series->bytes[bin] += taken;
    return bytes - taken;
}

static void
settle(const LpObservation *self, LpFlowSeries *series, double bytes_per_s)
{
    for (guint bin = 0; bin < self->n_bins; bin++) {
        double excess = series->bytes[bin] - bytes_per_s * bin_length_s(self, bin);
        if (excess <= 0.0)
            continue;
        double left = excess;
        for (guint away = 1; left > 0.0 && away < self->n_bins; away++) {
            if (away <= bin)
                left = put(self, series, bytes_per_s, bin - away, left);
            if (bin + away < self->n_bins)
                left = put(self, series, bytes_per_s, bin + away, left);
        }
        series->bytes[bin] -= excess - left;
    }
}

static void
add_link(LpObservation *self, LpFlowLog *log, const LpNetwork *network, guint32 link)
{
    const LpFlowSeries *series = lp_flow_log_link(log, link);
    LpObservedLink seen = {.name = g_strdup(lp_network_link_name(network, link)),
                           .place = lp_network_link_place(network, link),
                           .tier = lp_network_link(network, link).tier,
                           .block = self->census->link_block[link],
                           .bytes_per_s = lp_network_link(network, link).bytes_per_s,
                           .series = series == NULL ? NULL : g_memdup2(series, sizeof *series),
                           .busy_s = series == NULL ? -1.0 : lp_flow_log_link_busy_s(log, link)};
    link_bytes(self, log, link, seen.bytes);
    if (seen.series != NULL)
        settle(self, seen.series, seen.bytes_per_s);
    g_array_append_val(self->links, seen);
}

/* --- blocks --- */

static LpObservedBlock *
block_of(GArray *blocks, guint first, LpTier tier, guint32 block)
{
    for (guint i = first; i < blocks->len; i++)
        if (g_array_index(blocks, LpObservedBlock, i).block == block)
            return &g_array_index(blocks, LpObservedBlock, i);
    LpObservedBlock made = {.tier = tier, .block = block};
    g_array_append_val(blocks, made);
    return &g_array_index(blocks, LpObservedBlock, blocks->len - 1);
}

static gint
compare_blocks(gconstpointer a, gconstpointer b)
{
    const LpObservedBlock *one = a, *other = b;
    if (one->tier != other->tier)
        return one->tier < other->tier ? -1 : 1;
    return one->block < other->block ? -1 : one->block > other->block;
}

static void
add_block(LpObservation *self, guint first, LpTier tier, const Candidate *candidate)
{
    guint32 number = self->census->link_block[candidate->link];
    if (number == G_MAXUINT32)
        return;
    LpObservedBlock *block = block_of(self->blocks, first, tier, number);
    block->n_links++;
    block->utilisation += (candidate->utilisation - block->utilisation) / (double)block->n_links;
    block->worst_utilisation = MAX(block->worst_utilisation, candidate->utilisation);
}

/* --- tiers --- */

static double
series_sum(const LpFlowSeries *series)
{
    double sum = 0.0;
    for (guint i = 0; i < LP_FLOW_LOG_BINS; i++)
        sum += series->bytes[i];
    return sum;
}

/* When traffic of @kind crossed links of @tier. All-to-alls that keep to the rails are simulated as
 * flows to the next domain, and so may miss tiers that their pairs cross: those are crossed when
 * the others are. */
static const LpFlowSeries *
shape_of(const LpFlowLog *log, LpTier tier, guint kind)
{
    const LpFlowSeries *series = lp_flow_log_tier(log, tier, kind);
    for (LpTier other = LP_TIER_PORT; series == NULL && other < LP_N_TIERS; other++)
        series = lp_flow_log_tier(log, other, kind);
    return series;
}

/* All classes together. Returns: (transfer full), NULL if there is nothing. */
static LpFlowSeries *
tier_series(const LpObservation *self, const LpFlowLog *log, const LpObservedTier *tier)
{
    LpFlowSeries *series = NULL;
    for (guint kind = 0; kind < LP_N_FLOW_LOG_KINDS; kind++) {
        const LpFlowSeries *logged = shape_of(log, tier->tier, kind);
        double sum = logged == NULL ? 0.0 : series_sum(logged);
        if (sum <= 0.0 || tier->bytes[kind] <= 0.0)
            continue;
        if (series == NULL)
            series = g_new0(LpFlowSeries, 1);
        for (guint i = 0; i < self->n_bins; i++)
            series->bytes[i] += logged->bytes[i] * tier->bytes[kind] / sum;
    }
    return series;
}

static void
find_peak(const LpObservation *self, LpObservedTier *tier)
{
    for (guint i = 0; tier->series != NULL && i < self->n_bins; i++) {
        double length_s = bin_length_s(self, i);
        if (length_s > 0.0)
            tier->peak_bytes_per_s = MAX(tier->peak_bytes_per_s, tier->series->bytes[i] / length_s);
    }
}

static void
add_excess(LpObservedTier *tier, LpFlowLog *log, guint32 link, double needed_s)
{
    double busy_s = lp_flow_log_link_busy_s(log, link);
    if (busy_s >= 0.0)
        tier->excess_s = MAX(tier->excess_s, needed_s - busy_s);
}

static void
add_tier(LpObservation *self, LpFlowLog *log, const LpNetwork *network, LpTier tier)
{
    LpObservedTier seen = {
        .tier = tier, .has_excess = lp_flow_log_has_all(log), .excess_s = -self->end_s};
    guint first_block = self->blocks->len;
    g_autoptr(GArray) candidates = g_array_new(FALSE, FALSE, sizeof(Candidate));
    for (guint32 link = 0; link < lp_network_n_links(network); link++) {
        double bytes[LP_N_FLOW_LOG_KINDS];
        double sum = link_bytes(self, log, link, bytes);
        if (sum <= 0.0 || lp_network_link(network, link).tier != tier)
            continue;
        double bytes_per_s = lp_network_link(network, link).bytes_per_s;
        Candidate candidate = {.link = link,
                               .has_series = lp_flow_log_has_link(log, link),
                               .utilisation = sum / bytes_per_s / self->end_s};
        g_array_append_val(candidates, candidate);
        add_block(self, first_block, tier, &candidate);
        if (seen.has_excess)
            add_excess(&seen, log, link, sum / bytes_per_s);
        seen.n_links++;
        seen.bytes_per_s += bytes_per_s;
        for (guint kind = 0; kind < LP_N_FLOW_LOG_KINDS; kind++)
            seen.bytes[kind] += bytes[kind];
    }
    if (seen.n_links == 0)
        return;
    seen.series = tier_series(self, log, &seen);
    if (seen.series != NULL)
        settle(self, seen.series, seen.bytes_per_s);
    find_peak(self, &seen);
    g_array_append_val(self->tiers, seen);
    g_array_sort(candidates, compare_candidates);
    for (guint i = 0; i < MIN(candidates->len, LP_OBSERVED_LINKS); i++)
        add_link(self, log, network, g_array_index(candidates, Candidate, i).link);
}

void
lp_observation_finish(LpObservation *self, LpFlowLog *log, const LpNetwork *network, double end_s)
{
    const GArray *messages = lp_flow_log_messages(log);
    lp_flow_log_finish(log);
    self->end_s = end_s;
    self->bin_s = lp_flow_log_bin_s(log);
    self->n_bins = CLAMP((guint)ceil(end_s / self->bin_s), 1, LP_FLOW_LOG_BINS);
    for (LpTier tier = 0; tier < LP_N_TIERS; tier++)
        add_tier(self, log, network, tier);
    g_array_sort(self->blocks, compare_blocks);
    g_array_append_vals(self->background, messages->data, messages->len);
}
