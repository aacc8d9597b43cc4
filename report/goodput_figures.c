/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a report on goodput. */
#include "report/goodput_figures.h"

#include "report/figures.h"
#include "validation/prediction/score.h"

#include <math.h>
#include <stdlib.h>

/* Sums of shares are exact to some digits only; what no run changes has no interval. */
#define ROUNDING 1e-9

/* Tokens of all jobs: their work, in seconds of one job, over the iteration. */
static double
tokens_of(const LpGoodputReport *report, const LpGoodput *goodput)
{
    double job_s = goodput->goodput / report->input.fleet.slice_share * report->input.period_s;
    return job_s / report->iteration_time_s * lp_figures_n_tokens(report->workload);
}

static double
value_of(const LpGoodputReport *report, const LpGoodput *goodput, guint figure)
{
    switch (figure) {
    case LP_GOODPUT_FIGURE_GOODPUT:
        return goodput->goodput;
    case LP_GOODPUT_FIGURE_SLICE_GOODPUT:
        return goodput->slice_goodput;
    case LP_GOODPUT_FIGURE_AVAILABILITY:
        return goodput->availability;
    case LP_GOODPUT_FIGURE_INTERRUPTIONS:
        return goodput->interruptions;
    case LP_GOODPUT_FIGURE_TOKENS:
        return tokens_of(report, goodput);
    default:
        return goodput->loss[figure - LP_GOODPUT_FIGURE_LOSS] * report->input.period_s;
    }
}

static int
compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void
lp_goodput_rows(const LpGoodputReport *report, LpGoodputRow out_rows[LP_N_GOODPUT_FIGURES])
{
    g_autofree double *values = g_new(double, report->n_runs);
    for (guint figure = 0; figure < LP_N_GOODPUT_FIGURES; figure++) {
        LpGoodputRow *row = &out_rows[figure];
        for (guint i = 0; i < report->n_runs; i++)
            values[i] = value_of(report, &report->runs[i], figure);
        row->sample = lp_sample_of(values, report->n_runs);
        qsort(values, report->n_runs, sizeof *values, compare);
        row->p5 = lp_score_quantile(values, report->n_runs, 0.05);
        row->p95 = lp_score_quantile(values, report->n_runs, 0.95);
        row->closed =
            report->has_closed_form ? value_of(report, &report->closed_form, figure) : (double)NAN;
        row->agrees = fabs(row->closed - row->sample.mean) <=
                      row->sample.half_width + ROUNDING * fabs(row->closed);
    }
}
