/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes by name. */
#include "model/times/kernel_sizes.h"

#include "model/kernels/kernel_variants.h"
#include "model/plan/precision.h"
#include "model/transformer/transformer_parameters.h"
#include "shape_sizes.h"

#include <math.h>
#include <string.h>

const char *const lp_block_names[] = {"embedding", "attention", "cross",     "ffn",
                                      "router",    "experts",   "combine",   "shared",
                                      "mtp",       "head",      "optimizer", NULL};
const char *const lp_pass_names[] = {"forward", "backward-input", "backward-weight", "recompute",
                                     NULL};
const char *const lp_listed_pass_names[] = {"forward",   "backward-input", "backward-weight",
                                            "recompute", "early",          NULL};
const char *const lp_block_part_names[] = {"before", "entry", "inner", "core",
                                           "exit",   "after", NULL};
G_STATIC_ASSERT(G_N_ELEMENTS(lp_block_names) == LP_N_LISTED_BLOCKS + 1);
G_STATIC_ASSERT(G_N_ELEMENTS(lp_pass_names) == LP_N_PASSES + 1);
G_STATIC_ASSERT(G_N_ELEMENTS(lp_listed_pass_names) == LP_N_LISTED_PASSES + 1);
G_STATIC_ASSERT(G_N_ELEMENTS(lp_block_part_names) == LP_N_BLOCK_PARTS + 1);

/* The inputs of sizes. */
typedef struct {
    const LpTransformer *shape; /* borrowed */
    const LpPlan *plan;         /* borrowed */
    LpLayer layer;
    LpPass pass;
    guint32 recomputed;    /* lp_plan_recomputed_parts() */
    LpStepParameters step; /* none, but in the optimiser's step */
    double tp, cp, tokens;
} Of;

/* Whether each rank has all queries of its share of the heads, as all-to-all gives them; ring
 * attention gives it its share of the queries of all of its heads. Each meets all keys. */
static gboolean
has_all_queries(const Of *of)
{
    return of->plan->context_kind == LP_CONTEXT_ULYSSES;
}

static gboolean
makes(const Of *of, guint32 parts)
{
    return (of->recomputed & parts) == parts;
}

/* Whether queries, keys or values are made again, but not all three. */
static gboolean
makes_some_qkv(const Of *of)
{
    guint32 parts = of->shape->latent.kv_rank > 0 ? LP_RECOMPUTED_LATENT : LP_RECOMPUTED_QKV;
    return (of->recomputed & parts) != 0;
}

/* Tokens of a chunk of Liger's loss: the power of two that gives no more logits than inputs, or up
 * to twice as many (linkedin/Liger-Kernel, src/liger_kernel/ops/fused_linear_cross_entropy.py). */
static double
chunk_tokens(const Of *of)
{
    double tokens = lp_plan_tokens(of->plan, lp_transformer_head_tokens(of->shape));
    double least = ceil(tokens / ceil((double)of->shape->vocab / of->shape->hidden));
    double chunk = 1.0;
    while (chunk < least)
        chunk *= 2.0;
    return chunk;
}

#define EACH_SIZE(NUMBER, CHOICE)                                                                  \
    CHOICE("part", lp_block_part_names, LP_BLOCK_PART_NORM)                                        \
    NUMBER("wide", 0)                                                                              \
    NUMBER("grouped", 0)                                                                           \
    NUMBER("apart", 0)                                                                             \
    NUMBER("host-overhead-s", 0)                                                                   \
    NUMBER("looped", 0)                                                                            \
    NUMBER("launches", 0)                                                                          \
    NUMBER("copies", 1)                                                                            \
    CHOICE("pass", lp_pass_names, of->pass)                                                        \
    NUMBER("tokens", of->tokens)                                                                   \
    NUMBER("scattered-tokens", plan->sequence_parallel ? of->tokens / of->tp : of->tokens)         \
    NUMBER("encoder-tokens", lp_plan_tokens(plan, shape->seq))                                     \
    NUMBER("decoder-tokens", lp_plan_tokens(plan, shape->decoder.seq))                             \
    NUMBER("head-tokens", lp_plan_tokens(plan, lp_transformer_head_tokens(shape)))                 \
    NUMBER("chunk-tokens", chunk_tokens(of))                                                       \
    NUMBER("encoder-seq", shape->seq)                                                              \
    NUMBER("seq", of->layer.seq)                                                                   \
    NUMBER("keys", of->layer.keys)                                                                 \
    NUMBER("span", of->layer.span)                                                                 \
    NUMBER("causal", of->layer.causal)                                                             \
    NUMBER("windowed", of->layer.windowed)                                                         \
    NUMBER("cross-layer", of->layer.cross)                                                         \
    NUMBER("expert-layer", of->layer.has_experts)                                                  \
    NUMBER("mixer-layer", of->layer.has_mixer)                                                     \
    NUMBER("attention-layer", of->layer.has_mixer && of->layer.mixer == 0)                         \
    NUMBER("network-layer", of->layer.has_network)                                                 \
    NUMBER("attention-parameters", lp_transformer_attention_parameters(shape))                     \
    NUMBER("compression-weights", lp_transformer_compression_weights(shape))                       \
    NUMBER("norm-parameters", lp_transformer_norm_parameters(shape))                               \
    LP_SHAPE_SIZES(NUMBER)                                                                         \
    NUMBER("mtp-layer", of->layer.mtp)                                                             \
    NUMBER("micro-batch", plan->batch.micro)                                                       \
    NUMBER("micro-batches", lp_plan_n_micro_batches(plan))                                         \
    NUMBER("tp", of->tp)                                                                           \
    NUMBER("cp", of->cp)                                                                           \
    NUMBER("ep", plan->degree[LP_AXIS_EP])                                                         \
    NUMBER("expert-tp", lp_plan_expert_tp(plan))                                                   \
    NUMBER("score-sets",                                                                           \
           plan->batch.micro * shape->n_heads / of->tp / (has_all_queries(of) ? of->cp : 1.0))     \
    NUMBER("queries", of->layer.seq / (has_all_queries(of) ? 1.0 : of->cp))                        \
    NUMBER("query-width", lp_transformer_query_width(shape) / of->tp)                              \
    NUMBER("key-width", lp_plan_key_width(plan, shape))                                            \
    NUMBER("value-width", lp_plan_value_width(plan, shape))                                        \
    NUMBER("gathers-heads", lp_plan_gathers_heads(plan, shape))                                    \
    NUMBER("mixture-width", lp_transformer_mixture_width(shape) / of->tp)                          \
    NUMBER("hidden", shape->hidden)                                                                \
    NUMBER("heads", shape->n_heads)                                                                \
    NUMBER("kv-heads", shape->n_kv_heads)                                                          \
    NUMBER("ffn", shape->ffn)                                                                      \
    NUMBER("vocab", shape->vocab)                                                                  \
    NUMBER("loss-words", lp_plan_loss_words(plan, shape->vocab))                                   \
    NUMBER("query-rank", shape->latent.query_rank)                                                 \
    NUMBER("kv-rank", shape->latent.kv_rank)                                                       \
    NUMBER("rope-width", shape->latent.rope_width)                                                 \
    NUMBER("experts", shape->experts.n)                                                            \
    NUMBER("shared-experts", shape->experts.n_shared)                                              \
    NUMBER("expert-latent", shape->experts.latent)                                                 \
    NUMBER("expert-hidden", lp_transformer_expert_hidden(shape))                                   \
    NUMBER("expert-ffn", lp_transformer_expert_ffn(shape))                                         \
    NUMBER("expert-slots", lp_transformer_expert_slots(shape))                                     \
    NUMBER("capacity-factor", shape->experts.capacity_factor)                                      \
    NUMBER("patch", shape->image.patch)                                                            \
    NUMBER("patch-values", lp_transformer_patch_values(shape))                                     \
    NUMBER("embedding", shape->embedding)                                                          \
    NUMBER("dropout", lp_transformer_has_dropout(shape))                                           \
    NUMBER("biases", lp_transformer_has_biases(shape))                                             \
    NUMBER("qkv-biases", lp_transformer_has_qkv_biases(shape))                                     \
    NUMBER("rms-norms", lp_transformer_has_rms_norms(shape))                                       \
    NUMBER("head-norms", shape->head_norms)                                                        \
    NUMBER("clamped-activation", shape->clamped)                                                   \
    NUMBER("lora-rank", plan->lora.rank)                                                           \
    NUMBER("adapts-queries", lp_plan_adapts(plan, LP_ADAPTED_QUERIES))                             \
    NUMBER("adapts-keys", lp_plan_adapts(plan, LP_ADAPTED_KEYS))                                   \
    NUMBER("adapts-values", lp_plan_adapts(plan, LP_ADAPTED_VALUES))                               \
    NUMBER("adapts-projection", lp_plan_adapts(plan, LP_ADAPTED_PROJECTION))                       \
    NUMBER("adapts-up", lp_plan_adapts(plan, LP_ADAPTED_UP))                                       \
    NUMBER("adapts-gate", lp_plan_adapts(plan, LP_ADAPTED_GATE))                                   \
    NUMBER("adapts-down", lp_plan_adapts(plan, LP_ADAPTED_DOWN))                                   \
    CHOICE("optimizer", lp_optimizer_names, plan->optimizer)                                       \
    NUMBER("moment-bytes", lp_plan_moment_bytes(plan))                                             \
    NUMBER("dp", plan->degree[LP_AXIS_DP])                                                         \
    NUMBER("shards", lp_plan_shard_degree(plan))                                                   \
    NUMBER("all-parameters", of->step.all)                                                         \
    NUMBER("own-parameters", of->step.own)                                                         \
    NUMBER("own-layer-parameters", of->step.own_layers)                                            \
    NUMBER("layer-parameters", of->step.rank_layers)                                               \
    NUMBER("any-layout", of->step.in_any_layout)                                                   \
    CHOICE("ffn-kind", lp_ffn_kind_names, shape->ffn_kind)                                         \
    CHOICE("positions", lp_positions_names, shape->positions)                                      \
    CHOICE("precision", lp_precision_names, plan->format.precision)                                \
    CHOICE("scaling", lp_scaling_names, plan->format.scaling)                                      \
    NUMBER("narrow", lp_precision_is_narrow(plan->format.precision))                               \
    NUMBER("element-bytes", lp_plan_activation_bytes(plan))                                        \
    NUMBER("operand-bytes", lp_plan_operand_bytes(plan))                                           \
    NUMBER("scaled-bytes", lp_precision_traits(plan->format.precision)->scaled_bytes)              \
    NUMBER("mxfp8-scaled-bytes", lp_precision_traits(LP_PRECISION_MXFP8)->scaled_bytes)            \
    NUMBER("cast-reads", lp_plan_cast_reads(plan))                                                 \
    NUMBER("gradient-bytes", plan->format.gradient_bytes)                                          \
    NUMBER("quantized-weights", plan->format.quantized_weights)                                    \
    NUMBER("quantized-bytes", LP_QUANTIZED_BYTES)                                                  \
    NUMBER("narrow-parameters", plan->format.narrow_parameters)                                    \
    NUMBER("sequence-parallel", plan->sequence_parallel)                                           \
    NUMBER("attention-gathers", lp_plan_attention_inputs(plan).n_gathers)                          \
    NUMBER("attention-sums", lp_plan_attention_inputs(plan).n_sums)                                \
    NUMBER("ffn-gathers", lp_plan_ffn_inputs(plan, shape).n_gathers)                               \
    NUMBER("ffn-sums", lp_plan_ffn_inputs(plan, shape).n_sums)                                     \
    NUMBER("regathers-inputs", lp_plan_regathers_inputs(plan))                                     \
    CHOICE("overlap-tp", lp_overlap_tp_names, plan->overlap.tp)                                    \
    CHOICE("cp-kind", lp_context_kind_names, plan->context_kind)                                   \
    NUMBER("zero", plan->zero.stage)                                                               \
    NUMBER("gather-bucket", plan->zero.gather_bucket)                                              \
    NUMBER("gathers-tensors", lp_plan_gathers_tensors(plan))                                       \
    NUMBER("keeps-parameters", plan->zero.keeps_parameters)                                        \
    NUMBER("keeps-parameters-throughout", lp_plan_keeps_parameters_throughout(plan))               \
    NUMBER("parameter-wire-bytes", lp_plan_parameter_wire_bytes(plan))                             \
    NUMBER("reduces-each", lp_plan_reduces_each(plan))                                             \
    CHOICE("kernels", lp_kernels_names, plan->host.kernels)                                        \
    CHOICE("attention-kernel", lp_attention_kernel_names, lp_plan_attention_kernel(plan))          \
    NUMBER("fuses-attention", lp_plan_fuses_attention(plan, shape->attention))                     \
    NUMBER("relays-by-domain", plan->experts.relays_by_domain)                                     \
    NUMBER("awaits-counts", lp_plan_awaits_counts(plan, shape))                                    \
    NUMBER("recomputed-norms", makes(of, LP_RECOMPUTED_NORMS))                                     \
    NUMBER("recomputed-queries", makes(of, LP_RECOMPUTED_QUERIES))                                 \
    NUMBER("recomputed-keys", makes(of, LP_RECOMPUTED_KEYS))                                       \
    NUMBER("recomputed-values", makes(of, LP_RECOMPUTED_VALUES))                                   \
    NUMBER("recomputed-qkv", makes(of, LP_RECOMPUTED_QKV))                                         \
    NUMBER("recomputed-any", of->recomputed != 0)                                                  \
    NUMBER("recomputed-latent", makes(of, LP_RECOMPUTED_LATENT))                                   \
    NUMBER("recomputed-core", makes(of, LP_RECOMPUTED_CORE))                                       \
    NUMBER("recomputed-some-qkv", makes_some_qkv(of))                                              \
    NUMBER("recomputed-attention", makes(of, LP_RECOMPUTED_ATTENTION))                             \
    NUMBER("recomputed-projection", makes(of, LP_RECOMPUTED_PROJECTION))                           \
    NUMBER("recomputed-residual", makes(of, LP_RECOMPUTED_RESIDUAL))                               \
    NUMBER("recomputed-up", makes(of, LP_RECOMPUTED_UP))                                           \
    NUMBER("recomputed-gate", makes(of, LP_RECOMPUTED_GATE))                                       \
    NUMBER("recomputed-activation", makes(of, LP_RECOMPUTED_ACTIVATION))                           \
    NUMBER("recomputes-core", lp_plan_recomputes_core(plan, shape->attention))                     \
    NUMBER("recomputes-projection", lp_plan_recomputes_projection(plan, shape, of->layer))         \
    NUMBER("recomputes-up", lp_plan_recomputes_up(plan, shape))

#define NUMBER_NAME(name, value) {name, NULL},
#define CHOICE_NAME(name, words, value) {name, words},
#define NUMBER_VALUE(name, value) *values++ = (double)(value);
#define CHOICE_VALUE(name, words, value) *values++ = (double)(value);

static const LpKernelSize own_sizes[] = {EACH_SIZE(NUMBER_NAME, CHOICE_NAME)};
#define N_OWN_SIZES G_N_ELEMENTS(own_sizes)
G_STATIC_ASSERT(N_OWN_SIZES + LP_TRAITS_MAX < LP_KERNEL_SIZES_MAX);

/* The sizes of the vocabulary and, behind them, the traits. */
const LpKernelVocabulary *
lp_kernel_vocabulary(void)
{
    static LpKernelSize sizes[N_OWN_SIZES + LP_TRAITS_MAX];
    static LpKernelVocabulary vocabulary = {
        .sizes = sizes, .blocks = lp_block_names, .passes = lp_listed_pass_names};
    static gsize is_made;
    if (g_once_init_enter(&is_made)) {
        memcpy(sizes, own_sizes, sizeof own_sizes);
        memcpy(&sizes[N_OWN_SIZES], lp_traits, lp_n_traits * sizeof *sizes);
        vocabulary.n_sizes = N_OWN_SIZES + lp_n_traits;
        g_once_init_leave(&is_made, 1);
    }
    return &vocabulary;
}

static void
fill(const Of *of, double *values)
{
    const LpTransformer *shape = of->shape;
    const LpPlan *plan = of->plan;
    EACH_SIZE(NUMBER_VALUE, CHOICE_VALUE)
    for (guint i = 0; i < lp_n_traits; i++)
        *values++ = plan->traits[i];
}

static Of
sizes_of(const LpTransformer *shape, const LpPlan *plan, guint32 index, LpPass pass,
         guint32 recomputed)
{
    LpLayer layer = lp_transformer_layer(shape, index);
    return (Of){.shape = shape,
                .plan = plan,
                .layer = layer,
                .pass = pass,
                .recomputed = recomputed,
                .tp = plan->degree[LP_AXIS_TP],
                .cp = plan->degree[LP_AXIS_CP],
                .tokens = lp_plan_tokens(plan, layer.seq)};
}

void
lp_kernel_sizes_recomputed(const LpTransformer *transformer, const LpPlan *plan, guint32 index,
                           LpPass pass, guint32 recomputed, double *values)
{
    Of of = sizes_of(transformer, plan, index, pass, recomputed);
    fill(&of, values);
}

void
lp_kernel_sizes_step(const LpTransformer *transformer, const LpPlan *plan,
                     const LpStepParameters *parameters, double *values)
{
    Of of = sizes_of(transformer, plan, 0, LP_PASS_FORWARD, 0);
    of.step = *parameters;
    fill(&of, values);
}

void
lp_kernel_sizes(const LpTransformer *transformer, const LpPlan *plan, guint32 index, LpPass pass,
                double *values)
{
    lp_kernel_sizes_recomputed(transformer, plan, index, pass, lp_plan_recomputed_parts(plan),
                               values);
}

const LpKernelLists *
lp_plan_kernel_lists(const LpPlan *plan)
{
    return plan->lists != NULL ? plan->lists
                               : lp_kernel_variants_lists(plan->variants, lp_kernel_vocabulary());
}
