/* SPDX-License-Identifier: Apache-2.0 */
/* What "platform describe" prints of a machine. */
#pragma once

#include "platforms/machine/machine.h"

G_BEGIN_DECLS

/** Prints @machine to standard output. Errors: LP_INPUT_ERROR_FILE. */
gboolean lp_platform_print_text(const LpMachine *machine, GError **error);
gboolean lp_platform_print_json(const LpMachine *machine, GError **error);

G_END_DECLS
