/* SPDX-License-Identifier: Apache-2.0 */
/* How long a collective takes that meets no other: its script followed by all members, with flows
 * that share links max-min fairly, as the engine does it, and without the engine.
 *
 * (Bertsekas and Gallager, Data Networks, 1992, section 6.5.2: progressive filling.) */
#pragma once

#include "sim/script.h"

G_BEGIN_DECLS

/** Seconds from the moment at which all members begin until the last of them has ended. A flow is
 * slowed by narrow links anywhere, but only ports and scale-up links are shared: the counterfactual
 * keeps every port's own serialisation (sim/lonely.h). */
double lp_fluid_script_s(LpScript *script);

G_END_DECLS
