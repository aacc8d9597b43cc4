/* SPDX-License-Identifier: Apache-2.0 */
/* The objective of a fit, and the constants that make it smallest as the surrogates have it. */
#pragma once

#include "validation/calibration/surrogate.h"

G_BEGIN_DECLS

/** Rows and how much each counts. */
typedef struct {
    const GPtrArray *rows; /* borrowed: LpSurrogate */
    double *weights;       /* owned: by row; they sum to 1 */
    guint n_evaluated;     /**< closed forms of rows so far */
} LpObjective;

/** A source counts as much as any other. Rows that are not known count nothing, nor do those of
 * source @without (NULL: none). Returns: (transfer full). */
LpObjective *lp_objective_new(const GPtrArray *rows, const char *without);
void lp_objective_free(LpObjective *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpObjective, lp_objective_free)

/** The loss of one row. */
double lp_objective_loss(double predicted, double measured);
/** The sum over rows of weight x loss, as the surrogates predict. */
double lp_objective_value(LpObjective *self, const LpConstants *constants);
/** Whether a row that counts has to do with the variable. */
gboolean lp_objective_knows(const LpObjective *self, const LpConstants *constants, guint variable);

/** The first constant of @variable. */
const LpConstant *lp_minimise_first(const LpConstants *constants, guint variable);
/** Gives all constants of @variable that value. */
void lp_minimise_set(LpConstants *constants, guint variable, double value);

/**
 * Moves the variables of @constants to where the objective, and a small pull towards @start, is
 * smallest within the bounds; those that no row knows of stay. Sbplx, a simplex search that needs
 * no derivatives (NLopt: S. G. Johnson; Subplex: T. Rowan, 1990), from where they are and again
 * from where it ends. Deterministic. Values are rounded to four digits.
 */
void lp_minimise(LpObjective *self, const LpConstants *start, LpConstants *constants);

/** Between which values of @variable the objective stays within @tolerance of what it is at
 * @constants, all others held; within the bounds. */
void lp_minimise_range(LpObjective *self, const LpConstants *constants, guint variable,
                       double tolerance, double *out_low, double *out_high);

G_END_DECLS
