/* SPDX-License-Identifier: Apache-2.0 */
/* Slices of the tensor-parallel axis: all ranks at the same place in their tensor-parallel
 * communicators. Where they mirror each other, one stands for all. */
#pragma once

#include "sim/mapping/communication_map.h"

G_BEGIN_DECLS

/** Whether a one-to-one map of links carries all pipeline and gradient routes of the first slice
 * onto those of each other slice, with equal bandwidths and latencies, no communicator but the
 * tensor-parallel ones reaches across slices, and no link serves two of them: what happens in one
 * slice then happens in all, at the same instants. @background: by link, whether traffic that is
 * not of @map can be on it; NULL if there is none. @out_link: a link that serves two slices or
 * breaks the map, if *@out_has_link. */
gboolean lp_slices_mirror(const LpCommunicationMap *map, const gboolean *background,
                          guint32 *out_link, gboolean *out_has_link);

G_END_DECLS
