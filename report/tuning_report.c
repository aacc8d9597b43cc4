/* SPDX-License-Identifier: Apache-2.0 */
/* Tables and JSON of a tuning. */
#include "report/tuning_report.h"

#include "base/file.h"
#include "base/text_table.h"

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

/* What runs the collectives of @point: by the workload's choice, or the best. */
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

static void
add_choice(const LpTuningReport *self, const LpTuningPoint *point, LpTextTable *table)
{
    guint best = lp_tuning_best(self->tuning, point);
    guint next = lp_tuning_next(self->tuning, point, best);
    lp_text_table_add_row(table);
    lp_text_table_add_cell(table, "%s", lp_collective_names[point->collective]);
    lp_text_table_add_cell(table, "%s", class_of(point) != NULL ? class_of(point) : "-");
    lp_text_table_add_cell(table, "%u", point->n_ranks);
    lp_text_table_add_cell(table, "%u", point->n_nodes);
    lp_text_table_add_cell(table, "%" G_GUINT64_FORMAT, point->bytes);
    lp_text_table_add_cell(table, "%" G_GUINT64_FORMAT, point->n_calls);
    lp_text_table_add_cell(table, "%s", name_of(self, best));
    lp_text_table_add_cell(table, "%s", point->times[best].algorithm);
    lp_text_table_add_cell(table, "%.2f", point->times[best].time_s * 1e6);
    if (next == LP_TUNING_LIBRARIES_MAX) {
        lp_text_table_add_cell(table, "-");
        lp_text_table_add_cell(table, "-");
    } else {
        lp_text_table_add_cell(table, "%s%s", name_of(self, next),
                               lp_tuning_is_tie(self->tuning, point, best, next) ? " (tied)" : "");
        lp_text_table_add_cell(table, "%.1f", 100.0 * lp_tuning_margin(point, best, next));
    }
    guint chosen = chosen_for(self, point);
    if (self->runs != NULL)
        lp_text_table_add_cell(table, "%s", chosen == best ? "" : name_of(self, chosen));
}

static void
append_choices(const LpTuningReport *self, GString *out)
{
    static const char *const grid[] = {"operation", "class",  "#ranks",    "#nodes",
                                       "#bytes",    "#calls", "best",      "algorithm",
                                       "#us",       "next",   "#% behind", NULL};
    static const char *const called[] = {"operation", "class",     "#ranks",    "#nodes", "#bytes",
                                         "#calls",    "best",      "algorithm", "#us",    "next",
                                         "#% behind", "but takes", NULL};
    g_autoptr(LpTextTable) table = lp_text_table_new(self->runs != NULL ? called : grid);
    for (guint i = 0; i < self->tuning->points->len; i++)
        add_choice(self, lp_tuning_point(self->tuning, i), table);
    lp_text_table_append(out, table, 2);
}

static void
append_runs(const LpTuningReport *self, GString *out)
{
    static const char *const columns[] = {"choice", "#iteration s", "library", NULL};
    g_autoptr(LpTextTable) table = lp_text_table_new(columns);
    for (guint i = 0; i < self->runs->len; i++) {
        lp_text_table_add_row(table);
        lp_text_table_add_cell(table, "%s", lp_tuning_kind_names[run_at(self, i)->kind]);
        lp_text_table_add_cell(table, "%.9f", run_at(self, i)->time_s);
        lp_text_table_add_cell(table, "%s", run_at(self, i)->library);
    }
    g_string_append(out, "\n");
    lp_text_table_append(out, table, 2);
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
    append_choices(self, out);
    if (self->runs != NULL)
        append_runs(self, out);
    else if (self->library != NULL)
        g_string_append_printf(out, "\nlibrary: %s\n", self->library);
    return g_string_free(out, FALSE);
}
