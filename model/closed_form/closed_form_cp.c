/* SPDX-License-Identifier: Apache-2.0 */
/* T_CP: context parallelism, and what of it is hidden behind attention. */
#include "model/closed_form/closed_form_terms.h"
#include "model/closed_form/closed_form_collective.h"
#include "model/closed_form/closed_form_counts.h"
#include "model/times/mixer.h"

#include <math.h>

/* Whether a pass through attention's core is repeated before the backward pass. */
static gboolean
recomputes_core(const LpClosedFormInput *input)
{
    return recomputes_all(input) ||
           lp_plan_recomputes_core(input->plan, input->transformer->attention);
}

/* @bytes of each rank, once round. */
static double
round_s(const LpClosedFormInput *input, LpCollective collective, double bytes)
{
    return lp_closed_form_ring_s(input, LP_GROUP_CP, collective, degree(input, LP_AXIS_CP) * bytes);
}

/* One pass of one layer. Keys and values go round a ring or are gathered, backward their gradients
 * too. All-to-all is two exchanges: queries, keys and values one way, their mixture the other. */
static double
pass_s(const LpClosedFormInput *input, guint32 index, gboolean backward)
{
    const LpTransformer *shape = input->transformer;
    double tp = degree(input, LP_AXIS_TP), cp = degree(input, LP_AXIS_CP);
    LpMixerExchange exchange = lp_mixer_exchange(shape, input->plan, index);
    if (cp < 2.0 || !lp_transformer_layer(shape, index).has_mixer)
        return 0.0;
    if (exchange.kind == LP_MIXER_ALL_TO_ALL)
        return lp_closed_form_exchange_s(input, LP_GROUP_CP_HEADS,
                                         wire_bytes(input, shape->seq, exchange.sent)) +
               lp_closed_form_exchange_s(input, LP_GROUP_CP_HEADS,
                                         wire_bytes(input, shape->seq, exchange.returned));
    double kv = exchange.kind == LP_MIXER_KEYS ? exchange.sent
                                               : lp_plan_exchanged_width(input->plan, shape);
    double kv_bytes = wire_bytes(input, shape->seq, kv);
    if (exchange.kind == LP_MIXER_KEYS || input->plan->context_kind != LP_CONTEXT_ULYSSES)
        return round_s(input, LP_COLLECTIVE_ALL_GATHER, kv_bytes) +
               (backward ? round_s(input, LP_COLLECTIVE_REDUCE_SCATTER,
                                   lp_plan_context_gradient_bytes(input->plan, kv_bytes))
                         : 0.0);
    double qkv = lp_transformer_query_width(shape) / tp + kv;
    double mixture = lp_transformer_mixture_width(shape) / tp;
    return lp_closed_form_exchange_s(input, LP_GROUP_CP, wire_bytes(input, shape->seq, qkv)) +
           lp_closed_form_exchange_s(input, LP_GROUP_CP, wire_bytes(input, shape->seq, mixture));
}

/* Layers that have attention (@slot 0), or a mixer in its place; and one of them. */
static guint32
n_layers_of(const LpTransformer *shape, guint slot, guint32 *out_index)
{
    guint32 n = 0;
    for (guint32 i = 0; i < lp_transformer_n_layers(shape); i++) {
        LpLayer layer = lp_transformer_layer(shape, i);
        if (!layer.has_mixer || layer.mixer != slot)
            continue;
        *out_index = i;
        n++;
    }
    return n;
}

double
lp_closed_form_cp_s(const LpClosedFormInput *input)
{
    gboolean exchanged = input->plan->context_kind != LP_CONTEXT_ULYSSES || recomputes_all(input) ||
                         lp_plan_recomputes(input->plan, LP_RECOMPUTED_ATTENTION);
    double again = recomputes_core(input) && exchanged ? 1.0 : 0.0;
    double n_forward = 1.0 + again * lp_plan_recomputed_share(input->plan, input->transformer);
    double sum_s = 0.0;
    if (degree(input, LP_AXIS_CP) < 2.0)
        return 0.0;
    for (guint slot = 0; slot <= input->transformer->pattern.n_mixers; slot++) {
        guint32 index = 0, n = n_layers_of(input->transformer, slot, &index);
        double layer_passes = n * n_micro_batches(input) / degree(input, LP_AXIS_PP);
        if (n > 0)
            sum_s += layer_passes *
                     (n_forward * pass_s(input, index, FALSE) + pass_s(input, index, TRUE));
    }
    return sum_s;
}

/* The part of @comm_s that the attention core of layer @index hides. */
static double
hidden_pass_s(const LpClosedFormInput *input, guint32 index, LpPass pass, double comm_s)
{
    double core_s = lp_block_part_work(input->transformer, input->plan, input->accelerator, index,
                                       LP_BLOCK_ATTENTION, pass, LP_BLOCK_PART_CORE)
                        .device_s;
    return fmin(comm_s, core_s * (1.0 - 1.0 / degree(input, LP_AXIS_CP)));
}

double
lp_closed_form_cp_hidden_s(const LpClosedFormInput *input, double cp_s)
{
    double own_s = lp_closed_form_cp_s(input);
    if (own_s <= 0.0 || input->plan->context_kind != LP_CONTEXT_RING)
        return 0.0;
    double factor = cp_s / own_s, sum_s = 0.0;
    for (guint32 i = 0; i < lp_transformer_n_layers(input->transformer); i++) {
        if (lp_mixer_exchange(input->transformer, input->plan, i).kind != LP_MIXER_ATTENTION)
            continue;
        double forward_s = factor * pass_s(input, i, FALSE);
        double backward_s = factor * pass_s(input, i, TRUE);
        sum_s += hidden_pass_s(input, i, LP_PASS_FORWARD, forward_s) +
                 hidden_pass_s(input, i, LP_PASS_BACKWARD_INPUT, backward_s);
        if (recomputes_core(input) && lp_plan_recomputes_layer(input->plan, input->transformer, i))
            sum_s += hidden_pass_s(input, i, LP_PASS_RECOMPUTE, forward_s);
    }
    return n_micro_batches(input) * sum_s / degree(input, LP_AXIS_PP);
}
