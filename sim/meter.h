/* SPDX-License-Identifier: Apache-2.0 */
/* Measures on a rank's timeline how much of its communication is hidden: in flight while the rank
 * does not wait for it. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Messages to a rank and collectives of its gradient stream; what its compute stream sends or
 * reduces itself is never hidden. */
typedef struct {
    double in_flight_s;
    double exposed_s;    /**< of these, seconds in which the rank waited for them */
    gboolean is_joining; /**< the compute stream waits for the gradient stream */
    double joining_since_s;
} LpMeter;

/** Counts a communication that was in flight from @start_s to @end_s. */
static inline void
lp_meter_add_flight(LpMeter *self, double start_s, double end_s)
{
    self->in_flight_s += end_s - start_s;
}

/** Counts seconds in which the rank waited for a communication in flight. */
static inline void
lp_meter_add_exposed(LpMeter *self, double duration_s)
{
    self->exposed_s += duration_s;
}

/** The same for a collective of the gradient stream: exposed as far as the rank is joining. */
static inline void
lp_meter_add_launched(LpMeter *self, double start_s, double end_s)
{
    lp_meter_add_flight(self, start_s, end_s);
    if (self->is_joining)
        lp_meter_add_exposed(self, end_s - MAX(start_s, self->joining_since_s));
}

static inline double
lp_meter_overlap_s(const LpMeter *self)
{
    return self->in_flight_s - self->exposed_s;
}

G_END_DECLS
