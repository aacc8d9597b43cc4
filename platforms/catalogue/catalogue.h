/* SPDX-License-Identifier: Apache-2.0 */
/* The catalogue of accelerators (platforms/accelerators.xml): every number has a source there. */
#pragma once

#include "model/times/accelerator.h"

G_BEGIN_DECLS

/** Looks @name up in the catalogue, and applies tables of measured kernels
 * (lp_kernel_tables_apply()). Errors: LP_INPUT_ERROR_NAME with the known names. */
gboolean lp_catalogue_find(const char *name, LpAccelerator *out_accelerator,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** All accelerators, in the catalogue's order. Errors: LP_INPUT_ERROR, where the shipped file
 * cannot be read. Returns: (transfer full), an array of LpAccelerator. */
GArray *lp_catalogue_load(GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** The accelerators of @content, a file like the shipped one that messages call @path. Errors:
 * LP_INPUT_ERROR, "PATH:LINE: got, wanted". Returns: as lp_catalogue_load(). */
GArray *lp_catalogue_parse(const char *path, GBytes *content,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** What a platform may say of its accelerator otherwise than the catalogue does: an accelerator
 * that does not exist yet is one that does, with other numbers. The peaks are in the order of
 * LpPrecision. NULL-ended. */
extern const char *const lp_accelerator_property_names[];
#define LP_N_ACCELERATOR_PROPERTIES (LP_N_PRECISIONS + 9)

/** Sets the property at @index in lp_accelerator_property_names, and marks the name as modified.
 * Errors: LP_INPUT_ERROR, "got, wanted". */
gboolean lp_accelerator_set(LpAccelerator *self, guint index, const char *text,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
