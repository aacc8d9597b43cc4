/* SPDX-License-Identifier: Apache-2.0 */
/* Counts what stages send. */
#include "sim/circuits/traffic_table.h"

static void
add_segment(LpStageTraffic *self, const LpProgram *program, guint32 index)
{
    const LpSegment *segment = lp_program_segment(program, index);
    for (guint i = 0; i < segment->n_ops; i++) {
        const LpOp *op = lp_program_op(program, segment->first_op + i);
        if (!lp_op_is_collective(op))
            continue;
        double passes = op->collective == LP_COLLECTIVE_ALL_REDUCE ? 2.0 : 1.0;
        self->group[op->group].bytes += passes * (double)op->bytes;
        self->group[op->group].n_uses += 1.0;
    }
}

LpStageTraffic *
lp_traffic_table_new(const LpProgram *program)
{
    LpStageTraffic *table = g_new0(LpStageTraffic, program->pipeline.n_stages);
    for (guint32 stage = 0; stage < program->pipeline.n_stages; stage++) {
        const LpStageProgram *steps = lp_program_stage(program, stage);
        for (guint i = 0; i < steps->n_steps; i++) {
            const LpStep *step = lp_program_step(program, steps->first_step + i);
            if (step->kind == LP_STEP_SEGMENT)
                add_segment(&table[stage], program, step->segment);
            if (step->kind != LP_STEP_SEND)
                continue;
            table[stage].direction[step->direction].bytes += (double)step->bytes;
            table[stage].direction[step->direction].n_uses += 1.0;
        }
    }
    return table;
}
