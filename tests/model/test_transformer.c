/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/model/shapes.h"
#include "tests/testlib.h"

/* What is "auto" follows the feed-forward kind; what is said holds. */
static void
test_style(void)
{
    static const struct {
        const char *label;
        LpFfnKind ffn_kind;
        LpNorm norm;
        LpBias bias;
        LpDropout dropout;
        gboolean has_rms_norms, has_biases, has_qkv_biases, has_dropout;
    } rows[] = {
        {"GPT", LP_FFN_GELU, LP_NORM_AUTO, LP_BIAS_AUTO, LP_DROPOUT_AUTO, FALSE, TRUE, TRUE, TRUE},
        {"Llama", LP_FFN_SWIGLU, LP_NORM_AUTO, LP_BIAS_AUTO, LP_DROPOUT_AUTO, TRUE, FALSE, FALSE,
         FALSE},
        {"Qwen2", LP_FFN_SWIGLU, LP_NORM_AUTO, LP_BIAS_QKV, LP_DROPOUT_AUTO, TRUE, FALSE, TRUE,
         FALSE},
        {"GPT without", LP_FFN_GELU, LP_NORM_RMS, LP_BIAS_NO, LP_DROPOUT_NO, TRUE, FALSE, FALSE,
         FALSE},
        {"Llama with", LP_FFN_SWIGLU, LP_NORM_LAYER, LP_BIAS_YES, LP_DROPOUT_YES, FALSE, TRUE, TRUE,
         TRUE},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpTransformer shape = lp_test_gpt(2, 64, 4);
        shape.ffn_kind = rows[i].ffn_kind;
        shape.norm = rows[i].norm;
        shape.bias = rows[i].bias;
        shape.dropout = rows[i].dropout;
        lp_test_true(rows[i].label, lp_transformer_has_rms_norms(&shape) == rows[i].has_rms_norms);
        lp_test_true(rows[i].label, lp_transformer_has_biases(&shape) == rows[i].has_biases);
        lp_test_true(rows[i].label,
                     lp_transformer_has_qkv_biases(&shape) == rows[i].has_qkv_biases);
        lp_test_true(rows[i].label, lp_transformer_has_dropout(&shape) == rows[i].has_dropout);
    }
}

/* What 0 stands for, and what is said in its place. */
static void
test_widths(void)
{
    LpTransformer shape = lp_test_llama(4, 64, 8, 2, 256, 32000);
    lp_test_close("hidden / heads", lp_transformer_head_width(&shape), 8.0, 0.0);
    lp_test_close("values as wide as keys", lp_transformer_value_head_width(&shape), 8.0, 0.0);
    lp_test_close("8 heads", lp_transformer_query_width(&shape), 64.0, 0.0);
    lp_test_close("2 key-value heads", lp_transformer_key_width(&shape), 16.0, 0.0);
    shape.head_width = 12;
    lp_test_close("as said", lp_transformer_head_width(&shape), 12.0, 0.0);
    lp_test_close("so are values", lp_transformer_value_head_width(&shape), 12.0, 0.0);
    shape.latent.rope_width = 4;
    shape.latent.value_width = 6;
    lp_test_close("values as said", lp_transformer_value_width(&shape), 12.0, 0.0);
    lp_test_close("mixture", lp_transformer_mixture_width(&shape), 48.0, 0.0);
    lp_test_close("positions ride along", lp_transformer_query_width(&shape), 128.0, 0.0);
    lp_test_true("experts as wide as ffn", lp_transformer_expert_ffn(&shape) == 256);
    lp_test_true("one group", lp_transformer_n_expert_groups(&shape) == 1);
    lp_test_true("each layer", lp_transformer_expert_every(&shape) == 1);
    shape.experts.ffn = 48;
    shape.experts.n_groups = 4;
    shape.experts.every = 3;
    lp_test_true("expert-ffn", lp_transformer_expert_ffn(&shape) == 48);
    lp_test_true("expert-groups", lp_transformer_n_expert_groups(&shape) == 4);
    lp_test_true("expert-every", lp_transformer_expert_every(&shape) == 3);
}

/* Every 0 and "auto" that stands for something becomes it, once; nothing that the model works out
 * changes, and what is given stays. */
static void
test_resolve(void)
{
    LpTransformer given = {.n_layers = 4, .hidden = 64, .n_heads = 8, .seq = 32, .vocab = 320};
    given.ffn_kind = LP_FFN_SWIGLU;
    given.experts.n = 8;
    given.experts.top_k = 2;
    LpTransformer resolved = given;
    lp_transformer_resolve(&resolved);
    lp_test_true("heads", resolved.n_kv_heads == 8 && resolved.head_width == 8);
    lp_test_true("ffn", resolved.ffn == 256 && resolved.experts.ffn == 256);
    lp_test_true("style", resolved.norm == LP_NORM_RMS && resolved.bias == LP_BIAS_NO &&
                              resolved.dropout == LP_DROPOUT_NO);
    lp_test_true("experts", resolved.experts.every == 1 && resolved.experts.n_groups == 1 &&
                                resolved.experts.group_limit == 1);
    lp_test_true("windows and images", resolved.window.every == 1 && resolved.image.channels == 3);
    lp_test_true("as given", resolved.latent.value_width == 0 &&
                                 resolved.experts.capacity_factor <= 0.0 &&
                                 resolved.window.keys == 0);
    given.n_kv_heads = 8;
    given.ffn = 256;
    lp_test_close("parameters", lp_transformer_parameters(&resolved),
                  lp_transformer_parameters(&given), 0.0);
    lp_test_close("operations", lp_transformer_layer_forward_flop(&resolved, 1, 2.0),
                  lp_transformer_layer_forward_flop(&given, 1, 2.0), 0.0);
    LpTransformer again = resolved;
    again.experts.n_groups = 4;
    again.experts.group_limit = 2;
    again.bias = LP_BIAS_QKV;
    again.head_width = 12;
    lp_transformer_resolve(&again);
    lp_test_true("what is said stays", again.experts.n_groups == 4 &&
                                           again.experts.group_limit == 2 &&
                                           again.bias == LP_BIAS_QKV && again.head_width == 12);
}

/* Documents of 100 tokens; every second layer has a window of 16. */
static void
test_documents(void)
{
    LpTransformer shape = lp_test_gpt(2, 64, 4);
    shape.document = 100;
    shape.window.every = 2;
    lp_test_true("documents alone",
                 lp_transformer_layer(&shape, 0).keys == 100 &&
                     lp_transformer_layer_kind(&shape, 0) == lp_transformer_layer_kind(&shape, 1));
    shape.window.keys = 16;
    lp_test_true("a window in them", lp_transformer_layer(&shape, 0).keys == 16 &&
                                         lp_transformer_layer(&shape, 0).span == 100 &&
                                         lp_transformer_layer(&shape, 0).seq == 2048);
    lp_test_true("none", lp_transformer_layer(&shape, 1).keys == 100);
    lp_test_true("two kinds",
                 lp_transformer_layer_kind(&shape, 0) != lp_transformer_layer_kind(&shape, 1));
    shape.window.keys = 500;
    lp_test_true("a wider window", lp_transformer_layer(&shape, 0).keys == 100);
    shape.document = 4096;
    lp_test_true("a document as long as the sequence",
                 lp_transformer_layer(&shape, 1).keys == 2048);
}

/* Experts in layers 2 and 4, windows in 0 and 3, a decoder behind the encoder's five. */
static void
test_layers(void)
{
    LpTransformer shape = lp_test_gpt(5, 64, 4);
    shape.kind = LP_TRANSFORMER_ENCODER_DECODER;
    shape.decoder.n_layers = 1;
    shape.decoder.seq = 32;
    shape.experts.n = 8;
    shape.experts.top_k = 2;
    shape.experts.n_dense_layers = 1;
    shape.experts.every = 2;
    shape.window.keys = 16;
    shape.window.every = 3;
    static const LpLayer wanted[] = {
        {.seq = 2048, .keys = 16},
        {.seq = 2048, .keys = 2048},
        {.seq = 2048, .keys = 2048, .has_experts = TRUE},
        {.seq = 2048, .keys = 16},
        {.seq = 2048, .keys = 2048, .has_experts = TRUE},
        {.seq = 32, .keys = 32, .cross = TRUE, .causal = TRUE},
    };
    lp_test_true("all layers", lp_transformer_n_layers(&shape) == G_N_ELEMENTS(wanted));
    lp_test_true("with experts", lp_transformer_n_expert_layers(&shape) == 2);
    for (guint32 i = 0; i < G_N_ELEMENTS(wanted); i++) {
        g_autofree char *label = g_strdup_printf("layer %u", i);
        LpLayer layer = lp_transformer_layer(&shape, i);
        lp_test_true(label, layer.seq == wanted[i].seq && layer.keys == wanted[i].keys);
        lp_test_true(label, layer.has_experts == wanted[i].has_experts);
        lp_test_true(label, layer.cross == wanted[i].cross && layer.causal == wanted[i].causal);
        lp_test_true(label, lp_transformer_layer_kind(&shape, i) < LP_LAYER_KINDS);
    }
    lp_test_true("alike",
                 lp_transformer_layer_kind(&shape, 0) == lp_transformer_layer_kind(&shape, 3));
    lp_test_true("unlike",
                 lp_transformer_layer_kind(&shape, 0) != lp_transformer_layer_kind(&shape, 1));
}

/* "2*window+1*chunk+1*full" over six layers of 2,048 tokens. */
static void
test_pattern(void)
{
    LpTransformer shape = lp_test_gpt(6, 64, 4);
    shape.window.keys = 16;
    shape.chunk = 768;
    shape.pattern = (LpLayerPattern){
        .n = 3, .count = {2, 1, 1}, .word = {LP_LAYER_WINDOW, LP_LAYER_CHUNK, LP_LAYER_FULL}};
    /* Chunks of 768, 768 and 512 tokens: (2 * 768^2 + 512^2) / 2048 keys for a token. */
    static const LpLayer wanted[] = {
        {.span = 2048, .keys = 16, .windowed = TRUE}, {.span = 2048, .keys = 16, .windowed = TRUE},
        {.span = 768, .keys = 704, .chunked = TRUE},  {.span = 2048, .keys = 2048},
        {.span = 2048, .keys = 16, .windowed = TRUE}, {.span = 2048, .keys = 16, .windowed = TRUE}};
    for (guint32 i = 0; i < G_N_ELEMENTS(wanted); i++) {
        g_autofree char *label = g_strdup_printf("layer %u", i);
        LpLayer layer = lp_transformer_layer(&shape, i);
        lp_test_true(label, layer.span == wanted[i].span && layer.keys == wanted[i].keys);
        lp_test_true(label, layer.windowed == wanted[i].windowed);
        lp_test_true(label, layer.chunked == wanted[i].chunked);
        lp_test_true(label, lp_transformer_layer_kind(&shape, i) < LP_LAYER_KINDS);
        for (guint32 k = 0; k < i; k++)
            lp_test_true(label, (lp_transformer_layer_kind(&shape, i) ==
                                 lp_transformer_layer_kind(&shape, k)) ==
                                    (wanted[i].keys == wanted[k].keys));
    }
    shape.chunk = 4096;
    lp_test_true("a chunk as long as the sequence",
                 lp_transformer_layer_kind(&shape, 2) == lp_transformer_layer_kind(&shape, 3));
    shape.pattern.n = 0;
    shape.window.keys = 0;
    shape.chunk = 512;
    lp_test_true("without a pattern all are chunked", lp_transformer_layer(&shape, 5).keys == 512);
    shape.document = 256;
    lp_test_true("documents within", lp_transformer_layer(&shape, 5).keys == 256);
    shape.document = 640;
    lp_test_true("chunks of documents", lp_transformer_layer(&shape, 5).keys == 436);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"style", test_style},
        {"widths", test_widths},
        {"resolve", test_resolve},
        {"layers", test_layers},
        {"documents", test_documents},
        {"pattern", test_pattern},
        {NULL, NULL},
    };
    return lp_test_run("transformer", cases);
}
