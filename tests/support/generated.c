/* SPDX-License-Identifier: Apache-2.0 */
/* Machines of a line of options, as tests write them. */
#include "tests/support/generated.h"

#include "tests/testlib.h"

LpMachineSpecification *
lp_generated_specification(const char *options, GError **error)
{
    /* What stands later holds. */
    g_autofree char *line = g_strconcat("--system=generic --accelerators=64 ", options, NULL);
    return lp_specification_parse(g_strchomp(line), error);
}

char *
lp_generated_text(const char *options, GError **error)
{
    g_autoptr(LpMachineSpecification) specification = lp_generated_specification(options, error);
    return specification != NULL ? lp_generate(specification, error) : NULL;
}

LpMachine *
lp_generated_machine(const char *options, GError **error)
{
    g_autofree char *text = lp_generated_text(options, error);
    return text != NULL ? lp_machine_parse(options, text, error) : NULL;
}

LpMachine *
lp_generated_machine_good(const char *options)
{
    g_autoptr(GError) error = NULL;
    LpMachine *machine = lp_generated_machine(options, &error);
    lp_test_text(options, error != NULL ? error->message : NULL, NULL);
    return machine;
}

void
lp_generated_check_bad(const LpBadOptions *rows, gsize n_rows)
{
    for (gsize i = 0; i < n_rows; i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *text = lp_generated_text(rows[i].options, &error);
        lp_test_true(rows[i].label, text == NULL);
        lp_test_error(rows[i].label, &error, rows[i].domain(), rows[i].code, rows[i].part);
    }
}
