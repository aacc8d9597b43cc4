/* SPDX-License-Identifier: Apache-2.0 */
/* Whether classes that are assumed to be alike are, as far as that shows without a run. */
#pragma once

#include "sim/run/assumed_run.h"

G_BEGIN_DECLS

/** Whether flows of a class of @quotient are held back alike where nothing else runs but one step
 * of a collective, of long ones the first, in communicators of a class or in all of a group, or the
 * messages to other stages. Where they are not, the run will tell them apart. */
gboolean lp_assumed_check_steps(const LpAssumedInput *input, const LpQuotient *quotient);

G_END_DECLS
