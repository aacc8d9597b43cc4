/* SPDX-License-Identifier: Apache-2.0 */
/* Routes of the engine's copy of every topology: lengths, tiers, rates, and who meets whom. */
#include "sim/engine/engine.h"
#include "sim/engine/loading.h"
#include "sim/engine/network.h"
#include "sim/run/simulation.h"
#include "tests/support/forked.h"
#include "tests/support/small_machine.h"
#include "tests/testlib.h"

#include <math.h>
#include <stdio.h>

/* Links of 10 GB/s and 2 us, in domains of one accelerator unless a row says otherwise. */
#define PORTS(last) "id='out' prefix='o-' suffix='.x' radical='0-" last "' " OUT_REST
#define SHAPE(last, topology, parameters)                                                          \
    PORTS(last) " topology='" topology "' topo_parameters='" parameters "'"
#define CARDS(n)                                                                                   \
    ROLE_OUT "<prop id='cards-per-domain' value='" n "'/><prop id='technology' value='optical'/>"
#define PROP(id, value) "<prop id='" id "' value='" value "'/>"
#define ONE_CARD CARDS("1") NODE

typedef struct {
    const char *label;
    const char *accelerators, *domain_size; /* the last accelerator's number; NULL: "1" */
    const char *out, *props;
    gboolean (*check)(const LpNetwork *network);
} Row;

static LpMachine *
load(const Row *row)
{
    g_autofree char *up =
        g_strdup_printf("id='up' prefix='u-' suffix='' radical='0-%s' " UP_REST, row->accelerators);
    g_autofree char *up_props =
        g_strdup_printf(ROLE_UP PROP("accelerator", "a100-80") PROP("technology", "optical")
                            PROP("domain-size", "%s"),
                        row->domain_size != NULL ? row->domain_size : "1");
    LpSmallMachine parts = {ZONE, ZONE_PROPS, up, up_props, row->out, row->props};
    return lp_small_machine_load_good(&parts);
}

static gboolean
starts_and_passes(const void *input, void *result)
{
    (void)result;
    const Row *row = input;
    g_autoptr(LpMachine) machine = load(row);
    g_autoptr(GArray) settings = lp_engine_options(1);
    g_autoptr(GError) error = NULL;
    if (machine == NULL)
        return FALSE;
    g_autoptr(LpNetwork) network = lp_network_new(machine);
    lp_test_true(row->label, lp_network_load(network, settings, &error));
    lp_test_text(row->label, error != NULL ? error->message : NULL, NULL);
    if (error != NULL)
        return FALSE;
    lp_test_true("routes are those wanted", row->check(network));
    return TRUE;
}

/* Each machine in a process of its own. */
static void
run_rows(const Row *rows, gsize n_rows)
{
    for (gsize i = 0; i < n_rows; i++)
        (void)lp_forked_result(rows[i].label, starts_and_passes, &rows[i], NULL, 0);
}

static gboolean
close_to(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fabs(b);
}

static LpTier
tier(const LpNetwork *network, const LpRoute *route, guint32 position)
{
    return lp_network_link(network, route->links[position]).tier;
}

static guint32
count_tier(const LpNetwork *network, const LpRoute *route, LpTier wanted)
{
    guint32 n = 0;
    for (guint32 i = 0; i < route->n_links; i++)
        n += tier(network, route, i) == wanted ? 1u : 0u;
    return n;
}

/* Every pair: SimGrid's route is as long as the arithmetic of model/network/hops.c says. */
static gboolean
lengths_agree(const LpNetwork *network, guint32 n_links_max)
{
    const LpMachine *machine = lp_network_machine(network);
    LpFabric fabric = lp_machine_fabric(machine);
    guint32 longest = 0;
    for (guint64 a = 0; a < machine->n_accelerators; a++)
        for (guint64 b = 0; b < machine->n_accelerators; b++) {
            if (lp_machine_domain(machine, a) == lp_machine_domain(machine, b))
                continue;
            LpRoute route = lp_network_route(network, a, b, LP_TRAFFIC_DP);
            longest = MAX(longest, route.n_links);
            if (!close_to(route.latency_s, lp_fabric_latency_s(&fabric, a, b)) ||
                !close_to(route.latency_s, 2e-6 * route.n_links) ||
                !close_to(route.bytes_per_s,
                          lp_machine_link_bytes_per_s(machine, LP_ATTACHMENT_SCALE_OUT))) {
                fprintf(stderr, "%d to %d: %u links, %g s, wanted %g s\n", (int)a, (int)b,
                        route.n_links, route.latency_s, lp_fabric_latency_s(&fabric, a, b));
                return FALSE;
            }
        }
    return longest == n_links_max;
}

static gboolean
torus_has_tier(const LpNetwork *network)
{
    LpRoute route = lp_network_route(network, 0, 7, LP_TRAFFIC_DP);
    return count_tier(network, &route, LP_TIER_TORUS) == route.n_links;
}

static gboolean
check_torus_2d(const LpNetwork *network)
{
    return lengths_agree(network, 2 + 3) && torus_has_tier(network);
}

static gboolean
check_torus_3d(const LpNetwork *network)
{
    return lengths_agree(network, 2 + 1 + 2) && torus_has_tier(network);
}

static gboolean
check_ring(const LpNetwork *network)
{
    return lengths_agree(network, 32);
}

/* Ports at both ends; between groups one global link, of the bandwidth of all that act as one. */
static gboolean
dragonfly_tiers(const LpNetwork *network, guint64 group_ports, double global_bytes_per_s)
{
    const LpMachine *machine = lp_network_machine(network);
    for (guint64 a = 0; a < machine->n_accelerators; a++)
        for (guint64 b = 0; b < machine->n_accelerators; b++) {
            if (a == b)
                continue;
            LpRoute route = lp_network_route(network, a, b, LP_TRAFFIC_DP);
            guint32 n_global = 0;
            for (guint32 i = 0; i < route.n_links; i++) {
                LpLink link = lp_network_link(network, route.links[i]);
                gboolean at_end = i == 0 || i == route.n_links - 1;
                if (at_end != (link.tier == LP_TIER_PORT))
                    return FALSE;
                if (link.tier != LP_TIER_GLOBAL)
                    continue;
                n_global++;
                if (!close_to(link.bytes_per_s, global_bytes_per_s))
                    return FALSE;
            }
            if (n_global != (a / group_ports != b / group_ports ? 1 : 0))
                return FALSE;
        }
    return TRUE;
}

/* Row, column, global, row, column between the routers. */
static gboolean
check_dragonfly(const LpNetwork *network)
{
    return lengths_agree(network, 7) && dragonfly_tiers(network, 2 * 4 * 2, 2 * 10e9);
}

/* At most three steps between routers: local, global, local. */
static gboolean
check_one_row(const LpNetwork *network)
{
    return lengths_agree(network, 2 + 3) && dragonfly_tiers(network, 4 * 2, 2 * 10e9);
}

static gboolean
check_gates(const LpNetwork *network)
{
    return lengths_agree(network, 2 + 3) && dragonfly_tiers(network, 3 * 2, 4 * 10e9);
}

static gboolean
check_plus(const LpNetwork *network)
{
    LpRoute route = lp_network_route(network, 0, 3, LP_TRAFFIC_DP);
    return lengths_agree(network, 5) && dragonfly_tiers(network, 4 * 2, 3 * 10e9) &&
           count_tier(network, &route, LP_TIER_LEAF) == 2 &&
           close_to(lp_network_link(network, route.links[1]).bytes_per_s, 2 * 10e9);
}

/* How many of the flows from each accelerator to the one @shift further meet on the fullest link.
 */
static guint32
fullest(const LpNetwork *network, guint64 shift, LpTraffic traffic)
{
    guint64 n = lp_network_machine(network)->n_accelerators;
    g_autofree guint32 *users = g_new0(guint32, lp_network_n_links(network));
    guint32 most = 0;
    for (guint64 a = 0; a < n; a++) {
        LpRoute route = lp_network_route(network, a, (a + shift) % n, traffic);
        for (guint32 i = 0; i < route.n_links; i++) {
            guint32 n_users = ++users[route.links[i]];
            most = MAX(most, n_users);
        }
    }
    return most;
}

static gboolean
check_shifts(const LpNetwork *network)
{
    for (guint64 shift = 1; shift < lp_network_machine(network)->n_accelerators; shift++)
        if (fullest(network, shift, LP_TRAFFIC_DP) != 1)
            return FALSE;
    return TRUE;
}

static gboolean
check_oversubscribed(const LpNetwork *network)
{
    /* All four ports of a leaf send to another leaf, over its one link. */
    return fullest(network, 4, LP_TRAFFIC_DP) == 4 && fullest(network, 8, LP_TRAFFIC_DP) == 4;
}

static gboolean
check_hash(const LpNetwork *network)
{
    const LpMachine *machine = lp_network_machine(network);
    gboolean collide = FALSE, differ = FALSE;
    for (guint64 shift = 8; shift < 64; shift += 8)
        collide = collide || fullest(network, shift, LP_TRAFFIC_DP) > 1;
    for (guint64 a = 0; a < 8; a++) {
        LpRoute dp = lp_network_route(network, a, a + 8, LP_TRAFFIC_DP);
        LpRoute again = lp_network_route(network, a, a + 8, LP_TRAFFIC_DP);
        LpRoute pp = lp_network_route(network, a, a + 8, LP_TRAFFIC_PP);
        differ = differ || dp.links[1] != pp.links[1];
        if (dp.links[1] != again.links[1] || dp.links[0] != pp.links[0] || dp.from != pp.from ||
            tier(network, &dp, 0) != LP_TIER_PORT || tier(network, &dp, 1) != LP_TIER_LEAF)
            return FALSE;
    }
    /* The last port's link is the same whatever the path, and no alias has a part in the route. */
    return collide && differ && lengths_agree(network, 4) && machine->n_paths == 8;
}

/* Every spine is some path: from one port to another leaf's ports, all eight up-links are met. */
static gboolean
check_spread(const LpNetwork *network)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    for (guint64 b = 8; b < 64; b++)
        (void)g_hash_table_add(
            seen, GUINT_TO_POINTER(lp_network_route(network, 0, b, LP_TRAFFIC_DP).links[1] + 1));
    return g_hash_table_size(seen) == 8;
}

static gboolean
check_striped(const LpNetwork *network)
{
    const LpMachine *machine = lp_network_machine(network);
    LpRoute route = lp_network_route(network, 0, 5, LP_TRAFFIC_DP);
    return lp_machine_n_planes(machine) == 1 && close_to(route.bytes_per_s, 4 * 10e9) &&
           close_to(lp_machine_scale_out_bytes_per_s(machine), 4 * 10e9) &&
           lengths_agree(network, 4);
}

/* Classes on planes of their own share no link; those on one plane share all. */
static gboolean
check_classes(const LpNetwork *network)
{
    LpRoute dp = lp_network_route(network, 0, 5, LP_TRAFFIC_DP);
    LpRoute ep = lp_network_route(network, 0, 5, LP_TRAFFIC_EP);
    LpRoute pp = lp_network_route(network, 0, 5, LP_TRAFFIC_PP);
    LpRoute tied = lp_network_route(network, 0, 5, LP_TRAFFIC_EMBEDDING);
    if (lp_machine_n_planes(lp_network_machine(network)) != 2 || dp.n_links != 4 ||
        ep.n_links != 4 || !close_to(ep.bytes_per_s, 10e9) || dp.from == ep.from)
        return FALSE;
    for (guint32 i = 0; i < 4; i++) {
        for (guint32 k = 0; k < 4; k++)
            if (dp.links[i] == ep.links[k])
                return FALSE;
        if (pp.links[i] != ep.links[i] || tied.links[i] != dp.links[i])
            return FALSE;
    }
    return TRUE;
}

/* Domains of 4 with 4 cards, two of which share a PCIe link of 15 GB/s. */
static gboolean
check_pcie(const LpNetwork *network)
{
    const LpMachine *machine = lp_network_machine(network);
    LpRoute first = lp_network_route(network, 0, 12, LP_TRAFFIC_DP);
    LpRoute second = lp_network_route(network, 1, 13, LP_TRAFFIC_DP);
    LpRoute third = lp_network_route(network, 2, 14, LP_TRAFFIC_DP);
    gboolean good = first.n_links >= 4 && tier(network, &first, 0) == LP_TIER_PORT &&
                    tier(network, &first, 1) == LP_TIER_PCIE &&
                    tier(network, &first, first.n_links - 2) == LP_TIER_PCIE;
    LpLink link = lp_network_link(network, first.links[1]);
    return good && close_to(link.bytes_per_s, 15e9) && link.latency_s <= 0 &&
           first.links[1] == second.links[1] && first.links[1] != third.links[1] &&
           close_to(first.bytes_per_s, 10e9) &&
           close_to(lp_machine_scale_out_bytes_per_s(machine), 7.5e9) &&
           close_to(
               first.latency_s,
               lp_machine_fabric(machine).tiers[lp_machine_fabric(machine).n_tiers - 1].latency_s);
}

static gboolean
check_rails(const LpNetwork *network)
{
    const LpMachine *machine = lp_network_machine(network);
    LpRoute route = lp_network_route(network, 0, 12, LP_TRAFFIC_DP);
    return lp_machine_joined(machine, 0, 12, 0) && lp_machine_joined(machine, 0, 3, 0) &&
           !lp_machine_joined(machine, 0, 13, 0) && lp_machine_relay(machine, 0, 13) == 1 &&
           lp_machine_relay(machine, 6, 15) == 7 && lp_machine_relay(machine, 0, 12) == 0 &&
           lp_machine_relay(machine, 0, 3) == 0 && route.n_links <= 4;
}

static void
test_topologies(void)
{
    static const Row rows[] = {
        {"torus 4 x 7", "27", NULL, SHAPE("27", "TORUS", "4,7"), ONE_CARD, check_torus_2d},
        {"torus 5 x 3 x 4", "59", NULL, SHAPE("59", "TORUS", "5,3,4"), ONE_CARD, check_torus_3d},
        {"ring, longer than a tree's routes", "63", NULL, SHAPE("63", "TORUS", "64"), ONE_CARD,
         check_ring},
        {"torus with ports to spare", "24", NULL, SHAPE("27", "TORUS", "4,7"), ONE_CARD,
         check_torus_2d},
        {"dragonfly", "47", NULL, SHAPE("47", "DRAGONFLY", "3,2;2,1;4,3;2"), ONE_CARD,
         check_dragonfly},
        {"dragonfly of one row, SimGrid's own zone", "23", NULL,
         SHAPE("23", "DRAGONFLY", "3,2;1,1;4,3;2"), ONE_CARD, check_one_row},
        {"dragonfly of more groups than routers", "41", NULL, PORTS("41"),
         ONE_CARD PROP("fabric", "dragonfly") PROP("fabric-parameters", "7,4;3,1;2"), check_gates},
        {"dragonfly+", "31", NULL, PORTS("31"),
         ONE_CARD PROP("fabric", "dragonfly-plus") PROP("fabric-parameters", "4,3;2;4;2"),
         check_plus},
    };
    run_rows(rows, G_N_ELEMENTS(rows));
}

static void
test_trees(void)
{
    static const Row rows[] = {
        {"full, two levels", "15", NULL, SHAPE("15", "FAT_TREE", "2;4,4;1,4;1,1"), ONE_CARD,
         check_shifts},
        {"full, three levels", "31", NULL, SHAPE("31", "FAT_TREE", "3;4,4,2;1,4,4;1,1,1"), ONE_CARD,
         check_shifts},
        {"4:1", "15", NULL, SHAPE("15", "FAT_TREE", "2;4,4;1,1;1,1"), ONE_CARD,
         check_oversubscribed},
        {"hash", "63", NULL, SHAPE("63", "FAT_TREE", "2;8,8;1,8;1,1"),
         ONE_CARD PROP("path-choice", "hash") PROP("paths", "8"), check_hash},
        {"hash, all spines", "63", NULL, SHAPE("63", "FAT_TREE", "2;8,8;1,8;1,1"),
         ONE_CARD PROP("path-choice", "hash") PROP("paths", "8"), check_spread},
    };
    run_rows(rows, G_N_ELEMENTS(rows));
}

static void
test_ports(void)
{
#define PCIE PROP("pcie-ports", "2") PROP("pcie-bandwidth", "15GBps")
    static const Row rows[] = {
        {"striped", "15", NULL, SHAPE("15", "FAT_TREE", "2;4,4;1,4;1,1"),
         ONE_CARD PROP("planes", "4"), check_striped},
        {"by class", "15", NULL, SHAPE("15", "FAT_TREE", "2;4,4;1,4;1,1"),
         ONE_CARD PROP("planes", "2") PROP("plane-use", "class")
             PROP("plane-classes", "tp=0 dp=0 pp=1 ep=1 cp=0"),
         check_classes},
        {"PCIe, crossbar", "15", "4", PORTS("15"), CARDS("4") NODE PCIE, check_pcie},
        {"PCIe, tree", "15", "4", SHAPE("15", "FAT_TREE", "2;4,4;1,2;1,1"), CARDS("4") NODE PCIE,
         check_pcie},
        {"PCIe, tree and paths", "15", "4", SHAPE("15", "FAT_TREE", "2;4,4;1,2;1,1"),
         CARDS("4") NODE PCIE PROP("path-choice", "hash") PROP("paths", "2"), check_pcie},
        {"rails that never meet, crossbar", "15", "4", PORTS("15"),
         CARDS("4") RAIL("4") PROP("joined-rails", "no"), check_rails},
        {"rails that never meet, trees", "15", "4", SHAPE("15", "FAT_TREE", "3;2,2,4;1,2,1;1,1,1"),
         CARDS("4") RAIL("4") PROP("joined-rails", "no"), check_rails},
    };
    run_rows(rows, G_N_ELEMENTS(rows));
}

int
main(void)
{
    static const LpTestCase cases[] = {{"topologies", test_topologies},
                                       {"trees", test_trees},
                                       {"ports", test_ports},
                                       {NULL, NULL}};
    return lp_test_run("network", cases);
}
