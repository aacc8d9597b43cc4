/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel times and tensor sizes of layers. */
#include "workloads/program/lowering.h"

#include "model/plan/plan_routing.h"

#include <math.h>

void
lp_lowering_init(LpLowering *self, LpProgram *program, const LpTransformer *transformer,
                 const LpPlan *plan, const LpAccelerator *accelerator)
{
    *self =
        (LpLowering){.builder = {.program = program},
                     .transformer = transformer,
                     .plan = plan,
                     .accelerator = accelerator,
                     .list_costs = lp_list_costs(plan, accelerator),
                     .boundary_copies = lp_boundary_copies_work(transformer, plan, accelerator)};
    gboolean known[LP_LAYER_KINDS] = {FALSE};
    guint8 n_rows = 0;
    for (guint32 index = 0; index < lp_transformer_n_layers(transformer); index++) {
        guint kind = lp_transformer_layer_kind(transformer, index);
        if (known[kind])
            continue;
        known[kind] = TRUE;
        g_assert(n_rows < LP_LAYER_ROWS);
        self->row[kind] = n_rows++;
        for (LpBlock block = 0; block < LP_N_BLOCKS; block++)
            for (LpPass pass = 0; pass < LP_N_PASSES; pass++)
                lp_block_parts_work(transformer, plan, accelerator, index, block, pass,
                                    self->work[self->row[kind]][block][pass]);
    }
}

guint64
lp_lowering_wire_bytes(const LpLowering *self, double tokens)
{
    return (guint64)llround(tokens * self->transformer->hidden * lp_plan_wire_bytes(self->plan));
}

guint64
lp_lowering_layer_bytes(const LpLowering *self, guint32 index)
{
    LpLayer layer = lp_transformer_layer(self->transformer, index);
    return lp_lowering_wire_bytes(self, lp_plan_tokens(self->plan, layer.seq));
}

guint64
lp_lowering_gathered_bytes(const LpLowering *self, guint32 index)
{
    double tokens = lp_plan_tokens(self->plan, lp_transformer_layer(self->transformer, index).seq);
    return (guint64)llround(tokens * self->transformer->hidden *
                            lp_plan_gathered_wire_bytes(self->plan));
}

void
lp_lowering_use_expert_loads(LpLowering *self, guint32 index)
{
    self->builder.draw =
        lp_plan_expert_draw(self->plan, self->transformer, index, self->micro_batch);
}

LpWork
lp_lowering_part(const LpLowering *self, guint kind, LpBlock block, LpPass pass, LpBlockPart part)
{
    return self->work[self->row[kind]][block][pass][part];
}

LpWork
lp_lowering_block(const LpLowering *self, guint kind, LpBlock block, LpPass pass)
{
    LpWork sum = LP_WORK_NONE;
    for (LpBlockPart part = 0; part < LP_N_BLOCK_PARTS; part++)
        sum = lp_work_then(sum, self->work[self->row[kind]][block][pass][part]);
    return sum;
}

void
lp_lowering_need(const LpLowering *self, LpBlock block, LpBlockPart part)
{
    if (self->need != NULL)
        self->need(self->need_data, block, part);
}

void
lp_lowering_add_share(LpLowering *self, LpWork work, double share)
{
    lp_builder_add_compute(&self->builder, LP_TERM_COMPUTE, lp_work_scale(work, share));
}

void
lp_lowering_add_work(LpLowering *self, LpWork work)
{
    lp_builder_add_compute(&self->builder, LP_TERM_COMPUTE, work);
}

void
lp_lowering_add_part(LpLowering *self, guint kind, LpBlock block, LpPass pass, LpBlockPart part)
{
    lp_lowering_add_work(self, self->work[self->row[kind]][block][pass][part]);
}

void
lp_lowering_add_block(LpLowering *self, guint kind, LpBlock block, LpPass pass)
{
    lp_lowering_add_work(self, lp_lowering_block(self, kind, block, pass));
}
