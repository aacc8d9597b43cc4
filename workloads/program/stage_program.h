/* SPDX-License-Identifier: Apache-2.0 */
/* The program of one stage: the slots of its schedule as segments and messages. */
#pragma once

#include "workloads/program/lowering.h"

G_BEGIN_DECLS

/** Appends the program of @stage to @lowering's program: its segments, its steps, and itself.
 * Stages are appended in order, from 0. @optimizer_s: how long the optimiser takes on a rank,
 * s. @copies: of the parameters that are gathered behind it. */
void lp_stage_program_add(LpLowering *lowering, guint32 stage, double optimizer_s, LpWork copies);

G_END_DECLS
