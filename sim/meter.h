/* SPDX-License-Identifier: Apache-2.0 */
/* Measures on a rank's timeline how much of its communication is hidden behind other work. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** A rank is idle while its compute stream waits for a message or for the gradient stream. */
typedef struct {
    double idle_s;       /**< finished waits */
    double idle_since_s; /**< start of the wait in progress */
    gboolean is_idle;
    double overlap_s; /**< seconds in which own communication was in flight and the rank not idle */
} LpMeter;

/** An instant on a meter, taken when a communication starts. */
typedef struct {
    double at_s;
    double idle_s;
} LpMeterMark;

static inline LpMeterMark
lp_meter_mark(const LpMeter *self, double now_s)
{
    double waiting_s = self->is_idle ? now_s - self->idle_since_s : 0.0;
    return (LpMeterMark){now_s, self->idle_s + waiting_s};
}

static inline void
lp_meter_begin_idle(LpMeter *self, double now_s)
{
    self->is_idle = TRUE;
    self->idle_since_s = now_s;
}

static inline void
lp_meter_end_idle(LpMeter *self, double now_s)
{
    self->is_idle = FALSE;
    self->idle_s += now_s - self->idle_since_s;
}

/** Counts a communication in flight since @start as hidden where the rank was not idle. */
static inline void
lp_meter_add_overlap(LpMeter *self, LpMeterMark start, double now_s)
{
    LpMeterMark end = lp_meter_mark(self, now_s);
    self->overlap_s += (end.at_s - start.at_s) - (end.idle_s - start.idle_s);
}

G_END_DECLS
