/* SPDX-License-Identifier: Apache-2.0 */
/* Work of the device and the host's calls belong together by their correlation. */
#include "workloads/traces/kineto_events.h"

#include "base/error.h"
#include "base/file.h"
#include "base/json_items.h"
#include "workloads/traces/kineto_calls.h"
#include "workloads/traces/trace_files.h"

#include <string.h>

#define MICRO 1e-6
/* A century, in microseconds: instants count from 1970. */
#define TIME_MAX_US 3.2e15

/* A file that is being read: instants are microseconds of its clock. */
typedef struct {
    LpKinetoEvents *events; /* borrowed */
    const char *path;       /* borrowed */
    LpKinetoCalls *calls;   /* owned */
    GArray *correlations;   /* owned: gint64, by work */
    double origin_us;       /* the first instant */
} Reader;

static gboolean
fail(const Reader *self, gsize event, GError **error, const char *message)
{
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE, "%s:%" G_GSIZE_FORMAT ": %s",
                lp_file_label(self->path), event + 1, message);
    return FALSE;
}

static gboolean
is_one_of(const char *text, const char *const *words)
{
    return text != NULL && g_strv_contains(words, text);
}

static const char *
text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static gboolean
read_span(const json_t *event, LpKinetoCall *out)
{
    const json_t *start = json_object_get(event, "ts"), *length = json_object_get(event, "dur");
    double length_us = json_number_value(length);
    out->start_us = json_number_value(start);
    out->end_us = out->start_us + length_us;
    out->thread = json_integer_value(json_object_get(event, "tid"));
    return json_is_number(start) && out->start_us >= 0.0 && out->start_us <= TIME_MAX_US &&
           length_us >= 0.0 && length_us <= TIME_MAX_US;
}

static const char *const device_kinds[] = {"kernel", "gpu_memcpy", "gpu_memset", NULL};
static const char *const call_kinds[] = {"cuda_runtime", "cuda_driver", NULL};
static const char *const record_kinds[] = {"cpu_op", "user_annotation", NULL};
static const char *const waiting_calls[] = {"cudaDeviceSynchronize",
                                            "cudaStreamSynchronize",
                                            "cudaEventSynchronize",
                                            "hipDeviceSynchronize",
                                            "hipStreamSynchronize",
                                            "hipEventSynchronize",
                                            NULL};

static gint64
correlation_of(const json_t *event)
{
    return json_integer_value(json_object_get(json_object_get(event, "args"), "correlation"));
}

static void
read_call(Reader *self, const json_t *event, const LpKinetoCall *span)
{
    LpKinetoSync sync = {span->start_us, span->end_us};
    self->origin_us = MIN(self->origin_us, span->start_us);
    if (is_one_of(text_of(event, "name"), waiting_calls))
        g_array_append_val(self->events->syncs, sync);
    else
        lp_kineto_calls_add(self->calls, correlation_of(event), span);
}

static gboolean
read_work(Reader *self, const json_t *event, const LpKinetoCall *span, guint line)
{
    json_t *args = json_object_get(event, "args");
    const json_t *stream = json_object_get(args, "stream");
    const char *name = text_of(event, "name");
    LpKinetoWork work = {.stream = json_integer_value(stream),
                         .start_s = span->start_us,
                         .end_s = span->end_us,
                         .line = line};
    if (name == NULL || !json_is_integer(stream) || ABS(work.stream) > 1000000000)
        return FALSE;
    gint64 correlation = correlation_of(event);
    self->origin_us = MIN(self->origin_us, span->start_us);
    work.kind = lp_kineto_kind_of(name);
    if (json_object_get(args, "Collective name") != NULL) {
        work.kind = LP_KINETO_COMMUNICATION;
        work.said = json_incref(args);
    }
    work.is_expert = work.kind == LP_KINETO_COMMUNICATION && lp_kineto_kind_is_expert(name);
    g_array_append_val(self->events->works, work);
    g_array_append_val(self->correlations, correlation);
    return TRUE;
}

static gboolean
take_event(json_t *event, gsize index, gpointer data, GError **error)
{
    Reader *self = data;
    const char *kind = text_of(event, "cat"), *name = text_of(event, "name");
    LpKinetoCall span;
    gboolean is_timed = read_span(event, &span);
    if (is_one_of(kind, call_kinds) && name != NULL) {
        if (!is_timed)
            return fail(self, index, error, "got a call without ts and dur, wanted both");
        read_call(self, event, &span);
    } else if (is_one_of(kind, device_kinds)) {
        if (!is_timed || !read_work(self, event, &span, (guint)index + 1))
            return fail(self, index, error,
                        "got a kernel without name, ts, dur and stream, wanted all of them");
    } else if (is_timed && name != NULL && is_one_of(kind, record_kinds))
        lp_kineto_calls_record(self->calls, name, event, &span);
    return TRUE;
}

/* --- what belongs together --- */

/* What was launched before the profile began has no call: it was there from the start. */
static void
finish_work(Reader *self, LpKinetoWork *work, gint64 correlation, guint n_ranks)
{
    const LpKinetoCall *call = lp_kineto_calls_find(self->calls, correlation);
    if (work->kind == LP_KINETO_COMMUNICATION && work->said == NULL && call != NULL)
        work->said = lp_kineto_calls_said(self->calls, call, n_ranks);
    double length_s = (work->end_s - work->start_s) * MICRO;
    work->start_s = (work->start_s - self->origin_us) * MICRO;
    work->end_s = work->start_s + length_s;
    if (call == NULL)
        return;
    work->called_s = (call->start_us - self->origin_us) * MICRO;
    work->called_end_s = MIN((call->end_us - self->origin_us) * MICRO, work->start_s);
}

static int
compare_works(gconstpointer a, gconstpointer b)
{
    const LpKinetoWork *one = a, *other = b;
    if (one->called_s < other->called_s || one->called_s > other->called_s)
        return one->called_s < other->called_s ? -1 : 1;
    if (one->start_s < other->start_s || one->start_s > other->start_s)
        return one->start_s < other->start_s ? -1 : 1;
    return one->line < other->line ? -1 : one->line > other->line;
}

static int
compare_syncs(gconstpointer a, gconstpointer b)
{
    const LpKinetoSync *one = a, *other = b;
    return one->start_s < other->start_s ? -1 : one->start_s > other->start_s;
}

static gboolean
finish(Reader *self, GError **error)
{
    LpKinetoEvents *events = self->events;
    json_int_t n_ranks = json_integer_value(lp_kineto_events_head(events, "world_size"));
    for (guint i = 0; i < events->works->len; i++)
        finish_work(self, &g_array_index(events->works, LpKinetoWork, i),
                    g_array_index(self->correlations, gint64, i),
                    (guint)CLAMP(n_ranks, 1, G_MAXINT));
    for (guint i = 0; i < events->syncs->len; i++) {
        LpKinetoSync *sync = &g_array_index(events->syncs, LpKinetoSync, i);
        sync->start_s = (sync->start_s - self->origin_us) * MICRO;
        sync->end_s = (sync->end_s - self->origin_us) * MICRO;
    }
    g_array_sort(events->works, compare_works);
    g_array_sort(events->syncs, compare_syncs);
    return events->works->len > 0 ||
           fail(self, 0, error, "got no event of category kernel, wanted a profile of a device");
}

const json_t *
lp_kineto_events_head(const LpKinetoEvents *self, const char *key)
{
    return json_object_get(json_object_get(self->root, "distributedInfo"), key);
}

static void
work_clear(LpKinetoWork *self)
{
    json_decref(self->said);
}

static gboolean
read_events(Reader *self, GBytes *bytes, GError **error)
{
    gsize length;
    const char *text = g_bytes_get_data(bytes, &length);
    self->events->root = lp_json_read_items(lp_file_label(self->path), text, length, "traceEvents",
                                            take_event, self, error);
    return self->events->root != NULL && finish(self, error);
}

LpKinetoEvents *
lp_kineto_events_load(const char *path, GError **error)
{
    g_autoptr(GBytes) bytes = lp_trace_file_read(path, error);
    if (bytes == NULL)
        return NULL;
    g_autoptr(LpKinetoEvents) self = g_new0(LpKinetoEvents, 1);
    self->works = g_array_new(FALSE, FALSE, sizeof(LpKinetoWork));
    self->syncs = g_array_new(FALSE, FALSE, sizeof(LpKinetoSync));
    g_array_set_clear_func(self->works, (GDestroyNotify)work_clear);
    g_autoptr(LpKinetoCalls) calls = lp_kineto_calls_new();
    g_autoptr(GArray) correlations = g_array_new(FALSE, FALSE, sizeof(gint64));
    Reader reader = {.events = self,
                     .path = path,
                     .calls = calls,
                     .correlations = correlations,
                     .origin_us = TIME_MAX_US};
    return read_events(&reader, bytes, error) ? g_steal_pointer(&self) : NULL;
}

void
lp_kineto_events_free(LpKinetoEvents *self)
{
    if (self == NULL)
        return;
    json_decref(self->root);
    g_array_unref(self->works);
    g_array_unref(self->syncs);
    g_free(self);
}
