/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of plans for the same work, and the regret of choosing among them. */
#include "validation/prediction/ranking.h"

#include "validation/prediction/score.h"

#include <stdlib.h>
#include <string.h>

/* Plans without which there is nothing to choose. */
#define PLANS_MIN 2

/* A plan of a group: what is predicted of it, 0 for nothing, and the rows that measured it. */
typedef struct {
    double predicted[LP_N_PREDICTIONS];
    double sum_measured_s;
    guint n_rows;
} Plan;

static void
free_group(gpointer data)
{
    g_array_unref(data);
}

static Plan *
plan_at(const GArray *group, guint index)
{
    return &g_array_index(group, Plan, index);
}

static double
measured_s(const GArray *group, guint index)
{
    const Plan *plan = plan_at(group, index);
    return plan->sum_measured_s / plan->n_rows;
}

/* What @prediction says of the plan at @index; what it says nothing of comes last. */
static double
predicted_s(const GArray *group, guint index, LpPrediction prediction)
{
    double predicted = plan_at(group, index)->predicted[prediction];
    return predicted > 0.0 ? predicted : G_MAXDOUBLE;
}

static void
add_row(GArray *group, const LpOutcome *outcome)
{
    Plan plan = {.sum_measured_s = outcome->measured, .n_rows = 1};
    if (outcome->status == LP_OUTCOME_OK)
        memcpy(plan.predicted, outcome->predicted, sizeof plan.predicted);
    gboolean is_predicted = plan.predicted[LP_PREDICTION_SIMULATED] > 0.0;
    for (guint i = 0; is_predicted && i < group->len; i++) {
        Plan *known = plan_at(group, i);
        if (memcmp(known->predicted, plan.predicted, sizeof plan.predicted) != 0)
            continue;
        known->sum_measured_s += outcome->measured;
        known->n_rows++;
        return;
    }
    g_array_append_val(group, plan);
}

/* GArray of Plan, in the order of their first rows. */
static GPtrArray *
find_groups(const GPtrArray *outcomes, const char *source)
{
    g_autoptr(GHashTable) by_name = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    GPtrArray *groups = g_ptr_array_new_with_free_func(free_group);
    for (guint i = 0; i < outcomes->len; i++) {
        const LpOutcome *outcome = outcomes->pdata[i];
        if (outcome->group == NULL || outcome->measure != LP_MEASURE_TIME ||
            !(outcome->measured > 0.0) || !lp_score_is_of(outcome, source))
            continue;
        g_autofree char *name = g_strconcat(outcome->source, "\n", outcome->group, NULL);
        GArray *group = g_hash_table_lookup(by_name, name);
        if (group == NULL) {
            group = g_array_new(FALSE, FALSE, sizeof(Plan));
            g_hash_table_insert(by_name, g_steal_pointer(&name), group);
            g_ptr_array_add(groups, group);
        }
        add_row(group, outcome);
    }
    return groups;
}

/* Whether one choice is better than another. */
static gboolean
has_choice(const GArray *group)
{
    for (guint i = 1; i < group->len; i++)
        if (measured_s(group, i) != measured_s(group, 0))
            return group->len >= PLANS_MIN;
    return FALSE;
}

static double
best_s(const GArray *group)
{
    double best = G_MAXDOUBLE;
    for (guint i = 0; i < group->len; i++)
        best = MIN(best, measured_s(group, i));
    return best;
}

static double
regret_of(const GArray *group, LpPrediction prediction)
{
    double first = G_MAXDOUBLE, chosen = 0.0;
    for (guint i = 0; i < group->len; i++)
        first = MIN(first, predicted_s(group, i, prediction));
    for (guint i = 0; i < group->len; i++)
        if (predicted_s(group, i, prediction) <= first)
            chosen = MAX(chosen, measured_s(group, i));
    return chosen / best_s(group) - 1.0;
}

/* The share of its plans that are within @fraction of the best one. */
static double
share_within(const GArray *group, double fraction)
{
    guint n = 0;
    for (guint i = 0; i < group->len; i++)
        n += measured_s(group, i) / best_s(group) - 1.0 <= fraction;
    return (double)n / group->len;
}

static double
spearman_of(const GArray *group, LpPrediction prediction)
{
    g_autofree double *predicted = g_new(double, group->len);
    g_autofree double *measured = g_new(double, group->len);
    for (guint i = 0; i < group->len; i++) {
        predicted[i] = predicted_s(group, i, prediction);
        measured[i] = measured_s(group, i);
    }
    return lp_score_spearman(predicted, measured, group->len);
}

static int
compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

LpRanking
lp_ranking(const GPtrArray *outcomes, const char *source, LpPrediction prediction)
{
    LpRanking ranking = {0};
    g_autoptr(GPtrArray) groups = find_groups(outcomes, source);
    g_autofree double *regrets = g_new(double, MAX(groups->len, 1));
    for (guint i = 0; i < groups->len; i++) {
        const GArray *group = groups->pdata[i];
        if (!has_choice(group))
            continue;
        double regret = regret_of(group, prediction);
        regrets[ranking.n_groups++] = regret;
        ranking.n_plans += group->len;
        ranking.within_5_percent += regret <= 0.05;
        ranking.within_15_percent += regret <= 0.15;
        ranking.mean_spearman += spearman_of(group, prediction);
        ranking.chance_within_5_percent += share_within(group, 0.05);
    }
    if (ranking.n_groups == 0)
        return ranking;
    qsort(regrets, ranking.n_groups, sizeof *regrets, compare_numbers);
    ranking.median_regret = lp_score_quantile(regrets, ranking.n_groups, 0.5);
    ranking.within_5_percent /= ranking.n_groups;
    ranking.within_15_percent /= ranking.n_groups;
    ranking.mean_spearman /= ranking.n_groups;
    ranking.chance_within_5_percent /= ranking.n_groups;
    return ranking;
}
