/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the best plans of a space: bounds decide which are simulated. */
#pragma once

#include "model/plan/terms.h"
#include "search/objective.h"
#include "search/search_space.h"

G_BEGIN_DECLS

/** What was simulated of a plan. */
typedef struct {
    LpSearchPlan plan;
    LpSearchFigures figures;
    double time_s;
    double least_s; /**< the most that it was known to take at least while it ran */
    LpTerms terms;
    gboolean is_on_front; /**< none of the others is as good in all (lp_search_is_as_good()); at
                             most LP_SEARCH_FRONT more of the objective than the first */
} LpSearchRun;

/** What saves something else is worth showing if it has at most so much more of the objective than
 * the first. */
#define LP_SEARCH_FRONT 0.1

/** How a space is searched. */
typedef struct {
    LpSearchMeasure measure; /**< the objective is what the best have least of */
    guint n_best;            /**< plans that the answer has, at least 1 */
    double within;   /**< and those that take at most so much more than the first; 0.05 is 5 % */
    gboolean all;    /**< simulate all plans, whatever their bounds */
    double budget_s; /**< seconds after which no simulation begins; INFINITY: none */
    guint n_at_once; /**< processes side by side */
    double (*clock_s)(void);                   /**< asked for the budget */
    gboolean (*is_interrupted)(void);          /**< once it is true no simulation begins; or NULL */
    void (*progress)(double, guint64, void *); /**< plans decided, and all; or NULL */
    void *progress_data;
} LpSearchOptions;

/** What a search found. */
typedef struct {
    GArray *runs; /* owned: LpSearchRun, the best first; equally good ones in the
                     order of the space */
    guint64 n_simulated, n_bounded, n_equivalent; /**< of the space's plans: run; ruled out by their
                                                bounds; as another one in all that a run sees */
    guint64 n_stopped; /**< runs that ended as soon as their plan was ruled out */
    guint64 n_failed;  /**< runs that ended in an error */
    char *failure;     /* owned: the first one's message, or NULL */
    guint64 n_left;    /**< plans that the budget or an interruption left */
    gboolean is_interrupted;
    double least_left_s; /**< the lowest bound among them; INFINITY: none */
    double least_left;   /**< the least that one of them has of the objective; INFINITY: none */
} LpSearchResult;

/**
 * Simulates plans of @space in the order of their closed forms, those that can still be among the
 * answer. Which these are does not depend on n_at_once: bounds are compared once a round of
 * a fixed number of plans. Forks.
 * Errors: LP_CHILD_PROCESS_ERROR. Returns: (transfer full).
 */
LpSearchResult *lp_search_run(const LpSearchSpace *space, const LpSearchOptions *options,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** @self may be NULL. */
void lp_search_result_free(LpSearchResult *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpSearchResult, lp_search_result_free)

G_END_DECLS
