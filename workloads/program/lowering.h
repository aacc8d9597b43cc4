/* SPDX-License-Identifier: Apache-2.0 */
/* The lowering of a model's layers to operations: the state that its modules share
 * (tensor_parallel.h, layer.h ...), and functions that add operations. */
#pragma once

#include "model/times/list_copies.h"
#include "workloads/program/builder.h"

G_BEGIN_DECLS

/** The state that every part of the lowering needs: model, plan, kernel times, and the builder of
 * operations. */
typedef struct {
    LpBuilder builder;
    const LpTransformer *transformer; /* borrowed */
    const LpPlan *plan;               /* borrowed */
    guint8 row[LP_LAYER_KINDS];       /**< of each kind of layer, in @work */
    LpWork work[LP_LAYER_ROWS][LP_N_BLOCKS][LP_N_PASSES][LP_N_BLOCK_PARTS]; /**< of kernels */
    LpWork boundary_copies; /**< lp_boundary_copies_work() */
    LpListCosts list_costs;
    const LpAccelerator *accelerator; /* borrowed */
    guint32 micro_batch;              /**< of the pass at hand, among all of the iteration */
    void (*need)(gpointer data, LpBlock block,
                 LpBlockPart part); /**< or NULL: lp_lowering_need() */
    gpointer need_data;             /* borrowed */
} LpLowering;

/** A lowering into @program, which has its communicators and expert loads already, with the kernel
 * times of @accelerator. All of it is borrowed. */
void lp_lowering_init(LpLowering *self, LpProgram *program, const LpTransformer *transformer,
                      const LpPlan *plan, const LpAccelerator *accelerator);

/** Bytes on the wire of one tensor of @tokens hidden activations. */
guint64 lp_lowering_wire_bytes(const LpLowering *self, double tokens);
/** Bytes on the wire of all activations between layer @index and the next: micro-batch x sequence
 * of a rank x hidden, whole, not the share of a rank of tensor parallelism. */
guint64 lp_lowering_layer_bytes(const LpLowering *self, guint32 index);
/** Bytes on the wire of what layer @index gathers for products, whole:
 * lp_plan_gathered_wire_bytes(). */
guint64 lp_lowering_gathered_bytes(const LpLowering *self, guint32 index);

/** Makes the experts of layer @index use the expert loads of the micro-batch at hand from here on.
 */
void lp_lowering_use_expert_loads(LpLowering *self, guint32 index);

/** Kernels of one part of a block of layers of @kind (lp_transformer_layer_kind()). */
LpWork lp_lowering_part(const LpLowering *self, guint kind, LpBlock block, LpPass pass,
                        LpBlockPart part);
/** Kernels of a whole block. */
LpWork lp_lowering_block(const LpLowering *self, guint kind, LpBlock block, LpPass pass);

/** Announces that the products in @part of the forward pass of @block, or those of its backward
 * pass, come next: their parameters are there when these are gathered. Routed experts' are all of
 * LP_BLOCK_PART_INPUT_PRODUCT. */
void lp_lowering_need(const LpLowering *self, LpBlock block, LpBlockPart part);
/** Computes @share, at most 1, of @work. */
void lp_lowering_add_share(LpLowering *self, LpWork work, double share);
/** Computes all of @work. */
void lp_lowering_add_work(LpLowering *self, LpWork work);
/** Computes lp_lowering_part(). */
void lp_lowering_add_part(LpLowering *self, guint kind, LpBlock block, LpPass pass,
                          LpBlockPart part);
/** Computes lp_lowering_block(). */
void lp_lowering_add_block(LpLowering *self, guint kind, LpBlock block, LpPass pass);

G_END_DECLS
