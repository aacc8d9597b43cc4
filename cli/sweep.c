/* SPDX-License-Identifier: Apache-2.0 */
/* Values of the swept attribute, and a child process for each. */
#include "cli/sweep.h"

#include "base/child_pool.h"
#include "base/error.h"
#include "base/units.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "platforms/catalogue/catalogue.h"
#include "report/characterization_rows.h"
#include "workloads/program/training_program.h"

#include <string.h>

/* The largest number of points of one sweep. */
#define POINTS_MAX 64

/* What one child runs. */
typedef struct {
    const LpSweepBase *base; /* borrowed */
    char **settings;         /* owned */
} Point;

/* --- in the child --- */

static gboolean
find_accelerator(LpPrecision precision, LpAccelerator *out_accelerator, GError **error)
{
    g_autoptr(GArray) all = lp_catalogue_load(error);
    if (all == NULL)
        return FALSE;
    *out_accelerator = g_array_index(all, LpAccelerator, 0);
    for (guint i = 0; i < all->len; i++) {
        const LpAccelerator *one = &g_array_index(all, LpAccelerator, i);
        if (one->peak_flop_per_s[precision] > 0.0) {
            *out_accelerator = *one;
            break;
        }
    }
    return TRUE;
}

LpProgram *
lp_sweep_program(const LpWorkload *workload, const LpMachine *machine, GError **error)
{
    LpAccelerator accelerator;
    if (machine != NULL)
        accelerator = machine->accelerator;
    else if (!find_accelerator(workload->plan.format.precision, &accelerator, error))
        return NULL;
    return lp_training_program_new(workload, &accelerator, error);
}

static gboolean
load(const Point *self, LpWorkload **out_workload, LpMachine **out_machine, GError **error)
{
    const LpSweepBase *base = self->base;
    const char *const *settings = (const char *const *)self->settings;
    if (base->platform != NULL)
        return lp_load_inputs(base->workload, base->platform, settings, base->plan, out_workload,
                              out_machine, error);
    g_autofree char *path = lp_input_find(base->workload, LP_INPUT_WORKLOAD, error);
    *out_workload = path == NULL ? NULL : lp_workload_load(path, settings, error);
    return *out_workload != NULL;
}

static gboolean
fill(const Point *self, LpSweepPoint *out_point, GError **error)
{
    const LpSweepBase *base = self->base;
    g_autoptr(LpWorkload) workload = NULL;
    g_autoptr(LpMachine) machine = NULL;
    if (!load(self, &workload, &machine, error))
        return FALSE;
    g_autoptr(LpProgram) program = lp_sweep_program(workload, machine, error);
    if (program == NULL)
        return FALSE;
    g_autoptr(LpCollectiveCensus) census = lp_collective_census_new(program);
    if (machine == NULL) {
        lp_sweep_point_fill(out_point, workload, census, NULL, NULL);
        return TRUE;
    }
    g_autoptr(LpSetup) setup = lp_setup_new(workload, machine, error);
    if (setup == NULL || (!base->ignore_memory && !lp_setup_check_memory(workload, machine, error)))
        return FALSE;
    LpSimulationOptions run = {
        .fidelity = base->fidelity, .collapse = base->collapse, .alone = TRUE};
    g_autoptr(LpSimulation) simulation = lp_simulation_run(setup, run, error);
    if (simulation == NULL)
        return FALSE;
    lp_sweep_point_fill(out_point, workload, census, machine, &simulation->run);
    return TRUE;
}

static gboolean
run_child(const void *data, GByteArray *result, GError **error)
{
    return fill(data, (gpointer)result->data, error);
}

static void
explain(LpSweepPoint *point, const Point *self, const GError *error)
{
    const char *swept = self->settings[g_strv_length(self->settings) - 1];
    g_strlcpy(point->reason, lp_input_reason(error->message, swept), sizeof point->reason);
}

/* --- the values --- */

/* "1024,2048", or of "seq" alone what lies around the workload's own. Returns: (transfer full);
 * NULL: none. */
static char **
find_values(const char *text, const char *own)
{
    const char *equals = strchr(text, '=');
    if (equals != NULL)
        return g_strsplit(equals + 1, ",", -1);
    g_autoptr(GStrvBuilder) values = g_strv_builder_new();
    guint64 value;
    if (!lp_count_parse(own, 1, G_MAXUINT32, &value, NULL))
        return NULL;
    for (guint64 quarters = 1; quarters <= 16; quarters *= 2) {
        g_autofree char *shown = g_strdup_printf("%" G_GUINT64_FORMAT, value * quarters / 4);
        if (value * quarters % 4 == 0)
            g_strv_builder_add(values, shown);
    }
    return g_strv_builder_end(values);
}

/* Whether each of @values is one of @name, whatever the workload. */
static gboolean
check_values(const char *name, char **values, GError **error)
{
    for (; *values != NULL; values++) {
        g_autofree char *setting = g_strconcat(name, "=", *values, NULL);
        if (!lp_workload_check_setting(setting, error)) {
            g_prefix_error(error, "--sweep=%s: ", setting);
            return FALSE;
        }
    }
    return TRUE;
}

/* What goes with a width, so that heads keep theirs. */
static void
add_in_proportion(GStrvBuilder *settings, const LpWorkload *workload, guint64 hidden)
{
    static const char *const names[] = {"ffn", "heads", "kv-heads"};
    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *own = lp_input_attribute(workload, names[i]);
        guint64 value, was = workload->transformer.hidden;
        if (own == NULL || !lp_count_parse(own, 1, G_MAXUINT32, &value, NULL))
            continue;
        g_autofree char *setting =
            g_strdup_printf("%s=%" G_GUINT64_FORMAT, names[i], MAX(value * hidden / was, 1));
        g_strv_builder_add(settings, setting);
    }
}

static char **
settings_of(const LpSweepBase *base, const LpWorkload *workload, const char *name,
            const char *value)
{
    g_autoptr(GStrvBuilder) settings = g_strv_builder_new();
    g_autofree char *setting = g_strconcat(name, "=", value, NULL);
    guint64 hidden;
    for (guint i = 0; base->settings != NULL && base->settings[i] != NULL; i++)
        g_strv_builder_add(settings, base->settings[i]);
    if (strcmp(name, "hidden") == 0 && lp_count_parse(value, 1, G_MAXUINT32, &hidden, NULL))
        add_in_proportion(settings, workload, hidden);
    g_strv_builder_add(settings, setting);
    return g_strv_builder_end(settings);
}

static gboolean
refuse(const char *text, const LpWorkload *workload, const char *name, GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    const char *known;
    char *value;
    for (guint i = 0; (value = lp_workload_attribute(workload, i, &known)) != NULL; i++) {
        g_ptr_array_add(names, (gpointer)(guintptr)known);
        g_free(value);
    }
    g_ptr_array_add(names, NULL);
    g_autofree char *shown = lp_error_quote(text);
    const char *like = lp_like_name(name, (const char *const *)names->pdata);
    return lp_usage_error(
        error,
        "--sweep: got %s, wanted NAME=VALUE,... (at most %d values), or NAME of an "
        "attribute that is a number%s%s",
        shown, POINTS_MAX, like != NULL && strcmp(like, name) != 0 ? "; the nearest is " : "",
        like != NULL && strcmp(like, name) != 0 ? like : "");
}

/* --- all points --- */

static gboolean
run_points(const LpSweepBase *base, const Point *points, GArray *out, GError **error)
{
    g_autofree LpChildTask *tasks = g_new0(LpChildTask, out->len);
    g_auto(LpProgress) progress = lp_progress_start("runs");
    LpChildPool pool = {.name = "process of a run",
                        .n_at_once = base->n_at_once,
                        .progress = lp_progress_callback,
                        .progress_data = &progress};
    g_autofree LpSweepPoint *told = g_new0(LpSweepPoint, out->len);
    g_autofree GError **errors = g_new0(GError *, out->len);
    for (guint i = 0; i < out->len; i++)
        tasks[i] = (LpChildTask){.work = run_child,
                                 .data = &points[i],
                                 .out_result = &told[i],
                                 .size_bytes = sizeof told[i],
                                 .out_error = &errors[i]};
    if (!lp_child_pool_run(&pool, tasks, out->len, NULL, error))
        return FALSE;
    for (guint i = 0; i < out->len; i++) {
        LpSweepPoint *point = &g_array_index(out, LpSweepPoint, i);
        if (errors[i] != NULL)
            explain(&told[i], &points[i], errors[i]);
        g_clear_error(&errors[i]);
        memcpy(told[i].value, point->value, sizeof point->value);
        *point = told[i];
    }
    return TRUE;
}

/* Whether any of @points is known; if not, why the first is not. */
static gboolean
check_points(const GArray *points, const char *name, GError **error)
{
    for (guint i = 0; i < points->len; i++)
        if (g_array_index(points, LpSweepPoint, i).reason[0] == '\0')
            return TRUE;
    const LpSweepPoint *first = &g_array_index(points, LpSweepPoint, 0);
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE, "--sweep=%s=%s: %s", name,
                first->value, first->reason);
    return FALSE;
}

GArray *
lp_sweep_run(const LpSweepBase *base, const LpWorkload *workload, const char *text,
             char **out_parameter, GError **error)
{
    g_autofree char *name = g_strndup(text, strcspn(text, "="));
    g_autofree char *own = lp_input_attribute(workload, name);
    g_auto(GStrv) values = own != NULL ? find_values(text, own) : NULL;
    guint n = values == NULL ? 0 : g_strv_length(values);
    if (n == 0 || n > POINTS_MAX) {
        (void)refuse(text, workload, name, error);
        return NULL;
    }
    g_autoptr(GArray) out = g_array_new(FALSE, TRUE, sizeof(LpSweepPoint));
    g_array_set_size(out, n);
    g_autofree Point *points = g_new0(Point, n);
    if (!check_values(name, values, error))
        return NULL;
    for (guint i = 0; i < n; i++) {
        LpSweepPoint *point = &g_array_index(out, LpSweepPoint, i);
        g_strlcpy(point->value, values[i], sizeof point->value);
        points[i] = (Point){base, settings_of(base, workload, name, values[i])};
    }
    gboolean good = run_points(base, points, out, error);
    for (guint i = 0; i < n; i++)
        g_strfreev(points[i].settings);
    if (!good || !check_points(out, name, error))
        return NULL;
    *out_parameter = g_steal_pointer(&name);
    return g_steal_pointer(&out);
}
