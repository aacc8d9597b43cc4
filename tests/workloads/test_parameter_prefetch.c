/* SPDX-License-Identifier: Apache-2.0 */
/* What DeepSpeed gathers tensor by tensor (ZeRO 3) is, summed over a pass, what the model has. */
#include "tests/testlib.h"
#include "workloads/program/training_program.h"

/* Parameters as published (Meta, Mistral AI): of Llama 3 8B two norms of each layer stay on every
 * rank; Mixtral's go with what is left of a layer besides its matrices. The backward pass finds
 * what the forward one used so late that fewer than 10^9 parameters lie between: the head with the
 * final norm, and of Mixtral's last layer all but attention, whose matrices have the layer's
 * experts between their uses. */
static const struct {
    const char *path;
    double n_gathered, n_kept;
} rows[] = {
    {"resource:///lightpath/workloads/llama-3-8b.xml", 8030261248.0 - 32.0 * 2.0 * 4096.0,
     128256.0 * 4096.0 + 4096.0},
    {"resource:///lightpath/workloads/mixtral-8x7b.xml", 46702792704.0,
     32000.0 * 4096.0 + 4096.0 + 8.0 * 3.0 * 4096.0 * 14336.0 + (8.0 + 2.0) * 4096.0},
};

static const LpAccelerator accelerator = {
    .peak_flop_per_s = {1e13, 1e14, 3e14, 3e14, 6e14},
    .memory_bytes = 8e10,
    .memory_bytes_per_s = 2e12,
    .n_sms = 108,
    .gemm_efficiency = 0.5,
    .memory_efficiency = 0.5,
};

static double
gathered_bytes(const LpProgram *program, LpRole role)
{
    const LpStageProgram *stage = lp_program_stage(program, 0);
    double bytes = 0.0;
    for (guint i = 0; i < stage->n_steps; i++) {
        const LpStep *step = lp_program_step(program, stage->first_step + i);
        const LpSegment *segment =
            step->kind == LP_STEP_SEGMENT ? lp_program_segment(program, step->segment) : NULL;
        for (guint k = 0; segment != NULL && segment->role == role && k < segment->n_ops; k++) {
            const LpOp *op = lp_program_op(program, segment->first_op + k);
            if (op->kind == LP_OP_LAUNCH && op->collective == LP_COLLECTIVE_ALL_GATHER)
                bytes += (double)op->bytes;
        }
    }
    return bytes;
}

static void
test_bytes(void)
{
    static const char *const settings[] = {"framework=deepspeed",
                                           "tp=1",
                                           "pp=1",
                                           "cp=1",
                                           "ep=1",
                                           "schedule=1f1b",
                                           "virtual-stages=1",
                                           "dp=8",
                                           "zero=3",
                                           "micro-batch=1",
                                           "global-batch=8",
                                           "recompute=full",
                                           NULL};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(LpWorkload) workload = lp_workload_load(rows[i].path, settings, &error);
        lp_test_text(rows[i].path, error != NULL ? error->message : NULL, NULL);
        if (workload == NULL)
            continue;
        g_autoptr(LpProgram) program = lp_training_program_new(workload, &accelerator, NULL);
        lp_test_close(rows[i].path, gathered_bytes(program, LP_ROLE_FORWARD),
                      2.0 * rows[i].n_gathered, 0.0);
        lp_test_close(rows[i].path, gathered_bytes(program, LP_ROLE_BACKWARD),
                      2.0 * (rows[i].n_gathered - rows[i].n_kept), 0.0);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"bytes", test_bytes}, {NULL, NULL}};
    return lp_test_run("prefetch of parameters", cases);
}
