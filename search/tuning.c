/* SPDX-License-Identifier: Apache-2.0 */
/* Runs each collective by each library, and compares. */
#include "search/tuning.h"

#include "base/error.h"
#include "model/plan/group_traits.h"
#include "model/network/library_table.h"
#include "platforms/catalogue/libraries.h"
#include "platforms/machine/machine_library.h"

#include <math.h>
#include <string.h>

static gboolean
add_library(LpTuning *self, const char *name, GError **error)
{
    if (self->n_libraries == LP_TUNING_LIBRARIES_MAX)
        return lp_value_error(error, "got more than %d libraries, wanted no more",
                              LP_TUNING_LIBRARIES_MAX);
    LpLibrary *library = &self->libraries[self->n_libraries];
    if (!lp_machine_library(self->machine, name, library, error))
        return FALSE;
    for (guint i = 0; i < self->n_libraries; i++)
        if (strcmp(self->libraries[i].name, library->name) == 0)
            return TRUE;
    self->n_libraries++;
    return TRUE;
}

static LpTuning *
new_tuning(const LpMachine *machine)
{
    LpTuning *self = g_new0(LpTuning, 1);
    self->machine = machine;
    self->libraries = g_new0(LpLibrary, LP_TUNING_LIBRARIES_MAX);
    self->points = g_array_new(FALSE, TRUE, sizeof(LpTuningPoint));
    self->keys = g_array_new(FALSE, TRUE, sizeof(LpTuningKey));
    return self;
}

LpTuning *
lp_tuning_new(const LpMachine *machine, const char *const *names, GError **error)
{
    g_autoptr(LpTuning) self = new_tuning(machine);
    g_auto(GStrv) measured = NULL;
    if (names == NULL) {
        measured =
            lp_library_names_measured_on(lp_accelerator_known_as(&machine->accelerator), error);
        if (measured == NULL || !add_library(self, LP_LIBRARY_AUTO, error))
            return NULL;
        names = (const char *const *)measured;
    }
    for (; *names != NULL; names++)
        if (!add_library(self, *names, error))
            return NULL;
    return g_steal_pointer(&self);
}

void
lp_tuning_free(LpTuning *self)
{
    if (self == NULL)
        return;
    for (guint i = 0; i < self->points->len; i++)
        g_free(g_array_index(self->points, LpTuningPoint, i).accelerators);
    g_array_unref(self->points);
    g_array_unref(self->keys);
    g_free(self->follows);
    g_free(self->libraries);
    g_free(self);
}

const LpTuningPoint *
lp_tuning_point(const LpTuning *self, guint index)
{
    return &g_array_index(self->points, LpTuningPoint, index);
}

/* --- points --- */

/* Whether groups such as that of @point may follow @rule. */
static gboolean
is_for(const LpLibraryRule *rule, const LpTuningPoint *point)
{
    gboolean leaves = rule->spread == LP_SPREAD_DOMAINS || rule->spread == LP_SPREAD_TORUS ||
                      (rule->spread == LP_SPREAD_TWO && point->n_nodes == 2);
    gboolean stays = rule->spread == LP_SPREAD_ONE_DOMAIN || rule->spread == LP_SPREAD_PAIR;
    return rule->collective == point->collective && rule->ranks_max >= point->n_ranks &&
           (rule->spread == LP_SPREAD_ANY || (point->n_nodes == 1 ? stays : leaves));
}

/* Whether the table of @library says what @point takes. */
static gboolean
is_measured(const LpLibrary *library, const LpTuningPoint *point)
{
    return lp_library_measured_s(library, point->collective, point->bytes, point->n_ranks,
                                 point->n_nodes, NULL) > 0.0;
}

/* A library has what its tables and its choices have; one that has neither has everything. */
static gboolean
has_collective(const LpLibrary *library, const LpTuningPoint *point)
{
    gboolean is_said = library->n_rules == 0 && library->n_measured == 0;
    for (guint32 i = 0; i < library->n_rules; i++)
        is_said = is_said || is_for(&library->rules[i], point);
    return is_said || is_measured(library, point);
}

static gboolean
is_had(const LpTuning *self, const LpTuningPoint *point)
{
    for (guint i = 0; i < self->n_libraries; i++)
        if (has_collective(&self->libraries[i], point))
            return TRUE;
    return FALSE;
}

static guint32
count_nodes(const LpTuning *self, const LpTuningPoint *point)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    for (guint32 i = 0; i < point->n_ranks; i++)
        g_hash_table_add(seen,
                         GSIZE_TO_POINTER(point->accelerators[i] / self->machine->domain_size));
    return g_hash_table_size(seen);
}

void
lp_tuning_add_grid(LpTuning *self, LpCollective collective, guint32 n_ranks, const GArray *bytes)
{
    for (guint i = 0; i < bytes->len; i++) {
        LpTuningPoint point = {.collective = collective,
                               .traffic = LP_N_TRAFFIC,
                               .bytes = g_array_index(bytes, guint64, i),
                               .n_ranks = n_ranks,
                               .n_calls = 1};
        point.accelerators = g_new(guint32, n_ranks);
        for (guint32 rank = 0; rank < n_ranks; rank++)
            point.accelerators[rank] = rank;
        point.n_nodes = count_nodes(self, &point);
        if (is_had(self, &point))
            g_array_append_val(self->points, point);
        else
            g_free(point.accelerators);
    }
}

/* The point of @op among the members of @communicator, a new one if there is none. */
static guint
find_point(LpTuning *self, const LpOp *op, const LpCommunicator *communicator,
           const LpPlacement *placement)
{
    LpTuningPoint point = {.collective = op->collective,
                           .traffic = lp_group_traits(op->group)->traffic,
                           .bytes = op->bytes,
                           .n_ranks = communicator->n_members};
    point.accelerators = g_new(guint32, point.n_ranks);
    for (guint32 i = 0; i < point.n_ranks; i++)
        point.accelerators[i] =
            (guint32)lp_placement_accelerator(placement, communicator->ranks[i]);
    point.n_nodes = count_nodes(self, &point);
    for (guint i = 0; i < self->points->len; i++) {
        const LpTuningPoint *known = lp_tuning_point(self, i);
        if (known->collective == point.collective && known->traffic == point.traffic &&
            known->bytes == point.bytes && known->n_ranks == point.n_ranks &&
            known->n_nodes == point.n_nodes) {
            g_free(point.accelerators);
            return i;
        }
    }
    g_array_append_val(self->points, point);
    return self->points->len - 1;
}

/* A call among others of an iteration. */
typedef struct {
    guint point;
    LpStream stream;
} Call;

/* What a rank of @stage calls, in order. */
static GArray *
stage_calls(LpTuning *self, const LpProgram *program, guint32 stage, const LpPlacement *placement)
{
    GArray *calls = g_array_new(FALSE, FALSE, sizeof(Call));
    const LpStageProgram *steps = lp_program_stage(program, stage);
    guint64 rank = lp_program_stage_first(program, stage);
    for (guint i = 0; i < steps->n_steps; i++) {
        const LpStep *step = lp_program_step(program, steps->first_step + i);
        if (step->kind != LP_STEP_SEGMENT)
            continue;
        const LpSegment *segment = lp_program_segment(program, step->segment);
        for (guint j = 0; j < segment->n_ops; j++) {
            const LpOp *op = lp_program_op(program, segment->first_op + j);
            if (!lp_op_is_collective(op))
                continue;
            Call call = {.stream = op->stream};
            call.point =
                find_point(self, op, lp_program_communicator(program, op->group, rank), placement);
            g_array_append_val(calls, call);
        }
    }
    return calls;
}

static int
compare_points(gconstpointer a, gconstpointer b)
{
    const LpTuningPoint *x = a, *y = b;
    const guint64 x_counts[] = {x->collective, x->traffic, x->n_ranks, x->n_nodes, x->bytes};
    const guint64 y_counts[] = {y->collective, y->traffic, y->n_ranks, y->n_nodes, y->bytes};
    for (guint i = 0; i < G_N_ELEMENTS(x_counts); i++)
        if (x_counts[i] != y_counts[i])
            return x_counts[i] < y_counts[i] ? -1 : 1;
    return 0;
}

static int
compare_keys(gconstpointer a, gconstpointer b)
{
    const LpTuningKey *x = a, *y = b;
    if (x->collective != y->collective)
        return x->collective < y->collective ? -1 : 1;
    if (x->traffic != y->traffic)
        return x->traffic < y->traffic ? -1 : 1;
    return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

void
lp_tuning_sort(LpTuning *self)
{
    g_array_sort(self->points, compare_points);
    g_array_set_size(self->keys, 0);
    for (guint i = 0; i < self->points->len; i++) {
        const LpTuningPoint *point = lp_tuning_point(self, i);
        LpTuningKey key = {point->collective, point->traffic, point->bytes};
        g_array_append_val(self->keys, key);
    }
    g_array_sort(self->keys, compare_keys);
    guint n = 0;
    LpTuningKey *keys = (LpTuningKey *)(gpointer)self->keys->data;
    for (guint i = 0; i < self->keys->len; i++)
        if (n == 0 || compare_keys(&keys[n - 1], &keys[i]) != 0)
            keys[n++] = keys[i];
    g_array_set_size(self->keys, n);
    for (guint i = 0; i < self->points->len; i++) {
        LpTuningPoint *point = &g_array_index(self->points, LpTuningPoint, i);
        LpTuningKey key = {point->collective, point->traffic, point->bytes};
        point->key = 0;
        while (compare_keys(&keys[point->key], &key) != 0)
            point->key++;
    }
}

/* Counts calls, and what follows what on each stream. @place: by point before they were put in
 * order, where it is now. */
static void
count_calls(LpTuning *self, const GArray *calls, const guint *place)
{
    const LpTuningPoint *last[LP_N_STREAMS + 1] = {NULL};
    for (guint i = 0; i < calls->len; i++) {
        const Call *call = &g_array_index(calls, Call, i);
        LpTuningPoint *point = &g_array_index(self->points, LpTuningPoint, place[call->point]);
        point->n_calls++;
        if (last[call->stream] != NULL)
            self->follows[last[call->stream]->key * self->keys->len + point->key] += 1.0;
        last[call->stream] = point;
    }
}

static double
change_s(const LpTuning *self, const LpExecution *execution)
{
    switch (execution->change) {
    case LP_LIBRARY_SWITCH_NONE:
        return 0.0;
    case LP_LIBRARY_SWITCH_EVENT:
        return self->machine->accelerator.launch_s;
    case LP_LIBRARY_SWITCH_HOST:
        return execution->collective_host_s;
    }
    g_assert_not_reached();
}

void
lp_tuning_add_program(LpTuning *self, const LpProgram *program, const LpPlacement *placement)
{
    g_autoptr(GPtrArray) calls = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    self->change_s = change_s(self, &program->execution);
    for (guint32 stage = 0; stage < program->pipeline.n_stages; stage++)
        g_ptr_array_add(calls, stage_calls(self, program, stage, placement));
    guint n = self->points->len;
    g_autofree guint *place = g_new(guint, MAX(n, 1));
    for (guint i = 0; i < n; i++) /* n_calls: which point it was */
        g_array_index(self->points, LpTuningPoint, i).n_calls = i;
    lp_tuning_sort(self);
    for (guint i = 0; i < n; i++) {
        LpTuningPoint *point = &g_array_index(self->points, LpTuningPoint, i);
        place[point->n_calls] = i;
        point->n_calls = 0;
    }
    self->follows = g_new0(double, MAX((gsize)self->keys->len * self->keys->len, 1));
    for (guint32 stage = 0; stage < calls->len; stage++)
        count_calls(self, calls->pdata[stage], place);
}

/* --- times --- */

static gboolean
refuse_point(const LpTuning *self, const LpTuningPoint *point, GError **error)
{
    g_autofree char *names = NULL;
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = 0; i < self->n_libraries; i++)
        g_string_append_printf(text, "%s%s", i > 0 ? ", " : "", self->libraries[i].name);
    return lp_value_error(error,
                          "got %s, none of which has %s among %u ranks on %u node%s, wanted one "
                          "that has",
                          text->str, lp_collective_names[point->collective], point->n_ranks,
                          point->n_nodes, point->n_nodes == 1 ? "" : "s");
}

static LpCollectiveRequest
request_of(const LpTuning *self, const LpTuningPoint *point, guint library)
{
    return (LpCollectiveRequest){.collective = point->collective,
                                 .bytes = point->bytes,
                                 .n_ranks = point->n_ranks,
                                 .n_groups = 1,
                                 .library = self->libraries[library],
                                 .collapse = TRUE,
                                 .accelerators = point->accelerators};
}

static gboolean
take_outcome(LpTuningTime *time, LpCollectiveOutcome *outcome, GError **error)
{
    if (outcome->error != NULL) {
        g_propagate_error(error, g_steal_pointer(&outcome->error));
        return FALSE;
    }
    time->time_s = outcome->result.run.iteration_time_s;
    g_strlcpy(time->algorithm, outcome->result.algorithm, sizeof time->algorithm);
    g_strlcpy(time->protocol, outcome->result.protocol, sizeof time->protocol);
    return TRUE;
}

gboolean
lp_tuning_measure(LpTuning *self, GError **error)
{
    g_autoptr(GArray) requests = g_array_new(FALSE, FALSE, sizeof(LpCollectiveRequest));
    g_autoptr(GPtrArray) times = g_ptr_array_new();
    for (guint i = 0; i < self->points->len; i++) {
        LpTuningPoint *point = &g_array_index(self->points, LpTuningPoint, i);
        if (!is_had(self, point))
            return refuse_point(self, point, error);
        for (guint library = 0; library < self->n_libraries; library++) {
            if (point->times[library].time_s > 0.0 ||
                !has_collective(&self->libraries[library], point))
                continue;
            LpCollectiveRequest request = request_of(self, point, library);
            g_array_append_val(requests, request);
            point->times[library].is_measured = is_measured(&self->libraries[library], point);
            g_ptr_array_add(times, &point->times[library]);
        }
    }
    if (requests->len == 0)
        return TRUE;
    LpCollectiveOutcome *outcomes = g_new0(LpCollectiveOutcome, requests->len);
    const LpCollectiveRequest *first = (const LpCollectiveRequest *)(gpointer)requests->data;
    gboolean good = lp_collective_run_all(first, requests->len, self->machine, self->progress,
                                          self->progress_data, outcomes, error);
    for (guint i = 0; good && i < requests->len; i++)
        good = take_outcome(times->pdata[i], &outcomes[i], error);
    lp_collective_outcomes_free(outcomes, requests->len);
    return good;
}

void
lp_tuning_add_like(LpTuning *self, const LpTuningPoint *point, guint64 bytes)
{
    LpTuningPoint copy = *point;
    copy.bytes = bytes;
    memset(copy.times, 0, sizeof copy.times);
    copy.accelerators = g_memdup2(point->accelerators, sizeof(guint32) * point->n_ranks);
    g_array_append_val(self->points, copy);
}

LpTuning *
lp_tuning_among(const LpTuning *self, LpLibrary *libraries, guint n,
                gboolean (*keeps)(const LpTuningPoint *point), GError **error)
{
    g_autoptr(LpTuning) other = new_tuning(self->machine);
    g_free(other->libraries);
    other->libraries = libraries;
    other->n_libraries = n;
    other->progress = self->progress;
    other->progress_data = self->progress_data;
    for (guint i = 0; i < self->points->len; i++) {
        const LpTuningPoint *point = lp_tuning_point(self, i);
        if (keeps(point) && is_had(other, point))
            lp_tuning_add_like(other, point, point->bytes);
    }
    lp_tuning_sort(other);
    return lp_tuning_measure(other, error) ? g_steal_pointer(&other) : NULL;
}
