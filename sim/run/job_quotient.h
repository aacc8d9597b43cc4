/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of a scenario_setup's only job by classes of its ranks (docs/architecture.md). */
#pragma once

#include "sim/run/scenario_setup.h"

G_BEGIN_DECLS

/** Of a run of @job, job_set alone from @scenario_setup, in which classes of traffic of @isolated
 * (bits of LpTraffic) take their isolated time, and links are shared as @view says. NULL where
 * ranks have to stand for themselves. Returns: (transfer full). */
LpQuotient *lp_job_quotient_new(const LpScenarioSetup *scenario_setup, const LpRunJob *job,
                                guint isolated, const LpQuotientView *view);
/** Whether @quotient leaves few enough of the ranks of @map that would have actors otherwise: flows
 * between hosts cost about twice what mailboxes do. */
gboolean lp_job_quotient_is_worthwhile(const LpQuotient *quotient, const LpCommunicationMap *map,
                                       const LpContention *contention);
/** Groups, as bits of LpGroup, all of whose @communicators have members of one class of @quotient
 * each; none if that is NULL. */
guint lp_job_quotient_alike(const LpQuotient *quotient, const LpCommunicators *communicators);

G_END_DECLS
