/* SPDX-License-Identifier: Apache-2.0 */
/* Ctrl-C and the end that a batch system asks for (SIGINT, SIGTERM), kept waiting until a command
 * has said what it knows. Nothing is handled: the signals are blocked, here and in child processes
 * that start meanwhile, and take effect when they are released. A command that has part of an
 * answer before all of it holds them; main() releases them when the command has ended. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Keeps them waiting, but for those that the process ignores. */
void lp_interruption_hold(void);
/** Whether one has come since. */
gboolean lp_interruption_has_come(void);
/** Lets them through: if one has come, the process ends by it. Nothing where they were not held. */
void lp_interruption_release(void);

G_END_DECLS
