/* SPDX-License-Identifier: Apache-2.0 */
/* Work of the device and the host's calls belong together by their correlation. */
#include "workloads/traces/kineto_events.h"

#include "base/error.h"
#include "base/file.h"

#include <string.h>

#define MICRO 1e-6
/* A century, in microseconds: instants count from 1970. */
#define TIME_MAX_US 3.2e15

typedef struct {
    double start_s, end_s;
} Call;

static gboolean
fail(const char *path, gsize event, GError **error, const char *message)
{
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE, "%s:%" G_GSIZE_FORMAT ": %s",
                lp_file_label(path), event + 1, message);
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

/* Instants of @event, from @origin_us on. */
static gboolean
read_times(const json_t *event, double origin_us, double *out_start_s, double *out_end_s)
{
    const json_t *start = json_object_get(event, "ts"), *length = json_object_get(event, "dur");
    double start_us = json_number_value(start), length_us = json_number_value(length);
    *out_start_s = (start_us - origin_us) * MICRO;
    *out_end_s = *out_start_s + length_us * MICRO;
    return json_is_number(start) && start_us >= 0.0 && start_us <= TIME_MAX_US &&
           length_us >= 0.0 && length_us <= TIME_MAX_US;
}

static const char *const device_kinds[] = {"kernel", "gpu_memcpy", "gpu_memset", NULL};
static const char *const call_kinds[] = {"cuda_runtime", "cuda_driver", NULL};
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

static gboolean
read_call(LpKinetoEvents *self, GHashTable *calls, const json_t *event, double origin_us)
{
    Call call;
    if (!read_times(event, origin_us, &call.start_s, &call.end_s))
        return FALSE;
    if (is_one_of(text_of(event, "name"), waiting_calls)) {
        LpKinetoSync sync = {call.start_s, call.end_s};
        g_array_append_val(self->syncs, sync);
        return TRUE;
    }
    gint64 *key = g_new(gint64, 1);
    Call *kept = g_new(Call, 1);
    *key = correlation_of(event);
    *kept = call;
    g_hash_table_replace(calls, key, kept);
    return TRUE;
}

/* What was launched before the profile began has no call: it was there from the start. */
static gboolean
read_work(LpKinetoEvents *self, GHashTable *calls, const json_t *event, double origin_us,
          guint line)
{
    gint64 correlation = correlation_of(event);
    const Call *call = g_hash_table_lookup(calls, &correlation);
    LpKinetoWork work = {
        .name = text_of(event, "name"), .args = json_object_get(event, "args"), .line = line};
    const json_t *stream = json_object_get(work.args, "stream");
    work.stream = json_integer_value(stream);
    if (work.name == NULL || !json_is_integer(stream) || ABS(work.stream) > 1000000000 ||
        !read_times(event, origin_us, &work.start_s, &work.end_s))
        return FALSE;
    work.called_s = call != NULL ? call->start_s : 0.0;
    work.called_end_s = call != NULL ? MIN(call->end_s, work.start_s) : 0.0;
    g_array_append_val(self->works, work);
    return TRUE;
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

/* The first instant, from which on all others are small enough to be exact. */
static double
find_origin(const json_t *events)
{
    double origin_us = TIME_MAX_US;
    for (gsize i = 0; i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i);
        const char *kind = text_of(event, "cat");
        if (is_one_of(kind, device_kinds) || is_one_of(kind, call_kinds))
            origin_us = MIN(origin_us, json_number_value(json_object_get(event, "ts")));
    }
    return origin_us;
}

static gboolean
read_events(LpKinetoEvents *self, const char *path, const json_t *events, GError **error)
{
    g_autoptr(GHashTable) calls =
        g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    double origin_us = find_origin(events);
    for (gsize i = 0; i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i);
        if (is_one_of(text_of(event, "cat"), call_kinds) && text_of(event, "name") != NULL &&
            !read_call(self, calls, event, origin_us))
            return fail(path, i, error, "got a call without ts and dur, wanted both");
    }
    for (gsize i = 0; i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i);
        if (is_one_of(text_of(event, "cat"), device_kinds) &&
            !read_work(self, calls, event, origin_us, (guint)i + 1))
            return fail(path, i, error,
                        "got a kernel without name, ts, dur and stream, wanted all of them");
    }
    g_array_sort(self->works, compare_works);
    g_array_sort(self->syncs, compare_syncs);
    return self->works->len > 0 ||
           fail(path, 0, error, "got no event of category kernel, wanted a profile of a device");
}

LpKinetoEvents *
lp_kineto_events_read(const char *path, const char *text, gsize length, GError **error)
{
    g_autoptr(LpKinetoEvents) self = g_new0(LpKinetoEvents, 1);
    self->works = g_array_new(FALSE, FALSE, sizeof(LpKinetoWork));
    self->syncs = g_array_new(FALSE, FALSE, sizeof(LpKinetoSync));
    self->root = lp_json_read(path, text, length, error);
    if (self->root == NULL ||
        !read_events(self, path, json_object_get(self->root, "traceEvents"), error))
        return NULL;
    return g_steal_pointer(&self);
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
