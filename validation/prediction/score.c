/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of errors, and of the order in which plans are put. */
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

static gboolean
is_of(const LpOutcome *outcome, const char *source)
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
        if (!is_of(outcome, source))
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

/* The plans of one group. */
typedef struct {
    GArray *predicted, *measured; /* owned: double */
} Group;

static void
free_group(gpointer data)
{
    Group *group = data;
    g_array_unref(group->predicted);
    g_array_unref(group->measured);
    g_free(group);
}

static Group *
find_group(GHashTable *by_name, GPtrArray *groups, const char *name)
{
    Group *group = g_hash_table_lookup(by_name, name);
    if (group != NULL)
        return group;
    group = g_new0(Group, 1);
    group->predicted = g_array_new(FALSE, FALSE, sizeof(double));
    group->measured = g_array_new(FALSE, FALSE, sizeof(double));
    g_hash_table_insert(by_name, g_strdup(name), group);
    g_ptr_array_add(groups, group);
    return group;
}

/* In the order of their first rows. */
static GPtrArray *
find_groups(const GPtrArray *outcomes, const char *source, LpPrediction prediction)
{
    g_autoptr(GHashTable) by_name = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    GPtrArray *groups = g_ptr_array_new_with_free_func(free_group);
    for (guint i = 0; i < outcomes->len; i++) {
        const LpOutcome *outcome = outcomes->pdata[i];
        if (outcome->group == NULL || !(outcome->measured > 0.0) || !is_of(outcome, source))
            continue;
        g_autofree char *name = g_strconcat(outcome->source, "\n", outcome->group, NULL);
        Group *group = find_group(by_name, groups, name);
        double predicted = outcome->predicted[prediction];
        gboolean good = outcome->status == LP_OUTCOME_OK && predicted > 0.0;
        double value = good ? predicted : G_MAXDOUBLE;
        g_array_append_val(group->predicted, value);
        g_array_append_val(group->measured, outcome->measured);
    }
    return groups;
}

/* How much slower the plan with the best prediction was than the best one, as a fraction. Of plans
 * with equal predictions the slowest counts: nothing tells them apart. */
static double
lost_by_choice(const Group *group)
{
    const double *predicted = (const double *)(gpointer)group->predicted->data;
    const double *measured = (const double *)(gpointer)group->measured->data;
    double best = measured[0], first = predicted[0], chosen = measured[0];
    for (guint i = 1; i < group->measured->len; i++) {
        best = MIN(best, measured[i]);
        if (predicted[i] < first)
            chosen = measured[i];
        else if (predicted[i] == first)
            chosen = MAX(chosen, measured[i]);
        first = MIN(first, predicted[i]);
    }
    return chosen / best - 1.0;
}

LpRanking
lp_score_ranking(const GPtrArray *outcomes, const char *source, LpPrediction prediction)
{
    LpRanking ranking = {0};
    g_autoptr(GPtrArray) groups = find_groups(outcomes, source, prediction);
    for (guint i = 0; i < groups->len; i++) {
        const Group *group = groups->pdata[i];
        if (group->measured->len < LP_SCORE_GROUP_MIN)
            continue;
        double lost = lost_by_choice(group);
        ranking.n_groups++;
        ranking.within_5_percent += lost <= 0.05;
        ranking.within_15_percent += lost <= 0.15;
        ranking.mean_spearman += lp_score_spearman((const double *)(gpointer)group->predicted->data,
                                                   (const double *)(gpointer)group->measured->data,
                                                   group->measured->len);
    }
    if (ranking.n_groups == 0)
        return ranking;
    ranking.within_5_percent /= ranking.n_groups;
    ranking.within_15_percent /= ranking.n_groups;
    ranking.mean_spearman /= ranking.n_groups;
    return ranking;
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
