/* SPDX-License-Identifier: Apache-2.0 */
/* Circuits in a run: actors ask for those of a pattern before they send, and wait until they stand.
 */
#pragma once

#include "sim/actors/actor_watch.h"
#include "sim/actors/circuit_result.h"
#include "sim/actors/clock.h"
#include "sim/actors/timeline.h"
#include "sim/circuits/circuit_state.h"

G_BEGIN_DECLS

typedef struct LpCircuits LpCircuits;

/** What went over a hybrid. */
typedef struct {
    double circuit_bytes, packet_bytes;
    double n_set_up; /**< circuits without a pattern */
} LpHybridCount;

/** How a wait for circuits went. */
typedef struct {
    double from_s;   /**< since when circuits were waited for, and not others at the far end */
    double ready_s;  /**< when the circuits carried bytes, and the wait was over */
    double waited_s; /**< of that actor */
    double
        hidden_s; /**< of the dead time of circuits set up for this use, what nobody waited for */
} LpCircuitWait;

/** Of @plan (borrowed). Returns: (transfer full). */
LpCircuits *lp_circuits_new(const LpCircuitPlan *plan, gboolean keeps_lives);
void lp_circuits_free(LpCircuits *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpCircuits, lp_circuits_free)

/** @rank has actors in the run. Before the first send. */
void lp_circuits_add_rank(LpCircuits *self, guint64 rank);
/** Sets up the first circuits. After all ranks, before the first send. */
void lp_circuits_begin(LpCircuits *self);

/** Whether a network stands beside the circuits, and those then carry @traffic. */
gboolean lp_circuits_is_hybrid(const LpCircuits *self);
gboolean lp_circuits_steers(const LpCircuits *self, LpTraffic traffic);
const LpCircuitPlan *lp_circuits_plan(const LpCircuits *self);

/** One of @n_users actors that use @pattern together waits until its circuits stand; all must call,
 * and all must call lp_circuits_release() afterwards. @is_eager: of lp_circuit_state_request().
 * Actors only. */
LpCircuitWait lp_circuits_acquire(LpCircuits *self, guint32 pattern, guint64 n_users,
                                  gboolean is_eager, LpWatch *watch);
void lp_circuits_release(LpCircuits *self, guint32 pattern, guint64 n_users);
/** As lp_circuits_acquire(), but does not wait: the first of @n_users that come decides for all.
 * Returns: whether all have to call lp_circuits_release() afterwards, and when the circuits carry
 * bytes in @out_ready_s. Actors only. */
gboolean lp_circuits_try(LpCircuits *self, guint32 pattern, guint64 n_users, gboolean is_eager,
                         double *out_ready_s);
/** Counts bytes that went over a hybrid's circuits, and over the network beside them, and circuits
 * that were set up without a pattern. */
void lp_circuits_count(LpCircuits *self, LpHybridCount count);
/** Lanes of @accelerator's attachment that have not stopped. */
guint32 lp_circuits_n_live(const LpCircuits *self, guint64 accelerator);
/** @failure happens. Actors only. */
void lp_circuits_kill(LpCircuits *self, LpLaneFailure failure);
/** Into how many parts a transfer is cut, each of which may have to let others go first: 1 where
 * circuits are drained. */
guint32 lp_circuits_n_parts(const LpCircuits *self);
/** Between two parts: lets those go first who wait for circuits, and waits for its own again, as
 * lp_circuits_acquire() does. Actors only. */
LpCircuitWait lp_circuits_yield(LpCircuits *self, guint32 pattern, guint64 n_users,
                                gboolean is_eager, LpWatch *watch);
/** @rank's compute stream waits for others, or goes on. Actors only. */
void lp_circuits_set_waiting(LpCircuits *self, guint64 rank, gboolean is_waiting);

/** Writes down the circuits at the attachments of the first rank of each stage, until @end_s. */
void lp_circuits_record(const LpCircuits *self, LpTimeline *timeline, double end_s);
/** What the run says of its circuits in an iteration. @last: the clock of the last event.
 * @start_s: of the job. @weight: replicas that each circuit stands for. @n_iterations: that
 * the job ran. */
LpCircuitResult lp_circuits_result(const LpCircuits *self, const LpClock *last, double start_s,
                                   double weight, double n_iterations);

G_END_DECLS
