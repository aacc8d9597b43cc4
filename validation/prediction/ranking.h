/* SPDX-License-Identifier: Apache-2.0 */
/* How well plans for the same work are chosen: what the one that is predicted to be the fastest
 * costs over the one that was measured to be. */
#pragma once

#include "validation/prediction/outcome.h"

G_BEGIN_DECLS

/**
 * Of groups: steps of one source that differ in nothing but their plan (LpOutcome.group), at least
 * two plans with different times. Rows to which all models say the same, to the last digit, are one
 * plan that was measured several times, and took their mean. The regret of a group is what its
 * first choice, the plan with the best prediction, took over the best one, less 1. Of plans that
 * the model cannot tell apart the slowest counts. A row without a prediction, or that is not ok,
 * ranks last.
 */
typedef struct {
    guint n_groups, n_plans; /**< plans of all groups */
    double within_5_percent; /**< share of groups with a regret of at most 0.05 */
    double within_15_percent;
    double median_regret;
    double mean_spearman; /**< rank correlation of predicted and measured; ties have mean ranks */
    double chance_within_5_percent; /**< what within_5_percent would be of plans drawn by chance */
} LpRanking;

/** Over the groups among @outcomes (LpOutcome *) of @source, of all but those apart if it is NULL.
 * Of no group, all zero. */
LpRanking lp_ranking(const GPtrArray *outcomes, const char *source, LpPrediction prediction);

G_END_DECLS
