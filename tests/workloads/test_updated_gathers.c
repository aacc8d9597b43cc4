/* SPDX-License-Identifier: Apache-2.0 */
/* Buckets of gradients and of updated parameters (ZeRO 1 and 2): how many there are, what they
 * hold, and when they are launched. */
#include "workloads/program/training_program.h"

#include "tests/testlib.h"

#define GPT3 "resource:///lightpath/workloads/gpt3-175b.xml"

/* Without stages: 96 layers of 4 matrices and 2 norms, over tp 8. */
#define PLAN                                                                                       \
    "framework=none pp=1 virtual-stages=1 dp=128 micro-batch=12 zero=1 overlap-dp=yes "            \
    "overlap-param=yes "

static const LpAccelerator accelerator = {
    .peak_flop_per_s = {1e13, 1e14, 3e14, 3e14, 6e14},
    .memory_bytes = 8e10,
    .memory_bytes_per_s = 2e12,
    .n_sms = 108,
    .gemm_efficiency = 0.5,
    .memory_efficiency = 0.5,
    .host_kernel_s = 1e-5,
};

static LpProgram *
build(const char *settings)
{
    g_autofree char *all = g_strconcat(PLAN, settings, NULL);
    g_auto(GStrv) list = g_strsplit(g_strchomp(all), " ", -1);
    g_autoptr(GError) error = NULL;
    g_autoptr(LpWorkload) workload = lp_workload_load(GPT3, (const char *const *)list, &error);
    lp_test_text(settings, error != NULL ? error->message : NULL, NULL);
    return workload == NULL ? NULL : lp_training_program_new(workload, &accelerator, NULL);
}

/* Launches of @collective in the segments of @role, and the bytes of the first and of all. */
typedef struct {
    guint n, n_waiting; /* of compute operations behind which the host waits */
    double first, last, sum;
} Launches;

static Launches
launches(const LpProgram *program, LpRole role, LpCollective collective)
{
    Launches found = {0};
    const LpStageProgram *stage = lp_program_stage(program, 0);
    for (guint i = 0; i < stage->n_steps; i++) {
        const LpStep *step = lp_program_step(program, stage->first_step + i);
        const LpSegment *segment =
            step->kind == LP_STEP_SEGMENT ? lp_program_segment(program, step->segment) : NULL;
        for (guint k = 0; segment != NULL && segment->role == role && k < segment->n_ops; k++) {
            const LpOp *op = lp_program_op(program, segment->first_op + k);
            found.n_waiting += op->kind == LP_OP_COMPUTE && op->work.waits;
            if (op->kind != LP_OP_LAUNCH || op->group != LP_GROUP_DP ||
                op->collective != collective)
                continue;
            found.last = (double)op->bytes;
            found.first = found.n++ == 0 ? found.last : found.first;
            found.sum += found.last;
        }
    }
    return found;
}

/* Without stages the first bucket is launched at the start, and each other when the one before it
 * is needed; all of them once, with as many bytes. */
static void
test_one_ahead(void)
{
    static const struct {
        const char *settings;
        guint n_start, n_passes;
    } rows[] = {
        {"bucket=1TB", 1, 0},
        {"bucket=1-parameters", 1, 1 + 96 * 6}, /* embedding, tensors, final norm */
        {"bucket=226492416-parameters", 1, 96}, /* that of the embedding and the first layer */
        {"bucket=1TB precision=fp8 narrow-parameters=yes", 1, 0},
        /* What is wide goes with the first. */
        {"bucket=1-parameters precision=fp8 narrow-parameters=yes", 1, 96 * 4 - 1},
    };
    g_autoptr(LpProgram) whole = build("bucket=1TB");
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpProgram) program = build(rows[i].settings);
        if (program == NULL || whole == NULL)
            continue;
        Launches start = launches(program, LP_ROLE_START, LP_COLLECTIVE_ALL_GATHER);
        Launches passes = launches(program, LP_ROLE_FORWARD, LP_COLLECTIVE_ALL_GATHER);
        lp_test_close(rows[i].settings, start.n, rows[i].n_start, 1e-12);
        lp_test_close(rows[i].settings, passes.n, rows[i].n_passes, 1e-12);
        if (strstr(rows[i].settings, "narrow") == NULL)
            lp_test_close(rows[i].settings, start.sum + passes.sum,
                          launches(whole, LP_ROLE_START, LP_COLLECTIVE_ALL_GATHER).sum, 1e-6);
    }
}

/* Gradients of narrow parameters go one by one, those of wide ones with the last of them. */
static void
test_wide(void)
{
    g_autoptr(LpProgram) alike = build("bucket=1-parameters precision=fp8");
    g_autoptr(LpProgram) apart =
        build("bucket=1-parameters precision=fp8 narrow-parameters=yes gradient-check=yes");
    g_autoptr(LpProgram) unchecked =
        build("bucket=1-parameters precision=fp8 narrow-parameters=yes");
    if (alike == NULL || apart == NULL || unchecked == NULL)
        return;
    Launches each = launches(alike, LP_ROLE_BACKWARD, LP_COLLECTIVE_REDUCE_SCATTER);
    Launches wide = launches(apart, LP_ROLE_BACKWARD, LP_COLLECTIVE_REDUCE_SCATTER);
    Launches free = launches(unchecked, LP_ROLE_BACKWARD, LP_COLLECTIVE_REDUCE_SCATTER);
    lp_test_true("fewer", wide.n < each.n && wide.n >= 96 * 4 && wide.n == free.n);
    lp_test_close("as many bytes", wide.sum, each.sum, 1e-6);
    double embedding = 51200.0 * 12288.0 / 8.0 * 2.0;
    lp_test_true("the embedding is in the last", wide.last > embedding);
    lp_test_true("hosts wait for each", wide.n_waiting >= wide.n);
    lp_test_true("and for none unless asked to", free.n_waiting == 0);
}

/* A bucket that a tensor of gradients fills to the byte closes behind it. */
static void
test_full(void)
{
    g_autoptr(LpProgram) each = build("bucket=1B");
    double tensor = launches(each, LP_ROLE_BACKWARD, LP_COLLECTIVE_REDUCE_SCATTER).first;
    for (guint more = 0; more < 2; more++) {
        g_autofree char *settings = g_strdup_printf("bucket=%.0fB", tensor + more);
        g_autoptr(LpProgram) program = build(settings);
        Launches found = launches(program, LP_ROLE_BACKWARD, LP_COLLECTIVE_REDUCE_SCATTER);
        lp_test_true(settings, more == 0 ? found.first <= tensor : found.first > tensor);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"one ahead", test_one_ahead},
                                       {"wide parameters", test_wide},
                                       {"full", test_full},
                                       {NULL, NULL}};
    return lp_test_run("updated-gathers", cases);
}
