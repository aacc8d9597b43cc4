/* SPDX-License-Identifier: Apache-2.0 */
/* A time that no simulation of a plan can go below (model/README.md, "Lower bound"). */
#pragma once

#include "model/closed_form/closed_form_input.h"

G_BEGIN_DECLS

/** What the bound is computed from. */
typedef struct {
    LpClosedFormInput of;
    gboolean switches_reduce; /**< collectives may be reduced in switches, so that a member of an
                                 all-reduce of V bytes sends as few as (n-1)/n V in place of twice
                                 that (Patarasuk and Yuan, J. Parallel Distrib. Comput. 69, 2009) */
} LpLowerBoundInput;

/** The largest of the bounds of model/README.md, "Lower bound", s. Experts of uneven load
 * (skew, tables) count as if they computed nothing. */
double lp_lower_bound_s(const LpLowerBoundInput *input);

G_END_DECLS
