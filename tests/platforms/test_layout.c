/* SPDX-License-Identifier: Apache-2.0 */
/* The fabric that is planned for so many ports, and those that cannot be. */
#include "platforms/generation/layout.h"

#include "tests/support/generated.h"
#include "tests/testlib.h"

#include <string.h>

static const LpBadOptions bad_rows[] = {
    {"oversubscription", "--accelerators=1024 --leaf-ports=16 --oversubscription=3",
     lp_machine_error_quark, LP_MACHINE_ERROR_VALUE,
     "--oversubscription: 3, wanted a divisor of the 16 ports below a leaf"},
    {"leaf ports", "--accelerators=1024 --leaf-ports=12", lp_machine_error_quark,
     LP_MACHINE_ERROR_SIZE, "--leaf-ports: 12, wanted a multiple of the 8 cards of a domain"},
    {"oversubscription of no whole number",
     "--accelerators=1024 --leaf-ports=16 --oversubscription=3:2", lp_machine_error_quark,
     LP_MACHINE_ERROR_VALUE,
     "--oversubscription: 3:2, wanted a divisor of the 16 ports below a leaf"},
    {"oversubscription of spines",
     "--accelerators=1024 --leaf-ports=8 --levels=3 --spine-oversubscription=3",
     lp_machine_error_quark, LP_MACHINE_ERROR_VALUE,
     "--spine-oversubscription: 3, wanted a divisor of the 8 leaves below a spine"},
    {"too small a torus", "--topology=torus --dimensions=3x7x3", lp_machine_error_quark,
     LP_MACHINE_ERROR_SIZE, "--dimensions: 3x7x3, 63 ports, wanted at least 64"},
    {"a torus of rails", "--topology=torus --port-order=rail", lp_machine_error_quark,
     LP_MACHINE_ERROR_STRUCTURE, "--port-order: rail, wanted node: a torus has no leaves"},
    {"too large a dragonfly", "--topology=dragonfly --group-routers=1048576 --router-ports=8",
     lp_machine_error_quark, LP_MACHINE_ERROR_SIZE, "--accelerators: a dragonfly of 8388608 ports"},
    {"too large a tree", "--accelerators=2097152 --leaf-ports=2000000", lp_machine_error_quark,
     LP_MACHINE_ERROR_SIZE, "a fat tree of 4000000 ports, wanted at most 2097152"},
};

static void
test_bad(void)
{
    lp_generated_check_bad(bad_rows, G_N_ELEMENTS(bad_rows));
}

/* The shape of what is written, by the parameters of the topology. */
static void
test_shapes(void)
{
    static const struct {
        const char *label;
        const char *options;
        const char *part;
    } rows[] = {
        {"two levels hold 64^2 / 2 ports", "--system=dgx-h100 --accelerators=2048",
         "\"2;32,64;1,32;1,1\""},
        {"and no more", "--system=dgx-h100 --accelerators=4096", "\"3;32,16,8;1,32,16;1,1,1\""},
        {"unless told", "--system=dgx-h100 --accelerators=4096 --levels=2",
         "\"2;32,128;1,32;1,1\""},
        {"systems stay as they are", "--system=dgx-a100 --accelerators=131072",
         "\"2;20,6560;1,20;1,1\""},
        {"node order",
         "--accelerators=1024 --leaf-ports=16 --levels=3 --oversubscription=2 "
         "--spine-oversubscription=4",
         "\"3;16,16,4;1,8,4;1,1,1\""},
        {"no third level to join", "--accelerators=128 --leaf-ports=16 --levels=3",
         "\"2;16,8;1,16;1,1\""},
        {"more above than below", "--accelerators=128 --leaf-ports=16 --oversubscription=2:3",
         "\"2;16,8;1,24;1,1\""},
        {"even torus", "--accelerators=4096 --topology=torus", "\"16,16,16\""},
        {"even as can be", "--accelerators=1024 --topology=torus", "\"8,8,16\""},
        {"a port to spare", "--accelerators=7 --domain-size=1 --topology=torus --dimensions=2",
         "\"2,4\""},
        {"a prime", "--accelerators=4093 --domain-size=1 --topology=torus", "\"13,15,21\""},
        {"square", "--accelerators=1024 --topology=torus --dimensions=2", "\"32,32\""},
        {"a ring", "--accelerators=16 --topology=torus --dimensions=1", "\"16\""},
        {"too few for three", "--system=tpu-v4 --accelerators=4", "\"2,2\""},
        {"a pod", "--system=tpu-v4 --accelerators=4096", "\"16,16,16\""},
        {"SimGrid's dragonfly", "--system=frontier --accelerators=1032", "\"2,4;1,1;32,1;16\""},
        {"all of Frontier", "--system=frontier --accelerators=75264", "\"74,4;32,1;16\""},
        {"dragonfly+",
         "--accelerators=512 --topology=dragonfly-plus --router-ports=16 --group-routers=16 "
         "--group-spines=8 --global-links=3",
         "\"2,3;8;16;16\""},
        {"a switch a rail", "--system=rail-only --accelerators=512", "radical=\"0-511\""},
        {"a tree a rail", "--system=rail-only --accelerators=520", "\"3;32,3,8;1,32,1;1,1,1\""},
        {"all of Summit", "--system=summit --accelerators=27648", "\"3;18,256,2;1,18,256;1,1,1\""},
        {"a card's rate", "--system=summit --accelerators=12", "bw=\"12.5GBps\""},
        {"planes share", "--system=p5 --accelerators=16", "bw=\"12.5GBps\""},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *text = lp_generated_text(rows[i].options, &error);
        lp_test_text(rows[i].label, error != NULL ? error->message : "", "");
        if (text != NULL && strstr(text, rows[i].part) == NULL)
            lp_test_text(rows[i].label, text, rows[i].part);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"bad", test_bad}, {"shapes", test_shapes}, {NULL, NULL}};
    return lp_test_run("layout", cases);
}
