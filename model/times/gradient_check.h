/* SPDX-License-Identifier: Apache-2.0 */
/* The check of gradients before they are sent (gradient-check). */
#pragma once

#include "model/times/accelerator.h"
#include "model/plan/plan.h"
#include "model/times/work.h"

G_BEGIN_DECLS

/** What a rank does with a bucket of gradients of @bytes before it sends them: it takes their norm,
 * asks whether that is a number, and then whether it is finite, and the host waits for each answer
 * (Megatron-LM, megatron/core/distributed/param_and_grad_buffer.py: check_grads(); PyTorch's isinf
 * is two kernels). Nothing without gradient-check, and in CUDA graphs, which cannot wait. */
LpWork lp_gradient_check_work(const LpPlan *plan, const LpAccelerator *accelerator, double bytes);
/** The checks of a step of the gradients of a rank of @stage: one check for each bucket, at most
 * one for each tensor; with ZeRO 3 one for each unit. */
LpWork lp_gradient_checks_work(const LpTransformer *transformer, const LpPlan *plan,
                               const LpAccelerator *accelerator, guint32 stage);

G_END_DECLS
