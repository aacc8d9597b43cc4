/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the platform file of a machine that is specified by its system and by options. */
#pragma once

#include "platforms/generation/machine_settings.h"
#include "platforms/machine/machine.h"

G_BEGIN_DECLS

/** The platform file of @specification. What must fit together is checked by reading it as any
 * platform file is read. Errors: LP_INPUT_ERROR, LP_MACHINE_ERROR; "--option: got, wanted" or
 * "the machine asked for: got, wanted". Returns: (transfer full) its XML text. */
char *lp_generate(const LpMachineSpecification *specification,
                  GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** The machine as lp_generate() makes it, unchecked and without the texts that say who stated what:
 * equal machines have equal text. Errors: "--option: got, wanted". Returns: (transfer full). */
char *lp_generate_shape(const LpMachineSpecification *specification,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** The machine that this file describes. @path: what messages and reports call it. Errors: as
 * lp_generate(), with @path. Returns: (transfer full). */
LpMachine *lp_generate_machine(const LpMachineSpecification *specification, const char *path,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
