/* SPDX-License-Identifier: Apache-2.0 */
/* Options that were given and have no say in the machine. */
#pragma once

#include "platforms/generation/specification.h"

G_BEGIN_DECLS

/**
 * What is to be said of options that were given and change nothing: the machine is the same without
 * them, and with other values in their place. Nothing is said of what the machine has anyway: the
 * system's value, a ratio of 1, the levels or sizes that it has, ports that its switches may have,
 * rates and latencies of links that it has none of. Errors: as lp_generate(). Returns: (transfer
 * full), lines "--option: value changes nothing: why"; NULL-ended.
 */
char **lp_specification_find_idle(const LpMachineSpecification *self,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
