/* SPDX-License-Identifier: Apache-2.0 */
/* What a row of measured contention ran, in one line, and how long it takes.
 *
 *   OPERATION BYTES [algorithm=NAME] [library=NAME] [accelerators=LIST]   a collective
 *   plan WORKLOAD [NAME=VALUE...]                                         an iteration
 *   job NAME of SCENARIO                                                  a job beside the others
 *   alone NAME of SCENARIO                                                and without them
 *
 * Workloads and scenarios are shipped ones. */
#pragma once

#include "platforms/machine/machine.h"

G_BEGIN_DECLS

/** The seconds that @line takes on @machine, in a process of its own. Errors: LP_INPUT_ERROR,
 * "got, wanted"; LP_SIMULATION_ERROR; LP_CHILD_PROCESS_ERROR. */
gboolean lp_contention_run_s(const char *line, const LpMachine *machine, double *out_time_s,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
