/* SPDX-License-Identifier: Apache-2.0 */
/* Configurations as published, the shapes that they mean, and the names that models get. */
#include "tests/workloads/huggingface_configs.h"

#include "tests/support/temporary.h"
#include "tests/testlib.h"

#include <glib/gstdio.h>

#include <string.h>

static char *
mapped_text(const LpImport *import)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < import->mapped->len; i++) {
        const LpImportRow *row = g_ptr_array_index(import->mapped, i);
        g_string_append_printf(text, "%s%s=%s", i > 0 ? " " : "", row->attribute, row->value);
    }
    return g_string_free(text, FALSE);
}

#define PLAN "tp=1 pp=1 dp=1 micro-batch=1 global-batch=1"

/* The configurations on huggingface.co, without what has no effect; parameters as the models' pages
 * or papers say, or counted from the shapes of the published weights. */
static const struct {
    const char *label, *json, *mapped, *rest;
    double parameters;
} published[] = {
    {"Llama-2-7b", LLAMA_2,
     "layers=32 hidden=4096 heads=32 kv-heads=32 ffn=11008 ffn-kind=swiglu seq=4096 vocab=32000 "
     "tied-embeddings=no positions=rotary norm=rmsnorm bias=no dropout=no attention=flash " PLAN
     " precision=fp16",
     "", 6738415616.0},
    {"Llama-3-8B",
     "{'hidden_act':'silu','hidden_size':4096,'intermediate_size':14336,"
     "'max_position_embeddings':8192,'model_type':'llama','num_attention_heads':32,"
     "'num_hidden_layers':32,'num_key_value_heads':8,'attention_bias':false,'mlp_bias':false,"
     "'rope_theta':500000.0,'torch_dtype':'bfloat16','vocab_size':128256}",
     "layers=32 hidden=4096 heads=32 kv-heads=8 ffn=14336 ffn-kind=swiglu seq=8192 vocab=128256 "
     "tied-embeddings=no positions=rotary norm=rmsnorm bias=no dropout=no attention=flash " PLAN
     " precision=bf16",
     "", 8030261248.0},
    {"Mistral-7B-v0.1",
     "{'hidden_act':'silu','hidden_size':4096,'intermediate_size':14336,"
     "'max_position_embeddings':32768,'model_type':'mistral','num_attention_heads':32,"
     "'num_hidden_layers':32,'num_key_value_heads':8,'sliding_window':4096,"
     "'tie_word_embeddings':false,'torch_dtype':'bfloat16','vocab_size':32000}",
     "layers=32 hidden=4096 heads=32 kv-heads=8 ffn=14336 ffn-kind=swiglu seq=8192 vocab=32000 "
     "tied-embeddings=no positions=rotary norm=rmsnorm bias=no dropout=no attention=flash "
     "window=4096 " PLAN " precision=bf16",
     "max_position_embeddings", 7241732096.0},
    {"Mixtral-8x7B", MIXTRAL,
     "layers=32 hidden=4096 heads=32 kv-heads=8 ffn=14336 ffn-kind=swiglu seq=8192 vocab=32000 "
     "tied-embeddings=no positions=rotary norm=rmsnorm bias=no dropout=no attention=flash "
     "experts=8 top-k=2 " PLAN " precision=bf16",
     "max_position_embeddings", 46702792704.0},
    {"gpt-neox-20b",
     "{'hidden_act':'gelu_fast','hidden_size':6144,'intermediate_size':24576,"
     "'layer_norm_eps':1e-05,'max_position_embeddings':2048,'model_type':'gpt_neox',"
     "'num_attention_heads':64,'num_hidden_layers':44,'rotary_emb_base':10000,"
     "'rotary_pct':0.25,'tie_word_embeddings':false,'torch_dtype':'float16','vocab_size':50432,"
     "'attention_dropout':0.0,'hidden_dropout':0.0}",
     "layers=44 hidden=6144 heads=64 ffn=24576 ffn-kind=gelu seq=2048 vocab=50432 "
     "tied-embeddings=no positions=rotary norm=layernorm bias=yes dropout=no parallel-blocks=yes "
     "attention=flash " PLAN " precision=fp16",
     "", 20554567680.0},
    {"gpt2",
     "{'activation_function':'gelu_new','attn_pdrop':0.1,'embd_pdrop':0.1,'model_type':'gpt2',"
     "'layer_norm_epsilon':1e-05,'n_ctx':1024,'n_embd':768,'n_head':12,'n_layer':12,"
     "'n_positions':1024,'resid_pdrop':0.1,'summary_type':'cls_index','vocab_size':50257}",
     "layers=12 hidden=768 heads=12 ffn=3072 ffn-kind=gelu seq=1024 vocab=50257 "
     "tied-embeddings=yes positions=learned norm=layernorm bias=yes dropout=yes "
     "attention=flash " PLAN,
     "torch_dtype", 124439808.0},
    {"Qwen2.5-7B",
     "{'hidden_act':'silu','hidden_size':3584,'intermediate_size':18944,"
     "'max_position_embeddings':131072,'max_window_layers':28,'model_type':'qwen2',"
     "'num_attention_heads':28,'num_hidden_layers':28,'num_key_value_heads':4,"
     "'sliding_window':131072,'tie_word_embeddings':false,'torch_dtype':'bfloat16',"
     "'use_mrope':false,'use_sliding_window':false,'vocab_size':152064}",
     "layers=28 hidden=3584 heads=28 kv-heads=4 ffn=18944 ffn-kind=swiglu seq=8192 vocab=152064 "
     "tied-embeddings=no positions=rotary norm=rmsnorm bias=qkv dropout=no attention=flash " PLAN
     " precision=bf16",
     "max_position_embeddings", 7615616512.0},
    {"Qwen3-8B",
     "{'attention_bias':false,'head_dim':128,'hidden_act':'silu','hidden_size':4096,"
     "'intermediate_size':12288,'max_position_embeddings':40960,'max_window_layers':36,"
     "'model_type':'qwen3','num_attention_heads':32,'num_hidden_layers':36,"
     "'num_key_value_heads':8,'sliding_window':null,'tie_word_embeddings':false,"
     "'dtype':'bfloat16','use_sliding_window':false,'vocab_size':151936}",
     "layers=36 hidden=4096 heads=32 kv-heads=8 ffn=12288 ffn-kind=swiglu seq=8192 vocab=151936 "
     "tied-embeddings=no positions=rotary norm=rmsnorm bias=no dropout=no head-norms=yes "
     "attention=flash " PLAN " precision=bf16",
     "max_position_embeddings model_type", 8190735360.0},
    {"Qwen3-30B-A3B", QWEN3_MOE,
     "layers=48 hidden=2048 heads=32 kv-heads=4 head-width=128 ffn=6144 ffn-kind=swiglu seq=8192 "
     "vocab=151936 tied-embeddings=no positions=rotary norm=rmsnorm bias=no dropout=no "
     "head-norms=yes attention=flash experts=128 top-k=8 expert-ffn=768 " PLAN " precision=bf16",
     "max_position_embeddings model_type", 30532122624.0},
    {"Qwen1.5-MoE-A2.7B",
     "{'decoder_sparse_step':1,'hidden_act':'silu','hidden_size':2048,'intermediate_size':5632,"
     "'max_position_embeddings':8192,'max_window_layers':21,'model_type':'qwen2_moe',"
     "'moe_intermediate_size':1408,'norm_topk_prob':false,'num_attention_heads':16,"
     "'num_experts':60,'num_experts_per_tok':4,'num_hidden_layers':24,'num_key_value_heads':16,"
     "'shared_expert_intermediate_size':5632,'sliding_window':32768,'tie_word_embeddings':false,"
     "'torch_dtype':'bfloat16','use_sliding_window':false,'vocab_size':151936}",
     "layers=24 hidden=2048 heads=16 kv-heads=16 ffn=5632 ffn-kind=swiglu seq=8192 vocab=151936 "
     "tied-embeddings=no positions=rotary norm=rmsnorm bias=qkv dropout=no attention=flash "
     "experts=60 top-k=4 expert-ffn=1408 shared-experts=4 " PLAN " precision=bf16",
     "model_type", 14315784192.0},
    {"DeepSeek-V3", DEEPSEEK_3,
     "layers=61 hidden=7168 heads=128 head-width=128 query-rank=1536 kv-rank=512 rope-width=64 "
     "value-width=128 ffn=18432 ffn-kind=swiglu seq=8192 vocab=129280 tied-embeddings=no "
     "positions=rotary norm=rmsnorm bias=no dropout=no attention=flash experts=256 top-k=8 "
     "expert-ffn=2048 shared-experts=1 dense-layers=3 expert-groups=8 group-limit=4 " PLAN
     " precision=bf16",
     "max_position_embeddings num_nextn_predict_layers quantization_config model_type",
     671026419200.0},
    {"DeepSeek-V2-Lite",
     "{'attention_bias':false,'first_k_dense_replace':1,'hidden_act':'silu','hidden_size':2048,"
     "'intermediate_size':10944,'kv_lora_rank':512,'max_position_embeddings':163840,"
     "'model_type':'deepseek_v2','moe_intermediate_size':1408,'moe_layer_freq':1,'n_group':1,"
     "'n_routed_experts':64,'n_shared_experts':2,'num_attention_heads':16,"
     "'num_experts_per_tok':6,'num_hidden_layers':27,'num_key_value_heads':16,"
     "'q_lora_rank':null,'qk_nope_head_dim':128,'qk_rope_head_dim':64,"
     "'tie_word_embeddings':false,'topk_group':1,'topk_method':'greedy',"
     "'torch_dtype':'bfloat16','v_head_dim':128,'vocab_size':102400}",
     "layers=27 hidden=2048 heads=16 head-width=128 query-rank=0 kv-rank=512 rope-width=64 "
     "value-width=128 ffn=10944 ffn-kind=swiglu seq=8192 vocab=102400 tied-embeddings=no "
     "positions=rotary norm=rmsnorm bias=no dropout=no attention=flash experts=64 top-k=6 "
     "expert-ffn=1408 shared-experts=2 dense-layers=1 " PLAN " precision=bf16",
     "max_position_embeddings", 15706484224.0},
    {"ViT-Large", VIT,
     "layers=24 hidden=1024 heads=16 ffn=4096 ffn-kind=gelu patch=16 channels=3 seq=197 vocab=1000 "
     "kind=encoder tied-embeddings=no positions=learned norm=layernorm bias=yes dropout=no "
     "attention=flash " PLAN,
     "image_size torch_dtype", 304326632.0},
    {"gpt-oss-120b", GPT_OSS,
     "layers=36 hidden=2880 heads=64 kv-heads=8 head-width=64 ffn=2880 ffn-kind=swiglu seq=4096 "
     "vocab=201088 tied-embeddings=no positions=rotary norm=rmsnorm bias=yes dropout=no "
     "clamped-activation=yes attention=flash window=128 window-every=2 experts=128 top-k=4 " PLAN,
     "max_position_embeddings torch_dtype quantization_config model_type", 116829156672.0},
    {"opt-6.7b",
     "{'activation_dropout':0.0,'activation_function':'relu','dropout':0.1,'ffn_dim':16384,"
     "'hidden_size':4096,'max_position_embeddings':2048,'model_type':'opt',"
     "'num_attention_heads':32,'num_hidden_layers':32,'torch_dtype':'float16','vocab_size':50272,"
     "'word_embed_proj_dim':4096,'do_layer_norm_before':true,'layerdrop':0.0}",
     "layers=32 hidden=4096 heads=32 ffn=16384 ffn-kind=gelu seq=2048 vocab=50272 "
     "tied-embeddings=yes positions=learned norm=layernorm bias=yes dropout=yes "
     "attention=flash " PLAN " precision=fp16",
     "activation_function", 6658473984.0},
    {"bloom",
     "{'apply_residual_connection_post_layernorm':false,'attention_dropout':0.0,"
     "'hidden_dropout':0.0,'hidden_size':14336,'model_type':'bloom','n_layer':70,"
     "'num_attention_heads':112,'offset_alibi':100,'seq_length':2048,'vocab_size':250880,"
     "'torch_dtype':'bfloat16'}",
     "layers=70 hidden=14336 heads=112 ffn=57344 ffn-kind=gelu seq=2048 vocab=250880 "
     "tied-embeddings=yes positions=rotary norm=layernorm bias=yes dropout=no "
     "attention=flash " PLAN " precision=bf16",
     "model_type model_type", 176247271424.0},
    {"falcon-7b",
     "{'alibi':false,'bias':false,'hidden_dropout':0.0,'hidden_size':4544,'model_type':'falcon',"
     "'multi_query':true,'new_decoder_architecture':false,'num_attention_heads':71,"
     "'num_hidden_layers':32,'parallel_attn':true,'torch_dtype':'bfloat16','vocab_size':65024}",
     "layers=32 hidden=4544 heads=71 kv-heads=1 ffn=18176 ffn-kind=gelu seq=2048 vocab=65024 "
     "tied-embeddings=yes positions=rotary norm=layernorm bias=no dropout=no parallel-blocks=yes "
     "attention=flash " PLAN " precision=bf16",
     "", 6921720704.0},
    /* Norms behind the blocks included; the same with the sums of their pages: 9.24, 3.88 (text),
     * 14.7, 107.8 and 400.7 billion. */
    {"gemma-2-9b",
     "{'attention_bias':false,'attn_logit_softcapping':50.0,'cache_implementation':'hybrid',"
     "'final_logit_softcapping':30.0,'head_dim':256,'hidden_act':'gelu_pytorch_tanh',"
     "'hidden_activation':'gelu_pytorch_tanh','hidden_size':3584,'intermediate_size':14336,"
     "'max_position_embeddings':8192,'model_type':'gemma2','num_attention_heads':16,"
     "'num_hidden_layers':42,'num_key_value_heads':8,'query_pre_attn_scalar':256,"
     "'rope_theta':10000.0,'sliding_window':4096,'torch_dtype':'float32','vocab_size':256000}",
     "layers=42 hidden=3584 heads=16 kv-heads=8 head-width=256 ffn=14336 ffn-kind=swiglu seq=8192 "
     "vocab=256000 tied-embeddings=yes positions=rotary norm=rmsnorm bias=no dropout=no "
     "attention=flash window=4096 window-every=2 " PLAN " precision=fp32",
     "hidden_activation model_type", 9241705984.0},
    {"gemma-3-4b",
     "{'boi_token_index':255999,'eoi_token_index':256000,'image_token_index':262144,"
     "'mm_tokens_per_image':256,'model_type':'gemma3','text_config':{'hidden_size':2560,"
     "'intermediate_size':10240,'model_type':'gemma3_text','num_hidden_layers':34,"
     "'rope_scaling':{'factor':8.0,'rope_type':'linear'},'sliding_window':1024},"
     "'torch_dtype':'bfloat16','vision_config':{'hidden_size':1152,'num_hidden_layers':27}}",
     "layers=34 hidden=2560 heads=8 kv-heads=4 head-width=256 ffn=10240 ffn-kind=swiglu seq=8192 "
     "vocab=262208 tied-embeddings=yes positions=rotary norm=rmsnorm bias=no dropout=no "
     "attention=flash window=1024 "
     "layer-pattern=5*window+1*full " PLAN " precision=bf16",
     "max_position_embeddings vision_config model_type", 3880263168.0},
    {"phi-4",
     "{'attention_bias':false,'attention_dropout':0.0,'embd_pdrop':0.0,'hidden_act':'silu',"
     "'hidden_size':5120,'intermediate_size':17920,'max_position_embeddings':16384,"
     "'model_type':'phi3','num_attention_heads':40,'num_hidden_layers':40,"
     "'num_key_value_heads':10,'original_max_position_embeddings':16384,'resid_pdrop':0.0,"
     "'rope_scaling':null,'rope_theta':250000,'sliding_window':null,"
     "'tie_word_embeddings':false,'torch_dtype':'bfloat16','vocab_size':100352}",
     "layers=40 hidden=5120 heads=40 kv-heads=10 ffn=17920 ffn-kind=swiglu seq=8192 vocab=100352 "
     "tied-embeddings=no positions=rotary norm=rmsnorm bias=no dropout=no attention=flash " PLAN
     " precision=bf16",
     "max_position_embeddings", 14659507200.0},
    {"Llama-4-Scout",
     "{'model_type':'llama4','text_config':{'attention_bias':false,'attention_chunk_size':8192,"
     "'head_dim':128,'hidden_act':'silu','hidden_size':5120,'interleave_moe_layer_step':1,"
     "'intermediate_size':8192,'intermediate_size_mlp':16384,'max_position_embeddings':10485760,"
     "'model_type':'llama4_text','num_attention_heads':40,'num_experts_per_tok':1,"
     "'num_hidden_layers':48,'num_key_value_heads':8,'num_local_experts':16,"
     "'torch_dtype':'bfloat16','use_qk_norm':true,'vocab_size':202048},"
     "'torch_dtype':'bfloat16','vision_config':{'hidden_size':1408}}",
     "layers=48 hidden=5120 heads=40 kv-heads=8 ffn=16384 ffn-kind=swiglu seq=8192 "
     "vocab=202048 tied-embeddings=no positions=rotary norm=rmsnorm bias=no dropout=no "
     "attention=flash chunk=8192 layer-pattern=3*chunk+1*full experts=16 top-k=1 expert-ffn=8192 "
     "shared-experts=1 " PLAN " precision=bf16",
     "max_position_embeddings vision_config model_type", 107769861120.0},
    {"Llama-4-Maverick",
     "{'hidden_act':'silu','hidden_size':5120,'interleave_moe_layer_step':2,"
     "'intermediate_size':8192,'intermediate_size_mlp':16384,'max_position_embeddings':1048576,"
     "'model_type':'llama4_text','num_attention_heads':40,'num_experts_per_tok':1,"
     "'num_hidden_layers':48,'num_key_value_heads':8,'num_local_experts':128,"
     "'torch_dtype':'bfloat16','vocab_size':202048}",
     "layers=48 hidden=5120 heads=40 kv-heads=8 ffn=16384 ffn-kind=swiglu seq=8192 "
     "vocab=202048 tied-embeddings=no positions=rotary norm=rmsnorm bias=no dropout=no "
     "attention=flash chunk=8192 layer-pattern=3*chunk+1*full experts=128 top-k=1 expert-ffn=8192 "
     "shared-experts=1 expert-every=2 " PLAN " precision=bf16",
     "max_position_embeddings model_type", 400711848960.0},
};

static void
test_published(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(published); i++) {
        const char *label = published[i].label;
        g_autoptr(GError) error = NULL;
        g_autoptr(LpImport) import = lp_config_import(published[i].json, -1, &error);
        lp_test_text(label, error != NULL ? error->message : NULL, NULL);
        if (import == NULL)
            continue;
        g_autofree char *mapped = mapped_text(import), *rest = lp_config_rest(import);
        lp_test_text(label, mapped, published[i].mapped);
        lp_test_text(label, rest, published[i].rest);
    }
}

/* Norms of queries, sinks and the like are left out, and falcon-7b has one norm a layer: all of it
 * below 1e-4. */
static void
test_parameters(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(published); i++) {
        const char *label = published[i].label;
        g_autoptr(GError) error = NULL;
        g_autoptr(LpImport) import = lp_config_import(published[i].json, -1, &error);
        g_autoptr(LpWorkload) workload =
            import != NULL ? lp_import_workload(import, "model.json", &error) : NULL;
        lp_test_text(label, error != NULL ? error->message : NULL, NULL);
        if (workload != NULL)
            lp_test_close(label, lp_transformer_parameters(&workload->transformer),
                          published[i].parameters, 1e-4);
    }
}

/* What is written reads back to the same workload. */
static void
test_round_trip(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(published); i++) {
        const char *label = published[i].label;
        g_autoptr(GError) error = NULL;
        g_autoptr(LpImport) import = lp_config_import(published[i].json, -1, &error);
        g_autoptr(LpWorkload) made =
            import != NULL ? lp_import_workload(import, "model.json", &error) : NULL;
        lp_test_text(label, error != NULL ? error->message : NULL, NULL);
        if (made == NULL)
            continue;
        g_autofree char *xml = lp_import_to_xml(import);
        char *path = lp_config_write(xml, -1);
        g_autoptr(LpWorkload) read = lp_workload_load(path, NULL, &error);
        lp_test_text(label, error != NULL ? error->message : NULL, NULL);
        const char *name = NULL;
        guint k = 0;
        for (; read != NULL; k++) {
            g_autofree char *got = lp_workload_attribute(read, k, &name);
            g_autofree char *wanted = lp_workload_attribute(made, k, &name);
            if (wanted == NULL)
                break;
            lp_test_text(name, got, wanted);
        }
        lp_test_true("attributes", k > 0);
        lp_temporary_remove(path);
    }
}

/* No name breaks the XML. */
static void
test_names(void)
{
    static const struct {
        const char *given, *name;
    } rows[] = {{"meta-llama/Llama-2-7b-hf", "Llama-2-7b-hf"},
                {"a<b>&\\\"c", "a<b>&\"c"},
                {"-->--", "-->--"},
                {"]]>", "]]>"},
                {"tab\\there\\u0001\\uffff", "tab here??"},
                {"\\u00e9", "\xc3\xa9"}};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *json =
            lp_config_edited(LLAMA_2, "meta-llama/Llama-2-7b-hf", rows[i].given);
        g_autofree char *odd = g_strdup_printf("'%s':'%s'", rows[i].given, rows[i].given);
        g_autofree char *whole = lp_config_edited(json, "'rope_scaling':null", odd);
        g_autoptr(GError) error = NULL;
        g_autoptr(LpImport) import = lp_config_import(whole, -1, &error);
        lp_test_text(rows[i].given, error != NULL ? error->message : NULL, NULL);
        if (import == NULL)
            continue;
        lp_test_text(rows[i].given, import->name, rows[i].name);
        lp_test_true("left out", import->rest->len == 1);
        g_autofree char *xml = lp_import_to_xml(import);
        const char *begin = strstr(xml, "<!--");
        const char *end = begin != NULL ? strstr(begin, "-->") : NULL;
        lp_test_true("comment",
                     end != NULL && g_strstr_len(begin + 4, end - begin - 4, "--") == NULL);
        lp_test_true("second", end != NULL && strstr(end + 3, "--") == NULL);
        char *path = lp_config_write(xml, -1);
        g_autoptr(LpWorkload) workload = lp_workload_load(path, NULL, &error);
        lp_test_text(rows[i].given, error != NULL ? error->message : NULL, NULL);
        lp_test_text(rows[i].given, workload != NULL ? workload->name : NULL, rows[i].name);
        lp_temporary_remove(path);
    }
}

/* Without _name_or_path the file's name, or its folder's. */
static void
test_file_names(void)
{
    static const struct {
        const char *file, *name;
    } rows[] = {{"big-model.json", "big-model"}, {"config.json", "llama-folder"}};
    g_autofree char *base = g_dir_make_tmp("lightpath-test-XXXXXX", NULL);
    g_autofree char *folder = g_build_filename(base, "llama-folder", NULL);
    lp_test_true("folder", g_mkdir(folder, 0700) == 0);
    g_autofree char *json = lp_config_edited(LLAMA_2, "meta-llama/Llama-2-7b-hf", "");
    g_strdelimit(json, "'", '"');
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *path = g_build_filename(folder, rows[i].file, NULL);
        lp_test_true("write", g_file_set_contents(path, json, -1, NULL));
        g_autoptr(LpImport) import = lp_huggingface_import(path, NULL);
        lp_test_text(rows[i].file, import != NULL ? import->name : NULL, rows[i].name);
        (void)g_unlink(path);
    }
    (void)g_rmdir(folder);
    (void)g_rmdir(base);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"published", test_published},   {"parameters", test_parameters},
        {"round trip", test_round_trip}, {"names", test_names},
        {"file names", test_file_names}, {NULL, NULL}};
    return lp_test_run("huggingface", cases);
}
