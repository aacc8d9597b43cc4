/* SPDX-License-Identifier: Apache-2.0 */
/* What the terms of the consistent closed form share. Internal: closed_form*.c and lower_bound.c.
 */
#pragma once

#include "model/closed_form/closed_form_input.h"
#include "model/plan/group.h"
#include "model/times/kernel.h"

G_BEGIN_DECLS

/** By group, on the circuits or the tree and on what is beside circuits, without rails and with. */
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
whole_again(const LpClosedFormInput *input)
{
    return recomputes_all(input) ? lp_plan_recomputed_share(input->plan, input->transformer) : 0.0;
}

/* Passes through each layer that communicate: forward, backward, and again where layers are
 * recomputed. */
static inline double
n_passes(const LpClosedFormInput *input)
{
    return 2.0 + whole_again(input);
}

/* The accelerator that @rank stands on. */
static inline guint64
accelerator(const LpClosedFormInput *input, guint64 rank)
{
    return input->accelerators == NULL ? rank : input->accelerators[rank];
}

/** @slowest, which stands for connections within domains and for flows that leave them, where the
 * latter have @share_bytes_per_s of what they climb (INFINITY: none climbs), and the former
 * @within_bytes_per_s. */
LpFabricConnection lp_closed_form_shared(const LpClosedFormInput *input, LpFabricConnection slowest,
                                         double within_bytes_per_s, double share_bytes_per_s);
/** The rate between @a and @b if they stand in one domain, else INFINITY. */
double lp_closed_form_within_bytes_per_s(const LpClosedFormInput *input, guint64 a, guint64 b);
/** The rate of a flow of rank 0's group to the next member, or with @steps that many members on,
 * where it climbs the tree: its share of the links upward among all groups' flows there. INFINITY
 * where none of the group's flows climbs, or no link is known to be narrow. */
double lp_closed_form_group_share_bytes_per_s(const LpClosedFormInput *input, LpGroup group,
                                              guint64 steps);
/** The rate of a message between neighbouring stages where it climbs the tree: on the boundary
 * where it is least, all of whose ranks send at once. INFINITY as above. */
double lp_closed_form_boundary_share_bytes_per_s(const LpClosedFormInput *input);

/** @input as a transfer of @traffic sees it, whose members stand in one region of circuits or not
 * (@in_region): beside circuits, @out_fabric has the network beside them in their place. The result
 * borrows it. @bytes: of the transfer, before it is divided into steps. */
LpClosedFormInput lp_closed_form_on(const LpClosedFormInput *input, LpTraffic traffic, double bytes,
                                    gboolean in_region, LpFabric *out_fabric);
/** As lp_closed_form_on(), for a collective of rank 0's group. */
LpClosedFormInput lp_closed_form_group_on(const LpClosedFormInput *input, LpGroup group,
                                          double bytes, LpFabric *out_fabric);
/** The time of @bytes that a member sends over @connection without latencies, to @n_peers others in
 * equal parts; over a rotor if they leave the domain (@leaves), s. */
double lp_closed_form_carry_s(const LpClosedFormInput *input, const LpFabricConnection *connection,
                              gboolean leaves, double bytes, guint32 n_peers);
/** Whether circuits turn by themselves. */
gboolean lp_closed_form_turns(const LpClosedFormInput *input);
/** The time in which a member sends @bytes in equal parts to @n_peers domains over circuits of
 * experts, which are set up for that, and beside them, s. */
double lp_closed_form_experts_s(const LpClosedFormInput *input, guint32 n_peers, double bytes);
/** @input with a rotor's circuits standing. The result borrows @out_fabric. */
LpClosedFormInput lp_closed_form_standing(const LpClosedFormInput *input, LpFabric *out_fabric);

/** What bytes that go beside circuits until these are up take longer, s of an iteration. */
typedef struct {
    double dp_s, pp_s, bubble_s;
} LpClosedFormBridging;

/** Of a hybrid whose sums and messages take turns at lanes; 0 of other machines. */
LpClosedFormBridging lp_closed_form_bridging(const LpClosedFormInput *input);
/** Waits for circuits on the critical path, and how long each is. */
typedef struct {
    double n_sums, sum_s;    /**< of sums or gathers */
    double n_first, first_s; /**< of messages that the first stage waits for, or all of them */
    double n_next, next_s;   /**< of messages that the stages behind wait for */
} LpClosedFormWaits;

LpClosedFormWaits lp_closed_form_waits(const LpClosedFormInput *input);
/** Dead times of all reconfigurations on the critical path, less what looking ahead hides, s. */
double lp_closed_form_waiting_s(const LpClosedFormInput *input);
/** Whether each pass gathers its parameters. */
gboolean lp_closed_form_gathers_each_pass(const LpClosedFormInput *input);

/** The accelerator of the @index-th member of rank 0's group. */
guint64 lp_closed_form_member(const LpClosedFormInput *input, LpGroup group, guint64 index);
/** Members of rank 0's group of @n in a row, from the first on, that stand in its domain. */
guint64 lp_closed_form_n_intra(const LpClosedFormInput *input, LpGroup group, guint64 n);
/** Whether every domain has as many members, one domain's after the other's. @n_intra: those in the
 * first one's. */
gboolean lp_closed_form_is_regular(const LpClosedFormInput *input, LpGroup group, guint64 n,
                                   guint64 n_intra);
/** Time of an all-reduce of @bytes over rank 0's group, or of a reduce-scatter or all-gather, which
 * are halves of it, s: what its library was measured to take, else that of a ring. 0 for a
 * group of one. */
double lp_closed_form_ring_s(const LpClosedFormInput *input, LpGroup group, LpCollective collective,
                             double bytes);
/** @input with the library alone, and its rings, that runs @collective of @bytes in @group. */
LpClosedFormInput lp_closed_form_by(const LpClosedFormInput *input, LpGroup group,
                                    LpCollective collective, double bytes);
/** What the library of @input, which lp_closed_form_by() has found, was measured to take, s; 0:
 * nothing was. */
double lp_closed_form_measured_s(const LpClosedFormInput *input, LpGroup group,
                                 LpCollective collective, double bytes);
/** What sums a tensor that is divided again or not (@scatters). */
static inline LpCollective
sum_of(gboolean scatters)
{
    return scatters ? LP_COLLECTIVE_REDUCE_SCATTER : LP_COLLECTIVE_ALL_REDUCE;
}
/** Whether collectives run over several axes of a torus at once, both ways round. */
gboolean lp_closed_form_goes_over_axes(const LpClosedFormInput *input);
/** As lp_closed_form_ring_s() there: 2 (n-1)/n V over the rates of all links that a member has on
 * the axes of the group, which no algorithm is faster than (Jain and Sabharwal, ICS 2010), and the
 * latencies of a ring along each axis. Of members that fill no block: one ring, both ways. */
double lp_closed_form_axes_s(const LpClosedFormInput *input, LpGroup group, double share,
                             double bytes);
/** Time of broadcasts over rank 0's group, one after the other, of as much as each of @bytes, array
 * of double, s. 0 for a group of one. */
double lp_closed_form_broadcasts_s(const LpClosedFormInput *input, LpGroup group,
                                   const GArray *bytes);
/** Time of an all-to-all of @bytes on each member of rank 0's group, s: a + bytes over the
 * narrowest cut, and not less than what was measured. 0 for a group of one. */
double lp_closed_form_exchange_s(const LpClosedFormInput *input, LpGroup group, double bytes);

/** Work of all layers, embedding and head in @pass over one micro-batch. */
LpWork lp_closed_form_pass_work(const LpClosedFormInput *input, LpPass pass);
/** Seconds of computing @pass on the mean stage, over all micro-batches. */
double lp_closed_form_pass_s(const LpClosedFormInput *input, LpPass pass);

/** Data parallelism on the mean stage. */
typedef struct {
    double sum_s, gather_s;         /**< one sum of all gradients, one gather of all parameters */
    double back_gather_s;           /**< one gather before a backward pass */
    double sum_bytes, gather_bytes; /**< on the wire of one rank's buffers */
    double n_sums;                  /**< in an iteration */
    double n_gathers;               /**< but for those before backward passes: */
    double n_back_gathers;
    double n_units;  /**< layers, embedding and head; at least 1 */
    double launched; /**< share of sum_s that runs behind computing, if it can */
} LpClosedFormDp;

/** T_DP = n_sums sum_s + n_gathers gather_s + n_back_gathers back_gather_s. */
LpClosedFormDp lp_closed_form_dp(const LpClosedFormInput *input);
/** The gathers of parameters among them, s. */
double lp_closed_form_gathers_s(const LpClosedFormDp *self);

/** Pieces of dense parameters and of experts' in which the mean stage gathers or sums them, each
 * with latencies of its own. */
typedef struct {
    double n_dense, n_experts;
    LpParameters bytes; /**< of all pieces, on the wire of one rank's buffers */
} LpClosedFormPieces;

/** ZeRO stage 3 tensor by tensor: what is gathered before a forward or a backward pass. */
LpClosedFormPieces lp_closed_form_tensor_gathers(const LpClosedFormInput *input,
                                                 gboolean backwards);
/** What lists cost beside all of these collectives in an iteration (model/times/list_copies.h).
 */
LpWork lp_closed_form_lists(const LpClosedFormInput *input);
/** And in how many pieces gradients are summed behind a backward pass; bytes are left 0. */
LpClosedFormPieces lp_closed_form_tensor_sums(const LpClosedFormInput *input);
/** What of T_DP, of T_PP and of T_TP the plan's overlap-... hides behind computing, and behind
 * @inner_s: T_TP and T_EP, and what of T_CP is exposed. 0 where the plan gives a share o of T_DP.
 */
double lp_closed_form_dp_hidden_s(const LpClosedFormInput *input, double inner_s);
double lp_closed_form_pp_hidden_s(const LpClosedFormInput *input, double inner_s);
double lp_closed_form_tp_hidden_s(const LpClosedFormInput *input);

/** What passes of the mean stage wait for data parallelism, s, all chunks together. */
typedef struct {
    double gathers_s;      /**< of parameters, before a micro-batch's two passes, */
    double back_gathers_s; /**< of these before the backward one */
    double first_gather_s; /**< before each chunk's first forward pass alone */
    double sum_s;          /**< of gradients, behind each micro-batch */
    double last_sum_s;     /**< behind each chunk's last backward pass alone */
} LpPassCommunication;

/** What other stages of a pipeline wait for as well; nothing without one. Sums that are hidden
 * (overlap-dp) keep nobody waiting. */
LpPassCommunication lp_closed_form_dp_pass(const LpClosedFormInput *input);

/** T_bub, given the seconds of communication inside layers and of messages between stages, over all
 * micro-batches, and what @dp passes wait for data parallelism. */
double lp_closed_form_bubble_of(const LpClosedFormInput *input, double inner_s, double pp_s,
                                LpPassCommunication dp);
/** A step's checks of gradients on the mean stage. */
LpWork lp_closed_form_checks_work(const LpClosedFormInput *input);
/** What the host needs for the optimiser's step on the mean stage, s. */
double lp_closed_form_optimizer_host_s(const LpClosedFormInput *input);
/** T_host, given those and T_comp. */
double lp_closed_form_host_of(const LpClosedFormInput *input, double compute_s, double inner_s,
                              double pp_s);

G_END_DECLS
