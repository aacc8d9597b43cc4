/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds of keys and values, and exchanges of tokens for heads. */
#include "workloads/program/context_parallel.h"

#include "model/times/mixer.h"

#include <math.h>

/* Bytes on the wire of tensors of @width for each token that the rank works on. */
static guint64
context_bytes(const LpPlan *plan, guint32 seq, double width)
{
    return (guint64)llround(lp_plan_tokens(plan, seq) * width * lp_plan_wire_bytes(plan));
}

/* Keys and values go round while the rank attends to those that it has: a share of the work waits
 * for each (Liu et al., arXiv 2310.01889, section 3). Backward their gradients go round too. */
static void
add_ring_core(LpLowering *self, LpWork core, guint32 seq, gboolean backward)
{
    const LpPlan *plan = self->plan;
    double cp = plan->degree[LP_AXIS_CP];
    guint64 bytes =
        plan->degree[LP_AXIS_CP] *
        context_bytes(plan, seq, lp_plan_exchanged_width(self->plan, self->transformer));
    guint last =
        lp_builder_add_launch(&self->builder, LP_COLLECTIVE_ALL_GATHER, LP_GROUP_CP, bytes);
    if (backward)
        last =
            lp_builder_add_launch(&self->builder, LP_COLLECTIVE_REDUCE_SCATTER, LP_GROUP_CP, bytes);
    lp_lowering_add_share(self, core, 1.0 - 1.0 / cp);
    lp_builder_add_join(&self->builder, LP_STREAM_LAYER, last, LP_TERM_CP);
    lp_lowering_add_share(self, core, 1.0 / cp);
}

/* All keys and values are there before the rank attends to any, which Llama 3's trainer does not
 * hide (arXiv 2407.21783, 3.3.2) and neither does Transformer Engine (AttnFuncWithCPAndKVAllGather:
 * "KV all-gather between CP ranks is exposed"), nor PyTorch's compiled ring. Backward they are
 * gathered again, and their gradients are summed where they belong. */
static void
add_gathered_core(LpLowering *self, LpWork core, guint32 seq, double width, gboolean backward)
{
    const LpPlan *plan = self->plan;
    guint64 cp = plan->degree[LP_AXIS_CP];
    guint64 own = context_bytes(plan, seq, width);
    guint64 gradients = (guint64)llround(lp_plan_context_gradient_bytes(plan, (double)own));
    lp_builder_add_collective(&self->builder, LP_COLLECTIVE_ALL_GATHER, LP_GROUP_CP, cp * own);
    lp_lowering_add_work(self, core);
    if (backward)
        lp_builder_add_collective(&self->builder, LP_COLLECTIVE_REDUCE_SCATTER, LP_GROUP_CP,
                                  cp * gradients);
}

/* Tokens are exchanged for heads before the core, and heads for tokens after it; backward the other
 * way round (Jacobs et al., arXiv 2309.14509, section 3). */
static void
add_exchanged_core(LpLowering *self, LpWork core, LpGroup group, guint32 seq, double there,
                   double back)
{
    lp_builder_add_collective(&self->builder, LP_COLLECTIVE_ALL_TO_ALL, group,
                              context_bytes(self->plan, seq, there));
    lp_lowering_add_work(self, core);
    lp_builder_add_collective(&self->builder, LP_COLLECTIVE_ALL_TO_ALL, group,
                              context_bytes(self->plan, seq, back));
}

/* What a layer's core takes and gives by all-to-all: of attention queries, keys and values, and
 * their mixture. */
static LpMixerExchange
exchanged(const LpLowering *self, guint32 index)
{
    double tp = self->plan->degree[LP_AXIS_TP];
    LpMixerExchange exchange = lp_mixer_exchange(self->transformer, self->plan, index);
    if (exchange.kind != LP_MIXER_ATTENTION)
        return exchange;
    exchange.sent += lp_transformer_query_width(self->transformer) / tp +
                     lp_plan_exchanged_width(self->plan, self->transformer);
    exchange.returned += lp_transformer_mixture_width(self->transformer) / tp;
    return exchange;
}

static gboolean
is_exchanged(const LpLowering *self, guint32 index)
{
    LpMixerExchangeKind kind = lp_mixer_exchange(self->transformer, self->plan, index).kind;
    return kind == LP_MIXER_ALL_TO_ALL ||
           (kind == LP_MIXER_ATTENTION && self->plan->context_kind == LP_CONTEXT_ULYSSES);
}

void
lp_context_parallel_add_core(LpLowering *self, LpWork core, guint32 index, gboolean backward)
{
    guint32 seq = lp_transformer_layer(self->transformer, index).seq;
    if (core.device_s <= 0.0)
        return;
    if (self->plan->degree[LP_AXIS_CP] < 2) {
        lp_lowering_add_work(self, core);
    } else if (is_exchanged(self, index)) {
        LpMixerExchange widths = exchanged(self, index);
        LpGroup group = widths.kind == LP_MIXER_ALL_TO_ALL ? LP_GROUP_CP_HEADS : LP_GROUP_CP;
        add_exchanged_core(self, core, group, seq, backward ? widths.returned : widths.sent,
                           backward ? widths.sent : widths.returned);
    } else {
        LpMixerExchange exchange = lp_mixer_exchange(self->transformer, self->plan, index);
        gboolean is_keys = exchange.kind == LP_MIXER_KEYS;
        double width =
            is_keys ? exchange.sent : lp_plan_exchanged_width(self->plan, self->transformer);
        if (self->plan->context_kind == LP_CONTEXT_RING && !is_keys)
            add_ring_core(self, core, seq, backward);
        else
            add_gathered_core(self, core, seq, width, backward);
    }
}

void
lp_context_parallel_add_recomputed_core(LpLowering *self, LpWork core, guint32 index)
{
    if (is_exchanged(self, index))
        lp_lowering_add_work(self, core);
    else
        lp_context_parallel_add_core(self, core, index, FALSE);
}
