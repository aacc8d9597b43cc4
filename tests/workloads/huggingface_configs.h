/* SPDX-License-Identifier: Apache-2.0 */
/* Configurations as published, with ' for ", and their import. */
#pragma once

#include "workloads/import/huggingface.h"

G_BEGIN_DECLS

#define LLAMA_2                                                                                    \
    "{'_name_or_path':'meta-llama/Llama-2-7b-hf','architectures':['LlamaForCausalLM'],"            \
    "'bos_token_id':1,'hidden_act':'silu','hidden_size':4096,'initializer_range':0.02,"            \
    "'intermediate_size':11008,'max_position_embeddings':4096,'model_type':'llama',"               \
    "'num_attention_heads':32,'num_hidden_layers':32,'num_key_value_heads':32,"                    \
    "'rms_norm_eps':1e-05,'rope_scaling':null,'tie_word_embeddings':false,"                        \
    "'torch_dtype':'float16','use_cache':true,'vocab_size':32000}"
#define MIXTRAL                                                                                    \
    "{'hidden_act':'silu','hidden_size':4096,'intermediate_size':14336,"                           \
    "'max_position_embeddings':32768,'model_type':'mixtral','num_attention_heads':32,"             \
    "'num_experts_per_tok':2,'num_hidden_layers':32,'num_key_value_heads':8,"                      \
    "'num_local_experts':8,'output_router_logits':false,'rope_theta':1000000.0,"                   \
    "'router_aux_loss_coef':0.02,'sliding_window':null,'tie_word_embeddings':false,"               \
    "'torch_dtype':'bfloat16','vocab_size':32000}"
#define QWEN3_MOE                                                                                  \
    "{'attention_bias':false,'decoder_sparse_step':1,'head_dim':128,'hidden_act':'silu',"          \
    "'hidden_size':2048,'intermediate_size':6144,'max_position_embeddings':40960,"                 \
    "'max_window_layers':48,'mlp_only_layers':[],'model_type':'qwen3_moe',"                        \
    "'moe_intermediate_size':768,'norm_topk_prob':true,'num_attention_heads':32,"                  \
    "'num_experts':128,'num_experts_per_tok':8,'num_hidden_layers':48,"                            \
    "'num_key_value_heads':4,'sliding_window':null,'tie_word_embeddings':false,"                   \
    "'torch_dtype':'bfloat16','use_sliding_window':false,'vocab_size':151936}"
#define DEEPSEEK_3                                                                                 \
    "{'attention_bias':false,'aux_loss_alpha':0.001,'ep_size':1,'first_k_dense_replace':3,"        \
    "'hidden_act':'silu','hidden_size':7168,'intermediate_size':18432,'kv_lora_rank':512,"         \
    "'max_position_embeddings':163840,'model_type':'deepseek_v3',"                                 \
    "'moe_intermediate_size':2048,'moe_layer_freq':1,'n_group':8,'n_routed_experts':256,"          \
    "'n_shared_experts':1,'norm_topk_prob':true,'num_attention_heads':128,"                        \
    "'num_experts_per_tok':8,'num_hidden_layers':61,'num_key_value_heads':128,"                    \
    "'num_nextn_predict_layers':1,'q_lora_rank':1536,'qk_nope_head_dim':128,"                      \
    "'qk_rope_head_dim':64,'quantization_config':{'fmt':'e4m3','quant_method':'fp8'},"             \
    "'rope_scaling':{'factor':40,'type':'yarn'},'routed_scaling_factor':2.5,"                      \
    "'scoring_func':'sigmoid','seq_aux':true,'tie_word_embeddings':false,'topk_group':4,"          \
    "'topk_method':'noaux_tc','torch_dtype':'bfloat16','v_head_dim':128,'vocab_size':129280}"
#define VIT                                                                                        \
    "{'attention_probs_dropout_prob':0.0,'encoder_stride':16,'hidden_act':'gelu',"                 \
    "'hidden_dropout_prob':0.0,'hidden_size':1024,'image_size':224,'intermediate_size':4096,"      \
    "'layer_norm_eps':1e-12,'model_type':'vit','num_attention_heads':16,'num_channels':3,"         \
    "'num_hidden_layers':24,'patch_size':16,'qkv_bias':true,'num_labels':1000}"
#define FULL "'full_attention'"
#define SLIDING "'sliding_attention'"
#define CHUNKED "'chunked_attention'"
#define PAIR SLIDING "," FULL ","
#define PAIRS_6 PAIR PAIR PAIR PAIR PAIR PAIR
#define GPT_OSS                                                                                    \
    "{'attention_bias':true,'head_dim':64,'hidden_act':'silu','hidden_size':2880,"                 \
    "'initial_context_length':4096,'intermediate_size':2880,'layer_types':[" PAIRS_6 PAIRS_6 PAIR  \
        PAIR PAIR PAIR PAIR SLIDING "," FULL                                                       \
    "],'max_position_embeddings':131072,'model_type':'gpt_oss','num_attention_heads':64,"          \
    "'num_experts_per_tok':4,'num_hidden_layers':36,'num_key_value_heads':8,"                      \
    "'num_local_experts':128,'quantization_config':{'quant_method':'mxfp4'},"                      \
    "'experts_per_token':4,'sliding_window':128,'swiglu_limit':7.0,"                               \
    "'tie_word_embeddings':false,'vocab_size':201088}"

/** Writes @length bytes (-1: up to the end) of @json, with ' for ", to a new file. Returns:
 * (transfer full) its path. */
char *lp_config_write(const char *json, gssize length);

/** Imports @length bytes of @json, with ' for ". In an error the file's path becomes "FILE".
 * Returns: (transfer full), NULL with @error set. */
LpImport *lp_config_import(const char *json, gssize length,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** The keys that @import leaves out, between spaces. Returns: (transfer full). */
char *lp_config_rest(const LpImport *import);

/** @json with the first @from, which must be there, replaced by @to. Returns: (transfer full). */
char *lp_config_edited(const char *json, const char *from, const char *to);

/* Six layers; 'x' stands for what a row adds. */
#define LLAMA_4                                                                                    \
    "{'model_type':'llama4_text','hidden_act':'silu','hidden_size':5120,'intermediate_size':8192," \
    "'intermediate_size_mlp':16384,'num_hidden_layers':6,'num_local_experts':16,"                  \
    "'num_experts_per_tok':1,'torch_dtype':'bfloat16','x':0}"
#define OLMO_3                                                                                     \
    "{'model_type':'olmo3','hidden_act':'silu','hidden_size':4096,'intermediate_size':11008,"      \
    "'max_position_embeddings':8192,'num_attention_heads':32,'num_hidden_layers':8,"               \
    "'torch_dtype':'bfloat16','x':0}"

G_END_DECLS
