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

static void
check_bad(const LpBadMachine *row)
{
    LpSmallMachine parts = row->parts;
    parts.zone = parts.zone != NULL ? parts.zone : lp_small_machine.zone;
    parts.zone_props = parts.zone_props != NULL ? parts.zone_props : lp_small_machine.zone_props;
    parts.up = parts.up != NULL ? parts.up : lp_small_machine.up;
    parts.up_props = parts.up_props != NULL ? parts.up_props : lp_small_machine.up_props;
    parts.out_props = parts.out_props != NULL ? parts.out_props : lp_small_machine.out_props;
    if (parts.out == NULL)
        parts.out = lp_small_machine.out;
    else if (parts.out[0] == '\0')
        parts.out = NULL;
    g_autoptr(GError) error = NULL;
    g_autoptr(LpMachine) machine = lp_small_machine_load(&parts, &error);
    lp_test_true(row->label, machine == NULL);
    lp_test_error(row->label, &error, row->domain(), row->code, row->part);
}

void
lp_small_machine_check_bad(const LpBadMachine *rows, gsize n_rows)
{
    for (gsize i = 0; i < n_rows; i++)
        check_bad(&rows[i]);
}
