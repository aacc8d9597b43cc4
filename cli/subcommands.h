/* SPDX-License-Identifier: Apache-2.0 */
/* Commands by name: the program's own, and those below "platform" and "workload". */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** A row of a table of commands. */
typedef struct {
    const char *name;
    /** Gets its own name as argv[0]; a wrong command line is LP_INPUT_ERROR_USAGE. */
    gboolean (*function)(int argc, char **argv, GError **error);
    const char *summary;
} LpCommand;

/**
 * Runs the command that @argv[1] names, prints help, or completes a command's name.
 * @program: "lightpath platform". @commands: ends with a NULL name. @before, @after: stand before
 * and behind the list of commands in help; either may be NULL.
 * Errors: LP_INPUT_ERROR_USAGE, and the command's own.
 */
gboolean lp_run_command(const char *program, const LpCommand *commands, const char *before,
                        const char *after, int argc, char **argv,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
