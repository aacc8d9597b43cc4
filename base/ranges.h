/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of whole numbers as people write them: "0-63,128,130-131". */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Parses numbers and rising ranges, both ends included, joined by commas; none above @maximum,
 * none twice, in the order in which they stand. Errors: LP_INPUT_ERROR_SYNTAX or _VALUE, "got,
 * wanted" without "where". Returns: (transfer full) array of guint32. */
GArray *lp_ranges_parse(const char *text, guint32 maximum,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Writes a list that lp_ranges_parse() reads, shorter where numbers follow each other. Returns:
 * (transfer full). */
char *lp_ranges_format(const guint32 *numbers, guint n);

G_END_DECLS
