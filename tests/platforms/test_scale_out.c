/* SPDX-License-Identifier: Apache-2.0 */
/* Scale-out clusters that are refused: order of ports, rails, planes, paths, PCIe links. */
#include "platforms/machine/scale_out.h"

#include "base/error.h"
#include "platforms/machine/plane_classes.h"
#include "tests/support/small_machine.h"
#include "tests/testlib.h"

#include <string.h>

#define CLASSES(text) PROP("planes", "2") PROP("plane-use", "class") PROP("plane-classes", text)

static const LpBadMachine bad_rows[] = {
    {"a leaf of two rails",
     {.out = TREE("2;4,2;1,4;1,1")},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_SIZE,
     "prop unit-domains: 2, wanted a multiple of the 4 ports below a leaf"},
    {"too few ports",
     {.out_props = ROLE_OUT RAIL("3") OUT_REST_PROPS},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_SIZE,
     "has 8 hosts, wanted at least 10"},
    {"a crossbar's spare ports",
     {.out = "id='out' prefix='o-' suffix='' radical='0-8' " OUT_REST, .out_props = NODE_PROPS},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_SIZE,
     "has 9 hosts, wanted 8: 4 domains"},
    {"cards",
     {.out_props = ROLE_OUT NODE "<prop id='cards-per-domain' value='3'/>"
                                 "<prop id='technology' value='optical'/>"},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_SIZE,
     "prop cards-per-domain: 3, wanted a divisor of the domain size 4"},
    {"unit in node order",
     {.out_props = NODE_PROPS "<prop id='unit-domains' value='2'/>"},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_STRUCTURE,
     "prop unit-domains in node order"},
    {"no unit in rail order",
     {.out_props = ROLE_OUT OUT_REST_PROPS "<prop id='port-order' value='rail'/>"},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_STRUCTURE,
     "\"out\" has no prop unit-domains"},
    {"too few of a torus",
     {.out = OUT " topology='TORUS' topo_parameters='3,3'", .out_props = NODE_PROPS},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_SIZE,
     "the torus has 9 ports, but radical says 8 hosts, wanted the same"},
    {"a torus in rail order",
     {.out = OUT " topology='TORUS' topo_parameters='2,4'"},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_STRUCTURE,
     "prop port-order: rail, wanted node: a torus has no leaves"},
    {"joined-rails",
     {.out_props = RAIL_PROPS PROP("joined-rails", "maybe")},
     lp_input_error_quark,
     LP_INPUT_ERROR_SYNTAX,
     "prop joined-rails: \"maybe\""},
    {"no rails to part",
     {.out = OUT, .out_props = NODE_PROPS PROP("joined-rails", "no")},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_STRUCTURE,
     "prop joined-rails: no, wanted a crossbar or fat tree in rail order"},
    {"a switch of two rails",
     {.out_props = RAIL_PROPS PROP("joined-rails", "no")},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_SIZE,
     "prop joined-rails: no, with 2 ports below a switch under the top and units of 2 domains"},
    {"planes",
     {.out_props = RAIL_PROPS PROP("planes", "17")},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_VALUE,
     "prop planes: 17, wanted at most 16"},
    {"planes 0",
     {.out_props = RAIL_PROPS PROP("planes", "0")},
     lp_input_error_quark,
     LP_INPUT_ERROR_VALUE,
     "prop planes: \"0\" is out of range"},
    {"classes of stripes",
     {.out_props = RAIL_PROPS PROP("plane-classes", "tp=0")},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_STRUCTURE,
     "prop plane-classes with striped planes"},
    {"a class too few",
     {.out_props = RAIL_PROPS CLASSES("tp=0 pp=0 dp=1 ep=1")},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_VALUE,
     "prop plane-classes: 4 classes, wanted each of tp, pp, dp, ep and cp once"},
    {"a class twice",
     {.out_props = RAIL_PROPS CLASSES("tp=0 pp=0 dp=1 ep=1 cp=0 tp=1")},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_VALUE,
     "prop plane-classes: 5 classes"},
    {"an unknown class",
     {.out_props = RAIL_PROPS CLASSES("tp=0 pp=0 dp=1 ep=1 zp=0")},
     lp_input_error_quark,
     LP_INPUT_ERROR_NAME,
     "prop plane-classes: \"zp\" is not one of tp"},
    {"an unknown plane",
     {.out_props = RAIL_PROPS CLASSES("tp=0 pp=0 dp=2 ep=1 cp=0")},
     lp_input_error_quark,
     LP_INPUT_ERROR_VALUE,
     "prop plane-classes: \"2\" is out of range"},
    {"a class without a plane",
     {.out_props = RAIL_PROPS CLASSES("tp pp=0 dp=2 ep=1 cp=0")},
     lp_input_error_quark,
     LP_INPUT_ERROR_SYNTAX,
     "prop plane-classes: \"\""},
    {"paths of a static choice",
     {.out_props = RAIL_PROPS PROP("paths", "2")},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_STRUCTURE,
     "prop paths with one static path"},
    {"paths missing",
     {.out_props = RAIL_PROPS PROP("path-choice", "hash")},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_STRUCTURE,
     "\"out\" has no prop paths, wanted one"},
    {"paths of a crossbar",
     {.out = OUT, .out_props = NODE_PROPS PROP("path-choice", "hash") PROP("paths", "2")},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_STRUCTURE,
     "prop path-choice: hash, wanted static: only a fat tree"},
    {"too many paths",
     {.out_props = RAIL_PROPS PROP("path-choice", "hash") PROP("paths", "65")},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_SIZE,
     "prop paths: 65 for each of 8 ports, wanted at most 64"},
    {"PCIe without bandwidth",
     {.out = OUT, .out_props = NODE_PROPS PROP("pcie-ports", "2")},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_STRUCTURE,
     "\"out\" has no prop pcie-bandwidth"},
    {"PCIe of a rate without unit",
     {.out = OUT, .out_props = NODE_PROPS PROP("pcie-ports", "2") PROP("pcie-bandwidth", "5")},
     lp_input_error_quark,
     LP_INPUT_ERROR_SYNTAX,
     "prop pcie-bandwidth: \"5\" has no unit"},
    {"PCIe of too many",
     {.out = OUT, .out_props = NODE_PROPS PROP("pcie-ports", "4") PROP("pcie-bandwidth", "5GBps")},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_SIZE,
     "prop pcie-ports: 4, wanted a divisor of the 2 cards of a domain"},
    {"PCIe over rails",
     {.out_props = RAIL_PROPS PROP("pcie-ports", "2") PROP("pcie-bandwidth", "5GBps")},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_STRUCTURE,
     "prop pcie-ports in rail order"},
};

static void
test_bad(void)
{
    lp_small_machine_check_bad(bad_rows, G_N_ELEMENTS(bad_rows));
}

/* A plane of each class, in whatever order; nothing is written where one is wrong. */
static void
test_classes(void)
{
    static const guint32 wanted[LP_N_TRAFFIC] = {
        [LP_TRAFFIC_DP] = 1, [LP_TRAFFIC_EP] = 2, [LP_TRAFFIC_EMBEDDING] = 1};
    guint32 planes[LP_N_TRAFFIC] = {0};
    lp_test_true("good", lp_plane_classes_parse("cp=0 ep=2 dp=1 pp=0 tp=0", 3, planes, NULL));
    lp_test_true("as written", memcmp(planes, wanted, sizeof planes) == 0);
    g_autoptr(GError) error = NULL;
    lp_test_true("plane", !lp_plane_classes_parse("cp=1 ep=1 dp=0 pp=0 tp=3", 3, planes, &error));
    lp_test_error("plane", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE, "\"3\" is out of range");
    lp_test_true("as before", memcmp(planes, wanted, sizeof planes) == 0);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"bad", test_bad}, {"classes", test_classes}, {NULL, NULL}};
    return lp_test_run("scale-out", cases);
}
