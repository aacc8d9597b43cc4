/* SPDX-License-Identifier: Apache-2.0 */
/* Runs commands that are forked from a program which is linked already (fork_server.c). */
#pragma once

#include <glib.h>

/** Runs @words, the first of which is the program, the same each time; the environment variable
 * FORK_SERVER names what is loaded before it. @status: how it exited, untouched where a signal
 * ended it. @output, @complaint: (transfer full) what it printed. Returns: whether it ran. */
gboolean lp_fork_client_run(char **words, int *status, char **output, char **complaint);
