/* SPDX-License-Identifier: Apache-2.0 */
/* Times of collectives in the closed form (closed_form_collective.c, closed_form_exchange.c). */
#pragma once

#include "model/closed_form/closed_form_input.h"
#include "model/plan/group.h"

G_BEGIN_DECLS

/** Time of an all-reduce of @bytes over rank 0's group, or of a reduce-scatter or all-gather, which
 * are halves of it, s: what its library was measured to take, else that of a ring. 0 for a
 * group of one. */
double lp_closed_form_ring_s(const LpClosedFormInput *input, LpGroup group, LpCollective collective,
                             double bytes);

/** @input with the library alone, and its rings, that runs @collective of @bytes in @group. */
LpClosedFormInput lp_closed_form_by(const LpClosedFormInput *input, LpGroup group,
                                    LpCollective collective, double bytes);

/** The measured time, in the table of @input's library, which lp_closed_form_by() has found, s; 0:
 * nothing was measured. */
double lp_closed_form_measured_s(const LpClosedFormInput *input, LpGroup group,
                                 LpCollective collective, double bytes);

/** Time of broadcasts over rank 0's group, one after the other, of as much as each of @bytes, array
 * of double, s. 0 for a group of one. */
double lp_closed_form_broadcasts_s(const LpClosedFormInput *input, LpGroup group,
                                   const GArray *bytes);

/** Time of an all-to-all of @bytes on each member of rank 0's group, s: a + bytes over the
 * narrowest cut, and not less than what was measured. 0 for a group of one. */
double lp_closed_form_exchange_s(const LpClosedFormInput *input, LpGroup group, double bytes);

G_END_DECLS
