/* SPDX-License-Identifier: Apache-2.0 */
/* What stays free beside tensors, and when a plan fits. */
#include "model/memory/memory_fit.h"
#include "tests/model/shapes.h"
#include "tests/testlib.h"

#define IDENTITY 1e-12 /* the same sum in another order */
#define GB 1e9
#define HOLES (2.0 / 45.4) /* of InternEvo's 7B over five: 49 GB shown, 45.4 + 1.6 known */

static LpAccelerator
accelerator(double memory_bytes, LpAcceleratorReserve reserve)
{
    return (LpAccelerator){.memory_bytes = memory_bytes, .reserve = reserve};
}

static const LpAcceleratorReserve of_gpu = {1.06 * GB, 0.54 * GB, 4.94 * GB, HOLES};
static const LpAcceleratorReserve of_tpu = {.context_bytes = 530.0 * 1048576.0};

/* NCCL's issues 1685 and 864: 1.06 GB alone, 1.6 with one communicator, 6 with three; holes
 * besides. */
static void
test_reserve(void)
{
    static const struct {
        const char *label;
        guint32 tp, pp, dp;
        double fixed_bytes;
    } rows[] = {{"one rank", 1, 1, 1, 1.06 * GB},
                {"one kind of group", 1, 1, 8, 1.6 * GB},
                {"two", 8, 1, 2, 3.8 * GB},
                {"three", 8, 4, 2, 6.0 * GB}};
    LpAccelerator gpu = accelerator(85.5 * GB, of_gpu);
    LpAccelerator tpu = accelerator(16.0 * GB, of_tpu);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpPlan plan = lp_test_plan(rows[i].tp, rows[i].pp, rows[i].dp, 1, 64);
        lp_test_close(rows[i].label, lp_memory_reserve_bytes(&plan, &gpu, 0.0), rows[i].fixed_bytes,
                      IDENTITY);
        lp_test_close(rows[i].label, lp_memory_reserve_bytes(&plan, &gpu, 50.0 * GB),
                      rows[i].fixed_bytes + HOLES * 50.0 * GB, IDENTITY);
        lp_test_close("laid out before", lp_memory_reserve_bytes(&plan, &tpu, 10.0 * GB),
                      530.0 * 1048576.0, IDENTITY);
    }
    LpPlan plan = lp_test_plan(8, 4, 2, 1, 64);
    plan.footprint.states_reserve = TRUE;
    lp_test_close("stated: none", lp_memory_reserve_bytes(&plan, &gpu, 50.0 * GB), 0.0, 0.0);
    plan.footprint.reserve_bytes = 3.0 * GB;
    lp_test_close("stated", lp_memory_reserve_bytes(&plan, &tpu, 10.0 * GB), 3.0 * GB, 0.0);
}

/* 84.7 of 85.5 GB is no plan; by how much is what is missing. To the byte what is left is enough.
 */
static void
test_fit(void)
{
    static const struct {
        const char *label;
        double total_bytes, reserve_bytes, spare_bytes;
        gboolean fits;
    } rows[] = {{"nothing", 0.0, 0.0, 85.5 * GB, TRUE},
                {"tight", 84.7 * GB, 3.0 * GB, -2.2 * GB, FALSE},
                {"to the byte", 82.5 * GB, 3.0 * GB, 0.0, TRUE},
                {"tensors alone", 84.7 * GB, 0.0, 0.8 * GB, TRUE},
                {"too many tensors", 86.5 * GB, 0.0, -1.0 * GB, FALSE}};
    LpAccelerator gpu = accelerator(85.5 * GB, of_gpu);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpPlan plan = lp_test_plan(8, 4, 2, 1, 64);
        LpMemory memory = {.weights_bytes = 0.25 * rows[i].total_bytes,
                           .activations_bytes = 0.75 * rows[i].total_bytes,
                           .cached_bytes = 50.0 * GB}; /* given back before it is missed */
        plan.footprint.states_reserve = TRUE;
        plan.footprint.reserve_bytes = rows[i].reserve_bytes;
        LpMemoryFit fit = lp_memory_fit(&memory, &plan, &gpu);
        lp_test_close(rows[i].label, fit.total_bytes, rows[i].total_bytes, IDENTITY);
        lp_test_close(rows[i].label, fit.capacity_bytes, 85.5 * GB, 0.0);
        lp_test_close(rows[i].label, fit.spare_bytes, rows[i].spare_bytes, 1e-9);
        lp_test_true(rows[i].label, fit.fits == rows[i].fits);
    }
    LpPlan plan = lp_test_plan(8, 4, 2, 1, 64);
    LpMemory tight = {.weights_bytes = 84.7 * GB};
    lp_test_true("by default no plan", !lp_memory_fit(&tight, &plan, &gpu).fits);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"reserve", test_reserve}, {"fit", test_fit}, {NULL, NULL}};
    return lp_test_run("memory_fit", cases);
}
