/* SPDX-License-Identifier: Apache-2.0 */
/* The pieces of a merged delay, followed on a rank's clock without the engine. */
#pragma once

#include "sim/actors/clock.h"
#include "sim/actors/overlap_meter.h"
#include "sim/analysis/task.h"

G_BEGIN_DECLS

/** Where a rank stands between two pieces. */
typedef struct {
    LpClock *clock;           /* borrowed */
    LpOverlapMeter *meter;    /* borrowed */
    GArray *const *under_way; /* borrowed: by stream, when launched collectives end, s, in order */
    double host_s;            /**< until when the host issues what was given to it */
    gboolean is_host_synchronous; /**< the host issues nothing before the device is done */
    double slowdown; /**< factor on computing while communication is under way, at least 1 */
} LpPieceRun;

/** Goes through @piece; the clock then stands at its end. */
void lp_piece_run(LpPieceRun *self, const LpPiece *piece);

G_END_DECLS
