/* SPDX-License-Identifier: Apache-2.0 */
/* Events of a trace. */
#include "report/perfetto.h"

#include "base/json.h"

/* Threads of a stage: so many for each lane, then those of circuits. */
#define THREADS_OF_LANE 16u
#define FIRST_CIRCUIT_THREAD (THREADS_OF_LANE * LP_N_LANES)
/* Threads of background messages; what finds none free shares the last. */
#define BACKGROUND_THREADS 64u
/* The format counts in microseconds. */
#define PER_S 1e6

/* The events of a process. */
typedef struct {
    json_t *events; /* borrowed */
    guint32 process;
} Sink;

/* --- events --- */

/* Names a process (@thread below 0) or a thread: "M" events carry what belongs to no instant. */
static void
add_name(const Sink *self, const char *event, gint64 thread, const char *name)
{
    json_t *object = lp_json_append_object(self->events);
    lp_json_set_text(object, "name", event);
    lp_json_set_text(object, "ph", "M");
    lp_json_set_count(object, "pid", self->process);
    if (thread >= 0)
        lp_json_set_count(object, "tid", (guint64)thread);
    lp_json_set_text(lp_json_set_object(object, "args"), "name", name);
}

static void
add_order(const Sink *self, gint64 thread)
{
    json_t *object = lp_json_append_object(self->events);
    lp_json_set_text(object, "name", thread < 0 ? "process_sort_index" : "thread_sort_index");
    lp_json_set_text(object, "ph", "M");
    lp_json_set_count(object, "pid", self->process);
    if (thread >= 0)
        lp_json_set_count(object, "tid", (guint64)thread);
    lp_json_set_count(lp_json_set_object(object, "args"), "sort_index",
                      thread < 0 ? self->process : (guint64)thread);
}

/* Returns: its arguments, borrowed. */
static json_t *
add_slice(const Sink *self, guint64 thread, const char *category, const char *name, double start_s,
          double end_s)
{
    json_t *object = lp_json_append_object(self->events);
    lp_json_set_text(object, "name", name);
    lp_json_set_text(object, "cat", category);
    lp_json_set_text(object, "ph", "X");
    lp_json_set_count(object, "pid", self->process);
    lp_json_set_count(object, "tid", thread);
    lp_json_set_number(object, "ts", start_s * PER_S);
    lp_json_set_number(object, "dur", (end_s - start_s) * PER_S);
    return lp_json_set_object(object, "args");
}

/* An end of an arrow: it binds to the slice in which it lies. */
static void
add_arrow(const Sink *self, guint64 thread, gboolean is_start, guint64 number, double at_s)
{
    json_t *object = lp_json_append_object(self->events);
    lp_json_set_text(object, "name", "message");
    lp_json_set_text(object, "cat", "pp");
    lp_json_set_text(object, "ph", is_start ? "s" : "f");
    if (!is_start)
        lp_json_set_text(object, "bp", "e");
    lp_json_set_count(object, "id", number);
    lp_json_set_count(object, "pid", self->process);
    lp_json_set_count(object, "tid", thread);
    lp_json_set_number(object, "ts", at_s * PER_S);
}

/* --- stages --- */

static gint
compare_slices(gconstpointer a, gconstpointer b)
{
    const LpSlice *one = *(const LpSlice *const *)a, *other = *(const LpSlice *const *)b;
    if (one->stage != other->stage)
        return one->stage < other->stage ? -1 : 1;
    if (one->lane != other->lane)
        return one->lane < other->lane ? -1 : 1;
    if (one->start_s != other->start_s)
        return one->start_s < other->start_s ? -1 : 1;
    return one->end_s < other->end_s ? -1 : one->end_s > other->end_s;
}

/* Slices of a thread must not overlap: each goes to the first thread of its lane that is free. */
typedef struct {
    double free_s[THREADS_OF_LANE];
    guint n; /* in use */
} Lane;

static guint
take_thread(Lane *self, double start_s, double end_s)
{
    guint thread = 0;
    while (thread < self->n && self->free_s[thread] > start_s && thread < THREADS_OF_LANE - 1)
        thread++;
    self->n = MAX(self->n, thread + 1);
    self->free_s[thread] = end_s;
    return thread;
}

static void
add_arrow_of(const Sink *self, guint64 thread, const LpSlice *slice, guint64 first_message)
{
    gboolean is_start = g_strcmp0(slice->name, "send") == 0;
    double length_s = slice->end_s - slice->start_s;
    if (slice->message != 0)
        add_arrow(self, thread, is_start, first_message + slice->message,
                  is_start ? slice->start_s : slice->end_s - 0.01 * length_s);
}

static void
add_stage_slice(const Sink *self, guint64 thread, const LpSlice *slice)
{
    g_autofree char *name = slice->micro_batch < 0
                                ? g_strdup(slice->name)
                                : g_strdup_printf("%s %d", slice->name, slice->micro_batch);
    json_t *args = add_slice(self, thread, slice->is_waiting ? "wait" : lp_lane_names[slice->lane],
                             name, slice->start_s, slice->end_s);
    if (slice->micro_batch >= 0)
        lp_json_set_count(args, "micro_batch", (guint64)slice->micro_batch);
    lp_json_set_count(args, "chunk", slice->chunk);
    if (slice->bytes > 0)
        lp_json_set_count(args, "bytes", slice->bytes);
}

/* Names the threads of a lane, all that its slices take. */
static void
name_lane(const Sink *self, LpLane lane, const Lane *taken)
{
    for (guint i = 0; i < taken->n; i++) {
        g_autofree char *name = i == 0 ? g_strdup(lp_lane_names[lane])
                                       : g_strdup_printf("%s %u", lp_lane_names[lane], i + 1);
        add_name(self, "thread_name", (gint64)lane * THREADS_OF_LANE + i, name);
        add_order(self, (gint64)lane * THREADS_OF_LANE + i);
    }
}

/* @first: the process of its first stage. @first_message: below the numbers of its messages. */
static void
add_slices(json_t *events, const LpTimeline *timeline, guint32 first, guint64 first_message)
{
    guint n = timeline->slices->len;
    g_autofree const LpSlice **sorted = g_new(const LpSlice *, n);
    for (guint i = 0; i < n; i++)
        sorted[i] = &g_array_index(timeline->slices, LpSlice, i);
    qsort(sorted, n, sizeof *sorted, compare_slices);
    Lane lane = {.n = 0};
    for (guint i = 0; i < n; i++) {
        const LpSlice *slice = sorted[i];
        Sink sink = {events, first + slice->stage};
        guint64 thread = (guint64)slice->lane * THREADS_OF_LANE +
                         take_thread(&lane, slice->start_s, slice->end_s);
        add_stage_slice(&sink, thread, slice);
        add_arrow_of(&sink, thread, slice, first_message);
        gboolean is_last = i + 1 == n || sorted[i + 1]->stage != slice->stage ||
                           sorted[i + 1]->lane != slice->lane;
        if (!is_last)
            continue;
        name_lane(&sink, slice->lane, &lane);
        lane.n = 0;
    }
}

/* A lane's circuits: first it switches, then it carries bytes. */
static void
add_circuits(json_t *events, const LpTimeline *timeline, guint32 first)
{
    for (guint i = 0; i < timeline->circuits->len; i++) {
        const LpCircuitSlice *slice = &g_array_index(timeline->circuits, LpCircuitSlice, i);
        Sink sink = {events, first + slice->stage};
        guint64 thread = (guint64)FIRST_CIRCUIT_THREAD + slice->lane;
        g_autofree char *lane = g_strdup_printf("circuit lane %u", slice->lane);
        g_autofree char *name = g_strdup_printf("%s to %u", slice->name, slice->peer);
        double up_s = MIN(slice->up_s, slice->end_s);
        add_name(&sink, "thread_name", (gint64)thread, lane);
        if (up_s > slice->start_s)
            lp_json_set_count(add_slice(&sink, thread, "wait", "switching", slice->start_s, up_s),
                              "to_attachment", slice->peer);
        if (slice->end_s > up_s)
            lp_json_set_count(add_slice(&sink, thread, "circuit", name, up_s, slice->end_s),
                              "to_attachment", slice->peer);
    }
}

static guint64
most_messages(const LpTimeline *timeline)
{
    guint64 most = 0;
    for (guint i = 0; i < timeline->slices->len; i++)
        most = MAX(most, g_array_index(timeline->slices, LpSlice, i).message);
    return most;
}

static void
name_stages(json_t *events, const LpTrack *track, guint32 first)
{
    for (guint32 stage = 0; stage < lp_timeline_n_stages(track->timeline); stage++) {
        g_autofree char *name = track->name == NULL
                                    ? g_strdup_printf("stage %u", stage)
                                    : g_strdup_printf("%s, stage %u", track->name, stage);
        Sink sink = {events, first + stage};
        add_name(&sink, "process_name", -1, name);
        add_order(&sink, -1);
    }
}

/* --- the machine --- */

static void
add_counter(const Sink *self, const char *name, double at_s, double share)
{
    json_t *object = lp_json_append_object(self->events);
    lp_json_set_text(object, "name", name);
    lp_json_set_text(object, "ph", "C");
    lp_json_set_count(object, "pid", self->process);
    lp_json_set_number(object, "ts", at_s * PER_S);
    lp_json_set_number(lp_json_set_object(object, "args"), "utilisation", share);
}

static void
add_counters(const Sink *self, const LpObservation *observation, const char *name,
             const LpFlowSeries *series, double bytes_per_s)
{
    for (guint i = 0; i < observation->n_bins; i++) {
        double from_s = i * observation->bin_s;
        double length_s = MIN(from_s + observation->bin_s, observation->end_s) - from_s;
        if (length_s > 0.0)
            add_counter(self, name, from_s, series->bytes[i] / bytes_per_s / length_s);
    }
    add_counter(self, name, observation->end_s, 0.0);
}

static void
add_links(const Sink *self, const LpObservation *observation)
{
    add_name(self, "process_name", -1, "links");
    add_order(self, -1);
    for (guint i = 0; i < observation->tiers->len; i++) {
        const LpObservedTier *tier = &g_array_index(observation->tiers, LpObservedTier, i);
        g_autofree char *name = g_strdup_printf("all of %s", lp_tier_names[tier->tier]);
        if (tier->series != NULL)
            add_counters(self, observation, name, tier->series, tier->bytes_per_s);
    }
    for (guint i = 0; i < observation->links->len; i++) {
        const LpObservedLink *link = &g_array_index(observation->links, LpObservedLink, i);
        g_autofree char *name = g_strdup_printf("%s %s", lp_tier_names[link->tier], link->name);
        if (link->series != NULL)
            add_counters(self, observation, name, link->series, link->bytes_per_s);
    }
}

static gint
compare_messages(gconstpointer a, gconstpointer b)
{
    const LpLoggedMessage *one = a, *other = b;
    return one->start_s < other->start_s ? -1 : one->start_s > other->start_s;
}

/* What finds no thread free is left out: slices of a thread must not overlap. */
static void
add_background(const Sink *self, const LpObservation *observation)
{
    double free_s[BACKGROUND_THREADS] = {0.0};
    guint n_threads = 0;
    g_autoptr(GArray) messages = g_array_copy(observation->background);
    g_array_sort(messages, compare_messages);
    add_name(self, "process_name", -1, "background traffic");
    add_order(self, -1);
    for (guint i = 0; i < messages->len; i++) {
        const LpLoggedMessage *message = &g_array_index(messages, LpLoggedMessage, i);
        guint thread = 0;
        while (thread < BACKGROUND_THREADS && free_s[thread] > message->start_s)
            thread++;
        if (thread == BACKGROUND_THREADS)
            continue;
        free_s[thread] = message->end_s;
        n_threads = MAX(n_threads, thread + 1);
        json_t *args =
            add_slice(self, thread, "background", "message", message->start_s, message->end_s);
        lp_json_set_number(args, "bytes", message->bytes);
        lp_json_set_count(args, "traffic", message->sender);
    }
    for (guint i = 0; i < n_threads; i++) {
        g_autofree char *name = g_strdup_printf("message %u", i + 1);
        add_name(self, "thread_name", i, name);
    }
}

char *
lp_perfetto_trace(const LpTrack *tracks, guint n_tracks, const LpObservation *observation,
                  const char *title)
{
    g_autoptr(json_t) root = json_object();
    lp_json_set_text(root, "displayTimeUnit", "ms");
    lp_json_set_text(lp_json_set_object(root, "otherData"), "title", title);
    Sink sink = {lp_json_set_array(root, "traceEvents"), 0};
    guint64 first_message = 0;
    for (guint n = 0; n < n_tracks; n++) {
        const LpTimeline *timeline = tracks[n].timeline;
        name_stages(sink.events, &tracks[n], sink.process);
        add_slices(sink.events, timeline, sink.process, first_message);
        add_circuits(sink.events, timeline, sink.process);
        sink.process += lp_timeline_n_stages(timeline);
        first_message += most_messages(timeline);
    }
    if (observation != NULL && observation->census != NULL)
        add_links(&sink, observation);
    sink.process++;
    if (observation != NULL && observation->background->len > 0)
        add_background(&sink, observation);
    return lp_json_print_flat(root);
}
