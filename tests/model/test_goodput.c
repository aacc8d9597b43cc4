/* SPDX-License-Identifier: Apache-2.0 */
/* Goodput in closed form: identities, and published figures. */
#include "model/reliability/goodput.h"

#include "tests/testlib.h"

#include <math.h>

#define HOUR 3600.0

/* Nothing fails on it. */
static LpGoodputInput
sound(guint64 n_blocks, guint64 slice_blocks, guint64 n_slices)
{
    LpGoodputInput input = {.interval_s = 1800, .write_s = 60, .period_s = 30 * 24 * HOUR};
    input.fleet = (LpFleet){.n_blocks = n_blocks,
                            .slice_blocks = slice_blocks,
                            .n_slices = n_slices,
                            .slice_share = (double)slice_blocks / (double)n_blocks};
    for (LpGoodputPart i = 0; i < LP_N_PARTS; i++)
        input.fleet.parts[i] = (LpFailingParts){.mtbf_s = (double)INFINITY};
    return input;
}

static double
sum(const LpGoodput *goodput)
{
    double all = goodput->goodput;
    for (guint i = 0; i < LP_N_LOSSES; i++)
        all += goodput->loss[i];
    return all;
}

/* Without failures: 1 less checkpoints, and spares are idle. */
static void
test_sound(void)
{
    LpGoodputInput input = sound(10, 8, 1);
    LpGoodput goodput = lp_goodput(&input, NULL);
    lp_test_close("goodput", goodput.goodput, 0.8 * 1800.0 / 1860.0, 1e-14);
    lp_test_close("of the job", goodput.slice_goodput, 1800.0 / 1860.0, 1e-14);
    lp_test_close("checkpoints", goodput.loss[LP_LOSS_CHECKPOINTING], 0.8 * 60.0 / 1860.0, 1e-13);
    lp_test_close("idle", goodput.loss[LP_LOSS_IDLE], 0.2, 1e-14);
    lp_test_close("all", sum(&goodput), 1.0, 1e-14);
    lp_test_close("availability", goodput.availability, 1.0, 0.0);
    lp_test_close("interruptions", goodput.interruptions, 0.0, 0.0);
}

/* One block of one part, without spares, checkpoints or restarts: its availability. */
static void
test_single(void)
{
    LpGoodputInput input = sound(1, 1, 1);
    input.interval_s = input.write_s = 0.0;
    input.fleet.parts[LP_PART_HOST] = (LpFailingParts){1, 99 * HOUR, HOUR, LP_EFFECT_BLOCK, 0.0};
    LpGoodput goodput = lp_goodput(&input, NULL);
    lp_test_close("goodput", goodput.goodput, 0.99, 1e-14);
    lp_test_close("waiting", goodput.loss[LP_LOSS_WAITING], 0.01, 1e-12);
    lp_test_close("interruptions", goodput.interruptions, 0.99 * 720.0 / 99.0, 1e-12);
}

/* Each effect by itself. */
static void
test_effects(void)
{
    LpGoodputInput input = sound(12, 8, 1);
    input.write_s = 0.0;
    input.interval_s = 0.0;
    LpFailingParts *parts = input.fleet.parts;
    parts[LP_PART_OCS] = (LpFailingParts){48, 999 * HOUR, HOUR, LP_EFFECT_MACHINE, 0.0};
    LpGoodput goodput = lp_goodput(&input, NULL);
    lp_test_close("48 switches, all wanted", goodput.slice_goodput, pow(0.999, 48), 1e-12);
    parts[LP_PART_OCS].effect = LP_EFFECT_SLOW;
    parts[LP_PART_OCS].slowdown = 2.0;
    goodput = lp_goodput(&input, NULL);
    lp_test_close("half as fast without one", goodput.slice_goodput, pow(0.9995, 48), 1e-12);
    lp_test_close("degraded", goodput.loss[LP_LOSS_DEGRADED], (1.0 - pow(0.9995, 48)) * 8.0 / 12.0,
                  1e-10);
    parts[LP_PART_OCS].mtbf_s = (double)INFINITY;
    parts[LP_PART_SOFTWARE] = (LpFailingParts){1, 10 * HOUR, 0.0, LP_EFFECT_JOB, 0.0};
    input.restart_s = HOUR;
    goodput = lp_goodput(&input, NULL);
    lp_test_close("restarts", goodput.slice_goodput, exp(-0.1), 1e-12);
    lp_test_close("availability", goodput.availability, 1.0, 0.0);
    lp_test_close("all", sum(&goodput), 1.0, 1e-12);
}

/* Llama 3 (arXiv 2407.21783): 419 unexpected interruptions in 54 days on 16,384 H100 are
 * one in 3.09 hours; its parts by themselves must sum to that. */
static void
test_llama_3(void)
{
    LpGoodputInput input = sound(2048, 2048, 1);
    double period_s = 54 * 24 * HOUR;
    LpFailingParts *parts = input.fleet.parts;
    parts[LP_PART_ACCELERATOR] = (LpFailingParts){8, 16384 * period_s / 268, 0, LP_EFFECT_BLOCK, 0};
    parts[LP_PART_HOST] = (LpFailingParts){1, 2048 * period_s / 46, 0, LP_EFFECT_BLOCK, 0};
    parts[LP_PART_CARD] = (LpFailingParts){8, 16384 * period_s / 7, 0, LP_EFFECT_BLOCK, 0};
    parts[LP_PART_LINK] = (LpFailingParts){8, 16384 * period_s / 35, 0, LP_EFFECT_BLOCK, 0};
    parts[LP_PART_SOFTWARE] = (LpFailingParts){1, period_s / 63, 0, LP_EFFECT_JOB, 0};
    lp_test_close("all failures", lp_fleet_failures_per_s(&input.fleet) * period_s, 419, 1e-12);
    lp_test_close("419 interruptions", lp_fleet_interruptions_per_s(&input.fleet) * period_s, 419,
                  1e-12);
}

/* TPU v4 (Jouppi et al., ISCA 2023): 4,096 chips in 64 blocks of 16 hosts. With circuits (any
 * blocks) and hosts at 99.0 or 99.5 %, slices of a quarter give 75 %, of half 50 %, of three
 * quarters 75 %. Without (fixed blocks) hosts need 99.9 %. */
static void
test_tpu_v4(void)
{
    static const struct {
        double host;
        guint64 slice_blocks;
        LpPacking packing;
        double least, most;
    } rows[] = {
        {0.990, 16, LP_PACKING_ANY, 0.745, 0.75},  {0.995, 16, LP_PACKING_ANY, 0.745, 0.755},
        {0.990, 32, LP_PACKING_ANY, 0.499, 0.501}, {0.995, 32, LP_PACKING_ANY, 0.499, 0.505},
        {0.990, 48, LP_PACKING_ANY, 0.740, 0.75},  {0.995, 48, LP_PACKING_ANY, 0.749, 0.75},
        {0.990, 16, LP_PACKING_FIXED, 0.07, 0.08}, {0.990, 32, LP_PACKING_FIXED, 0.0, 0.01},
        {0.995, 32, LP_PACKING_FIXED, 0.07, 0.08}, {0.999, 16, LP_PACKING_FIXED, 0.77, 0.78},
        {0.999, 32, LP_PACKING_FIXED, 0.59, 0.60},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpGoodputInput input = sound(64, rows[i].slice_blocks, 64 / rows[i].slice_blocks);
        input.fleet.packing = rows[i].packing;
        input.interval_s = input.write_s = 0.0;
        double repair_s = 24 * HOUR;
        input.fleet.parts[LP_PART_HOST] = (LpFailingParts){
            16, repair_s * rows[i].host / (1.0 - rows[i].host), repair_s, LP_EFFECT_BLOCK, 0.0};
        double goodput = lp_goodput(&input, NULL).goodput;
        g_autofree char *label = g_strdup_printf("hosts %g, %u blocks, %s: %g", rows[i].host,
                                                 (guint)rows[i].slice_blocks,
                                                 lp_packing_names[rows[i].packing], goodput);
        lp_test_true(label, goodput >= rows[i].least && goodput <= rows[i].most);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"sound", test_sound},
                                       {"single", test_single},
                                       {"effects", test_effects},
                                       {"llama_3", test_llama_3},
                                       {"tpu_v4", test_tpu_v4},

                                       {NULL, NULL}};
    return lp_test_run("goodput", cases);
}
