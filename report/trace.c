/* SPDX-License-Identifier: Apache-2.0 */
/* Timelines without anything else that was seen. */
#include "report/perfetto.h"

char *
lp_report_trace_tracks(const LpTrack *tracks, guint n_tracks, const char *title)
{
    return lp_perfetto_trace(tracks, n_tracks, NULL, title);
}

char *
lp_report_trace(const LpTimeline *timeline, const char *title)
{
    return lp_report_trace_tracks(&(LpTrack){timeline, NULL}, 1, title);
}
