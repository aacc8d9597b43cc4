/* SPDX-License-Identifier: Apache-2.0 */
/* The page: sentences, tables, places for plots, and the scripts that fill them. */
#include "report/validation_page.h"

#include "report/embedded.h"
#include "report/html.h"
#include "report/validation_plots.h"
#include "report/validation_tables.h"

#include <math.h>

/* The last digit of errors on the page. */
#define SHOWN 1e-3

static const char *const measured_things[] = {[LP_TABLE_TRAINING] = "training steps",
                                              [LP_TABLE_COLLECTIVES] = "collectives",
                                              [LP_TABLE_GEMM] = "matrix products"};
static const char *const predicted_by[] = {[LP_PREDICTION_SIMULATED] = "the simulation",
                                           [LP_PREDICTION_CONSISTENT] =
                                               "the consistent closed form",
                                           [LP_PREDICTION_AMPED] = "the repaired AMPeD form"};

/* --- head --- */

static void
begin_page(GString *page, const LpValidation *self)
{
    g_autofree char *title = g_strconcat(self->cases, ": predicted and measured", NULL);
    lp_html_begin_page(page, title);
    g_string_append(page, "<style>\n");
    lp_embedded_append(page, "page.css");
    g_string_append(page, "</style>\n</head>\n<body>\n<main>\n");
}

static void
add_figure(GString *page, const char *name, double value, const char *format)
{
    g_autofree char *text = g_strdup_printf(format, value + 0.0);
    g_string_append_printf(page, "<div><dt>%s</dt><dd>%s</dd></div>\n", name, text);
}

static void
add_head(GString *page, const LpValidation *self)
{
    LpScore all = lp_score(self->outcomes, NULL, self->model);
    g_string_append(page, "<h1>Predicted and measured</h1>\n<p>");
    lp_html_add_text(page, self->cases);
    g_string_append_printf(page,
                           " has %u measured %s. This page compares them with what %s predicts, "
                           "which sees the configuration only, never a measured value. ",
                           all.n_rows, measured_things[self->kind], predicted_by[self->model]);
    if (all.n_failed > 0)
        g_string_append_printf(page,
                               "Rows without a valid prediction: %u, of which %u are out of scope; "
                               "each counts with an error of 100&nbsp;%%. ",
                               all.n_failed, all.n_out_of_scope);
    g_string_append(page,
                    "An error is predicted over measured, less 1: above zero the prediction is "
                    "too high. The bias is the mean error with its sign; the others are of "
                    "absolute errors.</p>\n<dl class=\"figures\">\n");
    add_figure(page, "rows", all.n_rows, "%.0f");
    add_figure(page, "failed", all.n_failed, "%.0f");
    add_figure(page, "median error", 100.0 * all.median_absolute_error, "%.1f %%");
    add_figure(page, "mean error", 100.0 * all.mean_absolute_error, "%.1f %%");
    add_figure(page, "bias", 100.0 * all.bias, "%+.1f %%");
    add_figure(page, "90th percentile", 100.0 * all.p90_absolute_error, "%.1f %%");
    add_figure(page, "worst", 100.0 * all.worst_absolute_error, "%.1f %%");
    g_string_append(page, "</dl>\n");
}

/* --- sections --- */

static void
add_plot(GString *page, const char *name, const char *caption)
{
    g_string_append_printf(page,
                           "<figure><div class=\"plot\" id=\"plot-%s\"></div>\n"
                           "<figcaption>%s</figcaption></figure>\n",
                           name, caption);
}

static void
add_sources(GString *page, const LpValidation *self)
{
    g_string_append_printf(page, "<h2>Errors of %s by source</h2>\n", predicted_by[self->model]);
    lp_validation_add_sources(page, self);
}

/* The number of sources in which the simulation has the smaller median error. */
static guint
count_won(const LpValidation *self, const GPtrArray *sources, LpPrediction other)
{
    guint n_won = 0;
    for (guint i = 0; i < sources->len; i++) {
        LpScore simulated = lp_score(self->outcomes, sources->pdata[i], LP_PREDICTION_SIMULATED);
        LpScore compared = lp_score(self->outcomes, sources->pdata[i], other);
        n_won += simulated.median_absolute_error < compared.median_absolute_error;
    }
    return n_won;
}

/* @less: by how much the simulation's error is the smaller one. */
static char *
verdict_of(double less)
{
    if (fabs(less) < 0.5 * SHOWN)
        return g_strdup("they are equally good");
    return g_strdup_printf("the simulation is %s by %.1f points", less > 0.0 ? "better" : "worse",
                           100.0 * fabs(less));
}

static void
add_verdict(GString *page, const LpValidation *self, LpPrediction other)
{
    if (!lp_validation_predicts_any(self, other)) {
        g_string_append_printf(page, "<p>Of %s there are no predictions of these rows.</p>\n",
                               predicted_by[other]);
        return;
    }
    g_autoptr(GPtrArray) sources = lp_score_sources(self->outcomes);
    LpScore simulated = lp_score(self->outcomes, NULL, LP_PREDICTION_SIMULATED);
    LpScore compared = lp_score(self->outcomes, NULL, other);
    g_autofree char *verdict =
        verdict_of(compared.median_absolute_error - simulated.median_absolute_error);
    g_string_append_printf(
        page,
        "<p>Over all rows the simulation's median error is %.1f&nbsp;%% and that of %s "
        "%.1f&nbsp;%%: %s. The simulation has the smaller median in %u of %u sources.</p>\n",
        100.0 * simulated.median_absolute_error, predicted_by[other],
        100.0 * compared.median_absolute_error, verdict, count_won(self, sources, other),
        sources->len);
}

static void
add_models(GString *page, const LpValidation *self)
{
    g_string_append(page, "<h2>Simulation and closed forms</h2>\n");
    add_verdict(page, self, LP_PREDICTION_CONSISTENT);
    add_verdict(page, self, LP_PREDICTION_AMPED);
    add_plot(page, "medians",
             "Median absolute error of each source, in per cent. Bars end at 100&nbsp;%.");
    g_string_append(page,
                    "<p>All statistics of the three, on the same rows. The smallest median of "
                    "a source is bold; the last column says by how many points of a per cent "
                    "it exceeds the simulation's.</p>\n");
    lp_validation_add_models(page, self);
}

static void
add_rankings(GString *page, const LpValidation *self)
{
    g_autoptr(GString) table = g_string_new(NULL);
    if (!lp_validation_add_rankings(table, self))
        return;
    g_string_append_printf(
        page,
        "<h2>Choosing a plan</h2>\n<p>Rows of one source that differ in nothing but their plan "
        "form "
        "a group; rows of one plan count as their mean. In this share of the groups the plan with "
        "the best prediction was measured within 5 or 15&nbsp;%% of the best one. Its regret is "
        "what "
        "it took more. The rank correlation is between predicted and measured. By chance: the "
        "share "
        "of plans that are so near to the best of their group.</p>\n%s",
        table->str);
}

static void
add_scatter(GString *page, const LpValidation *self)
{
    g_string_append_printf(page,
                           "<h2>Every row</h2>\n<p>Rows with a valid prediction of %s. On the line "
                           "prediction and measurement agree, between the dashed lines within "
                           "10&nbsp;%%. Point at a row to see its configuration.</p>\n",
                           predicted_by[self->model]);
    for (LpMeasure measure = LP_MEASURE_TIME; measure < LP_N_MEASURES; measure++)
        if (lp_validation_has_scatter(self, measure))
            add_plot(page, lp_validation_scatter_names[measure], "Both axes are logarithmic.");
    g_string_append(page, "<h2>How large the errors are</h2>\n");
    add_plot(page, "cumulative",
             "The share of all rows whose absolute error is at most that on the axis, for each "
             "model. Failed rows stand at 100&nbsp;%; so do larger errors.");
}

static void
add_errors(GString *page, const LpValidation *self)
{
    g_autoptr(GArray) plots = lp_validation_error_plots(self);
    if (plots->len == 0)
        return;
    g_string_append(page, "<h2>What the errors go with</h2>\n<p>A point is a row. Boxes hold the "
                          "middle half of the rows, their line is the median, the number above "
                          "counts them. The band is 10&nbsp;% wide on either side. Numbers are put "
                          "together in powers of two: 8 stands for 8 to 15. What exceeds the axis "
                          "stands at its edge.</p>\n<div class=\"pair\">\n");
    for (guint i = 0; i < plots->len; i++) {
        const LpErrorPlot *plot = &g_array_index(plots, LpErrorPlot, i);
        g_autofree char *caption = g_strdup_printf("Error against the %s.", plot->title);
        add_plot(page, plot->field, caption);
    }
    g_string_append(page, "</div>\n");
}

static void
add_rows(GString *page, const LpValidation *self)
{
    g_autoptr(GString) failed = g_string_new(NULL);
    g_string_append(page,
                    "<h2>Worst rows</h2>\n<p>Valid predictions with the largest errors. Two "
                    "things may explain them: the terms that make most of the simulated time, "
                    "and what the row does not say and was filled in.</p>\n");
    lp_validation_add_worst(page, self);
    if (lp_validation_add_failed(failed, self))
        g_string_append_printf(
            page,
            "<h2>Rows without a valid prediction</h2>\n<p>Reasons that differ in "
            "their numbers only are put together.</p>\n%s",
            failed->str);
    g_string_append_printf(page,
                           "<h2>All rows</h2>\n<details><summary>Show %u rows; a click on a "
                           "column's name sorts them</summary>\n",
                           self->outcomes->len);
    lp_validation_add_rows(page, self);
    g_string_append(page, "</details>\n");
}

/* --- scripts --- */

static void
add_script(GString *page, const char *text)
{
    g_autofree char *safe = lp_html_script(text);
    g_string_append_printf(page, "<script>\n%s</script>\n", safe);
}

static void
end_page(GString *page, const LpValidation *self, const char *vega)
{
    g_autoptr(json_t) plots = lp_validation_plots(self);
    g_autofree char *data = lp_html_json(plots);
    g_autoptr(GString) script = g_string_new(NULL);
    lp_embedded_append(script, "tables.js");
    lp_embedded_append(script, "page.js");
    g_string_append(page,
                    "<noscript><p class=\"quiet\">The plots need JavaScript; the tables have "
                    "the same rows.</p></noscript>\n</main>\n<div id=\"tip\" hidden></div>\n");
    g_string_append_printf(
        page, "<script type=\"application/json\" id=\"page-data\">\n%s</script>\n", data);
    add_script(page, vega);
    add_script(page, script->str);
    g_string_append(page, "</body>\n</html>\n");
}

char *
lp_validation_to_page(const LpValidation *self, const char *vega)
{
    GString *page = g_string_new(NULL);
    begin_page(page, self);
    add_head(page, self);
    add_sources(page, self);
    add_models(page, self);
    add_rankings(page, self);
    add_scatter(page, self);
    add_errors(page, self);
    add_rows(page, self);
    end_page(page, self, vega);
    return g_string_free(page, FALSE);
}
