/* SPDX-License-Identifier: Apache-2.0 */
/* How long the optimiser's step takes. */
#pragma once

#include "model/list_copies.h"

G_BEGIN_DECLS

/** The optimiser's step of one rank of @stage: bytes of the states that it holds over memory
 * bandwidth, and one launch, s. A step reads the gradient of each parameter; reads and writes the
 * fp32 weight and the moments; and, where training computes in 2 bytes, writes the weight's 2-byte
 * copy (Micikevicius et al., arXiv 1710.03740, section 3.1), or a narrow one (narrow-parameters).
 * ZeRO divides it over the ranks that share the states (Rajbhandari et al., arXiv 1910.02054,
 * section 5.1). Narrow products need both copies (model/precision.h) of all layers' weights: each
 * rank makes what has not come to it, once an iteration, but with stage 3, where passes do. With
 * gradient-buffers all gradients of the rank are cleared (1 write) and, with replicas, divided by
 * their number (1 read, 1 write), but under stage 3, and those that it sums up are read for their
 * norm and scaled to it (2 reads, 1 write), once an iteration each (Megatron-LM,
 * megatron/core/distributed/param_and_grad_buffer.py and megatron/core/optimizer/clip_grads.py).
 * With main-gradients the step, the norm and the scaling take gradients in fp32: narrower ones are
 * copied before (read, and written in 4 bytes), and where training computes in fp16 all are divided
 * by the loss' scale (1 read, 1 write). With eager-optimizer Adam goes operation by operation;
 * gradient-copies of an iteration's sum are read and written here. */
double lp_optimizer_time_s(const LpTransformer *transformer, const LpPlan *plan,
                           const LpAccelerator *accelerator, guint32 stage);

/** Copies of the parameters that a rank of @stage has gathered in lists (gather-lists) behind the
 * optimiser's step: the host issues one for each member and tensor. None otherwise. */
LpWork lp_optimizer_list_copies(const LpTransformer *transformer, const LpPlan *plan,
                                const LpAccelerator *accelerator, guint32 stage);

G_END_DECLS
