/* SPDX-License-Identifier: Apache-2.0 */
/* What "platform list --technologies" prints: the technologies of links and switches. */
#pragma once

#include "cli/options.h"

G_BEGIN_DECLS

/** Prints all numbers of all technologies with scope and source to standard output; JSON has them
 * in SI units. Errors: LP_INPUT_ERROR. */
gboolean lp_technologies_print(LpFormat format, GError **error);

G_END_DECLS
