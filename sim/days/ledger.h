/* SPDX-License-Identifier: Apache-2.0 */
/* The running time of a job by what it was spent on: work that a checkpoint keeps, checkpoints, and
 * lost time. */
#pragma once

#include "model/reliability/goodput.h"

G_BEGIN_DECLS

/** Seconds of a job that runs. Zeroed: nothing yet. */
typedef struct {
    double work_s, degraded_s; /**< kept: as work, and what it took longer than it should */
    double writing_s, lost_s;
    double pending_work_s, pending_degraded_s; /**< since the last checkpoint */
    double position_s; /**< since the last checkpoint: work, then writing of the next one */
} LpLedger;

/** The job runs for @seconds at @speed, work over that of an undisturbed machine. */
void lp_ledger_run(LpLedger *self, const LpGoodputInput *input, double seconds, double speed);
/** A failure undoes what the last checkpoint does not hold. */
void lp_ledger_interrupt(LpLedger *self);
/** The period ends while the job goes on: what it has done counts. */
void lp_ledger_close(LpLedger *self, const LpGoodputInput *input);

G_END_DECLS
