/* SPDX-License-Identifier: Apache-2.0 */
/* Measures how much communication is hidden on the critical path: in flight while its rank does not
 * wait for it. Whoever takes over another's clock takes this over, too. */
#pragma once

#include "sim/actors/call_times.h"
#include "sim/actors/clock.h"

G_BEGIN_DECLS

/** How a rank counts what is beside its path. */
typedef struct {
    LpOverlapPath *path;               /* borrowed: of the rank's clock */
    LpCallTime *messages;              /* borrowed, or NULL: told of messages to the rank */
    guint64 n_ranks;                   /**< that the rank stands for, itself included */
    gboolean is_joining[LP_N_STREAMS]; /**< the compute stream waits for that stream */
    double joining_since_s;
} LpOverlapMeter;

/** Counts a communication that was in flight from @start_s to @end_s. */
static inline void
lp_overlap_meter_add_flight(LpOverlapMeter *self, double start_s, double end_s)
{
    self->path->in_flight_s += end_s - start_s;
}

/** Tells of a message to the rank that was in flight from @start_s to @end_s. */
static inline void
lp_overlap_meter_add_message(LpOverlapMeter *self, double start_s, double end_s)
{
    if (self->messages == NULL)
        return;
    self->messages->sum_s += (double)self->n_ranks * (end_s - start_s);
    self->messages->n += self->n_ranks;
}

/** Counts seconds in which the rank waited for a communication in flight. */
static inline void
lp_overlap_meter_add_exposed(LpOverlapMeter *self, double duration_s)
{
    self->path->exposed_s += duration_s;
}

static inline void
lp_overlap_meter_add_slowed(LpOverlapMeter *self, double duration_s)
{
    self->path->slowed_s += duration_s;
}

/** The compute stream begins, or ceases, to wait for @stream. */
static inline void
lp_overlap_meter_join(LpOverlapMeter *self, LpStream stream, double now_s)
{
    self->is_joining[stream] = TRUE;
    self->joining_since_s = now_s;
}

static inline void
lp_overlap_meter_leave(LpOverlapMeter *self, LpStream stream)
{
    self->is_joining[stream] = FALSE;
}

/** A collective of @stream was in flight: exposed as far as the rank is joining. */
static inline void
lp_overlap_meter_add_launched(LpOverlapMeter *self, LpStream stream, double start_s, double end_s)
{
    lp_overlap_meter_add_flight(self, start_s, end_s);
    self->path->inner_s += lp_stream_is_inner(stream) ? end_s - start_s : 0.0;
    if (self->is_joining[stream])
        lp_overlap_meter_add_exposed(self, end_s - MAX(start_s, self->joining_since_s));
}

G_END_DECLS
