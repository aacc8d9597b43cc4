/* SPDX-License-Identifier: Apache-2.0 */
/* The objective of a fit, and the search for the constants that minimise it on surrogates. */
#pragma once

#include "validation/calibration/surrogate.h"

G_BEGIN_DECLS

/** The rows of a fit and their weights. */
typedef struct {
    const GPtrArray *rows; /* borrowed: LpSurrogate */
    double *weights;       /* owned: by row; they sum to 1 */
    guint n_evaluated;     /**< closed forms evaluated so far */
} LpObjective;

/** Weights by which every source counts as much as any other, whatever its number of rows. Rows
 * that were not simulated have none, nor do those of source @without (NULL: no source is left out).
 * @rows: borrowed. Returns: (transfer full). */
LpObjective *lp_objective_new(const GPtrArray *rows, const char *without);
/** @self may be NULL. */
void lp_objective_free(LpObjective *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpObjective, lp_objective_free)

/** The loss of one row, both times in s: of e = ln(@predicted / @measured), as lp_fit_run() has it.
 */
double lp_objective_loss(double predicted, double measured);
/** The sum over rows of weight x loss, of the times that the surrogates estimate under @constants.
 */
double lp_objective_value(LpObjective *self, const LpConstants *constants);
/** Whether a row with a weight depends on a constant of @variable. */
gboolean lp_objective_depends_on(const LpObjective *self, const LpConstants *constants,
                                 guint variable);

/** The first constant of @variable, borrowed from @constants. */
const LpConstant *lp_minimise_first(const LpConstants *constants, guint variable);
/** Gives all constants of @variable the value @value, base unit. */
void lp_minimise_set(LpConstants *constants, guint variable, double value);

/**
 * Moves the variables of @constants to where the objective, and a small pull towards @start, is
 * smallest within the bounds; those on which no row depends stay. Sbplx, a simplex search that
 * needs no derivatives (NLopt: S. G. Johnson; Subplex: T. Rowan, 1990), from where they are and
 * again from where it ends. Deterministic. Values are rounded to four digits.
 */
void lp_minimise(LpObjective *self, const LpConstants *start, LpConstants *constants);

/** The range of @variable, base unit, in which the objective exceeds its value at @constants by at
 * most @tolerance, all other variables held; within the bounds. */
void lp_minimise_range(LpObjective *self, const LpConstants *constants, guint variable,
                       double tolerance, double *out_low, double *out_high);

G_END_DECLS
