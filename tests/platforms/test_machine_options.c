/* SPDX-License-Identifier: Apache-2.0 */
/* The table of options: against the catalogue, and what of each is refused. */
#include "platforms/generation/machine_options.h"

#include "base/error.h"
#include "tests/support/generated.h"
#include "tests/testlib.h"

#include <string.h>

static gboolean
stands(LpMachineOptionId option, LpMachineOptionFlags flag)
{
    return (lp_machine_options[option].flags & flag) != 0;
}

/* Every row is whole, and no name stands twice. */
static void
test_table(void)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i < LP_N_MACHINE_OPTIONS; i++) {
        const LpMachineOption *option = &lp_machine_options[i];
        lp_test_true("named", option->name != NULL && option->value != NULL &&
                                  option->help != NULL && option->flags != 0);
        lp_test_true(option->name, g_hash_table_add(seen, (gpointer)(guintptr)option->name));
        lp_test_true(option->name, option->kind != LP_OPTION_KIND_CHOICE || option->names != NULL);
        lp_test_true(option->name, !stands(i, LP_OPTION_NEEDED) || stands(i, LP_OPTION_IN_SYSTEMS));
        if (option->kind == LP_OPTION_KIND_COUNT || option->kind == LP_OPTION_KIND_BANDWIDTH)
            lp_test_true(option->name, option->minimum >= 1 && option->maximum > option->minimum);
    }
    for (guint i = 0; i < LP_N_ACCELERATOR_PROPERTIES; i++)
        lp_test_text("property", lp_machine_options[LP_MACHINE_OPTION_PROPERTY + i].name,
                     lp_accelerator_property_names[i]);
}

static void
test_find(void)
{
    g_autoptr(GError) error = NULL;
    lp_test_true("option", lp_machine_option_find("rails", LP_OPTION_ON_COMMAND_LINE, NULL) ==
                               LP_MACHINE_OPTION_RAILS);
    lp_test_true("parameter", lp_machine_option_find("levels", LP_OPTION_IN_SYSTEMS, NULL) ==
                                  LP_MACHINE_OPTION_LEVELS);
    lp_test_true("no parameter", lp_machine_option_find("rails", LP_OPTION_IN_SYSTEMS, &error) < 0);
    lp_test_error("no parameter", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME,
                  "\"rails\" is not one of accelerator, domain-size, ");
}

enum {
    SYNTAX = LP_INPUT_ERROR_SYNTAX,
    VALUE = LP_INPUT_ERROR_VALUE,
    NAME = LP_INPUT_ERROR_NAME
};

/* A text, and why it is no count, no rate and no time. */
static const struct {
    const char *text;
    int count, bandwidth, time;
} nonsense[] = {
    {"0", VALUE, SYNTAX, SYNTAX},      {"-1", SYNTAX, SYNTAX, SYNTAX},
    {"nan", SYNTAX, SYNTAX, SYNTAX},   {"inf", SYNTAX, SYNTAX, SYNTAX},
    {"1e30", SYNTAX, SYNTAX, SYNTAX},  {"text", SYNTAX, SYNTAX, SYNTAX},
    {"", SYNTAX, SYNTAX, SYNTAX},      {"1.5", SYNTAX, SYNTAX, SYNTAX},
    {"8 ", SYNTAX, SYNTAX, SYNTAX},    {"1e30GBps", SYNTAX, VALUE, SYNTAX},
    {"-1us", SYNTAX, SYNTAX, VALUE},   {"0GBps", SYNTAX, VALUE, SYNTAX},
    {"-1GBps", SYNTAX, VALUE, SYNTAX}, {"nanus", SYNTAX, SYNTAX, SYNTAX},
    {"1e999s", SYNTAX, SYNTAX, VALUE}, {"4294967297", VALUE, SYNTAX, SYNTAX},
    {"2s", SYNTAX, SYNTAX, VALUE},
};

static int
expected_code(LpMachineOptionKind kind, gsize row)
{
    switch (kind) {
    case LP_OPTION_KIND_COUNT:
    case LP_OPTION_KIND_RATIO:
    case LP_OPTION_KIND_DIMENSIONS:
        return nonsense[row].count;
    case LP_OPTION_KIND_BANDWIDTH:
        return nonsense[row].bandwidth;
    case LP_OPTION_KIND_TIME:
        return nonsense[row].time;
    case LP_OPTION_KIND_BOOLEAN:
        return SYNTAX;
    case LP_OPTION_KIND_SYSTEM:
    case LP_OPTION_KIND_ACCELERATOR:
    case LP_OPTION_KIND_CHOICE:
    case LP_OPTION_KIND_CLASSES:
    case LP_OPTION_KIND_PROPERTY:
    default:
        return NAME;
    }
}

/* Those of the accelerator's properties are the catalogue's, those of circuit switches
 * test_circuit_switch.c's, those of blocks, of which 0 is one, tests/cli/test_lattices.py's, and
 * bare numbers tests/cli/test_incast.py's. */
static gboolean
tests_nonsense(guint option)
{
    return stands(option, LP_OPTION_ON_COMMAND_LINE) &&
           lp_machine_options[option].kind != LP_OPTION_KIND_CIRCUIT &&
           lp_machine_options[option].kind != LP_OPTION_KIND_NUMBER &&
           lp_machine_options[option].kind != LP_OPTION_KIND_BLOCKS;
}

/* Every option of the command line with each kind of nonsense: the message names the option. */
static void
test_nonsense(void)
{
    for (guint i = 0; i < LP_MACHINE_OPTION_PROPERTY; i++)
        for (gsize j = 0; tests_nonsense(i) && j < G_N_ELEMENTS(nonsense); j++) {
            const char *texts[LP_N_MACHINE_OPTIONS] = {
                [LP_MACHINE_OPTION_SYSTEM] = "generic", [LP_MACHINE_OPTION_ACCELERATORS] = "64"};
            texts[i] = nonsense[j].text;
            g_autoptr(GError) error = NULL;
            g_autoptr(LpMachineSpecification) specification =
                lp_specification_from_texts(texts, &error);
            g_autofree char *part = g_strdup_printf("--%s: ", lp_machine_options[i].name);
            g_autofree char *label = g_strconcat(part, nonsense[j].text, NULL);
            lp_test_true(label, specification == NULL);
            /* No text is a list of no classes. */
            if (i == LP_MACHINE_OPTION_PLANE_CLASSES && nonsense[j].text[0] == '\0')
                lp_test_error(label, &error, LP_MACHINE_ERROR, LP_MACHINE_ERROR_VALUE, part);
            else
                lp_test_error(label, &error, LP_INPUT_ERROR,
                              expected_code(lp_machine_options[i].kind, j), part);
        }
}

static const LpBadOptions bad_rows[] = {
    {"too large a torus", "--topology=torus --dimensions=1024x1024x4", lp_machine_error_quark,
     LP_MACHINE_ERROR_SIZE, "--dimensions: 1024x1024x4, wanted at most 2097152 ports"},
    {"a torus without a dimension", "--topology=torus --dimensions=64x1", lp_input_error_quark,
     LP_INPUT_ERROR_VALUE, "--dimensions: \"1\" is out of range"},
    {"seven sizes", "--topology=torus --dimensions=2x2x2x2x2x2x2", lp_machine_error_quark,
     LP_MACHINE_ERROR_VALUE, "--dimensions: 7 sizes, wanted at most 6"},
    {"half a ratio", "--oversubscription=3:", lp_input_error_quark, LP_INPUT_ERROR_SYNTAX,
     "--oversubscription: \"\" is not a whole number"},
    {"a ratio of nothing", "--oversubscription=0:1", lp_input_error_quark, LP_INPUT_ERROR_VALUE,
     "--oversubscription: \"0\" is out of range"},
    {"three of a ratio", "--oversubscription=3:2:1", lp_input_error_quark, LP_INPUT_ERROR_SYNTAX,
     "--oversubscription: \"2:1\" is not a whole number"},
    {"a class too few", "--plane-classes=tp=0", lp_machine_error_quark, LP_MACHINE_ERROR_VALUE,
     "--plane-classes: 1 classes, wanted each of tp, pp, dp, ep and cp once"},
    {"a plane too many", "--plane-classes=tp=16 pp=0 dp=0 ep=0 cp=0", lp_input_error_quark,
     LP_INPUT_ERROR_VALUE, "--plane-classes: \"16\" is out of range"},
};

static void
test_bad(void)
{
    lp_generated_check_bad(bad_rows, G_N_ELEMENTS(bad_rows));
}

int
main(void)
{
    static const LpTestCase cases[] = {{"table", test_table},
                                       {"find", test_find},
                                       {"nonsense", test_nonsense},
                                       {"bad", test_bad},
                                       {NULL, NULL}};
    return lp_test_run("machine options", cases);
}
