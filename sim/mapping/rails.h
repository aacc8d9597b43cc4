/* SPDX-License-Identifier: Apache-2.0 */
/* Whether an iteration's traffic keeps to the rails of the machine that it stands on. */
#pragma once

#include "sim/mapping/placement.h"
#include "workloads/program/program.h"

G_BEGIN_DECLS

/** TRUE if no two ranks that could talk stand in different domains and on different cards there:
 * members of one group, whatever its algorithm, and ranks at the same place in neighbouring stages.
 * Known before anything is loaded. All are borrowed. */
gboolean lp_rail_is_kept(const LpProgram *program, const LpMachine *machine,
                         const LpPlacement *placement);

G_END_DECLS
