/* SPDX-License-Identifier: Apache-2.0 */
/* The catalogue of accelerators (platforms/accelerators.xml): every number has a source there. */
#pragma once

#include "model/accelerator.h"

G_BEGIN_DECLS

/** Looks @name up in the shipped catalogue. Errors: LP_INPUT_ERROR_NAME with the nearest name. */
gboolean lp_catalogue_find(const char *name, LpAccelerator *out_accelerator,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** All accelerators, in the catalogue's order. Returns: (transfer full) array of LpAccelerator. */
GArray *lp_catalogue_load(GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
