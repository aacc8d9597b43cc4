# SPDX-License-Identifier: Apache-2.0
"""Configurations (config.json) of models on huggingface.co, as far as they say something of shapes, and their parameters as
the models' pages or papers say, or counted from the shapes of the published weights; or, of what is not imported, the type
that is the nearest by shape."""

COMMON = dict(hidden_act="silu", torch_dtype="bfloat16", tie_word_embeddings=False)
MODELS = {}


def llama(model_type="llama", architecture="LlamaForCausalLM", hidden=4096, ffn=14336, layers=32, heads=32, kv_heads=8,
          vocab=128256, longest=8192, **more):
    return dict(COMMON, model_type=model_type, architectures=[architecture], hidden_size=hidden, intermediate_size=ffn,
                num_hidden_layers=layers, num_attention_heads=heads, num_key_value_heads=kv_heads, vocab_size=vocab,
                max_position_embeddings=longest) | more


def add(name, expected, **config):
    MODELS[name] = (expected, config)


add("llama-3.1-8b", 8.030e9, **llama(longest=131072, rope_scaling={"factor": 8.0, "original_max_position_embeddings":8192,
    "rope_type": "llama3"}))
add("llama-3.1-70b", 70.55e9, **llama(hidden=8192, ffn=28672, layers=80, heads=64, longest=131072,
    rope_scaling={"original_max_position_embeddings": 8192}))
add("llama-3.1-405b", 405.85e9, **llama(hidden=16384, ffn=53248, layers=126, heads=128, longest=131072,
    rope_scaling={"original_max_position_embeddings": 8192}))
add("llama-2-70b", 68.98e9, **llama(hidden=8192, ffn=28672, layers=80, heads=64, vocab=32000, longest=4096))
add("tinyllama", 1.1e9, **llama(hidden=2048, ffn=5632, layers=22, heads=32, kv_heads=4, vocab=32000, longest=2048))
add("qwen2.5-72b", 72.7e9, **llama("qwen2", "Qwen2ForCausalLM", 8192, 29568, 80, 64, 8, 152064, 131072,
    use_sliding_window=False, max_window_layers=80, sliding_window=131072))
add("qwen3-32b", 32.76e9, **llama("qwen3", "Qwen3ForCausalLM", 5120, 25600, 64, 64, 8, 151936, 40960, head_dim=128,
    attention_bias=False, use_sliding_window=False, sliding_window=None, max_window_layers=64))
add("qwen3-235b", 235.1e9, **llama("qwen3_moe", "Qwen3MoeForCausalLM", 4096, 12288, 94, 64, 4, 151936, 40960,
    head_dim=128, num_experts=128, num_experts_per_tok=8, moe_intermediate_size=1536, decoder_sparse_step=1,
    mlp_only_layers=[], norm_topk_prob=True, max_window_layers=94))
add("mistral-7b", 7.24e9, **llama("mistral", "MistralForCausalLM", vocab=32000, longest=32768, sliding_window=None))
add("mistral-large", 122.6e9, **llama("mistral", "MistralForCausalLM", 12288, 28672, 88, 96, 8, 32768, 131072,
    head_dim=128, sliding_window=None))
add("mixtral-8x22b", 140.6e9, **llama("mixtral", "MixtralForCausalLM", 6144, 16384, 56, 48, 8, 32768, 65536,
    num_local_experts=8, num_experts_per_tok=2, sliding_window=None))
add("gemma-7b", 8.54e9, model_type="gemma", architectures=["GemmaForCausalLM"], attention_bias=False, head_dim=256,
    hidden_act="gelu", hidden_activation=None, hidden_size=3072, intermediate_size=24576,
    max_position_embeddings=8192, num_attention_heads=16, num_hidden_layers=28, num_key_value_heads=16,
    torch_dtype="bfloat16", vocab_size=256000)
add("gemma-2-9b", 9.24e9, model_type="gemma2", architectures=["Gemma2ForCausalLM"], head_dim=256,
    hidden_activation="gelu_pytorch_tanh", hidden_size=3584, intermediate_size=14336, max_position_embeddings=8192,
    num_attention_heads=16, num_hidden_layers=42, num_key_value_heads=8, sliding_window=4096, torch_dtype="float32",
    vocab_size=256000, cache_implementation="hybrid")
add("gemma-3-27b", 27.0e9, model_type="gemma3", architectures=["Gemma3ForConditionalGeneration"],
    text_config=dict(model_type="gemma3_text", hidden_size=5376, intermediate_size=21504, num_attention_heads=32,
    num_hidden_layers=62, num_key_value_heads=16, head_dim=128, sliding_window=1024, rope_scaling={"factor": 8.0,
    "rope_type": "linear"}, query_pre_attn_scalar=168), vision_config=dict(hidden_size=1152), torch_dtype="bfloat16")
add("phi-2", 2.78e9, model_type="phi", architectures=["PhiForCausalLM"], hidden_act="gelu_new", hidden_size=2560,
    intermediate_size=10240, max_position_embeddings=2048, num_attention_heads=32, num_hidden_layers=32,
    num_key_value_heads=32, partial_rotary_factor=0.4, qk_layernorm=False, resid_pdrop=0.1, embd_pdrop=0.0,
    torch_dtype="float16", vocab_size=51200, tie_word_embeddings=False)
add("phi-4", 14.66e9, **llama("phi3", "Phi3ForCausalLM", 5120, 17920, 40, 40, 10, 100352, 16384,
    sliding_window=None, resid_pdrop=0.0, embd_pdrop=0.0, original_max_position_embeddings=16384))
add("deepseek-v2", 235.7e9, **llama("deepseek_v2", "DeepseekV2ForCausalLM", 5120, 12288, 60, 128, 128, 102400,
    163840, q_lora_rank=1536, kv_lora_rank=512, qk_nope_head_dim=128, qk_rope_head_dim=64, v_head_dim=128,
    n_routed_experts=160, n_shared_experts=2, num_experts_per_tok=6, moe_intermediate_size=1536,
    first_k_dense_replace=1, moe_layer_freq=1, n_group=8, topk_group=3, topk_method="group_limited_greedy",
    rope_scaling={"factor": 40, "original_max_position_embeddings":4096, "type":"yarn"}))
v3=dict(q_lora_rank=1536, kv_lora_rank=512, qk_nope_head_dim=128, qk_rope_head_dim=64, v_head_dim=128,
    n_routed_experts=256, n_shared_experts=1, num_experts_per_tok=8, moe_intermediate_size=2048,
    first_k_dense_replace=3, moe_layer_freq=1, n_group=8, topk_group=4, topk_method="noaux_tc",
    num_nextn_predict_layers=1, rope_scaling={"factor": 40, "original_max_position_embeddings":4096, "type":"yarn"})
add("deepseek-v3", 671.0e9, **llama("deepseek_v3", "DeepseekV3ForCausalLM", 7168, 18432, 61, 128, 128, 129280,
    163840, **v3))
# With the indexers, 14 million a layer.
add("deepseek-v3.2", 671.9e9, **llama("deepseek_v32", "DeepseekV32ForCausalLM", 7168, 18432, 61, 128, 128,
    129280, 163840, index_head_dim=128, index_n_heads=64, index_topk=2048, **v3))
add("kimi-k2", 1026.4e9, **llama("kimi_k2", "DeepseekV3ForCausalLM", 7168, 18432, 61, 64, 64, 163840, 131072,
    **dict(v3, n_routed_experts=384, first_k_dense_replace=1, n_group=1, topk_group=1, num_nextn_predict_layers=0,
    rope_scaling={"factor": 32, "original_max_position_embeddings":4096, "type":"yarn"})))
add("glm-4.5", 352.8e9, **llama("glm4_moe", "Glm4MoeForCausalLM", 5120, 12288, 92, 96, 8, 151552, 131072,
    attention_bias=True, head_dim=128, n_routed_experts=160, n_shared_experts=1, num_experts_per_tok=8,
    moe_intermediate_size=1536, first_k_dense_replace=3, n_group=1, topk_group=1, use_qk_norm=True,
    num_nextn_predict_layers=1, partial_rotary_factor=0.5, routed_scaling_factor=2.5, norm_topk_prob=True))
add("glm-4.5-air", 106.85e9, **llama("glm4_moe", "Glm4MoeForCausalLM", 4096, 10944, 46, 96, 8, 151552, 131072,
    attention_bias=True, head_dim=128, n_routed_experts=128, n_shared_experts=1, num_experts_per_tok=8,
    moe_intermediate_size=1408, first_k_dense_replace=1, n_group=1, topk_group=1, use_qk_norm=False,
    num_nextn_predict_layers=1))
add("olmo-7b", 6.89e9, **llama("olmo", "OlmoForCausalLM", 4096, 11008, 32, 32, 32, 50304, 2048,
    attention_bias=False, clip_qkv=None))
add("olmo-2-13b", 13.72e9, **llama("olmo2", "Olmo2ForCausalLM", 5120, 13824, 40, 40, 40, 100352, 4096,
    attention_bias=False))
add("olmoe", 6.92e9, **llama("olmoe", "OlmoeForCausalLM", 2048, 1024, 16, 16, 16, 50304, 4096, num_experts=64,
    num_experts_per_tok=8, norm_topk_prob=False, clip_qkv=None, router_aux_loss_coef=0.01))
add("falcon-7b", 6.92e9, model_type="falcon", architectures=["FalconForCausalLM"], alibi=False, bias=False,
    hidden_dropout=0.0, attention_dropout=0.0, hidden_size=4544, multi_query=True, new_decoder_architecture=False,
    num_attention_heads=71, num_hidden_layers=32, parallel_attn=True, torch_dtype="bfloat16", vocab_size=65024,
    apply_residual_connection_post_layernorm=False)
add("falcon-40b", 41.3e9, model_type="falcon", architectures=["FalconForCausalLM"], alibi=False, bias=False,
    hidden_size=8192, new_decoder_architecture=True, num_attention_heads=128, num_kv_heads=8, num_hidden_layers=60,
    parallel_attn=True, torch_dtype="bfloat16", vocab_size=65024)
add("gpt-neox-20b", 20.55e9, model_type="gpt_neox", architectures=["GPTNeoXForCausalLM"], hidden_act="gelu_fast",
    hidden_size=6144, intermediate_size=24576, max_position_embeddings=2048, num_attention_heads=64,
    num_hidden_layers=44, torch_dtype="float16", vocab_size=50432, tie_word_embeddings=False, rotary_pct=0.25)
add("pythia-6.9b", 6.857e9, model_type="gpt_neox", architectures=["GPTNeoXForCausalLM"], hidden_act="gelu",
    hidden_size=4096, intermediate_size=16384, max_position_embeddings=2048, num_attention_heads=32,
    num_hidden_layers=32, torch_dtype="float16", vocab_size=50432, tie_word_embeddings=False)
add("opt-66b", 65.7e9, model_type="opt", architectures=["OPTForCausalLM"], activation_function="relu", dropout=0.1,
    ffn_dim=36864, hidden_size=9216, max_position_embeddings=2048, num_attention_heads=72, num_hidden_layers=64,
    torch_dtype="float16", vocab_size=50272, word_embed_proj_dim=9216, do_layer_norm_before=True)
add("bloom", 176.25e9, model_type="bloom", architectures=["BloomForCausalLM"], n_layer=70, n_head=112,
    hidden_size=14336, vocab_size=250880, seq_length=2048, hidden_dropout=0.0, attention_dropout=0.0,
    torch_dtype="bfloat16")
add("starcoder", 15.52e9, model_type="gpt_bigcode", architectures=["GPTBigCodeForCausalLM"],
    activation_function="gelu", n_embd=6144, n_head=48, n_inner=24576, n_layer=40, n_positions=8192,
    multi_query=True, resid_pdrop=0.1, embd_pdrop=0.1, attn_pdrop=0.1, vocab_size=49152, torch_dtype="float32",
    scale_attn_weights=True, attention_softmax_in_fp32=True, validate_runner_input=True)
add("starcoder2-7b", 7.17e9, model_type="starcoder2", architectures=["Starcoder2ForCausalLM"],
    hidden_act="gelu_pytorch_tanh", hidden_size=4608, intermediate_size=18432, max_position_embeddings=16384,
    num_attention_heads=36, num_hidden_layers=32, num_key_value_heads=4, vocab_size=49152, use_bias=True,
    sliding_window=4096, residual_dropout=0.0, embedding_dropout=0.0, torch_dtype="bfloat16",
    norm_type="layer_norm", mlp_type="default", norm_epsilon=1e-5)
add("granite-3.1-8b", 8.17e9, **llama("granite", "GraniteForCausalLM", 4096, 12800, 40, 32, 8, 49152, 131072,
    attention_bias=False, mlp_bias=False, attention_multiplier=0.0078125, embedding_multiplier=12.0,
    residual_multiplier=0.22, logits_scaling=16.0, **{})|dict(tie_word_embeddings=True))
add("command-r", 34.98e9, model_type="cohere", architectures=["CohereForCausalLM"], hidden_act="silu",
    hidden_size=8192, intermediate_size=22528, max_position_embeddings=8192, model_max_length=131072,
    num_attention_heads=64, num_hidden_layers=40, num_key_value_heads=64, vocab_size=256000, torch_dtype="float16",
    logit_scale=0.0625, attention_bias=False, use_qk_norm=False)
add("command-r7b", 8.03e9, model_type="cohere2", architectures=["Cohere2ForCausalLM"], hidden_act="silu",
    hidden_size=4096, intermediate_size=14336, max_position_embeddings=8192, num_attention_heads=32, num_hidden_layers=32,
    num_key_value_heads=8, head_dim=128, vocab_size=256000, torch_dtype="bfloat16", logit_scale=0.25, attention_bias=False,
    sliding_window=4096, sliding_window_pattern=4, order_of_interleaved_layers="local_attn_first")
add("stablelm-2-12b", 12.1e9, **llama("stablelm", "StableLmForCausalLM", 5120, 13824, 40, 32, 8, 100352, 4096,
    use_qkv_bias=False, qk_layernorm=True, use_parallel_residual=True, partial_rotary_factor=0.25,
    hidden_dropout=0.0))
add("llava-1.5-7b", 6.738e9, model_type="llava", architectures=["LlavaForConditionalGeneration"],
    image_token_index=32000, projector_hidden_act="gelu", text_config=llama(hidden=4096, ffn=11008, kv_heads=32, vocab=32064,
    longest=4096), vision_config=dict(model_type="clip_vision_model", hidden_size=1024), vision_feature_layer=-2)
add("pixtral", 12.2e9, model_type="llava", architectures=["LlavaForConditionalGeneration"],
    text_config=llama("mistral", "MistralForCausalLM", 5120, 14336, 40, 32, 8, 131072, 1024000, head_dim=128,
    sliding_window=None), vision_config=dict(model_type="pixtral"))
add("mistral-small-3.1", 23.6e9, model_type="mistral3", architectures=["Mistral3ForConditionalGeneration"],
    text_config=llama("mistral", "x", 5120, 32768, 40, 32, 8, 131072, 131072, head_dim=128, sliding_window=None),
    vision_config=dict(model_type="pixtral"), spatial_merge_size=2)
# The text of models of images, whose own parameters are less.
add("qwen3-vl-8b", 8.19e9, model_type="qwen3_vl", architectures=["Qwen3VLForConditionalGeneration"],
    text_config=dict(llama("qwen3_vl_text", "x", 4096, 12288, 36, 32, 8, 151936, 262144, head_dim=128)),
    vision_config=dict(depth=27, hidden_size=1152))
add("qwen3-vl-235b", 235.1e9, model_type="qwen3_vl_moe", architectures=["Qwen3VLMoeForConditionalGeneration"],
    text_config=dict(llama("qwen3_vl_moe_text", "x", 4096, 12288, 94, 64, 4, 151936, 262144, head_dim=128,
    num_experts=128, num_experts_per_tok=8, moe_intermediate_size=1536)), vision_config=dict(depth=27))
add("qwen2-vl-7b", 7.62e9, **llama("qwen2_vl", "Qwen2VLForConditionalGeneration", 3584, 18944, 28, 28, 4, 152064,
    32768, vision_config=dict(depth=32), use_sliding_window=False, max_window_layers=28, sliding_window=32768,
    rope_scaling={"type": "mrope"}))
add("qwen2.5-vl-72b", 72.7e9, **llama("qwen2_5_vl", "Qwen2_5_VLForConditionalGeneration", 8192, 29568, 80, 64, 8,
    152064, 128000, vision_config=dict(depth=32)))
add("qwen3-next", 79.67e9, **llama("qwen3_next", "Qwen3NextForCausalLM", 2048, 5120, 48, 16, 2, 151936, 262144,
    num_experts=512, num_experts_per_tok=10, moe_intermediate_size=512, full_attention_interval=4, head_dim=256,
    shared_expert_intermediate_size=512, linear_num_key_heads=16, linear_num_value_heads=32, linear_key_head_dim=128,
    linear_value_head_dim=128, linear_conv_kernel_dim=4, decoder_sparse_step=1, mlp_only_layers=[]))
nemotron = dict(model_type="nemotron_h", architectures=["NemotronHForCausalLM"], head_dim=128, vocab_size=131072,
    num_key_value_heads=8, mlp_hidden_act="relu2", n_groups=8, ssm_state_size=128, conv_kernel=4, chunk_size=128,
    mamba_head_dim=64, torch_dtype="bfloat16", tie_word_embeddings=False, attention_bias=False, mlp_bias=False)
# Tensors of the published weights.
add("nemotron-3-nano", 31577937344, **dict(nemotron, hidden_size=2688, num_hidden_layers=52, num_attention_heads=32,
    num_key_value_heads=2, intermediate_size=1856, mamba_num_heads=64, n_routed_experts=128, num_experts_per_tok=6,
    moe_intermediate_size=1856, moe_shared_expert_intermediate_size=3712, max_position_embeddings=262144,
    hybrid_override_pattern="MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME"))
add("nemotron-nano-9b-v2", 8888227328, **dict(nemotron, hidden_size=4480, num_hidden_layers=56, num_attention_heads=40,
    intermediate_size=15680, mamba_num_heads=128, mamba_head_dim=80, max_position_embeddings=131072,
    hybrid_override_pattern="M-M-M-MM-M-M-M*-M-M-M*-M-M-M-M*-M-M-M-M*-M-MM-M-M-M-M-M-"))
add("nemotron-3-super", 120.67e9, **dict(nemotron, hidden_size=4096, num_hidden_layers=88, num_attention_heads=32,
    num_key_value_heads=2, intermediate_size=2688, mamba_num_heads=128, n_routed_experts=512, num_experts_per_tok=22,
    moe_intermediate_size=2688, moe_shared_expert_intermediate_size=5376, moe_latent_size=1024,
    max_position_embeddings=262144, hybrid_override_pattern="MEMEMEM*EMEMEMEM*EMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*"
    "EMEMEMEMEM*EMEMEMEMEM*EMEMEMEM*EMEMEMEME"))
add("granite-4-h-small", 32207337984, **llama("granitemoehybrid", "GraniteMoeHybridForCausalLM", 4096, 768, 40, 32, 8,
    100352, 131072, num_local_experts=72, num_experts_per_tok=10, shared_intermediate_size=1536, attention_bias=False,
    position_embedding_type="nope", layer_types=(["mamba"] * 5 + ["attention"] + ["mamba"] * 4) * 4, mamba_n_heads=128,
    mamba_d_head=64, mamba_d_state=128, mamba_n_groups=1, mamba_d_conv=4, mamba_chunk_size=256, mamba_conv_bias=True,
    mamba_expand=2, mamba_proj_bias=False) | dict(tie_word_embeddings=True))
add("kimi-linear", 49.12e9, **llama("kimi_linear", "KimiLinearForCausalLM", 2304, 9216, 27, 32, 32, 163840, 1048576,
    kv_lora_rank=512, q_lora_rank=None, qk_nope_head_dim=128, qk_rope_head_dim=64, v_head_dim=128, num_experts=256,
    num_experts_per_token=8, moe_intermediate_size=1024, num_shared_experts=1, first_k_dense_replace=1, moe_layer_freq=1,
    linear_attn_config=dict(full_attn_layers=[4, 8, 12, 16, 20, 24, 27], head_dim=128, num_heads=32,
    short_conv_kernel_size=4)))
add("minimax-m2", 228.7e9, **llama("minimax_m2", "MiniMaxM2ForCausalLM", 3072, 1536, 62, 48, 8, 200064, 196608,
    head_dim=128, num_local_experts=256, num_experts_per_tok=8, use_qk_norm=True))
# State spaces of the first version (arXiv 2312.00752, table of models; tiiuae/falcon-mamba-7b and ai21labs' model pages:
# 7.27, 51.6 and 398.6 billion parameters).
add("mamba-2.8b", 2.77e9, model_type="mamba", architectures=["MambaForCausalLM"], hidden_size=2560, intermediate_size=5120,
    num_hidden_layers=64, state_size=16, expand=2, conv_kernel=4, time_step_rank=160, vocab_size=50280, use_bias=False,
    use_conv_bias=True, torch_dtype="float32")
add("falcon-mamba-7b", 7.27e9, model_type="falcon_mamba", architectures=["FalconMambaForCausalLM"], hidden_size=4096,
    intermediate_size=8192, num_hidden_layers=64, state_size=16, expand=16, conv_kernel=4, time_step_rank=256, vocab_size=65024,
    use_bias=False, use_conv_bias=True, mixer_rms_eps=1e-6, tie_word_embeddings=False, torch_dtype="bfloat16")
JAMBA = dict(attn_layer_offset=4, attn_layer_period=8, expert_layer_offset=1, expert_layer_period=2, mamba_conv_bias=True,
             mamba_d_conv=4, mamba_d_state=16, mamba_expand=2, mamba_proj_bias=False, num_experts=16, num_experts_per_tok=2)
add("jamba-v0.1", 51.57e9, **llama("jamba", "JambaForCausalLM", vocab=65536, longest=262144, mamba_dt_rank=256,
    mamba_inner_layernorms=True, **JAMBA))
add("jamba-1.5-large", 398.6e9, **llama("jamba", "JambaForCausalLM", 8192, 24576, 72, 64, 8, 65536, 262144, mamba_dt_rank=512,
    **JAMBA))
add("mamba2-2.7b", 2.7e9, model_type="mamba2", architectures=["Mamba2ForCausalLM"], hidden_size=2560,
    num_hidden_layers=64, num_heads=80, head_dim=64, state_size=128, n_groups=1, conv_kernel=4, chunk_size=256,
    vocab_size=50288, tie_word_embeddings=True, torch_dtype="float16")
