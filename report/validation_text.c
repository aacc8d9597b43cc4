/* SPDX-License-Identifier: Apache-2.0 */
/* What came out of a table of measurements, as text. */
#include "report/validation_report.h"

#include "base/text_table.h"
#include "report/wording.h"
#include "validation/prediction/software_groups.h"

#include <string.h>

#define N_WORST 20

static void
add_score(LpTextTable *table, const char *name, const LpScore *score)
{
    lp_text_table_add_row(table);
    lp_text_table_add_cell(table, "%s", name);
    lp_text_table_add_cell(table, "%u", score->n_rows);
    lp_text_table_add_cell(table, "%u", score->n_failed);
    lp_text_table_add_cell(table, "%.1f", 100.0 * score->median_absolute_error);
    lp_text_table_add_cell(table, "%.1f", 100.0 * score->mean_absolute_error);
    lp_text_table_add_cell(table, "%+.1f", 100.0 * score->bias);
    lp_text_table_add_cell(table, "%.1f", 100.0 * score->p90_absolute_error);
    lp_text_table_add_cell(table, "%.1f", 100.0 * score->worst_absolute_error);
}

/* @first: the heading of the names. */
static LpTextTable *
new_table(const char *first)
{
    return lp_text_table_new((const char *const[]){first, "#rows", "#failed", "#median", "#mean",
                                                   "#bias", "#p90", "#worst", NULL});
}

static void
add_sources(GString *text, const LpValidation *self, const GPtrArray *sources)
{
    g_autoptr(LpTextTable) table = new_table("source");
    for (guint i = 0; i < sources->len; i++) {
        LpScore score = lp_score(self->outcomes, sources->pdata[i], self->model);
        add_score(table, sources->pdata[i], &score);
    }
    LpScore all = lp_score(self->outcomes, NULL, self->model);
    add_score(table, "all", &all);
    lp_text_table_append(text, table, 0);
    if (all.n_out_of_scope > 0)
        g_string_append_printf(text, "Of the failed rows, %u are out of scope.\n",
                               all.n_out_of_scope);
}

static void
add_models(GString *text, const LpValidation *self)
{
    g_autoptr(LpTextTable) table = new_table("all rows, by model");
    for (LpPrediction model = 0; model < LP_N_PREDICTIONS; model++) {
        LpScore score = lp_score(self->outcomes, NULL, model);
        add_score(table, lp_prediction_names[model], &score);
    }
    g_string_append_c(text, '\n');
    lp_text_table_append(text, table, 0);
}

/* By whose software ran, on what: a line for each accelerator. */
static void
add_groups(GString *text, const LpValidation *self)
{
    static const char *const columns[] = {"software", "accelerator", "#rows", "#publishers",
                                          "#failed",  "#median",     "#bias", "#p90",
                                          "#worst",   NULL};
    g_autoptr(GPtrArray) groups = lp_software_groups(self->outcomes);
    if (groups->len == 0)
        return;
    g_autoptr(LpTextTable) table = lp_text_table_new(columns);
    for (guint i = 0; i < groups->len; i++) {
        const LpSoftwareGroup *group = groups->pdata[i];
        LpScore score = lp_score(group->outcomes, NULL, self->model);
        lp_text_table_add_row(table);
        lp_text_table_add_cell(table, "%s", group->software);
        lp_text_table_add_cell(table, "%s", group->accelerator);
        lp_text_table_add_cell(table, "%u", score.n_rows);
        lp_text_table_add_cell(table, "%u", group->n_publishers);
        lp_text_table_add_cell(table, "%u", score.n_failed);
        lp_text_table_add_cell(table, "%.1f", 100.0 * score.median_absolute_error);
        lp_text_table_add_cell(table, "%+.1f", 100.0 * score.bias);
        lp_text_table_add_cell(table, "%.1f", 100.0 * score.p90_absolute_error);
        lp_text_table_add_cell(table, "%.1f", 100.0 * score.worst_absolute_error);
    }
    g_string_append_c(text, '\n');
    lp_text_table_append(text, table, 0);
}

/* A line for each model. Returns: whether there is a group. */
static gboolean
add_ranking(LpTextTable *table, const LpValidation *self, const char *source)
{
    for (LpPrediction model = 0; model < LP_N_PREDICTIONS; model++) {
        LpRanking ranking = lp_ranking(self->outcomes, source, model);
        if (ranking.n_groups == 0)
            return FALSE;
        lp_text_table_add_row(table);
        lp_text_table_add_cell(table, "%s", model > 0 ? "" : source != NULL ? source : "all");
        lp_text_table_add_cell(table, "%s", lp_prediction_names[model]);
        lp_text_table_add_cell(table, "%u", ranking.n_groups);
        lp_text_table_add_cell(table, "%u", ranking.n_plans);
        lp_text_table_add_cell(table, "%.0f", 100.0 * ranking.within_5_percent);
        lp_text_table_add_cell(table, "%.0f", 100.0 * ranking.within_15_percent);
        lp_text_table_add_cell(table, "%.1f", 100.0 * ranking.median_regret);
        lp_text_table_add_cell(table, "%.2f", ranking.mean_spearman + 0.0);
        lp_text_table_add_cell(table, "%.0f", 100.0 * ranking.chance_within_5_percent);
    }
    return TRUE;
}

static void
add_rankings(GString *text, const LpValidation *self, const GPtrArray *sources)
{
    static const char *const columns[] = {
        "source",       "model",          "#groups",   "#plans",       "#within 5 %",
        "#within 15 %", "#median regret", "#Spearman", "#chance, 5 %", NULL};
    g_autoptr(LpTextTable) table = lp_text_table_new(columns);
    gboolean any = FALSE;
    for (guint i = 0; i < sources->len; i++)
        any = add_ranking(table, self, sources->pdata[i]) || any;
    if (!any)
        return;
    add_ranking(table, self, NULL);
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
    g_autoptr(GPtrArray) sources = lp_score_sources(self->outcomes);
    g_string_append_printf(text, "%s: %u rows, %s, predictions: %s; errors in per cent\n\n",
                           self->cases, self->outcomes->len, lp_table_kind_names[self->kind],
                           lp_prediction_names[self->model]);
    if (self->n_left > 0)
        g_string_append_printf(text, "interrupted: %u rows are left out\n\n", self->n_left);
    add_sources(text, self, sources);
    add_groups(text, self);
    add_models(text, self);
    add_rankings(text, self, sources);
    add_worst(text, self);
    add_failed(text, self);
    return g_string_free(text, FALSE);
}
