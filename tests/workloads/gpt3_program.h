/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of GPT-3 on an accelerator whose times do not matter. */
#pragma once

#include "workloads/program/training_program.h"
#include "tests/testlib.h"

#define LP_GPT3 "resource:///lightpath/workloads/gpt3-175b.xml"

/* Kernel times do not matter here, but must exist. */
static const LpAccelerator lp_gpt3_accelerator = {
    .peak_flop_per_s = {1e13, 1e14, 3e14, 3e14, 0},
    .memory_bytes = 8e10,
    .memory_bytes_per_s = 2e12,
    .n_sms = 108,
    .gemm_efficiency = 0.5,
    .memory_efficiency = 0.5,
};

static inline LpWorkload *
lp_gpt3_load(const char *text)
{
    g_autofree char *all = g_strconcat("framework=none ", text, NULL);
    g_auto(GStrv) settings = g_strsplit(g_strchomp(all), " ", -1);
    g_autoptr(GError) error = NULL;
    LpWorkload *workload = lp_workload_load(LP_GPT3, (const char *const *)settings, &error);
    lp_test_text(text, error != NULL ? error->message : NULL, NULL);
    return workload;
}

static inline LpProgram *
lp_gpt3_program(const char *text)
{
    g_autoptr(LpWorkload) workload = lp_gpt3_load(text);
    return workload == NULL ? NULL : lp_training_program_new(workload, &lp_gpt3_accelerator, NULL);
}

/* Bytes of the buffers of all collectives of @stage that are for @traffic: an all-reduce counts
 * twice, as a reduce-scatter and an all-gather. */
static inline double
lp_gpt3_stage_bytes(const LpProgram *program, guint stage, LpTraffic traffic)
{
    const LpStageProgram *stage_program = lp_program_stage(program, stage);
    double bytes = 0.0;
    for (guint i = 0; i < stage_program->n_steps; i++) {
        const LpStep *step = lp_program_step(program, stage_program->first_step + i);
        if (step->kind != LP_STEP_SEGMENT)
            continue;
        const LpSegment *segment = lp_program_segment(program, step->segment);
        for (guint k = 0; k < segment->n_ops; k++) {
            const LpOp *op = lp_program_op(program, segment->first_op + k);
            if ((op->kind == LP_OP_COLLECTIVE || op->kind == LP_OP_LAUNCH) &&
                op->traffic == traffic)
                bytes +=
                    (op->collective == LP_COLLECTIVE_ALL_REDUCE ? 2.0 : 1.0) * (double)op->bytes;
        }
    }
    return bytes;
}
