/* SPDX-License-Identifier: Apache-2.0 */
/* The systems that can be generated (platforms/systems.xml): parameters, defaults, sources. */
#pragma once

#include "platforms/generation/specification.h"

G_BEGIN_DECLS

/** The values of the system called @name, with n_accelerators 0, and neutral ones where the system
 * says nothing. Errors: LP_INPUT_ERROR_NAME with the known names; "FILE:LINE: ..." where the file
 * is at fault. Returns: (transfer full). */
LpMachineSpecification *lp_system_load(const char *name, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** The names of the systems, NULL-ended, sorted. Errors: LP_INPUT_ERROR, "FILE:LINE: ...".
 * Returns: (transfer full). */
char **lp_system_names(GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** The system that is meant where @accelerator is named and nothing of its network (attribute
 * default). Returns: (transfer full), or NULL if there is none; errors, which only a broken file
 * has, count as none. */
LpMachineSpecification *lp_system_default(const char *accelerator) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
