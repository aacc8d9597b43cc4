/* SPDX-License-Identifier: Apache-2.0 */
/* Which circuits stand, who uses them, and who waits for one: the controller of circuit switches,
 * without an engine. Time is what the caller says.
 *
 * A request for a pattern is granted when all its circuits stand or can be set up: on lanes that
 * are free, or whose circuits nobody uses and have stood long enough. A circuit carries bytes a
 * dead time after it was asked for. Requests that must wait are served in their order; what an
 * earlier one waits for is not given to a later one. */
#pragma once

#include "sim/circuits/circuit_lanes.h"
#include "sim/circuits/phase_sequence.h"

G_BEGIN_DECLS

typedef struct LpCircuitState LpCircuitState;

/** The functions that make a policy. */
typedef struct {
    const char *name;
    /** @rank has ended a use of a pattern: what may be set up ahead; NULL: nothing. */
    void (*after_use)(LpCircuitState *state, guint64 rank, double now_s);
    /** The value of an unused circuit; the one of least value gives way. */
    double (*keep)(const LpCircuitState *state, guint32 circuit);
} LpCircuitPolicy;

/** Everything is borrowed. @policy: of the machine's settings. @keeps_lives: for a timeline.
 * Returns: (transfer full). */
LpCircuitState *lp_circuit_state_new(const LpCircuitPlan *plan, const LpCircuitSwitch *settings,
                                     const LpCircuitPolicy *policy, gboolean keeps_lives);
void lp_circuit_state_free(LpCircuitState *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpCircuitState, lp_circuit_state_free)

/** @rank takes part in the run: its phases are followed. Before the first request. */
void lp_circuit_state_add_rank(LpCircuitState *self, guint64 rank);
/** Whether @rank uses circuits. */
gboolean lp_circuit_state_has_rank(const LpCircuitState *self, guint64 rank);
/** Sets up what stands before the job: the patterns that carry most bytes, as far as they fit. */
void lp_circuit_state_begin(LpCircuitState *self);

/** Asks for @pattern, for a use that begins now. Returns: whether it is granted, and when its
 * circuits carry bytes in @out_ready_s, at @now_s or later; or FALSE, and it waits until
 * lp_circuit_state_pop_granted() gives it. @is_eager: served as soon as lanes allow; otherwise only
 * when its ranks are at it, see lp_circuit_state_set_waiting(). */
gboolean lp_circuit_state_request(LpCircuitState *self, guint32 pattern, gboolean is_eager,
                                  double now_s, double *out_ready_s);
/** Requests @pattern like lp_circuit_state_request(), but without waiting: a request that cannot be
 * granted is dropped. */
gboolean lp_circuit_state_try(LpCircuitState *self, guint32 pattern, gboolean is_eager,
                              double now_s, double *out_ready_s);
/** A use of @pattern has ended. */
void lp_circuit_state_release(LpCircuitState *self, guint32 pattern, double now_s);
/** A use of @pattern pauses, if somebody waits for circuits: they are served first, and the pattern
 * has to be requested again. Returns: whether it does. */
gboolean lp_circuit_state_pause(LpCircuitState *self, guint32 pattern, double now_s);
/** @failure has happened: circuits on its lanes have to be set up elsewhere. */
void lp_circuit_state_kill(LpCircuitState *self, LpLaneFailure failure, double now_s);
/** Lanes of @attachment that have stopped, as bits. */
guint64 lp_circuit_state_dead_lanes(const LpCircuitState *self, guint32 attachment);
/** @rank waits for somebody else, or goes on: a message from a stage to one that does something
 * else takes no circuits from it before it waits, too. */
void lp_circuit_state_set_waiting(LpCircuitState *self, guint64 rank, gboolean is_waiting);
/** Serves those who wait, as far as possible. */
void lp_circuit_state_serve(LpCircuitState *self, double now_s);
/** The next pattern that waited and was granted meanwhile, each waiting use once; LP_CIRCUIT_NONE:
 * none. @out_from_s: since when it waited for circuits, and not for ranks to come to it. */
guint32 lp_circuit_state_pop_granted(LpCircuitState *self, double *out_from_s, double *out_ready_s);

/** The seconds from the request for the circuits of @pattern, which was granted, until they carry
 * bytes: returned once each time that they are set up, then 0. */
double lp_circuit_state_take_dead_s(LpCircuitState *self, guint32 pattern);

/* --- for policies --- */

/** The pattern of @rank's next phase, or of the one @ahead of that; LP_CIRCUIT_NONE: none. */
guint32 lp_circuit_state_next_pattern(const LpCircuitState *self, guint64 rank);
guint32 lp_circuit_state_pattern_ahead(const LpCircuitState *self, guint64 rank, guint ahead);
/** Whether the next phase of all ranks of @pattern is of it. */
gboolean lp_circuit_state_all_come_to(const LpCircuitState *self, guint32 pattern);
/** Phases before the nearest one that uses @circuit; G_MAXUINT: none. */
guint lp_circuit_state_distance(const LpCircuitState *self, guint32 circuit);
/** When @circuit was last used, s. */
double lp_circuit_state_last_use_s(const LpCircuitState *self, guint32 circuit);
/** Sets @pattern up, if lanes are free or can be taken from circuits that nobody uses; else nothing
 * happens. */
void lp_circuit_state_prepare(LpCircuitState *self, guint32 pattern, double now_s);
/** Sets @pattern up like lp_circuit_state_prepare(), but only on free lanes and on those of
 * circuits that no phase in sight wants. */
void lp_circuit_state_prepare_on_idle(LpCircuitState *self, guint32 pattern, double now_s);

/* --- results --- */

/** Circuits set up since the beginning, and lane-seconds of patterns in use. */
guint64 lp_circuit_state_n_set_up(const LpCircuitState *self);
double lp_circuit_state_busy_lane_s(const LpCircuitState *self);
/** The class of traffic that @circuit was planned for, or the first of them. Static. */
const char *lp_circuit_state_circuit_name(const LpCircuitState *self, guint32 circuit);
/** LpCircuitLife in the order in which circuits were asked for. Borrowed; empty unless kept. */
const GArray *lp_circuit_state_lives(const LpCircuitState *self);

G_END_DECLS
