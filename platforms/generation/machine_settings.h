/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the specification of a machine of its system and of options in the place of its values. */
#pragma once

#include "platforms/generation/specification.h"

G_BEGIN_DECLS

/** A machine of @n_accelerators, at least 1, of the system called @system. A divisor of the
 * system's domain is a part of one domain. Errors: LP_INPUT_ERROR, "--option: got, wanted".
 * Returns: (transfer full). */
LpMachineSpecification *lp_specification_new(const char *system, guint32 n_accelerators,
                                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** A machine of the texts of options, by LpMachineOptionId: NULL where the system's value holds.
 * The system and the number of accelerators must be there. Errors: LP_INPUT_ERROR,
 * LP_MACHINE_ERROR, "--option: got, wanted". Returns: (transfer full). */
LpMachineSpecification *lp_specification_from_texts(const char *const *texts,
                                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Reads a line such as "--system=generic --accelerators=64 --rails=4", which the property
 * generated-by repeats. Errors: as lp_specification_from_texts(). Returns: (transfer full). */
LpMachineSpecification *lp_specification_parse(const char *line,
                                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Sets what is neither the system nor the number of accelerators, as the command line does.
 * @text: with its unit, "25GBps". What an option implies gives way to what is set itself, in
 * whatever order: rails imply rail order, ports per accelerator imply planes, and the bandwidth of
 * an accelerator replaces the system's bandwidth of a port. Errors: LP_INPUT_ERROR,
 * LP_MACHINE_ERROR, "--option: got, wanted"; @self then stays as it is. */
gboolean lp_specification_set(LpMachineSpecification *self, LpMachineOptionId option,
                              const char *text, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** The command that asks for this machine. Returns: (transfer full). */
char *lp_specification_command(const LpMachineSpecification *self) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
