/* SPDX-License-Identifier: Apache-2.0 */
/* What single keys of a configuration mean, and every kind of fault in one. */
#include "tests/workloads/huggingface_configs.h"

#include "base/error.h"
#include "base/json.h"
#include "tests/testlib.h"

/* @json with ' for ", of keys that are there twice the last. Returns: (transfer full). */
static char *
without_repeats(const char *json)
{
    g_autofree char *text = g_strdup(json);
    g_autoptr(json_t) node = json_loads(g_strdelimit(text, "'", '"'), 0, NULL);
    lp_test_true(json, node != NULL);
    return lp_json_print_line(node);
}

/* What a changed key changes: an attribute as it comes to be, NULL if it goes. */
/* Whose longest sequence is longer than people train at says so first (test_huggingface.c). */
static const char *
without_length(const char *rest)
{
    static const char key[] = "max_position_embeddings";
    const char *begin = g_str_has_prefix(rest, key) ? rest + strlen(key) : rest;
    return begin + (*begin == ' ' ? 1 : 0);
}

static void
test_keys(void)
{
    static const struct {
        const char *json, *from, *to, *attribute, *value, *rest;
    } rows[] = {
        {LLAMA_2, "'num_key_value_heads':32,", "", "kv-heads", "32", ""},
        {LLAMA_2, "'rope_scaling':null", "'attention_bias':true", "bias", "qkv", "attention_bias"},
        {LLAMA_2, "'rope_scaling':null", "'attention_bias':true,'mlp_bias':true", "bias", "yes",
         ""},
        {LLAMA_2, "'rope_scaling':null", "'mlp_bias':true", "bias", "yes", "attention_bias"},
        {LLAMA_2, "'rope_scaling':null", "'head_dim':64", "head-width", "64", ""},
        {LLAMA_2, "'rope_scaling':null", "'head_dim':128", "head-width", NULL, ""},
        {LLAMA_2, "'rope_scaling':null", "'head_dim':null", "head-width", NULL, ""},
        {LLAMA_2, "'rope_scaling':null", "'altup_num_inputs':4", "heads", "32", "altup_num_inputs"},
        {LLAMA_2, "'rope_scaling':null", "'altup_num_inputs':null", "heads", "32", ""},
        {LLAMA_2, "'rope_scaling':null", "'quantization_config':{}", "heads", "32", ""},
        {LLAMA_2, "'rope_scaling':null", "'is_encoder_decoder':true", "heads", "32",
         "is_encoder_decoder"},
        {LLAMA_2, "'rope_scaling':null", "'pruned_heads':{'1':[2]}", "heads", "32", "pruned_heads"},
        {LLAMA_2, "'silu'", "'gelu'", "ffn-kind", "swiglu", "hidden_act"},
        {LLAMA_2, "'tie_word_embeddings':false", "'tie_word_embeddings':true", "tied-embeddings",
         "yes", ""},
        {LLAMA_2, "'float16'", "'float64'", "precision", NULL, "torch_dtype"},
        {LLAMA_2, "'float16'", "'float32'", "precision", "fp32", ""},
        {LLAMA_2, "'float16'", "null", "precision", NULL, "torch_dtype"},
        {MIXTRAL, "'sliding_window':null", "'sliding_window':4096", "window", "4096", ""},
        {MIXTRAL, "'sliding_window':null", "'sliding_window':32768", "window", NULL, ""},
        {QWEN3_MOE, "'mlp_only_layers':[]", "'mlp_only_layers':[1,0]", "dense-layers", "2",
         "model_type"},
        {QWEN3_MOE, "'mlp_only_layers':[]", "'mlp_only_layers':[0,5]", "dense-layers", "1",
         "mlp_only_layers model_type"},
        {QWEN3_MOE, "'decoder_sparse_step':1", "'decoder_sparse_step':2", "expert-every", "2",
         "model_type"},
        {QWEN3_MOE, "'decoder_sparse_step':1", "'decoder_sparse_step':2", "dense-layers", NULL,
         "model_type"},
        {QWEN3_MOE, "'decoder_sparse_step':1", "'decoder_sparse_step':49", "experts", NULL,
         "model_type"},
        {QWEN3_MOE, "'num_experts':128", "'num_experts':0", "experts", NULL, "model_type"},
        {MIXTRAL, "'model_type':'mixtral'", "'model_type':'mistral','_sliding_window_pattern':4",
         "window", NULL, "_sliding_window_pattern num_experts_per_tok num_local_experts"},
        {QWEN3_MOE, "'sliding_window':null,", "'sliding_window':4096,", "window", NULL,
         "model_type"},
        {QWEN3_MOE,
         "'sliding_window':null,'tie_word_embeddings':false,'torch_dtype':'bfloat16',"
         "'use_sliding_window':false",
         "'max_window_layers':0,'use_sliding_window':true,'sliding_window':4096", "window", "4096",
         "torch_dtype model_type"},
        {QWEN3_MOE,
         "'sliding_window':null,'tie_word_embeddings':false,'torch_dtype':'bfloat16',"
         "'use_sliding_window':false",
         "'max_window_layers':9,'use_sliding_window':true,'sliding_window':4096", "layer-pattern",
         "9*full+39*window", "torch_dtype model_type"},
        {DEEPSEEK_3, "'moe_layer_freq':1", "'moe_layer_freq':2,'first_k_dense_replace':0",
         "dense-layers", NULL,
         "moe_layer_freq num_nextn_predict_layers quantization_config model_type"},
        {DEEPSEEK_3, "'moe_layer_freq':1", "'moe_layer_freq':2", "dense-layers", "3",
         "num_nextn_predict_layers quantization_config model_type"},
        {DEEPSEEK_3, "'moe_layer_freq':1", "'moe_layer_freq':2", "expert-every", "2",
         "num_nextn_predict_layers quantization_config model_type"},
        {DEEPSEEK_3, "'topk_method':'noaux_tc'", "'topk_method':'greedy'", "expert-groups", NULL,
         "num_nextn_predict_layers quantization_config model_type"},
        {DEEPSEEK_3, "'topk_method':'noaux_tc',", "", "group-limit", "4",
         "num_nextn_predict_layers quantization_config model_type"},
        {DEEPSEEK_3, "'topk_method':'noaux_tc'", "'model_type':'deepseek_v2'", "group-limit", NULL,
         "num_nextn_predict_layers quantization_config"},
        {DEEPSEEK_3, "'n_routed_experts':256", "'n_routed_experts':null", "experts", NULL,
         "num_nextn_predict_layers quantization_config model_type"},
        {VIT, "'num_labels':1000", "'id2label':{'0':'cat','1':'dog'}", "vocab", "2",
         "image_size torch_dtype"},
        {VIT, ",'num_labels':1000", "", "vocab", "1000", "image_size id2label torch_dtype"},
        {GPT_OSS, "'sliding_window':128", "'sliding_window':null", "window", NULL,
         "torch_dtype quantization_config model_type"},
        {GPT_OSS, "'sliding_window':128,", "", "window", "128",
         "torch_dtype quantization_config model_type"},
        {LLAMA_4, "'x':0", "'no_rope_layers':[]", "layer-pattern", "3*chunk+1*full", "model_type"},
        {LLAMA_4, "'x':0", "'no_rope_layer_interval':3", "layer-pattern", "2*chunk+1*full",
         "model_type"},
        {LLAMA_4, "'x':0", "'no_rope_layers':[0,1,1,0,1,1]", "layer-pattern", "1*full+2*chunk",
         "model_type"},
        {LLAMA_4, "'x':0",
         "'layer_types':[" CHUNKED "," CHUNKED "," CHUNKED "," CHUNKED "," CHUNKED "," CHUNKED "]",
         "layer-pattern", NULL, "model_type"},
        {LLAMA_4, "'x':0", "'attention_chunk_size':4096", "chunk", "4096", "model_type"},
        {LLAMA_4, "'x':0", "'attention_chunk_size':null", "chunk", NULL, "model_type"},
        {LLAMA_4, "'x':0", "'attention_chunk_size':131072", "layer-pattern", NULL, "model_type"},
        {OLMO_3, "'x':0", "'sliding_window':4096", "layer-pattern", "3*window+1*full",
         "model_type"},
        {OLMO_3, "'x':0", "'sliding_window':null", "layer-pattern", NULL, "model_type"},
        {GPT_OSS, "'layer_types':[" PAIR, "'layer_types':[" SLIDING "," SLIDING ",", "window",
         "128", "torch_dtype quantization_config model_type"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *changed = lp_config_edited(rows[i].json, rows[i].from, rows[i].to);
        g_autofree char *json = without_repeats(changed);
        g_autoptr(GError) error = NULL;
        g_autoptr(LpImport) import = lp_config_import(json, -1, &error);
        lp_test_text(rows[i].to, error != NULL ? error->message : NULL, NULL);
        if (import == NULL)
            continue;
        g_autofree char *rest = lp_config_rest(import);
        lp_test_text(rows[i].to, lp_import_value(import, rows[i].attribute), rows[i].value);
        lp_test_text(rows[i].to, without_length(rest), rows[i].rest);
    }
}

static void
test_faults(void)
{
    static const struct {
        const char *json, *from, *to;
        int code;
        const char *part;
    } rows[] = {
        {MIXTRAL, "'model_type':'mixtral',", "", LP_INPUT_ERROR_VALUE,
         "FILE: model_type: got none, wanted one such as \"llama\""},
        {MIXTRAL, "'mixtral'", "'mixtrel'", LP_INPUT_ERROR_NAME,
         "FILE: model_type: \"mixtrel\" is not one of bamba, "},
        {MIXTRAL, "'mixtral'", "'mixtrel'", LP_INPUT_ERROR_NAME, "the nearest is mixtral"},
        {LLAMA_2, "'llama'", "7", LP_INPUT_ERROR_VALUE, "model_type: got 7, wanted a text"},
        {LLAMA_2, "'num_hidden_layers':32,", "", LP_INPUT_ERROR_VALUE,
         "FILE: num_hidden_layers: got none, wanted a whole number from 1 to 16777216"},
        {LLAMA_2, "'num_hidden_layers':32", "'num_hidden_layers':null", LP_INPUT_ERROR_VALUE,
         "num_hidden_layers: got null, wanted"},
        {LLAMA_2, "'intermediate_size':11008,", "", LP_INPUT_ERROR_VALUE,
         "intermediate_size: got none"},
        {LLAMA_2, "'num_hidden_layers':32", "'num_hidden_layers':0", LP_INPUT_ERROR_VALUE,
         "num_hidden_layers: got 0"},
        {LLAMA_2, "'num_hidden_layers':32", "'num_hidden_layers':-32", LP_INPUT_ERROR_VALUE,
         "num_hidden_layers: got -32"},
        {LLAMA_2, "'num_hidden_layers':32", "'num_hidden_layers':16777217", LP_INPUT_ERROR_VALUE,
         "num_hidden_layers: got 16777217"},
        {LLAMA_2, "'num_hidden_layers':32", "'num_hidden_layers':3.5", LP_INPUT_ERROR_VALUE,
         "num_hidden_layers: got 3.5"},
        {LLAMA_2, "'num_hidden_layers':32", "'num_hidden_layers':'32'", LP_INPUT_ERROR_VALUE,
         "num_hidden_layers: got \"32\""},
        {LLAMA_2, "'num_hidden_layers':32", "'num_hidden_layers':[32]", LP_INPUT_ERROR_VALUE,
         "num_hidden_layers: got [32]"},
        {LLAMA_2, "'num_hidden_layers':32", "'num_hidden_layers':{}", LP_INPUT_ERROR_VALUE,
         "num_hidden_layers: got {}"},
        {LLAMA_2, "'num_hidden_layers':32", "'num_hidden_layers':true", LP_INPUT_ERROR_VALUE,
         "num_hidden_layers: got true"},
        {LLAMA_2, "'num_hidden_layers':32", "'num_hidden_layers':18446744073709551648",
         LP_INPUT_ERROR_SYNTAX, "FILE:1: got no JSON (too big integer near"},
        {LLAMA_2, "'num_hidden_layers':32", "'num_hidden_layers':1e999", LP_INPUT_ERROR_SYNTAX,
         "real number overflow near '1e999'"},
        {LLAMA_2, "'num_hidden_layers':32", "'num_hidden_layers':NaN", LP_INPUT_ERROR_SYNTAX,
         "invalid token near 'NaN'"},
        {LLAMA_2, "'num_hidden_layers':32", "'num_hidden_layers':-Infinity", LP_INPUT_ERROR_VALUE,
         "num_hidden_layers: got -Infinity, wanted a whole number"},
        {LLAMA_2, "'num_hidden_layers':32", "'num_hidden_layers':[1,Infinity]",
         LP_INPUT_ERROR_VALUE, "num_hidden_layers: got [1,Infinity], wanted a whole number"},
        {LLAMA_2, "'num_hidden_layers':32", "'num_hidden_layers':Infinitely", LP_INPUT_ERROR_SYNTAX,
         "FILE:1: got no JSON"},
        {DEEPSEEK_3, "'moe_layer_freq':1", "'moe_layer_freq':[0,1]", LP_INPUT_ERROR_VALUE,
         "moe_layer_freq: got [0,1], wanted 0 or 1 for each layer"},
        {LLAMA_2, "'num_hidden_layers':32", "'num_hidden_layers':0x20", LP_INPUT_ERROR_SYNTAX,
         "expected near 'x'"},
        {LLAMA_2, "'num_hidden_layers':32", "'num_hidden_layers':032", LP_INPUT_ERROR_SYNTAX,
         "invalid token near '0'"},
        {LLAMA_2, "'num_hidden_layers':32", "'num_hidden_layers'32", LP_INPUT_ERROR_SYNTAX,
         "FILE:1:"},
        {LLAMA_2, "'num_hidden_layers':32", "\n/* many */'num_hidden_layers':32",
         LP_INPUT_ERROR_SYNTAX, "FILE:2: got no JSON (string or '}' expected near '/')"},
        {LLAMA_2, "'num_hidden_layers'", "'num_hidden\nlayers'", LP_INPUT_ERROR_SYNTAX,
         "unexpected newline"},
        {LLAMA_2, "'num_hidden_layers'", "\xff", LP_INPUT_ERROR_SYNTAX,
         "unable to decode byte 0xff), wanted JSON in UTF-8"},
        {LLAMA_2, "'tie_word_embeddings':false", "'tie_word_embeddings':0", LP_INPUT_ERROR_VALUE,
         "tie_word_embeddings: got 0, wanted true or false"},
        {LLAMA_2, "'rope_scaling':null", "'attention_bias':'yes'", LP_INPUT_ERROR_VALUE,
         "attention_bias: got \"yes\""},
        {LLAMA_2, "'rope_scaling':null", "'head_dim':0", LP_INPUT_ERROR_VALUE, "head_dim: got 0"},
        {LLAMA_2, "'float16'", "16", LP_INPUT_ERROR_VALUE, "torch_dtype: got 16, wanted a text"},
        {LLAMA_2, "'meta-llama/Llama-2-7b-hf'", "5", LP_INPUT_ERROR_VALUE, "_name_or_path: got 5"},
        {MIXTRAL, "'num_key_value_heads':8,", "", LP_INPUT_ERROR_VALUE,
         "num_key_value_heads: got none"},
        {MIXTRAL, "'num_local_experts':8,", "", LP_INPUT_ERROR_VALUE,
         "num_local_experts: got none"},
        {MIXTRAL, "'num_experts_per_tok':2", "'num_experts_per_tok':9", LP_INPUT_ERROR_VALUE,
         "num_experts_per_tok: got 9, wanted at most num_local_experts (8)"},
        {MIXTRAL, "'sliding_window':null", "'sliding_window':-1", LP_INPUT_ERROR_VALUE,
         "sliding_window: got -1"},
        {QWEN3_MOE, "'mlp_only_layers':[]", "'mlp_only_layers':[48]", LP_INPUT_ERROR_VALUE,
         "mlp_only_layers: got [48], wanted indices"},
        {QWEN3_MOE, "'mlp_only_layers':[]", "'mlp_only_layers':{}", LP_INPUT_ERROR_VALUE,
         "mlp_only_layers: got {}, wanted a list"},
        {DEEPSEEK_3, "'topk_group':4", "'topk_group':9", LP_INPUT_ERROR_VALUE,
         "topk_group: got 9, wanted at most n_group"},
        {DEEPSEEK_3, "'n_group':8", "'n_group':7", LP_INPUT_ERROR_VALUE,
         "n_group: got 7, wanted a divisor"},
        {DEEPSEEK_3, "'kv_lora_rank':512,", "", LP_INPUT_ERROR_VALUE, "kv_lora_rank: got none"},
        {VIT, "'patch_size':16", "'patch_size':225", LP_INPUT_ERROR_VALUE,
         "patch_size: got 225, wanted at most image_size"},
        {VIT, "'image_size':224", "'image_size':16777216", LP_INPUT_ERROR_VALUE,
         "image_size: got 16777216"},
        {VIT, "'image_size':224", "'image_size':[224,224]", LP_INPUT_ERROR_VALUE,
         "image_size: got [224,224]"},
        {VIT, "'num_labels':1000", "'id2label':['cat']", LP_INPUT_ERROR_VALUE, "id2label: got ["},
        {GPT_OSS, "'layer_types':[" PAIR, "'layer_types':[", LP_INPUT_ERROR_VALUE,
         "layer_types: got ["},
        {GPT_OSS, "'layer_types':[" SLIDING, "'layer_types':['chunked'", LP_INPUT_ERROR_VALUE,
         "wanted \"full_attention\", \"sliding_attention\" or \"chunked_attention\" for each "
         "layer"},
        {"{'model_type':'gpt2','resid_pdrop':1.5,'n_layer':1,'n_embd':8,'n_head':1,"
         "'n_positions':8,'vocab_size':8}",
         "'n_layer'", "'n_layer'", LP_INPUT_ERROR_VALUE,
         "resid_pdrop: got 1.5, wanted a number from 0 to 1"},
        {"{'model_type':'gpt2','n_layer':1,'n_embd':8388608,'n_head':1}", "'n_layer'", "'n_layer'",
         LP_INPUT_ERROR_VALUE, "n_embd: got 8388608, wanted at most 4194304"},
        {"[]", "[", "[", LP_INPUT_ERROR_SYNTAX, "FILE: got a list, wanted a JSON object"},
        {"7", "7", "7", LP_INPUT_ERROR_SYNTAX, "FILE: got a value, wanted a JSON object"},
        {" ", " ", "", LP_INPUT_ERROR_SYNTAX, "FILE"},
        {"{}", "{", "{", LP_INPUT_ERROR_VALUE, "model_type: got none"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *json = lp_config_edited(rows[i].json, rows[i].from, rows[i].to);
        g_autoptr(GError) error = NULL;
        g_autoptr(LpImport) import = lp_config_import(json, -1, &error);
        lp_test_true(rows[i].to, import == NULL);
        lp_test_error(rows[i].to, &error, LP_INPUT_ERROR, rows[i].code, rows[i].part);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"keys", test_keys}, {"faults", test_faults}, {NULL, NULL}};
    return lp_test_run("reader", cases);
}
