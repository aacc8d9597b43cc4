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

typedef struct {
    LpTerms terms; /**< they sum to at_s */
    double at_s;
} LpClock;

/** Counts the time from where the clock stands to @until_s as @term. */
static inline void
lp_clock_charge(LpClock *self, LpTerm term, double until_s)
{
    self->terms.s[term] += until_s - self->at_s;
    self->at_s = until_s;
}

G_END_DECLS
