/* SPDX-License-Identifier: Apache-2.0 */
/* T_EP: the exchanges between experts. */
#include "model/closed_form/closed_form_terms.h"
#include "model/closed_form/closed_form_collective.h"
#include "model/closed_form/closed_form_counts.h"

#include <math.h>

/* Exchanges of a layer, s: each of them, and how long they last where their halves go on at once.
 */
typedef struct {
    double sum_s, lasting_s;
} Exchange;

/* One exchange of a layer with sequences of @seq: tokens to experts (@to_experts), or back. */
static Exchange
layer_exchange(const LpClosedFormInput *input, guint32 seq, gboolean to_experts)
{
    const LpTransformer *shape = input->transformer;
    double share = input->plan->sequence_parallel ? degree(input, LP_AXIS_TP) : 1.0;
    double bytes = wire_bytes(input, seq, lp_transformer_expert_hidden(shape)) / share;
    if (to_experts)
        bytes *= lp_plan_dispatch_wire_bytes(input->plan) / lp_plan_wire_bytes(input->plan);
    double slots = lp_group_expert_ranks(shape, input->plan);
    if (lp_group_n_expert_nodes(shape, input->plan) == 1) {
        double time_s = lp_closed_form_exchange_s(input, LP_GROUP_EP, slots * bytes);
        return (Exchange){time_s, time_s};
    }
    double copies = lp_group_expert_copies(shape, input->plan);
    double between_s = lp_closed_form_exchange_s(input, LP_GROUP_EP_RAIL, copies * bytes);
    double within_s = lp_closed_form_exchange_s(input, LP_GROUP_EP_NODE, slots * bytes);
    return (Exchange){between_s + within_s, fmax(between_s, within_s)};
}

/* Passes of a micro-batch through layer @index that exchange tokens. */
static double
n_exchanging_passes(const LpClosedFormInput *input, guint32 index)
{
    return lp_plan_repeats_layer(input->plan, input->transformer, index) ? 3.0 : 2.0;
}

/* The exchanges of all passes through the mean stage. */
static Exchange
all_exchanges(const LpClosedFormInput *input)
{
    Exchange all = {0.0, 0.0};
    if (lp_transformer_n_expert_layers(input->transformer) == 0)
        return all;
    guint32 seqs[2] = {input->transformer->seq, input->transformer->decoder.seq};
    Exchange there[2], back[2];
    for (guint i = 0; i < G_N_ELEMENTS(seqs); i++) {
        there[i] = layer_exchange(input, seqs[i], TRUE);
        back[i] = layer_exchange(input, seqs[i], FALSE);
    }
    double n_runs = n_micro_batches(input) / degree(input, LP_AXIS_PP);
    for (guint32 i = 0; i < lp_transformer_n_layers(input->transformer); i++) {
        LpLayer layer = lp_transformer_layer(input->transformer, i);
        guint k = layer.cross ? 1 : 0;
        if (!layer.has_experts)
            continue;
        double n = n_exchanging_passes(input, i) * n_runs;
        all.sum_s += n * (there[k].sum_s + back[k].sum_s);
        all.lasting_s += n * (there[k].lasting_s + back[k].lasting_s);
    }
    return all;
}

double
lp_closed_form_ep_s(const LpClosedFormInput *input)
{
    return all_exchanges(input).sum_s;
}

double
lp_closed_form_ep_hidden_s(const LpClosedFormInput *input, double ep_s)
{
    Exchange all = all_exchanges(input);
    return all.sum_s > 0.0 ? ep_s * (all.sum_s - all.lasting_s) / all.sum_s : 0.0;
}
