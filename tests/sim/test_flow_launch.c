/* SPDX-License-Identifier: Apache-2.0 */
/* Flows that no actor waits for: when they began, ended and arrived, by hand, on ports of 25 GB/s.
 */
#include "sim/actors/flow_engine.h"

#include "sim/engine/engine.h"
#include "tests/sim/engine_actors.h"
#include "tests/support/forked.h"
#include "tests/testlib.h"

#include <simgrid/actor.h>
#include <simgrid/engine.h>

#define GB 1000000000u
#define FLOWS_MAX 3

/* A flow from accelerator 0, and what became of it. */
typedef struct {
    guint64 to, bytes;
    double wait_s, latency_s;
    double began_s, ended_s, arrived_s;
} Flow;

typedef struct {
    const char *label;
    gboolean is_uncontended; /* flows of different owners do not meet */
    double slow_at_s;        /* the port then has a fifth of its rate; 0: it stays */
    guint n;
    Flow flows[FLOWS_MAX];
} Row;

static const Row rows[] = {
    {"alone", FALSE, 0.0, 1, {{1, GB, 0.0, 0.0, 0.0, 0.04, 0.04}}},
    {"waits before and behind", FALSE, 0.0, 1, {{1, GB, 1.0, 0.5, 1.0, 1.04, 1.54}}},
    {"no byte", FALSE, 0.0, 1, {{1, 0, 1.0, 0.5, 1.0, 1.0, 1.5}}},
    /* Half the port each. */
    {"two",
     FALSE,
     0.0,
     2,
     {{1, GB, 0.0, 0.0, 0.0, 0.08, 0.08}, {2, GB, 0.0, 0.0, 0.0, 0.08, 0.08}}},
    {"two that do not meet",
     TRUE,
     0.0,
     2,
     {{1, GB, 0.0, 0.0, 0.0, 0.04, 0.04}, {2, GB, 0.0, 0.0, 0.0, 0.04, 0.04}}},
    /* The second comes when half of the first is left: both have half the port for 0.04 s, and the
     * second half of itself left for 0.02 s. */
    {"one comes later",
     FALSE,
     0.0,
     2,
     {{1, GB, 0.0, 0.0, 0.0, 0.06, 0.06}, {2, GB, 0.02, 0.0, 0.02, 0.08, 0.08}}},
    /* Half has gone at 0.02 s; the rest takes five times as long. */
    {"a port grows slow", FALSE, 0.02, 1, {{1, GB, 0.0, 0.0, 0.0, 0.12, 0.12}}},
};

static LpFlowEngine *sharing;
static LpRoute routes[FLOWS_MAX];
static Flow got[FLOWS_MAX];

static void
arrived(gpointer data, double began_s, double ended_s)
{
    Flow *flow = data;
    flow->began_s = began_s;
    flow->ended_s = ended_s;
    flow->arrived_s = simgrid_get_clock();
}

static void
launch(gpointer data)
{
    const Row *row = data;
    lp_test_true("can launch", lp_flow_engine_launches(sharing) && !lp_flow_engine_launches(NULL));
    for (guint i = 0; i < row->n; i++) {
        LpLaunchedFlow flow = {
            .flow = {.route = &routes[i], .bytes = row->flows[i].bytes, .job = i, .owner = &got[i]},
            .wait_s = row->flows[i].wait_s,
            .latency_s = row->flows[i].latency_s,
            .arrived = arrived,
            .data = &got[i]};
        lp_flow_engine_launch(sharing, &flow);
    }
    if (row->slow_at_s > 0.0) {
        sg_actor_sleep_for(row->slow_at_s);
        lp_flow_engine_set_bandwidth(sharing, routes[0].links[0], 5e9);
    }
    sg_actor_sleep_for(10.0);
}

static gboolean
run(const void *input, void *result)
{
    Row row = *(const Row *)input;
    gboolean uncontended[LP_N_TIERS];
    for (guint i = 0; i < LP_N_TIERS; i++)
        uncontended[i] = row.is_uncontended;
    LpNetwork *network = lp_engine_actors_network(LP_ENGINE_ACTORS_FLAT);
    if (network == NULL)
        return FALSE;
    for (guint i = 0; i < row.n; i++)
        routes[i] = lp_network_route(network, 0, row.flows[i].to, LP_TRAFFIC_DP);
    sharing = lp_flow_engine_new(network, uncontended, NULL);
    lp_flow_engine_start(sharing, lp_engine_actors_host(network, 0));
    lp_engine_actors_start(lp_engine_actors_host(network, 0), launch, &row);
    (void)lp_engine_run();
    for (guint i = 0; i < row.n; i++)
        ((Flow *)result)[i] = got[i];
    lp_flow_engine_free(sharing);
    return TRUE;
}

static void
test_launches(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        Flow found[FLOWS_MAX] = {{0}};
        (void)lp_forked_result(rows[i].label, run, &rows[i], found, sizeof found);
        for (guint k = 0; k < rows[i].n; k++) {
            const Flow *wanted = &rows[i].flows[k];
            lp_test_close(rows[i].label, found[k].began_s, wanted->began_s, 1e-9);
            lp_test_close(rows[i].label, found[k].ended_s, wanted->ended_s, 1e-9);
            lp_test_close(rows[i].label, found[k].arrived_s, wanted->arrived_s, 1e-9);
        }
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"launches", test_launches}, {NULL, NULL}};
    return lp_test_run("flows without actors", cases);
}
