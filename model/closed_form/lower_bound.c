/* SPDX-License-Identifier: Apache-2.0 */
/* A time that no simulation of a plan can go below: kernels, filling, and bytes that nothing hides.
 */
#include "model/closed_form/lower_bound.h"

#include "model/closed_form/closed_form.h"
#include "model/closed_form/closed_form_counts.h"
#include "model/plan/group.h"
#include "model/times/kernel.h"
#include "model/times/optimizer.h"
#include "model/times/trained.h"

#include <math.h>

/* One micro-batch through one slice of the layers. */
typedef struct {
    double forward_s, backward_s; /* the latter with what is computed again */
    double wait_s;                /* for collectives of both */
    double issue_s;               /* the host's time for issuing all of it */
} Slice;

/* Times of a pass through one layer of each kind. */
typedef struct {
    LpWork kind[LP_LAYER_KINDS][LP_N_PASSES];
    gboolean is_known[LP_LAYER_KINDS];
} Layers;

static gboolean
is_even(const LpPlan *plan)
{
    return plan->experts.skew <= 0.0 && plan->experts.table == NULL;
}

static const LpWork *
layer_work(Layers *self, const LpClosedFormInput *input, guint32 index)
{
    guint kind = lp_transformer_layer_kind(input->transformer, index);
    for (LpPass pass = 0; !self->is_known[kind] && pass < LP_N_PASSES; pass++) {
        LpWork sum = LP_WORK_NONE;
        for (LpBlock block = LP_BLOCK_ATTENTION; block < LP_BLOCK_HEAD; block++)
            if (block != LP_BLOCK_EXPERTS || is_even(input->plan))
                sum = lp_work_then(sum, lp_block_work(input->transformer, input->plan,
                                                      input->accelerator, index, block, pass));
        self->kind[kind][pass] = sum;
    }
    self->is_known[kind] = TRUE;
    return self->kind[kind];
}

/* Adds @pass of something whose work it is. */
static void
add_pass(Slice *self, LpPass pass, LpWork work)
{
    self->issue_s += work.issue_s;
    if (pass == LP_PASS_FORWARD)
        self->forward_s += work.device_s;
    else
        self->backward_s += work.device_s;
}

/* @layer_wait_s: of both passes through a layer. */
static Slice
find_slice(const LpClosedFormInput *input, Layers *layers, guint32 index, double layer_wait_s)
{
    const LpTransformer *shape = input->transformer;
    const LpPlan *plan = input->plan;
    guint32 n_slices = lp_plan_n_slices(plan);
    guint32 first = lp_plan_slice_first_layer(plan, shape, index);
    guint32 n = lp_plan_slice_layers(plan, shape, index);
    Slice self = {.wait_s = n * layer_wait_s};
    for (LpPass pass = 0; pass < LP_N_PASSES; pass++) {
        for (guint32 i = first; i < first + n; i++)
            if (lp_pass_has_layer(shape, plan, i, pass))
                add_pass(&self, pass, layer_work(layers, input, i)[pass]);
        if (index == 0)
            add_pass(&self, pass,
                     lp_block_work(shape, plan, input->accelerator, 0, LP_BLOCK_EMBEDDING, pass));
        if (index + 1 == n_slices)
            add_pass(&self, pass,
                     lp_block_work(shape, plan, input->accelerator,
                                   lp_transformer_n_layers(shape) - 1, LP_BLOCK_HEAD, pass));
    }
    return self;
}

/* --- bytes over ports --- */

/* The most that enters an accelerator in a second, by all of its ports. */
static double
all_ports_bytes_per_s(const LpFabric *fabric, gboolean within)
{
    double links = fabric->torus.n_dimensions > 0 ? 2.0 * fabric->torus.n_dimensions : 1.0;
    double out =
        fmax(links * fabric->scale_out_bytes_per_s, fabric->pod_bytes_per_s) +
        (fabric->circuits.packet_network.is_present ? fabric->circuits.packet_network.bytes_per_s
                                                    : 0.0);
    double in = fmax(fabric->scale_up_bytes_per_s,
                     fmax(fabric->pair_bytes_per_s, fabric->root_bytes_per_s));
    return within ? in + out : out;
}

/* Members of one of @group's groups that can stand in a domain, at most: packed ranks that are
 * neighbours in a group are at least as far apart as those of rank 0's. */
static double
members_in_domain(const LpLowerBoundInput *input, LpGroup group, guint64 n)
{
    const LpClosedFormInput *of = &input->of;
    double domain = fmax(of->fabric->domain_size, 1.0);
    guint64 stride = G_MAXUINT64, last = 0;
    for (guint64 i = 1; i < n && of->accelerators == NULL; i++) {
        guint64 next = lp_group_member(of->transformer, of->plan, group, 0, i);
        stride = MIN(stride, next > last ? next - last : last - next);
        last = next;
    }
    double most = of->accelerators == NULL ? ceil(domain / (double)stride) : domain;
    return fmin(most, (double)n);
}

/* What a ring among @group's members has to reach to be as fast as anything that takes in what a
 * member's ports, and those of a domain's members together, must: bytes/s. */
static double
ideal_rate(const LpLowerBoundInput *input, LpGroup group, gboolean is_exchange)
{
    guint64 n = lp_group_size(input->of.transformer, input->of.plan, group);
    double rate = all_ports_bytes_per_s(input->of.fabric, TRUE);
    if (n < 2)
        return rate;
    double near = members_in_domain(input, group, n), all = (double)n;
    double leaving = 1.0 - 1.0 / ceil(all / near);
    if (leaving > 0.0)
        rate = fmin(rate, (all - 1.0) / all / leaving * (is_exchange ? 1.0 : near) *
                              all_ports_bytes_per_s(input->of.fabric, FALSE));
    return !is_exchange && input->switches_reduce ? 2.0 * rate : rate;
}

/* @seconds of the closed form where all that is sent goes at @rate and takes no latency. */
static double
ideal_s(const LpLowerBoundInput *input, double rate, double (*seconds)(const LpClosedFormInput *))
{
    LpFabric fabric = {
        .domain_size = G_MAXUINT32, .scale_up_bytes_per_s = rate, .scale_out_bytes_per_s = rate};
    LpClosedFormRings rings = {.is_known = {{{FALSE}}}};
    for (LpGroup group = 0; group < LP_N_GROUPS; group++) {
        rings.slowest[group][0][0] = (LpFabricConnection){0.0, rate};
        rings.is_known[group][0][0] = TRUE;
    }
    LpClosedFormInput ideal = input->of;
    ideal.known = &rings;
    ideal.fabric = &fabric;
    ideal.accelerators = NULL;
    ideal.library = NULL;
    return seconds(&ideal);
}

/* Collectives of tensor parallelism that the mean stage waits for. */
static double
tensors_s(const LpLowerBoundInput *input)
{
    if (input->of.plan->overlap.tp != LP_OVERLAP_TP_NO)
        return 0.0;
    return ideal_s(input, ideal_rate(input, LP_GROUP_TP, FALSE), lp_closed_form_tp_s);
}

/* Kernels of attention that keys and values can travel beside: of the mean stage. */
static double
attention_s(const LpClosedFormInput *input)
{
    const LpTransformer *shape = input->transformer;
    double of_kind_s[LP_LAYER_KINDS][LP_N_PASSES] = {{0.0}}, sum_s = 0.0;
    for (guint32 i = 0; i < lp_transformer_n_layers(shape); i++)
        for (LpPass pass = 0; pass < LP_N_PASSES; pass++) {
            double *own_s = &of_kind_s[lp_transformer_layer_kind(shape, i)][pass];
            if (!lp_pass_has_layer(shape, input->plan, i, pass))
                continue;
            if (*own_s == 0.0)
                *own_s = lp_block_part_work(shape, input->plan, input->accelerator, i,
                                            LP_BLOCK_ATTENTION, pass, LP_BLOCK_PART_CORE)
                             .device_s;
            sum_s += *own_s;
        }
    return lp_plan_n_micro_batches(input->plan) * sum_s / input->plan->degree[LP_AXIS_PP];
}

/* Keys and values of context parallelism that it waits for: what a ring moves beside attention
 * takes at most as long as that. */
static double
context_s(const LpLowerBoundInput *input)
{
    LpContextKind kind = input->of.plan->context_kind;
    if (input->of.plan->degree[LP_AXIS_CP] < 2)
        return 0.0;
    double rate = ideal_rate(input, LP_GROUP_CP, kind == LP_CONTEXT_ULYSSES);
    double waits_s = ideal_s(input, rate, lp_closed_form_cp_s);
    return kind == LP_CONTEXT_RING ? fmax(waits_s - attention_s(&input->of), 0.0) : waits_s;
}

/* The time of the experts' all-to-alls that a rank waits for; 0 where a relay may send few copies
 * of a token. */
static double
experts_s(const LpLowerBoundInput *input)
{
    const LpPlan *plan = input->of.plan;
    if (lp_plan_overlaps_passes(plan) || !is_even(plan) ||
        lp_group_n_expert_nodes(input->of.transformer, plan) > 1)
        return 0.0;
    return ideal_s(input, ideal_rate(input, LP_GROUP_EP, TRUE), lp_closed_form_ep_s);
}

/* Sums of gradients and gathers of parameters of the mean stage, which have one stream. */
static double
replicas_s(const LpLowerBoundInput *input)
{
    const LpPlan *plan = input->of.plan;
    if (plan->zero.shard_degree > 0 ||
        plan->traits[LP_TRAIT_PARAMETER_GATHER] == LP_PARAMETER_GATHER_BROADCAST)
        return 0.0;
    double rate =
        fmax(ideal_rate(input, LP_GROUP_DP, FALSE), ideal_rate(input, LP_GROUP_EXPERT_DP, FALSE));
    return ideal_s(input, rate, lp_closed_form_dp_s);
}

/* --- stages --- */

/* What stages do in an iteration. */
typedef struct {
    double longest_s;       /* of a stage: what comes before, all that it does, what comes after */
    double longest_issue_s; /* the host's time of a stage */
    double mean_s;          /* kernels of the mean stage, without waiting */
} Stages;

/* Whether weights' gradients are passes of their own, so that a stage may end with one. */
static gboolean
splits_backward(const LpPlan *plan)
{
    return plan->pipeline.schedule == LP_SCHEDULE_ZERO_BUBBLE ||
           plan->pipeline.schedule == LP_SCHEDULE_DUALPIPE;
}

/* What every stage's way through the others takes beside their passes. */
typedef struct {
    double message_s; /* of a micro-batch, to the next stage or back */
    double sums_s;    /* of the first stage's gradients, once all of its passes are done */
} Ends;

/* Sums are at the end if none is hidden, and micro-batches have none of their own. */
static Ends
find_ends(const LpLowerBoundInput *input, double mean_sums_s, gboolean is_hidden)
{
    const LpTransformer *shape = input->of.transformer;
    const LpPlan *plan = input->of.plan;
    guint32 pp = plan->degree[LP_AXIS_PP];
    Ends self = {0.0, 0.0};
    if (plan->pipeline.schedule != LP_SCHEDULE_DUALPIPE)
        self.message_s = ideal_s(input, all_ports_bytes_per_s(input->of.fabric, TRUE),
                                 lp_closed_form_pp_message_s);
    if (is_hidden || lp_plan_reduces_each(plan) || plan->zero.stage > 1 || splits_backward(plan))
        return self;
    LpParameters first = lp_rank_trained(shape, plan, 0), mean = {0.0, 0.0};
    for (guint32 stage = 0; stage < pp; stage++) {
        LpParameters own = lp_rank_trained(shape, plan, stage);
        mean.dense += own.dense / pp;
        mean.experts += own.experts / pp;
    }
    double share = fmin(first.dense / mean.dense,
                        mean.experts > 0.0 ? first.experts / mean.experts : INFINITY);
    self.sums_s = fmin(share, 1.0) * mean_sums_s;
    return self;
}

/* Adds @stage: before its first pass a micro-batch has gone through all slices before one of its
 * own, and after its last another comes back through them, then the first stage's optimiser. */
static void
add_stage(Stages *self, const LpClosedFormInput *input, const Slice *slices, Ends ends,
          guint32 stage)
{
    const LpPlan *plan = input->plan;
    gboolean splits = splits_backward(plan);
    double ways = plan->pipeline.schedule == LP_SCHEDULE_DUALPIPE ? 2.0 : 1.0;
    double n = lp_plan_n_micro_batches(plan) / ways;
    double kernels_s = 0.0, wait_s = 0.0, issue_s = 0.0, around_s = INFINITY;
    for (guint32 chunk = 0; chunk < lp_plan_n_chunks(plan); chunk++) {
        guint32 own = lp_plan_slice(plan, stage, chunk);
        double through_s = own * (splits ? 1.0 : 2.0) * ends.message_s;
        for (guint32 i = 0; i < own; i++)
            through_s +=
                slices[i].forward_s + (splits ? 0.0 : slices[i].backward_s + slices[i].wait_s);
        around_s = fmin(around_s, through_s);
        kernels_s += n * (slices[own].forward_s + slices[own].backward_s);
        wait_s += n * slices[own].wait_s;
        issue_s += n * slices[own].issue_s;
    }
    double step_s = lp_optimizer_time_s(input->transformer, plan, input->accelerator, stage);
    double last_s =
        splits ? step_s
               : ends.sums_s + lp_optimizer_time_s(input->transformer, plan, input->accelerator, 0);
    self->longest_s = fmax(self->longest_s, around_s + kernels_s + wait_s + last_s);
    self->longest_issue_s = fmax(self->longest_issue_s, issue_s);
    self->mean_s += (kernels_s + step_s) / plan->degree[LP_AXIS_PP];
}

/* @wait_s: of the mean stage. It is divided among layers if they are all alike. */
static Stages
find_stages(const LpClosedFormInput *input, double wait_s, Ends ends)
{
    const LpTransformer *shape = input->transformer;
    guint32 n_slices = lp_plan_n_slices(input->plan), n_layers = lp_transformer_n_layers(shape);
    guint32 pp = input->plan->degree[LP_AXIS_PP];
    double again = lp_plan_recomputed_share(input->plan, shape);
    gboolean alike =
        shape->n_mtp == 0 && shape->decoder.n_layers == 0 && (again <= 0.0 || again >= 1.0);
    for (guint32 i = 1; alike && i < n_layers; i++)
        alike = lp_transformer_layer_kind(shape, i) == lp_transformer_layer_kind(shape, 0);
    double layer_wait_s =
        alike ? wait_s * pp / (lp_plan_n_micro_batches(input->plan) * (double)n_layers) : 0.0;
    g_autofree Slice *slices = g_new(Slice, n_slices);
    Layers layers = {.is_known = {FALSE}};
    for (guint32 i = 0; i < n_slices; i++)
        slices[i] = find_slice(input, &layers, i, layer_wait_s);
    Stages self = {0.0, 0.0, 0.0};
    for (guint32 stage = 0; stage < pp; stage++)
        add_stage(&self, input, slices, ends, stage);
    return self;
}

double
lp_lower_bound_s(const LpLowerBoundInput *input)
{
    const LpPlan *plan = input->of.plan;
    double wait_s = tensors_s(input) + context_s(input) + experts_s(input),
           sums_s = replicas_s(input);
    gboolean is_hidden = plan->overlap.dp || plan->overlap.param || plan->overlap.fraction > 0.0;
    Stages stages = find_stages(&input->of, wait_s, find_ends(input, sums_s, is_hidden));
    double mean_s = stages.mean_s + wait_s + (is_hidden ? 0.0 : sums_s);
    return fmax(fmax(stages.longest_s, mean_s), fmax(stages.longest_issue_s, sums_s));
}
