/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of generated machines, counted by hand. */
#include "platforms/machine/part_count.h"

#include "tests/support/generated.h"
#include "tests/testlib.h"

static void
test_counts(void)
{
    static const struct {
        const char *options;
        guint64 host_size, hosts, cards, switches, ocs;
    } rows[] = {
        /* 8 domains of 8 in rails: a leaf of 8 ports for each, and as many above as a leaf has. */
        {"--system=dgx-a100 --accelerators=64 --oversubscription=1", 8, 8, 64, 16, 0},
        /* Hosts of 4 in a domain of 72; a host is no larger than a domain. */
        {"--system=gb200-nvl72 --accelerators=144", 4, 36, 144, G_MAXUINT64, 0},
        {"--system=polaris --accelerators=64", 8, 16, 32, 0, 0},
        /* A torus of chips: a domain has one, a host four. */
        {"--system=tpu-v4 --accelerators=4096", 4, 1024, 4096, 0, 0},
        /* A switch for each of 8 rails; of 192 ports, two for each of 128 attachments. */
        {"--system=ocs --accelerators=128 --policy=demand", 8, 16, 128, 0, 8},
        {"--system=ocs --accelerators=128 --policy=demand --ports-per-accelerator=2 "
         "--ocs-ports=192",
         8, 16, 128, 0, 2},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpMachine) machine = lp_generated_machine_good(rows[i].options);
        if (machine == NULL)
            continue;
        guint64 size = rows[i].host_size;
        const guint64 got[] = {lp_machine_part_count(machine, LP_PART_HOST, size),
                               lp_machine_part_count(machine, LP_PART_CARD, size),
                               lp_machine_part_count(machine, LP_PART_SWITCH, size),
                               lp_machine_part_count(machine, LP_PART_OCS, size)};
        g_autofree char *label = g_strdup_printf(
            "%s: %" G_GUINT64_FORMAT " hosts, %" G_GUINT64_FORMAT " cards, %" G_GUINT64_FORMAT
            " switches, %" G_GUINT64_FORMAT " circuit switches",
            rows[i].options, got[0], got[1], got[2], got[3]);
        lp_test_true(label, got[0] == rows[i].hosts && got[1] == rows[i].cards &&
                                (rows[i].switches == G_MAXUINT64 || got[2] == rows[i].switches) &&
                                got[3] == rows[i].ocs);
        lp_test_true(label, lp_machine_part_count(machine, LP_PART_ACCELERATOR, size) ==
                                    machine->n_accelerators &&
                                lp_machine_part_count(machine, LP_PART_LINK, size) == got[1] &&
                                lp_machine_part_count(machine, LP_PART_SOFTWARE, size) == 1);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"counts", test_counts}, {NULL, NULL}};
    return lp_test_run("part_count", cases);
}
