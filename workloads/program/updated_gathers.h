/* SPDX-License-Identifier: Apache-2.0 */
/* Hidden gathers of ZeRO 1 and 2 (overlap-param): what the last iteration's optimiser updated, in
 * buckets. */
#pragma once

#include "workloads/program/unit.h"

G_BEGIN_DECLS

/** The gathers of a stage's parameters, in the order in which its first forward passes need them.
 * In a pipeline all are launched at the start, chunk by chunk; without one the first is, and each
 * other when the one before it has been waited for (Megatron-LM,
 * megatron/core/distributed/param_and_grad_buffer.py: finish_param_sync()). */
typedef struct {
    LpLowering *lowering; /* borrowed */
    GArray *buckets;      /* owned: LpParameters, bytes */
    GArray *uses;         /* owned: when buckets are needed, in order */
    GArray *ends;         /* owned: guint, launches up to each bucket that has been launched */
    guint n_launched;     /* so far */
    guint n_awaited;      /* buckets */
    guint unit;           /* that has begun */
} LpUpdatedGathers;

/** The gathers of @stage's updated parameters. Returns: (transfer full). */
LpUpdatedGathers *lp_updated_gathers_new(LpLowering *lowering, guint32 stage);
/** Launches, in the segment at hand, before all passes, what is launched there. Returns: whether
 * there is anything to wait for. */
gboolean lp_updated_gathers_start(LpUpdatedGathers *self);
/** The @unit-th of all chunks in the order of lp_units_chunk() begins: from here on its products
 * wait for what they take (lp_lowering_need()). */
void lp_updated_gathers_begin_unit(LpUpdatedGathers *self, guint unit);
/** No products wait from here on. */
void lp_updated_gathers_end_pass(LpUpdatedGathers *self);
void lp_updated_gathers_free(LpUpdatedGathers *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpUpdatedGathers, lp_updated_gathers_free)

G_END_DECLS
