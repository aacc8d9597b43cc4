/* SPDX-License-Identifier: Apache-2.0 */
/* Days event by event: the Monte Carlo method beside the closed form, and what it must keep. */
#include "sim/days/days.h"

#include "sim/days/allocation.h"
#include "sim/days/ledger.h"
#include "sim/days/sample.h"
#include "tests/testlib.h"

#include <math.h>
#include <string.h>

#define HOUR 3600.0
#define N_RUNS 300

static LpGoodputInput
new_input(LpFleet fleet)
{
    LpGoodputInput input = {.fleet = fleet,
                            .interval_s = 1200,
                            .write_s = 40,
                            .restart_s = 700,
                            .period_s = 30 * 24 * HOUR};
    input.fleet.slice_share = (double)fleet.slice_blocks / (double)fleet.n_blocks;
    for (LpGoodputPart i = 0; i < LP_N_PARTS; i++)
        if (!(input.fleet.parts[i].mtbf_s > 0.0))
            input.fleet.parts[i].mtbf_s = (double)INFINITY;
    return input;
}

#define BLOCK LP_EFFECT_BLOCK
#define PARTS(...) .parts = {__VA_ARGS__}
#define HOSTS [LP_PART_HOST] = {2, 600 * HOUR, 20 * HOUR, BLOCK, 0}
#define CARDS [LP_PART_CARD] = {8, 9000 * HOUR, 4 * HOUR, BLOCK, 0}
#define SOFTWARE [LP_PART_SOFTWARE] = {1, 30 * HOUR, 0, LP_EFFECT_JOB, 0}

/* One of each kind, and mixtures. */
static const struct {
    const char *label;
    LpFleet fleet;
} fleets[] = {
    {"spares", {.n_blocks = 70, .slice_blocks = 64, .n_slices = 1, PARTS(HOSTS, CARDS, SOFTWARE)}},
    {"no spares", {.n_blocks = 4, .slice_blocks = 4, .n_slices = 1, PARTS(HOSTS)}},
    {"several jobs", {.n_blocks = 64, .slice_blocks = 16, .n_slices = 4, PARTS(HOSTS, SOFTWARE)}},
    {"fixed",
     {.n_blocks = 64,
      .slice_blocks = 4,
      .n_slices = 16,
      .packing = LP_PACKING_FIXED,
      PARTS(HOSTS)}},
    {"pods",
     {.n_blocks = 72,
      .slice_blocks = 56,
      .n_slices = 1,
      .packing = LP_PACKING_PODS,
      .pod_blocks = 9,
      .group_blocks = 8,
      PARTS(HOSTS)}},
    {"pods of two groups, two jobs",
     {.n_blocks = 72,
      .slice_blocks = 24,
      .n_slices = 2,
      .packing = LP_PACKING_PODS,
      .pod_blocks = 9,
      .group_blocks = 4,
      PARTS(HOSTS, SOFTWARE)}},
    {"rings",
     {.n_blocks = 72,
      .slice_blocks = 56,
      .n_slices = 1,
      .packing = LP_PACKING_RINGS,
      .group_blocks = 8,
      .hops = 2,
      PARTS(HOSTS)}},
    {"rings formed anew, nine jobs",
     {.n_blocks = 72,
      .slice_blocks = 8,
      .n_slices = 9,
      .packing = LP_PACKING_RINGS,
      .group_blocks = 8,
      .hops = 2,
      .regroup = LP_REGROUP_FREE,
      PARTS(HOSTS, SOFTWARE)}},
    {"rings formed anew, jobs of three groups",
     {.n_blocks = 40,
      .slice_blocks = 12,
      .n_slices = 3,
      .packing = LP_PACKING_RINGS,
      .group_blocks = 4,
      .hops = 1,
      .regroup = LP_REGROUP_FREE,
      PARTS(HOSTS, CARDS)}},
    {"the whole machine",
     {.n_blocks = 20,
      .slice_blocks = 8,
      .n_slices = 2,
      PARTS(HOSTS, [LP_PART_SWITCH] = {10, 3000 * HOUR, 4 * HOUR, LP_EFFECT_MACHINE, 0},
            [LP_PART_LINK] = {5, 400 * HOUR, 0, LP_EFFECT_MACHINE, 0})}},
    {"mostly out",
     {.n_blocks = 40,
      .slice_blocks = 1,
      .n_slices = 4,
      PARTS([LP_PART_HOST] = {1, 10 * HOUR, 90 * HOUR, BLOCK, 0})}},
    {"slower",
     {.n_blocks = 10,
      .slice_blocks = 8,
      .n_slices = 1,
      PARTS(HOSTS, [LP_PART_OCS] = {6, 300 * HOUR, 30 * HOUR, LP_EFFECT_SLOW, 1.5})}},
};

static double
figure_of(const LpGoodput *goodput, guint figure)
{
    const double figures[] = {goodput->goodput, goodput->availability, goodput->interruptions};
    return figure < G_N_ELEMENTS(figures) ? figures[figure]
                                          : goodput->loss[figure - G_N_ELEMENTS(figures)];
}

/* Of a hundred means a few lie outside of their 95 % intervals: twice the width is asked for, which
 * one in ten thousand misses, and seeds are fixed. */
static void
test_closed_form(void)
{
    for (gsize f = 0; f < G_N_ELEMENTS(fleets); f++) {
        LpGoodputInput input = new_input(fleets[f].fleet);
        double workspace[1000];
        g_assert(lp_goodput_workspace(&input.fleet) <= G_N_ELEMENTS(workspace));
        LpGoodput closed = lp_goodput(&input, workspace);
        LpGoodput runs[N_RUNS];
        for (guint i = 0; i < N_RUNS; i++)
            runs[i] = lp_days_run(&input, 7, i);
        for (guint figure = 0; figure < 3 + LP_N_LOSSES; figure++) {
            double values[N_RUNS];
            for (guint i = 0; i < N_RUNS; i++)
                values[i] = figure_of(&runs[i], figure);
            LpSample sample = lp_sample_of(values, N_RUNS);
            double wanted = figure_of(&closed, figure);
            g_autofree char *label =
                g_strdup_printf("%s, figure %u: %g +- %g, closed form %g", fleets[f].label, figure,
                                sample.mean, sample.half_width, wanted);
            lp_test_true(label, fabs(sample.mean - wanted) <=
                                    2.0 * sample.half_width + 1e-9 + 2e-4 * wanted);
        }
    }
}

/* Whatever happens, all of the time is somewhere. */
static void
test_conservation(void)
{
    for (gsize f = 0; f < G_N_ELEMENTS(fleets); f++) {
        LpGoodputInput input = new_input(fleets[f].fleet);
        for (guint i = 0; i < 5; i++) {
            LpGoodput run = lp_days_run(&input, 1, i);
            double all = run.goodput;
            for (guint loss = 0; loss < LP_N_LOSSES; loss++) {
                all += run.loss[loss];
                lp_test_true(fleets[f].label, run.loss[loss] >= -1e-12);
            }
            lp_test_close(fleets[f].label, all, 1.0, 1e-9);
        }
    }
}

static void
test_seeds(void)
{
    LpGoodputInput input = new_input(fleets[0].fleet);
    LpGoodput first = lp_days_run(&input, 3, 4), again = lp_days_run(&input, 3, 4);
    lp_test_true("same", memcmp(&first, &again, sizeof first) == 0);
    lp_test_true("another run", lp_days_run(&input, 3, 5).goodput != first.goodput);
    lp_test_true("another seed", lp_days_run(&input, 4, 4).goodput != first.goodput);
}

/* Nothing fails: checkpoints only, but for the part of a stretch at the end. */
static void
test_sound(void)
{
    LpGoodputInput input = new_input((LpFleet){.n_blocks = 2, .slice_blocks = 2, .n_slices = 1});
    input.period_s = 100 * 1240;
    LpGoodput run = lp_days_run(&input, 1, 0);
    lp_test_close("whole stretches", run.goodput, 1200.0 / 1240.0, 1e-12);
    input.period_s += 1200;
    run = lp_days_run(&input, 1, 0);
    lp_test_close("work at the end", run.goodput, 101.0 * 1200.0 / input.period_s, 1e-12);
}

/* A stretch of 100 s of work and 10 s of writing. */
static void
test_ledger(void)
{
    LpGoodputInput input = {.interval_s = 100, .write_s = 10};
    LpLedger ledger = {0};
    lp_ledger_run(&ledger, &input, 50, 1.0);
    lp_ledger_run(&ledger, &input, 55, 0.5);
    lp_test_close("before the checkpoint", ledger.work_s, 0.0, 0.0);
    lp_ledger_run(&ledger, &input, 5, 0.5);
    lp_test_close("behind it", ledger.work_s, 75.0, 1e-12);
    lp_test_close("slower", ledger.degraded_s, 25.0, 1e-12);
    lp_test_close("written", ledger.writing_s, 10.0, 1e-12);
    lp_ledger_run(&ledger, &input, 325, 1.0);
    lp_test_close("several", ledger.work_s, 75.0 + 200.0, 1e-12);
    lp_ledger_interrupt(&ledger);
    lp_test_close("lost with a part of the writing", ledger.lost_s, 105.0, 1e-12);
    lp_ledger_run(&ledger, &input, 104, 1.0);
    lp_ledger_close(&ledger, &input);
    lp_test_close("at the end", ledger.work_s, 375.0, 1e-12);
    lp_test_close("writing at the end", ledger.writing_s, 34.0, 1e-12);
}

static LpAllocation *
new_allocation(const LpFleet *fleet, LpOutages **out_outages, GRand *generator)
{
    *out_outages = lp_outages_new(fleet, generator);
    return lp_allocation_new(fleet, *out_outages);
}

/* Boxes of a torus of 4 x 4 x 2: turned, and around the edge. */
static void
test_contiguous(void)
{
    LpFleet fleet = {.n_blocks = 32,
                     .slice_blocks = 8,
                     .n_slices = 4,
                     .packing = LP_PACKING_CONTIGUOUS,
                     .grid = {4, 4, 2},
                     .shape = {1, 2, 4}};
    for (LpGoodputPart i = 0; i < LP_N_PARTS; i++)
        fleet.parts[i].mtbf_s = (double)INFINITY;
    GRand *generator = g_rand_new_with_seed(1);
    LpOutages *outages = NULL;
    g_autoptr(LpAllocation) allocation = new_allocation(&fleet, &outages, generator);
    guint n_blocks[4] = {0};
    for (guint64 job = 0; job < 4; job++)
        lp_test_true("four boxes", lp_allocation_take(allocation, job));
    lp_test_true("no fifth", !lp_allocation_take(allocation, 4));
    for (guint64 block = 0; block < 32; block++)
        n_blocks[lp_allocation_job(allocation, block)]++;
    for (guint job = 0; job < 4; job++)
        lp_test_true("eight each", n_blocks[job] == 8);
    lp_allocation_release(allocation, 2);
    lp_test_true("the same again", lp_allocation_take(allocation, 2));
    lp_outages_free(outages);
    g_rand_free(generator);
}

/* Contiguous slices fit more often than fixed ones, and less often than those of any blocks. */
static void
test_packings(void)
{
    double means[3];
    static const LpPacking packings[] = {LP_PACKING_FIXED, LP_PACKING_CONTIGUOUS, LP_PACKING_ANY};
    for (guint p = 0; p < 3; p++) {
        LpGoodputInput input = new_input((LpFleet){.n_blocks = 64,
                                                   .slice_blocks = 16,
                                                   .n_slices = 4,
                                                   .packing = packings[p],
                                                   .grid = {4, 4, 4},
                                                   .shape = {4, 4, 1},
                                                   PARTS(HOSTS)});
        double values[100];
        for (guint i = 0; i < 100; i++)
            values[i] = lp_days_run(&input, 2, i).goodput;
        means[p] = lp_sample_of(values, 100).mean;
    }
    lp_test_true("contiguous over fixed", means[1] > 1.1 * means[0]);
    lp_test_true("any over contiguous", means[2] > 1.1 * means[1]);
}

/* Published quantiles of Student's distribution at 97.5 %: 12.706 at one degree is out of its
 * range; 4.303, 3.182, 2.228, 2.042, 1.960. */
static void
test_sample(void)
{
    static const struct {
        guint n;
        double quantile, tolerance;
    } rows[] = {{3, 3.182, 0.01}, {10, 2.228, 5e-4}, {30, 2.042, 3e-4}, {100000, 1.960, 1e-4}};
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
        lp_test_close("Student", lp_sample_student(rows[i].n), rows[i].quantile, rows[i].tolerance);
    const double values[] = {1.0, 2.0, 3.0, 4.0};
    LpSample sample = lp_sample_of(values, 4);
    lp_test_close("mean", sample.mean, 2.5, 1e-15);
    lp_test_close("half width", sample.half_width, 3.182 * sqrt(5.0 / 3.0) / 2.0, 0.01);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"closed_form", test_closed_form},
                                       {"conservation", test_conservation},
                                       {"seeds", test_seeds},
                                       {"sound", test_sound},
                                       {"ledger", test_ledger},
                                       {"contiguous", test_contiguous},
                                       {"packings", test_packings},
                                       {"sample", test_sample},
                                       {NULL, NULL}};
    return lp_test_run("days", cases);
}
