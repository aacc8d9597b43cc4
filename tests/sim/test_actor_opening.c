/* SPDX-License-Identifier: Apache-2.0 */
/* A link that is slow when a flow starts over it and recovers later: the flow is as fast as the
 * link at each instant. */
#include "sim/actors/actor_opening.h"

#include "sim/engine/engine.h"
#include "tests/sim/engine_actors.h"
#include "tests/support/forked.h"
#include "tests/testlib.h"

#include <simgrid/actor.h>
#include <simgrid/engine.h>

#define GB 1000000000u

static LpOpening *opening;
static LpRoute route;

static void
slow_down(gpointer data)
{
    (void)data;
    guint32 link = route.links[0];
    lp_opening_set_bandwidth(opening, link, link, 1e9, 25e9);
    sg_actor_sleep_for(0.5);
    lp_opening_set_bandwidth(opening, link, link, 25e9, 25e9);
}

/* Half a gigabyte in the first half second, the rest at 25 GB/s; then one at full speed. */
static void
send(gpointer data)
{
    (void)data;
    sg_actor_yield();
    lp_opening_send_leg(opening, &route, 0, GB);
    lp_test_close("slow, then fast", simgrid_get_clock(), 0.5 + 0.02, 1e-9);
    lp_opening_send_leg(opening, &route, 0, GB);
    lp_test_close("fast", simgrid_get_clock(), 0.52 + 0.04, 1e-9);
}

static gboolean
run(const void *input, void *result)
{
    (void)input;
    (void)result;
    LpNetwork *network = lp_engine_actors_network(LP_ENGINE_ACTORS_FLAT);
    if (network == NULL)
        return FALSE;
    route = lp_network_route(network, 0, 1, LP_TRAFFIC_DP);
    opening = lp_opening_new(network, NULL);
    lp_opening_start(opening, lp_engine_actors_host(network, 0));
    lp_engine_actors_start(lp_engine_actors_host(network, 0), slow_down, NULL);
    lp_engine_actors_start(lp_engine_actors_host(network, 0), send, NULL);
    lp_test_close("all were sent", lp_engine_run(), 0.56, 1e-9);
    lp_opening_free(opening);
    return TRUE;
}

static void
test_recovery(void)
{
    (void)lp_forked_result("a link that recovers", run, NULL, NULL, 0);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"recovery", test_recovery}, {NULL, NULL}};
    return lp_test_run("opening of slow links", cases);
}
