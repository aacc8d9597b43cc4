/* SPDX-License-Identifier: Apache-2.0 */
/* Timelines in the format of Paje, which SimGrid's traces have, and viewers of them read. */
#pragma once

#include "report/report.h"
#include "sim/run/observation.h"

G_BEGIN_DECLS

/** Containers for the machine, the stages of @n_tracks jobs and their lanes, with states; messages
 * between stages are links. @observation: of it the bandwidth in use of each tier and link that is
 * followed, as variables. Returns: (transfer full). */
char *lp_paje_trace(const LpTrack *tracks, guint n_tracks, const LpObservation *observation);

G_END_DECLS
