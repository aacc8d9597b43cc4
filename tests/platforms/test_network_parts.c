/* SPDX-License-Identifier: Apache-2.0 */
/* Technologies in generated files, and power and price of machines that have them. */
#include "platforms/machine/network_parts.h"

#include "base/error.h"
#include "tests/support/generated.h"
#include "tests/testlib.h"

#include <string.h>

#define OPUS_H200                                                                                  \
    "--system=dgx-h100 --accelerators=2048 --technology=pluggable-400g-opus "                      \
    "--switch-technology="

static void
test_generated(void)
{
    g_autofree char *text = lp_generated_text(
        OPUS_H200 "piezo-polatis-192 --domain-technology=waveguide-package", NULL);
    static const char *const parts[] = {
        "<prop id=\"technology\" value=\"optical\"/>",
        "<prop id=\"link-technology\" value=\"waveguide-package\"/>",
        "<prop id=\"link-technology\" value=\"pluggable-400g-opus\"/>",
        "<prop id=\"energy-per-bit\" value=\"4.3pJ/bit\"/>",
        "<prop id=\"transceiver-price\" value=\"879USD\"/>",
        "<prop id=\"source.transceiver-price\" value=\"879USD of pluggable-400g-opus (Opus ",
        "scope: with-host-serdes)\"",
        "<prop id=\"switch-technology\" value=\"piezo-polatis-192\"/>",
        "<prop id=\"transceivers\" value=\"host\"/>",
        "<prop id=\"switch-port-power\" value=\"390.625mW\"/>",
        " --switch-technology=piezo-polatis-192",
    };
    for (gsize i = 0; i < G_N_ELEMENTS(parts); i++)
        lp_test_contains(parts[i], text, parts[i]);
    g_autoptr(LpMachine) machine = lp_machine_parse("t.xml", text, NULL);
    lp_test_true("read back", machine != NULL);
    if (machine == NULL)
        return;
    const LpCluster *out = &machine->cluster[LP_ATTACHMENT_SCALE_OUT];
    lp_test_text("name", out->medium.link_technology, "pluggable-400g-opus");
    lp_test_text("switches", out->medium.switch_technology, "piezo-polatis-192");
    lp_test_true("optical", out->technology == LP_TECHNOLOGY_OPTICAL);
    lp_test_close("energy", out->energy_j_per_bit, 21e-12, 1e-15);
    lp_test_close("port", out->medium.number[LP_MEDIUM_SWITCH_PORT_POWER], 75.0 / 192, 1e-15);
    lp_test_true("unknown", !lp_medium_knows(&out->medium, LP_MEDIUM_CARD_PRICE));
}

/* By hand. A tree in two levels under 2,048 ports has 2,048 + 2 x 2,048 ports of switches, one in
 * three 2,048 + 4 x 2,048; a torus has none. */
static void
test_networks(void)
{
    static const struct {
        const char *label, *options;
        guint64 n_switch_ports, n_transceivers;
        gboolean has_power;
        double price_usd; /* 0: not known */
    } rows[] = {
        {"three levels", OPUS_H200 "electrical-64x400g-opus --levels=3", 10240, 12288, TRUE,
         10240 * 37299.0 / 64 + 879.0 * 12288},
        {"two levels", OPUS_H200 "electrical-64x400g-opus --levels=2", 6144, 8192, TRUE,
         6144 * 37299.0 / 64 + 879.0 * 8192},
        {"circuits", OPUS_H200 "piezo-polatis-192 --topology=crossbar", 2048, 2048, TRUE,
         2048 * 520.0 + 879.0 * 2048},
        {"no power of the port", OPUS_H200 "electrical-400g --topology=crossbar", 2048, 4096, FALSE,
         2048 * 1090.0 + 879.0 * 4096},
        {"two modules a link",
         OPUS_H200 "piezo-polatis-192 --topology=crossbar --scale-out-bandwidth=75GBps", 4096, 4096,
         TRUE, 4096 * 520.0 + 879.0 * 4096},
        {"two planes", OPUS_H200 "piezo-polatis-192 --topology=crossbar --planes=2", 4096, 4096,
         TRUE, 4096 * 520.0 + 879.0 * 4096},
        {"cards",
         "--system=dgx-h100 --accelerators=64 --technology=pluggable-400g "
         "--switch-technology=electrical-400g --topology=crossbar",
         64, 128, FALSE, 64 * 1090.0 + 128 * 659.0 + 64 * 1499.0},
        {"torus",
         "--system=tpu-v4 --accelerators=64 --dimensions=4x4x4 --technology=pluggable-400g-opus", 0,
         384, TRUE, 384 * 879.0},
        {"torus with dimensions of two, one link each",
         "--system=tpu-v4 --accelerators=8 --dimensions=2x2x2 --technology=pluggable-400g-opus", 0,
         24, TRUE, 24 * 879.0},
        {"torus with one dimension of two",
         "--system=tpu-v4 --accelerators=32 --dimensions=2x4x4 --technology=pluggable-400g-opus", 0,
         160, TRUE, 160 * 879.0},
        {"links of 800G at ports of 400G",
         "--system=dgx-h100 --accelerators=64 --technology=pluggable-800g-opus --topology=crossbar "
         "--switch-technology=electrical-64x400g-opus --scale-out-bandwidth=100GBps",
         128, 128, TRUE, 128 * 37299.0 / 64 + 128 * 879.0},
        {"only links", "--system=dgx-h100 --accelerators=64 --technology=pluggable-400g-opus", 192,
         256, FALSE, 0},
        {"nothing said", "--system=dgx-h100 --accelerators=64", 192, 256, FALSE, 0},
        {"one domain", "--system=dgx-h100 --accelerators=8", 0, 0, FALSE, 0},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpMachine) machine = lp_generated_machine_good(rows[i].options);
        if (machine == NULL)
            continue;
        LpMachineNetwork network = lp_machine_network(machine);
        lp_test_close(rows[i].label, (double)network.count.n_switch_ports,
                      (double)rows[i].n_switch_ports, 0);
        lp_test_close(rows[i].label, (double)network.count.n_transceivers,
                      (double)rows[i].n_transceivers, 0);
        lp_test_true(rows[i].label, network.has_power == rows[i].has_power &&
                                        network.has_price == (rows[i].price_usd > 0));
        /* Sums in another order. */
        lp_test_close(rows[i].label, network.cost.price_usd, rows[i].price_usd, 1e-12);
    }
}

/* Opus's own rails are those of a tree of three levels: the same power to the digit. */
static void
test_opus(void)
{
    g_autoptr(LpMachine) machine =
        lp_generated_machine_good(OPUS_H200 "electrical-64x400g-opus --levels=3");
    lp_test_close("power", lp_machine_network(machine).cost.power_w,
                  10240 * 2524.0 / 64 + 10.0 * 12288, 1e-12);
}

static void
test_bad(void)
{
    static const LpBadOptions rows[] = {
        {"link", "--technology=pluggable-400", lp_input_error_quark, LP_INPUT_ERROR_NAME,
         "--technology: got neither electrical nor optical, and \"pluggable-400\" is not one of "},
        {"a switch as link", "--technology=qm9700", lp_input_error_quark, LP_INPUT_ERROR_NAME,
         "--technology: "},
        {"switch", "--switch-technology=polatis", lp_input_error_quark, LP_INPUT_ERROR_NAME,
         "the nearest is "},
        {"domain", "--domain-technology=glass", lp_input_error_quark, LP_INPUT_ERROR_NAME,
         "--domain-technology: "},
    };
    lp_generated_check_bad(rows, G_N_ELEMENTS(rows));
}

/* A property of the file that is no number of its kind. */
static void
test_bad_property(void)
{
    static const struct {
        const char *prop, *message;
        int code;
    } rows[] = {
        {"<prop id='transceiver-price' value='879'/>",
         "prop transceiver-price: \"879\" has no unit", LP_INPUT_ERROR_SYNTAX},
        {"<prop id='static-power' value='-1W'/>", "prop static-power: ", LP_INPUT_ERROR_VALUE},
        {"<prop id='link-rate' value='0Gbps'/>", "prop link-rate: ", LP_INPUT_ERROR_VALUE},
        {"<prop id='link-rate' value='1Bps'/>", "prop link-rate: got \"1Bps\", wanted at least",
         LP_INPUT_ERROR_VALUE},
        {"<prop id='transceivers' value='left'/>", "prop transceivers: \"left\" is not one of both",
         LP_INPUT_ERROR_NAME},
        {"<prop id='link-technology' value=''/>", "prop link-technology: \"\", wanted a name",
         LP_INPUT_ERROR_VALUE},
        {"<prop id='switch-technology' value='abcdefghijklmnopqrstuvwxyz-0123456789'/>",
         "wanted a name of 1 to 31 bytes", LP_INPUT_ERROR_VALUE},
    };
    g_autofree char *text = lp_generated_text("--system=dgx-h100 --accelerators=64", NULL);
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *end = g_strconcat(rows[i].prop, "</cluster>", NULL);
        g_auto(GStrv) pieces = g_strsplit(text, "</cluster>", -1);
        g_autofree char *changed = g_strjoinv(end, pieces);
        g_autoptr(GError) error = NULL;
        g_autoptr(LpMachine) machine = lp_machine_parse("t.xml", changed, &error);
        lp_test_true(rows[i].prop, machine == NULL);
        lp_test_error(rows[i].prop, &error, LP_INPUT_ERROR, rows[i].code, rows[i].message);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"generated", test_generated}, {"networks", test_networks},           {"Opus", test_opus},
        {"bad options", test_bad},     {"bad properties", test_bad_property}, {NULL, NULL}};
    return lp_test_run("network parts", cases);
}
