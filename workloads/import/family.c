/* SPDX-License-Identifier: Apache-2.0 */
/* The families' differences. Defaults are those of the
 * configuration classes in transformers (src/transformers/models/NAME/configuration_NAME.py). */
#include "workloads/import/family.h"

/* What most call their sizes. */
#define LLAMA_NAMES                                                                                \
    .layers = "num_hidden_layers", .hidden = "hidden_size", .heads = "num_attention_heads",        \
    .kv_heads = "num_key_value_heads", .seq = "max_position_embeddings", .vocab = "vocab_size"

static const LpFamilyKeys modern_keys = {LLAMA_NAMES, .ffn = "intermediate_size",
                                         .activation = "hidden_act"};
static const LpFamilyKeys gemma_keys = {LLAMA_NAMES, .ffn = "intermediate_size",
                                        .activation = "hidden_activation|hidden_act"};
static const LpFamilyKeys llama4_keys = {LLAMA_NAMES, .ffn = "intermediate_size_mlp",
                                         .activation = "hidden_act"};
static const LpFamilyKeys phi3_keys = {LLAMA_NAMES, .ffn = "intermediate_size",
                                       .activation = "hidden_act", .dropout = "resid_pdrop"};
static const LpFamilyKeys neox_keys = {.layers = "num_hidden_layers",
                                       .hidden = "hidden_size",
                                       .heads = "num_attention_heads",
                                       .ffn = "intermediate_size",
                                       .seq = "max_position_embeddings",
                                       .vocab = "vocab_size",
                                       .activation = "hidden_act",
                                       .dropout = "hidden_dropout"};
static const LpFamilyKeys gpt2_keys = {.layers = "n_layer|num_hidden_layers",
                                       .hidden = "n_embd|hidden_size",
                                       .heads = "n_head|num_attention_heads",
                                       .ffn = "n_inner",
                                       .seq = "n_positions|max_position_embeddings|n_ctx",
                                       .vocab = "vocab_size",
                                       .activation = "activation_function",
                                       .dropout = "resid_pdrop"};
static const LpFamilyKeys opt_keys = {.layers = "num_hidden_layers",
                                      .hidden = "hidden_size",
                                      .heads = "num_attention_heads",
                                      .ffn = "ffn_dim",
                                      .seq = "max_position_embeddings",
                                      .vocab = "vocab_size",
                                      .activation = "activation_function",
                                      .dropout = "dropout"};
static const LpFamilyKeys bloom_keys = {.layers = "n_layer|num_hidden_layers",
                                        .hidden = "hidden_size|n_embed",
                                        .heads = "n_head|num_attention_heads",
                                        .seq = "seq_length",
                                        .vocab = "vocab_size",
                                        .dropout = "hidden_dropout"};
/* kv_heads follow from three keys (huggingface.c). */
static const LpFamilyKeys falcon_keys = {.layers = "num_hidden_layers|n_layer",
                                         .hidden = "hidden_size",
                                         .heads = "num_attention_heads|n_head",
                                         .ffn = "ffn_hidden_size",
                                         .seq = "max_position_embeddings",
                                         .vocab = "vocab_size",
                                         .activation = "activation",
                                         .dropout = "hidden_dropout"};
/* seq and vocab follow from the image and the labels. */
static const LpFamilyKeys vit_keys = {.layers = "num_hidden_layers",
                                      .hidden = "hidden_size",
                                      .heads = "num_attention_heads",
                                      .ffn = "intermediate_size",
                                      .activation = "hidden_act",
                                      .dropout = "hidden_dropout_prob"};

static const LpFamilyExperts mixtral_experts = {.experts = "num_local_experts",
                                                .top_k = "num_experts_per_tok|experts_per_token"};
static const LpFamilyExperts llama4_experts = {.experts = "num_local_experts",
                                               .top_k = "num_experts_per_tok",
                                               .width = "intermediate_size",
                                               .has_shared = TRUE,
                                               .every = "interleave_moe_layer_step"};
static const LpFamilyExperts qwen2_experts = {.experts = "num_experts",
                                              .top_k = "num_experts_per_tok",
                                              .width = "moe_intermediate_size",
                                              .shared_width = "shared_expert_intermediate_size",
                                              .dense_list = "mlp_only_layers",
                                              .every = "decoder_sparse_step"};
static const LpFamilyExperts qwen3_experts = {.experts = "num_experts|num_local_experts",
                                              .top_k = "num_experts_per_tok",
                                              .width = "moe_intermediate_size",
                                              .dense_list = "mlp_only_layers",
                                              .every = "decoder_sparse_step"};
static const LpFamilyExperts deepseek2_experts = {.experts = "n_routed_experts|num_local_experts",
                                                  .top_k = "num_experts_per_tok",
                                                  .width = "moe_intermediate_size",
                                                  .shared = "n_shared_experts",
                                                  .dense = "first_k_dense_replace",
                                                  .every = "moe_layer_freq",
                                                  .every_is_first = TRUE,
                                                  .method = "greedy"};
static const LpFamilyExperts deepseek3_experts = {.experts = "n_routed_experts|num_local_experts",
                                                  .top_k = "num_experts_per_tok",
                                                  .width = "moe_intermediate_size",
                                                  .shared = "n_shared_experts",
                                                  .dense = "first_k_dense_replace",
                                                  .every = "moe_layer_freq",
                                                  .every_is_first = TRUE,
                                                  .method = "noaux_tc"};

static const LpFamilyBias no_bias = {.attention = FALSE};
static const LpFamilyBias all_bias = {.attention = TRUE, .attention_output = TRUE, .ffn = TRUE};
static const LpFamilyBias llama_bias = {
    .attention_key = "attention_bias", .attention_output = TRUE, .ffn_key = "mlp_bias"};
static const LpFamilyBias attention_bias = {.attention_key = "attention_bias",
                                            .attention_output = TRUE};
static const LpFamilyBias neox_bias = {
    .attention_key = "attention_bias", .attention = TRUE, .attention_output = TRUE, .ffn = TRUE};
static const LpFamilyBias qwen2_bias = {.attention_key = "qkv_bias", .attention = TRUE};
static const LpFamilyBias vit_bias = {.attention_key = "qkv_bias", .attention = TRUE, .ffn = TRUE};
static const LpFamilyBias opt_bias = {.attention_key = "enable_bias",
                                      .attention = TRUE,
                                      .attention_output = TRUE,
                                      .ffn_key = "enable_bias",
                                      .ffn = TRUE};
static const LpFamilyBias falcon_bias = {
    .attention_key = "bias", .attention_output = TRUE, .ffn_key = "bias"};

/* What configurations of text alone share with those that hold more. */
#define GEMMA_3                                                                                    \
    .keys = &gemma_keys, .bias = &attention_bias, .gated = TRUE, .rms_norm = TRUE, .tied = TRUE,   \
    .heads = 8, .kv_heads = 4, .vocab = 262208, .seq = 131072, .head_width = 256,                  \
    .window = LP_FAMILY_WINDOW_PATTERN, .window_width = 4096, .window_period = 6,                  \
    .note = "the norms behind each block, and those of queries and keys, are left out"
#define LLAMA_4                                                                                    \
    .keys = &llama4_keys, .experts = &llama4_experts, .bias = &attention_bias, .gated = TRUE,      \
    .rms_norm = TRUE, .heads = 40, .kv_heads = 8, .vocab = 202048, .seq = 131072,                  \
    .head_width = 128, .window = LP_FAMILY_WINDOW_CHUNKS, .window_width = 8192,                    \
    .window_period = 4,                                                                            \
    .note = "the norms of queries and keys have no weights; layers without rotary positions "      \
            "count as others"
#define OLMO                                                                                       \
    .keys = &modern_keys, .bias = &attention_bias, .gated = TRUE, .rms_norm = TRUE,                \
    .vocab = 50304, .seq = 2048, .head_norms = TRUE,                                               \
    .note = "the norms of queries and keys have no weights here"

/* Sorted by name. */
static const LpFamily families[] = {
    {.model_type = "bloom",
     .keys = &bloom_keys,
     .bias = &all_bias,
     .tied = TRUE,
     .seq = 2048,
     .positions = LP_FAMILY_POSITIONS_ALIBI,
     .note = "the norm after the embedding has no weights here"},
    {.model_type = "deepseek_v2",
     .keys = &modern_keys,
     .experts = &deepseek2_experts,
     .bias = &attention_bias,
     .gated = TRUE,
     .rms_norm = TRUE,
     .latent = TRUE},
    {.model_type = "deepseek_v3",
     .keys = &modern_keys,
     .experts = &deepseek3_experts,
     .bias = &attention_bias,
     .gated = TRUE,
     .rms_norm = TRUE,
     .latent = TRUE,
     .note = "the router's correction bias, one number an expert, has no weights here"},
    {.model_type = "falcon",
     .keys = &falcon_keys,
     .bias = &falcon_bias,
     .tied = TRUE,
     .seq = 2048,
     .parallel_key = "parallel_attn",
     .parallel = TRUE},
    {.model_type = "gemma2",
     .keys = &gemma_keys,
     .bias = &attention_bias,
     .gated = TRUE,
     .rms_norm = TRUE,
     .tied = TRUE,
     .heads = 8,
     .kv_heads = 4,
     .vocab = 256000,
     .seq = 8192,
     .head_width = 256,
     .window = LP_FAMILY_WINDOW_PATTERN,
     .window_width = 4096,
     .window_period = 2,
     .note = "the norms behind each block are left out"},
    {.model_type = "gemma3", GEMMA_3, .in_text = TRUE},
    {.model_type = "gemma3_text", GEMMA_3},
    {.model_type = "gpt2",
     .keys = &gpt2_keys,
     .bias = &all_bias,
     .tied = TRUE,
     .dropout = 0.1,
     .positions = LP_FAMILY_POSITIONS_LEARNED},
    {.model_type = "gpt_neox",
     .keys = &neox_keys,
     .bias = &neox_bias,
     .parallel_key = "use_parallel_residual",
     .parallel = TRUE},
    {.model_type = "gpt_oss",
     .keys = &modern_keys,
     .experts = &mixtral_experts,
     .bias = &neox_bias,
     .gated = TRUE,
     .rms_norm = TRUE,
     .kv_required = TRUE,
     .head_width = 64,
     .window = LP_FAMILY_WINDOW_PATTERN,
     .window_width = 128,
     .window_period = 2,
     .note = "attention's sinks, one number a head, have no weights here"},
    {.model_type = "llama",
     .keys = &modern_keys,
     .bias = &llama_bias,
     .gated = TRUE,
     .rms_norm = TRUE},
    {.model_type = "llama4", LLAMA_4, .in_text = TRUE},
    {.model_type = "llama4_text", LLAMA_4},
    {.model_type = "ministral",
     .keys = &modern_keys,
     .bias = &no_bias,
     .gated = TRUE,
     .rms_norm = TRUE,
     .kv_heads = 8,
     .vocab = 32000,
     .window = LP_FAMILY_WINDOW_ALWAYS,
     .window_width = 4096},
    {.model_type = "mistral",
     .keys = &modern_keys,
     .bias = &no_bias,
     .gated = TRUE,
     .rms_norm = TRUE,
     .kv_required = TRUE,
     .window = LP_FAMILY_WINDOW_ALWAYS,
     .window_width = 4096},
    {.model_type = "mixtral",
     .keys = &modern_keys,
     .experts = &mixtral_experts,
     .bias = &no_bias,
     .gated = TRUE,
     .rms_norm = TRUE,
     .kv_required = TRUE,
     .window = LP_FAMILY_WINDOW_ALWAYS},
    {.model_type = "olmo2", OLMO},
    {.model_type = "olmo3",
     OLMO,
     .window = LP_FAMILY_WINDOW_PATTERN,
     .window_width = 4096,
     .window_period = 4},
    {.model_type = "opt",
     .keys = &opt_keys,
     .bias = &opt_bias,
     .tied = TRUE,
     .dropout = 0.1,
     .positions = LP_FAMILY_POSITIONS_LEARNED},
    {.model_type = "phi3",
     .keys = &phi3_keys,
     .bias = &no_bias,
     .gated = TRUE,
     .rms_norm = TRUE,
     .window = LP_FAMILY_WINDOW_ALWAYS},
    {.model_type = "qwen2",
     .keys = &modern_keys,
     .bias = &qwen2_bias,
     .gated = TRUE,
     .rms_norm = TRUE,
     .kv_required = TRUE,
     .window = LP_FAMILY_WINDOW_SWITCH},
    {.model_type = "qwen2_moe",
     .keys = &modern_keys,
     .experts = &qwen2_experts,
     .bias = &qwen2_bias,
     .gated = TRUE,
     .rms_norm = TRUE,
     .kv_required = TRUE,
     .window = LP_FAMILY_WINDOW_SWITCH,
     .note = "the gate of the shared expert, hidden_size weights a layer, is left out"},
    {.model_type = "qwen3",
     .keys = &modern_keys,
     .bias = &attention_bias,
     .gated = TRUE,
     .rms_norm = TRUE,
     .kv_required = TRUE,
     .head_width = 128,
     .window = LP_FAMILY_WINDOW_SWITCH,
     .head_norms = TRUE,
     .note = "the norms of queries and keys have no weights here"},
    {.model_type = "qwen3_moe",
     .keys = &modern_keys,
     .experts = &qwen3_experts,
     .bias = &attention_bias,
     .gated = TRUE,
     .rms_norm = TRUE,
     .kv_required = TRUE,
     .window = LP_FAMILY_WINDOW_SWITCH,
     .head_norms = TRUE,
     .note = "the norms of queries and keys have no weights here"},
    {.model_type = "vit",
     .keys = &vit_keys,
     .bias = &vit_bias,
     .positions = LP_FAMILY_POSITIONS_LEARNED},
};

const LpFamily *
lp_family_at(guint index)
{
    return index < G_N_ELEMENTS(families) ? &families[index] : NULL;
}
