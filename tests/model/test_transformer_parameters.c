/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/model/shapes.h"
#include "tests/testlib.h"

#define IDENTITY 1e-12 /* the same sum in another order */

/* Narayanan et al., SC 2021, table 1: parameters in billions, with one decimal. */
static void
test_published_gpt(void)
{
    static const struct {
        const char *label;
        guint32 n_layers, hidden, n_heads;
        double billions;
    } rows[] = {
        {"1.7B", 24, 2304, 24, 1.7},          {"3.6B", 30, 3072, 32, 3.6},
        {"7.5B", 36, 4096, 32, 7.5},          {"18.4B", 40, 6144, 48, 18.4},
        {"39.1B", 48, 8192, 64, 39.1},        {"76.1B", 60, 10240, 80, 76.1},
        {"145.6B", 80, 12288, 96, 145.6},     {"310.1B", 96, 16384, 128, 310.1},
        {"529.6B", 105, 20480, 128, 529.6},   {"1008B", 128, 25600, 160, 1008.0},
        {"GPT-3 175B", 96, 12288, 96, 174.6},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpTransformer gpt = lp_test_gpt(rows[i].n_layers, rows[i].hidden, rows[i].n_heads);
        double parameters = lp_transformer_parameters(&gpt);
        double half_digit = 0.05 / rows[i].billions; /* as rounded in the table */
        lp_test_close(rows[i].label, parameters / 1e9, rows[i].billions, half_digit);
        double l = rows[i].n_layers;
        double h = rows[i].hidden;
        /* Equation 2 of the paper; it leaves out the final norm, 2h. */
        double equation =
            12.0 * l * h * h * (1.0 + 13.0 / (12.0 * h) + (51200.0 + 2048.0) / (12.0 * l * h));
        lp_test_close(rows[i].label, parameters, equation + 2.0 * h, IDENTITY);
    }
}

/* Counts of the published checkpoints. */
static void
test_published_llama(void)
{
    static const struct {
        const char *label;
        guint32 n_layers, hidden, n_heads, n_kv_heads, ffn, vocab;
        double parameters;
    } rows[] = {
        {"Llama 2 7B", 32, 4096, 32, 32, 11008, 32000, 6738415616.0},
        {"Llama 2 70B", 80, 8192, 64, 8, 28672, 32000, 68976648192.0},
        {"Llama 3 8B", 32, 4096, 32, 8, 14336, 128256, 8030261248.0},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpTransformer llama = lp_test_llama(rows[i].n_layers, rows[i].hidden, rows[i].n_heads,
                                            rows[i].n_kv_heads, rows[i].ffn, rows[i].vocab);
        lp_test_close(rows[i].label, lp_transformer_parameters(&llama), rows[i].parameters, 0.0);
    }
}

static void
test_parts(void)
{
    LpTransformer gpt = lp_test_gpt(2, 16, 4);
    lp_test_close("layer: 12 h^2 + 13 h", lp_transformer_layer_parameters(&gpt, 0),
                  12.0 * 256.0 + 13.0 * 16.0, 0.0);
    lp_test_close("embedding: (V + s) h", lp_transformer_embedding_parameters(&gpt),
                  (51200.0 + 2048.0) * 16.0, 0.0);
    lp_test_close("tied head: 2 h", lp_transformer_head_parameters(&gpt), 32.0, 0.0);
    gpt.tied_embeddings = FALSE;
    lp_test_close("untied head: 2 h + V h", lp_transformer_head_parameters(&gpt),
                  32.0 + 51200.0 * 16.0, 0.0);
    gpt.n_kv_heads = 1;
    lp_test_close("one key-value head: 10.5 h^2 + 11.5 h", lp_transformer_layer_parameters(&gpt, 0),
                  10.5 * 256.0 + 11.5 * 16.0, 0.0);
    gpt.embedding = FALSE;
    lp_test_close("no embedding", lp_transformer_embedding_parameters(&gpt), 0.0, 0.0);
    lp_test_close("no head", lp_transformer_head_parameters(&gpt), 0.0, 0.0);
    lp_test_close("no logits", lp_transformer_logits_forward_flop(&gpt, 1.0), 0.0, 0.0);
}

/* --- published models of other kinds --- */

/* DeepSeek-V3 (arXiv 2412.19437, section 4.2), without the module for multi-token prediction. */
static LpTransformer
deepseek_v3(void)
{
    LpTransformer shape = lp_test_llama(61, 7168, 128, 128, 18432, 129280);
    shape.head_width = 128;
    shape.latent.query_rank = 1536;
    shape.latent.kv_rank = 512;
    shape.latent.rope_width = 64;
    shape.latent.value_width = 128;
    shape.experts.n = 256;
    shape.experts.top_k = 8;
    shape.experts.ffn = 2048;
    shape.experts.n_shared = 1;
    shape.experts.n_dense_layers = 3;
    shape.experts.n_groups = 8;
    shape.experts.group_limit = 4;
    return shape;
}

static LpTransformer
mixtral_8x7b(void)
{
    LpTransformer shape = lp_test_llama(32, 4096, 32, 8, 14336, 32000);
    shape.experts.n = 8;
    shape.experts.top_k = 2;
    return shape;
}

/* Width of heads is hidden / heads; relative positions are learned, but not by token. */
static LpTransformer
t5_large(void)
{
    LpTransformer shape = lp_test_gpt(24, 1024, 16);
    shape.kind = LP_TRANSFORMER_ENCODER_DECODER;
    shape.decoder.n_layers = 24;
    shape.seq = 512;
    shape.decoder.seq = 128;
    shape.vocab = 32128;
    shape.positions = LP_POSITIONS_ROTARY;
    shape.norm = LP_NORM_RMS;
    shape.bias = LP_BIAS_NO;
    return shape;
}

static LpTransformer
qwen2_7b(void)
{
    LpTransformer shape = lp_test_llama(28, 3584, 28, 4, 18944, 152064);
    shape.bias = LP_BIAS_QKV;
    return shape;
}

/* Counts of the published checkpoints; @left_out is what they hold and the model does not. */
static void
test_published_others(void)
{
    const struct {
        const char *label;
        LpTransformer shape;
        double published, left_out;
    } rows[] = {
        {"Mistral 7B: grouped queries", lp_test_llama(32, 4096, 32, 8, 14336, 32000), 7241732096.0,
         0.0},
        {"Mixtral 8x7B", mixtral_8x7b(), 46702792704.0, 0.0},
        {"Qwen2 7B: biases of queries, keys and values", qwen2_7b(), 7615616512.0, 0.0},
        {"DeepSeek-V3: a bias of each expert's gate", deepseek_v3(), 671026419200.0, 58.0 * 256.0},
        {"T5 large: 32 relative positions, 16 heads, twice", t5_large(), 737668096.0,
         2.0 * 32.0 * 16.0},
        {"ViT-B/16: a bias of each class", lp_test_vit_b_16(), 86567656.0, 1000.0},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        lp_test_true(rows[i].label, lp_transformer_check(&rows[i].shape, &error));
        lp_test_close(rows[i].label, lp_transformer_parameters(&rows[i].shape),
                      rows[i].published - rows[i].left_out, 0.0);
    }
    LpTransformer mixtral = mixtral_8x7b(), deepseek = deepseek_v3();
    lp_test_close("Mixtral 8x7B, active", lp_transformer_active_parameters(&mixtral), 12879925248.0,
                  IDENTITY);
    /* "11.5B unique parameters, excluding the shared 0.9B Embedding and 0.9B output Head"
     * (deepseek-ai/DeepSeek-V3, README_WEIGHTS.md); its layer alone has 11.5, the matrix that joins
     * 0.1. */
    LpTransformer ahead = deepseek_v3();
    double without = lp_transformer_parameters(&ahead);
    ahead.n_mtp = 1;
    lp_test_close("DeepSeek-V3, module", lp_transformer_parameters(&ahead) - without, 11.5e9,
                  0.011);
    /* "671B total parameters with 37B activated for each token": half a digit of the latter, and
     * the word embedding (0.93e9), which the authors leave out. */
    lp_test_close("DeepSeek-V3, active",
                  (lp_transformer_active_parameters(&deepseek) - 129280.0 * 7168.0) / 1e9, 37.0,
                  0.5 / 37.0);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"published gpt", test_published_gpt},
        {"published llama", test_published_llama},
        {"parts", test_parts},
        {"published others", test_published_others},
        {NULL, NULL},
    };
    return lp_test_run("transformer parameters", cases);
}
