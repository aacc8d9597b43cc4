/* SPDX-License-Identifier: Apache-2.0 */
/* Timelines in the JSON that Perfetto and chrome://tracing open (Trace Event Format). */
#include "report/report.h"

#include <string.h>

static void
add_text(JsonBuilder *builder, const char *key, const char *value)
{
    json_builder_set_member_name(builder, key);
    json_builder_add_string_value(builder, value);
}

static void
add_int(JsonBuilder *builder, const char *key, gint64 value)
{
    json_builder_set_member_name(builder, key);
    json_builder_add_int_value(builder, value);
}

/* Names and orders a track: "M" events carry what belongs to no instant. */
static void
add_metadata(JsonBuilder *builder, const char *event, guint32 stage, gint64 stream,
             const char *name)
{
    json_builder_begin_object(builder);
    add_text(builder, "name", event);
    add_text(builder, "ph", "M");
    add_int(builder, "pid", stage);
    if (stream >= 0)
        add_int(builder, "tid", stream);
    json_builder_set_member_name(builder, "args");
    json_builder_begin_object(builder);
    add_text(builder, "name", name);
    json_builder_end_object(builder);
    json_builder_end_object(builder);
}

static void
add_tracks(JsonBuilder *builder, const LpTimeline *timeline)
{
    guint32 n_stages = 0;
    for (guint i = 0; i < timeline->slices->len; i++)
        n_stages = MAX(n_stages, g_array_index(timeline->slices, LpSlice, i).stage + 1);
    for (guint32 stage = 0; stage < n_stages; stage++) {
        g_autofree char *name = g_strdup_printf("stage %u", stage);
        add_metadata(builder, "process_name", stage, -1, name);
        for (LpStream stream = 0; stream < LP_N_STREAMS; stream++)
            add_metadata(builder, "thread_name", stage, (gint64)stream, lp_stream_names[stream]);
    }
}

/* The format counts in microseconds. */
static void
add_time(JsonBuilder *builder, const char *key, double time_s)
{
    json_builder_set_member_name(builder, key);
    json_builder_add_double_value(builder, time_s * 1e6);
}

static void
add_slice(JsonBuilder *builder, const LpSlice *slice)
{
    g_autofree char *name = slice->micro_batch < 0
                                ? g_strdup(slice->name)
                                : g_strdup_printf("%s %d", slice->name, slice->micro_batch);
    json_builder_begin_object(builder);
    add_text(builder, "name", name);
    add_text(builder, "cat", lp_stream_names[slice->stream]);
    add_text(builder, "ph", "X");
    add_int(builder, "pid", slice->stage);
    add_int(builder, "tid", (gint64)slice->stream);
    add_time(builder, "ts", slice->start_s);
    add_time(builder, "dur", slice->end_s - slice->start_s);
    json_builder_set_member_name(builder, "args");
    json_builder_begin_object(builder);
    if (slice->micro_batch >= 0)
        add_int(builder, "micro_batch", slice->micro_batch);
    add_int(builder, "chunk", slice->chunk);
    json_builder_end_object(builder);
    json_builder_end_object(builder);
}

char *
lp_report_trace(const LpTimeline *timeline, const char *title)
{
    g_autoptr(JsonBuilder) builder = json_builder_new();
    json_builder_begin_object(builder);
    add_text(builder, "displayTimeUnit", "ms");
    json_builder_set_member_name(builder, "otherData");
    json_builder_begin_object(builder);
    add_text(builder, "title", title);
    json_builder_end_object(builder);
    json_builder_set_member_name(builder, "traceEvents");
    json_builder_begin_array(builder);
    add_tracks(builder, timeline);
    for (guint i = 0; i < timeline->slices->len; i++)
        add_slice(builder, &g_array_index(timeline->slices, LpSlice, i));
    json_builder_end_array(builder);
    json_builder_end_object(builder);
    g_autoptr(JsonNode) root = json_builder_get_root(builder);
    return lp_report_print_json(root);
}
