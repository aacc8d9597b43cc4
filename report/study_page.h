/* SPDX-License-Identifier: Apache-2.0 */
/* The page of a study: one of its columns over another. */
#pragma once

#include "base/json.h"

G_BEGIN_DECLS

/** The columns that a page of a study draws. */
typedef struct {
    const char *x, *y;  /* borrowed: names of columns, axes or records; NULL: the first of each */
    const char *series; /* borrowed: a column, of each value of which a line is drawn; NULL: the
                           first axis that is not x, "" : none */
    gboolean log_x, log_y; /**< logarithmic, where all values are above 0 */
} LpStudyPlot;

/** The page of @document, what "sweep export --format=json" prints. @vega: the script of
 * lp_vega_load(). Errors: LP_INPUT_ERROR_NAME, "--x: got, wanted"; LP_INPUT_ERROR_VALUE where no
 * point has a number for y. Returns: (transfer full). */
char *lp_study_page(const json_t *document, const LpStudyPlot *plot, const char *vega,
                    GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
