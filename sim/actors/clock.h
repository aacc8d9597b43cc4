/* SPDX-License-Identifier: Apache-2.0 */
/* Splits the time of a stream into terms, along the critical path.
 *
 * A clock stands at an instant and says how the time up to it divides. Whoever waits for the last
 * member of a group takes over that member's clock, since the path to this instant led through it.
 * Waiting for a message from another stage stays on the waiting rank, as bubble; so does waiting
 * for the rank's own gradient stream, as exposed gradient reduction. */
#pragma once

#include "model/plan/terms.h"
#include "sim/actors/wait_record.h"

G_BEGIN_DECLS

/** Circuits on the way to an instant. */
typedef struct {
    guint64 n_waits; /**< times that the path waited for circuits */
    double wait_s;   /**< those waits */
    double hidden_s; /**< dead time of circuits that it used and did not wait for */
} LpCircuitPath;

/** Communication beside what a path waited for: messages to its rank and collectives of its
 * communication streams. What its compute stream sends or reduces itself is never hidden. */
typedef struct {
    double in_flight_s;
    double exposed_s; /**< of these, seconds in which the path waited for them */
    double inner_s;   /**< collectives inside layers that were launched, hidden or not */
    double slowed_s;  /**< what communication beside it added to computing */
} LpOverlapPath;

static inline double
lp_overlap_path_hidden_s(const LpOverlapPath *self)
{
    return self->in_flight_s - self->exposed_s;
}

typedef struct {
    LpTerms terms; /**< they sum to at_s */
    double at_s;
    LpOverlapPath overlap;
    LpCircuitPath circuits;
    LpWaitRecord *waits;    /* borrowed: keeps the path; NULL: nobody asks for it */
    const LpPathNode *path; /* borrowed from there: its last stretch */
    gboolean path_is_shared;
    guint32 stage; /**< of the rank whose clock it is */
} LpClock;

/** Counts @seconds as @term, of which @partner is the stage that is waited for, or LP_WAIT_NONE. */
static inline void
lp_clock_spend_on(LpClock *self, LpTerm term, guint32 partner, double seconds)
{
    self->terms.s[term] += seconds;
    if (self->waits == NULL || seconds == 0.0)
        return;
    LpPathNode next = {.term = term, .stage = self->stage, .partner = partner, .seconds = seconds};
    self->path = lp_wait_record_extend(self->waits, self->path, self->path_is_shared, next);
    self->path_is_shared = FALSE;
}

/** Counts @seconds as @term. */
static inline void
lp_clock_spend(LpClock *self, LpTerm term, double seconds)
{
    lp_clock_spend_on(self, term, LP_WAIT_NONE, seconds);
}

/** Counts work: @terms times @factor, @waited_s for the host, and @slowed_s of computing slowed by
 * what runs beside it. */
static inline void
lp_clock_spend_work(LpClock *self, const LpTerms *terms, double factor, double waited_s,
                    double slowed_s)
{
    for (LpTerm term = 0; term < LP_N_TERMS; term++)
        lp_clock_spend(self, term, factor * terms->s[term]);
    lp_clock_spend(self, LP_TERM_HOST, waited_s);
    lp_clock_spend(self, LP_TERM_COMPUTE, slowed_s);
}

/** Counts the time from where the clock stands to @until_s as @term. */
static inline void
lp_clock_charge(LpClock *self, LpTerm term, double until_s)
{
    lp_clock_spend(self, term, until_s - self->at_s);
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
    lp_clock_spend(self, term, -more_s);
    lp_clock_spend(self, LP_TERM_RECONFIGURATION, more_s);
    self->circuits = *other;
}

/** As lp_clock_charge(), waiting for @partner. */
static inline void
lp_clock_charge_to(LpClock *self, LpTerm term, guint32 partner, double until_s)
{
    lp_clock_spend_on(self, term, partner, until_s - self->at_s);
    self->at_s = until_s;
}

/** What rounding may put between two ways to one instant, over the time that has passed: the engine
 * takes events within 1e-12 s for one, at each of thousands of events on the way. What is farther
 * apart in a run of classes than in one of all ranks would be another run (1e-9, as elsewhere). */
#define LP_CLOCK_TIE 1e-9

/** Whether the path to an instant leads through @self rather than through @other: @self is later,
 * or, where both arrive at the same instant, has more of the first term in which they differ, or of
 * what is beside it. So it does not matter in which order they come, which rounding may decide. */
static inline gboolean
lp_clock_is_after(const LpClock *self, const LpClock *other)
{
    double tie_s = LP_CLOCK_TIE * MAX(self->at_s, other->at_s);
    double later_s = self->at_s - other->at_s;
    for (LpTerm term = 0; term < LP_N_TERMS && later_s <= tie_s && later_s >= -tie_s; term++)
        later_s = self->terms.s[term] - other->terms.s[term];
    const LpOverlapPath *one = &self->overlap, *two = &other->overlap;
    const double beside_s[] = {lp_overlap_path_hidden_s(one) - lp_overlap_path_hidden_s(two),
                               one->inner_s - two->inner_s, one->slowed_s - two->slowed_s};
    for (guint i = 0; i < G_N_ELEMENTS(beside_s) && later_s <= tie_s && later_s >= -tie_s; i++)
        later_s = beside_s[i];
    return later_s > tie_s;
}

/** Brings the clock to @now_s, which only rounding keeps it from. */
static inline void
lp_clock_round(LpClock *self, double now_s)
{
    self->terms.s[LP_TERM_COMPUTE] += now_s - self->at_s;
    self->at_s = now_s;
}

/** Goes on, at @now_s, along the path of @last, the clock of the last to arrive; whose clock it is
 * stays. */
static inline void
lp_clock_take_over(LpClock *self, const LpClock *last, double now_s)
{
    guint32 stage = self->stage;
    *self = *last;
    self->stage = stage;
    self->path_is_shared = TRUE;
    lp_clock_round(self, now_s);
}

G_END_DECLS
