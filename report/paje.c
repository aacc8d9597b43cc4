/* SPDX-License-Identifier: Apache-2.0 */
/* Events of Paje. SimGrid 3.32 writes such traces itself, but not of machines with clusters whose
 * links go both ways: it aborts with "container ... not found". */
#include "report/paje.h"

#include <string.h>

/* Types and their aliases. */
#define MACHINE "M"
#define STAGE "S"
#define LANE "L"
#define LINK "K"
#define STATE "T"
#define MESSAGE "P"
#define USED "B"

/* A file says itself what the numbers and fields of its events mean. */
static const struct {
    const char *name, *fields;
} definitions[] = {{"PajeDefineContainerType", "Alias string|Type string|Name string"},
                   {"PajeDefineVariableType", "Alias string|Type string|Name string|Color color"},
                   {"PajeDefineStateType", "Alias string|Type string|Name string"},
                   {"PajeDefineLinkType", "Alias string|Type string|StartContainerType string|"
                                          "EndContainerType string|Name string"},
                   {"PajeCreateContainer", "Time date|Alias string|Type string|Container string|"
                                           "Name string"},
                   {"PajeDestroyContainer", "Time date|Type string|Name string"},
                   {"PajeSetVariable", "Time date|Type string|Container string|Value double"},
                   {"PajePushState", "Time date|Type string|Container string|Value string"},
                   {"PajePopState", "Time date|Type string|Container string"},
                   {"PajeStartLink", "Time date|Type string|Container string|Value string|"
                                     "StartContainer string|Key string"},
                   {"PajeEndLink", "Time date|Type string|Container string|Value string|"
                                   "EndContainer string|Key string"}};

enum {
    DEFINE_CONTAINER,
    DEFINE_VARIABLE,
    DEFINE_STATE,
    DEFINE_LINK,
    CREATE,
    DESTROY,
    SET,
    PUSH,
    POP,
    START,
    END
};

/* Events happen at instants, and stand in their order in the file. */
typedef struct {
    double at_s;
    guint rank; /* of those at one instant: what ends comes first */
    guint number;
    char *text; /* owned */
} Event;

typedef struct {
    GString *text;
    GArray *events; /* owned: Event */
} Trace;

static void
event_clear(Event *self)
{
    g_free(self->text);
}

static gint
compare_events(gconstpointer a, gconstpointer b)
{
    const Event *one = a, *other = b;
    if (one->at_s != other->at_s)
        return one->at_s < other->at_s ? -1 : 1;
    if (one->rank != other->rank)
        return one->rank < other->rank ? -1 : 1;
    return one->number < other->number ? -1 : one->number > other->number;
}

static void add_event(Trace *self, guint kind, guint rank, double at_s, const char *format, ...)
    G_GNUC_PRINTF(5, 6);

static void
add_event(Trace *self, guint kind, guint rank, double at_s, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *rest = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    Event event = {at_s, rank, self->events->len,
                   g_strdup_printf("%u %.12f %s\n", kind, at_s, rest)};
    g_array_append_val(self->events, event);
}

static void
add_header(GString *text)
{
    for (guint i = 0; i < G_N_ELEMENTS(definitions); i++) {
        g_auto(GStrv) fields = g_strsplit(definitions[i].fields, "|", -1);
        g_string_append_printf(text, "%%EventDef %s %u\n", definitions[i].name, i);
        for (guint k = 0; fields[k] != NULL; k++)
            g_string_append_printf(text, "%% %s\n", fields[k]);
        g_string_append(text, "%EndEventDef\n");
    }
    g_string_append_printf(text, "%u " MACHINE " 0 \"machine\"\n", DEFINE_CONTAINER);
    g_string_append_printf(text, "%u " STAGE " " MACHINE " \"stage\"\n", DEFINE_CONTAINER);
    g_string_append_printf(text, "%u " LANE " " STAGE " \"lane\"\n", DEFINE_CONTAINER);
    g_string_append_printf(text, "%u " LINK " " MACHINE " \"links\"\n", DEFINE_CONTAINER);
    g_string_append_printf(text, "%u " STATE " " LANE " \"state\"\n", DEFINE_STATE);
    g_string_append_printf(text, "%u " MESSAGE " " MACHINE " " LANE " " LANE " \"message\"\n",
                           DEFINE_LINK);
    g_string_append_printf(text, "%u " USED " " LINK " \"bandwidth_used\" \"0.5 0.5 0.5\"\n",
                           DEFINE_VARIABLE);
}

/* Quotes would end a name. */
static char *
safe(const char *name)
{
    char *text = g_strdup(name);
    return g_strdelimit(text, "\"\r\n", '\'');
}

/* --- stages --- */

static void
create_stages(Trace *self, guint track, const LpTrack *of)
{
    for (guint32 stage = 0; stage < lp_timeline_n_stages(of->timeline); stage++) {
        g_autofree char *job = of->name == NULL ? g_strdup("") : safe(of->name);
        g_string_append_printf(self->text, "%u 0 s%u_%u " STAGE " m \"%s%sstage %u\"\n", CREATE,
                               track, stage, job, *job == '\0' ? "" : ", ", stage);
        for (LpLane lane = 0; lane < LP_N_LANES; lane++)
            g_string_append_printf(self->text, "%u 0 l%u_%u_%u " LANE " s%u_%u \"%s\"\n", CREATE,
                                   track, stage, (guint)lane, track, stage, lp_lane_names[lane]);
    }
}

/* Sending and receiving on one stream may overlap: states are pushed onto each other. */
static void
add_slice(Trace *self, guint track, const LpSlice *slice)
{
    g_autofree char *lane = g_strdup_printf("l%u_%u_%u", track, slice->stage, (guint)slice->lane);
    if (slice->end_s > slice->start_s) {
        add_event(self, PUSH, 2, slice->start_s, STATE " %s \"%s\"", lane, slice->name);
        add_event(self, POP, 0, slice->end_s, STATE " %s", lane);
    }
    if (slice->message == 0)
        return;
    gboolean is_send = strcmp(slice->name, "send") == 0;
    add_event(self, is_send ? START : END, is_send ? 2 : 3, is_send ? slice->start_s : slice->end_s,
              MESSAGE " m \"message\" %s \"%u:%" G_GUINT64_FORMAT "\"", lane, track,
              slice->message);
}

/* --- links --- */

static void
add_series(Trace *self, const LpObservation *observation, const char *name, guint number,
           const LpFlowSeries *series)
{
    g_autofree char *quoted = safe(name);
    if (series == NULL)
        return;
    g_string_append_printf(self->text, "%u 0 k%u " LINK " m \"%s\"\n", CREATE, number, quoted);
    for (guint bin = 0; bin < observation->n_bins; bin++) {
        double from_s = bin * observation->bin_s;
        double length_s = MIN(from_s + observation->bin_s, observation->end_s) - from_s;
        if (length_s > 0.0)
            add_event(self, SET, 1, from_s, USED " k%u %.9g", number,
                      series->bytes[bin] / length_s);
    }
    add_event(self, SET, 1, observation->end_s, USED " k%u 0", number);
}

static void
add_links(Trace *self, const LpObservation *observation)
{
    guint number = 0;
    for (guint i = 0; i < observation->tiers->len; i++) {
        const LpObservedTier *tier = &g_array_index(observation->tiers, LpObservedTier, i);
        g_autofree char *name = g_strdup_printf("all of %s", lp_tier_names[tier->tier]);
        add_series(self, observation, name, number++, tier->series);
    }
    for (guint i = 0; i < observation->links->len; i++) {
        const LpObservedLink *link = &g_array_index(observation->links, LpObservedLink, i);
        add_series(self, observation, link->name, number++, link->series);
    }
}

char *
lp_paje_trace(const LpTrack *tracks, guint n_tracks, const LpObservation *observation)
{
    Trace trace = {g_string_new(NULL), g_array_new(FALSE, FALSE, sizeof(Event))};
    g_array_set_clear_func(trace.events, (GDestroyNotify)event_clear);
    add_header(trace.text);
    g_string_append_printf(trace.text, "%u 0 m " MACHINE " 0 \"machine\"\n", CREATE);
    for (guint track = 0; track < n_tracks; track++) {
        const GArray *slices = tracks[track].timeline->slices;
        create_stages(&trace, track, &tracks[track]);
        for (guint i = 0; i < slices->len; i++)
            add_slice(&trace, track, &g_array_index(slices, LpSlice, i));
    }
    if (observation->census != NULL)
        add_links(&trace, observation);
    g_array_sort(trace.events, compare_events);
    for (guint i = 0; i < trace.events->len; i++)
        g_string_append(trace.text, g_array_index(trace.events, Event, i).text);
    g_array_unref(trace.events);
    return g_string_free(trace.text, FALSE);
}
