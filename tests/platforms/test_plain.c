/* SPDX-License-Identifier: Apache-2.0 */
/* The engine's copy of a machine: its clusters, paths, PCIe links, planes and zones, as text. That
 * SimGrid loads them, and takes the links that it should, is for tests/sim. */
#include "platforms/plain/plain.h"

#include "tests/support/generated.h"
#include "tests/testlib.h"

#include <string.h>

static guint
count_of(const char *text, const char *part)
{
    guint n = 0;
    for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part))
        n++;
    return n;
}

static void
test_parts(void)
{
    static const struct {
        const char *label, *options, *part;
        guint n; /* how often it stands there */
    } rows[] = {
        {"one domain", "--accelerators=8", "<cluster ", 1},
        {"numbers to the last digit", "", "bw=\"300000000000Bps\" lat=\"2.3500000000000003e-07s\"",
         1},
        {"no port is named twice", "", "prefix=\"out-\" suffix=\"\" radical=\"0-63\"", 1},
        {"a tree", "--leaf-ports=8", "topo_parameters=\"2;8,8;1,8;1,1\"", 1},
        {"striped planes are one", "--planes=4", "bw=\"25000000000Bps\"", 1},
        {"others are not", "--planes=2 --plane-use=class --plane-classes=tp=0 pp=0 dp=1 ep=1 cp=0",
         "bw=\"12500000000Bps\"", 2},
        {"and have names of their own",
         "--planes=2 --plane-use=class --plane-classes=tp=0 pp=0 dp=1 ep=1 cp=0",
         "id=\"scale-out:1\" prefix=\"1:out-\"", 1},
        {"paths", "--leaf-ports=8 --path-choice=hash --paths=4",
         "radical=\"0-255\" speed=\"1Gf\" bw=\"25000000000Bps\"", 1},
        {"below the ports", "--leaf-ports=8 --path-choice=hash --paths=4",
         "\"3;4,8,8;1,1,8;1,1,1\"", 1},
        {"PCIe links", "--topology=crossbar --pcie-ports=2 --pcie-bandwidth=30GBps",
         "\"2;2,32;1,1;1,1\"", 1},
        {"a torus", "--topology=torus --dimensions=4x4x4",
         "topology=\"TORUS\" topo_parameters=\"4,4,4\"", 1},
        {"a group a zone", "--topology=dragonfly-plus --router-ports=4 --group-routers=4",
         "routing=\"Full\"", 5},
        {"a router a cluster", "--topology=dragonfly-plus --router-ports=4 --group-routers=4",
         "router_id=", 16},
        {"pairs of groups", "--topology=dragonfly-plus --router-ports=4 --group-routers=4",
         "<link id=\"scale-out" LP_PLAIN_GLOBAL_LINK, 6},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(LpMachine) machine = lp_generated_machine(rows[i].options, &error);
        lp_test_text(rows[i].label, error != NULL ? error->message : "", "");
        if (machine == NULL)
            continue;
        g_autofree char *text = lp_machine_to_plain(machine);
        if (count_of(text, rows[i].part) != rows[i].n)
            lp_test_text(rows[i].label, text, rows[i].part);
    }
}

static void
test_host_names(void)
{
    g_autoptr(LpMachine) machine =
        lp_generated_machine("--leaf-ports=8 --path-choice=hash --paths=4", NULL);
    g_autofree char *first = lp_plain_host_name(machine, LP_ATTACHMENT_SCALE_OUT, 0, 3, 0);
    g_autofree char *last = lp_plain_host_name(machine, LP_ATTACHMENT_SCALE_OUT, 1, 3, 3);
    g_autofree char *up = lp_plain_host_name(machine, LP_ATTACHMENT_SCALE_UP, 0, 3, 0);
    lp_test_text("first path", first, "out-12");
    lp_test_text("last path, another plane", last, "1:out-15");
    lp_test_text("scale-up", up, "up-3");
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"parts", test_parts}, {"host names", test_host_names}, {NULL, NULL}};
    return lp_test_run("plain", cases);
}
