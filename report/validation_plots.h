/* SPDX-License-Identifier: Apache-2.0 */
/* The plots of a page on measurements: which there are, and what they show. */
#pragma once

#include "report/validation_report.h"

G_BEGIN_DECLS

/** A plot of error against something that rows differ in. */
typedef struct {
    const char *field; /* of a row's "at"; borrowed from the program */
    const char *title; /* of the axis; borrowed from the program */
} LpErrorPlot;

/** The places on the page of scatter plots, one for each measure. */
extern const char *const lp_validation_scatter_names[];
/** Whether rows of @measure have predictions of the judged model. */
gboolean lp_validation_has_scatter(const LpValidation *self, LpMeasure measure);

/** The plots of errors that have something to show: rows with a prediction, of two kinds or more.
 * Returns: (transfer full) LpErrorPlot. */
GArray *lp_validation_error_plots(const LpValidation *self);

/**
 * All that the page's script needs: "data" (rows, cumulative, medians), "config" and "plots", each
 * of which goes to the element of its name: plot-medians, plot-cumulative, plot- and a name of
 * lp_validation_scatter_names, and plot-FIELD for each of lp_validation_error_plots(). Returns:
 * (transfer full).
 */
json_t *lp_validation_plots(const LpValidation *self);

G_END_DECLS
