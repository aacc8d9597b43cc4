/* SPDX-License-Identifier: Apache-2.0 */
/* The sizes that lists of kernels name, worked out for a layer. */
#pragma once

#include "model/times/kernel_block.h"
#include "model/kernels/kernel_lists.h"
#include "model/plan/plan.h"

G_BEGIN_DECLS

/** Passes that lists may say: those of LpPass but recomputation, what light and selective
 * recomputation make again, and what full recomputation runs where it stops early. */
enum {
    LP_LISTED_RECOMPUTED = LP_PASS_RECOMPUTE,
    LP_LISTED_EARLY,
    LP_N_LISTED_PASSES
};

/** Blocks that lists may say: those of LpBlock, and the optimiser's step. */
enum {
    LP_LISTED_OPTIMIZER = LP_N_BLOCKS,
    LP_N_LISTED_BLOCKS
};

/** Names of listed blocks, passes, listed passes and parts, NULL-ended. */
extern const char *const lp_block_names[], *const lp_pass_names[], *const lp_listed_pass_names[],
                                                                       *const lp_block_part_names[];

/** The vocabulary in which lists are written. Static. */
const LpKernelVocabulary *lp_kernel_vocabulary(void);
/** Fills in the vocabulary's sizes for layer @index in @pass. @values: of LP_KERNEL_SIZES_MAX. */
void lp_kernel_sizes(const LpTransformer *transformer, const LpPlan *plan, guint32 index,
                     LpPass pass, double *values);
/** Fills in the sizes of a layer of which the parts @recomputed, a set of LpRecomputedParts, are
 * recomputed in place of the plan's parts. */
void lp_kernel_sizes_recomputed(const LpTransformer *transformer, const LpPlan *plan, guint32 index,
                                LpPass pass, guint32 recomputed, double *values);
/** Fills them in for the optimiser's step. */
void lp_kernel_sizes_step(const LpTransformer *transformer, const LpPlan *plan,
                          const LpStepParameters *parameters, double *values);
/** The lists that @plan has, or the shipped ones of its variants. Borrowed. */
const LpKernelLists *lp_plan_kernel_lists(const LpPlan *plan);

G_END_DECLS
