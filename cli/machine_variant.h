/* SPDX-License-Identifier: Apache-2.0 */
/* A generated machine with another option. */
#pragma once

#include "platforms/machine/machine.h"

G_BEGIN_DECLS

/** Whether "platform generate" has an option called @name that a machine may be varied by. */
gboolean lp_machine_variant_knows(const char *name);
/** What the command that generated @machine says of the option @name. Returns: (transfer full), or
 * NULL. */
char *lp_machine_variant_value(const LpMachine *machine, const char *name);
/** @machine, which was read from a generated platform file, as it would be with @options:
 * "name=value", NULL-ended, all known. Errors: LP_INPUT_ERROR_VALUE if the file was not generated,
 * or changed since; as lp_specification_parse() and lp_generate_machine(). Returns: (transfer
 * full). */
LpMachine *lp_machine_variant_new(const LpMachine *machine, const char *const *options,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
