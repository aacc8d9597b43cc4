/* SPDX-License-Identifier: Apache-2.0 */
/* Machines that a command line makes by the options of "platform generate", in place of naming
 * them. What stands for one among a command's arguments is its options: "--system=dgx-h100
 * --accelerators=64". */
#pragma once

#include "platforms/generation/specification.h"
#include "platforms/machine/machine.h"

G_BEGIN_DECLS

/** Entries of the options of "platform generate", which come behind the first @n of @io_entries,
 * less those that they have by the same name. @texts: gets values, by LpMachineOptionId; NULL: for
 * help alone. @all: with all of them, else only those that every such machine needs. @io_entries
 * has room for LP_N_MACHINE_OPTIONS more; ends with a NULL name. */
void lp_made_machine_add_entries(GOptionEntry *io_entries, gsize n, char **texts, gboolean all);

/** Takes the options of machines out of the words of a command line: each --system begins one.
 * @entries: the command's own, whose names are not looked for. @words: behind the command's name,
 * NULL-ended; what is taken leaves no gap. Says on standard error which options change nothing.
 * Errors: LP_INPUT_ERROR_USAGE, as "platform generate" has them. Returns: (transfer full), the
 * machines, NULL-ended. */
char **lp_made_machine_take(const GOptionEntry *entries, char **words, GError **error);

/** Says on standard error which options of @specification change nothing. Errors: as
 * lp_generate(). */
gboolean lp_made_machine_report_idle(const LpMachineSpecification *specification,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Whether @name stands for such a machine. */
gboolean lp_made_machine_is(const char *name);
/** The machine of the platform file @path, or that @path stands for. Errors: as
 * lp_machine_load(); LP_INPUT_ERROR_USAGE. Returns: (transfer full). */
LpMachine *lp_made_machine_load(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Whether @name is a system, of which machines are made. */
gboolean lp_made_machine_is_system(const char *name);
/** The options of a machine of the system called @system that has at least @n_ranks accelerators.
 * Returns: (transfer full). */
char *lp_made_machine_suggest(const char *system, guint64 n_ranks);

G_END_DECLS
