/* SPDX-License-Identifier: Apache-2.0 */
/* What is exposed of a flight is the overlap of two intervals: the flight, and the rank's waiting.
 */
#include "sim/actors/overlap_meter.h"

#include "tests/testlib.h"

/* Sums of a few decimal fractions. */
#define ROUNDING 1e-12

static void
test_launched(void)
{
    static const struct {
        const char *label;
        LpStream stream, joined; /* LP_N_STREAMS: none */
        double start_s, end_s, join_s;
        double exposed_s, inner_s;
    } rows[] = {
        {"hidden", LP_STREAM_DP, LP_N_STREAMS, 1.0, 4.0, 0.0, 0.0, 0.0},
        {"waited for in the middle", LP_STREAM_DP, LP_STREAM_DP, 1.0, 4.0, 3.0, 1.0, 0.0},
        {"waited for before it began", LP_STREAM_DP, LP_STREAM_DP, 1.0, 4.0, 0.5, 3.0, 0.0},
        {"another is waited for", LP_STREAM_DP, LP_STREAM_LAYER, 1.0, 4.0, 3.0, 0.0, 0.0},
        {"inside layers", LP_STREAM_LAYER, LP_N_STREAMS, 1.0, 4.0, 0.0, 0.0, 3.0},
        {"relayed", LP_STREAM_RELAY, LP_STREAM_RELAY, 2.0, 4.0, 3.5, 0.5, 2.0},
        {"messages", LP_STREAM_PP, LP_STREAM_PP, 2.0, 4.0, 3.5, 0.5, 0.0},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpOverlapPath path = {.in_flight_s = 0.0};
        LpOverlapMeter meter = {.path = &path, .n_ranks = 1};
        if (rows[i].joined != LP_N_STREAMS)
            lp_overlap_meter_join(&meter, rows[i].joined, rows[i].join_s);
        lp_overlap_meter_add_launched(&meter, rows[i].stream, rows[i].start_s, rows[i].end_s);
        lp_test_close(rows[i].label, path.in_flight_s, rows[i].end_s - rows[i].start_s, ROUNDING);
        lp_test_close(rows[i].label, path.exposed_s, rows[i].exposed_s, ROUNDING);
        lp_test_close(rows[i].label, path.inner_s, rows[i].inner_s, ROUNDING);
        lp_test_close(rows[i].label, lp_overlap_path_hidden_s(&path),
                      rows[i].end_s - rows[i].start_s - rows[i].exposed_s, ROUNDING);
        if (rows[i].joined == LP_N_STREAMS)
            continue;
        lp_overlap_meter_leave(&meter, rows[i].joined);
        lp_overlap_meter_add_launched(&meter, rows[i].stream, 10.0, 11.0);
        lp_test_close("none after it has left", path.exposed_s, rows[i].exposed_s, ROUNDING);
    }
}

/* A message counts for each rank that is stood for. */
static void
test_messages(void)
{
    LpOverlapPath path = {.in_flight_s = 0.0};
    LpCallTime messages = {0.0, 0};
    LpOverlapMeter meter = {.path = &path, .messages = &messages, .n_ranks = 4};
    lp_overlap_meter_add_message(&meter, 1.0, 1.5);
    lp_overlap_meter_add_message(&meter, 2.0, 2.25);
    lp_test_close("seconds", messages.sum_s, 4 * 0.75, ROUNDING);
    lp_test_true("messages", messages.n == 8);
    lp_overlap_meter_add_slowed(&meter, 0.5);
    lp_overlap_meter_add_slowed(&meter, 0.25);
    lp_test_close("slowed", path.slowed_s, 0.75, ROUNDING);
    meter.messages = NULL;
    lp_overlap_meter_add_message(&meter, 3.0, 4.0);
    lp_test_true("nobody is told", messages.n == 8);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"launched", test_launched}, {"messages", test_messages}, {NULL, NULL}};
    return lp_test_run("overlap meter", cases);
}
