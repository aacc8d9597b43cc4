/* SPDX-License-Identifier: Apache-2.0 */
/* T_EP: the exchanges between experts. */
#include "model/closed_form.h"
#include "model/closed_form_internal.h"

/* One exchange of a layer with sequences of @seq: tokens to experts, or back. */
static double
layer_exchange_s(const LpClosedFormInput *input, guint32 seq)
{
    const LpTransformer *shape = input->transformer;
    double share = input->plan->sequence_parallel ? degree(input, LP_AXIS_TP) : 1.0;
    double bytes = activations_bytes(input, seq) / share;
    double slots = lp_transformer_expert_slots(shape);
    if (lp_group_n_expert_nodes(shape, input->plan) == 1)
        return lp_closed_form_exchange_s(input, LP_GROUP_EP, slots * bytes);
    double copies = lp_group_expert_copies(shape, input->plan);
    return lp_closed_form_exchange_s(input, LP_GROUP_EP_RAIL, copies * bytes) +
           lp_closed_form_exchange_s(input, LP_GROUP_EP_NODE, slots * bytes);
}

double
lp_closed_form_ep_s(const LpClosedFormInput *input)
{
    if (lp_transformer_n_expert_layers(input->transformer) == 0)
        return 0.0;
    double exchanges_s[2] = {layer_exchange_s(input, input->transformer->seq),
                             layer_exchange_s(input, input->transformer->decoder.seq)};
    double sum_s = 0.0;
    for (guint32 i = 0; i < lp_transformer_n_layers(input->transformer); i++) {
        LpLayer layer = lp_transformer_layer(input->transformer, i);
        sum_s += layer.has_experts ? exchanges_s[layer.cross ? 1 : 0] : 0.0;
    }
    return 2.0 * n_passes(input) * n_micro_batches(input) / degree(input, LP_AXIS_PP) * sum_s;
}
