/* SPDX-License-Identifier: Apache-2.0 */
/* Data and Vega specifications of plots; the specifications are templates,
 * report/page/NAME.vega.json.
 */
#include "report/validation_plots.h"

#include "report/embedded.h"
#include "base/json.h"
#include "report/wording.h"

#include <math.h>
#include <string.h>

/* Points on a curve of all rows' errors. */
#define N_QUANTILES 200
/* A term below this share of the time explains little. */
#define TERM_SHARE_MIN 0.05
#define FIELD_TERM "term"

static const LpErrorPlot factor_plots[LP_N_FACTORS] = {
    [LP_FACTOR_ACCELERATORS] = {"accelerators", "number of accelerators"},
    [LP_FACTOR_TENSOR_PARALLEL] = {"tensor-parallel", "degree of tensor parallelism"},
    [LP_FACTOR_MICRO_BATCH] = {"micro-batch", "micro-batch, in sequences"},
    [LP_FACTOR_SIZE] = {"size", "size of the operation, in bytes"}};
static const LpErrorPlot term_plot = {FIELD_TERM,
                                      "largest term of the simulated time beside compute"};

static const struct {
    const char *unit;
    double in_memory; /* of one such unit */
} units[] = {[LP_MEASURE_TIME] = {"s", 1.0},
             [LP_MEASURE_BANDWIDTH] = {"GB/s", 1e9},
             [LP_MEASURE_RATE] = {"TFLOP/s", 1e12},
             [LP_MEASURE_RATIO] = {"ratio", 1.0},
             [LP_MEASURE_MEMORY] = {"GB", 1e9}};

static gboolean
is_shown(const LpOutcome *outcome, LpPrediction model)
{
    return outcome->status == LP_OUTCOME_OK && outcome->measured > 0.0 &&
           outcome->predicted[model] > 0.0;
}

const char *const lp_validation_scatter_names[] = {[LP_MEASURE_TIME] = "times",
                                                   [LP_MEASURE_BANDWIDTH] = "bandwidths",
                                                   [LP_MEASURE_RATE] = "rates",
                                                   [LP_MEASURE_RATIO] = "ratios",
                                                   [LP_MEASURE_MEMORY] = "memory"};

gboolean
lp_validation_has_scatter(const LpValidation *self, LpMeasure measure)
{
    for (guint i = 0; i < self->outcomes->len; i++) {
        const LpOutcome *outcome = self->outcomes->pdata[i];
        if (outcome->measure == measure && is_shown(outcome, self->model))
            return TRUE;
    }
    return FALSE;
}

/* --- what rows differ in --- */

/* The largest term but compute; LP_TERM_COMPUTE if there is none to speak of. */
static LpTerm
longest_other_term(const LpOutcome *outcome)
{
    LpTerm largest = LP_TERM_COMPUTE;
    double most = TERM_SHARE_MIN * lp_terms_sum(&outcome->terms);
    for (LpTerm term = 0; term < LP_N_TERMS; term++) {
        if (term == LP_TERM_COMPUTE || outcome->terms.s[term] <= most)
            continue;
        most = outcome->terms.s[term];
        largest = term;
    }
    return largest;
}

/* The place of a row on the axis of a factor, in powers of two, which @out_order counts. */
static char *
bin_of(const LpOutcome *outcome, LpFactor factor, gint64 *out_order)
{
    static const char *const prefixes[] = {"", "Ki", "Mi", "Gi", "Ti"};
    int order = ilogb(outcome->factors[factor]);
    guint64 low = 1ull << order;
    *out_order = order;
    if (factor == LP_FACTOR_SIZE)
        return g_strdup_printf("%" G_GUINT64_FORMAT " %s", low >> (order / 10 * 10),
                               prefixes[MIN(order / 10, (int)G_N_ELEMENTS(prefixes) - 1)]);
    return g_strdup_printf("%" G_GUINT64_FORMAT, low);
}

static void
add_place(json_t *object, const char *field, const char *label, gint64 order)
{
    json_t *place = lp_json_set_array(object, field);
    lp_json_append_text(place, label);
    (void)json_array_append_new(place, json_integer(order));
}

static void
add_places(json_t *object, const LpOutcome *outcome)
{
    json_t *at = lp_json_set_object(object, "at");
    for (LpFactor factor = 0; factor < LP_N_FACTORS; factor++) {
        gint64 order = 0;
        if (outcome->factors[factor] < 1.0)
            continue;
        g_autofree char *label = bin_of(outcome, factor, &order);
        add_place(at, factor_plots[factor].field, label, order);
    }
    if (outcome->has_terms) {
        LpTerm term = longest_other_term(outcome);
        add_place(at, FIELD_TERM, term == LP_TERM_COMPUTE ? "none" : lp_term_names[term],
                  (gint64)term);
    }
}

static gboolean
has_several(const LpValidation *self, LpFactor factor)
{
    int first = -1;
    for (guint i = 0; i < self->outcomes->len; i++) {
        const LpOutcome *outcome = self->outcomes->pdata[i];
        if (!is_shown(outcome, self->model) || outcome->factors[factor] < 1.0)
            continue;
        int order = ilogb(outcome->factors[factor]);
        if (first >= 0 && order != first)
            return TRUE;
        first = order;
    }
    return FALSE;
}

static gboolean
has_terms(const LpValidation *self)
{
    for (guint i = 0; i < self->outcomes->len; i++) {
        const LpOutcome *outcome = self->outcomes->pdata[i];
        if (is_shown(outcome, self->model) && outcome->has_terms)
            return TRUE;
    }
    return FALSE;
}

GArray *
lp_validation_error_plots(const LpValidation *self)
{
    GArray *plots = g_array_new(FALSE, FALSE, sizeof(LpErrorPlot));
    for (LpFactor factor = 0; factor < LP_N_FACTORS; factor++)
        if (has_several(self, factor))
            g_array_append_val(plots, factor_plots[factor]);
    if (has_terms(self))
        g_array_append_val(plots, term_plot);
    return plots;
}

/* --- data --- */

/* The text on a row under the pointer. */
static char *
about(const LpOutcome *outcome, LpPrediction model)
{
    g_autofree char *measured = lp_wording_value(outcome, outcome->measured);
    g_autofree char *predicted = lp_wording_value(outcome, outcome->predicted[model]);
    return g_strdup_printf("%s, %s\n%s\nmeasured %s, predicted %s, error %+.1f %%", outcome->id,
                           outcome->source,
                           outcome->configuration != NULL ? outcome->configuration : "", measured,
                           predicted, 100.0 * lp_outcome_error(outcome, model));
}

static void
add_row(json_t *array, const LpValidation *self, guint index)
{
    const LpOutcome *outcome = self->outcomes->pdata[index];
    json_t *object = lp_json_append_object(array);
    lp_json_set_count(object, "row", index);
    if (is_shown(outcome, self->model)) {
        double unit = units[outcome->measure].in_memory;
        g_autofree char *text = about(outcome, self->model);
        lp_json_set_text(object, "source", outcome->source);
        lp_json_set_text(object, "about", text);
        lp_json_set_text(object, "unit", units[outcome->measure].unit);
        lp_json_set_number(object, "measured", outcome->measured / unit);
        lp_json_set_number(object, "predicted", outcome->predicted[self->model] / unit);
        lp_json_set_number(object, "error", lp_outcome_error(outcome, self->model));
        add_places(object, outcome);
    }
}

static int
compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void
add_cumulative(json_t *array, const LpValidation *self, LpPrediction model)
{
    guint n = self->outcomes->len;
    g_autofree double *errors = g_new0(double, MAX(n, 1));
    for (guint i = 0; i < n; i++)
        errors[i] = fabs(lp_outcome_error(self->outcomes->pdata[i], model));
    qsort(errors, n, sizeof *errors, compare_numbers);
    for (guint i = 0; n > 0 && i <= N_QUANTILES; i++) {
        double share = (double)i / N_QUANTILES;
        json_t *object = lp_json_append_object(array);
        lp_json_set_text(object, "model", lp_prediction_names[model]);
        lp_json_set_number(object, "error", lp_score_quantile(errors, n, share));
        lp_json_set_number(object, "share", share);
    }
}

static void
add_medians(json_t *array, const LpValidation *self)
{
    g_autoptr(GPtrArray) sources = lp_score_sources(self->outcomes);
    for (guint i = 0; i < sources->len; i++)
        for (LpPrediction model = 0; model < LP_N_PREDICTIONS; model++) {
            LpScore score = lp_score(self->outcomes, sources->pdata[i], model);
            if (!lp_validation_predicts_any(self, model))
                continue;
            json_t *object = lp_json_append_object(array);
            lp_json_set_text(object, "source", sources->pdata[i]);
            lp_json_set_text(object, "model", lp_prediction_names[model]);
            lp_json_set_number(object, "median", score.median_absolute_error);
        }
}

static void
add_data(json_t *object, const LpValidation *self)
{
    json_t *data = lp_json_set_object(object, "data");
    json_t *rows = lp_json_set_array(data, "rows");
    for (guint i = 0; i < self->outcomes->len; i++)
        add_row(rows, self, i);
    json_t *cumulative = lp_json_set_array(data, "cumulative");
    for (LpPrediction model = 0; model < LP_N_PREDICTIONS; model++)
        if (lp_validation_predicts_any(self, model))
            add_cumulative(cumulative, self, model);
    json_t *medians = lp_json_set_array(data, "medians");
    add_medians(medians, self);
}

/* --- specifications --- */

/* Gives the signal @name of a template its value. */
static void
set_signal(json_t *spec, const char *name, json_t *value)
{
    gsize index;
    json_t *signal;
    json_array_foreach (json_object_get(spec, "signals"), index, signal) {
        if (strcmp(json_string_value(json_object_get(signal, "name")), name) == 0) {
            (void)json_object_set_new(signal, "value", value);
            return;
        }
    }
    g_assert_not_reached();
}

static void
set_number(json_t *spec, const char *name, double value)
{
    set_signal(spec, name, json_real(value));
}

static void
set_text(json_t *spec, const char *name, const char *value)
{
    set_signal(spec, name, json_string(value));
}

/* @spec: (transfer full). */
static void
add_plot(json_t *array, const char *name, json_t *spec)
{
    g_autofree char *element = g_strconcat("plot-", name, NULL);
    json_t *object = lp_json_append_object(array);
    lp_json_set_text(object, "element", element);
    (void)json_object_set_new(object, "spec", spec);
}

/* Both axes go a little beyond the smallest and the largest value. */
static json_t *
make_scatter(const LpValidation *self, LpMeasure measure)
{
    double low = G_MAXDOUBLE, high = 0.0;
    for (guint i = 0; i < self->outcomes->len; i++) {
        const LpOutcome *outcome = self->outcomes->pdata[i];
        double predicted = outcome->predicted[self->model];
        if (!is_shown(outcome, self->model) || outcome->measure != measure)
            continue;
        low = MIN(low, MIN(outcome->measured, predicted));
        high = MAX(high, MAX(outcome->measured, predicted));
    }
    json_t *spec = lp_embedded_json("scatter.vega.json");
    set_number(spec, "low", low / 1.3 / units[measure].in_memory);
    set_number(spec, "high", high * 1.3 / units[measure].in_memory);
    set_text(spec, "unit", units[measure].unit);
    return spec;
}

/* The largest median error, but no more than 1: what is worse has the full length. */
static json_t *
make_medians(const LpValidation *self)
{
    g_autoptr(GPtrArray) sources = lp_score_sources(self->outcomes);
    double most = 0.05;
    for (guint i = 0; i < sources->len; i++)
        for (LpPrediction model = 0; model < LP_N_PREDICTIONS; model++) {
            LpScore score = lp_score(self->outcomes, sources->pdata[i], model);
            if (lp_validation_predicts_any(self, model))
                most = MAX(most, score.median_absolute_error);
        }
    json_t *spec = lp_embedded_json("medians.vega.json");
    set_number(spec, "most", MIN(most, 1.0));
    return spec;
}

/* The largest error on the axis, from 20 % to 100 % in steps of 20 %; worse rows stand at the edge.
 */
static double
largest_error(const LpValidation *self)
{
    double most = 0.0;
    for (guint i = 0; i < self->outcomes->len; i++)
        if (is_shown(self->outcomes->pdata[i], self->model))
            most = MAX(most, fabs(lp_outcome_error(self->outcomes->pdata[i], self->model)));
    return CLAMP(ceil(most * 5.0), 1.0, 5.0) / 5.0;
}

static void
add_error_plots(json_t *array, const LpValidation *self)
{
    g_autoptr(GArray) plots = lp_validation_error_plots(self);
    double most = largest_error(self);
    for (guint i = 0; i < plots->len; i++) {
        const LpErrorPlot *plot = &g_array_index(plots, LpErrorPlot, i);
        json_t *spec = lp_embedded_json("error_by.vega.json");
        set_number(spec, "most", most);
        set_text(spec, "title", plot->title);
        set_text(spec, "field", plot->field);
        add_plot(array, plot->field, spec);
    }
}

json_t *
lp_validation_plots(const LpValidation *self)
{
    json_t *root = json_object();
    add_data(root, self);
    (void)json_object_set_new(root, "config", lp_embedded_json("vega_config.json"));
    json_t *plots = lp_json_set_array(root, "plots");
    add_plot(plots, "medians", make_medians(self));
    for (LpMeasure measure = 0; measure < G_N_ELEMENTS(units); measure++)
        if (lp_validation_has_scatter(self, measure))
            add_plot(plots, lp_validation_scatter_names[measure], make_scatter(self, measure));
    add_plot(plots, "cumulative", lp_embedded_json("cumulative.vega.json"));
    add_error_plots(plots, self);
    return root;
}
