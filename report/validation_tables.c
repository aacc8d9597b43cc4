/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of sources, models, plans and rows. */
#include "report/validation_tables.h"

#include "report/html.h"
#include "report/result_field.h"
#include "report/wording.h"

#include <math.h>
#include <string.h>

#define N_WORST 25
/* Rows that are named where many have the same reason. */
#define N_NAMED 12
#define NO_BREAK "\u00a0"

static const char *const model_names[] = {[LP_PREDICTION_SIMULATED] = "simulated",
                                          [LP_PREDICTION_CONSISTENT] = "consistent",
                                          [LP_PREDICTION_AMPED] = "amped"};

/* --- cells --- */

static void
add_percent(GString *page, double fraction, const char *format, gboolean is_best)
{
    g_autofree char *text = g_strdup_printf(format, 100.0 * fraction + 0.0);
    lp_html_cell_number(page, is_best ? "n best" : "n", fraction, text);
}

static void
add_count(GString *page, guint count)
{
    g_autofree char *text = g_strdup_printf("%u", count);
    lp_html_cell_number(page, "n", count, text);
}

static void
add_value(GString *page, const LpOutcome *outcome, double value)
{
    g_autofree char *text = value > 0.0 ? lp_wording_value(outcome, value) : g_strdup("");
    lp_html_cell_number(page, "n", value, text);
}

/* @columns: NULL-ended: pointers of the output of validate, or names of what it does not have. */
static void
begin_table(GString *page, const char *class, const char *const *columns)
{
    g_string_append_printf(page, "<div class=\"wide\"><table class=\"%s\">\n<thead><tr>", class);
    for (guint i = 0; columns[i] != NULL; i++) {
        const LpResultField *field =
            columns[i][0] == '/' ? lp_result_field_find("validate", columns[i]) : NULL;
        gboolean is_number = field != NULL && !field->is_text && field->of == LP_FIELD_ONE;
        g_string_append_printf(page, "<th scope=\"col\"%s>%s</th>", is_number ? " class=\"n\"" : "",
                               field != NULL ? field->label : columns[i]);
    }
    g_string_append(page, "</tr></thead>\n<tbody>\n");
}

static void
end_table(GString *page)
{
    g_string_append(page, "</tbody></table></div>\n");
}

static void
add_errors(GString *page, const LpScore *score, gboolean is_best)
{
    add_percent(page, score->median_absolute_error, "%.1f %%", is_best);
    add_percent(page, score->mean_absolute_error, "%.1f %%", FALSE);
    add_percent(page, score->bias, "%+.1f %%", FALSE);
    add_percent(page, score->p90_absolute_error, "%.1f %%", FALSE);
    add_percent(page, score->worst_absolute_error, "%.1f %%", FALSE);
}

/* --- sources and models --- */

static void
add_source(GString *page, const LpValidation *self, const char *source)
{
    LpScore score = lp_score(self->outcomes, source, self->model);
    g_string_append(page, source == NULL ? "<tr class=\"sum\">" : "<tr>");
    lp_html_cell_text(page, "", source != NULL ? source : "all rows");
    add_count(page, score.n_rows);
    add_count(page, score.n_failed);
    add_count(page, score.n_out_of_scope);
    add_errors(page, &score, FALSE);
    g_string_append(page, "</tr>\n");
}

void
lp_validation_add_sources(GString *page, const LpValidation *self)
{
    static const char *const columns[] = {"/sources/0/source",
                                          "/all/rows",
                                          "/all/failed",
                                          "/all/out_of_scope",
                                          "/all/median_absolute_error",
                                          "/all/mean_absolute_error",
                                          "/all/bias",
                                          "/all/p90_absolute_error",
                                          "/all/worst_absolute_error",
                                          NULL};
    g_autoptr(GPtrArray) sources = lp_score_sources(self->outcomes);
    begin_table(page, "plain", columns);
    for (guint i = 0; i < sources->len; i++)
        add_source(page, self, sources->pdata[i]);
    add_source(page, self, NULL);
    end_table(page);
}

/* Adds the excess of the model's median over the simulation's, in points of a per cent. */
static void
add_margin(GString *page, const LpScore *score, const LpScore *simulated)
{
    double margin = score->median_absolute_error - simulated->median_absolute_error;
    g_autofree char *text = g_strdup_printf("%+.1f", 100.0 * margin + 0.0);
    lp_html_cell_number(page, "n", margin, text);
}

static void
add_models_of(GString *page, const LpValidation *self, const char *source)
{
    LpScore scores[LP_N_PREDICTIONS];
    double best = G_MAXDOUBLE;
    for (LpPrediction model = 0; model < LP_N_PREDICTIONS; model++) {
        scores[model] = lp_score(self->outcomes, source, model);
        best = MIN(best, scores[model].median_absolute_error);
    }
    for (LpPrediction model = 0; model < LP_N_PREDICTIONS; model++) {
        g_string_append(page, model == 0 ? "<tr class=\"first\">" : "<tr>");
        lp_html_cell_text(page, "", model > 0 ? "" : source != NULL ? source : "all rows");
        lp_html_cell_text(page, "", model_names[model]);
        add_errors(page, &scores[model], scores[model].median_absolute_error <= best);
        if (model == LP_PREDICTION_SIMULATED)
            lp_html_cell_text(page, "n", "");
        else
            add_margin(page, &scores[model], &scores[LP_PREDICTION_SIMULATED]);
        g_string_append(page, "</tr>\n");
    }
}

void
lp_validation_add_models(GString *page, const LpValidation *self)
{
    static const char *const columns[] = {"/sources/0/source",
                                          "/model",
                                          "/all/median_absolute_error",
                                          "/all/mean_absolute_error",
                                          "/all/bias",
                                          "/all/p90_absolute_error",
                                          "/all/worst_absolute_error",
                                          "median over simulated, points",
                                          NULL};
    g_autoptr(GPtrArray) sources = lp_score_sources(self->outcomes);
    begin_table(page, "grouped", columns);
    add_models_of(page, self, NULL);
    for (guint i = 0; i < sources->len; i++)
        add_models_of(page, self, sources->pdata[i]);
    end_table(page);
}

/* --- plans --- */

/* Three rows, or none if @source has no groups. */
static void
add_ranking(GString *page, const LpValidation *self, const char *source)
{
    for (LpPrediction model = 0; model < LP_N_PREDICTIONS; model++) {
        LpRanking ranking = lp_ranking(self->outcomes, source, model);
        if (ranking.n_groups == 0)
            return;
        g_autofree char *spearman = g_strdup_printf("%.3f", ranking.mean_spearman + 0.0);
        g_string_append(page, model == 0 ? "<tr class=\"first\">" : "<tr>");
        lp_html_cell_text(page, "", model > 0 ? "" : source != NULL ? source : "all rows");
        lp_html_cell_text(page, "", model_names[model]);
        add_count(page, ranking.n_groups);
        add_count(page, ranking.n_plans);
        add_percent(page, ranking.within_5_percent, "%.0f %%", FALSE);
        add_percent(page, ranking.within_15_percent, "%.0f %%", FALSE);
        add_percent(page, ranking.median_regret, "%.1f %%", FALSE);
        lp_html_cell_number(page, "n", ranking.mean_spearman, spearman);
        add_percent(page, ranking.chance_within_5_percent, "%.0f %%", FALSE);
        g_string_append(page, "</tr>\n");
    }
}

const char *const lp_validation_ranking_columns[] = {"/sources/0/source",
                                                     "/model",
                                                     "/all/ranking/groups",
                                                     "/all/ranking/plans",
                                                     "/all/ranking/within_5_percent",
                                                     "/all/ranking/within_15_percent",
                                                     "/all/ranking/median_regret",
                                                     "/all/ranking/mean_spearman",
                                                     "/all/ranking/chance_within_5_percent",
                                                     NULL};

gboolean
lp_validation_add_rankings(GString *page, const LpValidation *self)
{
    g_autoptr(GPtrArray) sources = lp_score_sources(self->outcomes);
    g_autoptr(GString) rows = g_string_new(NULL);
    for (guint i = 0; i < sources->len; i++)
        add_ranking(rows, self, sources->pdata[i]);
    if (rows->len == 0)
        return FALSE;
    begin_table(page, "grouped", lp_validation_ranking_columns);
    add_ranking(page, self, NULL);
    g_string_append(page, rows->str);
    end_table(page);
    return TRUE;
}

/* --- rows --- */

static const char *
configuration_of(const LpOutcome *outcome)
{
    return outcome->configuration != NULL ? outcome->configuration : "";
}

static void
add_worst_row(GString *page, const LpOutcome *outcome, LpPrediction model)
{
    g_autofree char *terms = lp_wording_terms(outcome);
    g_autoptr(GPtrArray) notes = g_ptr_array_new();
    for (guint i = 0; i < outcome->inferred->len; i++)
        g_ptr_array_add(notes, outcome->inferred->pdata[i]);
    g_ptr_array_add(notes, NULL);
    g_autofree char *inferred = g_strjoinv("; ", (char **)notes->pdata);
    g_string_append(page, "<tr>");
    lp_html_cell_text(page, "", outcome->id);
    lp_html_cell_text(page, "term", outcome->source);
    lp_html_cell_text(page, "plan", configuration_of(outcome));
    add_value(page, outcome, outcome->measured);
    add_value(page, outcome, outcome->predicted[model]);
    add_percent(page, lp_outcome_error(outcome, model), "%+.1f %%", FALSE);
    g_autoptr(GString) shares = g_string_new(terms);
    g_string_replace(shares, " %", NO_BREAK "%", 0);
    lp_html_cell_text(page, "term", shares->str);
    lp_html_cell_text(page, "text", inferred);
    g_string_append(page, "</tr>\n");
}

void
lp_validation_add_worst(GString *page, const LpValidation *self)
{
    static const char *const columns[] = {
        "/rows/0/id",         "/sources/0/source",   "configuration",
        "/rows/0/measured_s", "/rows/0/predicted_s", "/rows/0/error",
        "largest terms",      "/rows/0/inferred",    NULL};
    g_autoptr(GPtrArray) worst = lp_score_worst(self->outcomes, N_WORST, self->model);
    begin_table(page, "sortable", columns);
    for (guint i = 0; i < worst->len; i++)
        add_worst_row(page, worst->pdata[i], self->model);
    end_table(page);
}

static void
add_any_row(GString *page, const LpOutcome *outcome, LpPrediction judged)
{
    g_string_append(page, "<tr>");
    lp_html_cell_text(page, "", outcome->id);
    lp_html_cell_text(page, "term", outcome->source);
    lp_html_cell_text(page, "plan", configuration_of(outcome));
    lp_html_cell_text(page, "", lp_outcome_names[outcome->status]);
    add_value(page, outcome, outcome->measured);
    for (LpPrediction model = 0; model < LP_N_PREDICTIONS; model++)
        add_value(page, outcome, outcome->predicted[model]);
    add_percent(page, lp_outcome_error(outcome, judged), "%+.1f %%", FALSE);
    g_string_append(page, "</tr>\n");
}

void
lp_validation_add_rows(GString *page, const LpValidation *self)
{
    static const char *const columns[] = {"/rows/0/id",           "/sources/0/source",
                                          "configuration",        "/rows/0/status",
                                          "/rows/0/measured_s",   "/rows/0/simulated_s",
                                          "/rows/0/consistent_s", "/rows/0/amped_s",
                                          "/rows/0/error",        NULL};
    begin_table(page, "sortable", columns);
    for (guint i = 0; i < self->outcomes->len; i++)
        add_any_row(page, self->outcomes->pdata[i], self->model);
    end_table(page);
}

/* --- rows that failed --- */

/* Rows that failed alike. */
typedef struct {
    char *key;           /* owned: status, and the reason with its numbers as "#" */
    const char *example; /* borrowed: the reason of the first */
    gboolean is_varied;  /* the numbers differ */
    GPtrArray *outcomes; /* owned, borrowed outcomes */
} Reason;

static void
free_reason(gpointer data)
{
    Reason *reason = data;
    g_free(reason->key);
    g_ptr_array_unref(reason->outcomes);
    g_free(reason);
}

/* Without the place in the file, which the row's id tells too. */
static const char *
reason_of(const LpOutcome *outcome, const char *cases)
{
    const char *reason = outcome->reason;
    if (!g_str_has_prefix(reason, cases) || reason[strlen(cases)] != ':')
        return reason;
    const char *at = reason + strlen(cases) + 1;
    while (g_ascii_isdigit(*at))
        at++;
    return g_str_has_prefix(at, ": ") ? at + 2 : reason;
}

/* A number and its prefix, "87.4 G", say nothing about the kind of reason. */
static char *
key_of(const LpOutcome *outcome, const char *reason)
{
    g_autoptr(GRegex) numbers =
        g_regex_new("[0-9]+([.][0-9]+)?( [kMGT](?=[BF]))?", G_REGEX_RAW, 0, NULL);
    g_autofree char *alike = g_regex_replace_literal(numbers, reason, -1, 0, "#", 0, NULL);
    return g_strconcat(lp_outcome_names[outcome->status], " ", alike, NULL);
}

/* The reason called @key of @known, which @reasons owns; a new one if it is the first of its kind.
 * @key: (transfer full). */
static Reason *
find_reason(GHashTable *known, GPtrArray *reasons, char *key, const char *example)
{
    Reason *reason = g_hash_table_lookup(known, key);
    if (reason != NULL) {
        g_free(key);
        reason->is_varied |= strcmp(reason->example, example) != 0;
        return reason;
    }
    reason = g_new0(Reason, 1);
    *reason = (Reason){key, example, FALSE, g_ptr_array_new()};
    g_ptr_array_add(reasons, reason);
    g_hash_table_insert(known, key, reason);
    return reason;
}

static int
compare_reasons(gconstpointer a, gconstpointer b)
{
    const Reason *x = *(Reason *const *)a, *y = *(Reason *const *)b;
    if (x->outcomes->len != y->outcomes->len)
        return x->outcomes->len < y->outcomes->len ? 1 : -1;
    return strcmp(x->key, y->key);
}

/* The most frequent first. */
static GPtrArray *
find_reasons(const LpValidation *self)
{
    GPtrArray *reasons = g_ptr_array_new_with_free_func(free_reason);
    g_autoptr(GHashTable) known = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i < self->outcomes->len; i++) {
        LpOutcome *outcome = self->outcomes->pdata[i];
        if (outcome->status == LP_OUTCOME_OK)
            continue;
        const char *text = reason_of(outcome, self->cases);
        Reason *reason = find_reason(known, reasons, key_of(outcome, text), text);
        g_ptr_array_add(reason->outcomes, outcome);
    }
    g_ptr_array_sort(reasons, compare_reasons);
    return reasons;
}

static void
add_reason(GString *page, const Reason *reason)
{
    const LpOutcome *first = reason->outcomes->pdata[0];
    g_autoptr(GString) ids = g_string_new(NULL);
    for (guint i = 0; i < MIN(reason->outcomes->len, N_NAMED); i++)
        g_string_append_printf(ids, "%s%s", i > 0 ? ", " : "",
                               ((const LpOutcome *)reason->outcomes->pdata[i])->id);
    if (reason->outcomes->len > N_NAMED)
        g_string_append_printf(ids, " and %u more", reason->outcomes->len - N_NAMED);
    g_autofree char *text =
        g_strconcat(reason->is_varied ? "such as: " : "", reason->example, NULL);
    g_string_append(page, "<tr>");
    lp_html_cell_text(page, "", lp_outcome_names[first->status]);
    add_count(page, reason->outcomes->len);
    lp_html_cell_text(page, "", text);
    lp_html_cell_text(page, "text", ids->str);
    g_string_append(page, "</tr>\n");
}

gboolean
lp_validation_add_failed(GString *page, const LpValidation *self)
{
    static const char *const columns[] = {"/rows/0/status", "/all/rows", "/rows/0/reason", "ids",
                                          NULL};
    g_autoptr(GPtrArray) reasons = find_reasons(self);
    if (reasons->len == 0)
        return FALSE;
    begin_table(page, "plain", columns);
    for (guint i = 0; i < reasons->len; i++)
        add_reason(page, reasons->pdata[i]);
    end_table(page);
    return TRUE;
}
