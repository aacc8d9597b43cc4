/* SPDX-License-Identifier: Apache-2.0 */
/* What came out of a table of measurements, as JSON. */
#include "report/validation.h"

#include "report/json.h"

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
                [LP_MEASURE_RATE] = {"tflops", 1e12}};

static void
add_score(JsonBuilder *builder, const LpScore *score)
{
    lp_json_count(builder, "rows", score->n_rows);
    lp_json_count(builder, "failed", score->n_failed);
    lp_json_count(builder, "out_of_scope", score->n_out_of_scope);
    lp_json_number(builder, "median_absolute_error", score->median_absolute_error);
    lp_json_number(builder, "mean_absolute_error", score->mean_absolute_error);
    lp_json_number(builder, "bias", score->bias);
    lp_json_number(builder, "p90_absolute_error", score->p90_absolute_error);
    lp_json_number(builder, "worst_absolute_error", score->worst_absolute_error);
}

static void
add_ranking(JsonBuilder *builder, const LpRanking *ranking)
{
    if (ranking->n_groups == 0)
        return;
    lp_json_begin(builder, "ranking");
    lp_json_count(builder, "groups", ranking->n_groups);
    lp_json_number(builder, "within_5_percent", ranking->within_5_percent);
    lp_json_number(builder, "within_15_percent", ranking->within_15_percent);
    lp_json_number(builder, "mean_spearman", ranking->mean_spearman);
    json_builder_end_object(builder);
}

/* The members that "all" and a source have alike. @source: NULL for all. */
static void
add_part(JsonBuilder *builder, const LpValidation *self, const char *source)
{
    LpScore score = lp_score(self->outcomes, source, self->model);
    LpRanking ranking = lp_score_ranking(self->outcomes, source, self->model);
    add_score(builder, &score);
    add_ranking(builder, &ranking);
    lp_json_begin(builder, "models");
    for (LpPrediction model = 0; model < LP_N_PREDICTIONS; model++) {
        LpScore other = lp_score(self->outcomes, source, model);
        LpRanking choice = lp_score_ranking(self->outcomes, source, model);
        lp_json_begin(builder, lp_prediction_names[model]);
        add_score(builder, &other);
        add_ranking(builder, &choice);
        json_builder_end_object(builder);
    }
    json_builder_end_object(builder);
}

static void
add_value(JsonBuilder *builder, const char *name, LpMeasure measure, double value)
{
    g_autofree char *key = g_strconcat(name, "_", measures[measure].suffix, NULL);
    if (value > 0.0) {
        lp_json_number(builder, key, value / measures[measure].unit);
        return;
    }
    json_builder_set_member_name(builder, key);
    json_builder_add_null_value(builder);
}

static void
add_row(JsonBuilder *builder, const LpOutcome *outcome, LpPrediction model)
{
    json_builder_begin_object(builder);
    lp_json_text(builder, "id", outcome->id);
    lp_json_text(builder, "source", outcome->source);
    lp_json_text(builder, "status", lp_outcome_names[outcome->status]);
    lp_json_text(builder, "reason", outcome->reason != NULL ? outcome->reason : "");
    add_value(builder, "measured", outcome->measure, outcome->measured);
    add_value(builder, "predicted", outcome->measure, outcome->predicted[model]);
    lp_json_number(builder, "error", lp_outcome_error(outcome, model));
    for (LpPrediction other = 0; other < LP_N_PREDICTIONS; other++)
        add_value(builder, lp_prediction_names[other], outcome->measure, outcome->predicted[other]);
    if (outcome->has_terms) {
        lp_json_begin(builder, "terms_s");
        for (LpTerm term = 0; term < LP_N_TERMS; term++)
            lp_json_number(builder, lp_term_names[term], outcome->terms.s[term]);
        json_builder_end_object(builder);
    }
    lp_json_begin_array(builder, "inferred");
    for (guint i = 0; i < outcome->inferred->len; i++)
        json_builder_add_string_value(builder, outcome->inferred->pdata[i]);
    json_builder_end_array(builder);
    json_builder_end_object(builder);
}

JsonNode *
lp_validation_to_json(const LpValidation *self)
{
    g_autoptr(JsonBuilder) builder = json_builder_new();
    g_autoptr(GPtrArray) sources = lp_score_sources(self->outcomes);
    json_builder_begin_object(builder);
    lp_json_text(builder, "cases", self->cases);
    lp_json_text(builder, "kind", lp_table_kind_names[self->kind]);
    lp_json_text(builder, "model", lp_prediction_names[self->model]);
    lp_json_begin(builder, "all");
    add_part(builder, self, NULL);
    json_builder_end_object(builder);
    lp_json_begin_array(builder, "sources");
    for (guint i = 0; i < sources->len; i++) {
        json_builder_begin_object(builder);
        lp_json_text(builder, "source", sources->pdata[i]);
        add_part(builder, self, sources->pdata[i]);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    lp_json_begin_array(builder, "rows");
    for (guint i = 0; i < self->outcomes->len; i++)
        add_row(builder, self->outcomes->pdata[i], self->model);
    json_builder_end_array(builder);
    json_builder_end_object(builder);
    return json_builder_get_root(builder);
}
