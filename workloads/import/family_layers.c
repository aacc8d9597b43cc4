/* SPDX-License-Identifier: Apache-2.0 */
/* How families say which layers have a mixer, and its sizes. Defaults are those of the classes. */
#include "workloads/import/family_layers.h"

const LpFamilyLayers lp_nemotron_layers = {
    .mixer = "mamba-2",
    .attention = "full",
    .letters = "hybrid_override_pattern",
    .sizes = {{"mamba-heads", "mamba_num_heads", 128},
              {"mamba-head-width", "mamba_head_dim", 64},
              {"mamba-state", "ssm_state_size|mamba_d_state", 128},
              {"mamba-groups", "n_groups|mamba_n_groups", 8},
              {"mamba-conv", "conv_kernel|mamba_d_conv", 4},
              {"mamba-chunk", "chunk_size|mamba_chunk_size", 128}}};
#define MAMBA_SIZES                                                                                \
    .sizes = {{"mamba-heads", "mamba_n_heads", 128}, {"mamba-head-width", "mamba_d_head", 64},     \
              {"mamba-state", "mamba_d_state", 256}, {"mamba-groups", "mamba_n_groups", 1},        \
              {"mamba-conv", "mamba_d_conv", 4},     {"mamba-chunk", "mamba_chunk_size", 256}}
const LpFamilyLayers lp_granite_layers = {
    .mixer = "mamba-2", .attention = "full", .types = "layer_types|layers_block_type", MAMBA_SIZES};
const LpFamilyLayers lp_bamba_layers = {.mixer = "mamba-2",
                                        .attention = "full",
                                        .types = "layers_block_type|layer_types",
                                        .indices = "attn_layer_indices",
                                        MAMBA_SIZES};
const LpFamilyLayers lp_mamba2_layers = {.mixer = "mamba-2",
                                         .attention = "full",
                                         .single_blocks = TRUE,
                                         .sizes = {{"mamba-heads", "num_heads", 128},
                                                   {"mamba-head-width", "head_dim", 64},
                                                   {"mamba-state", "state_size", 128},
                                                   {"mamba-groups", "n_groups", 8},
                                                   {"mamba-conv", "conv_kernel", 4},
                                                   {"mamba-chunk", "chunk_size", 256}}};
const LpFamilyLayers lp_qwen3_next_layers = {
    .mixer = "gated-delta-net",
    .attention = "gated-attention",
    .types = "layer_types",
    .interval = "full_attention_interval",
    .every = 4,
    .sizes = {{"delta-key-heads", "linear_num_key_heads", 16},
              {"delta-value-heads", "linear_num_value_heads", 32},
              {"delta-key-width", "linear_key_head_dim", 128},
              {"delta-value-width", "linear_value_head_dim", 128},
              {"delta-conv", "linear_conv_kernel_dim", 4}}};
const LpFamilyLayers lp_kimi_layers = {.mixer = "kimi-delta-attention",
                                       .attention = "full",
                                       .object = "linear_attn_config",
                                       .sizes = {{"delta-key-heads", "num_heads", 0},
                                                 {"delta-value-heads", "num_heads", 0},
                                                 {"delta-key-width", "head_dim", 0},
                                                 {"delta-value-width", "head_dim", 0},
                                                 {"delta-conv", "short_conv_kernel_size", 4}}};
const LpFamilyLayers lp_sparse_layers = {.mixer = "sparse-attention",
                                         .attention = "full",
                                         .sizes = {{"index-heads", "index_n_heads", 64},
                                                   {"index-width", "index_head_dim", 128},
                                                   {"index-top-k", "index_topk", 2048}}};
