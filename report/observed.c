/* SPDX-License-Identifier: Apache-2.0 */
/* Observations as JSON. */
#include "report/observed.h"

#include <math.h>

/* The digits of a link's share in a bin: a millionth. */
#define SHARE_DIGITS 1e6
/* Less of a slice is rounding. */
#define SLICE_TERM_MIN 1e-6

static const char *
kind_name(guint kind)
{
    return kind == LP_FLOW_LOG_BACKGROUND ? "background" : lp_traffic_names[kind];
}

static double
sum_of(const double *bytes)
{
    double sum = 0.0;
    for (guint kind = 0; kind < LP_N_FLOW_LOG_KINDS; kind++)
        sum += bytes[kind];
    return sum;
}

static void
add_volume(json_t *object, const double *bytes, double bytes_per_s, double duration_s)
{
    lp_json_set_number(object, "bytes_per_s", bytes_per_s);
    lp_json_set_number(object, "bytes", sum_of(bytes));
    json_t *by_class = lp_json_set_object(object, "bytes_by_class");
    for (guint kind = 0; kind < LP_N_FLOW_LOG_KINDS; kind++)
        if (bytes[kind] > 0.0)
            lp_json_set_number(by_class, kind_name(kind), bytes[kind]);
    lp_json_set_number(object, "utilisation", sum_of(bytes) / bytes_per_s / duration_s);
}

static void
add_series(json_t *object, const LpObservation *self, const LpFlowSeries *series,
           double bytes_per_s)
{
    json_t *array = lp_json_set_array(object, "utilisation_by_bin");
    for (guint bin = 0; bin < self->n_bins; bin++) {
        double length_s = MIN((bin + 1) * self->bin_s, self->end_s) - bin * self->bin_s;
        double share = length_s > 0.0 ? series->bytes[bin] / bytes_per_s / length_s : 0.0;
        lp_json_append_number(array, round(share * SHARE_DIGITS) / SHARE_DIGITS);
    }
}

static void
add_tiers(json_t *object, const LpObservation *self)
{
    json_t *array = lp_json_set_array(object, "tiers");
    for (guint i = 0; i < self->tiers->len; i++) {
        const LpObservedTier *tier = &g_array_index(self->tiers, LpObservedTier, i);
        json_t *row = lp_json_append_object(array);
        lp_json_set_text(row, "tier", lp_tier_names[tier->tier]);
        lp_json_set_count(row, "links", tier->n_links);
        add_volume(row, tier->bytes, tier->bytes_per_s, self->end_s);
        if (tier->series == NULL)
            continue;
        lp_json_set_number(row, "peak_utilisation", tier->peak_bytes_per_s / tier->bytes_per_s);
        add_series(row, self, tier->series, tier->bytes_per_s);
    }
}

static void
add_links(json_t *object, const LpObservation *self)
{
    json_t *array = lp_json_set_array(object, "links");
    for (guint i = 0; i < self->links->len; i++) {
        const LpObservedLink *link = &g_array_index(self->links, LpObservedLink, i);
        json_t *row = lp_json_append_object(array);
        lp_json_set_text(row, "name", link->name);
        lp_json_set_text(row, "place", link->place);
        lp_json_set_text(row, "tier", lp_tier_names[link->tier]);
        add_volume(row, link->bytes, link->bytes_per_s, self->end_s);
        if (link->series != NULL)
            add_series(row, self, link->series, link->bytes_per_s);
    }
}

static void
add_blocks(json_t *object, const LpObservation *self)
{
    lp_json_set_count(object, "block_accelerators", self->census->block_size);
    json_t *array = lp_json_set_array(object, "blocks");
    for (guint i = 0; i < self->blocks->len; i++) {
        const LpObservedBlock *block = &g_array_index(self->blocks, LpObservedBlock, i);
        json_t *row = lp_json_append_object(array);
        lp_json_set_text(row, "tier", lp_tier_names[block->tier]);
        lp_json_set_count(row, "block", block->block);
        lp_json_set_count(row, "links", block->n_links);
        lp_json_set_number(row, "utilisation", block->utilisation);
        lp_json_set_number(row, "worst_utilisation", block->worst_utilisation);
    }
}

static void
add_pairs(json_t *object, const LpTrafficCensus *census)
{
    json_t *array = lp_json_set_array(object, "pairs");
    for (LpTraffic traffic = 0; traffic < LP_N_TRAFFIC; traffic++)
        for (guint32 from = 0; from < census->n_blocks; from++)
            for (guint32 to = 0; to < census->n_blocks; to++) {
                double bytes = lp_traffic_census_pair(census, traffic, from, to);
                if (bytes <= 0.0)
                    continue;
                json_t *row = lp_json_append_object(array);
                lp_json_set_text(row, "class", lp_traffic_names[traffic]);
                lp_json_set_count(row, "from", from);
                lp_json_set_count(row, "to", to);
                lp_json_set_number(row, "bytes", bytes);
            }
}

static void
add_messages(json_t *object, const LpTrafficCensus *census)
{
    json_t *array = lp_json_set_array(object, "messages");
    for (guint i = 0; i < census->messages->len; i++) {
        const LpMessageCount *message = &g_array_index(census->messages, LpMessageCount, i);
        json_t *row = lp_json_append_object(array);
        lp_json_set_text(row, "class", lp_traffic_names[message->traffic]);
        lp_json_set_text(row, "operation",
                         message->operation == LP_MESSAGE_BETWEEN_STAGES
                             ? "message"
                             : lp_collective_names[message->operation]);
        lp_json_set_count(row, "bytes", message->bytes);
        lp_json_set_number(row, "count", message->n);
    }
}

/* --- the timeline --- */

/* A slice of one of the jobs. */
typedef struct {
    const LpTrack *track; /* borrowed */
    const char *name;     /* borrowed */
    const char *lane;     /* borrowed */
    guint32 stage;
    gint32 micro_batch;
    guint32 circuit_lane;
    gboolean is_waiting;
    guint64 bytes;
    double start_s, end_s;
    LpTerms terms; /* zero: all of it is one */
} Shown;

static gint
compare_lengths(gconstpointer a, gconstpointer b)
{
    double one = *(const double *)a, other = *(const double *)b;
    return one > other ? -1 : one < other;
}

/* Stages evenly from the first to the last. */
static gboolean
is_stage_shown(guint32 stage, guint32 n_stages)
{
    if (n_stages <= LP_OBSERVED_STAGES_MAX)
        return TRUE;
    for (guint i = 0; i < LP_OBSERVED_STAGES_MAX; i++)
        if (stage == i * (n_stages - 1) / (LP_OBSERVED_STAGES_MAX - 1))
            return TRUE;
    return FALSE;
}

static void
gather_track(GArray *shown, const LpTrack *track)
{
    const LpTimeline *timeline = track->timeline;
    guint32 n_stages = lp_timeline_n_stages(timeline);
    for (guint i = 0; i < timeline->slices->len; i++) {
        const LpSlice *slice = &g_array_index(timeline->slices, LpSlice, i);
        Shown one = {.track = track,
                     .name = slice->name,
                     .lane = lp_lane_names[slice->lane],
                     .stage = slice->stage,
                     .micro_batch = slice->micro_batch,
                     .circuit_lane = G_MAXUINT32,
                     .is_waiting = slice->is_waiting,
                     .bytes = slice->bytes,
                     .start_s = slice->start_s,
                     .end_s = slice->end_s,
                     .terms = slice->terms};
        if (is_stage_shown(slice->stage, n_stages) && one.end_s > one.start_s)
            g_array_append_val(shown, one);
    }
    for (guint i = 0; i < timeline->circuits->len; i++) {
        const LpCircuitSlice *slice = &g_array_index(timeline->circuits, LpCircuitSlice, i);
        Shown one = {.track = track,
                     .name = slice->name,
                     .lane = "circuit",
                     .stage = slice->stage,
                     .micro_batch = -1,
                     .circuit_lane = slice->lane,
                     .start_s = slice->start_s,
                     .end_s = MIN(slice->up_s, slice->end_s)};
        if (!is_stage_shown(slice->stage, n_stages))
            continue;
        if (one.end_s > one.start_s) {
            Shown switching = one;
            switching.name = "switching";
            switching.is_waiting = TRUE;
            g_array_append_val(shown, switching);
        }
        one.start_s = one.end_s;
        one.end_s = slice->end_s;
        if (one.end_s > one.start_s)
            g_array_append_val(shown, one);
    }
}

/* The length below which slices of @lane are not shown, since there are too many. Each lane has its
 * share of the slices, so that short slices of one lane do not vanish beside long ones of another.
 */
static double
shortest_shown(const GArray *shown, const char *lane, guint n_lanes)
{
    guint most = LP_OBSERVED_SLICES_MAX / n_lanes, n = 0;
    g_autofree double *lengths = g_new(double, shown->len);
    for (guint i = 0; i < shown->len; i++) {
        const Shown *one = &g_array_index(shown, Shown, i);
        if (g_str_equal(one->lane, lane))
            lengths[n++] = one->end_s - one->start_s;
    }
    if (n <= most)
        return 0.0;
    qsort(lengths, n, sizeof *lengths, compare_lengths);
    return lengths[most];
}

/* Adds the terms of a slice that has several, without those that are only rounding. */
static void
add_slice_terms(json_t *row, const Shown *one)
{
    double least_s = SLICE_TERM_MIN * (one->end_s - one->start_s);
    guint n = 0;
    for (LpTerm term = 0; term < LP_N_TERMS; term++)
        n += one->terms.s[term] > least_s;
    if (n < 2)
        return;
    json_t *terms = lp_json_set_object(row, "terms_s");
    for (LpTerm term = 0; term < LP_N_TERMS; term++)
        if (one->terms.s[term] > least_s)
            lp_json_set_number(terms, lp_term_names[term], one->terms.s[term]);
}

static void
add_slice(json_t *array, const Shown *one)
{
    json_t *row = lp_json_append_object(array);
    if (one->track->name != NULL)
        lp_json_set_text(row, "job", one->track->name);
    lp_json_set_count(row, "stage", one->stage);
    lp_json_set_text(row, "lane", one->lane);
    if (one->circuit_lane != G_MAXUINT32)
        lp_json_set_count(row, "circuit_lane", one->circuit_lane);
    lp_json_set_text(row, "name", one->name);
    if (one->micro_batch >= 0)
        lp_json_set_count(row, "micro_batch", (guint64)one->micro_batch);
    if (one->bytes > 0)
        lp_json_set_count(row, "bytes", one->bytes);
    if (one->is_waiting)
        (void)json_object_set_new(row, "waiting", json_true());
    lp_json_set_number(row, "start_s", one->start_s);
    lp_json_set_number(row, "end_s", one->end_s);
    add_slice_terms(row, one);
}

/* Finds the lanes that have slices. Returns: how many. */
static guint
find_lanes(const GArray *shown, const char **out_lanes)
{
    guint n = 0;
    for (guint i = 0; i < shown->len; i++) {
        const char *lane = g_array_index(shown, Shown, i).lane;
        guint k = 0;
        while (k < n && !g_str_equal(out_lanes[k], lane))
            k++;
        if (k == n)
            out_lanes[n++] = lane;
    }
    return n;
}

static void
add_timeline(json_t *object, const LpTrack *tracks, guint n_tracks)
{
    g_autoptr(GArray) shown = g_array_new(FALSE, FALSE, sizeof(Shown));
    guint n_left_out = 0;
    for (guint i = 0; i < n_tracks; i++)
        gather_track(shown, &tracks[i]);
    const char *lanes[LP_N_LANES + 1];
    double shortest_s[LP_N_LANES + 1], longest_s = 0.0;
    guint n_lanes = find_lanes(shown, lanes);
    for (guint i = 0; i < n_lanes; i++) {
        shortest_s[i] = shortest_shown(shown, lanes[i], n_lanes);
        longest_s = MAX(longest_s, shortest_s[i]);
    }
    json_t *array = lp_json_set_array(object, "timeline");
    for (guint i = 0; i < shown->len; i++) {
        const Shown *one = &g_array_index(shown, Shown, i);
        guint lane = 0;
        while (!g_str_equal(lanes[lane], one->lane))
            lane++;
        if (shortest_s[lane] > 0.0 && one->end_s - one->start_s <= shortest_s[lane])
            n_left_out++;
        else
            add_slice(array, one);
    }
    if (n_left_out == 0)
        return;
    lp_json_set_count(object, "slices_left_out", n_left_out);
    lp_json_set_number(object, "longest_left_out_s", longest_s);
}

void
lp_observed_add(json_t *object, const LpObservation *self, const LpTrack *tracks, guint n_tracks)
{
    json_t *observed = lp_json_set_object(object, "observed");
    if (self->census != NULL) {
        lp_json_set_number(observed, "duration_s", self->end_s);
        lp_json_set_number(observed, "bin_s", self->bin_s);
        add_tiers(observed, self);
        add_links(observed, self);
        add_blocks(observed, self);
        add_pairs(observed, self->census);
        add_messages(observed, self->census);
    }
    add_timeline(observed, tracks, n_tracks);
}
