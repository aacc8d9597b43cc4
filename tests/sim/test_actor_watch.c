/* SPDX-License-Identifier: Apache-2.0 */
/* A link that dies at 1 s: what waits for it goes on when it is back, and a run that only waits
 * ends, and says for whom. */
#include "sim/actors/flow_sender.h"

#include "sim/engine/engine.h"
#include "tests/sim/engine_actors.h"
#include "tests/support/forked.h"
#include "tests/testlib.h"

#include <simgrid/actor.h>
#include <simgrid/engine.h>

#define GB 1000000000u

static LpNetwork *network;
static LpWatch *watch;
static LpRoute route;
static double ended_s;

static void
fail(gpointer returns)
{
    sg_actor_sleep_for(1.0);
    lp_watch_fail_link(watch, route.links[0], GPOINTER_TO_INT(returns));
    lp_test_true("dead", lp_watch_is_dead(watch, &route));
    if (!GPOINTER_TO_INT(returns))
        return;
    sg_actor_sleep_for(2.0);
    lp_watch_revive_link(watch, route.links[0]);
    lp_test_true("alive", !lp_watch_is_dead(watch, &route));
}

/* Comes when the link is dead: 1 GB at 25 GB/s from 3 s on. */
static void
send_late(gpointer data)
{
    (void)data;
    LpFlowSender sender = {.watch = watch, .job = 7};
    lp_watch_sleep(watch, 1.5);
    lp_flow_sender_send(&sender, &route, GB, 3, 4);
    ended_s = simgrid_get_clock();
}

static gboolean
run(const void *input, void *result)
{
    LpStall *stall = result;
    network = lp_engine_actors_network(LP_ENGINE_ACTORS_FLAT);
    if (network == NULL)
        return FALSE;
    route = lp_network_route(network, 0, 1, LP_TRAFFIC_DP);
    watch = lp_watch_new(lp_network_n_links(network));
    lp_watch_start(watch, lp_engine_actors_host(network, 0));
    lp_engine_actors_start(lp_engine_actors_host(network, 0), send_late, NULL);
    lp_engine_actors_start(lp_engine_actors_host(network, 1), fail,
                           GINT_TO_POINTER(*(const int *)input));
    (void)lp_engine_run();
    *stall = lp_watch_stall(watch);
    if (*(const int *)input)
        lp_test_close("after the link is back", ended_s, 3.0 + 0.04, 1e-9);
    else
        lp_test_true("never", ended_s == 0.0 && stall->link == route.links[0]);
    return TRUE;
}

static void
test_links(void)
{
    static const int returns = TRUE, stays = FALSE;
    LpStall stall = {.is_stalled = TRUE};
    (void)lp_forked_result("the link returns", run, &returns, &stall, sizeof stall);
    lp_test_true("went on", !stall.is_stalled);
    (void)lp_forked_result("the link stays dead", run, &stays, &stall, sizeof stall);
    lp_test_true("stalled", stall.is_stalled && !stall.is_overloaded && stall.has_link);
    lp_test_true("who", stall.job == 7 && stall.from == 3 && stall.to == 4 && stall.n_flights == 1);
    lp_test_close("when it died", stall.died_s, 1.0, 1e-12);
    lp_test_close("when it was certain", stall.at_s, 1.5, 1e-9);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"links", test_links}, {NULL, NULL}};
    return lp_test_run("watch over links", cases);
}
