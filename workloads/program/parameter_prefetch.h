/* SPDX-License-Identifier: Apache-2.0 */
/* ZeRO 3's all-gathers of parameters before they are used, unit by unit or tensor by tensor. */
#pragma once

#include "workloads/program/unit.h"

G_BEGIN_DECLS

/** The gathers of a pass, each launched some units ahead if they are to be hidden (Zhao et al.,
 * PyTorch FSDP, arXiv 2304.11277, section 3.3.2), or as many parameters ahead as may be there
 * (deepspeed/runtime/zero/partitioned_param_coordinator.py: fetch_sub_module). */
typedef struct {
    LpLowering *lowering; /* borrowed */
    GArray *units;        /* owned: of the pass's chunk */
    gboolean backwards;   /**< the pass takes them in this order */
    gboolean gathers;     /**< the pass gathers at all */
    GArray *uses;         /* owned: tensor by tensor, lp_parameter_uses_new(); NULL: unit by unit */
    guint n_ahead;        /**< units or uses whose gathers have been launched */
    guint *numbers;       /* owned: of the launches, by position or use; G_MAXUINT: none */
    guint n_before;       /**< launches of the segment before */
    guint unit;           /**< at hand, in the order of the forward pass */
    guint next;           /**< use */
    guint n_released;     /**< uses behind which parameters are freed */
    double live;          /**< parameters that are there, or on their way */
} LpParameterPrefetch;

/** A prefetch in which nothing is gathered yet. @lowering: borrowed. @units: (transfer full).
 * @gathers: FALSE for a pass whose parameters are already there. Returns: (transfer full). */
LpParameterPrefetch *lp_parameter_prefetch_new(LpLowering *lowering, GArray *units,
                                               gboolean backwards, gboolean gathers);
/** @self: NULL is passed over. */
void lp_parameter_prefetch_free(LpParameterPrefetch *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpParameterPrefetch, lp_parameter_prefetch_free)
/** Launches the gathers that the first unit of the pass would launch, before what follows: nothing
 * unless they are to be hidden. What follows is a segment of its own. */
void lp_parameter_prefetch_start(LpParameterPrefetch *self);
/** Has the parameters of the @position-th unit of the pass there before what follows, or, tensor by
 * tensor, before the products that take them (lp_lowering_need()), and launches those that the plan
 * fetches ahead. Nothing in a pass that does not gather. */
void lp_parameter_prefetch_add(LpParameterPrefetch *self, guint position);

G_END_DECLS
