/* SPDX-License-Identifier: Apache-2.0 */
/* Ops of layers, with the collectives that tensor, context and expert parallelism put among them.
 */
#include "workloads/program/lowering.h"

#include <math.h>

/* --- ops --- */

static const LpPlan *
plan_of(const LpLowering *self)
{
    return self->plan;
}

static const LpTransformer *
shape_of(const LpLowering *self)
{
    return self->transformer;
}

void
lp_lowering_init(LpLowering *self, LpProgram *program, const LpTransformer *transformer,
                 const LpPlan *plan, const LpAccelerator *accelerator)
{
    *self = (LpLowering){.program = program, .transformer = transformer, .plan = plan};
    gboolean known[LP_LAYER_KINDS] = {FALSE};
    for (guint32 index = 0; index < lp_transformer_n_layers(transformer); index++) {
        guint kind = lp_transformer_layer_kind(transformer, index);
        if (known[kind])
            continue;
        known[kind] = TRUE;
        for (LpBlock block = 0; block < LP_N_BLOCKS; block++)
            for (LpPass pass = 0; pass < LP_N_PASSES; pass++)
                for (LpPart part = 0; part < LP_N_PARTS; part++)
                    self->work[kind][block][pass][part] = lp_block_part_work(
                        transformer, plan, accelerator, index, block, pass, part);
    }
}

guint64
lp_lowering_wire_bytes(const LpLowering *self, double tokens)
{
    return (guint64)llround(tokens * shape_of(self)->hidden * lp_plan_wire_bytes(plan_of(self)));
}

static LpOp *
last_op(const LpLowering *self)
{
    return &g_array_index(self->program->ops, LpOp, self->program->ops->len - 1);
}

/* Kernels in a row are one op. */
void
lp_lowering_add_compute(LpLowering *self, LpTerm term, LpWork work)
{
    if (work.device_s <= 0.0)
        return;
    if (self->program->ops->len > self->first_op) {
        LpOp *last = last_op(self);
        if (last->kind == LP_OP_COMPUTE && last->term == term && !last->loaded) {
            last->work = lp_work_then(last->work, work);
            return;
        }
    }
    LpOp op = {.kind = LP_OP_COMPUTE, .term = term, .work = work};
    g_array_append_val(self->program->ops, op);
}

/* FALSE: nothing to do. */
static gboolean
add_op(LpLowering *self, LpOpKind kind, LpCollective collective, LpGroup group, LpTraffic traffic,
       guint64 bytes)
{
    if (lp_communicators_n(self->program->communicators, group) == 0 || bytes == 0)
        return FALSE;
    LpOp op = {.kind = kind,
               .term = lp_group_traits(group)->term,
               .collective = collective,
               .group = group,
               .traffic = traffic,
               .bytes = bytes,
               .stream = lp_group_stream(self->plan, group)};
    g_array_append_val(self->program->ops, op);
    return TRUE;
}

static guint
add_launch(LpLowering *self, LpCollective collective, LpGroup group, LpTraffic traffic,
           guint64 bytes)
{
    if (!add_op(self, LP_OP_LAUNCH, collective, group, traffic, bytes))
        return G_MAXUINT;
    LpStream stream = last_op(self)->stream;
    self->program->uses_stream[stream] = TRUE;
    return self->n_launched[stream]++;
}

guint
lp_lowering_add_launch(LpLowering *self, LpCollective collective, LpGroup group, guint64 bytes)
{
    return add_launch(self, collective, group, lp_group_traits(group)->traffic, bytes);
}

static void
add_join(LpLowering *self, LpStream stream, guint n_pending, LpTerm term)
{
    LpOp op = {.kind = LP_OP_JOIN, .term = term, .stream = stream, .n_pending = n_pending};
    g_array_append_val(self->program->ops, op);
}

void
lp_lowering_add_join(LpLowering *self, LpStream stream, guint number, LpTerm term)
{
    if (number != G_MAXUINT)
        add_join(self, stream, self->n_launched[stream] - number - 1, term);
}

void
lp_lowering_add_join_all(LpLowering *self, LpStream stream, LpTerm term)
{
    if (self->program->uses_stream[stream])
        add_join(self, stream, 0, term);
}

/* A collective that is waited for at once, on the stream of its group. */
static void
add_waited(LpLowering *self, LpCollective collective, LpGroup group, LpTraffic traffic,
           guint64 bytes)
{
    LpStream stream = lp_group_stream(self->plan, group);
    if (stream == LP_N_STREAMS) {
        (void)add_op(self, LP_OP_COLLECTIVE, collective, group, traffic, bytes);
        return;
    }
    lp_lowering_add_join(self, stream, add_launch(self, collective, group, traffic, bytes),
                         lp_group_traits(group)->term);
}

void
lp_lowering_add_collective(LpLowering *self, LpCollective collective, LpGroup group, guint64 bytes)
{
    add_waited(self, collective, group, lp_group_traits(group)->traffic, bytes);
}

void
lp_lowering_add_vocabulary(LpLowering *self, LpCollective collective, guint64 bytes)
{
    add_waited(self, collective, LP_GROUP_TP, LP_TRAFFIC_EMBEDDING, bytes);
}

/* --- work --- */

static LpWork
part_work(const LpLowering *self, guint kind, LpBlock block, LpPass pass, LpPart part)
{
    return self->work[kind][block][pass][part];
}

static void
add_part(LpLowering *self, guint kind, LpBlock block, LpPass pass, LpPart part)
{
    lp_lowering_add_compute(self, LP_TERM_COMPUTE, part_work(self, kind, block, pass, part));
}

static void
add_share(LpLowering *self, LpWork work, double share)
{
    lp_lowering_add_compute(self, LP_TERM_COMPUTE, lp_work_scale(work, share));
}

static LpWork
all_parts(const LpLowering *self, guint kind, LpBlock block, LpPass pass)
{
    LpWork sum = LP_WORK_NONE;
    for (LpPart part = 0; part < LP_N_PARTS; part++)
        sum = lp_work_then(sum, part_work(self, kind, block, pass, part));
    return sum;
}

static void
add_block(LpLowering *self, guint kind, LpBlock block, LpPass pass)
{
    lp_lowering_add_compute(self, LP_TERM_COMPUTE, all_parts(self, kind, block, pass));
}

/* --- tensor parallelism --- */

static gboolean
is_scattered(const LpLowering *self)
{
    return plan_of(self)->sequence_parallel;
}

/* Gathers the input of a block, or of the gradient of its output: nothing to do unless activations
 * are scattered (Korthikanti et al., arXiv 2205.05198, section 4.2.2). Split into the exchanges of
 * a ring, products start on the rank's own share and go on as the others come: the last share is
 * left when the last exchange ends (Wang et al., ASPLOS 2023, section 5). */
static void
add_gathered_products(LpLowering *self, LpWork entry, guint64 bytes)
{
    double t = plan_of(self)->degree[LP_AXIS_TP];
    if (!is_scattered(self)) {
        add_share(self, entry, 1.0);
        return;
    }
    if (plan_of(self)->overlap_tp != LP_OVERLAP_TP_RING || t < 2.0) {
        lp_lowering_add_collective(self, LP_COLLECTIVE_ALL_GATHER, LP_GROUP_TP, bytes);
        add_share(self, entry, 1.0);
        return;
    }
    guint gather = lp_lowering_add_launch(self, LP_COLLECTIVE_ALL_GATHER, LP_GROUP_TP, bytes);
    add_share(self, entry, 1.0 - 1.0 / t);
    lp_lowering_add_join(self, LP_STREAM_LAYER, gather, LP_TERM_TP);
    add_share(self, entry, 1.0 / t);
}

static LpCollective
sum_collective(const LpLowering *self)
{
    return is_scattered(self) ? LP_COLLECTIVE_REDUCE_SCATTER : LP_COLLECTIVE_ALL_REDUCE;
}

/* The mirror image: partial sums leave as soon as the first share is there. */
static void
add_summed_products(LpLowering *self, LpWork exit, guint64 bytes)
{
    double t = plan_of(self)->degree[LP_AXIS_TP];
    if (plan_of(self)->overlap_tp != LP_OVERLAP_TP_RING || t < 2.0) {
        add_share(self, exit, 1.0);
        lp_lowering_add_collective(self, sum_collective(self), LP_GROUP_TP, bytes);
        return;
    }
    add_share(self, exit, 1.0 / t);
    guint sum = lp_lowering_add_launch(self, sum_collective(self), LP_GROUP_TP, bytes);
    add_share(self, exit, 1.0 - 1.0 / t);
    lp_lowering_add_join(self, LP_STREAM_LAYER, sum, LP_TERM_TP);
}

/* The weights' gradients need the block's whole input, which only its shard was kept of; the gather
 * hides behind the gradient of the activations, and the sum of that behind them (Megatron-LM). */
static void
add_backward_products(LpLowering *self, LpWork exit, LpWork weight, guint64 bytes)
{
    if (plan_of(self)->overlap_tp == LP_OVERLAP_TP_NO || plan_of(self)->degree[LP_AXIS_TP] < 2) {
        add_summed_products(self, exit, bytes);
        if (is_scattered(self))
            lp_lowering_add_collective(self, LP_COLLECTIVE_ALL_GATHER, LP_GROUP_TP, bytes);
        add_share(self, weight, 1.0);
        return;
    }
    guint gather = is_scattered(self)
                       ? lp_lowering_add_launch(self, LP_COLLECTIVE_ALL_GATHER, LP_GROUP_TP, bytes)
                       : G_MAXUINT;
    add_share(self, exit, 1.0);
    lp_lowering_add_join(self, LP_STREAM_LAYER, gather, LP_TERM_TP);
    guint sum = lp_lowering_add_launch(self, sum_collective(self), LP_GROUP_TP, bytes);
    add_share(self, weight, 1.0);
    lp_lowering_add_join(self, LP_STREAM_LAYER, sum, LP_TERM_TP);
}

/* --- context parallelism --- */

/* Bytes on the wire of tensors of @width for each token that the rank works on. */
static guint64
context_bytes(const LpLowering *self, guint32 seq, double width)
{
    return (guint64)llround(lp_plan_tokens(plan_of(self), seq) * width *
                            lp_plan_wire_bytes(plan_of(self)));
}

/* Widths of keys and values on one rank of tp. */
static double
own_kv_width(const LpLowering *self)
{
    return lp_plan_key_width(plan_of(self), shape_of(self)) +
           lp_plan_value_width(plan_of(self), shape_of(self));
}

/* Keys and values go round while the rank attends to those that it has: a share of the work waits
 * for each (Liu et al., arXiv 2310.01889, section 3). Backward their gradients go round too. */
static void
add_ring_core(LpLowering *self, LpWork core, guint32 seq, gboolean backward)
{
    double cp = plan_of(self)->degree[LP_AXIS_CP];
    guint64 bytes =
        plan_of(self)->degree[LP_AXIS_CP] * context_bytes(self, seq, own_kv_width(self));
    guint last = lp_lowering_add_launch(self, LP_COLLECTIVE_ALL_GATHER, LP_GROUP_CP, bytes);
    if (backward)
        last = lp_lowering_add_launch(self, LP_COLLECTIVE_REDUCE_SCATTER, LP_GROUP_CP, bytes);
    add_share(self, core, 1.0 - 1.0 / cp);
    lp_lowering_add_join(self, LP_STREAM_LAYER, last, LP_TERM_CP);
    add_share(self, core, 1.0 / cp);
}

/* Tokens are exchanged for heads before attention, and heads for tokens after it; backward the
 * other way round (Jacobs et al., arXiv 2309.14509, section 3). */
static void
add_ulysses_core(LpLowering *self, LpWork core, guint32 seq, gboolean backward)
{
    double tp = plan_of(self)->degree[LP_AXIS_TP];
    double qkv = lp_transformer_query_width(shape_of(self)) / tp + own_kv_width(self);
    double mixture = lp_transformer_mixture_width(shape_of(self)) / tp;
    lp_lowering_add_collective(self, LP_COLLECTIVE_ALL_TO_ALL, LP_GROUP_CP,
                               context_bytes(self, seq, backward ? mixture : qkv));
    add_share(self, core, 1.0);
    lp_lowering_add_collective(self, LP_COLLECTIVE_ALL_TO_ALL, LP_GROUP_CP,
                               context_bytes(self, seq, backward ? qkv : mixture));
}

static void
add_core(LpLowering *self, LpWork core, guint32 seq, gboolean backward)
{
    if (core.device_s <= 0.0)
        return;
    if (plan_of(self)->degree[LP_AXIS_CP] < 2)
        add_share(self, core, 1.0);
    else if (plan_of(self)->context_kind == LP_CONTEXT_RING)
        add_ring_core(self, core, seq, backward);
    else
        add_ulysses_core(self, core, seq, backward);
}

/* The same with queries, keys and values at hand, as selective recomputation finds them. Those of a
 * ring were not kept; exchanged heads were. */
static void
add_core_again(LpLowering *self, LpWork core, guint32 seq)
{
    if (plan_of(self)->context_kind == LP_CONTEXT_ULYSSES)
        add_share(self, core, 1.0);
    else
        add_core(self, core, seq, FALSE);
}

/* --- dense blocks --- */

/* Side by side, attention and feed-forward share the gather before and the sum behind: the first
 * of them gathers, the last sums. */
typedef struct {
    gboolean gathers, sums;
} Sharing;

static guint64
layer_bytes(const LpLowering *self, guint32 index)
{
    LpLayer layer = lp_transformer_layer(shape_of(self), index);
    return lp_lowering_wire_bytes(self, lp_plan_tokens(plan_of(self), layer.seq));
}

static void
add_forward_block(LpLowering *self, guint32 index, LpBlock block, LpPass pass, Sharing sharing)
{
    guint kind = lp_transformer_layer_kind(shape_of(self), index);
    guint32 seq = lp_transformer_layer(shape_of(self), index).seq;
    guint64 bytes = layer_bytes(self, index);
    LpWork entry = part_work(self, kind, block, pass, LP_PART_ENTRY);
    LpWork exit = part_work(self, kind, block, pass, LP_PART_EXIT);
    add_part(self, kind, block, pass, LP_PART_BEFORE);
    if (sharing.gathers)
        add_gathered_products(self, entry, bytes);
    else
        add_share(self, entry, 1.0);
    add_part(self, kind, block, pass, LP_PART_INNER);
    add_core(self, part_work(self, kind, block, pass, LP_PART_CORE), seq, FALSE);
    if (sharing.sums)
        add_summed_products(self, exit, bytes);
    else
        add_share(self, exit, 1.0);
    add_part(self, kind, block, pass, LP_PART_AFTER);
}

/* @role: which gradients. */
static void
add_backward_block(LpLowering *self, guint32 index, LpBlock block, LpRole role, Sharing sharing)
{
    guint kind = lp_transformer_layer_kind(shape_of(self), index);
    guint32 seq = lp_transformer_layer(shape_of(self), index).seq;
    guint64 bytes = layer_bytes(self, index);
    LpPass pass = LP_PASS_BACKWARD_INPUT;
    LpWork weight = all_parts(self, kind, block, LP_PASS_BACKWARD_WEIGHT);
    if (role == LP_ROLE_WEIGHT) {
        if (is_scattered(self) && sharing.sums)
            lp_lowering_add_collective(self, LP_COLLECTIVE_ALL_GATHER, LP_GROUP_TP, bytes);
        add_share(self, weight, 1.0);
        return;
    }
    LpWork entry = part_work(self, kind, block, pass, LP_PART_ENTRY);
    LpWork exit = part_work(self, kind, block, pass, LP_PART_EXIT);
    add_part(self, kind, block, pass, LP_PART_BEFORE);
    if (sharing.gathers)
        add_gathered_products(self, entry, bytes);
    else
        add_share(self, entry, 1.0);
    add_core(self, part_work(self, kind, block, pass, LP_PART_CORE), seq, TRUE);
    add_part(self, kind, block, pass, LP_PART_INNER);
    if (role == LP_ROLE_INPUT && sharing.sums) {
        add_summed_products(self, exit, bytes);
    } else if (sharing.sums) {
        add_backward_products(self, exit, weight, bytes);
    } else {
        add_share(self, exit, 1.0);
        if (role != LP_ROLE_INPUT)
            add_share(self, weight, 1.0);
    }
    add_part(self, kind, block, pass, LP_PART_AFTER);
}

/* --- layers with experts --- */

/* Tokens that a rank routes for itself. */
static double
routed_tokens(const LpLowering *self, guint32 seq)
{
    double tokens = lp_plan_tokens(plan_of(self), seq);
    return is_scattered(self) ? tokens / plan_of(self)->degree[LP_AXIS_TP] : tokens;
}

static void
add_exchange(LpLowering *self, LpGroup group, double slots, LpWeight weight, guint32 seq)
{
    guint before = self->program->ops->len;
    lp_lowering_add_collective(self, LP_COLLECTIVE_ALL_TO_ALL, group,
                               lp_lowering_wire_bytes(self, slots * routed_tokens(self, seq)));
    if (self->program->ops->len > before && self->program->expert_loads != NULL)
        g_array_index(self->program->ops, LpOp, before).weight = weight;
}

/* Tokens go to their experts (@to_experts), or results back. Limited to some nodes, a token crosses
 * to each of them once and is copied there (DeepSeek-V3, arXiv 2412.19437, section 3.2.2). */
static void
add_all_to_all(LpLowering *self, guint32 seq, gboolean to_experts)
{
    const LpTransformer *shape = shape_of(self);
    double slots = lp_transformer_expert_slots(shape);
    LpWeight weight = to_experts ? LP_WEIGHT_RECEIVER : LP_WEIGHT_SENDER;
    if (lp_group_n_expert_nodes(shape, plan_of(self)) == 1) {
        add_exchange(self, LP_GROUP_EP, slots, weight, seq);
        return;
    }
    double copies = lp_group_expert_copies(shape, plan_of(self));
    if (to_experts)
        add_exchange(self, LP_GROUP_EP_RAIL, copies, LP_WEIGHT_EVEN, seq);
    add_exchange(self, LP_GROUP_EP_NODE, slots, LP_WEIGHT_EVEN, seq);
    if (!to_experts)
        add_exchange(self, LP_GROUP_EP_RAIL, copies, LP_WEIGHT_EVEN, seq);
}

/* Experts that are divided over tp see the tokens of all of its ranks. */
static void
add_expert_tp(LpLowering *self, guint32 seq, LpCollective collective)
{
    if (!is_scattered(self) || lp_plan_expert_tp(plan_of(self)) < 2)
        return;
    double slots = lp_transformer_expert_slots(shape_of(self));
    lp_lowering_add_collective(
        self, collective, LP_GROUP_TP,
        lp_lowering_wire_bytes(self, slots * lp_plan_tokens(plan_of(self), seq)));
}

static void
add_loaded(LpLowering *self, LpWork work)
{
    if (self->program->expert_loads == NULL) {
        add_share(self, work, 1.0);
        return;
    }
    LpOp op = {.kind = LP_OP_COMPUTE, .term = LP_TERM_COMPUTE, .work = work, .loaded = TRUE};
    g_array_append_val(self->program->ops, op);
}

static void
add_experts(LpLowering *self, guint32 index, LpPass pass, gboolean weights)
{
    guint kind = lp_transformer_layer_kind(shape_of(self), index);
    guint32 seq = lp_transformer_layer(shape_of(self), index).seq;
    add_all_to_all(self, seq, TRUE);
    add_expert_tp(self, seq, LP_COLLECTIVE_ALL_GATHER);
    add_loaded(self, all_parts(self, kind, LP_BLOCK_EXPERTS, pass));
    if (weights)
        add_loaded(self, all_parts(self, kind, LP_BLOCK_EXPERTS, LP_PASS_BACKWARD_WEIGHT));
    add_expert_tp(self, seq, LP_COLLECTIVE_REDUCE_SCATTER);
    add_all_to_all(self, seq, FALSE);
}

/* Shared experts are a feed-forward network beside the others. Without sequence parallelism its
 * partial sums are summed with those of the routed ones. */
static void
add_shared_forward(LpLowering *self, guint32 index, LpPass pass)
{
    if (shape_of(self)->n_shared_experts == 0)
        return;
    add_forward_block(self, index, LP_BLOCK_SHARED, pass,
                      (Sharing){.gathers = TRUE, .sums = is_scattered(self)});
}

/* Partial sums of the ranks of tp, where each computes on all tokens. */
static void
add_layer_sum(LpLowering *self, guint32 index)
{
    if (!is_scattered(self))
        lp_lowering_add_collective(self, LP_COLLECTIVE_ALL_REDUCE, LP_GROUP_TP,
                                   layer_bytes(self, index));
}

static void
add_expert_block_forward(LpLowering *self, guint32 index, LpPass pass)
{
    guint kind = lp_transformer_layer_kind(shape_of(self), index);
    add_block(self, kind, LP_BLOCK_ROUTER, pass);
    add_shared_forward(self, index, pass);
    add_experts(self, index, pass, FALSE);
    add_layer_sum(self, index);
    add_block(self, kind, LP_BLOCK_COMBINE, pass);
}

static void
add_expert_block_backward(LpLowering *self, guint32 index, LpRole role)
{
    guint kind = lp_transformer_layer_kind(shape_of(self), index);
    Sharing shared = {.gathers = TRUE, .sums = is_scattered(self)};
    LpPass pass = LP_PASS_BACKWARD_INPUT, weight = LP_PASS_BACKWARD_WEIGHT;
    gboolean has_shared = shape_of(self)->n_shared_experts > 0;
    if (role == LP_ROLE_WEIGHT) {
        add_loaded(self, all_parts(self, kind, LP_BLOCK_EXPERTS, weight));
        if (has_shared)
            add_backward_block(self, index, LP_BLOCK_SHARED, role, shared);
        add_block(self, kind, LP_BLOCK_ROUTER, weight);
        return;
    }
    add_block(self, kind, LP_BLOCK_COMBINE, pass);
    add_experts(self, index, pass, role == LP_ROLE_BACKWARD);
    if (has_shared)
        add_backward_block(self, index, LP_BLOCK_SHARED, role, shared);
    add_layer_sum(self, index);
    add_block(self, kind, LP_BLOCK_ROUTER, pass);
    if (role == LP_ROLE_BACKWARD)
        add_block(self, kind, LP_BLOCK_ROUTER, weight);
}

/* --- layers --- */

static void
add_forward(LpLowering *self, guint32 index, LpPass pass)
{
    const LpTransformer *shape = shape_of(self);
    LpLayer layer = lp_transformer_layer(shape, index);
    gboolean together = shape->parallel_blocks && !layer.has_experts && !layer.cross;
    const Sharing both = {TRUE, TRUE};
    add_forward_block(self, index, LP_BLOCK_ATTENTION, pass, (Sharing){TRUE, !together});
    if (layer.cross)
        add_forward_block(self, index, LP_BLOCK_CROSS, pass, both);
    if (layer.has_experts)
        add_expert_block_forward(self, index, pass);
    else
        add_forward_block(self, index, LP_BLOCK_FFN, pass, (Sharing){!together, TRUE});
}

void
lp_lowering_add_layer_forward(LpLowering *self, guint32 index)
{
    add_forward(self, index, LP_PASS_FORWARD);
}

/* Needs nothing of other ranks: what it starts from is kept on each. */
static void
add_light_again(LpLowering *self, guint kind)
{
    static const LpBlock blocks[] = {LP_BLOCK_ATTENTION, LP_BLOCK_CROSS,   LP_BLOCK_FFN,
                                     LP_BLOCK_ROUTER,    LP_BLOCK_EXPERTS, LP_BLOCK_SHARED};
    for (guint i = 0; i < G_N_ELEMENTS(blocks); i++)
        add_block(self, kind, blocks[i], LP_PASS_RECOMPUTE);
}

static void
add_recompute(LpLowering *self, guint32 index)
{
    guint kind = lp_transformer_layer_kind(shape_of(self), index);
    LpLayer layer = lp_transformer_layer(shape_of(self), index);
    if (plan_of(self)->recompute == LP_RECOMPUTE_LIGHT) {
        add_light_again(self, kind);
        return;
    }
    if (plan_of(self)->recompute == LP_RECOMPUTE_FULL) {
        add_forward(self, index, LP_PASS_RECOMPUTE);
        return;
    }
    add_core_again(self, part_work(self, kind, LP_BLOCK_ATTENTION, LP_PASS_RECOMPUTE, LP_PART_CORE),
                   layer.seq);
    add_core_again(self, part_work(self, kind, LP_BLOCK_CROSS, LP_PASS_RECOMPUTE, LP_PART_CORE),
                   layer.seq);
}

void
lp_lowering_add_layer_backward(LpLowering *self, guint32 index, LpRole part)
{
    const LpTransformer *shape = shape_of(self);
    LpLayer layer = lp_transformer_layer(shape, index);
    gboolean together = shape->parallel_blocks && !layer.has_experts && !layer.cross;
    const Sharing both = {TRUE, TRUE};
    if (part != LP_ROLE_WEIGHT)
        add_recompute(self, index);
    if (layer.has_experts)
        add_expert_block_backward(self, index, part);
    else
        add_backward_block(self, index, LP_BLOCK_FFN, part, (Sharing){TRUE, !together});
    if (layer.cross)
        add_backward_block(self, index, LP_BLOCK_CROSS, part, both);
    add_backward_block(self, index, LP_BLOCK_ATTENTION, part, (Sharing){!together, TRUE});
}

/* --- embedding and head --- */

void
lp_lowering_add_embedding_forward(LpLowering *self, guint32 index)
{
    if (!shape_of(self)->embedding)
        return;
    guint kind = lp_transformer_layer_kind(shape_of(self), index);
    add_block(self, kind, LP_BLOCK_EMBEDDING, LP_PASS_FORWARD);
    /* Each rank looks up its share of the vocabulary. */
    lp_lowering_add_vocabulary(self, sum_collective(self), layer_bytes(self, index));
}

void
lp_lowering_add_embedding_backward(LpLowering *self, guint32 index, LpRole part)
{
    if (!shape_of(self)->embedding)
        return;
    guint kind = lp_transformer_layer_kind(shape_of(self), index);
    if (part != LP_ROLE_WEIGHT) {
        if (is_scattered(self))
            lp_lowering_add_vocabulary(self, LP_COLLECTIVE_ALL_GATHER, layer_bytes(self, index));
        add_block(self, kind, LP_BLOCK_EMBEDDING, LP_PASS_BACKWARD_INPUT);
    }
    if (part != LP_ROLE_INPUT)
        add_block(self, kind, LP_BLOCK_EMBEDDING, LP_PASS_BACKWARD_WEIGHT);
}

/* The last layer's kind: its sequences are those that are predicted. */
static guint
head_kind(const LpLowering *self)
{
    return lp_transformer_layer_kind(shape_of(self), lp_transformer_n_layers(shape_of(self)) - 1);
}

static guint64
head_bytes(const LpLowering *self)
{
    return lp_lowering_wire_bytes(
        self, lp_plan_tokens(plan_of(self), lp_transformer_head_tokens(shape_of(self))));
}

void
lp_lowering_add_head_forward(LpLowering *self)
{
    if (!shape_of(self)->embedding)
        return;
    if (is_scattered(self))
        lp_lowering_add_vocabulary(self, LP_COLLECTIVE_ALL_GATHER, head_bytes(self));
    add_block(self, head_kind(self), LP_BLOCK_HEAD, LP_PASS_FORWARD);
}

void
lp_lowering_add_head_backward(LpLowering *self, LpRole part)
{
    if (!shape_of(self)->embedding)
        return;
    if (part != LP_ROLE_WEIGHT) {
        add_block(self, head_kind(self), LP_BLOCK_HEAD, LP_PASS_BACKWARD_INPUT);
        lp_lowering_add_vocabulary(self, sum_collective(self), head_bytes(self));
    }
    if (part != LP_ROLE_INPUT)
        add_block(self, head_kind(self), LP_BLOCK_HEAD, LP_PASS_BACKWARD_WEIGHT);
}
