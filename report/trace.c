/* SPDX-License-Identifier: Apache-2.0 */
/* Timelines in the JSON that Perfetto and chrome://tracing open (Trace Event Format). */
#include "report/json.h"
#include "report/report.h"

/* Names and orders a track: "M" events carry what belongs to no instant. */
static void
add_metadata(JsonBuilder *builder, const char *event, guint32 stage, gint64 lane, const char *name)
{
    json_builder_begin_object(builder);
    lp_json_text(builder, "name", event);
    lp_json_text(builder, "ph", "M");
    lp_json_count(builder, "pid", stage);
    if (lane >= 0)
        lp_json_count(builder, "tid", (guint64)lane);
    lp_json_begin(builder, "args");
    lp_json_text(builder, "name", name);
    json_builder_end_object(builder);
    json_builder_end_object(builder);
}

static guint32
count_stages(const LpTimeline *timeline)
{
    guint32 n_stages = 0;
    for (guint i = 0; i < timeline->slices->len; i++)
        n_stages = MAX(n_stages, g_array_index(timeline->slices, LpSlice, i).stage + 1);
    return n_stages;
}

/* @first: the number of the track's first stage among all. */
static void
add_names(JsonBuilder *builder, const LpTrack *track, guint32 first)
{
    guint32 n_stages = count_stages(track->timeline);
    for (guint32 stage = 0; stage < n_stages; stage++) {
        g_autofree char *name = track->name == NULL
                                    ? g_strdup_printf("stage %u", stage)
                                    : g_strdup_printf("%s, stage %u", track->name, stage);
        add_metadata(builder, "process_name", first + stage, -1, name);
        for (LpLane lane = 0; lane < LP_N_LANES; lane++)
            add_metadata(builder, "thread_name", first + stage, (gint64)lane, lp_lane_names[lane]);
    }
}

static void
add_slice(JsonBuilder *builder, const LpSlice *slice, guint32 first)
{
    g_autofree char *name = slice->micro_batch < 0
                                ? g_strdup(slice->name)
                                : g_strdup_printf("%s %d", slice->name, slice->micro_batch);
    json_builder_begin_object(builder);
    lp_json_text(builder, "name", name);
    lp_json_text(builder, "cat", lp_lane_names[slice->lane]);
    lp_json_text(builder, "ph", "X");
    lp_json_count(builder, "pid", first + slice->stage);
    lp_json_count(builder, "tid", slice->lane);
    /* The format counts in microseconds. */
    lp_json_number(builder, "ts", slice->start_s * 1e6);
    lp_json_number(builder, "dur", (slice->end_s - slice->start_s) * 1e6);
    lp_json_begin(builder, "args");
    if (slice->micro_batch >= 0)
        lp_json_count(builder, "micro_batch", (guint64)slice->micro_batch);
    lp_json_count(builder, "chunk", slice->chunk);
    json_builder_end_object(builder);
    json_builder_end_object(builder);
}

char *
lp_report_trace_tracks(const LpTrack *tracks, guint n_tracks, const char *title)
{
    g_autoptr(JsonBuilder) builder = json_builder_new();
    json_builder_begin_object(builder);
    lp_json_text(builder, "displayTimeUnit", "ms");
    lp_json_begin(builder, "otherData");
    lp_json_text(builder, "title", title);
    json_builder_end_object(builder);
    lp_json_begin_array(builder, "traceEvents");
    guint32 first = 0;
    for (guint n = 0; n < n_tracks; n++) {
        const GArray *slices = tracks[n].timeline->slices;
        add_names(builder, &tracks[n], first);
        for (guint i = 0; i < slices->len; i++)
            add_slice(builder, &g_array_index(slices, LpSlice, i), first);
        first += count_stages(tracks[n].timeline);
    }
    json_builder_end_array(builder);
    json_builder_end_object(builder);
    g_autoptr(JsonNode) root = json_builder_get_root(builder);
    return lp_json_print(root);
}

char *
lp_report_trace(const LpTimeline *timeline, const char *title)
{
    return lp_report_trace_tracks(&(LpTrack){timeline, NULL}, 1, title);
}
