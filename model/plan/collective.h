/* SPDX-License-Identifier: Apache-2.0 */
/* The vocabulary of collectives: operations, algorithms, and what libraries add to them. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** What a group does together. */
typedef enum {
    LP_COLLECTIVE_ALL_REDUCE,
    LP_COLLECTIVE_REDUCE_SCATTER,
    LP_COLLECTIVE_ALL_GATHER,
    LP_COLLECTIVE_ALL_TO_ALL,
    LP_COLLECTIVE_BROADCAST,
    LP_COLLECTIVE_REDUCE,
    LP_COLLECTIVE_SEND, /**< member 0 to member 1 */
    LP_COLLECTIVE_BARRIER,
    LP_N_COLLECTIVES
} LpCollective;

/** "all-reduce" "reduce-scatter" ..., NULL-ended. */
extern const char *const lp_collective_names[];

/** How it is done. */
typedef enum {
    LP_ALGORITHM_RING,
    LP_ALGORITHM_TREE,     /**< double binary tree, pipelined in chunks */
    LP_ALGORITHM_DOUBLING, /**< recursive doubling */
    LP_ALGORITHM_HALVING,  /**< recursive halving and doubling */
    LP_ALGORITHM_BRUCK,
    LP_ALGORITHM_PAIRWISE,
    LP_ALGORITHM_DIRECT,
    LP_ALGORITHM_TORUS, /**< a ring per dimension */
    LP_ALGORITHM_IN_NETWORK,
    LP_ALGORITHM_HIERARCHICAL,
    LP_ALGORITHM_LISTED, /**< steps that somebody wrote down */
    LP_N_ALGORITHMS
} LpAlgorithm;

/** "ring" "tree" ..., NULL-ended. */
extern const char *const lp_algorithm_names[];

/** Room for the name of a library or protocol. */
#define LP_LIBRARY_NAME_MAX 24
/** Room for the names of several, and what each is for. */
#define LP_LIBRARY_TEXT_MAX 2048
/** Levels of a hierarchy. */
#define LP_LEVELS_MAX 3

/** Steps that a user wrote down (model/plan/step_list.h). */
typedef struct LpStepList LpStepList;

/** The step lists of a file: at most one for each collective and number of ranks. */
typedef struct {
    char *path; /* owned: what texts call them */
    guint32 n;
    LpStepList **lists; /* owned */
} LpStepLists;

/** An algorithm, or one for each level of a hierarchy: within domains, within leaves, between. */
typedef struct {
    guint32 n_levels; /**< 0: nothing said */
    LpAlgorithm level[LP_LEVELS_MAX];
    const LpStepLists *lists; /**< borrowed: of the one level "listed": each collective takes its
                                   own, and what has none is as if nothing were said; else NULL */
} LpAlgorithms;

/** Reads "auto" (nothing said), "tree", "ring+tree" or "ring+ring+tree", from the inside out.
 * Returns: FALSE if @text is none of these. */
gboolean lp_algorithms_parse(const char *text, LpAlgorithms *out_algorithms);
/** Whether both say the same. */
gboolean lp_algorithms_equal(const LpAlgorithms *a, const LpAlgorithms *b);
/** Whether switches reduce on any level. */
gboolean lp_algorithms_reduce_in_switches(const LpAlgorithms *self);
/** What lp_algorithms_parse() would read, or the path of lists. Returns: (transfer full). */
char *lp_algorithms_format(const LpAlgorithms *self);

G_END_DECLS
