/* SPDX-License-Identifier: Apache-2.0 */
/* A list of slices. */
#include "sim/actors/timeline.h"

const char *const lp_lane_names[] = {"compute", "tp", "pp", "dp", "ep", "cp", "beside", NULL};

LpTimeline *
lp_timeline_new(void)
{
    LpTimeline *self = g_new0(LpTimeline, 1);
    self->slices = g_array_new(FALSE, FALSE, sizeof(LpSlice));
    self->circuits = g_array_new(FALSE, FALSE, sizeof(LpCircuitSlice));
    return self;
}

void
lp_timeline_free(LpTimeline *self)
{
    if (self == NULL)
        return;
    g_array_unref(self->slices);
    g_array_unref(self->circuits);
    g_free(self);
}

void
lp_timeline_add(LpTimeline *self, LpSlice slice)
{
    if (self != NULL && (slice.end_s > slice.start_s || slice.message != 0))
        g_array_append_val(self->slices, slice);
}

void
lp_timeline_add_circuit(LpTimeline *self, LpCircuitSlice slice)
{
    if (self != NULL)
        g_array_append_val(self->circuits, slice);
}

guint32
lp_timeline_n_stages(const LpTimeline *self)
{
    guint32 n_stages = 0;
    for (guint i = 0; i < self->slices->len; i++)
        n_stages = MAX(n_stages, g_array_index(self->slices, LpSlice, i).stage + 1);
    return n_stages;
}
