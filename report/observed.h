/* SPDX-License-Identifier: Apache-2.0 */
/* The observation of a run as JSON: links over time, who sent how much to whom, the timeline. */
#pragma once

#include "base/json.h"
#include "report/report.h"
#include "sim/run/observation.h"

G_BEGIN_DECLS

/** Sets "observed" of @object. @tracks: timelines of the @n_tracks jobs. Timelines are shown for a
 * sample of the stages, and with LP_OBSERVED_SLICES_MAX slices at most: the longest. */
void lp_observed_add(json_t *object, const LpObservation *self, const LpTrack *tracks,
                     guint n_tracks);

#define LP_OBSERVED_SLICES_MAX 16000u
#define LP_OBSERVED_STAGES_MAX 12u

G_END_DECLS
