/* SPDX-License-Identifier: Apache-2.0 */
/* Rotors against their formulas, and against conservation. */
#include "sim/circuits/rotor.h"

#include "model/network/rotor_cycle.h"

#include "sim/circuits/tournament.h"
#include "tests/testlib.h"

#include <math.h>

#define SLOT_S 100e-6
#define DEAD_S 10e-6
#define BYTES_PER_S 25e9

static LpCircuitSwitch
settings_of(guint32 n_ports, guint32 hops)
{
    return (LpCircuitSwitch){.is_present = TRUE,
                             .policy = LP_CIRCUIT_POLICY_ROTOR,
                             .n_ports = n_ports,
                             .n_wavelengths = 1,
                             .reconfiguration_s = DEAD_S,
                             .slot_s = SLOT_S,
                             .rotor_hops = hops};
}

/* Bytes of a circuit in a slot. */
static guint64
slot_bytes(guint32 n_ports)
{
    return (guint64)(BYTES_PER_S / n_ports * (SLOT_S - DEAD_S) + 0.5);
}

/* Goes on until all of @n flows have arrived. Returns: when the last one has. */
static double
run(LpRotor *rotor, guint n)
{
    double now_s = 0.0;
    while (n > 0) {
        now_s = lp_rotor_next_s(rotor);
        lp_rotor_advance(rotor, now_s);
        while (lp_rotor_pop_due(rotor) != NULL)
            n--;
    }
    return now_s;
}

/* All to all: each meets each for one slot a cycle, so that what fills k slots a peer takes k
 * cycles: the duty cycle times the rate of the attachment (Mellette et al., SIGCOMM 2017, section
 * 3). A second hop does not change that, since no circuit has anything left. */
static void
test_uniform(void)
{
    const guint32 n = 16, k = 4;
    for (guint32 hops = 1; hops <= 2; hops++)
        for (guint32 n_ports = 1; n_ports <= 5; n_ports += 2) {
            LpCircuitSwitch settings = settings_of(n_ports, hops);
            g_autoptr(LpRotor) rotor = lp_rotor_new(n, n, BYTES_PER_S, &settings);
            for (guint32 from = 0; from < n; from++)
                for (guint32 to = 0; to < n; to++)
                    if (to != from)
                        lp_rotor_send(rotor, from, to, k * slot_bytes(n_ports), 0.0, rotor);
            lp_test_true("slots", lp_rotor_n_slots(rotor) == 15 / n_ports);
            lp_test_close("duty", lp_rotor_duty(rotor), 0.9, 1e-12);
            lp_test_close("uniform", run(rotor, n * (n - 1)), k * 15 / n_ports * SLOT_S, 1e-9);
            lp_test_close("bytes", lp_rotor_count(rotor).direct_bytes,
                          (double)n * (n - 1) * k * (double)slot_bytes(n_ports), 1e-9);
        }
}

/* One peer each: over one circuit one matching in n - 1 serves it, and u of them stand at a time,
 * each with 1 / u of the rate: d B / (n - 1). With a second hop a byte takes two of them, but for
 * the one that goes there itself: d B n / 2 (n - 1). */
static void
test_permutation(void)
{
    static const struct {
        guint32 n, n_ports;
    } rows[] = {{16, 1}, {16, 2}, {16, 3}, {16, 5}, {8, 2}, {8, 3}, {12, 4}};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        for (guint32 hops = 1; hops <= 2; hops++) {
            guint32 n = rows[i].n, k = 400;
            LpCircuitSwitch settings = settings_of(rows[i].n_ports, hops);
            g_autoptr(LpRotor) rotor = lp_rotor_new(n, n, BYTES_PER_S, &settings);
            double bytes = k * (double)slot_bytes(rows[i].n_ports);
            for (guint32 from = 0; from < n; from++)
                lp_rotor_send(rotor, from, (from + 5) % n, (guint64)bytes, 0.0, rotor);
            double share = hops == 1 ? 1.0 / (n - 1) : n / (2.0 * (n - 1));
            double bound_s = bytes / (share * (1.0 - DEAD_S / SLOT_S) * BYTES_PER_S);
            double took_s = run(rotor, n);
            lp_test_true("permutation", took_s <= bound_s + 3 * (n - 1) * SLOT_S);
            lp_test_true("permutation", took_s > bound_s - (n - 1) * SLOT_S);
            lp_test_close("relayed", lp_rotor_count(rotor).relayed_bytes,
                          hops == 1 ? 0.0 : (double)(n - 2) / n * n * bytes, 0.03);
        }
}

/* With a lane for each other nothing turns: no dead time, and every circuit stands. */
static void
test_standing(void)
{
    LpCircuitSwitch settings = settings_of(5, 1);
    g_autoptr(LpRotor) rotor = lp_rotor_new(6, 6, BYTES_PER_S, &settings);
    lp_rotor_send(rotor, 0, 3, 25000000, 0.0, rotor);
    lp_test_close("standing", run(rotor, 1), 25e6 / (BYTES_PER_S / 5.0), 1e-9);
}

/* The mean over a cycle's instants of what all take that send @bytes to @n_peers each, spread
 * evenly over the cycle. */
static double
mean_s(const LpCircuitSwitch *settings, guint32 n, guint32 n_peers, guint64 bytes)
{
    const guint n_trials = 150;
    double sum_s = 0.0, cycle_s = SLOT_S * (n - 1) / lp_circuit_switch_n_lanes(settings);
    for (guint trial = 0; trial < n_trials; trial++) {
        double start_s = (trial + 0.5) / n_trials * cycle_s;
        g_autoptr(LpRotor) rotor = lp_rotor_new(n, n, BYTES_PER_S, settings);
        lp_rotor_advance(rotor, start_s);
        for (guint32 i = 0; i < n_peers; i++) {
            guint32 round = i * (n - 1) / n_peers;
            for (guint32 from = 0; from < n; from++)
                lp_rotor_send(rotor, from, lp_tournament_opponent(n, round, from), bytes, start_s,
                              rotor);
        }
        sum_s += run(rotor, (guint)n * n_peers) - start_s;
    }
    return sum_s / n_trials;
}

/* The closed form: exact in the mean over one circuit, with whole and broken slots; over two within
 * a cycle. */
static void
test_closed_form(void)
{
    const guint32 n = 16;
    for (guint32 hops = 1; hops <= 2; hops++)
        for (guint32 n_ports = 1; n_ports <= 5; n_ports += 4)
            for (guint32 n_peers = 1; n_peers <= 15; n_peers += n_peers == 1 ? 2 : 12)
                for (double slots = 0.25; slots < 8.0; slots *= 3.0) {
                    LpCircuitSwitch settings = settings_of(n_ports, hops);
                    LpRotorCycle cycle = {n, n_ports, hops, SLOT_S, DEAD_S, 1.0 / n_ports};
                    guint64 bytes = (guint64)(slots * (double)slot_bytes(n_ports));
                    double form_s =
                        lp_rotor_cycle_mean_s(&cycle, (double)bytes, n_peers, BYTES_PER_S);
                    double took_s = mean_s(&settings, n, n_peers, bytes);
                    if (hops == 1)
                        lp_test_close("one circuit", form_s, took_s, 5e-3);
                    else
                        lp_test_true("two circuits",
                                     fabs(form_s - took_s) <= lp_rotor_cycle_s(&cycle));
                }
}

/* One of three lanes has stopped everywhere, or at one attachment: who waits for it has its slots
 * in two of three cycles. */
static void
test_failure(void)
{
    const guint32 n = 16, k = 4;
    for (guint32 n_dead = 1; n_dead <= n; n_dead += n - 1) {
        LpCircuitSwitch settings = settings_of(3, 1);
        g_autoptr(LpRotor) rotor = lp_rotor_new(n, n, BYTES_PER_S, &settings);
        for (guint32 i = 0; i < n_dead; i++)
            lp_rotor_kill(rotor, i, 1 << 1);
        for (guint32 from = 0; from < n; from++)
            for (guint32 to = 0; to < n; to++)
                if (to != from)
                    lp_rotor_send(rotor, from, to, k * slot_bytes(3), 0.0, rotor);
        lp_test_close("six cycles for four", run(rotor, n * (n - 1)), k * 3 / 2 * 5 * SLOT_S, 1e-9);
    }
}

/* Whatever is sent when: it arrives, no earlier than its lane could carry it, and what went over
 * one circuit and over two is all of it. Switches are apart. */
static void
test_conservation(void)
{
    GRand *random = g_rand_new_with_seed(7);
    for (guint trial = 0; trial < 40; trial++) {
        guint32 n = 3 + (guint32)g_rand_int_range(random, 0, 9), n_switches = 2;
        LpCircuitSwitch settings =
            settings_of((guint32)g_rand_int_range(random, 1, 4), 1 + trial % 2);
        g_autoptr(LpRotor) rotor = lp_rotor_new(n * n_switches, n, BYTES_PER_S, &settings);
        lp_test_true("apart", !lp_rotor_joins(rotor, 0, n) && lp_rotor_joins(rotor, 0, n - 1));
        double now_s = 0.0, bytes = 0.0;
        guint n_flows = 0, n_arrived = 0;
        while (n_flows < 60) {
            guint32 first = n * (guint32)g_rand_int_range(random, 0, 2);
            guint32 from = (guint32)g_rand_int_range(random, 0, (gint32)n);
            guint32 to = (from + 1 + (guint32)g_rand_int_range(random, 0, (gint32)n - 1)) % n;
            guint64 size = (guint64)g_rand_int_range(random, 1, 30000000);
            lp_rotor_send(rotor, first + from, first + to, size, now_s, rotor);
            bytes += (double)size;
            n_flows++;
            double until_s = now_s + g_rand_double_range(random, 0.0, 1e-3);
            while (lp_rotor_next_s(rotor) <= until_s) {
                now_s = lp_rotor_next_s(rotor);
                lp_rotor_advance(rotor, now_s);
                while (lp_rotor_pop_due(rotor) != NULL)
                    n_arrived++;
            }
            now_s = until_s;
        }
        (void)run(rotor, n_flows - n_arrived);
        LpRotorCount count = lp_rotor_count(rotor);
        lp_test_close("bytes", count.direct_bytes + count.relayed_bytes, bytes, 1e-9);
        lp_test_true("one hop", trial % 2 == 1 || count.relayed_bytes <= 0.0);
    }
    g_rand_free(random);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"uniform", test_uniform},
                                       {"permutation", test_permutation},
                                       {"standing", test_standing},
                                       {"closed form", test_closed_form},
                                       {"failure", test_failure},
                                       {"conservation", test_conservation},
                                       {NULL, NULL}};
    return lp_test_run("rotors", cases);
}
