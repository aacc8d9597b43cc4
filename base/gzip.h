/* SPDX-License-Identifier: Apache-2.0 */
/* Unpacks what gzip packed. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** The unpacked content of @bytes (transfer full) if they begin as gzip's do, else @bytes. @path:
 * what messages name. Errors: LP_INPUT_ERROR_FILE, "PATH: got, wanted": more than @n_most bytes,
 * damaged ones. Returns: (transfer full). */
GBytes *lp_gzip_unpack(GBytes *bytes, const char *path, gsize n_most,
                       GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
