/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a collective's schedule on buffers in memory, members going on independently of each other.
 */
#pragma once

#include "sim/collectives/step_schedule.h"

G_BEGIN_DECLS

/** Which of the members that can go on does so next. */
typedef enum {
    LP_HASTE_LAST,  /**< the last that became able to: some run far ahead */
    LP_HASTE_FIRST, /**< the first */
    LP_HASTE_ANY,   /**< by a generator of fixed seed */
    LP_N_HASTES
} LpHaste;

/** The buffers of all participants: a number for each byte of the logical buffer. */
typedef struct {
    const LpStepSchedule *schedule; /* borrowed from the caller */
    guint64 n_participants, bytes;
    guint32 *values; /* owned: participants x bytes */
    guint64 *blocks; /* owned: by byte of what a member holds */
    guint64 *known;  /* owned: by participant, bits of the members (up to 64) it has word from */
} LpBuffers;

/** Buffers as the collective wants them: what a member does not have is noise. */
LpBuffers *lp_buffers_new(const LpStepSchedule *schedule);
void lp_buffers_free(LpBuffers *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpBuffers, lp_buffers_free)

/** Runs it. Returns NULL if all went to its end and everyone received what it was told to expect,
 * else what went wrong: static text. */
const char *lp_buffers_run(LpBuffers *self, LpHaste haste);
/** Whether each member holds what it must. */
gboolean lp_buffers_right(const LpBuffers *self);

/** What the shape is, for a test's message. Returns: (transfer full). */
char *lp_buffers_label(const LpCollectiveShape *shape);

G_END_DECLS
