/* SPDX-License-Identifier: Apache-2.0 */
/* Timelines in the JSON that Perfetto and chrome://tracing open (Trace Event Format). */
#include "base/json.h"
#include "report/report.h"

/* Names and orders a track: "M" events carry what belongs to no instant. */
static void
add_metadata(json_t *array, const char *event, guint32 stage, gint64 lane, const char *name)
{
    json_t *object = lp_json_append_object(array);
    lp_json_set_text(object, "name", event);
    lp_json_set_text(object, "ph", "M");
    lp_json_set_count(object, "pid", stage);
    if (lane >= 0)
        lp_json_set_count(object, "tid", (guint64)lane);
    json_t *args = lp_json_set_object(object, "args");
    lp_json_set_text(args, "name", name);
}

/* @first: the number of the track's first stage among all. */
static void
add_names(json_t *events, const LpTrack *track, guint32 first)
{
    guint32 n_stages = lp_timeline_n_stages(track->timeline);
    for (guint32 stage = 0; stage < n_stages; stage++) {
        g_autofree char *name = track->name == NULL
                                    ? g_strdup_printf("stage %u", stage)
                                    : g_strdup_printf("%s, stage %u", track->name, stage);
        add_metadata(events, "process_name", first + stage, -1, name);
        for (LpLane lane = 0; lane < LP_N_LANES; lane++)
            add_metadata(events, "thread_name", first + stage, (gint64)lane, lp_lane_names[lane]);
    }
}

static void
add_slice(json_t *array, const LpSlice *slice, guint32 first)
{
    g_autofree char *name = slice->micro_batch < 0
                                ? g_strdup(slice->name)
                                : g_strdup_printf("%s %d", slice->name, slice->micro_batch);
    json_t *object = lp_json_append_object(array);
    lp_json_set_text(object, "name", name);
    lp_json_set_text(object, "cat", lp_lane_names[slice->lane]);
    lp_json_set_text(object, "ph", "X");
    lp_json_set_count(object, "pid", first + slice->stage);
    lp_json_set_count(object, "tid", slice->lane);
    /* The format counts in microseconds. */
    lp_json_set_number(object, "ts", slice->start_s * 1e6);
    lp_json_set_number(object, "dur", (slice->end_s - slice->start_s) * 1e6);
    json_t *args = lp_json_set_object(object, "args");
    if (slice->micro_batch >= 0)
        lp_json_set_count(args, "micro_batch", (guint64)slice->micro_batch);
    lp_json_set_count(args, "chunk", slice->chunk);
}

static void
add_circuit_part(json_t *array, const LpCircuitSlice *slice, guint32 first, const char *name,
                 double start_s, double end_s)
{
    if (end_s <= start_s)
        return;
    json_t *object = lp_json_append_object(array);
    lp_json_set_text(object, "name", name);
    lp_json_set_text(object, "cat", "circuit");
    lp_json_set_text(object, "ph", "X");
    lp_json_set_count(object, "pid", first + slice->stage);
    lp_json_set_count(object, "tid", LP_N_LANES + slice->lane);
    lp_json_set_number(object, "ts", start_s * 1e6);
    lp_json_set_number(object, "dur", (end_s - start_s) * 1e6);
    json_t *args = lp_json_set_object(object, "args");
    lp_json_set_count(args, "to_attachment", slice->peer);
}

/* A lane's circuits: first it switches, then it carries bytes. */
static void
add_circuits(json_t *events, const LpTimeline *timeline, guint32 first)
{
    for (guint i = 0; i < timeline->circuits->len; i++) {
        const LpCircuitSlice *slice = &g_array_index(timeline->circuits, LpCircuitSlice, i);
        g_autofree char *lane = g_strdup_printf("circuit lane %u", slice->lane);
        g_autofree char *name = g_strdup_printf("%s to %u", slice->name, slice->peer);
        add_metadata(events, "thread_name", first + slice->stage, (gint64)LP_N_LANES + slice->lane,
                     lane);
        add_circuit_part(events, slice, first, "switching", slice->start_s,
                         MIN(slice->up_s, slice->end_s));
        add_circuit_part(events, slice, first, name, slice->up_s, slice->end_s);
    }
}

char *
lp_report_trace_tracks(const LpTrack *tracks, guint n_tracks, const char *title)
{
    g_autoptr(json_t) root = json_object();
    lp_json_set_text(root, "displayTimeUnit", "ms");
    json_t *other = lp_json_set_object(root, "otherData");
    lp_json_set_text(other, "title", title);
    json_t *events = lp_json_set_array(root, "traceEvents");
    guint32 first = 0;
    for (guint n = 0; n < n_tracks; n++) {
        const GArray *slices = tracks[n].timeline->slices;
        add_names(events, &tracks[n], first);
        for (guint i = 0; i < slices->len; i++)
            add_slice(events, &g_array_index(slices, LpSlice, i), first);
        add_circuits(events, tracks[n].timeline, first);
        first += lp_timeline_n_stages(tracks[n].timeline);
    }
    return lp_json_print(root);
}

char *
lp_report_trace(const LpTimeline *timeline, const char *title)
{
    return lp_report_trace_tracks(&(LpTrack){timeline, NULL}, 1, title);
}
