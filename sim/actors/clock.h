/* SPDX-License-Identifier: Apache-2.0 */
/* Splits the time of a stream into terms, along the critical path.
 *
 * A clock stands at an instant and says how the time up to it divides. Whoever waits for the last
 * member of a group takes over that member's clock, since the path to this instant led through it.
 * Waiting for a message from another stage stays on the waiting rank, as bubble; so does waiting
 * for the rank's own gradient stream, as exposed gradient reduction. */
#pragma once

#include "model/terms.h"

G_BEGIN_DECLS

/** Circuits on the way to an instant. */
typedef struct {
    guint64 n_waits; /**< times that the path waited for circuits */
    double wait_s;   /**< those waits */
    double hidden_s; /**< dead time of circuits that it used and did not wait for */
} LpCircuitPath;

typedef struct {
    LpTerms terms; /**< they sum to at_s */
    double at_s;
    LpCircuitPath circuits;
} LpClock;

/** Counts the time from where the clock stands to @until_s as @term. */
static inline void
lp_clock_charge(LpClock *self, LpTerm term, double until_s)
{
    self->terms.s[term] += until_s - self->at_s;
    self->at_s = until_s;
}

/** Counts the time from @from_s to @ready_s as waiting for circuits, and what the clock had to wait
 * before as waiting for a stage; @hidden_s of the circuits' dead time had passed before. */
static inline void
lp_clock_wait_for_circuits(LpClock *self, double from_s, double hidden_s, double ready_s)
{
    double waited_s = ready_s - from_s;
    lp_clock_charge(self, LP_TERM_BUBBLE, from_s);
    lp_clock_charge(self, LP_TERM_RECONFIGURATION, ready_s);
    self->circuits.n_waits += waited_s > 0.0 ? 1 : 0;
    self->circuits.wait_s += waited_s;
    self->circuits.hidden_s += hidden_s;
}

/** Counts what was spent from @start_s to where the clock stands as waiting for circuits, as far as
 * the path of @other, which was waited for, holds more of that than the clock's own; then the
 * clock's path is that one. @term: what it was counted as. */
static inline void
lp_clock_follow(LpClock *self, const LpCircuitPath *other, LpTerm term, double start_s)
{
    double more_s = CLAMP(other->wait_s - self->circuits.wait_s, 0.0, self->at_s - start_s);
    self->terms.s[term] -= more_s;
    self->terms.s[LP_TERM_RECONFIGURATION] += more_s;
    self->circuits = *other;
}

G_END_DECLS
