/* SPDX-License-Identifier: Apache-2.0 */
/* How ranks that share a vocabulary come to their loss. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** How ranks of tensor parallelism, which share the head's words, find the loss. */
typedef enum {
    LP_PARALLEL_LOSS_NO,      /**< each has that of its share: what it takes besides is left out */
    LP_PARALLEL_LOSS_YES,     /**< by sums over the ranks; the head is as the products of layers */
    LP_PARALLEL_LOSS_GATHERED /**< logits are gathered, and each finds the loss of all words */
} LpParallelLoss;

/** As written, in the order of the enum, ended by NULL. */
extern const char *const lp_parallel_loss_names[];

G_END_DECLS
