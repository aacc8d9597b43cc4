/* SPDX-License-Identifier: Apache-2.0 */
/* lightpath workload program: the program of a workload as a file. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** The subcommand, as lp_run_command() takes it. */
gboolean lp_cmd_workload_program(int argc, char **argv, GError **error);

G_END_DECLS
