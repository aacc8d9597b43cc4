/* SPDX-License-Identifier: Apache-2.0 */
/* Energy, power and price in the program's outputs, and that they change nothing else. */
#include "tests/support/spawn.h"
#include "tests/testlib.h"

#include <glib/gstdio.h>

#include <string.h>

#define PLAIN "--system=dgx-h100 --accelerators=16"
#define RICH                                                                                       \
    PLAIN " --technology=pluggable-400g-opus --switch-technology=electrical-64x400g-opus "         \
          "--domain-technology=copper-lr-112g"
#define SET                                                                                        \
    "--ignore-memory --set=layers=2 --set=tp=8 --set=pp=1 --set=dp=2 --set=global-batch=2 "        \
    "--set=framework=none --set=library=single-ring"

/* Two domains of 8 under leaves of one rail: 16 ports of hosts, 16 + 2 x 16 of switches. */
static void
test_simulate(void)
{
    g_autofree char *path = lp_spawn_platform(RICH);
    g_autofree char *line = g_strconcat("simulate gpt3-175b ", path, " --format=json", NULL);
    g_autofree char *text_line = g_strconcat("simulate gpt3-175b ", path, NULL);
    g_autoptr(json_t) result = lp_spawn_json(line, SET);
    LpSpawned text = lp_spawn(text_line, SET);
    (void)g_unlink(path);
    if (result != NULL) {
        double n_ports = lp_test_json_number(result, "network.switch_ports");
        double time_s = lp_test_json_number(result, "simulated.iteration_time_s");
        double dynamic_j = lp_test_json_number(result, "energy_j.dynamic");
        double static_j = lp_test_json_number(result, "energy_j.static");
        lp_test_close("power", lp_test_json_number(result, "network.power_w"),
                      n_ports * 2524 / 64 + 10 * (16 + n_ports), 1e-12);
        lp_test_close("price", lp_test_json_number(result, "network.price_usd"),
                      n_ports * 37299 / 64 + 879 * (16 + n_ports), 1e-12);
        lp_test_close("static", static_j, time_s * n_ports * 2524 / 64, 1e-12);
        /* tp stays in domains, two links of 5 pJ/bit; what is left crosses two links of 21. */
        double up_bytes = lp_test_json_number(result, "traffic_bytes.tp") +
                          lp_test_json_number(result, "traffic_bytes.embedding");
        double out_bytes = lp_test_json_number(result, "traffic_bytes.dp");
        lp_test_close("dynamic", dynamic_j, 16 * (up_bytes * 5e-12 + out_bytes * 21e-12), 1e-12);
        lp_test_close("links",
                      lp_test_json_number(result, "energy_j_by_technology.copper-lr-112g.dynamic"),
                      16 * up_bytes * 5e-12, 1e-12);
        lp_test_close("token", lp_test_json_number(result, "energy_j_per_token"),
                      (static_j + dynamic_j) / (2 * 2048), 1e-12);
    }
    lp_test_contains("text", text.output, "energy of communication");
    lp_test_contains("text", text.output, "scale-out network");
    lp_spawned_clear(&text);
}

/* Beside a machine without technologies: the same run but for the keys that are added. */
static void
test_compare(void)
{
    static const char *const added[] = {"energy_j", "energy_j_by_technology", "energy_j_per_token",
                                        "network"};
    g_autofree char *rich = lp_spawn_platform(RICH), *plain = lp_spawn_platform(PLAIN);
    g_autofree char *line = g_strconcat("compare gpt3-175b ", rich, " ", plain, NULL);
    LpSpawned text = lp_spawn(line, SET);
    g_autofree char *json_line = g_strconcat(line, " --format=json", NULL);
    g_autoptr(json_t) both = lp_spawn_json(json_line, SET);
    (void)g_unlink(rich);
    (void)g_unlink(plain);
    lp_test_contains("row", text.output, "scale-out network: price (USD)");
    lp_spawned_clear(&text);
    json_t *runs = json_object_get(both, "runs");
    json_t *first = json_array_get(runs, 0), *second = json_array_get(runs, 1);
    for (gsize i = 0; first != NULL && i < G_N_ELEMENTS(added); i++) {
        lp_test_true(added[i], json_object_del(first, added[i]) == 0);
        lp_test_true(added[i], json_object_get(second, added[i]) == NULL);
    }
    (void)json_object_del(first, "platform");
    (void)json_object_del(second, "platform");
    lp_test_true("the same otherwise", first != NULL && json_equal(first, second));
}

/* Opus's two ratios for each machine, as printed in arXiv 2602.12521, by the catalogue's own
 * constants; JSON and text alike. */
static void
test_price(void)
{
    static const struct {
        const char *label, *options;
        double price, power; /* rails over circuits */
    } rows[] = {
        {"H200", "8 --technology=pluggable-400g-opus --switch-technology=electrical-64x400g-opus",
         4.27, 23.9},
        {"GB200",
         "32 --technology=pluggable-800g-opus --switch-technology=electrical-144x800g-opus "
         "--transceivers=host",
         3.17, 15.4},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *line =
            g_strconcat("platform price --accelerators=2048 --domain-size=", rows[i].options,
                        " --circuit-switch-technology=piezo-polatis-192", NULL);
        g_autoptr(json_t) result = lp_spawn_json(line, "--format=json");
        json_t *rails = json_array_get(json_object_get(result, "networks"), 1);
        lp_test_close(rows[i].label, lp_test_json_number(rails, "price_over_circuits"),
                      rows[i].price, 0.005 / rows[i].price);
        lp_test_close(rows[i].label, lp_test_json_number(rails, "power_over_circuits"),
                      rows[i].power, 0.05 / rows[i].power);
        LpSpawned text = lp_spawn(line, "");
        g_autofree char *both = g_strdup_printf("%.2f", rows[i].price);
        lp_test_contains(rows[i].label, text.output, both);
        lp_spawned_clear(&text);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"simulate", test_simulate},
                                       {"compare", test_compare},
                                       {"price", test_price},
                                       {NULL, NULL}};
    return lp_test_run("technologies command", cases);
}
