/* SPDX-License-Identifier: Apache-2.0 */
/* A surrogate of the simulation: estimates a row's simulated time for constants near those of one
 * run, since an optimiser needs it a thousand times. */
#pragma once

#include "sim/mapping/placement.h"
#include "validation/cases/training_case.h"

G_BEGIN_DECLS

/** A row with the workload and machine that it states, and how its simulated time depends on the
 * constants. */
typedef struct {
    guint row;     /**< index in the table */
    char *source;  /* owned */
    char *library; /* owned: name of the communication library */
    double measured_s;
    gboolean has_failed;     /**< in its first simulation: it is not simulated again */
    gboolean is_known;       /**< it was simulated: ratio and slopes hold */
    LpTrainingCase restated; /* owned */
    LpFabric fabric;
    LpPlacement *placement; /* owned */
    double ratio;           /**< simulated over closed form, at the anchor */
    double *slopes;         /* owned: by variable, d simulated time / d x, x as lp_surrogate_x() */
    double *anchors_x;      /* owned: by variable, x at the anchor */
    guint n_variables;
} LpSurrogate;

/** The surrogate of row @row, not yet anchored. @n_variables: of the constants to come.
 * Returns: (transfer full), or NULL, without error, if the row is not measured, cannot be restated,
 * or does not fit on its machine: it takes no part, and predictions say why. */
LpSurrogate *lp_surrogate_new(const LpTable *table, guint row, guint n_variables);
/** @self may be NULL. */
void lp_surrogate_free(LpSurrogate *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpSurrogate, lp_surrogate_free)

/** Whether the closed form has the constant; the effect of others is linear, by slopes. */
gboolean lp_surrogate_is_closed(const LpConstant *constant);
/** The x in which simulated times are linear while the critical path stays: the constant's value,
 * or the inverse of a share. */
double lp_surrogate_x(const LpConstant *constant);

/** Whether the row runs on the accelerator or with the library that the constant belongs to. */
gboolean lp_surrogate_depends_on(const LpSurrogate *self, const LpConstant *constant);

/** The closed form's time under @constants, s. */
double lp_surrogate_closed_s(const LpSurrogate *self, const LpConstants *constants);
/** Anchors @self at @constants, under which the simulation took @simulated_s. Slopes stay as they
 * are. */
void lp_surrogate_anchor(LpSurrogate *self, const LpConstants *constants, double simulated_s);
/** The estimate of the simulated time under @constants, s:
 * ratio x closed form + sum of slope x (x - x at the anchor), over variables that the closed form
 * does not have; at least a tenth of the first part.
 */
double lp_surrogate_predict(const LpSurrogate *self, const LpConstants *constants);

G_END_DECLS
