/* SPDX-License-Identifier: Apache-2.0 */
/* Measured rows whose simulated time is foretold from one simulation, for constants near those that
 * it ran with: an optimiser asks a thousand times. */
#pragma once

#include "sim/mapping/placement.h"
#include "validation/cases/training_case.h"

G_BEGIN_DECLS

/** A row, ready for its closed form. */
typedef struct {
    guint row;     /**< of the table */
    char *source;  /* owned */
    char *library; /* owned: name */
    double measured_s;
    gboolean has_failed;     /**< when it was first simulated: it is not simulated again */
    gboolean is_known;       /**< it was simulated: ratio and slopes hold */
    LpTrainingCase restated; /* owned */
    LpFabric fabric;
    LpPlacement *placement; /* owned */
    double ratio;           /**< simulated over closed form, at the anchor */
    double *slopes;         /* owned: by variable, d simulated time / d x, x as lp_surrogate_x() */
    double *anchors_x;      /* owned: by variable, x at the anchor */
    guint n_variables;
} LpSurrogate;

/** NULL, without error, if the row cannot be restated or is not measured: it takes no part.
 * Returns: (transfer full). */
LpSurrogate *lp_surrogate_new(const LpTable *table, guint row, guint n_variables);
void lp_surrogate_free(LpSurrogate *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpSurrogate, lp_surrogate_free)

/** Whether the closed form knows the constant; of others slopes tell. */
gboolean lp_surrogate_is_closed(const LpConstant *constant);
/** In what simulated times are linear while the critical path stays: the value, or the inverse of a
 * share. */
double lp_surrogate_x(const LpConstant *constant);

/** Whether the constant has to do with the row. */
gboolean lp_surrogate_knows(const LpSurrogate *self, const LpConstant *constant);

/** The closed form's time under @constants, s. */
double lp_surrogate_closed_s(const LpSurrogate *self, const LpConstants *constants);
/** Says what the simulation gave under @constants. Slopes stay as they are. */
void lp_surrogate_anchor(LpSurrogate *self, const LpConstants *constants, double simulated_s);
/**
 * ratio x closed form + sum of slope x (x - x at the anchor), over variables that the closed form
 * does not know; at least a tenth of the first part, s.
 */
double lp_surrogate_predict(const LpSurrogate *self, const LpConstants *constants);

G_END_DECLS
