/* SPDX-License-Identifier: Apache-2.0 */
/* Options in the place of a system's values: what holds, who said so, and what follows. */
#include "platforms/generation/machine_settings.h"

#include "base/error.h"
#include "tests/support/generated.h"
#include "tests/testlib.h"

static const LpBadOptions bad_rows[] = {
    {"system", "--system=dgx", lp_input_error_quark, LP_INPUT_ERROR_NAME,
     "--system: \"dgx\" is not one of "},
    {"accelerator", "--accelerator=a100", lp_input_error_quark, LP_INPUT_ERROR_NAME,
     "--accelerator: \"a100\" is not one of v100-32"},
    {"no accelerators", "--accelerators=0", lp_input_error_quark, LP_INPUT_ERROR_VALUE,
     "--accelerators: \"0\" is out of range"},
    {"an unknown option", "--planet=2", lp_input_error_quark, LP_INPUT_ERROR_NAME,
     "options of a machine: \"planet\" is not one of system, "},
    {"a parameter that is no option", "--accelerators-per-nic=2", lp_input_error_quark,
     LP_INPUT_ERROR_NAME, "\"accelerators-per-nic\" is not one of "},
    {"no value", "--planes", lp_input_error_quark, LP_INPUT_ERROR_SYNTAX,
     "--planes: \"\" is not a whole number"},
    {"ports that are no planes", "--ports-per-accelerator=x", lp_input_error_quark,
     LP_INPUT_ERROR_SYNTAX, "--ports-per-accelerator: \"x\" is not a whole number"},
    {"a property", "--peak-bf16=fast", lp_input_error_quark, LP_INPUT_ERROR_SYNTAX,
     "--peak-bf16: \"fast\" is not a speed"},
};

static void
test_bad(void)
{
    lp_generated_check_bad(bad_rows, G_N_ELEMENTS(bad_rows));
}

/* A value, its text and where it comes from, by option. */
static void
test_origins(void)
{
    static const struct {
        const char *label, *options;
        LpMachineOptionId option;
        const char *text, *source; /* NULL: no value */
        gboolean is_given;
    } rows[] = {
        {"as the system has it", "", LP_MACHINE_OPTION_PORT_ORDER, "node",
         "free choice: the order of a classic fat tree", FALSE},
        {"the number of accelerators", "", LP_MACHINE_OPTION_ACCELERATORS, "64",
         "given on the command line", TRUE},
        {"as written", "--domain-bandwidth=1 TBps", LP_MACHINE_OPTION_DOMAIN_BANDWIDTH, "1 TBps",
         "given on the command line", TRUE},
        {"a part of a domain", "--accelerators=4", LP_MACHINE_OPTION_DOMAIN_SIZE, "4",
         "a part of one domain of 8", FALSE},
        {"unless asked for", "--accelerators=4 --domain-size=2", LP_MACHINE_OPTION_DOMAIN_SIZE, "2",
         "given on the command line", TRUE},
        {"rails imply an order", "--rails=4", LP_MACHINE_OPTION_PORT_ORDER, "rail",
         "follows from --rails on the command line", FALSE},
        {"unless asked for, before", "--port-order=node --rails=4", LP_MACHINE_OPTION_PORT_ORDER,
         "node", "given on the command line", TRUE},
        {"or behind", "--rails=4 --port-order=node", LP_MACHINE_OPTION_PORT_ORDER, "node",
         "given on the command line", TRUE},
        {"ports imply planes", "--ports-per-accelerator=4", LP_MACHINE_OPTION_PLANES, "4",
         "follows from --ports-per-accelerator on the command line", FALSE},
        {"unless asked for", "--ports-per-accelerator=4 --planes=2", LP_MACHINE_OPTION_PLANES, "2",
         "given on the command line", TRUE},
        {"a card's rate", "--system=summit --accelerators=12", LP_MACHINE_OPTION_NIC_BANDWIDTH,
         "12.5GBps", NULL, FALSE},
        {"gives way to an accelerator's",
         "--system=summit --accelerators=12 --scale-out-bandwidth=9GBps",
         LP_MACHINE_OPTION_NIC_BANDWIDTH, NULL, NULL, FALSE},
        {"unless asked for",
         "--system=summit --accelerators=12 --nic-bandwidth=7GBps --scale-out-bandwidth=9GBps",
         LP_MACHINE_OPTION_NIC_BANDWIDTH, "7GBps", "given on the command line", TRUE},
        {"the last of two", "--planes=2 --planes=4", LP_MACHINE_OPTION_PLANES, "4",
         "given on the command line", TRUE},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(LpMachineSpecification) specification =
            lp_generated_specification(rows[i].options, &error);
        lp_test_text(rows[i].label, error != NULL ? error->message : "", "");
        if (specification == NULL)
            continue;
        const LpOptionOrigin *origin = &specification->origin[rows[i].option];
        lp_test_text(rows[i].label, origin->text, rows[i].text);
        lp_test_true(rows[i].label, lp_specification_has(specification, rows[i].option) ==
                                            (rows[i].text != NULL) &&
                                        lp_specification_is_given(specification, rows[i].option) ==
                                            rows[i].is_given);
        if (rows[i].source != NULL)
            lp_test_text(rows[i].label, origin->source, rows[i].source);
    }
}

/* Another accelerator keeps what was said of it, whichever was said first. */
static void
test_properties(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(LpMachineSpecification) self = lp_specification_new("generic", 64, &error);
    LpMachineOptionId bf16 = LP_MACHINE_OPTION_PROPERTY + LP_PRECISION_BF16;
    lp_test_true("set",
                 lp_specification_set(self, bf16, "1Pf", &error) &&
                     lp_specification_set(self, LP_MACHINE_OPTION_ACCELERATOR, "h100-sxm", &error));
    lp_test_close("kept", self->accelerator.peak_flop_per_s[LP_PRECISION_BF16], 1e15, 1e-15);
    lp_test_text("from", self->origin[LP_MACHINE_OPTION_ACCELERATOR].text, "h100-sxm");
    lp_test_true("refused", !lp_specification_set(self, bf16, "none", &error));
    lp_test_error("refused", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_SYNTAX, "--peak-bf16: ");
    lp_test_close("as before", self->accelerator.peak_flop_per_s[LP_PRECISION_BF16], 1e15, 1e-15);
}

/* A command and its machine are the same thing. */
static void
test_command(void)
{
    static const char line[] = "--system=generic --accelerators=64 --domain-bandwidth=1 TBps "
                               "--rails=4 --plane-classes=tp=0 pp=0 dp=1 ep=1 cp=0 --memory=96GB";
    g_autoptr(LpMachineSpecification) self = lp_specification_parse(line, NULL);
    g_autofree char *command = lp_specification_command(self);
    g_autofree char *wanted = g_strconcat("lightpath platform generate ", line, NULL);
    lp_test_text("command", command, wanted);
    lp_test_true("typed", self->scale_out.n_rails == 4 && self->domain.bytes_per_s == 1e12 &&
                              self->planes.traffic_plane[LP_TRAFFIC_DP] == 1 &&
                              self->planes.traffic_plane[LP_TRAFFIC_TP] == 0 &&
                              self->accelerator.memory_bytes == 96e9);
}

/* A machine has a system and a size. */
static void
test_incomplete(void)
{
    static const char *const lines[] = {"--system=generic", "--accelerators=8", "--rails=4"};
    for (guint i = 0; i < G_N_ELEMENTS(lines); i++) {
        g_autoptr(GError) error = NULL;
        lp_test_true(lines[i], lp_specification_parse(lines[i], &error) == NULL);
        lp_test_error(lines[i], &error, LP_MACHINE_ERROR, LP_MACHINE_ERROR_STRUCTURE,
                      "got no --system or no --accelerators, wanted both");
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"bad", test_bad},         {"origins", test_origins},       {"properties", test_properties},
        {"command", test_command}, {"incomplete", test_incomplete}, {NULL, NULL}};
    return lp_test_run("machine settings", cases);
}
