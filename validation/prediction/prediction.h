/* SPDX-License-Identifier: Apache-2.0 */
/* One plan on one machine, by the simulation and by both closed forms. */
#pragma once

#include "platforms/machine/machine.h"
#include "validation/prediction/constant.h"
#include "validation/prediction/outcome.h"
#include "workloads/description/workload.h"

G_BEGIN_DECLS

/**
 * Simulates, without the runs that only explain, and fills @outcome's predictions and terms; a plan
 * that does not fit in memory is predicted and refused. Starts the engine: once a process.
 * @constants: those that hold in place of the shipped ones; NULL: none.
 * Errors: LP_SIMULATION_ERROR, LP_PROGRAM_ERROR, LP_INPUT_ERROR.
 */
gboolean lp_prediction_run(const LpWorkload *workload, const LpMachine *machine,
                           const LpConstants *constants, LpOutcome *outcome,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** The iteration's time by the consistent closed form as if all links above ports were wide, rings
 * had one card, and nothing but the plan's share o were hidden, s: what changes smoothly with
 * constants. @accelerator: in place of the machine's; @places: of lp_placement_new(). */
double lp_prediction_closed_s(const LpWorkload *workload, const LpAccelerator *accelerator,
                              const LpFabric *fabric, const guint32 *places);

/** What lp_prediction_closed_s() says of packed ranks on @machine, s. */
double lp_prediction_consistent_s(const LpWorkload *workload, const LpMachine *machine);
/** The same by AMPeD, with the accelerator's own efficiency of products, s. */
double lp_prediction_amped_s(const LpWorkload *workload, const LpMachine *machine);

G_END_DECLS
