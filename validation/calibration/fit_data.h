/* SPDX-License-Identifier: Apache-2.0 */
/* What is fitted, and what comes of it. */
#pragma once

#include "validation/calibration/surrogate.h"
#include "validation/cases/runner.h"
#include "validation/prediction/score.h"

G_BEGIN_DECLS

/** What to fit, on which rows, and how long. */
typedef struct {
    const LpConstants *constants; /**< borrowed: those to fit, at the values to start from, and
                                     those held at their values; a fitted constant stands behind a
                                     held one for the same place */
    const char *const *rows;      /**< borrowed, NULL-ended: a row takes part if its source or id
                                     contains one of these; NULL: all rows do */
    const char *const *without;   /**< borrowed, NULL-ended: nor fitted nor tested is a row whose
                                     source or id contains one of these; may be NULL */
    gboolean is_dense;            /**< nor is one whose model has experts */
    guint every; /**< of each source the first row and every n-th after it take part; at least 1 */
    guint others_every;  /**< of each source's rows left out, the first and every n-th after it are
                            simulated to test the fit; 0: none */
    guint n_rounds;      /**< at most; at least 1 */
    LpRunnerOptions run; /**< rows and constants of it are not read */
    void (*stage)(const char *text, void *data); /**< called as each stage begins; or NULL */
    void *stage_data;
} LpFitOptions;

/** One fitted value. */
typedef struct {
    guint first;         /**< index of the first of its constants */
    double start, value; /**< before and after, base units */
    /** Range, base units, in which the objective is at most LP_FIT_TOLERANCE above its smallest
     * value, all other variables held; by the surrogate, within the bounds. If it is wide, the rows
     * hardly determine the variable. */
    double low, high;
} LpFitVariable;

#define LP_FIT_TOLERANCE 0.001

/** A source whose rows were fitted. */
typedef struct {
    const char *source; /* borrowed from outcomes */
    guint n_rows;
    LpScore before, after;
    gboolean is_crossed; /**< cross-validated: */
    LpScore crossed;     /**< the error on this source of a fit on all others */
} LpFitSource;

/** What a fit gives. */
typedef struct {
    LpConstants *constants;                /* owned: with the fitted values, of four digits */
    GArray *variables;                     /* owned: LpFitVariable */
    GArray *sources;                       /* owned: LpFitSource */
    GPtrArray *before, *after;             /* owned: LpOutcome of the rows fitted */
    GPtrArray *other_before, *other_after; /* owned: of rows left out, to test the fit */
    GPtrArray *rows, *other_rows;          /* owned: LpSurrogate, in the order of the outcomes */
    GArray *objectives; /* owned: double, of the simulation: at the start, and after each round */
    guint n_unused;     /**< rows that depend on the constants, neither fitted nor tested on */
    guint n_failed;     /**< chosen rows that have no prediction: they are not fitted */
    guint n_closed, n_simulated; /**< rows evaluated by closed form, and by simulation */
} LpFit;

G_END_DECLS
