/* SPDX-License-Identifier: Apache-2.0 */
/* Machines as "platform generate" makes them, without a file in between. */
#pragma once

#include "platforms/machine/machine.h"

G_BEGIN_DECLS

/** The machine of @options, as "--system=dgx-a100 --accelerators=64"; asserts that there is no
 * error. Returns: (transfer full), NULL after a failure. */
LpMachine *lp_generated_machine_good(const char *options);

G_END_DECLS
