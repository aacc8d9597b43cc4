/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/model/shapes.h"
#include "tests/testlib.h"

#include <math.h>
#include <stddef.h>

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

static void
test_flop(void)
{
    static const struct {
        const char *label;
        guint32 hidden, n_heads;
        double n_sequences;
    } rows[] = {
        {"smallest", 1, 1, 1.0},
        {"175B", 12288, 96, 1536.0},
        {"1T", 25600, 160, 1.0},
        {"nothing", 4096, 32, 0.0},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpTransformer gpt = lp_test_gpt(3, rows[i].hidden, rows[i].n_heads);
        double b = rows[i].n_sequences;
        double s = gpt.seq;
        double h = gpt.hidden;
        lp_test_close(rows[i].label, lp_transformer_layer_forward_flop(&gpt, 0, b),
                      24.0 * b * s * h * h + 4.0 * b * s * s * h, IDENTITY);
        lp_test_close(rows[i].label, lp_transformer_scores_forward_flop(&gpt, 0, b),
                      4.0 * b * s * s * h, IDENTITY);
        lp_test_close(rows[i].label, lp_transformer_logits_forward_flop(&gpt, b),
                      2.0 * b * s * h * gpt.vocab, IDENTITY);
    }
    LpTransformer llama = lp_test_llama(1, 8, 4, 1, 10, 100);
    /* Matrices: 2 * 64 + 2 * 8 * 2 + 3 * 8 * 10 = 400 weights; scores 4 * 4096^2 * 8. */
    lp_test_close("grouped and gated", lp_transformer_layer_forward_flop(&llama, 0, 1.0),
                  2.0 * 4096.0 * 400.0 + 4.0 * 4096.0 * 4096.0 * 8.0, 0.0);
}

/* --- published models of other kinds --- */

/* DeepSeek-V3 (arXiv 2412.19437, section 4.2), without the module for multi-token prediction. */
static LpTransformer
deepseek_v3(void)
{
    LpTransformer shape = lp_test_llama(61, 7168, 128, 128, 18432, 129280);
    shape.head_width = 128;
    shape.query_rank = 1536;
    shape.kv_rank = 512;
    shape.rope_width = 64;
    shape.value_width = 128;
    shape.n_experts = 256;
    shape.top_k = 8;
    shape.expert_ffn = 2048;
    shape.n_shared_experts = 1;
    shape.n_dense_layers = 3;
    shape.n_expert_groups = 8;
    shape.group_limit = 4;
    return shape;
}

static LpTransformer
mixtral_8x7b(void)
{
    LpTransformer shape = lp_test_llama(32, 4096, 32, 8, 14336, 32000);
    shape.n_experts = 8;
    shape.top_k = 2;
    return shape;
}

/* Width of heads is hidden / heads; relative positions are learned, but not by token. */
static LpTransformer
t5_large(void)
{
    LpTransformer shape = lp_test_gpt(24, 1024, 16);
    shape.kind = LP_TRANSFORMER_ENCODER_DECODER;
    shape.n_decoder_layers = 24;
    shape.seq = 512;
    shape.decoder_seq = 128;
    shape.vocab = 32128;
    shape.positions = LP_POSITIONS_ROTARY;
    shape.norm = LP_NORM_RMS;
    shape.bias = LP_BIAS_NO;
    return shape;
}

/* 14 x 14 patches and the class token. */
static LpTransformer
vit_b_16(void)
{
    LpTransformer shape = lp_test_gpt(12, 768, 12);
    shape.kind = LP_TRANSFORMER_ENCODER;
    shape.seq = 197;
    shape.vocab = 1000;
    shape.tied_embeddings = FALSE;
    shape.patch = 16;
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
        {"ViT-B/16: a bias of each class", vit_b_16(), 86567656.0, 1000.0},
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
    /* "671B total parameters with 37B activated for each token": half a digit of the latter, and
     * the word embedding (0.93e9), which the authors leave out. */
    lp_test_close("DeepSeek-V3, active",
                  (lp_transformer_active_parameters(&deepseek) - 129280.0 * 7168.0) / 1e9, 37.0,
                  0.5 / 37.0);
}

/* Forward FLOP of one layer, two for each weight and token, and of the scores, by hand. */
static void
test_flop_by_hand(void)
{
    /* Window: layers 0, 2, ... see 16 of 64 keys. Weights 400 as in test_flop(). */
    LpTransformer windowed = lp_test_llama(4, 8, 4, 1, 10, 100);
    windowed.seq = 64;
    windowed.window = 16;
    windowed.window_every = 2;
    lp_test_close("window", lp_transformer_layer_forward_flop(&windowed, 2, 3.0),
                  3.0 * 64.0 * (2.0 * 400.0 + 4.0 * 16.0 * 8.0), 0.0);
    lp_test_close("no window", lp_transformer_layer_forward_flop(&windowed, 1, 3.0),
                  3.0 * 64.0 * (2.0 * 400.0 + 4.0 * 64.0 * 8.0), 0.0);
    windowed.window = 100;
    lp_test_close("a window beyond", lp_transformer_layer_forward_flop(&windowed, 0, 1.0),
                  64.0 * (2.0 * 400.0 + 4.0 * 64.0 * 8.0), 0.0);

    /* MLA: h 8, 4 heads of 3 + 1 and values of 2, ranks 5 and 6: queries 5 (8 + 16) = 120,
     * compression 8 (6 + 1) = 56, expansion 6 * 4 (3 + 2) = 120, projection 8 * 8 = 64; gated
     * feed-forward 3 * 8 * 10 = 240. Scores take 16, mixing 8 a pair. */
    LpTransformer latent = lp_test_llama(1, 8, 4, 4, 10, 100);
    latent.seq = 32;
    latent.head_width = 3;
    latent.rope_width = 1;
    latent.value_width = 2;
    latent.query_rank = 5;
    latent.kv_rank = 6;
    lp_test_close("MLA", lp_transformer_layer_forward_flop(&latent, 0, 1.0),
                  2.0 * 32.0 * (120.0 + 56.0 + 120.0 + 64.0 + 240.0) + 2.0 * 32.0 * 32.0 * 24.0,
                  0.0);
    latent.query_rank = 0; /* 8 * 16 */
    lp_test_close("MLA, queries direct", lp_transformer_layer_forward_flop(&latent, 0, 1.0),
                  2.0 * 32.0 * (128.0 + 56.0 + 120.0 + 64.0 + 240.0) + 2.0 * 32.0 * 32.0 * 24.0,
                  0.0);
    /* Parameters: the weights, two norms of 8, one of the compressed 6. */
    lp_test_close("MLA, parameters", lp_transformer_layer_parameters(&latent, 0),
                  128.0 + 56.0 + 120.0 + 64.0 + 240.0 + 16.0 + 6.0, 0.0);

    /* Experts: h 8, attention 160; router 8 * 6 = 48; 2 routed and 3 shared of 3 * 8 * 5 = 120. The
     * capacity factor pads, but counts no FLOP here. */
    LpTransformer experts = lp_test_llama(5, 8, 4, 1, 10, 100);
    experts.seq = 16;
    experts.n_experts = 6;
    experts.top_k = 2;
    experts.expert_ffn = 5;
    experts.n_shared_experts = 3;
    experts.n_dense_layers = 1;
    experts.expert_every = 2;
    experts.capacity_factor = 1.5;
    static const gboolean has_experts[] = {FALSE, FALSE, TRUE, FALSE, TRUE};
    for (guint32 i = 0; i < G_N_ELEMENTS(has_experts); i++)
        lp_test_close("experts", lp_transformer_layer_forward_flop(&experts, i, 1.0),
                      2.0 * 16.0 * (160.0 + (has_experts[i] ? 48.0 + 5.0 * 120.0 : 240.0)) +
                          4.0 * 256.0 * 8.0,
                      0.0);
    lp_test_true("two layers with experts", lp_transformer_n_expert_layers(&experts) == 2);
    lp_test_close("slots", lp_transformer_expert_slots(&experts), 3.0, 0.0);
    lp_test_close("routed", lp_transformer_layer_expert_parameters(&experts, 2), 720.0, 0.0);
    lp_test_close("none routed", lp_transformer_layer_expert_parameters(&experts, 1), 0.0, 0.0);

    /* A pair: h 8, ffn 2 * 8 * 32 = 512; 20 tokens in, 6 out. Encoder 4 * 64 + 512 = 768 a token;
     * decoder 768 and 2 * 64 a token of its own, 2 * 64 a token of the encoder's. */
    LpTransformer pair = lp_test_gpt(2, 8, 4);
    pair.kind = LP_TRANSFORMER_ENCODER_DECODER;
    pair.n_decoder_layers = 1;
    pair.seq = 20;
    pair.decoder_seq = 6;
    lp_test_close("encoder", lp_transformer_layer_forward_flop(&pair, 1, 1.0),
                  2.0 * 20.0 * 768.0 + 4.0 * 20.0 * 20.0 * 8.0, 0.0);
    lp_test_close("decoder", lp_transformer_layer_forward_flop(&pair, 2, 1.0),
                  2.0 * (6.0 * (768.0 + 128.0) + 20.0 * 128.0) + 4.0 * 6.0 * (6.0 + 20.0) * 8.0,
                  0.0);
    lp_test_close("the decoder predicts", lp_transformer_logits_forward_flop(&pair, 1.0),
                  2.0 * 6.0 * 8.0 * 51200.0, 0.0);

    /* Images: 16 * 16 * 3 values a patch, one token to classify. */
    LpTransformer vit = vit_b_16();
    lp_test_close("patches", lp_transformer_embedding_forward_flop(&vit, 2.0),
                  2.0 * 2.0 * 197.0 * 768.0 * 768.0, 0.0);
    lp_test_close("classes", lp_transformer_logits_forward_flop(&vit, 2.0),
                  2.0 * 2.0 * 768.0 * 1000.0, 0.0);
    vit.channels = 1;
    lp_test_close("grey patches", lp_transformer_embedding_forward_flop(&vit, 1.0),
                  2.0 * 197.0 * 256.0 * 768.0, 0.0);
}

static void
test_check(void)
{
    static const struct {
        const char *label;
        size_t member;
        guint32 value;
        const char *part;
    } rows[] = {
        {"no layers", offsetof(LpTransformer, n_layers), 0, "layers: got 0, wanted 1 to 16777216"},
        {"no hidden", offsetof(LpTransformer, hidden), 0, "hidden: got 0"},
        {"no heads", offsetof(LpTransformer, n_heads), 0, "heads: got 0"},
        {"no kv-heads", offsetof(LpTransformer, n_kv_heads), 0, "kv-heads: got 0"},
        {"no ffn", offsetof(LpTransformer, ffn), 0, "ffn: got 0"},
        {"no seq", offsetof(LpTransformer, seq), 0, "seq: got 0"},
        {"no vocab", offsetof(LpTransformer, vocab), 0, "vocab: got 0"},
        {"too many layers", offsetof(LpTransformer, n_layers), (1 << 24) + 1,
         "layers: got 16777217"},
        {"the largest number", offsetof(LpTransformer, seq), G_MAXUINT32, "seq: got 4294967295"},
        {"heads that do not divide", offsetof(LpTransformer, n_heads), 7,
         "heads: got 7, wanted a divisor of hidden (4096)"},
        {"kv-heads that do not divide", offsetof(LpTransformer, n_kv_heads), 3,
         "kv-heads: got 3, wanted a divisor of heads (32)"},
        {"more kv-heads than heads", offsetof(LpTransformer, n_kv_heads), 64, "kv-heads: got 64"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpTransformer gpt = lp_test_gpt(24, 4096, 32);
        G_STRUCT_MEMBER(guint32, &gpt, rows[i].member) = rows[i].value;
        GError *error = NULL;
        lp_test_true(rows[i].label, !lp_transformer_check(&gpt, &error));
        lp_test_error(rows[i].label, &error, LP_MODEL_ERROR, LP_MODEL_ERROR_SHAPE, rows[i].part);
    }
}

#define BEYOND ((1u << 24) + 1) /* the largest count, and one */
#define MEMBER(name) offsetof(LpTransformer, name)

/* One member, as wide as a guint32, to change. */
typedef struct {
    size_t member;
    guint32 value;
} Change;

/* Offset 0, the number of layers, means "no change". */
#define N_CHANGES 6

/* Two changes. */
#define EXPERTS                                                                                    \
    {MEMBER(n_experts), 8},                                                                        \
    {                                                                                              \
        MEMBER(top_k), 2                                                                           \
    }

static LpTransformer
changed(const Change *changes)
{
    LpTransformer gpt = lp_test_gpt(24, 4096, 32);
    for (guint i = 0; i < N_CHANGES && changes[i].member != 0; i++)
        G_STRUCT_MEMBER(guint32, &gpt, changes[i].member) = changes[i].value;
    return gpt;
}

/* Each refusal, and the same shape with one more change that cures it. */
static void
test_check_neighbours(void)
{
    static const struct {
        const char *label;
        Change changes[N_CHANGES];
        Change cure;
        const char *part;
    } rows[] = {
        {"head-width beyond",
         {{MEMBER(head_width), BEYOND}},
         {MEMBER(head_width), BEYOND - 1},
         "head-width: got 16777217, wanted at most 16777216"},
        {"window beyond",
         {{MEMBER(window), BEYOND}},
         {MEMBER(window), BEYOND - 1},
         "window: got 16777217, wanted at most 16777216"},
        {"window-every beyond",
         {{MEMBER(window_every), BEYOND}},
         {MEMBER(window_every), BEYOND - 1},
         "window-every: got 16777217"},
        {"query-rank beyond",
         {{MEMBER(query_rank), BEYOND}},
         {MEMBER(query_rank), 0},
         "query-rank: got 16777217"},
        {"kv-rank beyond",
         {{MEMBER(kv_rank), BEYOND}, {MEMBER(rope_width), 64}},
         {MEMBER(kv_rank), BEYOND - 1},
         "kv-rank: got 16777217"},
        {"rope-width beyond",
         {{MEMBER(kv_rank), 512}, {MEMBER(rope_width), BEYOND}},
         {MEMBER(rope_width), 64},
         "rope-width: got 16777217"},
        {"value-width beyond",
         {{MEMBER(kv_rank), 512}, {MEMBER(rope_width), 64}, {MEMBER(value_width), BEYOND}},
         {MEMBER(value_width), 128},
         "value-width: got 16777217"},
        {"patch beyond",
         {{MEMBER(patch), BEYOND}, {MEMBER(tied_embeddings), FALSE}},
         {MEMBER(patch), 16},
         "patch: got 16777217"},
        {"channels beyond",
         {{MEMBER(channels), BEYOND}},
         {MEMBER(channels), 1},
         "channels: got 16777217"},
        {"heads that do not divide",
         {{MEMBER(n_heads), 3}, {MEMBER(n_kv_heads), 3}},
         {MEMBER(head_width), 128},
         "heads: got 3, wanted a divisor of hidden (4096)"},
        {"kv-heads that do not divide",
         {{MEMBER(n_kv_heads), 3}},
         {MEMBER(n_kv_heads), 4},
         "kv-heads: got 3, wanted a divisor of heads (32)"},
        {"latent attention without positions",
         {{MEMBER(kv_rank), 512}},
         {MEMBER(rope_width), 64},
         "rope-width: got 0, wanted at least 1 with kv-rank"},
        {"latent and grouped",
         {{MEMBER(kv_rank), 512}, {MEMBER(rope_width), 64}, {MEMBER(n_kv_heads), 8}},
         {MEMBER(n_kv_heads), 32},
         "kv-heads: got 8, wanted as many as heads (32) with kv-rank"},
        {"query-rank alone",
         {{MEMBER(query_rank), 1536}},
         {MEMBER(query_rank), 0},
         "kv-rank: got 0, wanted at least 1 with query-rank, rope-width or value-width (multi-head "
         "latent attention)"},
        {"rope-width alone",
         {{MEMBER(rope_width), 64}},
         {MEMBER(kv_rank), 512},
         "kv-rank: got 0, wanted at least 1 with query-rank"},
        {"value-width alone",
         {{MEMBER(value_width), 64}},
         {MEMBER(value_width), 0},
         "kv-rank: got 0, wanted at least 1 with query-rank"},
        {"a pair without decoder",
         {{MEMBER(kind), LP_TRANSFORMER_ENCODER_DECODER}, {MEMBER(decoder_seq), 512}},
         {MEMBER(n_decoder_layers), 1},
         "decoder-layers: got 0, wanted 1 to 16777216"},
        {"a pair without target",
         {{MEMBER(kind), LP_TRANSFORMER_ENCODER_DECODER}, {MEMBER(n_decoder_layers), 24}},
         {MEMBER(decoder_seq), 1},
         "decoder-seq: got 0, wanted 1 to 16777216"},
        {"a decoder's decoder",
         {{MEMBER(n_decoder_layers), 24}},
         {MEMBER(n_decoder_layers), 0},
         "decoder-layers, decoder-seq: got 24 and 0, wanted neither unless kind is "
         "encoder-decoder"},
        {"a decoder's target",
         {{MEMBER(decoder_seq), 512}},
         {MEMBER(decoder_seq), 0},
         "decoder-layers, decoder-seq: got 0 and 512"},
        {"top-k without experts",
         {{MEMBER(top_k), 2}},
         {MEMBER(n_experts), 2},
         "experts: got 0, wanted at least 1 with top-k, expert-ffn or shared-experts"},
        {"expert-ffn without experts",
         {{MEMBER(expert_ffn), 2}},
         {MEMBER(expert_ffn), 0},
         "experts: got 0"},
        {"shared-experts without experts",
         {{MEMBER(n_shared_experts), 2}},
         {MEMBER(n_shared_experts), 0},
         "experts: got 0"},
        {"experts beyond",
         {{MEMBER(n_experts), BEYOND}, {MEMBER(top_k), 2}},
         {MEMBER(n_experts), BEYOND - 1},
         "experts: got 16777217, wanted 1 to 16777216"},
        {"no top-k", {{MEMBER(n_experts), 8}}, {MEMBER(top_k), 1}, "top-k: got 0, wanted 1 to"},
        {"expert-ffn beyond",
         {EXPERTS, {MEMBER(expert_ffn), BEYOND}},
         {MEMBER(expert_ffn), BEYOND - 1},
         "expert-ffn: got 16777217, wanted at most 16777216"},
        {"shared-experts beyond",
         {EXPERTS, {MEMBER(n_shared_experts), BEYOND}},
         {MEMBER(n_shared_experts), BEYOND - 1},
         "shared-experts: got 16777217, wanted at most 16777216"},
        {"expert-every beyond",
         {EXPERTS, {MEMBER(expert_every), BEYOND}},
         {MEMBER(expert_every), 24},
         "expert-every: got 16777217, wanted at most 16777216"},
        {"more than all experts",
         {{MEMBER(n_experts), 8}, {MEMBER(top_k), 9}},
         {MEMBER(top_k), 8},
         "top-k: got 9, wanted at most experts (8)"},
        {"dense layers only",
         {EXPERTS, {MEMBER(n_dense_layers), 24}},
         {MEMBER(n_dense_layers), 23},
         "dense-layers, expert-every: got 24 and 1, wanted at least one layer with experts among "
         "24"},
        {"dense layers beyond all",
         {EXPERTS, {MEMBER(n_dense_layers), G_MAXUINT32}},
         {MEMBER(n_dense_layers), 0},
         "dense-layers, expert-every: got 4294967295 and 1"},
        {"experts in no layer",
         {EXPERTS, {MEMBER(expert_every), 24}, {MEMBER(n_dense_layers), 1}},
         {MEMBER(n_dense_layers), 0},
         "dense-layers, expert-every: got 1 and 24"},
        {"groups that do not divide",
         {EXPERTS, {MEMBER(n_expert_groups), 3}},
         {MEMBER(n_expert_groups), 4},
         "expert-groups: got 3, wanted a divisor of experts (8)"},
        {"more than all groups",
         {EXPERTS, {MEMBER(n_expert_groups), 4}, {MEMBER(group_limit), 5}},
         {MEMBER(group_limit), 4},
         "group-limit: got 5, wanted at most expert-groups (4)"},
        {"a limit without groups",
         {EXPERTS, {MEMBER(group_limit), 2}},
         {MEMBER(group_limit), 1},
         "group-limit: got 2, wanted at most expert-groups (1)"},
        {"more than those in reach",
         {{MEMBER(n_experts), 8},
          {MEMBER(top_k), 5},
          {MEMBER(n_expert_groups), 4},
          {MEMBER(group_limit), 2}},
         {MEMBER(group_limit), 3},
         "top-k: got 5, wanted at most the 4 experts of group-limit groups"},
        {"images to words",
         {{MEMBER(kind), LP_TRANSFORMER_ENCODER_DECODER},
          {MEMBER(n_decoder_layers), 4},
          {MEMBER(decoder_seq), 4},
          {MEMBER(tied_embeddings), FALSE},
          {MEMBER(patch), 16}},
         {MEMBER(patch), 0},
         "patch: got 16, wanted 0 with kind encoder-decoder"},
        {"classes as words",
         {{MEMBER(patch), 16}},
         {MEMBER(tied_embeddings), FALSE},
         "tied-embeddings: got yes, wanted no with patch: classes are no words"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpTransformer shape = changed(rows[i].changes);
        GError *error = NULL;
        lp_test_true(rows[i].label, !lp_transformer_check(&shape, &error));
        lp_test_error(rows[i].label, &error, LP_MODEL_ERROR, LP_MODEL_ERROR_SHAPE, rows[i].part);
        G_STRUCT_MEMBER(guint32, &shape, rows[i].cure.member) = rows[i].cure.value;
        g_autoptr(GError) none = NULL;
        lp_test_true(rows[i].label, lp_transformer_check(&shape, &none));
        lp_test_text(rows[i].label, none != NULL ? none->message : NULL, NULL);
    }
}

static void
test_check_capacity(void)
{
    static const struct {
        const char *label;
        double value, cure;
        const char *part;
    } rows[] = {
        {"negative", -1.0, 0.0, "capacity-factor: got -1, wanted 0 to 1024"},
        {"too large", 1025.0, 1024.0, "capacity-factor: got 1025"},
        {"infinite", INFINITY, 1.25, "capacity-factor: got inf"},
        {"not a number", NAN, 1.0, "capacity-factor: got"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpTransformer shape = lp_test_gpt(24, 4096, 32);
        shape.n_experts = 8;
        shape.top_k = 2;
        shape.capacity_factor = rows[i].value;
        GError *error = NULL;
        lp_test_true(rows[i].label, !lp_transformer_check(&shape, &error));
        lp_test_error(rows[i].label, &error, LP_MODEL_ERROR, LP_MODEL_ERROR_SHAPE, rows[i].part);
        shape.capacity_factor = rows[i].cure;
        g_autoptr(GError) none = NULL;
        lp_test_true(rows[i].label, lp_transformer_check(&shape, &none));
    }
}

static void
test_check_accepts(void)
{
    LpTransformer shapes[] = {
        lp_test_gpt(1, 1, 1),
        lp_test_gpt(96, 12288, 96),
        lp_test_llama(80, 8192, 64, 8, 28672, 32000),
        {.n_layers = 1 << 24,
         .hidden = 1 << 24,
         .n_heads = 1 << 24,
         .n_kv_heads = 1,
         .ffn = 1 << 24,
         .seq = 1 << 24,
         .vocab = 1 << 24},
    };
    for (guint i = 0; i < G_N_ELEMENTS(shapes); i++) {
        g_autoptr(GError) error = NULL;
        lp_test_true("a shape that exists", lp_transformer_check(&shapes[i], &error));
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"published GPT", test_published_gpt},
        {"published Llama", test_published_llama},
        {"parts", test_parts},
        {"flop", test_flop},
        {"published others", test_published_others},
        {"flop by hand", test_flop_by_hand},
        {"check", test_check},
        {"check neighbours", test_check_neighbours},
        {"check capacity", test_check_capacity},
        {"check accepts", test_check_accepts},
        {NULL, NULL},
    };
    return lp_test_run("transformer", cases);
}
