/* SPDX-License-Identifier: Apache-2.0 */
/* Layers as ops: what one rank computes and communicates for one micro-batch in one pass.
 * Used by training_program.c and gradient_sync.c only. */
#pragma once

#include "workloads/program/program.h"

G_BEGIN_DECLS

/** Kernel times of every kind of layer, and where ops go. */
typedef struct {
    LpProgram *program;               /* borrowed */
    const LpTransformer *transformer; /* borrowed */
    const LpPlan *plan;               /* borrowed */
    LpWork work[LP_LAYER_KINDS][LP_N_BLOCKS][LP_N_PASSES][LP_N_PARTS];
    guint n_launched[LP_N_STREAMS]; /**< in the segment at hand */
    guint first_op;                 /**< of that segment */
} LpLowering;

/** Everything is borrowed; @program has its communicators already. */
void lp_lowering_init(LpLowering *self, LpProgram *program, const LpTransformer *transformer,
                      const LpPlan *plan, const LpAccelerator *accelerator);

/** Bytes of one tensor of @tokens hidden activations on the wire. */
guint64 lp_lowering_wire_bytes(const LpLowering *self, double tokens);
void lp_lowering_add_compute(LpLowering *self, LpTerm term, LpWork work);
/** A collective of @bytes that the compute stream waits for; none for groups of one or no bytes. */
void lp_lowering_add_collective(LpLowering *self, LpCollective collective, LpGroup group,
                                guint64 bytes);
/** One for the vocabulary: of the tp group, counted as embedding traffic. */
void lp_lowering_add_vocabulary(LpLowering *self, LpCollective collective, guint64 bytes);
/** A collective that the stream of @group runs beside the compute stream; it must not be the
 * compute stream itself (lp_group_stream()). Returns: its number among those that the segment
 * launched there, or G_MAXUINT if there was nothing to launch. */
guint lp_lowering_add_launch(LpLowering *self, LpCollective collective, LpGroup group,
                             guint64 bytes);
/** Waits until launch @number of the segment (of lp_lowering_add_launch()) has ended. */
void lp_lowering_add_join(LpLowering *self, LpStream stream, guint number, LpTerm term);
/** Waits until all of @stream has ended. */
void lp_lowering_add_join_all(LpLowering *self, LpStream stream, LpTerm term);

/** The passes of layer @index. @part: LP_ROLE_BACKWARD for both gradients, LP_ROLE_INPUT or
 * LP_ROLE_WEIGHT for one; the first two recompute before. */
void lp_lowering_add_layer_forward(LpLowering *self, guint32 index);
void lp_lowering_add_layer_backward(LpLowering *self, guint32 index, LpRole part);
/** Embedding of the sequences of layer @index (the decoder has its own), and head. */
void lp_lowering_add_embedding_forward(LpLowering *self, guint32 index);
void lp_lowering_add_embedding_backward(LpLowering *self, guint32 index, LpRole part);
void lp_lowering_add_head_forward(LpLowering *self);
void lp_lowering_add_head_backward(LpLowering *self, LpRole part);

G_END_DECLS
