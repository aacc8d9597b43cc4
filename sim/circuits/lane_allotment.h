/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes for a demand that is not even: who gets how many circuits to whom. Arithmetic. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Gives circuits, of one lane at each end, to pairs of @n attachments of @n_lanes (an array)
 * lanes, one after the other to the pair that is the bottleneck (MixNet, SIGCOMM 2025, section 5),
 * until no lane is left that another attachment could use; or first one to every pair, if all is
 * done sooner then.
 * @demand: @n x @n, bytes, none on the diagonal. @lane_bytes_per_s, @packet_bytes_per_s: of a
 * circuit, and of an attachment beside circuits, each way. @out_lanes: @n x @n, symmetric. */
void lp_lane_allotment(guint32 n, const guint32 *n_lanes, const double *demand,
                       double lane_bytes_per_s, double packet_bytes_per_s, guint32 *out_lanes);
/** The time in which an attachment sends @bytes to (or gets them from) each of @n others over
 * @lanes circuits each, and beside them as much as makes both end together. */
double lp_lane_allotment_time_s(guint32 n, const double *bytes, const guint32 *lanes,
                                double lane_bytes_per_s, double packet_bytes_per_s);

G_END_DECLS
