/* SPDX-License-Identifier: Apache-2.0 */
/* Machines as "platform generate" makes them, without a file in between. */
#pragma once

#include "platforms/generation/generate.h"

G_BEGIN_DECLS

/** The machine of these options; asserts that there is no error. Returns: (transfer full), NULL
 * after a failure. */
LpMachine *lp_generated_machine(const LpGenerateOptions *options);

G_END_DECLS
