/* SPDX-License-Identifier: Apache-2.0 */
/* A small machine in parts that tests replace. */
#include "tests/support/small_machine.h"

#include "tests/support/temporary.h"
#include "tests/testlib.h"

const LpSmallMachine lp_small_machine = {ZONE,      ZONE_PROPS, UP, UP_PROPS, TREE("2;2,4;1,2;1,1"),
                                         RAIL_PROPS};

static char *
platform_text(const LpSmallMachine *parts)
{
    g_autofree char *out = parts->out == NULL ? g_strdup("")
                                              : g_strdup_printf("\n<cluster %s>\n%s</cluster>",
                                                                parts->out, parts->out_props);
    return g_strdup_printf("<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM "
                           "'https://simgrid.org/simgrid.dtd'>\n<platform version='4.1'>\n"
                           "<zone %s>\n%s\n<cluster %s>\n%s</cluster>%s</zone></platform>",
                           parts->zone, parts->zone_props, parts->up, parts->up_props, out);
}

LpMachine *
lp_machine_load_text(const char *text, GError **error)
{
    char *path = lp_temporary_with_suffix(".xml", text, -1);
    LpMachine *machine = lp_machine_load(path, error);
    lp_temporary_remove(path);
    return machine;
}

LpMachine *
lp_small_machine_load(const LpSmallMachine *parts, GError **error)
{
    g_autofree char *text = platform_text(parts);
    return lp_machine_load_text(text, error);
}

LpMachine *
lp_small_machine_load_good(const LpSmallMachine *parts)
{
    g_autoptr(GError) error = NULL;
    LpMachine *machine = lp_small_machine_load(parts, &error);
    lp_test_text("no error", error != NULL ? error->message : "", "");
    return machine;
}
