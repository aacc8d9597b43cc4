/* SPDX-License-Identifier: Apache-2.0 */
/* Who shares the links of a run: the engine, or what takes its place. */
#pragma once

#include "sim/actors/actor_fault.h"
#include "sim/run/run_job.h"

G_BEGIN_DECLS

/** What takes the place of the engine or stands before it, and in place of @given where circuits
 * turn; NULL: nothing. @given, @faults, @quotient (of the run): may be NULL. @jobs: what is
 * borrowed must outlive it. Returns: (transfer full). */
LpFlowEngine *lp_run_sharing_new(const LpRunJob *jobs, guint n_jobs, const LpFlowEngine *given,
                                 const LpFaults *faults, const LpQuotient *quotient);

G_END_DECLS
