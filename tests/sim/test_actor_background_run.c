/* SPDX-License-Identifier: Apache-2.0 */
/* Background messages of 25 MB by themselves, on ports of 25 GB/s with a route of 2 us, that start
 * in the first 10 ms: how many, how long, and what becomes of those that a dead link or the run's
 * end stops, by hand. */
#include "sim/actors/actor_background.h"

#include "sim/engine/engine.h"
#include "tests/sim/engine_actors.h"
#include "tests/support/forked.h"
#include "tests/testlib.h"

#include <simgrid/actor.h>

#define MESSAGE_BYTES 25000000u
#define ALONE_S (1e-3 + 2e-6)
#define LONG_S 0.1

typedef struct {
    const char *label;
    LpPattern pattern;
    guint n; /* accelerators that take part */
    LpGaps gaps;
    double load, rate_bytes_per_s;
    double alive_s, run_s; /* when the link of the first alone comes back; the run's end */
    LpBackgroundResult wanted;
} Row;

static const Row rows[] = {
    /* Every 2 ms from 0 on. */
    {"half of the port",
     LP_PATTERN_PAIRS,
     2,
     LP_GAPS_FIXED,
     0.5,
     0.0,
     0.0,
     LONG_S,
     {5, 5 * MESSAGE_BYTES, 5 * ALONE_S, 5 * ALONE_S, 0, 0}},
    {"the same as a rate",
     LP_PATTERN_PAIRS,
     2,
     LP_GAPS_FIXED,
     0.0,
     12.5e9,
     0.0,
     LONG_S,
     {5, 5 * MESSAGE_BYTES, 5 * ALONE_S, 5 * ALONE_S, 0, 0}},
    {"both ways",
     LP_PATTERN_PERMUTATION,
     2,
     LP_GAPS_FIXED,
     0.5,
     0.0,
     0.0,
     LONG_S,
     {10, 10 * MESSAGE_BYTES, 10 * ALONE_S, 10 * ALONE_S, 0, 0}},
    /* Ten of 1.002 ms begin before 10 ms. */
    {"one after the other",
     LP_PATTERN_PAIRS,
     2,
     LP_GAPS_CLOSED,
     0.0,
     0.0,
     0.0,
     LONG_S,
     {10, 10 * MESSAGE_BYTES, 10 * ALONE_S, 10 * ALONE_S, 0, 0}},
    /* Two to the same port: 2.002 ms, of which five begin. */
    {"incast",
     LP_PATTERN_INCAST,
     3,
     LP_GAPS_CLOSED,
     0.0,
     0.0,
     0.0,
     LONG_S,
     {10, 10 * MESSAGE_BYTES, 10 * (ALONE_S + 1e-3), 10 * ALONE_S, 0, 0}},
    /* 0, 2 and 4 ms pass before the link is there. */
    {"a dead link",
     LP_PATTERN_PAIRS,
     2,
     LP_GAPS_FIXED,
     0.5,
     0.0,
     5e-3,
     LONG_S,
     {2, 2 * MESSAGE_BYTES, 2 * ALONE_S, 2 * ALONE_S, 0, 3}},
    /* Who waits for it begins at 5 ms: five. */
    {"waits for the link",
     LP_PATTERN_PAIRS,
     2,
     LP_GAPS_CLOSED,
     0.0,
     0.0,
     5e-3,
     LONG_S,
     {5, 5 * MESSAGE_BYTES, 5 * ALONE_S, 5 * ALONE_S, 0, 0}},
    {"ends with the run",
     LP_PATTERN_PAIRS,
     2,
     LP_GAPS_FIXED,
     0.5,
     0.0,
     0.0,
     2.5e-3,
     {1, MESSAGE_BYTES, ALONE_S, ALONE_S, 1, 0}},
};

static LpWatch *watch;
static guint32 link_of_first;

/* Daemons end with it. */
static void
live(gpointer data)
{
    const Row *row = data;
    if (row->alive_s > 0.0) {
        lp_watch_fail_link(watch, link_of_first, TRUE);
        sg_actor_sleep_for(row->alive_s);
        lp_watch_revive_link(watch, link_of_first);
    }
    sg_actor_sleep_for(row->run_s - row->alive_s);
}

static gboolean
run(const void *input, void *result)
{
    static const guint32 who[] = {0, 1, 2};
    Row row = *(const Row *)input;
    LpNetwork *network = lp_engine_actors_network(LP_ENGINE_ACTORS_FLAT);
    if (network == NULL)
        return FALSE;
    g_autoptr(GArray) accelerators = g_array_new(FALSE, FALSE, sizeof who[0]);
    g_array_append_vals(accelerators, who, row.n);
    char name[] = "t";
    LpScenarioTraffic said = {.name = name,
                              .pattern = row.pattern,
                              .accelerators = accelerators,
                              .message_bytes = MESSAGE_BYTES,
                              .gaps = row.gaps,
                              .rate_bytes_per_s = row.rate_bytes_per_s,
                              .load = row.load,
                              .end_s = 0.01,
                              .ports = LP_PORTS_SCALE_OUT};
    g_autoptr(GError) error = NULL;
    g_autoptr(LpBackground) background = lp_background_new(&said, network, 0, &error);
    lp_test_text("made", error != NULL ? error->message : NULL, NULL);
    if (background == NULL)
        return FALSE;
    watch = lp_watch_new(lp_network_n_links(network));
    link_of_first = lp_network_route(network, 0, 1, LP_TRAFFIC_DP).links[0];
    lp_engine_actors_start(lp_engine_actors_host(network, 7), live, &row);
    lp_background_start(background, &(LpBackgroundRun){.watch = watch});
    lp_test_close("the run's end", lp_engine_run(), row.run_s, 1e-12);
    *(LpBackgroundResult *)result = lp_background_result(background);
    return TRUE;
}

static void
test_messages(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        const LpBackgroundResult *wanted = &rows[i].wanted;
        LpBackgroundResult got = {0};
        (void)lp_forked_result(rows[i].label, run, &rows[i], &got, sizeof got);
        const struct {
            const char *what;
            double got, wanted;
        } counts[] = {
            {"messages", (double)got.n_messages, (double)wanted->n_messages},
            {"bytes", (double)got.n_bytes, (double)wanted->n_bytes},
            {"s", got.time_s, wanted->time_s},
            {"s alone", got.isolated_s, wanted->isolated_s},
            {"under way", (double)got.n_under_way, (double)wanted->n_under_way},
            {"lost", (double)got.n_lost, (double)wanted->n_lost},
        };
        for (guint k = 0; k < G_N_ELEMENTS(counts); k++) {
            g_autofree char *label = g_strdup_printf("%s: %s", rows[i].label, counts[k].what);
            lp_test_close(label, counts[k].got, counts[k].wanted, 1e-9);
        }
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"messages", test_messages}, {NULL, NULL}};
    return lp_test_run("background messages", cases);
}
