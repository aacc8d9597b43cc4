/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of errors. */
#include "validation/prediction/score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int
compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double
lp_score_quantile(const double *sorted, guint n, double fraction)
{
    if (n == 0)
        return 0.0;
    double place = fraction * (n - 1);
    guint below = (guint)place;
    guint above = MIN(below + 1, n - 1);
    return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
}

gboolean
lp_score_is_of(const LpOutcome *outcome, const char *source)
{
    if (source == NULL)
        return !outcome->is_apart;
    return strcmp(outcome->source, source) == 0;
}

LpScore
lp_score(const GPtrArray *outcomes, const char *source, LpPrediction prediction)
{
    LpScore score = {0};
    g_autofree double *errors = g_new0(double, MAX(outcomes->len, 1));
    for (guint i = 0; i < outcomes->len; i++) {
        const LpOutcome *outcome = outcomes->pdata[i];
        if (!lp_score_is_of(outcome, source))
            continue;
        double error = lp_outcome_error(outcome, prediction);
        score.n_failed += outcome->status != LP_OUTCOME_OK;
        score.n_out_of_scope += outcome->status == LP_OUTCOME_OUT_OF_SCOPE;
        score.bias += error;
        score.mean_absolute_error += fabs(error);
        errors[score.n_rows++] = fabs(error);
    }
    if (score.n_rows == 0)
        return score;
    qsort(errors, score.n_rows, sizeof *errors, compare_numbers);
    score.bias /= score.n_rows;
    score.mean_absolute_error /= score.n_rows;
    score.median_absolute_error = lp_score_quantile(errors, score.n_rows, 0.5);
    score.p90_absolute_error = lp_score_quantile(errors, score.n_rows, 0.9);
    score.worst_absolute_error = errors[score.n_rows - 1];
    return score;
}

/* The rank of each of @values, from 1; equal ones have the mean of theirs. */
static double *
ranks_of(const double *values, guint n)
{
    double *ranks = g_new(double, n);
    for (guint i = 0; i < n; i++) {
        guint n_less = 0, n_equal = 0;
        for (guint j = 0; j < n; j++) {
            n_less += values[j] < values[i];
            n_equal += values[j] == values[i];
        }
        ranks[i] = n_less + 0.5 * (n_equal + 1);
    }
    return ranks;
}

double
lp_score_spearman(const double *a, const double *b, guint n)
{
    if (n == 0)
        return 0.0;
    g_autofree double *x = ranks_of(a, n), *y = ranks_of(b, n);
    double mean = 0.5 * (n + 1), xy = 0.0, xx = 0.0, yy = 0.0;
    for (guint i = 0; i < n; i++) {
        xy += (x[i] - mean) * (y[i] - mean);
        xx += (x[i] - mean) * (x[i] - mean);
        yy += (y[i] - mean) * (y[i] - mean);
    }
    return xx > 0.0 && yy > 0.0 ? xy / sqrt(xx * yy) : 0.0;
}

GPtrArray *
lp_score_sources(const GPtrArray *outcomes)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    GPtrArray *sources = g_ptr_array_new();
    for (guint i = 0; i < outcomes->len; i++) {
        const LpOutcome *outcome = outcomes->pdata[i];
        if (g_hash_table_add(seen, outcome->source))
            g_ptr_array_add(sources, outcome->source);
    }
    return sources;
}

typedef struct {
    const LpOutcome *outcome;
    double error;
    guint place;
} Ranked;

static int
compare_ranked(const void *a, const void *b)
{
    const Ranked *x = a, *y = b;
    if (x->error != y->error)
        return x->error < y->error ? 1 : -1;
    return (x->place > y->place) - (x->place < y->place);
}

GPtrArray *
lp_score_worst(const GPtrArray *outcomes, guint n_wanted, LpPrediction prediction)
{
    g_autofree Ranked *ranked = g_new0(Ranked, MAX(outcomes->len, 1));
    guint n = 0;
    for (guint i = 0; i < outcomes->len; i++) {
        const LpOutcome *outcome = outcomes->pdata[i];
        if (outcome->status == LP_OUTCOME_OK)
            ranked[n++] = (Ranked){outcome, fabs(lp_outcome_error(outcome, prediction)), i};
    }
    qsort(ranked, n, sizeof *ranked, compare_ranked);
    GPtrArray *worst = g_ptr_array_new();
    for (guint i = 0; i < MIN(n, n_wanted); i++)
        g_ptr_array_add(worst, (gpointer)(guintptr)ranked[i].outcome);
    return worst;
}
