/* SPDX-License-Identifier: Apache-2.0 */
/* The plotting library that a page takes with it. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** The folder of Debian's libjs-vega, as CMake found it. */
const char *lp_vega_folder(void) G_GNUC_CONST;

/**
 * One script that defines "vega" with View and parse, of the modules in @folder.
 * Errors: LP_INPUT_ERROR_FILE, which names the package. Returns: (transfer full).
 */
char *lp_vega_load(const char *folder, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
