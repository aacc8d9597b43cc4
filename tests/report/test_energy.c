/* SPDX-License-Identifier: Apache-2.0 */
/* Energy by technology, by hand. */
#include "report/energy.h"

#include "tests/support/generated.h"
#include "tests/testlib.h"

/* 64 accelerators in 8 domains behind one crossbar: 64 ports of hosts and 64 of switches. */
#define MACHINE "--system=dgx-h100 --accelerators=64 --topology=crossbar "

/* 1 TB over the links of domains, 2 TB over the others, in 10 s. */
static const LpLinkTraffic traffic = {.link_bytes = {1e12, 2e12}, .sent_bytes = 1.5e12};

static void
test_parts(void)
{
    static const struct {
        const char *options;
        guint n;
        LpTechnologyEnergy of[LP_N_ATTACHMENTS + 1];
    } rows[] = {
        {MACHINE, 0, {{NULL, 0, 0}}},
        {MACHINE "--technology=co-packaged", 1, {{"co-packaged", 16e12 * 12e-12, 0}}},
        {MACHINE "--technology=co-packaged --domain-technology=copper-pcb",
         2,
         {{"copper-pcb", 8e12 * 2e-12, 0}, {"co-packaged", 16e12 * 12e-12, 0}}},
        {MACHINE "--technology=co-packaged --domain-technology=co-packaged "
                 "--switch-technology=piezo-polatis-192",
         2,
         {{"co-packaged", 24e12 * 12e-12, 0}, {"piezo-polatis-192", 0, 10.0 * 64 * 75 / 192}}},
        /* An electrical crossbar of known power and links of unknown energy. */
        {MACHINE "--switch-technology=qm9700", 1, {{"qm9700", 0, 10.0 * 64 * 1720 / 64}}},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpMachine) machine = lp_generated_machine_good(rows[i].options);
        if (machine == NULL)
            continue;
        LpEnergy energy = lp_energy_find(machine, &traffic, 10.0);
        lp_test_close(rows[i].options, energy.n, rows[i].n, 0.0);
        for (guint k = 0; k < MIN(energy.n, rows[i].n); k++) {
            lp_test_text(rows[i].options, energy.of[k].name, rows[i].of[k].name);
            /* Products in another order. */
            lp_test_close(rows[i].options, energy.of[k].dynamic_j, rows[i].of[k].dynamic_j, 1e-12);
            lp_test_close(rows[i].options, energy.of[k].static_j, rows[i].of[k].static_j, 1e-12);
        }
    }
}

/* A file with numbers of its own, and without names: the medium is the name. */
static void
test_static(void)
{
    g_autoptr(LpMachine) machine = lp_generated_machine_good(MACHINE);
    if (machine == NULL)
        return;
    LpCluster *up = &machine->cluster[LP_ATTACHMENT_SCALE_UP];
    LpCluster *out = &machine->cluster[LP_ATTACHMENT_SCALE_OUT];
    lp_test_true("set", lp_medium_set(&out->medium, LP_MEDIUM_FIRST_NUMBER + LP_MEDIUM_STATIC_POWER,
                                      "2W", NULL));
    up->energy_j_per_bit = 1e-12;
    LpEnergy energy = lp_energy_find(machine, &traffic, 10.0);
    lp_test_true("one row", energy.n == 1);
    lp_test_text("medium", energy.of[0].name, "electrical");
    lp_test_close("dynamic", energy.of[0].dynamic_j, 8.0, 1e-12);
    lp_test_close("static", energy.of[0].static_j, 10.0 * 2 * 128, 1e-12);
    /* A link has two ends, and each accelerator one link to its switch. */
    lp_test_true("set", lp_medium_set(&up->medium, LP_MEDIUM_FIRST_NUMBER + LP_MEDIUM_STATIC_POWER,
                                      "3W", NULL));
    LpEnergy both = lp_energy_find(machine, &traffic, 10.0);
    lp_test_close("ends in domains", lp_energy_sum_j(&both) - lp_energy_sum_j(&energy),
                  10.0 * 3 * 2 * 64, 1e-12);
}

static double
number_at(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static void
test_output(void)
{
    LpEnergy energy = {2, {{"a", 3.0, 1.0}, {"b", 0.0, 4.0}}}, none = {.n = 0};
    g_autoptr(json_t) root = json_object();
    lp_energy_add_json(root, &none, 4.0);
    lp_test_true("absent", json_object_size(root) == 0);
    lp_energy_add_json(root, &energy, 4.0);
    const json_t *all = json_object_get(root, "energy_j");
    const json_t *b = json_object_get(json_object_get(root, "energy_j_by_technology"), "b");
    lp_test_close("static", number_at(all, "static"), 5.0, 0.0);
    lp_test_close("dynamic", number_at(all, "dynamic"), 3.0, 0.0);
    lp_test_close("of b", number_at(b, "static"), 4.0, 0.0);
    lp_test_close("a token", number_at(root, "energy_j_per_token"), 2.0, 0.0);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"parts", test_parts}, {"static", test_static}, {"output", test_output}, {NULL, NULL}};
    return lp_test_run("energy", cases);
}
