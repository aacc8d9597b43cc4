/* SPDX-License-Identifier: Apache-2.0 */
/* The answer of a search: the best plans with their differences, and the plans that were not run
 * with the reasons. */
#include "report/search_report.h"

#include "base/file.h"
#include "base/text_table.h"
#include "base/units.h"
#include "report/expected_text.h"
#include "report/figures.h"
#include "report/result_field.h"

#include <math.h>
#include <string.h>

/* Terms that differ by less of the first plan's time are not worth a word. */
#define NOTABLE 0.002

static const LpSearchRun *
run_at(const LpSearchReport *self, guint index)
{
    return &g_array_index(self->result->runs, LpSearchRun, index);
}

guint
lp_search_report_n_shown(const LpSearchReport *self)
{
    guint n = MIN(self->n_best, self->result->runs->len);
    LpObjective objective = self->measure->objective;
    while (n > 0 && n < self->result->runs->len &&
           run_at(self, n)->figures.of[objective] <=
               (1.0 + self->within) * run_at(self, 0)->figures.of[objective])
        n++;
    return n;
}

static const LpMachine *
machine_of(const LpSearchReport *self, const LpSearchRun *run)
{
    return self->space->machines[run->plan.machine];
}

/* "tp=8 pp=2 ...". Returns: (transfer full). */
static char *
settings_text(const LpSearchReport *self, const LpSearchPlan *plan)
{
    g_auto(GStrv) settings = lp_search_space_settings(self->space, plan);
    return g_strjoinv(" ", settings);
}

/* "bubble +0.12, tp -0.03": terms that differ from the first plan's. Returns: (transfer full). */
static char *
difference_text(const LpSearchReport *self, const LpSearchRun *run)
{
    const LpSearchRun *first = run_at(self, 0);
    GString *text = g_string_new(NULL);
    for (guint pass = 0; pass < LP_N_TERMS; pass++) {
        /* The largest first. */
        LpTerm largest = LP_N_TERMS;
        double least = NOTABLE * first->time_s;
        for (LpTerm term = 0; term < LP_N_TERMS; term++) {
            g_autofree char *name = g_strdup_printf("%s ", lp_term_names[term]);
            double change = fabs(run->terms.s[term] - first->terms.s[term]);
            if (change > least && strstr(text->str, name) == NULL) {
                largest = term;
                least = change;
            }
        }
        if (largest == LP_N_TERMS)
            break;
        g_string_append_printf(text, "%s%s %+.4g", text->len > 0 ? ", " : "",
                               lp_term_names[largest],
                               run->terms.s[largest] - first->terms.s[largest]);
    }
    return g_string_free(text, FALSE);
}

/* Whether any of the runs has that figure. */
static gboolean
has_figure(const LpSearchReport *self, LpObjective figure)
{
    for (guint i = 0; i < self->result->runs->len; i++)
        if (run_at(self, i)->figures.of[figure] > 0.0)
            return TRUE;
    return FALSE;
}

/* Adds a figure; the cell is empty where the figure is not known. */
static void
add_figure(LpTextTable *table, LpQuantity quantity, double value)
{
    if (value > 0.0)
        lp_text_table_add_quantity(table, quantity, value);
    else
        lp_text_table_add_cell(table, "%s", "");
}

static const char *
label_of(const char *pointer)
{
    return lp_result_field_label("search", pointer);
}

static void
append_plans(GString *out, const LpSearchReport *self, gboolean front)
{
    gboolean several = self->space->n_machines > 1;
    gboolean has_price = has_figure(self, LP_OBJECTIVE_COST);
    gboolean has_energy = has_figure(self, LP_OBJECTIVE_ENERGY);
    double n_tokens = lp_figures_n_tokens(self->space->own);
    g_autofree char *time = lp_result_field_heading("search", "/plans/0/iteration_time_s");
    g_autofree char *closed = lp_result_field_heading("search", "/plans/0/closed_form_s");
    g_autofree char *memory = lp_result_field_heading("search", "/plans/0/memory_bytes");
    g_autofree char *price = g_strconcat("#", label_of("/plans/0/usd_s_per_token"), NULL);
    g_autofree char *energy = g_strconcat("#", label_of("/plans/0/energy_j_per_token"), NULL);
    const char *const columns[] = {"#",
                                   time,
                                   closed,
                                   memory,
                                   has_price ? price : "",
                                   has_energy ? energy : "",
                                   label_of("/plans/0/set"),
                                   front ? "" : "difference from the first, s",
                                   several ? label_of("/plans/0/machine") : "",
                                   NULL};
    g_autoptr(LpTextTable) table = lp_text_table_new(columns);
    guint n = front ? self->result->runs->len : lp_search_report_n_shown(self);
    for (guint i = 0; i < n; i++) {
        const LpSearchRun *run = run_at(self, i);
        if (front && !run->is_on_front)
            continue;
        g_autofree char *settings = settings_text(self, &run->plan);
        g_autofree char *difference = front ? g_strdup("") : difference_text(self, run);
        lp_text_table_add_row(table);
        lp_text_table_add_cell(table, "%u", i + 1);
        lp_text_table_add_cell(table, "%.6f", run->time_s);
        lp_text_table_add_cell(table, "%.6f", run->plan.closed_s);
        lp_text_table_add_quantity(table, LP_QUANTITY_SIZE, run->plan.memory_bytes);
        add_figure(table, LP_QUANTITY_PRICE, run->figures.of[LP_OBJECTIVE_COST] / n_tokens);
        add_figure(table, LP_QUANTITY_ENERGY, run->figures.of[LP_OBJECTIVE_ENERGY] / n_tokens);
        lp_text_table_add_cell(table, "%s", settings);
        lp_text_table_add_cell(table, "%s", difference);
        lp_text_table_add_cell(table, "%s",
                               several ? lp_file_label(machine_of(self, run)->path) : "");
    }
    lp_text_table_append(out, table, 2);
}

/* The expected error of a plan. */
static LpExpectedError
expected_error(const LpSearchReport *self, const LpSearchRun *run)
{
    g_autoptr(LpWorkload) workload = lp_search_space_workload(self->space, &run->plan, NULL);
    return lp_expected_error_find(workload != NULL ? workload : self->space->own,
                                  machine_of(self, run));
}

/* Whether the two are nearer to each other than what is known of them. */
static gboolean
is_tied(const LpSearchReport *self, const LpSearchRun *run, const LpExpectedError *expected)
{
    return fabs(run->time_s / run_at(self, 0)->time_s - 1.0) <= expected->median;
}

/* Which of the plans that are shown the model cannot tell from the first. */
static void
append_ties(GString *out, const LpSearchReport *self)
{
    const LpSearchRun *first = run_at(self, 0);
    LpExpectedError expected = expected_error(self, first);
    g_autofree char *text =
        lp_expected_error_to_text(&expected, self->space->own, machine_of(self, first));
    g_string_append_printf(out, "  %s of these times: %s\n",
                           label_of("/plans/0/expected_error/median"), text);
    GString *ranks = g_string_new(NULL);
    for (guint i = 1; i < lp_search_report_n_shown(self); i++) {
        LpExpectedError own = expected_error(self, run_at(self, i));
        if (own.n_steps > 0 && is_tied(self, run_at(self, i), &own))
            g_string_append_printf(ranks, "%s%u", ranks->len > 0 ? ", " : "", i + 1);
    }
    if (ranks->len > 0)
        g_string_append_printf(
            out,
            "  nearer to the first than that, so that the model cannot tell which "
            "of them is the fastest: %s\n",
            ranks->str);
    g_string_free(ranks, TRUE);
}

/* Adds a row for @n plans; no row for none. */
static void
add_count(LpTextTable *table, guint64 n, const char *what, const char *example)
{
    if (n == 0)
        return;
    lp_text_table_add_row(table);
    lp_text_table_add_cell(table, "%" G_GUINT64_FORMAT, n);
    lp_text_table_add_cell(table, "%s%s", what, example);
}

static void
append_counts(GString *out, const LpSearchReport *self)
{
    const LpSearchSpace *space = self->space;
    const LpSearchResult *result = self->result;
    g_autoptr(LpTextTable) table = lp_text_table_new((const char *const[]){"#", "", NULL});
    add_count(table, space->n_considered, label_of("/considered"), "");
    if (self->refused_machines[0] != NULL)
        add_count(table, g_strv_length(self->refused_machines), "machines refused, such as ",
                  self->refused_machines[0]);
    for (guint i = 0; i < space->refusals->len; i++) {
        const LpSearchRefusal *refusal = &g_array_index(space->refusals, LpSearchRefusal, i);
        add_count(table, refusal->n, "refused, such as ", refusal->message);
    }
    add_count(table, space->n_refused_memory, label_of("/refused_memory"), "");
    add_count(table, result->n_bounded, label_of("/bounded"), "");
    add_count(table, result->n_stopped, label_of("/stopped"), "");
    add_count(table, result->n_equivalent, label_of("/alike"), "");
    add_count(table, result->n_simulated, label_of("/simulated"), "");
    add_count(table, result->n_failed, label_of("/failed"), "");
    add_count(table, result->n_left, label_of("/not_looked_at"),
              result->is_interrupted ? ": the search was interrupted" : ": the budget was spent");
    lp_text_table_append(out, table, 2);
}

/* The least that a plan which was not looked at can have of the objective. */
static void
append_left(GString *out, const LpSearchReport *self)
{
    static const struct {
        LpQuantity quantity;
        gboolean is_of_token;
        const char *of;
    } words[LP_N_OBJECTIVES] = {
        [LP_OBJECTIVE_TIME] = {LP_QUANTITY_TIME, FALSE, " an iteration"},
        [LP_OBJECTIVE_COST] = {LP_QUANTITY_PRICE, TRUE, " a token/s"},
        [LP_OBJECTIVE_ENERGY] = {LP_QUANTITY_ENERGY, TRUE, " a token"},
        [LP_OBJECTIVE_MEMORY] = {LP_QUANTITY_SIZE, FALSE, " an accelerator"},
    };
    LpObjective objective = self->measure->objective;
    double least = self->result->least_left;
    if (self->result->n_left == 0 || self->result->runs->len == 0)
        return;
    double first = run_at(self, 0)->figures.of[objective];
    double n_tokens = words[objective].is_of_token ? lp_figures_n_tokens(self->space->own) : 1.0;
    g_autofree char *text = lp_quantity_format(words[objective].quantity, least / n_tokens);
    g_string_append_printf(out, "  none of those not looked at has less %s than %s%s, ",
                           lp_objective_names[objective], text, words[objective].of);
    if (least < first)
        g_string_append_printf(out, "%.1f %% less than the first\n", 100.0 * (1.0 - least / first));
    else
        g_string_append(out, "no less than the first\n");
}

char *
lp_search_report_to_text(const LpSearchReport *self)
{
    const LpSearchResult *result = self->result;
    GString *out = g_string_new(NULL);
    g_string_append_printf(out, "workload    %s\n", self->workload);
    for (guint i = 0; i < self->space->n_machines; i++)
        g_string_append_printf(out, "platform    %s, %" G_GUINT64_FORMAT " accelerators\n",
                               lp_file_label(self->space->machines[i]->path),
                               self->space->machines[i]->n_accelerators);
    g_string_append(out, "\n");
    append_counts(out, self);
    if (isfinite(self->space->least_lacking_bytes)) {
        g_autofree char *lacking =
            lp_quantity_format(LP_QUANTITY_SIZE, self->space->least_lacking_bytes);
        g_autofree char *settings = settings_text(self, &self->space->nearest);
        g_string_append_printf(out, "  the nearest of those that do not fit lacks %s: %s\n",
                               lacking, settings);
    }
    append_left(out, self);
    if (result->runs->len > 0) {
        g_string_append(out, "\nbest plans\n");
        append_plans(out, self, FALSE);
        append_ties(out, self);
        gboolean has_energy = self->measure->objective == LP_OBJECTIVE_ENERGY;
        g_string_append_printf(
            out,
            "\nno other plan is better than these in time, memory, accelerators%s price%s, among "
            "those at most %g %% behind the first in %s\n",
            has_energy ? "," : " and", has_energy ? " and energy" : "", 100.0 * LP_SEARCH_FRONT,
            lp_objective_names[self->measure->objective]);
        append_plans(out, self, TRUE);
    }
    return g_string_free(out, FALSE);
}

/* Sets "set" of @object. */
static void
add_settings(json_t *object, const LpSearchSpace *space, const LpSearchPlan *plan)
{
    json_t *set = lp_json_set_object(object, "set");
    g_auto(GStrv) settings = lp_search_space_settings(space, plan);
    for (char **setting = settings; *setting != NULL; setting++) {
        g_auto(GStrv) parts = g_strsplit(*setting, "=", 2);
        lp_json_set_text(set, parts[0], parts[1]);
    }
}

/* Adds the plan that lacks the least memory of those that do not fit. */
static void
add_nearest(json_t *root, const LpSearchSpace *space)
{
    lp_json_set_number(root, "least_lacking_bytes", space->least_lacking_bytes);
    add_settings(lp_json_set_object(root, "least_lacking_plan"), space, &space->nearest);
}

/* The least of the objective among plans that were left, by the key of plans that has it. */
static void
add_left(json_t *root, const LpSearchReport *self)
{
    static const char *const keys[LP_N_OBJECTIVES] = {
        [LP_OBJECTIVE_TIME] = "iteration_time_s",
        [LP_OBJECTIVE_COST] = "usd_s_per_token",
        [LP_OBJECTIVE_ENERGY] = "energy_j_per_token",
        [LP_OBJECTIVE_MEMORY] = "memory_bytes",
    };
    LpObjective objective = self->measure->objective;
    gboolean is_of_token = objective == LP_OBJECTIVE_COST || objective == LP_OBJECTIVE_ENERGY;
    lp_json_set_number(lp_json_set_object(root, "not_looked_at_at_least"), keys[objective],
                       self->result->least_left /
                           (is_of_token ? lp_figures_n_tokens(self->space->own) : 1.0));
}

void
lp_search_report_add_plan(json_t *plans, const LpSearchReport *self, guint index)
{
    const LpSearchRun *run = run_at(self, index);
    json_t *object = lp_json_append_object(plans);
    lp_json_set_count(object, "rank", index + 1);
    add_settings(object, self->space, &run->plan);
    lp_json_set_text(object, "platform", lp_file_label(machine_of(self, run)->path));
    lp_json_set_count(object, "accelerators", machine_of(self, run)->n_accelerators);
    lp_json_set_number(object, "iteration_time_s", run->time_s);
    json_t *terms = lp_json_set_object(object, "terms_s");
    for (LpTerm term = 0; term < LP_N_TERMS; term++)
        lp_json_set_number(terms, lp_term_names[term], run->terms.s[term]);
    lp_json_set_number(object, "memory_bytes", run->plan.memory_bytes);
    double n_tokens = lp_figures_n_tokens(self->space->own);
    if (run->figures.price_usd > 0.0) {
        lp_json_set_number(object, "price_usd", run->figures.price_usd);
        lp_json_set_number(object, "usd_s_per_token",
                           run->figures.of[LP_OBJECTIVE_COST] / n_tokens);
    }
    if (run->figures.of[LP_OBJECTIVE_ENERGY] > 0.0)
        lp_json_set_number(object, "energy_j_per_token",
                           run->figures.of[LP_OBJECTIVE_ENERGY] / n_tokens);
    LpExpectedError expected = expected_error(self, run);
    lp_expected_error_add_json(object, &expected);
    if (expected.n_steps > 0)
        json_object_set_new(object, "tied_with_first", json_boolean(is_tied(self, run, &expected)));
    lp_json_set_number(object, "closed_form_s", run->plan.closed_s);
    lp_json_set_number(object, "bound_s", run->plan.bound_s);
    lp_json_set_number(object, "running_bound_s", run->least_s);
    json_object_set_new(object, "on_front", json_boolean(run->is_on_front));
}

json_t *
lp_search_report_to_json(const LpSearchReport *self)
{
    const LpSearchSpace *space = self->space;
    const LpSearchResult *result = self->result;
    json_t *root = lp_json_document();
    lp_json_set_text(root, "workload", self->workload);
    json_t *platforms = lp_json_set_array(root, "platforms");
    for (guint i = 0; i < space->n_machines; i++)
        lp_json_append_text(platforms, lp_file_label(space->machines[i]->path));
    lp_json_set_text(root, "objective", lp_objective_names[self->measure->objective]);
    lp_json_set_number(root, "front_within", LP_SEARCH_FRONT);
    lp_json_set_count(root, "considered", space->n_considered);
    lp_json_set_count(root, "refused_memory", space->n_refused_memory);
    json_t *refused = lp_json_set_array(root, "refused");
    for (guint i = 0; i < space->refusals->len; i++) {
        const LpSearchRefusal *refusal = &g_array_index(space->refusals, LpSearchRefusal, i);
        json_t *object = lp_json_append_object(refused);
        lp_json_set_text(object, "attribute", refusal->attribute);
        lp_json_set_text(object, "message", refusal->message);
        lp_json_set_count(object, "plans", refusal->n);
    }
    json_t *machines = lp_json_set_array(root, "refused_machines");
    for (char *const *reason = self->refused_machines; *reason != NULL; reason++)
        lp_json_append_text(machines, *reason);
    if (isfinite(space->least_lacking_bytes))
        add_nearest(root, space);
    lp_json_set_count(root, "bounded", result->n_bounded);
    lp_json_set_count(root, "stopped", result->n_stopped);
    lp_json_set_count(root, "alike", result->n_equivalent);
    lp_json_set_count(root, "simulated", result->n_simulated);
    lp_json_set_count(root, "failed", result->n_failed);
    if (result->is_interrupted)
        json_object_set_new(root, "interrupted", json_true());
    if (result->n_left > 0) {
        lp_json_set_count(root, "not_looked_at", result->n_left);
        lp_json_set_number(root, "not_looked_at_at_least_s", result->least_left_s);
        add_left(root, self);
    }
    json_t *plans = lp_json_set_array(root, "plans");
    guint n = lp_search_report_n_shown(self);
    for (guint i = 0; i < result->runs->len; i++)
        if (i < n || run_at(self, i)->is_on_front)
            lp_search_report_add_plan(plans, self, i);
    return root;
}
