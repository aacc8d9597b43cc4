/* SPDX-License-Identifier: Apache-2.0 */
/* When nothing is on the stream of gradients and parameters, on plans where that can be counted. */
#include "sim/analysis/idle_steps.h"

#include "tests/support/generated.h"
#include "tests/support/small_workload.h"
#include "tests/testlib.h"
#include "workloads/program/training_program.h"

#define BODY "embedding=no layers=4 hidden=1024 heads=16 ffn=4096 tp=1 dp=2 "

typedef struct {
    const char *label;
    const char *settings;
    guint n_idle, n_segments; /* steps that run one, of all stages */
} Row;

static const Row rows[] = {
    {"nothing hidden: four micro-batches, there and back, and the optimiser",
     BODY "pp=1 global-batch=8", 9, 9},
    {"gradients behind the last backward pass, which the optimiser waits for",
     BODY "pp=1 global-batch=8 overlap-dp=yes bucket=1kB", 7, 9},
    {"one micro-batch: only its forward pass", BODY "pp=1 global-batch=2 overlap-dp=yes bucket=1kB",
     1, 3},
    {"two stages, each with its own last pass",
     BODY "pp=2 global-batch=8 overlap-dp=yes bucket=1kB", 14, 18},
    /* Of the chunks on a stage the upper one is through first: two more backward passes follow. */
    {"two chunks, two micro-batches: the upper chunk's gradients are under way first",
     BODY "pp=2 virtual-stages=2 global-batch=4 overlap-dp=yes bucket=1kB", 2 * 5, 2 * 9},
    {"parameters gathered for every pass",
     BODY "pp=1 global-batch=8 zero=3 overlap-dp=yes bucket=1kB "
          "overlap-param=yes",
     0, 9},
};

static void
test_rows(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpWorkload) workload = lp_small_workload_load(rows[i].settings);
        g_autoptr(LpMachine) machine =
            lp_generated_machine_good("--system=dgx-a100 --accelerators=8");
        if (workload == NULL || machine == NULL)
            continue;
        g_autoptr(LpProgram) program =
            lp_training_program_new(workload, &machine->accelerator, NULL);
        g_assert_nonnull(program);
        g_autofree gboolean *idle = lp_idle_steps_find(program);
        guint n_idle = 0, n_segments = 0;
        for (guint k = 0; k < program->steps->len; k++) {
            n_idle += idle[k] ? 1 : 0;
            n_segments += lp_program_step(program, k)->kind == LP_STEP_SEGMENT ? 1 : 0;
        }
        lp_test_close(rows[i].label, n_idle, rows[i].n_idle, 0.0);
        lp_test_close(rows[i].label, n_segments, rows[i].n_segments, 0.0);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"rows", test_rows}, {NULL, NULL}};
    return lp_test_run("idle steps", cases);
}
