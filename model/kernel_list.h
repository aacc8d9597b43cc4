/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels being listed, and the kinds of kernels that all blocks use. Internal: kernel*.c only. */
#pragma once

#include "model/kernel_block.h"

G_BEGIN_DECLS

/** Kernels being listed, and the sizes that they share. */
typedef struct {
    LpKernel *kernels; /* borrowed from the caller */
    guint n_kernels;
    const LpTransformer *transformer; /* borrowed */
    const LpPlan *plan;               /* borrowed */
    LpLayer layer;
    LpPass pass;
    LpPart part;             /* of the next kernel */
    gboolean is_cast;        /* the input of the next products is narrow already */
    gboolean wide;           /* of the next kernel, outside the core of attention */
    double element_bytes;    /* of an activation */
    double tokens;           /* b s / cp */
    double scattered_tokens; /* those that norms and dropout-adds see: over t if scattered */
    double tp;               /* t */
    double query_width;      /* of the queries, keys, values and their mixture, on one rank: */
    double key_width, value_width, mixture_width;
    double n_score_sets; /* attention matrices, of so many queries: */
    double n_queries;
} LpKernelList;

/** The products that a weight takes part in. */
typedef enum {
    LP_PRODUCT_OUTPUT,         /**< y = x w */
    LP_PRODUCT_DATA_GRADIENT,  /**< dx = dy w' */
    LP_PRODUCT_WEIGHT_GRADIENT /**< dw = x' dy */
} LpProduct;

/** Lists a block's kernels. */
typedef void (*LpListKernels)(LpKernelList *list);

/** What a block runs in each pass. NULL: nothing. */
typedef struct {
    LpListKernels forward, backward_input;
    LpListKernels backward_weight; /**< begins in LP_PART_INNER */
    LpListKernels again; /**< what makes the parts again that light or selective recomputation does
                            not keep: lp_plan_parts_again() */
    /** What full recomputation runs again where it stops early; NULL: the forward pass. */
    LpListKernels early;
} LpBlockKernels;

extern const LpBlockKernels lp_attention_kernels;                      /* kernel_attention.c */
extern const LpBlockKernels lp_cross_attention_kernels;                /* kernel_cross.c */
extern const LpBlockKernels lp_ffn_kernels, lp_shared_experts_kernels; /* kernel_ffn.c */
extern const LpBlockKernels lp_router_kernels, lp_experts_kernels,
    lp_combine_kernels; /* kernel_experts.c */
extern const LpBlockKernels lp_embedding_kernels, lp_mtp_kernels,
    lp_head_kernels; /* kernel_embedding.c */

/** An empty list for layer @index. @kernels: LP_KERNELS_MAX entries, borrowed. */
LpKernelList lp_kernel_list(const LpTransformer *transformer, const LpPlan *plan, guint32 index,
                            LpKernel *kernels);
/** Adds the copy of what was gathered along the sequences, or is to be scattered, where activations
 * lie by sequence; none where the collective is split (@is_split: it would be, LP_OVERLAP_TP_RING).
 */
void lp_list_reorder(LpKernelList *list, gboolean is_split);
/** Adds such copies of @n tensors, each gathered or scattered by itself, in one kernel each. */
void lp_list_reorder_each(LpKernelList *list, guint32 n, gboolean is_split);
/** Adds the copies of the @n tensors that the weights' gradients gather once more. */
void lp_list_reorder_again(LpKernelList *list, guint32 n);
/** Adds @kernel to the part at hand. */
void lp_list_kernel(LpKernelList *list, LpKernel kernel);
/** Adds a kernel bound by memory that reads and writes @bytes. */
void lp_list_memory(LpKernelList *list, const char *name, double bytes);
/** Adds the core of attention as one fused kernel, behind the casts of its operands where it
 * computes in 8 bits. */
void lp_list_flash(LpKernelList *list, gboolean backward);
/** Steps in which attention is worked out, a kernel each: cp where keys and values go round a ring,
 * else 1 (Transformer Engine, context_parallel.py: AttnFuncWithCPAndKVP2P). */
guint32 lp_list_n_ring_steps(const LpKernelList *list);
/** Whether attention looks back as far as it goes: half of its scores are masked. */
gboolean lp_list_is_half_masked(const LpKernelList *list);
/** Adds a stream of @bytes: in order, without sums over rows or random numbers. */
void lp_list_stream(LpKernelList *list, const char *name, double bytes);
/** Adds @n_batch products (m, k)(k, n). */
void lp_list_gemm(LpKernelList *list, const char *name, double m, double k, double n,
                  double n_batch);
/** Adds one product of the (@n_inputs, @n_outputs) weight @name with the tokens at hand, and the
 * streams that come with it: casts to narrow formats, the sum of gradients. */
void lp_list_weight(LpKernelList *list, const char *name, double n_inputs, double n_outputs,
                    LpProduct product);
/** Adds the sum of the gradients that @n_products of separate weights give of their common input:
 * an operation each, or, fused, so many more tensors for the kernel that takes the sum. */
void lp_list_input_gradients(LpKernelList *list, double n_products);
/** Adds the cast of @elements of activations that a narrow product takes; nothing otherwise. */
void lp_list_cast(LpKernelList *list, double elements);
/** Adds a pass over @tensors of hidden activations, and @masks, outside the tensor-parallel
 * region. */
void lp_list_hidden(LpKernelList *list, const char *name, double tensors, double masks);
/** Adds a norm of the hidden width, in one kernel or, with eager_norms, operation by operation;
 * with autocasts between casts. */
void lp_list_norm(LpKernelList *list, const char *name);
/** Adds the backward pass of such a norm. */
void lp_list_norm_backward(LpKernelList *list, const char *name);
/** Adds the end of a block: reads its output and the residual, writes their sum (and a mask). */
void lp_list_residual(LpKernelList *list);
/** Adds its backward: where the residual forked off two gradients meet; dropout scales one. */
void lp_list_residual_backward(LpKernelList *list);
/** Adds the gradient of a bias of @width, which reads the gradient of the output. */
void lp_list_bias_gradient(LpKernelList *list, double width);
/** Adds the activation function, or its @backward, over @elements of the inner width. */
void lp_list_activation(LpKernelList *list, gboolean backward, double elements);

G_END_DECLS
