/* SPDX-License-Identifier: Apache-2.0 */
/* One line for each kind of bad description, and good ones pass. */
#include "platforms/machine/machine.h"

#include "base/error.h"
#include "base/file.h"
#include "platforms/machine/describe.h"
#include "tests/support/small_machine.h"
#include "tests/support/generated.h"
#include "tests/testlib.h"

#include <string.h>

#define PROPS_WITH(accelerator, size, technology)                                                  \
    ROLE_UP "<prop id='accelerator' value='" accelerator                                           \
            "'/>\n<prop id='domain-size' value='" size                                             \
            "'/>\n<prop id='technology' value='" technology "'/>"

static const LpBadMachine bad_rows[] = {
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
     {.up = "id='up' prefix='u-' suffix='' radical='0-2097152' " UP_REST},
     lp_input_error_quark,
     LP_INPUT_ERROR_VALUE,
     "radical: \"2097152\" is out of range"},
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
    lp_small_machine_check_bad(bad_rows, G_N_ELEMENTS(bad_rows));
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
    static const char *const rows[] = {
        "--topology=torus --dimensions=2x4x8 --planes=2",
        "--topology=dragonfly --router-ports=4 --group-routers=8",
        "--topology=dragonfly-plus --router-ports=4 --group-routers=4",
        "--port-order=rail --joined-rails=no --leaf-ports=2 --library=nccl-ampere",
        ("--leaf-ports=8 --planes=2 --plane-use=class --plane-classes=tp=0 pp=0 dp=1 ep=1 cp=0 "
         "--path-choice=hash --paths=4 --pcie-ports=2 --pcie-bandwidth=64GBps")};
    g_autofree char *shipped = shipped_text("dgx-a100-1024");
    lp_test_true("most are refused", mutate(shipped) > 300);
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *text = lp_generated_text(rows[i], &error);
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
    static const LpTestCase cases[] = {
        {"bad", test_bad},         {"truncated", test_truncated},         {"mutated", test_mutated},
        {"shipped", test_shipped}, {"documentation", test_documentation}, {NULL, NULL}};
    return lp_test_run("machine load", cases);
}
