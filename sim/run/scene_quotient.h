/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of a scenario by classes: of ranks, of other senders, and of jobs that do the same. */
#pragma once

#include "sim/run/forecast.h"
#include "sim/run/scene.h"

G_BEGIN_DECLS

typedef struct LpSceneQuotient LpSceneQuotient;

/** Of the jobs of @cast (borrowed), which are all in @scope, and of what is beside them there. NULL
 * where every rank is as good simulated for itself, or has to be. Returns: (transfer full). */
LpSceneQuotient *lp_scene_quotient_new(LpCast *cast, LpSceneScope scope);
void lp_scene_quotient_free(LpSceneQuotient *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpSceneQuotient, lp_scene_quotient_free)

LpQuotientSize lp_scene_quotient_size(const LpSceneQuotient *self);
/** For people: how much of the job at @index is simulated. Returns: (transfer full). */
char *lp_scene_quotient_describe(const LpSceneQuotient *self, guint index);
/** Starts the engine on it and runs the cast, beside @surroundings: those that it was made of.
 * Once a process. @out_results: for each job. Errors: as of lp_quotient_load(). */
gboolean lp_scene_quotient_run(LpSceneQuotient *self, const LpSurroundings *surroundings,
                               LpRunResult *out_results, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Adds what that run would cost, under @name, static, for @job (LpForecastRun). */
void lp_scene_quotient_forecast(const LpSceneQuotient *self, const char *name, guint32 job,
                                LpForecast *io_forecast);

G_END_DECLS
