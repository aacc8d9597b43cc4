/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of address space (ulimit -v) and of data in it (ulimit -d). */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** The bytes that the narrower of the limits leaves to the process; INFINITY: there are none. */
double lp_address_space_left_bytes(void);

/** Checks that at least @wanted_bytes are left, for libraries that end the process where they find
 * less. @purpose: "the engine". Errors: LP_INPUT_ERROR_SHORT. */
gboolean lp_address_space_check(double wanted_bytes, const char *purpose,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
