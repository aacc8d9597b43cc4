/* SPDX-License-Identifier: Apache-2.0 */
/* --dry-run: what a command would simulate and what that would cost, without doing it. */
#pragma once

#include "cli/options.h"

G_BEGIN_DECLS

/** Prints what the simulation of @setup would cost. @options: of the simulation. Errors: as
 * lp_simulation_run(). */
gboolean lp_dry_run(const LpSetup *setup, LpSimulationOptions options, LpFormat format,
                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Prints what all runs of @scenario on @machine would cost. Errors: as
 * lp_scenario_simulation_run(). */
gboolean lp_dry_run_scenario(const LpScenario *scenario, const LpMachine *machine,
                             LpScenarioOptions options, LpFormat format,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
