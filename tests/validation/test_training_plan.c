/* SPDX-License-Identifier: Apache-2.0 */
/* What a row leaves open of its plan: recomputation, gradients, micro-batch. */
#include "validation/cases/training_case.h"

#include "sim/run/simulation.h"
#include "tests/testlib.h"
#include "tests/validation/training_row.h"
#include "validation/prediction/prediction.h"

#include <math.h>

static void
test_memory(void)
{
    static const LpTrainingRow rows[] = {
        {"recomputation left out, and it fits", "recompute=", "recompute=none",
         "recompute none: the plan fits so; full takes +"},
        /* 8.3 billion parameters of 16 bytes over t are 33 GB; 40 layers of s b h (10 + 24/t) are
         * 43 GB and of 5 a s^2 b / t, the scores, 54 GB (Korthikanti et al., eq. 2). */
        {"recomputation left out, and it does not fit",
         "recompute=;layers=40;heads=32;hidden=4096;ffn=;seq=2048;pp=1;dp=4;tp=4;micro_batch=8",
         "recompute=selective",
         "recompute selective: the plan does not fit with less; full takes +"},
        /* The same at t 2 and b 4: 66, 30 and 54 GB. */
        {"nor with the scores again",
         "recompute=;layers=40;heads=32;hidden=4096;ffn=;seq=2048;pp=1;dp=8;tp=2;micro_batch=4",
         "recompute=full", "recompute full: the plan does not fit with less"},
        /* 8 billion parameters over t 4 need 41 GB with sums in fp32, 37 in 16 bits; 12 sequences
         * of 32 layers of s b h (8 + ...)/t some 47 GB, and 37 without the outputs of norms and
         * gates. */
        {"it was measured, so it did fit",
         FLASH
         "layers=32;hidden=4096;heads=32;ffn=14336;vocab=128256;seq=4096;tied=;tp=4;pp=1;dp=1;"
         "accelerators=4;micro_batch=12;global_batch=24;recompute=;precision=bf16;framework="
         "megatron-core",
         "recompute=light gradient-precision=bf16", "gradients in bf16"},
        {"what is stated stays",
         FLASH
         "layers=32;hidden=4096;heads=32;ffn=14336;vocab=128256;seq=4096;tied=;tp=4;pp=1;dp=1;"
         "accelerators=4;micro_batch=12;global_batch=24;recompute=none;precision=bf16;framework="
         "megatron-core",
         "recompute=none gradient-precision=fp32",
         "recompute none as stated: by our count it does not fit"},
        {"what stays leaves a micro-batch to be guessed",
         FLASH
         "layers=32;hidden=4096;heads=32;ffn=14336;vocab=128256;seq=65536;tied=;tp=4;pp=1;dp=1;"
         "accelerators=4;micro_batch=;global_batch=24;recompute=none;precision=bf16;framework="
         "megatron-core",
         "recompute=none micro-batch=1",
         "micro-batch 1: by our count not even that fits; 2 takes "},
        {"a replica's batch, cut into as many parts as there are stages",
         "framework=torchtitan;precision=bf16;zero=2;micro_batch=16", "micro-batch=8",
         "micro-batch 8: as many micro-batches as stages"},
        {"what is smaller than that is a micro-batch",
         "framework=torchtitan;precision=bf16;zero=2;micro_batch=2", "micro-batch=2", NULL},
        {"without stages it is the micro-batch",
         "framework=torchtitan;precision=bf16;zero=2;pp=1;"
         "dp=8;micro_batch=8",
         "micro-batch=8", NULL},
        {"micro-batch of an odd batch", "micro_batch=;global_batch=36", "micro-batch=1",
         "micro-batch 1"},
    };
    lp_training_rows_expect(rows, G_N_ELEMENTS(rows));
}

static LpTable *
table_of(const GPtrArray *changes)
{
    return lp_training_rows_table((const char *const *)changes->pdata, changes->len);
}

/* The time of the plan of a row by the closed form; infinite where there is no plan that fits. */
static double
plan_s(const LpTable *table, guint row, guint32 *out_micro_batch)
{
    g_autoptr(LpOutcome) outcome = lp_outcome_new(LP_MEASURE_TIME, "r1", "s");
    g_auto(LpTrainingCase) got = {.workload = NULL};
    if (!lp_training_case_read(&got, lp_table_row(table, row), outcome, NULL) ||
        !lp_setup_check_memory(got.workload, got.machine, NULL))
        return INFINITY;
    *out_micro_batch = got.workload->plan.batch.micro;
    return lp_prediction_consistent_s(got.workload, got.machine);
}

/* Of the powers of two that divide a replica's batch, none that fits is faster than the one taken,
 * and no larger one as fast. */
static void
test_micro_batch(void)
{
    static const struct {
        const char *label, *changes;
        guint64 sequences; /* of a replica */
    } rows[] = {
        {"a pipeline", "", 16},
        {"no pipeline", "tp=2;pp=1;dp=8", 8},
        {"a deep one of few batches", "tp=1;pp=8;dp=2;global_batch=16", 8},
        {"little memory", "layers=40;heads=32;hidden=4096;seq=2048;tp=4;pp=1;dp=4;recompute=none",
         16},
        {"one sequence", "global_batch=4", 1},
    };
    g_autoptr(GPtrArray) changes = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_ptr_array_add(changes, g_strconcat("micro_batch=;", rows[i].changes, NULL));
        for (guint64 size = 1; size <= rows[i].sequences; size *= 2)
            g_ptr_array_add(changes, g_strdup_printf("micro_batch=%" G_GUINT64_FORMAT ";%s", size,
                                                     rows[i].changes));
    }
    g_autoptr(LpTable) table = table_of(changes);
    guint row = 0;
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        guint32 chosen = 0;
        double chosen_s = plan_s(table, row++, &chosen);
        lp_test_true(rows[i].label, chosen >= 1 && rows[i].sequences % chosen == 0);
        for (guint64 size = 1; size <= rows[i].sequences; size *= 2) {
            guint32 stated = 0;
            double size_s = plan_s(table, row++, &stated);
            g_autofree char *label =
                g_strdup_printf("%s: %g s with %" G_GUINT64_FORMAT ", %g s with %u", rows[i].label,
                                size_s, size, chosen_s, chosen);
            lp_test_true(label, size <= chosen ? chosen_s <= size_s : chosen_s < size_s);
        }
    }
}

/* With recomputation left open as well, no more of it is faster, whatever the micro-batch: states
 * gathered for each of eight micro-batches over 200 Gb/s cost more than a second forward pass. */
static void
test_recomputed_for_a_larger_one(void)
{
    static const char shape[] = "layers=40;heads=32;hidden=4096;ffn=;seq=2048;tp=1;pp=1;dp=16;"
                                "zero=3;precision=bf16;scale_out_Gbps=200;nics_per_domain=1;"
                                "global_batch=128";
    static const char *const modes[] = {"selective", "full"};
    g_autoptr(GPtrArray) changes = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(changes, g_strconcat(shape, ";recompute=;micro_batch=", NULL));
    for (guint i = 0; i < G_N_ELEMENTS(modes); i++)
        for (guint size = 1; size <= 8; size *= 2)
            g_ptr_array_add(
                changes, g_strdup_printf("%s;recompute=%s;micro_batch=%u", shape, modes[i], size));
    g_ptr_array_add(changes, g_strconcat(shape, ";recompute=selective;micro_batch=", NULL));
    g_autoptr(LpTable) table = table_of(changes);
    guint32 chosen = 0, stated = 0;
    double chosen_s = plan_s(table, 0, &chosen);
    lp_test_true("it fits", isfinite(chosen_s));
    for (guint row = 1; row + 1 < changes->len; row++) {
        double other_s = plan_s(table, row, &stated);
        g_autofree char *label = g_strdup_printf("%s: %g s, chosen %g s",
                                                 (char *)changes->pdata[row], other_s, chosen_s);
        lp_test_true(label, chosen_s <= other_s);
    }
    lp_test_true("the least that fits is slower",
                 chosen_s < plan_s(table, changes->len - 1, &stated));
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"memory", test_memory},
        {"micro-batch", test_micro_batch},
        {"recomputed for a larger one", test_recomputed_for_a_larger_one},
        {NULL, NULL}};
    return lp_test_run("training plan", cases);
}
