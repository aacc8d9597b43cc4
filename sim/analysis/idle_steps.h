/* SPDX-License-Identifier: Apache-2.0 */
/* When a rank's stream of gradients and parameters is idle: found from its program, before the run.
 *
 * Most micro-batches are through before the first gradients are on their way. Until then these slow
 * no computing, and meet nothing of the ranks that wait to send them. */
#pragma once

#include "workloads/program/program.h"

G_BEGIN_DECLS

/** By step of @program (LpProgram.steps): whether it runs a segment during all of which nothing of
 * LP_STREAM_DP is under way on its rank, neither launched in it nor left from before. FALSE for all
 * if a segment leaves a collective inside its layers to the next one. Returns: (transfer full). */
gboolean *lp_idle_steps_find(const LpProgram *program);

G_END_DECLS
