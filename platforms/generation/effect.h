/* SPDX-License-Identifier: Apache-2.0 */
/* Whether every option that was given has a say in the machine. */
#pragma once

#include "platforms/generation/specification.h"

G_BEGIN_DECLS

/**
 * Refuses an option that was given and changes nothing: the machine is the same without it, and
 * with other values in its place. What only repeats the system's value, or a ratio of 1, is no
 * fault. Errors: as lp_generate(), and LP_MACHINE_ERROR_STRUCTURE, "--option: got, wanted none:
 * why".
 */
gboolean lp_specification_check_effect(const LpMachineSpecification *self,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
