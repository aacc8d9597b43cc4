/* SPDX-License-Identifier: Apache-2.0 */
/* What families that are alike call their sizes, experts and biases. */
#include "workloads/import/family_tables.h"

/* What most call dropout behind a block; where no class has it, files that say so are believed. */
#define DROPOUTS                                                                                   \
    "hidden_dropout_prob|hidden_dropout|resid_pdrop|resid_dropout|residual_dropout|dropout"

/* What most call their sizes. */
#define LLAMA_NAMES                                                                                \
    .layers = "num_hidden_layers", .hidden = "hidden_size", .heads = "num_attention_heads",        \
    .kv_heads = "num_key_value_heads", .seq = "max_position_embeddings", .vocab = "vocab_size"

const LpFamilyKeys lp_family_modern_keys = {LLAMA_NAMES, .ffn = "intermediate_size",
                                            .activation = "hidden_act", .dropout = DROPOUTS};
const LpFamilyKeys lp_family_gemma_keys = {LLAMA_NAMES, .ffn = "intermediate_size",
                                           .activation = "hidden_activation|hidden_act",
                                           .dropout = DROPOUTS};
const LpFamilyKeys lp_family_llama4_keys = {LLAMA_NAMES, .ffn = "intermediate_size_mlp",
                                            .activation = "hidden_act", .dropout = DROPOUTS};
const LpFamilyKeys lp_family_nemotron_keys = {LLAMA_NAMES, .ffn = "intermediate_size",
                                              .activation = "mlp_hidden_act", .dropout = DROPOUTS};
/* Heads are those of the state space; there is no attention. */
const LpFamilyKeys lp_family_mamba2_keys = {.layers = "num_hidden_layers|n_layer",
                                            .hidden = "hidden_size|d_model",
                                            .heads = "num_heads",
                                            .seq = "max_position_embeddings",
                                            .vocab = "vocab_size",
                                            .dropout = DROPOUTS};
const LpFamilyKeys lp_family_neox_keys = {.layers = "num_hidden_layers",
                                          .hidden = "hidden_size",
                                          .heads = "num_attention_heads",
                                          .ffn = "intermediate_size",
                                          .seq = "max_position_embeddings",
                                          .vocab = "vocab_size",
                                          .activation = "hidden_act",
                                          .dropout = DROPOUTS};
const LpFamilyKeys lp_family_gpt2_keys = {.layers = "n_layer|num_hidden_layers",
                                          .hidden = "n_embd|hidden_size",
                                          .heads = "n_head|num_attention_heads",
                                          .ffn = "n_inner",
                                          .seq = "n_positions|max_position_embeddings|n_ctx",
                                          .vocab = "vocab_size",
                                          .activation = "activation_function",
                                          .dropout = DROPOUTS};
const LpFamilyKeys lp_family_opt_keys = {.layers = "num_hidden_layers",
                                         .hidden = "hidden_size",
                                         .heads = "num_attention_heads",
                                         .ffn = "ffn_dim",
                                         .seq = "max_position_embeddings",
                                         .vocab = "vocab_size",
                                         .activation = "activation_function",
                                         .dropout = DROPOUTS};
const LpFamilyKeys lp_family_bloom_keys = {.layers = "n_layer|num_hidden_layers",
                                           .hidden = "hidden_size|n_embed",
                                           .heads = "n_head|num_attention_heads",
                                           .seq = "seq_length",
                                           .vocab = "vocab_size",
                                           .dropout = DROPOUTS};
/* kv_heads follow from three keys (huggingface.c). */
const LpFamilyKeys lp_family_falcon_keys = {.layers = "num_hidden_layers|n_layer",
                                            .hidden = "hidden_size",
                                            .heads = "num_attention_heads|n_head",
                                            .ffn = "ffn_hidden_size",
                                            .seq = "max_position_embeddings",
                                            .vocab = "vocab_size",
                                            .activation = "activation",
                                            .dropout = DROPOUTS};
/* seq and vocab follow from the image and the labels. */
const LpFamilyKeys lp_family_vit_keys = {.layers = "num_hidden_layers",
                                         .hidden = "hidden_size",
                                         .heads = "num_attention_heads",
                                         .ffn = "intermediate_size",
                                         .activation = "hidden_act",
                                         .dropout = DROPOUTS};

const LpFamilyExperts lp_family_mixtral_experts = {
    .experts = "num_local_experts", .top_k = "num_experts_per_tok|experts_per_token"};
const LpFamilyExperts lp_family_llama4_experts = {.experts = "num_local_experts",
                                                  .top_k = "num_experts_per_tok",
                                                  .width = "intermediate_size",
                                                  .has_shared = TRUE,
                                                  .every = "interleave_moe_layer_step"};
const LpFamilyExperts lp_family_qwen2_experts = {.experts = "num_experts",
                                                 .top_k = "num_experts_per_tok",
                                                 .width = "moe_intermediate_size",
                                                 .shared_width = "shared_expert_intermediate_size",
                                                 .dense_list = "mlp_only_layers",
                                                 .every = "decoder_sparse_step"};
const LpFamilyExperts lp_family_qwen3_experts = {.experts = "num_experts|num_local_experts",
                                                 .top_k = "num_experts_per_tok",
                                                 .width = "moe_intermediate_size",
                                                 .dense_list = "mlp_only_layers",
                                                 .every = "decoder_sparse_step"};
const LpFamilyExperts lp_family_deepseek2_experts = {.experts =
                                                         "n_routed_experts|num_local_experts",
                                                     .top_k = "num_experts_per_tok",
                                                     .width = "moe_intermediate_size",
                                                     .shared = "n_shared_experts",
                                                     .dense = "first_k_dense_replace",
                                                     .every = "moe_layer_freq",
                                                     .every_is_first = TRUE,
                                                     .method = "greedy"};
const LpFamilyExperts lp_family_deepseek3_experts = {.experts =
                                                         "n_routed_experts|num_local_experts",
                                                     .top_k = "num_experts_per_tok",
                                                     .width = "moe_intermediate_size",
                                                     .shared = "n_shared_experts",
                                                     .dense = "first_k_dense_replace",
                                                     .every = "moe_layer_freq",
                                                     .every_is_first = TRUE,
                                                     .method = "noaux_tc"};

const LpFamilyExperts lp_family_glm4_experts = {.experts = "n_routed_experts|num_local_experts",
                                                .top_k = "num_experts_per_tok",
                                                .width = "moe_intermediate_size",
                                                .shared = "n_shared_experts",
                                                .dense = "first_k_dense_replace",
                                                .every = "moe_layer_freq",
                                                .every_is_first = TRUE,
                                                .method = "noaux_tc"};
const LpFamilyExperts lp_family_olmoe_experts = {.experts = "num_experts",
                                                 .top_k = "num_experts_per_tok"};

const LpFamilyExperts lp_family_nemotron_experts = {.experts = "n_routed_experts",
                                                    .top_k = "num_experts_per_tok",
                                                    .width = "moe_intermediate_size",
                                                    .shared_width =
                                                        "moe_shared_expert_intermediate_size",
                                                    .latent = "moe_latent_size"};
const LpFamilyExperts lp_family_granite_experts = {.experts = "num_local_experts",
                                                   .top_k = "num_experts_per_tok",
                                                   .width = "intermediate_size",
                                                   .shared_width = "shared_intermediate_size",
                                                   .dense_width = "shared_intermediate_size"};
const LpFamilyExperts lp_family_kimi_experts = {.experts = "num_experts",
                                                .top_k =
                                                    "num_experts_per_token|num_experts_per_tok",
                                                .width = "moe_intermediate_size",
                                                .shared = "num_shared_experts",
                                                .dense = "first_k_dense_replace",
                                                .every = "moe_layer_freq",
                                                .every_is_first = TRUE};
const LpFamilyExperts lp_family_minimax_experts = {
    .experts = "num_local_experts", .top_k = "num_experts_per_tok", .width = "intermediate_size"};

const LpFamilyBias lp_family_no_bias = {.attention = FALSE};
const LpFamilyBias lp_family_all_bias = {.attention = TRUE, .attention_output = TRUE, .ffn = TRUE};
const LpFamilyBias lp_family_llama_bias = {
    .attention_key = "attention_bias", .attention_output = TRUE, .ffn_key = "mlp_bias"};
const LpFamilyBias lp_family_attention_bias = {.attention_key = "attention_bias",
                                               .attention_output = TRUE};
const LpFamilyBias lp_family_neox_bias = {
    .attention_key = "attention_bias", .attention = TRUE, .attention_output = TRUE, .ffn = TRUE};
const LpFamilyBias lp_family_qwen2_bias = {.attention_key = "qkv_bias", .attention = TRUE};
const LpFamilyBias lp_family_vit_bias = {
    .attention_key = "qkv_bias", .attention = TRUE, .ffn = TRUE};
const LpFamilyBias lp_family_opt_bias = {.attention_key = "enable_bias",
                                         .attention = TRUE,
                                         .attention_output = TRUE,
                                         .ffn_key = "enable_bias",
                                         .ffn = TRUE};
const LpFamilyBias lp_family_glm4_bias = {.attention_key = "attention_bias"};
const LpFamilyBias lp_family_stablelm_bias = {.attention_key = "use_qkv_bias"};
const LpFamilyBias lp_family_use_bias = {.attention_key = "use_bias",
                                         .attention = TRUE,
                                         .attention_output = TRUE,
                                         .ffn_key = "use_bias",
                                         .ffn = TRUE};
const LpFamilyBias lp_family_falcon_bias = {
    .attention_key = "bias", .attention_output = TRUE, .ffn_key = "bias"};
