/* SPDX-License-Identifier: Apache-2.0 */
/* The predictions of a table of measurements, as JSON. */
#include "report/validation_report.h"

#include "base/json.h"
#include "validation/prediction/software_groups.h"

#include <math.h>

gboolean
lp_validation_predicts_any(const LpValidation *self, LpPrediction model)
{
    for (guint i = 0; i < self->outcomes->len; i++)
        if (((const LpOutcome *)self->outcomes->pdata[i])->predicted[model] > 0.0)
            return TRUE;
    return FALSE;
}

/* What a row's values are called, and their unit over that in memory. */
static const struct {
    const char *suffix;
    double unit;
} measures[] = {[LP_MEASURE_TIME] = {"s", 1.0},
                [LP_MEASURE_BANDWIDTH] = {"gbps", 1e9},
                [LP_MEASURE_RATE] = {"tflops", 1e12},
                [LP_MEASURE_RATIO] = {"ratio", 1.0},
                [LP_MEASURE_MEMORY] = {"memory_gb", 1e9}};

static void
add_score(json_t *object, const LpScore *score)
{
    lp_json_set_count(object, "rows", score->n_rows);
    lp_json_set_count(object, "failed", score->n_failed);
    lp_json_set_count(object, "out_of_scope", score->n_out_of_scope);
    lp_json_set_number(object, "median_absolute_error", score->median_absolute_error);
    lp_json_set_number(object, "mean_absolute_error", score->mean_absolute_error);
    lp_json_set_number(object, "bias", score->bias);
    lp_json_set_number(object, "p90_absolute_error", score->p90_absolute_error);
    lp_json_set_number(object, "worst_absolute_error", score->worst_absolute_error);
}

static void
add_ranking(json_t *object, const LpRanking *ranking)
{
    if (ranking->n_groups == 0)
        return;
    json_t *part = lp_json_set_object(object, "ranking");
    lp_json_set_count(part, "groups", ranking->n_groups);
    lp_json_set_count(part, "plans", ranking->n_plans);
    lp_json_set_number(part, "within_5_percent", ranking->within_5_percent);
    lp_json_set_number(part, "within_15_percent", ranking->within_15_percent);
    lp_json_set_number(part, "median_regret", ranking->median_regret);
    lp_json_set_number(part, "mean_spearman", ranking->mean_spearman);
    lp_json_set_number(part, "chance_within_5_percent", ranking->chance_within_5_percent);
}

/* The members that "all" and a source have alike. @source: NULL for all. */
static void
add_part(json_t *object, const LpValidation *self, const char *source)
{
    LpScore score = lp_score(self->outcomes, source, self->model);
    LpRanking ranking = lp_ranking(self->outcomes, source, self->model);
    add_score(object, &score);
    add_ranking(object, &ranking);
    json_t *models = lp_json_set_object(object, "models");
    for (LpPrediction model = 0; model < LP_N_PREDICTIONS; model++) {
        LpScore other = lp_score(self->outcomes, source, model);
        LpRanking choice = lp_ranking(self->outcomes, source, model);
        json_t *part = lp_json_set_object(models, lp_prediction_names[model]);
        add_score(part, &other);
        add_ranking(part, &choice);
    }
}

static void
add_value(json_t *object, const char *name, LpMeasure measure, double value)
{
    g_autofree char *key = g_strconcat(name, "_", measures[measure].suffix, NULL);
    /* What is not there becomes null. */
    lp_json_set_number(object, key, value > 0.0 ? value / measures[measure].unit : NAN);
}

static void
add_row(json_t *array, const LpOutcome *outcome, LpPrediction model)
{
    json_t *object = lp_json_append_object(array);
    lp_json_set_text(object, "id", outcome->id);
    lp_json_set_text(object, "source", outcome->source);
    lp_json_set_text(object, "publisher", outcome->publisher);
    if (*outcome->software != '\0')
        lp_json_set_text(object, "software", outcome->software);
    if (*outcome->accelerator != '\0')
        lp_json_set_text(object, "accelerator", outcome->accelerator);
    lp_json_set_text(object, "status", lp_outcome_names[outcome->status]);
    lp_json_set_text(object, "reason", outcome->reason != NULL ? outcome->reason : "");
    add_value(object, "measured", outcome->measure, outcome->measured);
    add_value(object, "predicted", outcome->measure, outcome->predicted[model]);
    lp_json_set_number(object, "error", lp_outcome_error(outcome, model));
    for (LpPrediction other = 0; other < LP_N_PREDICTIONS; other++)
        add_value(object, lp_prediction_names[other], outcome->measure, outcome->predicted[other]);
    if (outcome->has_terms) {
        json_t *terms_s = lp_json_set_object(object, "terms_s");
        for (LpTerm term = 0; term < LP_N_TERMS; term++)
            lp_json_set_number(terms_s, lp_term_names[term], outcome->terms.s[term]);
    }
    json_t *inferred = lp_json_set_array(object, "inferred");
    for (guint i = 0; i < outcome->inferred->len; i++)
        lp_json_append_text(inferred, outcome->inferred->pdata[i]);
}

static void
add_groups(json_t *root, const LpValidation *self)
{
    g_autoptr(GPtrArray) groups = lp_software_groups(self->outcomes);
    if (groups->len == 0)
        return;
    json_t *list = lp_json_set_array(root, "groups");
    for (guint i = 0; i < groups->len; i++) {
        const LpSoftwareGroup *group = groups->pdata[i];
        json_t *object = lp_json_append_object(list);
        lp_json_set_text(object, "software", group->software);
        lp_json_set_text(object, "accelerator", group->accelerator);
        lp_json_set_count(object, "publishers", group->n_publishers);
        LpScore score = lp_score(group->outcomes, NULL, self->model);
        add_score(object, &score);
    }
}

json_t *
lp_validation_to_json(const LpValidation *self)
{
    g_autoptr(GPtrArray) sources = lp_score_sources(self->outcomes);
    json_t *root = lp_json_document();
    lp_json_set_text(root, "cases", self->cases);
    lp_json_set_text(root, "kind", lp_table_kind_names[self->kind]);
    lp_json_set_text(root, "model", lp_prediction_names[self->model]);
    if (self->n_left > 0)
        lp_json_set_count(root, "rows_left", self->n_left);
    json_t *all = lp_json_set_object(root, "all");
    add_part(all, self, NULL);
    json_t *parts = lp_json_set_array(root, "sources");
    for (guint i = 0; i < sources->len; i++) {
        json_t *part = lp_json_append_object(parts);
        lp_json_set_text(part, "source", sources->pdata[i]);
        add_part(part, self, sources->pdata[i]);
    }
    add_groups(root, self);
    json_t *rows = lp_json_set_array(root, "rows");
    for (guint i = 0; i < self->outcomes->len; i++)
        add_row(rows, self->outcomes->pdata[i], self->model);
    return root;
}
