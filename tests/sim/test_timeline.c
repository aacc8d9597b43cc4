/* SPDX-License-Identifier: Apache-2.0 */
/* Slices of a run: which are kept, and how many stages they have. */
#include "sim/actors/timeline.h"

#include "tests/testlib.h"

static const LpSlice *
slice_at(const LpTimeline *timeline, guint i)
{
    return &g_array_index(timeline->slices, LpSlice, i);
}

static void
test_slices(void)
{
    g_autoptr(LpTimeline) timeline = lp_timeline_new();
    lp_test_true("nothing", lp_timeline_n_stages(timeline) == 0);
    lp_timeline_add(timeline, (LpSlice){.name = "a", .stage = 2, .start_s = 1.0, .end_s = 2.0});
    lp_timeline_add(timeline,
                    (LpSlice){.name = "of no length", .stage = 9, .start_s = 1.0, .end_s = 1.0});
    lp_timeline_add(
        timeline,
        (LpSlice){.name = "a message", .stage = 1, .message = 5, .start_s = 1.0, .end_s = 1.0});
    lp_timeline_add(NULL, (LpSlice){.name = "to nobody", .end_s = 1.0});
    lp_test_true("two", timeline->slices->len == 2);
    lp_test_text("the message", slice_at(timeline, 1)->name, "a message");
    lp_test_true("the highest and all below", lp_timeline_n_stages(timeline) == 3);
    lp_timeline_add_circuit(timeline, (LpCircuitSlice){.name = "c", .peer = 4});
    lp_timeline_add_circuit(NULL, (LpCircuitSlice){.name = "to nobody"});
    lp_test_true("a circuit", timeline->circuits->len == 1 &&
                                  g_array_index(timeline->circuits, LpCircuitSlice, 0).peer == 4);
    guint n = 0;
    while (lp_lane_names[n] != NULL)
        n++;
    lp_test_true("a name for each lane", n == LP_N_LANES);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"slices", test_slices}, {NULL, NULL}};
    return lp_test_run("timeline", cases);
}
