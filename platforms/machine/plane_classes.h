/* SPDX-License-Identifier: Apache-2.0 */
/* Which plane carries which class of traffic, as text. */
#pragma once

#include "platforms/machine/machine.h"

G_BEGIN_DECLS

/** Reads "tp=0 pp=0 dp=1 ep=1 cp=0": a plane below @n_planes for each class, so that none goes by
 * default; tied embeddings go with dp. @out_plane: LP_N_TRAFFIC entries, by LpTraffic, unchanged
 * where that fails. Errors: LP_INPUT_ERROR, LP_MACHINE_ERROR_VALUE; "got, wanted". */
gboolean lp_plane_classes_parse(const char *text, guint32 n_planes, guint32 *out_plane,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
