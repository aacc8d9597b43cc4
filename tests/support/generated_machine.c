/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/generated_machine.h"

#include "tests/testlib.h"

LpMachine *
lp_generated_machine(const LpGenerateOptions *options)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *text = lp_generate(options, &error);
    LpMachine *machine = text != NULL ? lp_machine_parse("generated", text, &error) : NULL;
    lp_test_text(options->system, error != NULL ? error->message : NULL, NULL);
    return machine;
}
