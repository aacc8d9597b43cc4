/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a report on goodput: each figure in closed form and over the runs. */
#pragma once

#include "report/goodput_data.h"
#include "sim/days/sample.h"

G_BEGIN_DECLS

/** Figures, in the order of reports; behind them stand the losses. */
typedef enum {
    LP_GOODPUT_FIGURE_GOODPUT,
    LP_GOODPUT_FIGURE_SLICE_GOODPUT,
    LP_GOODPUT_FIGURE_AVAILABILITY,
    LP_GOODPUT_FIGURE_INTERRUPTIONS,
    LP_GOODPUT_FIGURE_TOKENS,
    LP_GOODPUT_FIGURE_LOSS, /**< the first of LP_N_LOSSES, s */
    LP_N_GOODPUT_FIGURES = LP_GOODPUT_FIGURE_LOSS + LP_N_LOSSES
} LpGoodputFigure;

/** A figure over all runs. */
typedef struct {
    double closed; /**< NAN: there is no closed form */
    LpSample sample;
    double p5, p95;  /**< quantiles of the runs */
    gboolean agrees; /**< the closed form lies in the confidence interval */
} LpGoodputRow;

/** Fills all of @out_rows, by LpGoodputFigure. */
void lp_goodput_rows(const LpGoodputReport *report, LpGoodputRow out_rows[LP_N_GOODPUT_FIGURES]);

G_END_DECLS
