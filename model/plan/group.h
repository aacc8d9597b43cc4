/* SPDX-License-Identifier: Apache-2.0 */
/* Process groups: which ranks communicate with each other, as arithmetic on the plan. */
#pragma once

#include "model/plan/plan.h"

G_BEGIN_DECLS

/** The process groups that a rank belongs to. A plan has those before LP_GROUP_GIVEN; programs that
 * are given, and not made of a plan, have the others, some for each class of traffic
 * (lp_group_traits()), since a rank may be in several of a class. */
typedef enum {
    LP_GROUP_TP,
    LP_GROUP_CP,
    LP_GROUP_EP,
    LP_GROUP_EP_NODE,   /**< the part of an ep group that holds one group of experts */
    LP_GROUP_EP_RAIL,   /**< one member of each such part */
    LP_GROUP_DP,        /**< ranks that share one set of states of the dense parameters: dp cp */
    LP_GROUP_REPLICA,   /**< hybrid sharding: the same share in each set */
    LP_GROUP_EXPERT_DP, /**< ranks that hold the same experts */
    LP_GROUP_EMBEDDING, /**< first and last stage, same position on all other axes */
    LP_GROUP_CP_HEADS, /**< the members of LP_GROUP_CP where mixers trade tokens for heads, whatever
                          cp-kind does for attention */
    LP_GROUP_GIVEN,
    LP_N_GROUPS = LP_GROUP_GIVEN + 16
} LpGroup;

/** Members of each group of this kind. */
guint64 lp_group_size(const LpTransformer *transformer, const LpPlan *plan, LpGroup group);
/** The @index-th member of @rank's group, in ring order. */
guint64 lp_group_member(const LpTransformer *transformer, const LpPlan *plan, LpGroup group,
                        guint64 rank, guint64 index);
/** The index of @rank in its own group. */
guint64 lp_group_index(const LpTransformer *transformer, const LpPlan *plan, LpGroup group,
                       guint64 rank);
/** Whether @rank has a group of this kind that communicates. */
gboolean lp_group_exists(const LpTransformer *transformer, const LpPlan *plan, LpGroup group,
                         guint64 rank);
/** Parts that an ep group divides into, where the plan relays tokens between such or routing is
 * limited to some of them; 1: neither, or the groups of experts are no groups of ranks. */
guint32 lp_group_n_expert_nodes(const LpTransformer *transformer, const LpPlan *plan);
/** The mean number of these parts to which a token goes, at most its expert slots. Where routing is
 * limited it is the limit, else the expected number of parts that hold its experts, drawn evenly.
 */
double lp_group_expert_copies(const LpTransformer *transformer, const LpPlan *plan);
/** How many copies of a token leave for the members of its ep group, or of its part of it: one for
 * each of its expert slots or, where the dispatcher relays, for each rank that has some of its
 * experts, in the mean if they are drawn evenly, from groups that a limit leaves. */
double lp_group_expert_ranks(const LpTransformer *transformer, const LpPlan *plan);
/** Whether @stage takes part in the exchange of the word embedding's gradients, of which the first
 * and the last stage have a copy: lp_transformer_copies_embedding(). */
gboolean lp_group_exchanges_embedding(const LpTransformer *transformer, const LpPlan *plan,
                                      guint32 stage);

G_END_DECLS
