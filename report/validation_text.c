/* SPDX-License-Identifier: Apache-2.0 */
/* The predictions of a table of measurements, as text. */
#include "report/validation_report.h"

#include "report/result_field.h"
#include "report/validation_tables.h"
#include "report/wording.h"

#include <string.h>

#define N_WORST 20

/* A table whose first column is what stands at @first of the output, and the others are a score. */
static LpTextTable *
new_scores(const char *first)
{
    return lp_result_field_new_table(
        "validate",
        (const char *const[]){first, "/all/rows", "/all/failed", "/all/median_absolute_error",
                              "/all/mean_absolute_error", "/all/bias", "/all/p90_absolute_error",
                              "/all/worst_absolute_error", NULL},
        NULL);
}

static void
add_score(LpTextTable *table, const char *name, const json_t *score)
{
    static const char *const keys[] = {"/rows",
                                       "/failed",
                                       "/median_absolute_error",
                                       "/mean_absolute_error",
                                       "/bias",
                                       "/p90_absolute_error",
                                       "/worst_absolute_error",
                                       NULL};
    lp_text_table_add_row(table);
    lp_text_table_add_cell(table, "%s", name);
    lp_result_field_add_cells(table, "score", "", keys, score);
}

static void
add_sources(GString *text, const json_t *report)
{
    const json_t *sources = lp_json_find(report, "/sources"), *all = lp_json_find(report, "/all");
    g_autoptr(LpTextTable) table = new_scores("/sources/0/source");
    for (size_t i = 0; i < json_array_size(sources); i++) {
        const json_t *source = json_array_get(sources, i);
        add_score(table, json_string_value(json_object_get(source, "source")), source);
    }
    add_score(table, "all", all);
    lp_text_table_append(text, table, 0);
    json_int_t n_out_of_scope = json_integer_value(json_object_get(all, "out_of_scope"));
    if (n_out_of_scope > 0)
        g_string_append_printf(text, "Of the failed rows, %d are out of scope.\n",
                               (int)n_out_of_scope);
}

static void
add_models(GString *text, const json_t *report)
{
    g_autoptr(LpTextTable) table = new_scores("/model");
    const char *name;
    json_t *score;
    json_object_foreach (json_object_get(json_object_get(report, "all"), "models"), name, score)
        add_score(table, name, score);
    g_string_append(text, "\nall rows, by model\n");
    lp_text_table_append(text, table, 0);
}

/* Adds a line for each software and accelerator. */
static void
add_groups(GString *text, const json_t *report)
{
    static const char *const keys[] = {"/software",
                                       "/accelerator",
                                       "/rows",
                                       "/publishers",
                                       "/failed",
                                       "/median_absolute_error",
                                       "/bias",
                                       "/p90_absolute_error",
                                       "/worst_absolute_error",
                                       NULL};
    if (lp_json_find(report, "/groups") == NULL)
        return;
    g_autoptr(LpTextTable) table = lp_result_field_table("validate", "/groups", keys, report);
    g_string_append_c(text, '\n');
    lp_text_table_append(text, table, 0);
}

/* A line for each model of @part, a source or all. Returns: whether there is a group. */
static gboolean
add_ranking(LpTextTable *table, const char *source, json_t *part)
{
    static const char *const keys[] = {
        "/groups",        "/plans",         "/within_5_percent",        "/within_15_percent",
        "/median_regret", "/mean_spearman", "/chance_within_5_percent", NULL};
    const char *name;
    json_t *score;
    json_object_foreach (json_object_get(part, "models"), name, score) {
        const json_t *ranking = json_object_get(score, "ranking");
        if (ranking == NULL)
            return FALSE;
        lp_text_table_add_row(table);
        lp_text_table_add_cell(table, "%s", source);
        lp_text_table_add_cell(table, "%s", name);
        lp_result_field_add_cells(table, "ranking", "", keys, ranking);
        source = "";
    }
    return TRUE;
}

static void
add_rankings(GString *text, const json_t *report)
{
    g_autoptr(LpTextTable) table =
        lp_result_field_new_table("validate", lp_validation_ranking_columns, NULL);
    const json_t *sources = json_object_get(report, "sources");
    gboolean any = FALSE;
    for (size_t i = 0; i < json_array_size(sources); i++) {
        json_t *source = json_array_get(sources, i);
        const char *name = json_string_value(json_object_get(source, "source"));
        any = add_ranking(table, name, source) || any;
    }
    if (!any)
        return;
    add_ranking(table, "all", json_object_get(report, "all"));
    g_string_append(text,
                    "\nThe plan that is predicted to be the fastest, in groups of rows that "
                    "differ in nothing but their plan: how\noften, in per cent of the groups, "
                    "it is within 5 and 15 % of the one measured as the fastest, and what it\n"
                    "takes more (regret, per cent); the last column is of plans drawn by "
                    "chance:\n");
    lp_text_table_append(text, table, 0);
}

static void
add_worst(GString *text, const LpValidation *self)
{
    g_autoptr(GPtrArray) worst = lp_score_worst(self->outcomes, N_WORST, self->model);
    if (worst->len == 0)
        return;
    g_string_append(text, "\nWorst rows (id, source: measured, predicted, error; the largest "
                          "terms; what was inferred):\n");
    for (guint i = 0; i < worst->len; i++) {
        const LpOutcome *outcome = worst->pdata[i];
        g_autofree char *measured = lp_wording_value(outcome, outcome->measured);
        g_autofree char *predicted = lp_wording_value(outcome, outcome->predicted[self->model]);
        g_string_append_printf(text, "%s, %s: %s, %s, %+.1f %%", outcome->id, outcome->source,
                               measured, predicted, 100.0 * lp_outcome_error(outcome, self->model));
        g_autofree char *terms = lp_wording_terms(outcome);
        if (*terms != '\0')
            g_string_append_printf(text, "; %s", terms);
        for (guint j = 0; j < outcome->inferred->len; j++)
            g_string_append_printf(text, "; %s", (const char *)outcome->inferred->pdata[j]);
        g_string_append_c(text, '\n');
    }
}

static void
add_failed(GString *text, const LpValidation *self)
{
    gboolean any = FALSE;
    for (guint i = 0; i < self->outcomes->len; i++) {
        const LpOutcome *outcome = self->outcomes->pdata[i];
        if (outcome->status == LP_OUTCOME_OK)
            continue;
        if (!any)
            g_string_append(text, "\nRows without a valid prediction (each counts with error 100 "
                                  "%):\n");
        any = TRUE;
        g_string_append_printf(text, "%s, %s: %s: %s\n", outcome->id, outcome->source,
                               lp_outcome_names[outcome->status], outcome->reason);
    }
}

char *
lp_validation_to_text(const LpValidation *self)
{
    GString *text = g_string_new(NULL);
    g_autoptr(json_t) report = lp_validation_to_json(self);
    g_string_append_printf(text, "%s: %u rows, %s, predictions: %s; errors in per cent\n\n",
                           self->cases, self->outcomes->len, lp_table_kind_names[self->kind],
                           lp_prediction_names[self->model]);
    if (self->n_left > 0)
        g_string_append_printf(text, "interrupted: %u rows are left out\n\n", self->n_left);
    add_sources(text, report);
    add_groups(text, report);
    add_models(text, report);
    add_rankings(text, report);
    add_worst(text, self);
    add_failed(text, self);
    return g_string_free(text, FALSE);
}
