/* SPDX-License-Identifier: Apache-2.0 */
/* GOAL schedules (LogGOPSim, ATLAHS), as text. */
#pragma once

#include "workloads/traces/trace.h"

G_BEGIN_DECLS

/** The schedule of all ranks of @trace, whose dependencies name nodes before them. Returns:
 * (transfer full). */
char *lp_goal_write(const LpTrace *trace);

G_END_DECLS
