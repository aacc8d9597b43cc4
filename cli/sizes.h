/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of buffers as options give them. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** The sizes, guint64, of @text, the value of --bytes: "1MiB", "1MB,64MB", or "1MiB-1GiB": each
 * twice the one before. Error: LP_INPUT_ERROR_USAGE. Returns: (transfer full). */
GArray *lp_sizes_parse(const char *text, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
