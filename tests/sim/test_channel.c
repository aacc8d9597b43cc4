/* SPDX-License-Identifier: Apache-2.0 */
/* SimGrid shares the platform's links, as max-min says: cases worked out by hand. */
#include "sim/actors/channel.h"

#include "sim/engine/engine.h"
#include "sim/engine/loading.h"
#include "sim/run/simulation.h"
#include "tests/support/forked.h"
#include "tests/support/generated.h"
#include "tests/testlib.h"

#include <simgrid/actor.h>
#include <simgrid/barrier.h>
#include <simgrid/engine.h>

#define FLOWS_MAX 64
#define GB 1000000000u

/* A flow from the scale-out port of one accelerator to that of another, and when it arrived. */
typedef struct {
    guint64 from, to;
    guint64 bytes;
    LpChannel *channel;
    LpRoute route;
    double arrived_s;
} Flow;

typedef struct {
    Flow flows[FLOWS_MAX];
    guint n;
    sg_bar_t start;
} Traffic;

typedef struct {
    Traffic *traffic;
    guint index;
    gboolean sends;
} Role;

static void
actor(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    const Role *role = sg_actor_self_get_data();
    Flow *flow = &role->traffic->flows[role->index];
    if (!role->sends)
        lp_channel_attach_receiver(flow->channel);
    (void)sg_barrier_wait(role->traffic->start);
    if (role->sends) {
        lp_channel_send(flow->channel, flow->bytes, flow->route.latency_s, NULL);
        return;
    }
    (void)lp_channel_receive(flow->channel);
    flow->arrived_s = simgrid_get_clock();
}

static void
start_actor(Role *role, struct s4u_Host *host)
{
    sg_actor_t started = sg_actor_init("end", host);
    sg_actor_set_data(started, role);
    sg_actor_start_(started, (xbt_main_func_t)actor, 0, NULL);
}

/* The engine with a machine of these options; NULL, and a failure, if it refuses. */
static LpNetwork *
start_engine(const char *options, guint64 n_actors)
{
    /* The network borrows it. */
    LpMachine *machine = lp_generated_machine_good(options);
    g_autoptr(GArray) settings = lp_engine_options(n_actors);
    g_autoptr(GError) error = NULL;
    if (machine == NULL)
        return NULL;
    g_autoptr(LpNetwork) network = lp_network_new(machine);
    gboolean good = lp_network_load(network, settings, &error);
    lp_test_text("engine", error != NULL ? error->message : NULL, NULL);
    return good ? g_steal_pointer(&network) : NULL;
}

/* What a process of its own runs. */
typedef struct {
    const char *options;
    LpChannelKind kind;
    const Flow *flows;
    guint n;
} Request;

/* Leaves when each flow arrived in an array of FLOWS_MAX. */
static gboolean
run_flows(const void *input, void *result)
{
    static Traffic traffic;
    static Role roles[2 * FLOWS_MAX];
    const Request *request = input;
    double *arrived_s = result;
    guint n = request->n;
    LpNetwork *network = start_engine(request->options, 2 * n);
    if (network == NULL)
        return FALSE;
    traffic.n = n;
    traffic.start = sg_barrier_init(2 * n);
    for (guint i = 0; i < n; i++) {
        Flow *flow = &traffic.flows[i];
        *flow = request->flows[i];
        flow->route = lp_network_route(network, flow->from, flow->to, LP_TRAFFIC_DP);
        g_autofree char *name = g_strdup_printf("flow %u", i);
        flow->channel = lp_channel_new(request->kind, name, &flow->route, NULL);
        roles[2 * i] = (Role){&traffic, i, TRUE};
        roles[2 * i + 1] = (Role){&traffic, i, FALSE};
        start_actor(&roles[2 * i], flow->route.from->host);
        start_actor(&roles[2 * i + 1], flow->route.to->host);
    }
    (void)lp_engine_run();
    for (guint i = 0; i < n; i++)
        arrived_s[i] = traffic.flows[i].arrived_s;
    return TRUE;
}

/* Runs the flows in a process of its own, and fills in when each arrived. */
static void
run(const char *label, const char *options, LpChannelKind kind, Flow *flows, guint n)
{
    const Request request = {options, kind, flows, n};
    double arrived_s[FLOWS_MAX] = {0.0};
    (void)lp_forked_result(label, run_flows, &request, arrived_s, sizeof arrived_s);
    for (guint i = 0; i < n; i++)
        flows[i].arrived_s = arrived_s[i];
}

/* One accelerator a domain, so that every flow is on the fabric: 25 GB/s a port, 1 us a link. */
static const char flat[] = "--system=generic --accelerators=32 --domain-size=1 --topology=crossbar "
                           "--scale-out-bandwidth=25GBps --scale-out-latency=1us";

/* latency + bytes / bandwidth = 2 us + 1 GB / 25 GB/s, whichever way the bytes are moved. */
static void
test_isolated(void)
{
    static const struct {
        const char *label;
        LpChannelKind kind;
        guint64 bytes;
        double seconds;
    } rows[] = {
        {"mailbox", LP_CHANNEL_MAILBOX, GB, 2e-6 + 0.04},
        {"host to host", LP_CHANNEL_DIRECT, GB, 2e-6 + 0.04},
        {"delay", LP_CHANNEL_DELAY, GB, 2e-6 + 0.04},
        {"one byte", LP_CHANNEL_MAILBOX, 1, 2e-6 + 1 / 25e9},
        {"no byte, mailbox", LP_CHANNEL_MAILBOX, 0, 2e-6},
        {"no byte, host to host", LP_CHANNEL_DIRECT, 0, 2e-6},
        {"free", LP_CHANNEL_FREE, GB, 0.0},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        Flow flow = {.from = 3, .to = 17, .bytes = rows[i].bytes};
        run(rows[i].label, flat, rows[i].kind, &flow, 1);
        lp_test_close(rows[i].label, flow.arrived_s, rows[i].seconds, 1e-12);
    }
}

/* Two jobs' flows leave by one port: each gets half of it. */
static void
test_halves(void)
{
    Flow flows[] = {{.from = 0, .to = 1, .bytes = GB}, {.from = 0, .to = 2, .bytes = GB}};
    run("run", flat, LP_CHANNEL_MAILBOX, flows, 2);
    lp_test_close("first", flows[0].arrived_s, 2e-6 + 0.08, 1e-12);
    lp_test_close("second", flows[1].arrived_s, 2e-6 + 0.08, 1e-12);
}

/* A short flow shares until it ends at 2 * 0.25 GB / 25 GB/s = 0.02 s; the long one, having moved
 * 0.25 GB too, has the port to itself for its last 0.75 GB: 0.02 + 0.03 s. */
static void
test_release(void)
{
    Flow flows[] = {{.from = 0, .to = 1, .bytes = GB}, {.from = 0, .to = 2, .bytes = GB / 4}};
    run("run", flat, LP_CHANNEL_MAILBOX, flows, 2);
    lp_test_close("long", flows[0].arrived_s, 2e-6 + 0.05, 1e-12);
    lp_test_close("short", flows[1].arrived_s, 2e-6 + 0.02, 1e-12);
}

/* Both directions of a port are apart. */
static void
test_duplex(void)
{
    Flow flows[] = {{.from = 0, .to = 1, .bytes = GB}, {.from = 1, .to = 0, .bytes = GB}};
    run("run", flat, LP_CHANNEL_MAILBOX, flows, 2);
    lp_test_close("there", flows[0].arrived_s, 2e-6 + 0.04, 1e-12);
    lp_test_close("back", flows[1].arrived_s, 2e-6 + 0.04, 1e-12);
}

/* n senders to one port take n times as long. */
static void
test_incast(void)
{
    static const guint counts[] = {2, 3, 7, 31};
    for (guint i = 0; i < G_N_ELEMENTS(counts); i++) {
        Flow flows[FLOWS_MAX];
        guint n = counts[i];
        for (guint k = 0; k < n; k++)
            flows[k] = (Flow){.from = k + 1, .to = 0, .bytes = GB};
        g_autofree char *label = g_strdup_printf("incast of %u", n);
        run(label, flat, LP_CHANNEL_MAILBOX, flows, n);
        for (guint k = 0; k < n; k++)
            lp_test_close(label, flows[k].arrived_s, 2e-6 + 0.04 * n, 1e-12);
    }
}

/* 64 ports, leaves of 8, 4:1: two up-links a leaf. Shifting by 8 sends all 8 ports of each leaf to
 * the next leaf. D-mod-k picks the up-link by the destination, so 4 flows meet on each: 4 times the
 * time of an isolated flow, which passes 4 links. Shifting by 1 keeps 7 of 8 flows below their
 * leaf: those are not slowed, nor is the one that leaves, alone on its up-link. */
static void
test_oversubscribed(void)
{
    static const char tree[] =
        "--system=generic --accelerators=64 --domain-size=1 --port-order=node --leaf-ports=8 "
        "--oversubscription=4 --scale-out-bandwidth=25GBps --scale-out-latency=1us";
    static const struct {
        guint shift;
        double across_s, below_s;
    } rows[] = {{8, 4e-6 + 0.16, 0}, {32, 4e-6 + 0.16, 0}, {1, 4e-6 + 0.04, 2e-6 + 0.04}};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        Flow flows[FLOWS_MAX];
        for (guint k = 0; k < 64; k++)
            flows[k] = (Flow){.from = k, .to = (k + rows[i].shift) % 64, .bytes = GB};
        g_autofree char *label = g_strdup_printf("shift by %u", rows[i].shift);
        run(label, tree, LP_CHANNEL_MAILBOX, flows, 64);
        for (guint k = 0; k < 64; k++)
            lp_test_close(label, flows[k].arrived_s,
                          flows[k].from / 8 == flows[k].to / 8 ? rows[i].below_s : rows[i].across_s,
                          1e-12);
    }
}

/* Equal shares whatever the latency of a flow's route: one stays below its leaf (2 us), one crosses
 * a spine (4 us), both arrive at one port. The near one starts 2 us earlier and has the port to
 * itself until then; x bytes remain, shared: both end as if 25 GB/s had been busy since 2 us. */
static void
test_fair(void)
{
    static const char tree[] = "--system=generic --accelerators=64 --domain-size=1 --leaf-ports=8 "
                               "--scale-out-bandwidth=25GBps --scale-out-latency=1us";
    Flow flows[] = {{.from = 1, .to = 0, .bytes = GB}, {.from = 8, .to = 0, .bytes = GB}};
    run("run", tree, LP_CHANNEL_MAILBOX, flows, 2);
    /* From 4 us on both get 12.5 GB/s; the near one has 1 GB - 50 kB left then. */
    lp_test_close("near", flows[0].arrived_s, 4e-6 + (1e9 - 50e3) / 12.5e9, 1e-11);
    lp_test_close("far", flows[1].arrived_s, 2e-6 + 0.08, 1e-11);
}

/* A fat tree of two-port leaves below a spine, two accelerators a domain with a port each, the
 * port's link narrower than the domain's: what routes inside a domain and between two consist of.
 */
static gboolean
check_routes(const void *input, void *result)
{
    (void)input;
    (void)result;
    static const char tree[] =
        "--system=generic --accelerators=8 --domain-size=2 --domain-bandwidth=100GBps "
        "--domain-latency=1us --leaf-ports=4 --scale-out-bandwidth=25GBps --scale-out-latency=2us";
    static const struct {
        guint64 from, to;
        guint32 n_links;
        LpTier tiers[4];
        double latency_s, bytes_per_s;
    } wanted[] = {
        {0, 1, 2, {LP_TIER_SCALE_UP, LP_TIER_SCALE_UP}, 2e-6, 100e9},
        {0, 2, 2, {LP_TIER_PORT, LP_TIER_PORT}, 4e-6, 25e9}, /* ports 0 and 2: one leaf */
        {0, 4, 4, {LP_TIER_PORT, LP_TIER_LEAF, LP_TIER_LEAF, LP_TIER_PORT}, 8e-6, 25e9},
        {7, 0, 4, {LP_TIER_PORT, LP_TIER_LEAF, LP_TIER_LEAF, LP_TIER_PORT}, 8e-6, 25e9},
    };
    LpNetwork *network = start_engine(tree, 1);
    if (network == NULL)
        return FALSE;
    for (guint i = 0; i < G_N_ELEMENTS(wanted); i++) {
        LpRoute route = lp_network_route(network, wanted[i].from, wanted[i].to, LP_TRAFFIC_DP);
        g_autofree char *label = g_strdup_printf("from %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT,
                                                 wanted[i].from, wanted[i].to);
        lp_test_true(label, route.n_links == wanted[i].n_links);
        lp_test_close(label, route.latency_s, wanted[i].latency_s, 1e-12);
        lp_test_close(label, route.bytes_per_s, wanted[i].bytes_per_s, 1e-12);
        for (guint k = 0; k < MIN(route.n_links, wanted[i].n_links); k++)
            lp_test_true(label,
                         lp_network_link(network, route.links[k]).tier == wanted[i].tiers[k]);
    }
    return TRUE;
}

static void
test_routes(void)
{
    (void)lp_forked_result("routes", check_routes, NULL, NULL, 0);
}

/* A latency is a delay, and so is what takes its isolated time; else each leg is a flow. */
static void
test_message_size(void)
{
    static const struct {
        LpChannelKind kind;
        guint32 n_legs;
        double latency_s;
        guint64 n_delays, n_flows;
    } rows[] = {{LP_CHANNEL_FREE, 1, 1e-6, 0, 0},  {LP_CHANNEL_DELAY, 2, 0.0, 1, 0},
                {LP_CHANNEL_DELAY, 1, 1e-6, 2, 0}, {LP_CHANNEL_MAILBOX, 1, 1e-6, 1, 1},
                {LP_CHANNEL_DIRECT, 1, 0.0, 0, 1}, {LP_CHANNEL_DIRECT, 2, 1e-6, 1, 2}};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpRoute route = {.n_legs = rows[i].n_legs};
        LpMessageSize size = lp_channel_message_size(rows[i].kind, &route, rows[i].latency_s);
        lp_test_true("delays", size.n_delays == rows[i].n_delays);
        lp_test_true("flows", size.n_flows == rows[i].n_flows);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"isolated", test_isolated},
                                       {"halves", test_halves},
                                       {"release", test_release},
                                       {"duplex", test_duplex},
                                       {"incast", test_incast},
                                       {"oversubscribed", test_oversubscribed},
                                       {"fair", test_fair},
                                       {"routes", test_routes},
                                       {"message size", test_message_size},
                                       {NULL, NULL}};
    return lp_test_run("channel", cases);
}
