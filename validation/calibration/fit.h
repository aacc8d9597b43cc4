/* SPDX-License-Identifier: Apache-2.0 */
/* Fits constants to measured rows, and tells how well rows that it has not seen are met. */
#pragma once

#include "validation/cases/runner.h"
#include "validation/prediction/score.h"
#include "validation/calibration/surrogate.h"

G_BEGIN_DECLS

typedef struct {
    const LpConstants *constants; /**< borrowed: those to fit at the values to start from, and held
                                     ones; a constant that is fitted stands behind a held one */
    const char *const *rows;      /**< borrowed, NULL-ended: a row takes part if its source or id
                                     contains one of these; NULL: all rows do */
    guint every;                  /**< of those of a source, each so-manieth; at least 1 */
    guint others_every; /**< of the rows left out of each source, each so-manieth is run to test the
                           fit; 0: none */
    guint n_rounds;     /**< at most; at least 1 */
    LpRunnerOptions run;                         /**< rows and constants of it are not read */
    void (*stage)(const char *text, void *data); /**< told what begins; or NULL */
    void *stage_data;
} LpFitOptions;

/** One fitted value. */
typedef struct {
    guint first; /**< the first of its constants */
    double start, value;
    /** Between these the objective is at most LP_FIT_TOLERANCE above its smallest value, all others
     * held; by the surrogate, within the bounds. Wide: the rows say little of it. */
    double low, high;
} LpFitVariable;

#define LP_FIT_TOLERANCE 0.001

/** A source that was fitted. */
typedef struct {
    const char *source; /* borrowed from outcomes */
    guint n_rows;
    LpScore before, after;
    gboolean is_crossed;
    LpScore crossed; /**< fitted without this source: the error on it */
} LpFitSource;

typedef struct {
    LpConstants *constants;                /* owned: with the fitted values, of four digits */
    GArray *variables;                     /* owned: LpFitVariable */
    GArray *sources;                       /* owned: LpFitSource */
    GPtrArray *before, *after;             /* owned: LpOutcome of the rows fitted */
    GPtrArray *other_before, *other_after; /* owned: of rows left out that constants apply to */
    GPtrArray *rows, *other_rows;          /* owned: LpSurrogate, in the order of the outcomes */
    GArray *objectives; /* owned: double, of the simulation: at the start, and after each round */
    guint n_unused;     /**< rows that constants apply to, neither fitted nor tested on */
    guint n_failed;     /**< rows named that have no prediction: they are not fitted */
    guint n_closed, n_simulated; /**< evaluations of rows */
} LpFit;

/**
 * The objective is the mean over sources of the mean over their rows of a loss of
 * e = ln(predicted / measured): e^2 / 2a up to a = 0.02, which is measuring noise; |e| - a / 2 up
 * to 0.3; from there on growing as a logarithm, since such a row is wrong in another way. A source
 * counts as much as any other, however many rows it has. A pull of at most half a thousandth keeps
 * constants on which the rows say nothing where they started.
 *
 * Errors: LP_INPUT_ERROR_VALUE (no row to fit, a constant that no row knows of, a table of another
 * kind), and those of lp_runner_run(). Returns: (transfer full).
 */
LpFit *lp_fit_run(const LpTable *table, const LpFitOptions *options,
                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
void lp_fit_free(LpFit *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpFit, lp_fit_free)

G_END_DECLS
