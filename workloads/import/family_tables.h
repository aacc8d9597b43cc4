/* SPDX-License-Identifier: Apache-2.0 */
/* Tables that several families share. */
#pragma once

#include "workloads/import/family_types.h"

G_BEGIN_DECLS

/** Names of sizes. */
extern const LpFamilyKeys lp_family_modern_keys, lp_family_gemma_keys, lp_family_llama4_keys,
    lp_family_nemotron_keys, lp_family_mamba2_keys, lp_family_neox_keys, lp_family_gpt2_keys,
    lp_family_opt_keys, lp_family_bloom_keys, lp_family_falcon_keys, lp_family_vit_keys;
/** Of experts. */
extern const LpFamilyExperts lp_family_mixtral_experts, lp_family_llama4_experts,
    lp_family_qwen2_experts, lp_family_qwen3_experts, lp_family_deepseek2_experts,
    lp_family_deepseek3_experts, lp_family_glm4_experts, lp_family_olmoe_experts,
    lp_family_nemotron_experts, lp_family_granite_experts, lp_family_kimi_experts,
    lp_family_minimax_experts;
/** Which products have biases. */
extern const LpFamilyBias lp_family_no_bias, lp_family_all_bias, lp_family_llama_bias,
    lp_family_attention_bias, lp_family_neox_bias, lp_family_qwen2_bias, lp_family_vit_bias,
    lp_family_opt_bias, lp_family_glm4_bias, lp_family_stablelm_bias, lp_family_use_bias,
    lp_family_falcon_bias;

G_END_DECLS
