/* SPDX-License-Identifier: Apache-2.0 */
/* Sends of a pipeline, looked up in place of worked out: who sends what to whom is the same in all
 * steps, from the one on at which the first chunk comes. Asked for each step of each member,
 * algorithms of many channels take most of the time that a pipeline is followed in. */
#pragma once

#include "sim/collectives/step_schedule.h"

G_BEGIN_DECLS

/** Chunks on one way, one in each step. */
typedef struct {
    guint64 to;
    guint lane;
    guint64 first_step;
    LpBlocks chunks;
} LpStepPipe;

typedef struct LpStepPipes LpStepPipes;

/** Returns: (transfer full), NULL where the algorithm of @schedule has none. */
LpStepPipes *lp_step_pipes_new(const LpStepSchedule *schedule);
/** @self may be NULL. */
void lp_step_pipes_free(LpStepPipes *self);
/** The sends of lp_step_schedule_sends(), in any order. */
guint64 lp_step_pipes_sends(LpStepPipes *self, guint64 member, guint64 step, LpSend *out_sends);
/** The same as lp_step_schedule_opens(). */
gboolean lp_step_pipes_opens(LpStepPipes *self, guint64 member, guint64 step, const LpSend *send);

G_END_DECLS
