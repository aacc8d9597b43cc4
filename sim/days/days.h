/* SPDX-License-Identifier: Apache-2.0 */
/* Days of a machine that fails and is repaired, event by event: a run of the Monte Carlo method
 * beside lp_goodput(). */
#pragma once

#include "model/reliability/goodput.h"

G_BEGIN_DECLS

/**
 * One run. Time goes from one failure, repair or end of a restart to the next. An interrupted job
 * starts again on its blocks if they are up; else it takes blocks that make a slice, if there are
 * any, or waits until there are; then it starts again. It keeps its blocks until it is interrupted:
 * jobs are never moved for others. The machine begins in the long run's state, with jobs at a
 * checkpoint. What is drawn follows from @seed and @run alone.
 */
LpGoodput lp_days_run(const LpGoodputInput *input, guint32 seed, guint32 run);

G_END_DECLS
