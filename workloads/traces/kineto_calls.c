/* SPDX-License-Identifier: Apache-2.0 */
/* Newer profiles say on kernels of NCCL what they send. In older ones the host's operators around
 * the call that launched them say so, or annotations only, by the shapes of tensors and without the
 * group. */
#include "workloads/traces/kineto_calls.h"

#include <string.h>

#define ANNOTATION "nccl:"
/* Beyond any tensor; the product of its sizes stays exact. */
#define ELEMENTS_MAX 1125899906842624.0

/* Who says what is launched while it lasts. */
typedef struct {
    LpKinetoCall span;
    json_t *said;        /* owned */
    gboolean has_shapes; /* it is an annotation: without a group, and of what a rank puts in */
} Record;

struct LpKinetoCalls {
    GHashTable *calls; /* owned: gint64 to LpKinetoCall */
    GArray *records;   /* owned: Record */
    gboolean is_sorted;
};

static void
record_clear(Record *self)
{
    json_decref(self->said);
}

LpKinetoCalls *
lp_kineto_calls_new(void)
{
    LpKinetoCalls *self = g_new0(LpKinetoCalls, 1);
    self->calls = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    self->records = g_array_new(FALSE, FALSE, sizeof(Record));
    g_array_set_clear_func(self->records, (GDestroyNotify)record_clear);
    return self;
}

void
lp_kineto_calls_free(LpKinetoCalls *self)
{
    if (self == NULL)
        return;
    g_hash_table_unref(self->calls);
    g_array_unref(self->records);
    g_free(self);
}

void
lp_kineto_calls_add(LpKinetoCalls *self, gint64 correlation, const LpKinetoCall *call)
{
    gint64 *key = g_new(gint64, 1);
    LpKinetoCall *kept = g_new(LpKinetoCall, 1);
    *key = correlation;
    *kept = *call;
    g_hash_table_replace(self->calls, key, kept);
}

const LpKinetoCall *
lp_kineto_calls_find(const LpKinetoCalls *self, gint64 correlation)
{
    return g_hash_table_lookup(self->calls, &correlation);
}

/* --- records --- */

/* How many elements the tensors have whose sizes @dims lists; -1: it does not say. */
static double
count_elements(const json_t *dims)
{
    double sum = 0.0;
    for (gsize i = 0; i < json_array_size(dims); i++) {
        const json_t *sizes = json_array_get(dims, i);
        double n = 1.0;
        for (gsize k = 0; k < json_array_size(sizes); k++) {
            const json_t *size = json_array_get(sizes, k);
            if (!json_is_integer(size) || json_integer_value(size) < 0)
                return -1.0;
            n *= (double)json_integer_value(size);
        }
        sum += json_array_size(sizes) > 0 ? n : 0.0;
    }
    return sum > 0.0 && sum <= ELEMENTS_MAX ? sum : -1.0;
}

static json_t *
read_annotation(const char *name, const json_t *args)
{
    double n = count_elements(json_object_get(args, "Input Dims"));
    const char *type = json_string_value(json_array_get(json_object_get(args, "Input type"), 0));
    if (n < 0.0 || type == NULL)
        return NULL;
    json_t *said = json_object();
    lp_json_set_text(said, "Collective name", name + strlen(ANNOTATION));
    lp_json_set_count(said, "In msg nelems", (guint64)n);
    lp_json_set_text(said, "dtype", type);
    return said;
}

void
lp_kineto_calls_record(LpKinetoCalls *self, const char *name, const json_t *event,
                       const LpKinetoCall *span)
{
    json_t *args = json_object_get(event, "args");
    Record record = {.span = *span, .has_shapes = g_str_has_prefix(name, ANNOTATION)};
    if (strcmp(name, "record_param_comms") == 0 && json_object_get(args, "Collective name") != NULL)
        record.said = json_incref(args);
    else if (record.has_shapes)
        record.said = read_annotation(name, args);
    if (record.said != NULL)
        g_array_append_val(self->records, record);
}

/* Outer ones first. */
static int
compare(gconstpointer a, gconstpointer b)
{
    const Record *one = a, *other = b;
    if (one->span.thread != other->span.thread)
        return one->span.thread < other->span.thread ? -1 : 1;
    if (one->span.start_us < other->span.start_us || one->span.start_us > other->span.start_us)
        return one->span.start_us < other->span.start_us ? -1 : 1;
    return one->span.end_us > other->span.end_us ? -1 : one->span.end_us < other->span.end_us;
}

/* The last record that begins until @call does, among those of its thread. */
static guint
count_until(const LpKinetoCalls *self, const LpKinetoCall *call)
{
    guint low = 0, high = self->records->len;
    while (low < high) {
        guint middle = low + (high - low) / 2;
        const LpKinetoCall *span = &g_array_index(self->records, Record, middle).span;
        if (span->thread < call->thread ||
            (span->thread == call->thread && span->start_us <= call->start_us))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Few records lie in each other, and records have more to say than annotations. */
static const Record *
find_around(const LpKinetoCalls *self, const LpKinetoCall *call)
{
    const Record *found = NULL;
    guint n = count_until(self, call);
    for (guint i = n; i > 0 && n - i < 16; i--) {
        const Record *record = &g_array_index(self->records, Record, i - 1);
        if (record->span.thread != call->thread || record->span.end_us < call->start_us)
            continue;
        if (!record->has_shapes)
            return record;
        if (found == NULL)
            found = record;
    }
    return found;
}

/* The whole of an all-gather is what comes out. */
static void
add_output(json_t *said, guint n_ranks)
{
    const char *name = json_string_value(json_object_get(said, "Collective name"));
    json_int_t n = json_integer_value(json_object_get(said, "In msg nelems"));
    gboolean gathers = strstr(name, "gather") != NULL;
    lp_json_set_count(said, "Out msg nelems", (guint64)n * (gathers ? n_ranks : 1));
}

json_t *
lp_kineto_calls_said(LpKinetoCalls *self, const LpKinetoCall *call, guint n_ranks)
{
    if (!self->is_sorted)
        g_array_sort(self->records, compare);
    self->is_sorted = TRUE;
    const Record *record = find_around(self, call);
    if (record == NULL)
        return NULL;
    if (!record->has_shapes)
        return json_incref(record->said);
    json_t *said = json_copy(record->said);
    add_output(said, n_ranks);
    return said;
}
