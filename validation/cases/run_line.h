/* SPDX-License-Identifier: Apache-2.0 */
/* What a measured row ran, in one line, and how long it takes.
 *
 *   OPERATION BYTES [algorithm=NAME] [protocol=NAME] [library=NAME] [ranks=N] [accelerators=LIST]
 *       [lists=yes]                                                       a collective
 *   exchange inside=BYTES across=BYTES | each=BYTES [library=NAME]        tokens to their experts
 *   product m=N k=N n=N [batch=N] precision=NAME [kernel=NAME] [queued=yes]   a matrix product
 *   softmax | elementwise elements=N precision=NAME [queued=yes]          another kernel
 *   plan WORKLOAD [NAME=VALUE...]                                         an iteration
 *   job NAME of SCENARIO                                                  a job beside the others
 *   alone NAME of SCENARIO                                                and without them
 *
 * Workloads and scenarios are shipped ones. */
#pragma once

#include "platforms/machine/machine.h"
#include "validation/cases/run_figures.h"
#include "validation/prediction/constant.h"

G_BEGIN_DECLS

/** Runs @line on @machine, in a process of its own. @constants: in place of the shipped ones; NULL:
 * none. Errors: LP_INPUT_ERROR, "got, wanted"; LP_SIMULATION_ERROR; LP_CHILD_PROCESS_ERROR. */
gboolean lp_run_line(const char *line, const LpMachine *machine, const LpConstants *constants,
                     LpRunFigures *out, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
