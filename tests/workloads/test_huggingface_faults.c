/* SPDX-License-Identifier: Apache-2.0 */
/* Every kind of fault in a configuration is refused, in one line. */
#include "base/error.h"
#include "tests/testlib.h"
#include "tests/workloads/configurations.h"

#include <string.h>

static void
test_faults(void)
{
    static const struct {
        const char *json, *from, *to;
        int code;
        const char *part;
    } rows[] = {
        {LLAMA_2, "'model_type':'llama',", "", LP_INPUT_ERROR_VALUE,
         "FILE: model_type: got none, wanted one such as \"llama\""},
        {LLAMA_2, "'llama'", "'lama'", LP_INPUT_ERROR_NAME,
         "FILE: model_type: \"lama\" is not one of bloom, "},
        {LLAMA_2, "'llama'", "'lama'", LP_INPUT_ERROR_NAME, "the nearest is llama"},
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
        {LLAMA_2, "'num_hidden_layers':32", "'num_hidden_layers':-Infinity", LP_INPUT_ERROR_SYNTAX,
         "invalid token near '-'"},
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
        {LLAMA_2, "'num_hidden_layers':32", "'num_hidden_layers':32,\n'num_hidden_layers':33",
         LP_INPUT_ERROR_SYNTAX, "FILE:2: got no JSON (duplicate object key near"},
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
         "wanted \"sliding_attention\" or \"full_attention\" for each layer"},
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
        g_autofree char *json = lp_configuration_edit(rows[i].json, rows[i].from, rows[i].to);
        g_autoptr(GError) error = NULL;
        g_autoptr(LpImport) import = lp_configuration_import(json, -1, &error);
        lp_test_true(rows[i].to, import == NULL);
        lp_test_error(rows[i].to, &error, LP_INPUT_ERROR, rows[i].code, rows[i].part);
    }
}

/* What would be too much for the parser. */
static void
test_too_much(void)
{
    g_autofree char *deep = g_strnfill(100000, '[');
    g_autofree char *hidden = g_strconcat("{\"a\\\"\": \"[\", \"b\":", deep, NULL);
    g_autofree char *big = g_strnfill((16u << 20) + 1, ' ');
    const struct {
        const char *label, *text;
        int code;
        const char *part;
    } rows[] = {
        {"deep", deep, LP_INPUT_ERROR_SYNTAX, "maximum parsing depth reached"},
        {"deep behind a text", hidden, LP_INPUT_ERROR_SYNTAX, "maximum parsing depth reached"},
        {"big", big, LP_INPUT_ERROR_FILE, "got 16777217 bytes, wanted at most 16777216 (16 MiB)"}};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(LpImport) import = lp_configuration_import(rows[i].text, -1, &error);
        lp_test_true(rows[i].label, import == NULL);
        lp_test_error(rows[i].label, &error, LP_INPUT_ERROR, rows[i].code, rows[i].part);
    }
    g_autoptr(GError) error = NULL;
    g_autoptr(LpImport) missing = lp_huggingface_import("no-such.json", &error);
    lp_test_true("missing", missing == NULL);
    lp_test_error("missing", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_FILE, "no-such.json: ");
    g_autoptr(LpImport) folder = lp_huggingface_import("/", &error);
    lp_test_true("folder", folder == NULL);
    lp_test_error("folder", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_FILE, "/: ");
}

/* Any prefix, and any text with some bytes changed: an import or one line. */
static void
test_mangled(void)
{
    static const char *const texts[] = {LLAMA_2, QWEN3_MOE, DEEPSEEK_3, VIT, GPT_OSS};
    static const char bytes[] = "{}[]:,'\\0123456789-.eE tfn\n\x01\x80";
    g_autoptr(GRand) random = g_rand_new_with_seed(7);
    for (guint i = 0; i < 1500; i++) {
        const char *json = texts[i % G_N_ELEMENTS(texts)];
        g_autofree char *text = g_strdup(json);
        gint32 length = (gint32)strlen(text);
        if (i % 3 == 0)
            length = g_rand_int_range(random, 0, length);
        for (gint32 k = 0; k < (gint32)(i % 3) * 2; k++)
            text[g_rand_int_range(random, 0, length)] =
                bytes[g_rand_int_range(random, 0, (gint32)sizeof bytes - 1)];
        g_autoptr(GError) error = NULL;
        g_autoptr(LpImport) import = lp_configuration_import(text, length, &error);
        lp_test_true("an import or an error", (import == NULL) == (error != NULL));
        lp_test_true("one line", error == NULL || strchr(error->message, '\n') == NULL);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"faults", test_faults},
                                       {"too much", test_too_much},
                                       {"mangled", test_mangled},
                                       {NULL, NULL}};
    return lp_test_run("huggingface_faults", cases);
}
