/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of a scenario by classes: of ranks, of other senders, and of jobs that do the same. */
#pragma once

#include "sim/run/forecast.h"
#include "sim/run/scenario_setup.h"

G_BEGIN_DECLS

typedef struct LpJobSetQuotient LpJobSetQuotient;

/** Of the jobs of @job_set (borrowed), which are all in @scope, and of what is beside them there.
 * NULL where every rank is as good simulated for itself, or has to be. Returns: (transfer full). */
LpJobSetQuotient *lp_job_set_quotient_new(LpJobSet *job_set, LpScenarioSetupScope scope);
void lp_job_set_quotient_free(LpJobSetQuotient *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpJobSetQuotient, lp_job_set_quotient_free)

LpQuotientSize lp_job_set_quotient_size(const LpJobSetQuotient *self);
/** For people: how much of the job at @index is simulated. Returns: (transfer full). */
char *lp_job_set_quotient_describe(const LpJobSetQuotient *self, guint index);
/** Starts the engine on it and runs the job_set, beside @context: those that it was made of.
 * Once a process. @out_results: for each job. Errors: as of lp_quotient_load(). */
gboolean lp_job_set_quotient_run(LpJobSetQuotient *self, const LpRunContext *context,
                                 LpRunResult *out_results,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Adds what that run would cost, under @name, static, for @job (LpForecastRun). */
void lp_job_set_quotient_forecast(const LpJobSetQuotient *self, const char *name, guint32 job,
                                  LpForecast *io_forecast);

G_END_DECLS
