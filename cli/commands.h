/* SPDX-License-Identifier: Apache-2.0 */
/* The subcommands. Each gets its own name as argv[0]; a wrong command line is
 * LP_INPUT_ERROR_USAGE. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** "lightpath simulate WORKLOAD PLATFORM". */
gboolean lp_cmd_simulate(int argc, char **argv, GError **error);
/** "lightpath estimate WORKLOAD PLATFORM". */
gboolean lp_cmd_estimate(int argc, char **argv, GError **error);
/** "lightpath compare WORKLOAD PLATFORM PLATFORM...". */
gboolean lp_cmd_compare(int argc, char **argv, GError **error);
/** "lightpath contention WORKLOAD|SCENARIO PLATFORM". */
gboolean lp_cmd_contention(int argc, char **argv, GError **error);
/** "lightpath search WORKLOAD PLATFORM...". */
gboolean lp_cmd_search(int argc, char **argv, GError **error);
/** "lightpath sweep STUDY.xml", "sweep merge|export|plot STORE". */
gboolean lp_cmd_sweep(int argc, char **argv, GError **error);
/** "lightpath characterize WORKLOAD [PLATFORM]". */
gboolean lp_cmd_characterize(int argc, char **argv, GError **error);
/** "lightpath goodput WORKLOAD PLATFORM". */
gboolean lp_cmd_goodput(int argc, char **argv, GError **error);
/** "lightpath collective OPERATION PLATFORM". */
gboolean lp_cmd_collective(int argc, char **argv, GError **error);
/** "lightpath tune communication PLATFORM". */
gboolean lp_cmd_tune(int argc, char **argv, GError **error);
/** "lightpath import huggingface FILE.json". */
gboolean lp_cmd_import(int argc, char **argv, GError **error);
/** "lightpath describe FILE...". */
gboolean lp_cmd_describe(int argc, char **argv, GError **error);
/** "lightpath export FORMAT WORKLOAD PLATFORM". */
gboolean lp_cmd_export(int argc, char **argv, GError **error);
/** "lightpath workload list|describe|attributes|check". */
gboolean lp_cmd_workload(int argc, char **argv, GError **error);
/** "lightpath help [COMMAND|TOPIC]". */
gboolean lp_cmd_help(int argc, char **argv, GError **error);
/** "lightpath platform generate|describe|check|list". */
gboolean lp_cmd_platform(int argc, char **argv, GError **error);
/** "lightpath validate". */
gboolean lp_cmd_validate(int argc, char **argv, GError **error);
/** "lightpath calibrate". */
gboolean lp_cmd_calibrate(int argc, char **argv, GError **error);
/** "lightpath bench [NAME...]". */
gboolean lp_cmd_bench(int argc, char **argv, GError **error);
/** "lightpath serve", which the library starts (lightpath.h). */
gboolean lp_cmd_serve(int argc, char **argv, GError **error);

/** Runs the command line @argv, as main() has it, and prints its error. Once in a process. Returns:
 * the exit status. */
int lp_run_program(int argc, char **argv);

G_END_DECLS
