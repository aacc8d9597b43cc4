/* SPDX-License-Identifier: Apache-2.0 */
/* What values of options imply together, and which do not fit. */
#include "platforms/generation/sizing.h"

#include "tests/support/generated.h"
#include "tests/testlib.h"

static const LpBadOptions bad_rows[] = {
    {"accelerators", "--accelerators=12", lp_machine_error_quark, LP_MACHINE_ERROR_SIZE,
     "--accelerators: 12, wanted a multiple of the domain size 8"},
    {"a part of the domain asked for", "--accelerators=4 --domain-size=8", lp_machine_error_quark,
     LP_MACHINE_ERROR_SIZE, "--accelerators: 4, wanted a multiple of the domain size 8"},
    {"cards", "--nics-per-domain=3", lp_machine_error_quark, LP_MACHINE_ERROR_SIZE,
     "--nics-per-domain: 3, wanted a divisor of the domain"},
    {"more cards than accelerators", "--nics-per-domain=16", lp_machine_error_quark,
     LP_MACHINE_ERROR_SIZE, "--nics-per-domain: 16"},
    {"rails", "--rails=3", lp_machine_error_quark, LP_MACHINE_ERROR_SIZE,
     "--rails: 3, wanted a divisor of the domain size 8"},
    {"rails in node order", "--rails=8 --port-order=node", lp_machine_error_quark,
     LP_MACHINE_ERROR_STRUCTURE, "--rails: given with --port-order=node"},
    {"rails against cards", "--rails=8 --nics-per-domain=4", lp_machine_error_quark,
     LP_MACHINE_ERROR_SIZE, "--rails: 8, wanted the value of --nics-per-domain"},
    {"shared cards", "--system=polaris --accelerators=9 --domain-size=3", lp_machine_error_quark,
     LP_MACHINE_ERROR_SIZE,
     "--domain-size: 3, wanted a multiple of the 2 accelerators that share a card"},
    {"a crossbar's oversubscription", "--topology=crossbar --oversubscription=2",
     lp_machine_error_quark, LP_MACHINE_ERROR_VALUE,
     "--oversubscription: 2, wanted 1: a crossbar has nothing above its ports"},
    {"a torus's oversubscription", "--topology=torus --oversubscription=2", lp_machine_error_quark,
     LP_MACHINE_ERROR_VALUE,
     "--oversubscription: 2, wanted 1: a torus has nothing above its ports"},
    {"rails of a node order", "--joined-rails=no", lp_machine_error_quark,
     LP_MACHINE_ERROR_STRUCTURE, "--joined-rails: no, wanted --port-order=rail"},
    {"planes", "--planes=17", lp_machine_error_quark, LP_MACHINE_ERROR_VALUE,
     "--planes: 17, wanted at most 16"},
    {"planes against ports", "--planes=2 --ports-per-accelerator=4", lp_machine_error_quark,
     LP_MACHINE_ERROR_SIZE, "--ports-per-accelerator: 4, wanted the value of --planes"},
    {"too fast a card", "--scale-out-bandwidth=1EBps --nics-per-domain=1", lp_machine_error_quark,
     LP_MACHINE_ERROR_VALUE, "--scale-out-bandwidth: 8e+18 B/s a card"},
    {"an option of another topology", "--topology=torus --group-routers=4", lp_machine_error_quark,
     LP_MACHINE_ERROR_STRUCTURE,
     "--group-routers: given for a torus, wanted it for another topology only"},
    {"levels of a torus", "--topology=torus --levels=3", lp_machine_error_quark,
     LP_MACHINE_ERROR_STRUCTURE, "--levels: given for a torus"},
    {"spines of a dragonfly", "--topology=dragonfly --group-spines=2", lp_machine_error_quark,
     LP_MACHINE_ERROR_STRUCTURE, "--group-spines: given for a dragonfly"},
    {"rails of a torus that never meet", "--topology=torus --rails=8 --joined-rails=no",
     lp_machine_error_quark, LP_MACHINE_ERROR_STRUCTURE,
     "--joined-rails: no, wanted --port-order=rail and a fat tree or crossbar"},
};

static void
test_bad(void)
{
    lp_generated_check_bad(bad_rows, G_N_ELEMENTS(bad_rows));
}

static void
test_sizes(void)
{
    static const struct {
        const char *label, *options;
        guint32 n_domains, n_cards, n_levels;
        double link_bytes_per_s;
    } rows[] = {
        {"as the system says", "", 8, 8, 2, 25e9},
        {"one accelerator", "--accelerators=1", 1, 1, 2, 25e9},
        {"two share a port", "--system=polaris --accelerators=8", 2, 2, 2, 12.5e9},
        {"and one domain needs none", "--system=polaris --accelerators=2", 1, 1, 2, 12.5e9},
        {"rails", "--rails=4", 8, 4, 2, 25e9},
        {"rails and their number again", "--rails=4 --nics-per-domain=4", 8, 4, 2, 25e9},
        {"a card keeps its rate", "--system=dgx-h100 --nics-per-domain=1", 8, 1, 0, 50e9},
        {"of which the system says the rate", "--system=summit --accelerators=12 --rails=6", 2, 6,
         0, 12.5e9},
        {"a port of it with planes",
         "--system=polaris --accelerators=8 --nics-per-domain=1 "
         "--planes=2",
         2, 1, 2, 6.25e9},
        {"an accelerator's given rate", "--rails=4 --scale-out-bandwidth=25GBps", 8, 4, 2, 50e9},
        {"planes divide a port", "--planes=4", 8, 8, 2, 6.25e9},
        {"so do ports", "--ports-per-accelerator=4", 8, 8, 2, 6.25e9},
        {"a port's own rate", "--nic-bandwidth=7GBps --planes=4 --rails=4", 8, 4, 2, 7e9},
        {"levels", "--levels=3", 8, 8, 3, 25e9},
        {"levels by ports", "--levels=auto", 8, 8, 0, 25e9},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(LpMachineSpecification) specification =
            lp_generated_specification(rows[i].options, &error);
        LpMachineSizing sizing;
        if (specification == NULL || !lp_sizing_find(specification, &sizing, &error)) {
            lp_test_text(rows[i].label, error->message, "");
            continue;
        }
        lp_test_true(rows[i].label, sizing.n_domains == rows[i].n_domains &&
                                        sizing.n_cards == rows[i].n_cards &&
                                        sizing.wanted.n_levels == rows[i].n_levels);
        lp_test_close(rows[i].label, sizing.link_bytes_per_s, rows[i].link_bytes_per_s, 1e-15);
    }
}

/* A balanced dragonfly, unless the options say otherwise. */
static void
test_dragonfly(void)
{
    g_autoptr(LpMachineSpecification) balanced =
        lp_generated_specification("--topology=dragonfly --router-ports=8", NULL);
    g_autoptr(LpMachineSpecification) said = lp_generated_specification(
        "--topology=dragonfly --router-ports=8 --group-routers=4 --local-links=2", NULL);
    LpMachineSizing sizing;
    lp_test_true("balanced", lp_sizing_find(balanced, &sizing, NULL) &&
                                 sizing.wanted.dragonfly.n_ports == 8 &&
                                 sizing.wanted.dragonfly.n_routers == 16 &&
                                 sizing.wanted.dragonfly.n_spines == 8 &&
                                 sizing.wanted.dragonfly.router_links == 1);
    lp_test_true("said", lp_sizing_find(said, &sizing, NULL) &&
                             sizing.wanted.dragonfly.n_routers == 4 &&
                             sizing.wanted.dragonfly.router_links == 2);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"bad", test_bad}, {"sizes", test_sizes}, {"dragonfly", test_dragonfly}, {NULL, NULL}};
    return lp_test_run("sizing", cases);
}
