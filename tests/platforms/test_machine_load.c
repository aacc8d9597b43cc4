/* SPDX-License-Identifier: Apache-2.0 */
/* One line for each kind of bad description, and good ones pass. */
#include "platforms/machine/machine.h"

#include "base/error.h"
#include "base/file.h"
#include "platforms/machine/describe.h"
#include "platforms/generation/generate.h"
#include "tests/support/small_machine.h"
#include "tests/testlib.h"

#include <string.h>

#define PROPS_WITH(accelerator, size, technology)                                                  \
    ROLE_UP "<prop id='accelerator' value='" accelerator                                           \
            "'/>\n<prop id='domain-size' value='" size                                             \
            "'/>\n<prop id='technology' value='" technology "'/>"

#define PROP(id, value) "<prop id='" id "' value='" value "'/>"
#define FABRIC(name, parameters)                                                                   \
    NODE_PROPS PROP("fabric", name) PROP("fabric-parameters", parameters)
#define CLASSES(text) PROP("planes", "2") PROP("plane-use", "class") PROP("plane-classes", text)

/* NULL: as in lp_small_machine. An empty text takes a part away. */
static const struct {
    const char *label;
    LpSmallMachine parts;
    GQuark (*domain)(void);
    int code;
    const char *part;
} bad_rows[] = {
    {"no system",
     {.zone_props = ""},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_STRUCTURE,
     ":4: <zone> \"m\" has no prop system, wanted one"},
    {"unknown prop",
     {.zone_props = ZONE_PROPS "<prop id='sistem' value='x'/>"},
     lp_input_error_quark,
     LP_INPUT_ERROR_NAME,
     "the nearest is system"},
    {"unknown cluster prop",
     {.up_props = UP_PROPS "\n<prop id='domain-sise' value='4'/>"},
     lp_input_error_quark,
     LP_INPUT_ERROR_NAME,
     ":8: prop: \"domain-sise\" is not one of role"},
    {"prop twice",
     {.zone_props = ZONE_PROPS "\n<prop id='system' value='x'/>"},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_STRUCTURE,
     ":6: prop system stands twice"},
    {"routing",
     {.zone = "id='m' routing='Full'"},
     lp_input_error_quark,
     LP_INPUT_ERROR_SYNTAX,
     ":4: Element 'zone', attribute 'routing'"},
    {"no role",
     {.up_props = "<prop id='domain-size' value='4'/>"},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_STRUCTURE,
     ":6: <cluster> has no prop role"},
    {"bad role",
     {.up_props = "<prop id='role' value='scale'/>"},
     lp_input_error_quark,
     LP_INPUT_ERROR_NAME,
     "prop role: \"scale\" is not one of scale-up, scale-out"},
    {"role twice",
     {.out_props = UP_PROPS},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_STRUCTURE,
     "prop role: scale-up for the second time"},
    {"no scale-up",
     {.up_props = RAIL_PROPS, .out = ""},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_STRUCTURE,
     "no cluster has the role scale-up"},
    {"no scale-out",
     {.out = ""},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_STRUCTURE,
     "4 domains and no cluster with the role scale-out"},
    {"no accelerator",
     {.up_props = ROLE_UP "<prop id='domain-size' value='4'/>"
                          "<prop id='technology' value='optical'/>"},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_STRUCTURE,
     "\"up\" has no prop accelerator"},
    {"unknown accelerator",
     {.up_props = PROPS_WITH("a100", "4", "optical")},
     lp_input_error_quark,
     LP_INPUT_ERROR_NAME,
     ":7: prop accelerator: \"a100\" is not one of v100-32"},
    {"unknown technology",
     {.up_props = PROPS_WITH("a100-80", "4", "copper")},
     lp_input_error_quark,
     LP_INPUT_ERROR_NAME,
     "prop technology: \"copper\""},
    {"domain size 0",
     {.up_props = PROPS_WITH("a100-80", "0", "optical")},
     lp_input_error_quark,
     LP_INPUT_ERROR_VALUE,
     ":8: prop domain-size: \"0\" is out of range"},
    {"domain size text",
     {.up_props = PROPS_WITH("a100-80", "four", "optical")},
     lp_input_error_quark,
     LP_INPUT_ERROR_SYNTAX,
     "prop domain-size: \"four\""},
    {"domain size 5",
     {.up_props = PROPS_WITH("a100-80", "5", "optical")},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_SIZE,
     ":8: prop domain-size: 5, wanted a divisor of the 16 accelerators"},
    {"energy",
     {.up_props = UP_PROPS "<prop id='energy-per-bit' value='5'/>"},
     lp_input_error_quark,
     LP_INPUT_ERROR_SYNTAX,
     "prop energy-per-bit: \"5\" has no unit"},
    {"scale-up tree",
     {.up = UP " topology='FAT_TREE' topo_parameters='1;16;1;1'"},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_STRUCTURE,
     "the scale-up cluster is a fat tree"},
    {"bandwidth 0",
     {.up = "id='up' prefix='u-' suffix='' radical='0-15' speed='1Tf' bw='0GBps' "
            "lat='1us' sharing_policy='SPLITDUPLEX'"},
     lp_input_error_quark,
     LP_INPUT_ERROR_VALUE,
     "<cluster> bw: \"0GBps\" is out of range"},
    {"latency",
     {.up = "id='up' prefix='u-' suffix='' radical='0-15' speed='1Tf' bw='1GBps' "
            "lat='2s' sharing_policy='SPLITDUPLEX'"},
     lp_input_error_quark,
     LP_INPUT_ERROR_VALUE,
     "<cluster> lat: \"2s\" is out of range"},
    {"speed 0",
     {.up = "id='up' prefix='u-' suffix='' radical='0-15' speed='0f' bw='1GBps' "
            "lat='1us' sharing_policy='SPLITDUPLEX'"},
     lp_input_error_quark,
     LP_INPUT_ERROR_VALUE,
     "<cluster> speed: \"0f\" is out of range"},
    {"sharing",
     {.up = "id='up' prefix='u-' suffix='' radical='0-15' speed='1f' bw='1GBps' "
            "lat='1us' sharing_policy='FATPIPE'"},
     lp_input_error_quark,
     LP_INPUT_ERROR_SYNTAX,
     "attribute 'sharing_policy'"},
    {"radical",
     {.up = "id='up' prefix='u-' suffix='' radical='1-15' " UP_REST},
     lp_input_error_quark,
     LP_INPUT_ERROR_SYNTAX,
     "attribute 'radical'"},
    {"too many hosts",
     {.up = "id='up' prefix='u-' suffix='' radical='0-1048576' " UP_REST},
     lp_input_error_quark,
     LP_INPUT_ERROR_VALUE,
     "radical: \"1048576\" is out of range"},
    {"digit before the number",
     {.up = "id='up' prefix='u1' suffix='' radical='0-15' " UP_REST},
     lp_input_error_quark,
     LP_INPUT_ERROR_SYNTAX,
     "attribute 'prefix'"},
    {"unknown attribute",
     {.up = UP " bb_bw='1GBps'"},
     lp_input_error_quark,
     LP_INPUT_ERROR_SYNTAX,
     "The attribute 'bb_bw' is not allowed"},
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
     "topo_parameters: \"0\" is out of range"},
    {"parallel links",
     {.out = TREE("2;2,4;1,2;1,2")},
     lp_input_error_quark,
     LP_INPUT_ERROR_SYNTAX,
     "attribute 'topo_parameters'"},
    {"levels",
     {.out = TREE("3;2,4;1,2;1,1")},
     lp_input_error_quark,
     LP_INPUT_ERROR_SYNTAX,
     "attribute 'topo_parameters'"},
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
     lp_input_error_quark,
     LP_INPUT_ERROR_SYNTAX,
     "attribute 'topo_parameters'"},
    {"a tree's parameters",
     {.out = OUT " topology='TORUS' topo_parameters='1;8;1;1'", .out_props = NODE_PROPS},
     lp_input_error_quark,
     LP_INPUT_ERROR_SYNTAX,
     "topo_parameters: "},
    {"a torus's parameters",
     {.out = TREE("2,4")},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_VALUE,
     "topo_parameters: \"2,4\", wanted LEVELS;DOWN,...;UP,...;1,..."},
    {"a dragonfly's parameters",
     {.out = TREE("2,1;2,1;2,1;1")},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_VALUE,
     "wanted LEVELS;DOWN,"},
    {"no parameters of a torus",
     {.out = OUT " topology='TORUS'", .out_props = NODE_PROPS},
     lp_input_error_quark,
     LP_INPUT_ERROR_SYNTAX,
     "<cluster> has no attribute \"topo_parameters\""},
    {"a torus in rail order",
     {.out = OUT " topology='TORUS' topo_parameters='2,4'"},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_STRUCTURE,
     "prop port-order: rail, wanted node: a torus has no leaves"},
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
    {"a bisection of no size",
     {.zone_props = ZONE_PROPS PROP("published-bisection", "5TBps")},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_STRUCTURE,
     "has no prop published-bisection-accelerators"},
    {"a size of no bisection",
     {.zone_props = ZONE_PROPS PROP("published-bisection-accelerators", "5")},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_STRUCTURE,
     "has no prop published-bisection, wanted one"},
    {"same ids",
     {.zone = "id='up' routing='None'"},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_STRUCTURE,
     "\"up\" names two zones"},
    {"zone named as a host",
     {.zone = "id='u-3' routing='None'"},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_STRUCTURE,
     "\"u-3\" names two zones, or a zone and a host"},
    {"same hosts",
     {.out = "id='out' prefix='u-' suffix='' radical='0-7' topology='FAT_TREE' "
             "topo_parameters='2;2,4;1,2;1,1' " OUT_REST},
     lp_machine_error_quark,
     LP_MACHINE_ERROR_STRUCTURE,
     "both clusters name their hosts \"u-0\""},
};

static void
test_bad(void)
{
    for (gsize i = 0; i < G_N_ELEMENTS(bad_rows); i++) {
        LpSmallMachine parts = bad_rows[i].parts;
        parts.zone = parts.zone != NULL ? parts.zone : lp_small_machine.zone;
        parts.zone_props =
            parts.zone_props != NULL ? parts.zone_props : lp_small_machine.zone_props;
        parts.up = parts.up != NULL ? parts.up : lp_small_machine.up;
        parts.up_props = parts.up_props != NULL ? parts.up_props : lp_small_machine.up_props;
        parts.out_props = parts.out_props != NULL ? parts.out_props : lp_small_machine.out_props;
        if (parts.out == NULL)
            parts.out = lp_small_machine.out;
        else if (parts.out[0] == '\0')
            parts.out = NULL;
        g_autoptr(GError) error = NULL;
        g_autoptr(LpMachine) machine = lp_small_machine_load(&parts, &error);
        lp_test_true(bad_rows[i].label, machine == NULL);
        lp_test_error(bad_rows[i].label, &error, bad_rows[i].domain(), bad_rows[i].code,
                      bad_rows[i].part);
    }
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

static char *
shipped_text(const char *name)
{
    g_autofree char *path = lp_file_find("platforms", name, NULL);
    g_autoptr(GBytes) bytes = lp_file_read(path, NULL);
    return g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
}

/* A text that is not whole, or is changed, is either a machine or refused in one line. */
static gboolean
is_machine_or_one_line(const char *label, const char *text)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(LpMachine) machine = lp_machine_load_text(text, &error);
    lp_test_true(label, (machine != NULL) != (error != NULL));
    lp_test_true(label, error == NULL || (strchr(error->message, '\n') == NULL &&
                                          strstr(error->message, ".xml:") != NULL));
    return machine != NULL;
}

static void
test_truncated(void)
{
    g_autofree char *text = shipped_text("dgx-a100-1024");
    gsize whole = strlen(text);
    for (gsize length = 0; length + 1 < whole; length += 50) {
        g_autofree char *cut = g_strndup(text, length);
        g_autofree char *label = g_strdup_printf("cut after %d bytes", (int)length);
        lp_test_true(label, !is_machine_or_one_line(label, cut));
    }
}

/* Each attribute of the file in turn gets each of the values, or goes. */
static guint
mutate(const char *text)
{
    static const char *const values[] = {
        "0",     "-1",    "nan",           "1e30",      "text",
        "",      "0GBps", "-1us",          "1e30GBps",  "99999999999999999999",
        "1;2;3", "2,2",   "2,1;1,1;2,1;2", "1,1;2;2;2", "hash",
        "class", NULL};
    g_autoptr(GRegex) attribute = g_regex_new(" [a-z_]+=\"([^\"]*)\"", 0, 0, NULL);
    g_autoptr(GMatchInfo) match = NULL;
    guint n_refused = 0;
    for (g_regex_match(attribute, text, 0, &match); g_match_info_matches(match);
         g_match_info_next(match, NULL)) {
        int start, end, value_start, value_end;
        g_match_info_fetch_pos(match, 0, &start, &end);
        g_match_info_fetch_pos(match, 1, &value_start, &value_end);
        g_autofree char *label = g_strndup(text + start, (gsize)(end - start));
        g_autofree char *missing = g_strdup_printf("%.*s%s", start, text, text + end);
        n_refused += !is_machine_or_one_line(label, missing);
        for (const char *const *value = values; *value != NULL; value++) {
            g_autofree char *changed =
                g_strdup_printf("%.*s%s%s", value_start, text, *value, text + value_end);
            n_refused += !is_machine_or_one_line(label, changed);
        }
    }
    return n_refused;
}

/* One machine with the properties that the shipped ones lack, of each topology. */
static void
test_mutated(void)
{
    static const LpGenerateOptions rows[] = {
        {.topology = "torus", .dimensions = "2x4x8", .planes = "2"},
        {.topology = "dragonfly", .router_ports = "4", .group_routers = "8"},
        {.topology = "dragonfly-plus", .router_ports = "4", .group_routers = "4"},
        {.leaf_ports = "8",
         .planes = "2",
         .plane_use = "class",
         .plane_classes = "tp=0 pp=0 dp=1 ep=1 cp=0",
         .path_choice = "hash",
         .paths = "4",
         .pcie_ports = "2",
         .pcie_bandwidth = "64GBps"},
        {.port_order = "rail", .joined_rails = "no", .leaf_ports = "2"}};
    g_autofree char *shipped = shipped_text("dgx-a100-1024");
    lp_test_true("most are refused", mutate(shipped) > 300);
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpGenerateOptions options = rows[i];
        options.system = "generic";
        options.accelerators = "64";
        g_autoptr(GError) error = NULL;
        g_autofree char *text = lp_generate(&options, &error);
        lp_test_text("generated", error != NULL ? error->message : "", "");
        lp_test_true("most are refused", text != NULL && mutate(text) > 300);
    }
}

static void
test_shipped(void)
{
    g_auto(GStrv) names = lp_file_shipped("platforms");
    lp_test_true("shipped", g_strv_length(names) >= 6);
    for (char **name = names; *name != NULL; name++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *path = lp_file_find("platforms", *name, &error);
        g_autoptr(LpMachine) machine = lp_machine_load(path, &error);
        lp_test_true(*name, machine != NULL);
        lp_test_text(*name, error != NULL ? error->message : "", "");
    }
    g_autoptr(GError) error = NULL;
    lp_test_true("unknown", lp_file_find("platforms", "dgx-a100-9", &error) == NULL);
    lp_test_error("unknown", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME,
                  "the nearest is dgx-a100-8");
    lp_test_true("missing", lp_machine_load("/nonexistent.xml", &error) == NULL);
    lp_test_error("missing", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_FILE, "/nonexistent.xml: ");
}

/* The example that people copy. */
static void
test_documentation(void)
{
    g_autofree char *text = NULL;
    lp_test_true("read", g_file_get_contents("docs/platform-format.md", &text, NULL, NULL));
    const char *start = strstr(text, "<?xml");
    const char *end = start != NULL ? strstr(start, "```") : NULL;
    lp_test_true("found", end != NULL);
    g_autofree char *example = g_strndup(start, (gsize)(end - start));
    g_autoptr(GError) error = NULL;
    g_autoptr(LpMachine) machine = lp_machine_load_text(example, &error);
    lp_test_text("example", error != NULL ? error->message : "", "");
    lp_test_true("as the text says", lp_machine_n_domains(machine) == 8 &&
                                         lp_machine_facts(machine).oversubscription == 2);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"bad", test_bad},
                                       {"limit of links", test_links_limit},
                                       {"truncated", test_truncated},
                                       {"mutated", test_mutated},
                                       {"shipped", test_shipped},
                                       {"documentation", test_documentation},
                                       {NULL, NULL}};
    return lp_test_run("machine load", cases);
}
