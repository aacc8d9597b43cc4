/* SPDX-License-Identifier: Apache-2.0 */
/* lightpath bench accuracy: what fidelity flow makes of collectives, against every step of theirs
 * as a message. */
#pragma once

#include "cli/options.h"
#include "platforms/machine/machine.h"

G_BEGIN_DECLS

/** A machine as "platform generate" would write it. @options: "--system=NAME --accelerators=N ...".
 * Errors: LP_INPUT_ERROR, LP_MACHINE_ERROR. Returns: (transfer full). */
LpMachine *lp_bench_machine(const char *options, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Runs all cases and prints a line an algorithm, or with JSON a row a case. Error:
 * LP_SIMULATION_ERROR. */
gboolean lp_bench_accuracy(LpFormat format, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
