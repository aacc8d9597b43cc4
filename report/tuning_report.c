/* SPDX-License-Identifier: Apache-2.0 */
/* Tables and JSON of a tuning. */
#include "report/tuning_report.h"

#include "base/file.h"
#include "base/text_table.h"
#include "report/result_field.h"

#include <string.h>

static const char *
name_of(const LpTuningReport *self, guint library)
{
    return self->tuning->libraries[library].name;
}

static const char *
class_of(const LpTuningPoint *point)
{
    return point->traffic == LP_N_TRAFFIC ? NULL : lp_traffic_names[point->traffic];
}

static const LpTuningRun *
run_at(const LpTuningReport *self, guint index)
{
    return &g_array_index(self->runs, LpTuningRun, index);
}

/* The library that runs the collectives of @point: the workload's choice, or the best. */
static guint
chosen_for(const LpTuningReport *self, const LpTuningPoint *point)
{
    return self->runs != NULL ? run_at(self, lp_tuning_runs_best(self->runs))->chosen[point->key]
                              : lp_tuning_best(self->tuning, point);
}

/* --- JSON --- */

static void
set_times(const LpTuningReport *self, const LpTuningPoint *point, json_t *choice)
{
    json_t *list = lp_json_set_array(choice, "times");
    for (guint i = 0; i < self->tuning->n_libraries; i++) {
        const LpTuningTime *time = &point->times[i];
        if (time->time_s == 0.0)
            continue;
        json_t *one = lp_json_append_object(list);
        lp_json_set_text(one, "library", name_of(self, i));
        lp_json_set_text(one, "algorithm", time->algorithm);
        lp_json_set_text(one, "protocol", time->protocol);
        lp_json_set_number(one, "time_s", time->time_s);
        (void)json_object_set_new(one, "measured", json_boolean(time->is_measured));
    }
}

static void
append_choice(const LpTuningReport *self, const LpTuningPoint *point, json_t *list)
{
    guint best = lp_tuning_best(self->tuning, point);
    guint next = lp_tuning_next(self->tuning, point, best);
    json_t *choice = lp_json_append_object(list);
    lp_json_set_text(choice, "operation", lp_collective_names[point->collective]);
    if (class_of(point) != NULL)
        lp_json_set_text(choice, "class", class_of(point));
    lp_json_set_count(choice, "bytes", point->bytes);
    lp_json_set_count(choice, "ranks", point->n_ranks);
    lp_json_set_count(choice, "nodes", point->n_nodes);
    lp_json_set_count(choice, "calls", point->n_calls);
    lp_json_set_text(choice, "best", name_of(self, best));
    lp_json_set_text(choice, "algorithm", point->times[best].algorithm);
    lp_json_set_number(choice, "time_s", point->times[best].time_s);
    lp_json_set_text(choice, "chosen", name_of(self, chosen_for(self, point)));
    if (next != LP_TUNING_LIBRARIES_MAX) {
        lp_json_set_text(choice, "next", name_of(self, next));
        lp_json_set_number(choice, "margin", lp_tuning_margin(point, best, next));
        (void)json_object_set_new(choice, "tied",
                                  json_boolean(lp_tuning_is_tie(self->tuning, point, best, next)));
    }
    set_times(self, point, choice);
}

static void
set_runs(const LpTuningReport *self, json_t *root)
{
    guint single = lp_tuning_runs_best_single(self->runs);
    const LpTuningRun *best = run_at(self, lp_tuning_runs_best(self->runs));
    json_t *list = lp_json_set_array(root, "runs");
    for (guint i = 0; i < self->runs->len; i++) {
        json_t *one = lp_json_append_object(list);
        lp_json_set_text(one, "kind", lp_tuning_kind_names[run_at(self, i)->kind]);
        lp_json_set_text(one, "library", run_at(self, i)->library);
        lp_json_set_number(one, "iteration_time_s", run_at(self, i)->time_s);
    }
    lp_json_set_number(root, "iteration_time_s", best->time_s);
    if (single != G_MAXUINT)
        lp_json_set_number(root, "gain", run_at(self, single)->time_s / best->time_s - 1.0);
}

json_t *
lp_tuning_report_json(const LpTuningReport *self)
{
    json_t *root = lp_json_document();
    lp_json_set_text(root, "platform", lp_file_label(self->tuning->machine->path));
    if (self->workload != NULL) {
        lp_json_set_text(root, "workload", self->workload->name);
        lp_json_set_text(root, "library_switch",
                         lp_library_switch_names[self->workload->plan.library.change]);
        lp_json_set_number(root, "switch_s", self->tuning->change_s);
    }
    if (self->library != NULL)
        lp_json_set_text(root, "library", self->library);
    json_t *choices = lp_json_set_array(root, "choices");
    for (guint i = 0; i < self->tuning->points->len; i++)
        append_choice(self, lp_tuning_point(self->tuning, i), choices);
    if (self->runs != NULL)
        set_runs(self, root);
    return root;
}

/* --- text --- */

/* Appends the list at @pointer of @report; a column for each of @keys. */
static void
append_list(GString *out, const json_t *report, const char *pointer, const char *const *keys)
{
    g_autoptr(LpTextTable) table = lp_result_field_table("tune", pointer, keys, report);
    lp_text_table_append(out, table, 2);
}

static void
append_runs(const LpTuningReport *self, const json_t *report, GString *out)
{
    g_string_append(out, "\n");
    append_list(out, report, "/runs",
                (const char *const[]){"/kind", "/iteration_time_s", "/library", NULL});
    const LpTuningRun *best = run_at(self, lp_tuning_runs_best(self->runs));
    guint single = lp_tuning_runs_best_single(self->runs);
    g_string_append_printf(out, "\ntaken: %s", best->library);
    if (single != G_MAXUINT && best->kind != LP_TUNING_SINGLE)
        g_string_append_printf(out, ", %.2f %% faster than %s",
                               100.0 * (run_at(self, single)->time_s / best->time_s - 1.0),
                               run_at(self, single)->library);
    else if (single == G_MAXUINT)
        g_string_append(out, "; none of the libraries has all that is called");
    g_string_append(out, "\n");
}

char *
lp_tuning_report_text(const LpTuningReport *self)
{
    GString *out = g_string_new(NULL);
    const char *machine = lp_file_label(self->tuning->machine->path);
    if (self->workload != NULL)
        g_string_append_printf(out, "%s on %s: a change of libraries (%s) costs %.2f us\n\n",
                               self->workload->name, machine,
                               lp_library_switch_names[self->workload->plan.library.change],
                               self->tuning->change_s * 1e6);
    else
        g_string_append_printf(out, "%s\n\n", machine);
    /* A grid has no iterations, in which something else could be chosen. */
    static const char *const keys[] = {"/operation", "/class", "/ranks",     "/nodes",  "/bytes",
                                       "/calls",     "/best",  "/algorithm", "/time_s", "/next",
                                       "/margin",    "/tied",  "/chosen",    NULL};
    static const char *const grid[] = {"/operation", "/ranks",     "/nodes",  "/bytes",
                                       "/best",      "/algorithm", "/time_s", "/next",
                                       "/margin",    "/tied",      NULL};
    g_autoptr(json_t) report = lp_tuning_report_json(self);
    append_list(out, report, "/choices", self->runs != NULL ? keys : grid);
    if (self->runs != NULL)
        append_runs(self, report, out);
    else if (self->library != NULL)
        g_string_append_printf(out, "\nlibrary: %s\n", self->library);
    return g_string_free(out, FALSE);
}
