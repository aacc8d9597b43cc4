/* SPDX-License-Identifier: Apache-2.0 */
/* A rotor in a run: senders sleep until their last byte has arrived, woken by one actor that turns
 * it. */
#pragma once

#include "sim/actors/circuit_result.h"
#include "sim/actors/clock.h"
#include "sim/circuits/circuit_plan.h"
#include "sim/circuits/rotor.h"
#include "sim/engine/network.h"

G_BEGIN_DECLS

struct s4u_Semaphore; /* an opaque SimGrid semaphore */

typedef struct LpRotorRun LpRotorRun;

/** The rotor of @network's machine (borrowed); NULL if that has none. Returns: (transfer full). */
LpRotorRun *lp_rotor_run_new(const LpNetwork *network);
void lp_rotor_run_free(LpRotorRun *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpRotorRun, lp_rotor_run_free)

/** Starts the actor that turns it, on @home. */
void lp_rotor_run_start(LpRotorRun *self, struct s4u_Host *home);
/** Sends @bytes (> 0) between the scale-out ports @from and @to. @arrived: released when the last
 * byte has. Actors only. */
void lp_rotor_run_post(LpRotorRun *self, const LpPort *from, const LpPort *to, guint64 bytes,
                       struct s4u_Semaphore *arrived);
/** What the run says of it in an iteration: as lp_circuits_result(). */
LpCircuitResult lp_rotor_run_result(const LpRotorRun *self, const LpClock *last, double start_s,
                                    double weight, double n_iterations);

/** @failure has happened. */
void lp_rotor_run_kill(LpRotorRun *self, LpLaneFailure failure);

G_END_DECLS
