/* SPDX-License-Identifier: Apache-2.0 */
/* A plan, checked; the sizes that follow from it; and all that is worked out from it. */
#pragma once

#include "model/plan/plan_experts.h"
#include "model/plan/plan_flop.h"
#include "model/plan/plan_layers.h"
#include "model/plan/plan_lora.h"
#include "model/plan/plan_options.h"
#include "model/plan/plan_parameters.h"
#include "model/plan/plan_rank.h"
#include "model/plan/plan_recompute.h"

G_BEGIN_DECLS

/** Checks the plan on its own and against @transformer; docs/workload-format.md has the table of
 * what may be combined. Error: LP_MODEL_ERROR_PLAN: "attribute: got, wanted". */
gboolean lp_plan_check(const LpPlan *self, const LpTransformer *transformer,
                       GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** The rules among those of lp_plan_check() that ask for the degrees tp, cp, ep and dp, the global
 * batch and the model alone, so that what they refuse is refused whatever else the plan says.
 * Error: LP_MODEL_ERROR_PLAN: "attribute: got, wanted". */
gboolean lp_plan_check_degrees(const LpPlan *self, const LpTransformer *transformer,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** The rules among those of lp_plan_check() on batches and virtual stages that ask for nothing but
 * these and the degrees. Error: LP_MODEL_ERROR_PLAN: "attribute: got, wanted". */
gboolean lp_plan_check_batch(const LpPlan *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** The word of a trait that is a choice. Static. */
const char *lp_plan_trait_word(const LpPlan *self, LpTrait trait);

/** m: micro-batches an iteration and data-parallel replica, B / (b dp). */
guint32 lp_plan_n_micro_batches(const LpPlan *self);
/** Whether a forward pass and a backward pass of two micro-batches overlap. */
gboolean lp_plan_overlaps_passes(const LpPlan *self);
/** Tokens of one micro-batch of sequences of @seq that a rank works on: b s / cp. */
double lp_plan_tokens(const LpPlan *self, guint32 seq);
/** Words of @vocab for which a rank finds the loss: its share, or, of gathered logits, all. */
double lp_plan_loss_words(const LpPlan *self, guint32 vocab);
/** Bytes an activation element takes at the plan's precision (narrow ones compute on
 * 2-byte activations). */
guint32 lp_plan_activation_bytes(const LpPlan *self);
/** Bytes an activation element takes on the wire. */
guint32 lp_plan_wire_bytes(const LpPlan *self);
/** Bytes of gradients of keys and values that a reduce-scatter over ranks of cp has of each, whose
 * keys and values are @bytes on the wire. */
double lp_plan_context_gradient_bytes(const LpPlan *self, double bytes);
/** Times that a cast reads its tensor; 0 where nothing is cast. */
double lp_plan_cast_reads(const LpPlan *self);
/** Whose fused attention runs; never LP_ATTENTION_KERNEL_AUTO. */
LpAttentionKernel lp_plan_attention_kernel(const LpPlan *self);
/** Bytes of a bucket, of parameters or gradients that take @element_bytes each; 0: one bucket for
 * all. By replicas it has 40 million parameters, or a million for each replica if that is more
 * (Megatron-Core, megatron/core/distributed/distributed_data_parallel.py: bucket_size). */
double lp_plan_bucket_bytes(const LpPlan *self, double element_bytes);
/** Bytes of a bucket of @chunk of @stage; under first-buckets all but the first chunk of the first
 * stage have one for all: 0. */
double lp_plan_chunk_bucket_bytes(const LpPlan *self, double element_bytes, guint32 stage,
                                  guint32 chunk);
/** Bytes of an element that a product reads, with its share of the scales. */
double lp_plan_operand_bytes(const LpPlan *self);
/** Bytes on the wire of an activation element that sequence parallelism gathers for products: what
 * narrow products take is cast before it is sent (NVIDIA, Transformer Engine's documentation, low
 * precision training, quantized all-gather), unless the plan says how activations are sent. */
double lp_plan_gathered_wire_bytes(const LpPlan *self);
/** Bytes on the wire of an activation element that is sent to experts: of fp8 under a precision
 * with scales of blocks with its share of them (DeepSeek-V3, arXiv 2412.19437, section 3.3.3). */
double lp_plan_dispatch_wire_bytes(const LpPlan *self);
/** Bytes on the wire of a layer's parameter that replicas gather. Those of embedding and head take
 * lp_plan_activation_bytes(). */
double lp_plan_parameter_wire_bytes(const LpPlan *self);
/** Bytes a parameter of the optimiser's moments: two of fp32 (Kingma and Ba, arXiv 1412.6980,
 * algorithm 1), two of 8 bits (Dettmers et al., arXiv 2110.02861), or momentum (SGD). */
double lp_plan_moment_bytes(const LpPlan *self);
/** Whether replicas share the optimiser's step, each with its part, while all of them keep all
 * parameters: ZeRO stages 1 and 2. */
gboolean lp_plan_shares_step(const LpPlan *self);
/** Whether replicas all-reduce gradients in place of a reduce-scatter: without ZeRO, and with
 * DeepSpeed's stages 1 and 2 (Anthony et al., arXiv 2408.10197, table of volumes). */
gboolean lp_plan_all_reduces_gradients(const LpPlan *self);
/** Whether gradients are summed over replicas after each micro-batch. */
gboolean lp_plan_reduces_each(const LpPlan *self);
/** Whether ZeRO stage 3 gathers tensors: LP_GATHER_UNIT_TENSOR. */
gboolean lp_plan_gathers_tensors(const LpPlan *self);
/** Whether it gathers and scatters them in lists: gather-lists. */
gboolean lp_plan_gathers_tensor_lists(const LpPlan *self);
/** Collectives over tp of the one input that first products of a block share: all-gathers of it,
 * and sums of its gradient, 1 each unless products have their own (PyTorch's DTensor with a plan by
 * projection, torch/distributed/tensor/parallel/style.py: ColwiseParallel). A compiler makes one of
 * the same gathers, torch/_functorch/compile_utils.py: fx_graph_cse(). */
typedef struct {
    guint32 n_gathers, n_sums;
} LpPlanInputs;

/** Whether attention's queries, keys and values are gathered over tp, as LP_KV_DIVISION_GATHERED
 * has them. */
gboolean lp_plan_gathers_heads(const LpPlan *self, const LpTransformer *transformer);
/** The collectives over tp of an attention block's inputs. */
LpPlanInputs lp_plan_attention_inputs(const LpPlan *self);
/** Collectives over tp of what MLA's expanding products take, with input-collectives latent:
 * queries' and keys' and values' latents and the keys' positions, each by itself (Megatron-Core,
 * megatron/core/transformer/multi_latent_attention.py: TELinear's duplicated down projections,
 * whose outputs column-parallel ones gather, and k_pos_emb apart). Widths are those of all of a
 * kind together, elements a token. */
typedef struct {
    guint32 n_gathers, n_sums,
        n_regathered; /**< forward; of gradients; for the gradients of weights */
    double gathered, summed, regathered;
} LpPlanLatentInputs;

/** Zeros with other input-collectives. Queries that are not compressed gather the whole input. */
LpPlanLatentInputs lp_plan_latent_inputs(const LpPlan *self, const LpTransformer *transformer);
/** The collectives over tp of a feed-forward network's inputs. */
LpPlanInputs lp_plan_ffn_inputs(const LpPlan *self, const LpTransformer *transformer);
/** Whether the backward pass of a micro-batch directly follows its forward pass, so that gathered
 * parameters may stay from one to the other. */
gboolean lp_plan_backward_follows_forward(const LpPlan *self);
/** Whether the parameters that ZeRO stage 3 gathers for a chunk's first forward pass stay until its
 * last backward pass: kept for the backward pass (reshard no), in a pipeline that sums gradients
 * after the last micro-batch. PyTorch's pipelines put off both, the freeing of parameters and the
 * sum, until then (torch.distributed.pipelining, stage.py: set_reshard_after_backward and
 * set_requires_gradient_sync); without a pipeline each backward pass frees them. */
gboolean lp_plan_keeps_parameters_throughout(const LpPlan *self);

G_END_DECLS
