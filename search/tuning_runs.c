/* SPDX-License-Identifier: Apache-2.0 */
/* Makes mixes of times and changes, and lets simulations decide. */
#include "search/tuning_runs.h"

#include "base/error.h"
#include "search/least_choice.h"
#include "workloads/description/attribute.h"

#include <math.h>
#include <string.h>

const char *const lp_tuning_kind_names[] = {"single", "call by call", "weighed", NULL};

static void
run_clear(gpointer data)
{
    LpTuningRun *self = data;
    g_free(self->chosen);
    g_free(self->library);
}

/* One more to run, unless it is there. @chosen: (transfer full). */
static gboolean
add_run(GArray *runs, const LpTuning *tuning, LpTuningKind kind, guint32 *chosen, GError **error)
{
    LpTuningRun run = {.kind = kind, .chosen = chosen};
    for (guint i = 0; i < runs->len; i++)
        if (memcmp(g_array_index(runs, LpTuningRun, i).chosen, chosen,
                   sizeof *chosen * tuning->keys->len) == 0) {
            g_free(chosen);
            return TRUE;
        }
    run.library = lp_tuning_library_text(tuning, chosen, error);
    if (run.library == NULL) {
        g_free(chosen);
        return FALSE;
    }
    g_array_append_val(runs, run);
    return TRUE;
}

static gboolean
has_all(const LpTuning *tuning, guint library)
{
    for (guint key = 0; key < tuning->keys->len; key++)
        if (!isfinite(lp_tuning_key_s(tuning, key, library)))
            return FALSE;
    return TRUE;
}

static gboolean
add_singles(GArray *runs, const LpTuning *tuning, GError **error)
{
    for (guint library = 0; library < tuning->n_libraries; library++) {
        guint32 *chosen = g_new(guint32, tuning->keys->len + 1);
        for (guint key = 0; key < tuning->keys->len; key++)
            chosen[key] = library;
        if (!has_all(tuning, library))
            g_free(chosen);
        else if (!add_run(runs, tuning, LP_TUNING_SINGLE, chosen, error))
            return FALSE;
    }
    return TRUE;
}

/* @change_s: what each change costs. */
static gboolean
add_mix(GArray *runs, const LpTuning *tuning, LpTuningKind kind, double change_s, GError **error)
{
    guint n = tuning->keys->len, k = tuning->n_libraries;
    g_autofree double *cost = g_new(double, n *k + 1);
    g_autofree double *differs = g_new(double, n *n + 1);
    for (guint key = 0; key < n; key++)
        for (guint library = 0; library < k; library++)
            cost[key * k + library] = lp_tuning_key_s(tuning, key, library);
    for (guint i = 0; i < n * n; i++)
        differs[i] = change_s * tuning->follows[i];
    LpLeastChoice problem = {n, k, cost, differs};
    guint32 *chosen = g_new0(guint32, n + 1);
    if (lp_least_choice_find(&problem, chosen))
        return add_run(runs, tuning, kind, chosen, error);
    g_free(chosen);
    return TRUE;
}

static gboolean
simulate(const LpTuning *tuning, LpWorkload *workload, LpSimulationOptions options,
         LpTuningRun *run, GError **error)
{
    const LpAttribute *attribute = lp_attribute_find("library", error);
    if (attribute == NULL ||
        !lp_attribute_set(attribute, workload, run->library, LP_ORIGIN_SETTING, error))
        return FALSE;
    g_autoptr(LpSetup) setup = lp_setup_new(workload, tuning->machine, error);
    g_autoptr(LpSimulation) simulation =
        setup == NULL ? NULL : lp_simulation_run_in_child(setup, options, error);
    if (simulation == NULL)
        return FALSE;
    run->time_s = simulation->run.iteration_time_s;
    return TRUE;
}

GArray *
lp_tuning_runs_new(const LpTuning *tuning, LpWorkload *workload, LpSimulationOptions options,
                   GError **error)
{
    g_autoptr(GArray) runs = g_array_new(FALSE, TRUE, sizeof(LpTuningRun));
    g_array_set_clear_func(runs, run_clear);
    if (!add_singles(runs, tuning, error) ||
        !add_mix(runs, tuning, LP_TUNING_WEIGHED, tuning->change_s, error) ||
        !add_mix(runs, tuning, LP_TUNING_BY_CALL, 0.0, error))
        return NULL;
    for (guint i = 0; i < runs->len; i++) {
        if (tuning->progress != NULL)
            tuning->progress(i, runs->len, tuning->progress_data);
        if (!simulate(tuning, workload, options, &g_array_index(runs, LpTuningRun, i), error))
            return NULL;
    }
    if (tuning->progress != NULL)
        tuning->progress(runs->len, runs->len, tuning->progress_data);
    return g_steal_pointer(&runs);
}

guint
lp_tuning_runs_best(const GArray *runs)
{
    guint best = 0;
    for (guint i = 1; i < runs->len; i++)
        if (g_array_index(runs, LpTuningRun, i).time_s <
            g_array_index(runs, LpTuningRun, best).time_s * (1.0 - 1e-12))
            best = i;
    return best;
}

guint
lp_tuning_runs_best_single(const GArray *runs)
{
    guint best = G_MAXUINT;
    for (guint i = 0; i < runs->len; i++) {
        const LpTuningRun *run = &g_array_index(runs, LpTuningRun, i);
        if (run->kind == LP_TUNING_SINGLE &&
            (best == G_MAXUINT || run->time_s < g_array_index(runs, LpTuningRun, best).time_s))
            best = i;
    }
    return best;
}
