/* SPDX-License-Identifier: Apache-2.0 */
/* For how long something was in use, by flows that overlap and end in any order. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Spans of time. */
typedef struct {
    GArray *spans;    /* owned, or NULL: none */
    gboolean is_full; /* there were too many apart from each other: some are lost */
} LpBusyTime;

/** Apart from each other, at most: 256 kB. */
#define LP_BUSY_TIME_SPANS_MAX 16384u

void lp_busy_time_clear(LpBusyTime *self);
/** Adds the time from @start_s to @end_s. */
void lp_busy_time_add(LpBusyTime *self, double start_s, double end_s);
/** Adds all that @other has. */
void lp_busy_time_merge(LpBusyTime *self, const LpBusyTime *other);
/** Seconds that at least one span covers; negative: there were too many to say. */
double lp_busy_time_s(LpBusyTime *self);

G_END_DECLS
