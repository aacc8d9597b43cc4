/* SPDX-License-Identifier: Apache-2.0 */
/* Files of fitted constants (validation/calibration.xsd). */
#pragma once

#include "validation/calibration/fit.h"

G_BEGIN_DECLS

/** Reads the file at @path as constants that are held at its values.
 * Errors: LP_INPUT_ERROR, "FILE:LINE: ...". Returns: (transfer full). */
LpConstants *lp_calibration_file_load(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * The file's text: constants that were held first, as they were given, then the fitted ones, each
 * with the sources, rows and errors that determine it. @cases: the name of the table of rows.
 * Returns: (transfer full).
 */
char *lp_calibration_file_text(const LpFit *fit, const char *cases);

G_END_DECLS
