/* SPDX-License-Identifier: Apache-2.0 */
/* Links and routes by arithmetic are those of the engine that has loaded the plain platform: the
 * same links by name, with the same bandwidths and latencies, and for every pair of ports and every
 * path the same of them in the same order.
 *
 * LIGHTPATH_ROUTE_MACHINES: how many random machines, of up to LIGHTPATH_ROUTE_PORTS ports; with
 * more than 500 ports also large machines of all topologies. */
#include "base/file.h"
#include "platforms/plain/plain.h"
#include "platforms/plain/routes.h"
#include "tests/support/engine_route.h"
#include "tests/support/forked.h"
#include "tests/support/generated.h"
#include "tests/support/small_machine.h"
#include "tests/testlib.h"

#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/link.h>
#include <xbt/sysdep.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MACHINES 24
#define PORTS_MAX 96
#define LARGE 500
#define SEED 20260728u

/* --- the engine's side --- */

static void
start_engine(const LpMachine *machine)
{
    lp_engine_begin();
    g_autofree char *text = lp_machine_to_plain(machine);
    g_autofree char *path = NULL;
    lp_test_true("a file in memory", lp_file_in_memory(text, strlen(text), &path, NULL) >= 0);
    simgrid_load_platform(path);
    /* From 4.1 on, routes are complete from the start of the run on: one of no actors, here. */
    simgrid_run();
}

/* What is checked, and what was found wrong first. */
typedef struct {
    const LpMachine *machine; /* borrowed */
    LpRoutes *routes;         /* owned */
    sg_host_t *hosts;         /* owned, of one plane: by port, and of the scale-out network path */
    GString *wrong;           /* owned */
} Check;

static void complain(Check *self, const char *format, ...) G_GNUC_PRINTF(2, 3);

static void
complain(Check *self, const char *format, ...)
{
    if (self->wrong->len > 0)
        return;
    va_list arguments;
    va_start(arguments, format);
    g_string_append_vprintf(self->wrong, format, arguments);
    va_end(arguments);
}

/* PCIe links are given their bandwidth after loading, and have no latency. */
static void
check_link(Check *self, guint32 index, sg_link_t handle)
{
    LpLink link = lp_routes_link(self->routes, index);
    if (link.tier != LP_TIER_PCIE && (link.bytes_per_s != sg_link_get_bandwidth(handle) ||
                                      link.latency_s != sg_link_get_latency(handle)))
        complain(self, "link %s: %.17g B/s, %.17g s, the engine has %.17g B/s, %.17g s",
                 sg_link_get_name(handle), link.bytes_per_s, link.latency_s,
                 sg_link_get_bandwidth(handle), sg_link_get_latency(handle));
    sg_link_set_data(handle, (void *)(uintptr_t)(index + 1));
}

static void
check_links(Check *self)
{
    g_autoptr(GHashTable) by_name = g_hash_table_new(g_str_hash, g_str_equal);
    sg_link_t *handles = sg_link_list();
    guint32 n = (guint32)sg_link_count();
    for (guint32 i = 0; i < n; i++)
        g_hash_table_insert(by_name, (gpointer)(guintptr)sg_link_get_name(handles[i]), handles[i]);
    xbt_free(handles);
    /* The engine adds a loopback link that nobody uses. */
    if (lp_routes_n_links(self->routes) != n - 1)
        complain(self, "%u links, the engine has %u", lp_routes_n_links(self->routes), n - 1);
    for (guint32 i = 0; i < lp_routes_n_links(self->routes); i++) {
        g_autofree char *name = lp_routes_link_name(self->routes, i);
        sg_link_t handle = g_hash_table_lookup(by_name, name);
        if (handle == NULL)
            complain(self, "link %u is called %s, which the engine does not know", i, name);
        else
            check_link(self, i, handle);
    }
}

/* A pair of ports of a plane. */
typedef struct {
    LpAttachment attachment;
    guint32 plane;
    guint64 from, to;
    guint32 path;
} Pair;

/* The engine's copy has links that only choose the path at both ends of a route. */
static void
check_route(Check *self, Pair pair, sg_host_t from, sg_host_t to, GArray *found)
{
    gboolean is_out = pair.attachment == LP_ATTACHMENT_SCALE_OUT;
    guint skipped = is_out && lp_plain_has_paths(self->machine) ? 1 : 0;
    g_autoptr(GPtrArray) links = lp_engine_route(from, to);
    g_array_set_size(found, 0);
    lp_routes_add(self->routes, pair.attachment, pair.plane, pair.from, pair.to, pair.path, found);
    gboolean good = found->len + 2 * skipped == links->len;
    for (guint i = 0; good && i < found->len; i++)
        good = (guint32)(uintptr_t)sg_link_get_data(links->pdata[i + skipped]) ==
               g_array_index(found, guint32, i) + 1;
    if (!good) {
        GString *text = g_string_new(NULL);
        for (guint i = 0; i < found->len; i++) {
            g_autofree char *name =
                lp_routes_link_name(self->routes, g_array_index(found, guint32, i));
            g_string_append_printf(text, " %s", name);
        }
        g_string_append(text, "; the engine:");
        for (guint i = 0; i < links->len; i++)
            g_string_append_printf(text, " %s", sg_link_get_name(links->pdata[i]));
        complain(self, "%s to %s:%s", sg_host_get_name(from), sg_host_get_name(to), text->str);
        g_string_free(text, TRUE);
    }
}

/* Routes from the first port of the same block differ from those of @pair in the sender's own
 * links alone. @found: those of @pair. */
static void
check_block(Check *self, Pair pair, const GArray *found)
{
    LpPlaneBlock block = lp_routes_block(self->routes, pair.attachment, pair.plane);
    guint64 first = pair.from / block.n_ports * block.n_ports;
    guint n_own = block.n_own;
    if (n_own > 0 && pair.attachment == LP_ATTACHMENT_SCALE_OUT &&
        lp_pcie_host_is_on_way_out(&self->machine->pcie_host))
        n_own--;
    guint64 n_switched = MAX(self->machine->pcie_ports, 1);
    gboolean is_switched = pair.attachment == LP_ATTACHMENT_SCALE_OUT &&
                           (pair.to / n_switched == first / n_switched ||
                            pair.to / n_switched == pair.from / n_switched);
    if (first == pair.to || first == pair.from || is_switched)
        return;
    g_autoptr(GArray) other = g_array_new(FALSE, FALSE, sizeof(guint32));
    lp_routes_add(self->routes, pair.attachment, pair.plane, first, pair.to, pair.path, other);
    gboolean good =
        other->len == found->len && n_own < found->len &&
        (n_own == 0 || g_array_index(found, guint32, 0) != g_array_index(other, guint32, 0));
    for (guint i = n_own; good && i < found->len; i++)
        good = g_array_index(found, guint32, i) == g_array_index(other, guint32, i);
    if (!good)
        complain(self, "to port %u: from %u and %u, of a block, over other links", (guint32)pair.to,
                 (guint32)pair.from, (guint32)first);
}

static sg_host_t
host(const Check *self, Pair pair, guint64 port, guint32 path)
{
    g_autofree char *name =
        lp_plain_host_name(self->machine, pair.attachment, pair.plane, port, path);
    return sg_host_by_name(name);
}

static void
check_plane(Check *self, LpAttachment attachment, guint32 plane)
{
    Pair pair = {.attachment = attachment, .plane = plane};
    guint64 n = self->machine->cluster[attachment].n_hosts;
    guint32 n_paths = attachment == LP_ATTACHMENT_SCALE_OUT ? self->machine->n_paths : 1;
    g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(guint32));
    self->hosts = g_new(sg_host_t, n * n_paths);
    for (guint64 i = 0; i < n * n_paths; i++)
        self->hosts[i] = host(self, pair, i / n_paths, (guint32)(i % n_paths));
    for (pair.from = 0; pair.from < n; pair.from++)
        for (pair.to = 0; pair.to < n; pair.to++)
            for (pair.path = 0; pair.path < n_paths && pair.from != pair.to; pair.path++) {
                check_route(self, pair, self->hosts[pair.from * n_paths],
                            self->hosts[pair.to * n_paths + pair.path], found);
                check_block(self, pair, found);
            }
    g_free(self->hosts);
}

static gboolean
compare(const void *input, GString *out)
{
    Check self = {.machine = input, .wrong = out};
    start_engine(self.machine);
    self.routes = lp_routes_new(self.machine);
    check_links(&self);
    check_plane(&self, LP_ATTACHMENT_SCALE_UP, 0);
    for (guint32 i = 0; self.machine->has_scale_out && i < lp_machine_n_planes(self.machine); i++)
        check_plane(&self, LP_ATTACHMENT_SCALE_OUT, i);
    lp_routes_free(self.routes);
    return TRUE;
}

static void
check_machine(const char *label, const LpMachine *machine)
{
    if (machine == NULL)
        return;
    g_autofree char *wrong = lp_forked_text(label, compare, machine);
    lp_test_text(label, wrong, "");
}

/* --- machines --- */

static guint
setting(const char *name, guint otherwise)
{
    const char *text = g_getenv(name);
    return text != NULL ? (guint)atoi(text) : otherwise;
}

/* A machine of one accelerator a domain for each @n_per_domain ports of the network that @topology
 * and @props describe. Returns: (transfer full). */
static LpMachine *
machine_of(guint64 n_ports, guint n_per_domain, const char *topology, const char *props)
{
    g_autofree char *up =
        g_strdup_printf("id='up' prefix='u-' suffix='' radical='0-%d' " UP_REST, (int)n_ports - 1);
    g_autofree char *up_props =
        g_strdup_printf(ROLE_UP PROP("accelerator", "a100-80") PROP("technology", "optical")
                            PROP("domain-size", "%u"),
                        n_per_domain);
    g_autofree char *out =
        g_strdup_printf("id='out' prefix='o-' suffix='.x' radical='0-%d' " OUT_REST " %s",
                        (int)n_ports - 1, topology);
    g_autofree char *out_props =
        g_strdup_printf(ROLE_OUT PROP("cards-per-domain", "%u") PROP("technology", "optical") "%s",
                        n_per_domain, props);
    LpSmallMachine parts = {ZONE, ZONE_PROPS, up, up_props, out, out_props};
    return lp_small_machine_load_good(&parts);
}

#define CLASSES                                                                                    \
    PROP("planes", "2")                                                                            \
    PROP("plane-use", "class")                                                                     \
    PROP("plane-classes", "tp=0 pp=0 dp=1 ep=1 "                                                   \
                          "cp=0")

typedef struct {
    const char *label;
    guint n_ports, n_per_domain;
    const char *topology, *props;
} Row;

#define TREE_OF(parameters) "topology='FAT_TREE' topo_parameters='" parameters "'"

static const Row rows[] = {
    {"a switch", 6, 1, "", NODE},
    {"two ports", 2, 1, "", NODE},
    {"a switch, two planes", 6, 1, "", NODE CLASSES},
    {"a switch, PCIe links", 12, 4, "",
     NODE PROP("pcie-ports", "2") PROP("pcie-bandwidth", "7GBps")},
    {"one level", 6, 1, TREE_OF("1;6;1;1"), NODE},
    {"two levels", 12, 1, TREE_OF("2;3,4;1,2;1,1"), NODE},
    {"more up-links than ports", 12, 1, TREE_OF("2;3,4;1,7;1,1"), NODE},
    {"leaves of one port", 5, 1, TREE_OF("2;1,5;1,3;1,1"), NODE},
    {"one leaf", 5, 1, TREE_OF("2;5,1;1,3;1,1"), NODE},
    {"three levels", 24, 1, TREE_OF("3;2,3,4;1,3,2;1,1,1"), NODE},
    {"three levels, counts that share no factor", 30, 1, TREE_OF("3;5,3,2;1,7,3;1,1,1"), NODE},
    {"two levels, two planes, places not a multiple of the up-links", 10, 1,
     TREE_OF("2;5,2;1,3;1,1"), NODE CLASSES},
    {"three levels, three planes", 12, 1, TREE_OF("3;3,2,2;1,5,2;1,1,1"),
     NODE PROP("planes", "3") PROP("plane-use", "class")
         PROP("plane-classes", "tp=0 pp=2 dp=1 ep=1 cp=0")},
    {"hashed paths", 12, 1, TREE_OF("2;3,4;1,4;1,1"),
     NODE PROP("path-choice", "hash") PROP("paths", "3")},
    {"hashed paths, three levels, two planes", 12, 1, TREE_OF("3;3,2,2;1,3,2;1,1,1"),
     NODE CLASSES PROP("path-choice", "hash") PROP("paths", "4")},
    {"PCIe links", 16, 4, TREE_OF("2;4,4;1,3;1,1"),
     NODE PROP("pcie-ports", "2") PROP("pcie-bandwidth", "7GBps")},
    {"PCIe links and paths, a leaf for each", 12, 4, TREE_OF("2;2,6;1,4;1,1"),
     NODE PROP("pcie-ports", "2") PROP("pcie-bandwidth", "7GBps") PROP("path-choice", "hash")
         PROP("paths", "4")},
    {"rail order", 16, 2, TREE_OF("2;4,4;1,2;1,1"), RAIL("4")},
    {"a ring of two", 2, 1, "topology='TORUS' topo_parameters='2'", NODE},
    {"a ring of five", 5, 1, "topology='TORUS' topo_parameters='5'", NODE},
    {"odd and even dimensions", 60, 1, "topology='TORUS' topo_parameters='3,4,5'", NODE},
    {"four dimensions, two planes", 36, 1, "topology='TORUS' topo_parameters='2,3,2,3'",
     NODE CLASSES},
    {"SimGrid's dragonfly", 24, 1, "topology='DRAGONFLY' topo_parameters='3,2;1,1;4,3;2'", NODE},
    {"SimGrid's dragonfly, two planes", 16, 1,
     "topology='DRAGONFLY' topo_parameters='2,2;1,1;4,3;2'", NODE CLASSES},
    {"SimGrid's dragonfly, one group", 6, 1, "topology='DRAGONFLY' topo_parameters='1,1;1,1;3,1;2'",
     NODE},
    {"a dragonfly of several rows", 48, 1, "topology='DRAGONFLY' topo_parameters='2,2;3,5;4,3;2'",
     NODE},
    {"a dragonfly with gates", 45, 1, "",
     NODE PROP("fabric", "dragonfly") PROP("fabric-parameters", "5,4;3,2;3")},
    {"a dragonfly with gates, two planes", 24, 1, "",
     NODE CLASSES PROP("fabric", "dragonfly") PROP("fabric-parameters", "4,4;3,2;2")},
    {"a dragonfly+", 40, 1, "",
     NODE PROP("fabric", "dragonfly-plus") PROP("fabric-parameters", "5,4;3;4;2")},
    {"a dragonfly+ of one group", 8, 1, "",
     NODE PROP("fabric", "dragonfly-plus") PROP("fabric-parameters", "1,1;3;4;2")},
};

static void
test_rows(void)
{
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpMachine) machine =
            machine_of(rows[i].n_ports, rows[i].n_per_domain, rows[i].topology, rows[i].props);
        check_machine(rows[i].label, machine);
    }
}

/* Systems as they are generated, with what they leave out or have to spare. */
static void
test_generated(void)
{
    static const struct {
        const char *options;
        gboolean is_large;
    } systems[] = {
        {"--system=generic --accelerators=1", FALSE},
        {"--system=dgx-a100 --accelerators=64", FALSE},
        {"--system=polaris --accelerators=64", FALSE},
        {"--system=rail-only --accelerators=512", FALSE},
        {"--system=ocs --accelerators=64", FALSE},
        {"--system=optical-substrate --accelerators=64 --domain-size=32", FALSE},
        {"--system=tpu-v4 --accelerators=64", FALSE},
        {"--system=tpu-v4 --accelerators=60 --turns=yes", FALSE},
        {"--system=tpu-v4 --accelerators=32 --dimensions=4x8 --twist=yes", FALSE},
        {"--system=tpu-v4 --accelerators=54 --twist=yes --planes=2 --plane-use=class "
         "--plane-classes=tp=0 pp=0 dp=1 ep=1 cp=0",
         FALSE},
        {"--system=tpu-v4 --accelerators=32 --twist=yes", FALSE},
        {"--system=tpu-v4 --accelerators=256 --twist=yes", TRUE},
        {"--system=generic --accelerators=1280 --domain-size=1", TRUE},
        {"--system=dgx-h100 --accelerators=2304", TRUE},
        {"--system=dgx-h100 --accelerators=768 --port-order=node --oversubscription=4", TRUE},
        {"--system=generic --accelerators=1200 --domain-size=1 --leaf-ports=20 --levels=3", TRUE},
        {"--system=generic --accelerators=1024 --leaf-ports=16 --path-choice=hash --paths=3", TRUE},
        {"--system=generic --accelerators=1024 --domain-size=1 --topology=torus "
         "--dimensions=8x8x16",
         TRUE},
        {"--system=generic --accelerators=1024 --domain-size=1 --topology=torus "
         "--dimensions=5x7x30",
         TRUE},
        {"--system=generic --accelerators=1024 --domain-size=1 --topology=dragonfly", TRUE},
        {"--system=generic --accelerators=1024 --domain-size=1 --topology=dragonfly-plus", TRUE},
        {"--system=frontier --accelerators=2048", TRUE},
    };
    guint ports_max = setting("LIGHTPATH_ROUTE_PORTS", PORTS_MAX);
    for (gsize i = 0; i < G_N_ELEMENTS(systems); i++) {
        if (systems[i].is_large && ports_max < LARGE)
            continue;
        g_autoptr(LpMachine) machine = lp_generated_machine_good(systems[i].options);
        check_machine(systems[i].options, machine);
    }
}

/* --- random machines --- */

static guint32
draw(GRand *random, guint32 first, guint32 last)
{
    return (guint32)g_rand_int_range(random, (gint32)first, (gint32)last + 1);
}

static char *
random_tree(GRand *random, guint32 *out_n_ports)
{
    guint32 n_levels = draw(random, 1, LP_FAT_TREE_LEVELS_MAX);
    GString *down = g_string_new(NULL), *up = g_string_new(NULL), *ones = g_string_new(NULL);
    *out_n_ports = 1;
    for (guint32 i = 0; i < n_levels; i++) {
        guint32 arity = draw(random, 1, 6);
        *out_n_ports *= arity;
        g_string_append_printf(down, "%s%u", i == 0 ? "" : ",", arity);
        g_string_append_printf(up, "%s%u", i == 0 ? "" : ",", i == 0 ? 1 : draw(random, 1, 7));
        g_string_append(ones, i == 0 ? "1" : ",1");
    }
    char *text = g_strdup_printf("topology='FAT_TREE' topo_parameters='%u;%s;%s;%s'", n_levels,
                                 down->str, up->str, ones->str);
    g_string_free(down, TRUE);
    g_string_free(up, TRUE);
    g_string_free(ones, TRUE);
    return text;
}

static char *
random_torus(GRand *random, guint32 *out_n_ports)
{
    guint32 n = draw(random, 1, 4);
    GString *text = g_string_new("topology='TORUS' topo_parameters='");
    *out_n_ports = 1;
    for (guint32 i = 0; i < n; i++) {
        guint32 size = draw(random, 2, 8);
        *out_n_ports *= size;
        g_string_append_printf(text, "%s%u", i == 0 ? "" : ",", size);
    }
    g_string_append_c(text, '\'');
    return g_string_free(text, FALSE);
}

static char *
random_dragonfly(GRand *random, guint32 *out_n_ports)
{
    guint32 rows_of = draw(random, 1, 3), routers = draw(random, 1, 5);
    guint32 groups = draw(random, 1, routers), ports = draw(random, 1, 3);
    *out_n_ports = groups * rows_of * routers * ports;
    return g_strdup_printf("topology='DRAGONFLY' topo_parameters='%u,%u;%u,%u;%u,%u;%u'", groups,
                           draw(random, 1, 4), rows_of, draw(random, 1, 4), routers,
                           draw(random, 1, 4), ports);
}

static char *
random_fabric(GRand *random, guint32 *out_n_ports)
{
    guint32 groups = draw(random, 1, 8), routers = draw(random, 1, 5), ports = draw(random, 1, 3);
    *out_n_ports = groups * routers * ports;
    if (draw(random, 0, 1) == 0)
        return g_strdup_printf(PROP("fabric", "dragonfly")
                                   PROP("fabric-parameters", "%u,%u;%u,%u;%u"),
                               groups, draw(random, 1, 4), routers, draw(random, 1, 4), ports);
    return g_strdup_printf(PROP("fabric", "dragonfly-plus")
                               PROP("fabric-parameters", "%u,%u;%u;%u;%u"),
                           groups, draw(random, 1, 4), draw(random, 1, 4), routers, ports);
}

/* Returns: (transfer full), or NULL if what was drawn is too large. */
static LpMachine *
random_machine(GRand *random, guint ports_max, char **out_label)
{
    guint32 kind = draw(random, 0, 5), n_ports = 0;
    g_autofree char *drawn = kind < 3    ? random_tree(random, &n_ports)
                             : kind == 3 ? random_torus(random, &n_ports)
                             : kind == 4 ? random_dragonfly(random, &n_ports)
                                         : random_fabric(random, &n_ports);
    gboolean planes = draw(random, 0, 2) == 0;
    /* Several paths are a tree's of more than one level. */
    guint32 n_paths = kind < 3 && strchr(drawn, ',') != NULL ? draw(random, 1, 4) : 1;
    g_autofree char *paths =
        n_paths > 1 ? g_strdup_printf(PROP("path-choice", "hash") PROP("paths", "%u"), n_paths)
                    : g_strdup("");
    g_autofree char *props =
        g_strconcat(NODE, planes ? CLASSES : "", paths, kind == 5 ? drawn : "", NULL);
    *out_label = g_strconcat(kind == 5 ? "" : drawn, " ", props, NULL);
    if (n_ports < 2 || n_ports * n_paths > ports_max)
        return NULL;
    return machine_of(n_ports, 1, kind == 5 ? "" : drawn, props);
}

static void
test_random(void)
{
    GRand *random = g_rand_new_with_seed(SEED);
    guint ports_max = setting("LIGHTPATH_ROUTE_PORTS", PORTS_MAX);
    guint wanted = setting("LIGHTPATH_ROUTE_MACHINES", MACHINES);
    for (guint n = 0; n < wanted;) {
        g_autofree char *label = NULL;
        g_autoptr(LpMachine) machine = random_machine(random, ports_max, &label);
        check_machine(label, machine);
        n += machine != NULL ? 1 : 0;
    }
    g_rand_free(random);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"rows", test_rows}, {"generated", test_generated}, {"random", test_random}, {NULL, NULL}};
    return lp_test_run("routes", cases);
}
