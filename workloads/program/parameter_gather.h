/* SPDX-License-Identifier: Apache-2.0 */
/* ZeRO's all-gathers of parameters that replicas share among them: unit by unit before their passes
 * in stage 3 (FSDP), of what the optimiser updated in stages 1 and 2. */
#pragma once

#include "workloads/program/unit.h"

G_BEGIN_DECLS

/** ZeRO 1 and 2: gathers all updated parameters of @stage at once, or has each replica broadcast
 * its whole tensors, one replica after the other (parameter-gather); the compute stream waits. */
void lp_parameter_gather_add_updated(LpLowering *self, guint32 stage);

/**
 * ZeRO 1 and 2, hidden (overlap-param): launches, in buckets, the gathers of all parameters of
 * @stage that the last iteration updated, in the order in which the first forward passes need them.
 * Returns: (transfer full) array of guint: how many of these launches may be left when a unit
 * begins, by unit of all chunks in the order of lp_units_chunk(); empty if there is nothing to
 * gather.
 */
GArray *lp_parameter_gather_launch_updated(LpLowering *self, guint32 stage);

/** ZeRO 3: the gathers of a pass, each launched some units ahead if they are to be hidden (Zhao et
 * al., PyTorch FSDP, arXiv 2304.11277, section 3.3.2). */
typedef struct {
    LpLowering *lowering; /* borrowed */
    GArray *units;        /* owned: of the pass's chunk */
    gboolean backwards;   /**< the pass takes them in this order */
    gboolean gathers;     /**< the pass gathers at all */
    guint n_ahead;        /**< units whose gathers have been launched */
    guint *numbers;       /* owned: of the launches, by position */
} LpParameterPrefetch;

/** Nothing is gathered yet. @lowering: borrowed. @units: (transfer full). @gathers: FALSE for a
 * pass that finds its parameters there. Returns: (transfer full). */
LpParameterPrefetch *lp_parameter_prefetch_new(LpLowering *lowering, GArray *units,
                                               gboolean backwards, gboolean gathers);
/** @self: NULL is passed over. */
void lp_parameter_prefetch_free(LpParameterPrefetch *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpParameterPrefetch, lp_parameter_prefetch_free)
/** Launches the gathers that the first unit of the pass would launch, before what follows: nothing
 * unless they are to be hidden. */
void lp_parameter_prefetch_start(LpParameterPrefetch *self);
/** Has the parameters of the @position-th unit of the pass there before what follows, and launches
 * those of the units that the plan fetches ahead. Nothing in a pass that does not gather. */
void lp_parameter_prefetch_add(LpParameterPrefetch *self, guint position);

G_END_DECLS
