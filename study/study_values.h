/* SPDX-License-Identifier: Apache-2.0 */
/* The values of an axis, as people write them. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Values that an axis may have. */
#define LP_STUDY_VALUES_MAX 1000000

/**
 * Reads values with "|" between them. "A..B" stands for the whole numbers from A to B, "A..B+S" for
 * A, A + S and so on up to B, "A..B*F" for A, A F, A F F and so on. All numbers of a range have the
 * same unit or none: "100GBps..800GBps*2".
 * @once: each value must be there once. Errors: LP_INPUT_ERROR_VALUE, "got, wanted". Returns:
 * (transfer full), NULL-ended.
 */
char **lp_study_values_parse(const char *text, gboolean once,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
