/* SPDX-License-Identifier: Apache-2.0 */
/* Topologies that are refused, with the rule that they break. */
#include "platforms/machine/topology.h"

#include "base/error.h"
#include "tests/support/small_machine.h"
#include "tests/testlib.h"

#define FABRIC(name, parameters)                                                                   \
    NODE_PROPS PROP("fabric", name) PROP("fabric-parameters", parameters)

static const LpBadMachine bad_rows[] = {
    {"arities",
     {.out = TREE("2;2,3;1,2;1,1")},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_SIZE,
     "the product of the fat tree's arities is 6, but radical says 8 hosts"},
    {"huge arities",
     {.out = TREE("3;1048576,1048576,1048576;1,1,1;1,1,1")},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_SIZE,
     "1099511627776 or more"},
    {"arity 0",
     {.out = TREE("2;0,4;1,2;1,1")},
     lp_input_error_quark,
     LP_INPUT_ERROR_VALUE,
     "topo_parameters: links down: \"0\" is out of range"},
    {"parallel links",
     {.out = TREE("2;2,4;1,2;1,2")},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_VALUE,
     "parallel links (the last list of a FAT_TREE): \"1,2\", wanted 1 for each level"},
    {"levels",
     {.out = TREE("3;2,4;1,2;1,1")},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_VALUE,
     "links down: \"2,4\", wanted a number for each of 3 levels"},
    {"no parameters",
     {.out = OUT " topology='FAT_TREE'"},
     lp_input_error_quark,
     LP_INPUT_ERROR_SYNTAX,
     "<cluster> has no attribute \"topo_parameters\""},
    {"parameters of a flat cluster",
     {.out = OUT " topo_parameters='1;8;1;1'"},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_STRUCTURE,
     "topo_parameters in a flat cluster"},
    {"dimension 1",
     {.out = OUT " topology='TORUS' topo_parameters='8,1'", .out_props = NODE_PROPS},
     lp_input_error_quark,
     LP_INPUT_ERROR_VALUE,
     "topo_parameters: \"1\" is out of range"},
    {"huge torus",
     {.out = OUT " topology='TORUS' topo_parameters='1048576,1048576,1048576,1048576'",
      .out_props = NODE_PROPS},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_SIZE,
     "or more ports, but radical says 8"},
    {"seven dimensions",
     {.out = OUT " topology='TORUS' topo_parameters='2,2,2,2,2,2,2'", .out_props = NODE_PROPS},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_VALUE,
     "7 dimensions, wanted 1 to 6"},
    {"a tree's parameters",
     {.out = OUT " topology='TORUS' topo_parameters='1;8;1;1'", .out_props = NODE_PROPS},
     lp_input_error_quark,
     LP_INPUT_ERROR_SYNTAX,
     "topo_parameters: "},
    {"a torus's parameters",
     {.out = TREE("2,4")},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_VALUE,
     "topo_parameters: \"2,4\", wanted LEVELS;DOWN,...;1,UP,...;1,..."},
    {"a dragonfly's parameters",
     {.out = TREE("2,1;2,1;2,1;1")},
     lp_input_error_quark,
     LP_INPUT_ERROR_SYNTAX,
     "levels of a fat tree: \"2,1\" is not a whole number"},
    {"no parameters of a torus",
     {.out = OUT " topology='TORUS'", .out_props = NODE_PROPS},
     lp_input_error_quark,
     LP_INPUT_ERROR_SYNTAX,
     "<cluster> has no attribute \"topo_parameters\""},
    {"too small a dragonfly",
     {.out = OUT " topology='DRAGONFLY' topo_parameters='2,1;1,1;2,1;1'", .out_props = NODE_PROPS},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_SIZE,
     "the dragonfly has 4 ports, but radical says 8"},
    {"more groups than routers",
     {.out = OUT " topology='DRAGONFLY' topo_parameters='4,1;1,1;2,1;1'", .out_props = NODE_PROPS},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_SIZE,
     "a dragonfly of 4 groups with rows of 2 routers"},
    {"no group",
     {.out = OUT " topology='DRAGONFLY' topo_parameters='0,1;1,1;2,1;1'", .out_props = NODE_PROPS},
     lp_input_error_quark,
     LP_INPUT_ERROR_VALUE,
     "topo_parameters: \"0\" is out of range"},
    {"huge bundle",
     {.out = "id='out' prefix='o-' suffix='' radical='0-7' speed='1f' bw='1EBps' lat='2us' "
             "sharing_policy='SPLITDUPLEX' topology='DRAGONFLY' topo_parameters='2,2;1,1;2,1;2'",
      .out_props = NODE_PROPS},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_VALUE,
     "2 links of 1e+18 B/s side by side"},
    {"unknown fabric",
     {.out = OUT, .out_props = NODE_PROPS PROP("fabric", "slimfly")},
     lp_input_error_quark,
     LP_INPUT_ERROR_NAME,
     "prop fabric: \"slimfly\" is not one of dragonfly, dragonfly-plus"},
    {"no parameters of a fabric",
     {.out = OUT, .out_props = NODE_PROPS PROP("fabric", "dragonfly")},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_STRUCTURE,
     "\"out\" has no prop fabric-parameters, wanted one"},
    {"parameters without a fabric",
     {.out = OUT, .out_props = NODE_PROPS PROP("fabric-parameters", "2,1;2,1;2")},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_STRUCTURE,
     "\"out\" has no prop fabric, wanted one"},
    {"fabric of another form",
     {.out = OUT, .out_props = FABRIC("dragonfly", "2,1;2;2,1")},
     lp_input_error_quark,
     LP_INPUT_ERROR_SYNTAX,
     "prop fabric-parameters: \"2,1;2;2,1\", wanted the form GROUPS,LINKS;ROUTERS,LINKS;PORTS"},
    {"fabric of text",
     {.out = OUT, .out_props = FABRIC("dragonfly-plus", "2,1;x;2;2")},
     lp_input_error_quark,
     LP_INPUT_ERROR_SYNTAX,
     "prop fabric-parameters: \"x\""},
    {"huge fabric",
     {.out = OUT, .out_props = FABRIC("dragonfly-plus", "1048576,1;2;1048576;1048576")},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_SIZE,
     "or more ports, but radical says 8"},
    {"fabric in a tree",
     {.out_props = RAIL_PROPS PROP("fabric", "dragonfly") PROP("fabric-parameters", "2,1;2,1;2")},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_STRUCTURE,
     "prop fabric in a cluster with a topology, wanted a flat cluster"},
};

static void
test_bad(void)
{
    lp_small_machine_check_bad(bad_rows, G_N_ELEMENTS(bad_rows));
}

static void
test_links_limit(void)
{
    LpSmallMachine parts = lp_small_machine;
    parts.out = "id='out' prefix='o-' suffix='' radical='0-1048575' topology='FAT_TREE' "
                "topo_parameters='2;16,65536;1,1048576;1,1' " OUT_REST;
    g_autoptr(GError) error = NULL;
    lp_test_true("refused", lp_small_machine_load(&parts, &error) == NULL);
    lp_test_error("refused", &error, LP_MACHINE_ERROR, LP_MACHINE_ERROR_SIZE,
                  "the fat tree has more than 8388608 links");
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"bad", test_bad}, {"limit of links", test_links_limit}, {NULL, NULL}};
    return lp_test_run("topology", cases);
}
