/* SPDX-License-Identifier: Apache-2.0 */
/* lightpath workload kernels. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Prints the kernels of a workload's layers on a machine: sizes, FLOP, bytes, time, and where each
 * stands. Errors: as other commands. */
gboolean lp_cmd_workload_kernels(int argc, char **argv, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
