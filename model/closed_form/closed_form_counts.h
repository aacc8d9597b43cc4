/* SPDX-License-Identifier: Apache-2.0 */
/* Counts that all terms of the consistent closed form take from a plan. */
#pragma once

#include "model/closed_form/closed_form_input.h"
#include "model/plan/group.h"

G_BEGIN_DECLS

/** The slowest connections of rings, by group, by network (circuits or tree, and packet network)
 * and by whether the library has rings over all rails. */
struct LpClosedFormRings {
    gboolean is_known[LP_N_GROUPS][2][2];
    LpFabricConnection slowest[LP_N_GROUPS][2][2];
};

static inline double
degree(const LpClosedFormInput *input, LpAxis axis)
{
    return input->plan->degree[axis];
}

static inline double
n_micro_batches(const LpClosedFormInput *input)
{
    return lp_plan_n_micro_batches(input->plan);
}

/* Bytes on the wire of a tensor of @width for each token of a micro-batch on one rank. */
static inline double
wire_bytes(const LpClosedFormInput *input, guint32 seq, double width)
{
    return lp_plan_tokens(input->plan, seq) * width * lp_plan_wire_bytes(input->plan);
}

/* A = b s h w: bytes on the wire of one micro-batch's hidden activations, for sequences of @seq. */
static inline double
activations_bytes(const LpClosedFormInput *input, guint32 seq)
{
    return wire_bytes(input, seq, input->transformer->hidden);
}

/* Whether whole layers are recomputed. */
static inline gboolean
recomputes_all(const LpClosedFormInput *input)
{
    return input->plan->recompute == LP_RECOMPUTE_FULL;
}

/* The share of the layers that are recomputed whole. */
static inline double
recomputed_layers(const LpClosedFormInput *input)
{
    return recomputes_all(input) ? lp_plan_recomputed_share(input->plan, input->transformer) : 0.0;
}

/* Passes through each layer that communicate: forward, backward, and again where layers are
 * recomputed. */
static inline double
n_passes(const LpClosedFormInput *input)
{
    return 2.0 + recomputed_layers(input);
}

/* The accelerator that @rank stands on. */
static inline guint64
accelerator(const LpClosedFormInput *input, guint64 rank)
{
    return input->accelerators == NULL ? rank : input->accelerators[rank];
}

/** The collective that sums a tensor: a reduce-scatter if the sum is divided again (@scatters),
 * else an all-reduce. */
static inline LpCollective
sum_of(gboolean scatters)
{
    return scatters ? LP_COLLECTIVE_REDUCE_SCATTER : LP_COLLECTIVE_ALL_REDUCE;
}

G_END_DECLS
