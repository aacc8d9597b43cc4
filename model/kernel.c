/* SPDX-License-Identifier: Apache-2.0 */
/* Which kernels a rank runs, block by block and pass by pass. */
#include "model/kernel.h"
#include "model/kernel_list.h"

static const LpBlockKernels *const blocks[LP_N_BLOCKS] = {
    [LP_BLOCK_EMBEDDING] = &lp_embedding_kernels,
    [LP_BLOCK_ATTENTION] = &lp_attention_kernels,
    [LP_BLOCK_CROSS] = &lp_cross_attention_kernels,
    [LP_BLOCK_FFN] = &lp_ffn_kernels,
    [LP_BLOCK_ROUTER] = &lp_router_kernels,
    [LP_BLOCK_EXPERTS] = &lp_experts_kernels,
    [LP_BLOCK_COMBINE] = &lp_combine_kernels,
    [LP_BLOCK_SHARED] = &lp_shared_experts_kernels,
    [LP_BLOCK_MTP] = &lp_mtp_kernels,
    [LP_BLOCK_HEAD] = &lp_head_kernels,
};

/* Whether a layer has the block. */
static gboolean
has_block(const LpKernelList *list, LpBlock block)
{
    switch (block) {
    case LP_BLOCK_EMBEDDING:
    case LP_BLOCK_HEAD:
        return list->transformer->embedding;
    case LP_BLOCK_CROSS:
        return list->layer.cross;
    case LP_BLOCK_MTP:
        return list->layer.mtp;
    case LP_BLOCK_FFN:
        return !list->layer.has_experts;
    case LP_BLOCK_ROUTER:
    case LP_BLOCK_EXPERTS:
    case LP_BLOCK_COMBINE:
    case LP_BLOCK_SHARED:
        return list->layer.has_experts;
    case LP_BLOCK_ATTENTION:
    case LP_N_BLOCKS:
        break;
    }
    return TRUE;
}

/* What the plan's recompute mode runs again: of layers only, not of embedding and head. */
static LpListKernels
recomputed(LpBlock block, const LpKernelList *list, guint32 index)
{
    const LpPlan *plan = list->plan;
    if (block == LP_BLOCK_EMBEDDING || block == LP_BLOCK_HEAD)
        return NULL;
    switch (plan->recompute) {
    case LP_RECOMPUTE_NONE:
        break;
    case LP_RECOMPUTE_LIGHT:
    case LP_RECOMPUTE_SELECTIVE:
        return blocks[block]->again;
    case LP_RECOMPUTE_FULL:
        if (blocks[block]->early != NULL &&
            lp_plan_recompute_stops_early(plan, list->transformer, index))
            return blocks[block]->early;
        return blocks[block]->forward;
    }
    return NULL;
}

guint
lp_block_kernels(const LpTransformer *transformer, const LpPlan *plan, guint32 index, LpBlock block,
                 LpPass pass, LpKernel *out_kernels)
{
    LpKernelList list = lp_kernel_list(transformer, plan, index, out_kernels);
    LpListKernels add = NULL;
    list.pass = pass;
    switch (pass) {
    case LP_PASS_FORWARD:
        add = blocks[block]->forward;
        break;
    case LP_PASS_BACKWARD_INPUT:
        add = blocks[block]->backward_input;
        break;
    case LP_PASS_BACKWARD_WEIGHT:
        list.part = LP_PART_INNER;
        add = blocks[block]->backward_weight;
        break;
    case LP_PASS_RECOMPUTE:
        add = recomputed(block, &list, index);
        break;
    case LP_N_PASSES:
        break;
    }
    if (add != NULL && has_block(&list, block))
        add(&list);
    return list.n_kernels;
}
