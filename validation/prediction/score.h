/* SPDX-License-Identifier: Apache-2.0 */
/* How well predictions agree with measurements: errors over rows.
 *
 * The statistics are our own, in this one copy: they are a few lines each, GLib has none, and GSL,
 * which has them, is under the GPL, so that a library under Apache-2.0 cannot link it. */
#pragma once

#include "validation/prediction/outcome.h"

G_BEGIN_DECLS

/** A score of the errors e = predicted / measured - 1; a row that is not ok has e = 1 in all
 * figures. */
typedef struct {
    guint n_rows;
    guint n_failed;       /**< rows that are not ok */
    guint n_out_of_scope; /**< those of them that are out of scope */
    double median_absolute_error;
    double mean_absolute_error;
    double bias; /**< mean of e, with its sign */
    /** The 90th percentile, interpolated linearly: of n errors in order, that at place 0.9 (n - 1),
     * counted from 0. */
    double p90_absolute_error;
    double worst_absolute_error;
} LpScore;

/** Whether @outcome counts in the figures of @source, of all but those apart if it is NULL. */
gboolean lp_score_is_of(const LpOutcome *outcome, const char *source);

/** Over @outcomes (LpOutcome *) of @source, of all but those apart if it is NULL. Of no row, all
 * zero. */
LpScore lp_score(const GPtrArray *outcomes, const char *source, LpPrediction prediction);

/** The quantile at @fraction (0 to 1) of @n numbers in rising order, interpolated linearly as
 * p90_absolute_error is; 0 of none. Hyndman and Fan (1996), definition 7. */
double lp_score_quantile(const double *sorted, guint n, double fraction);

/** Spearman's rank correlation of @n pairs: Pearson's of their ranks, equal values with the mean of
 * theirs. 0 if all of one side are equal. */
double lp_score_spearman(const double *a, const double *b, guint n);

/** The sources of @outcomes, in the order of their first rows. Borrowed texts.
 * Returns: (transfer full). */
GPtrArray *lp_score_sources(const GPtrArray *outcomes);

/** The @n_wanted outcomes with the largest absolute errors, worst first; those that are not ok are
 * left out. Equal errors keep their order. Returns: (transfer full), borrowed outcomes. */
GPtrArray *lp_score_worst(const GPtrArray *outcomes, guint n_wanted, LpPrediction prediction);

G_END_DECLS
