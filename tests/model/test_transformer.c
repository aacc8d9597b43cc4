/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/model/shapes.h"
#include "tests/testlib.h"

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
        {"check", test_check},
        {"check accepts", test_check_accepts},
        {NULL, NULL},
    };
    return lp_test_run("transformer", cases);
}
