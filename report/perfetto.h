/* SPDX-License-Identifier: Apache-2.0 */
/* Timelines in the JSON that Perfetto and chrome://tracing open (Trace Event Format). */
#pragma once

#include "report/report.h"
#include "sim/run/observation.h"

G_BEGIN_DECLS

/** A process for each stage of each of @n_tracks jobs, with a thread for each stream (several where
 * its slices overlap) and each lane of circuits; messages between stages as arrows. @observation:
 * or NULL; of it a process of counters, one for each tier and link that is followed, and one of
 * background messages. @title: a name for the whole. Returns: (transfer full). */
char *lp_perfetto_trace(const LpTrack *tracks, guint n_tracks, const LpObservation *observation,
                        const char *title);

G_END_DECLS
