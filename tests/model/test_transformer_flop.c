/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/model/shapes.h"
#include "tests/testlib.h"

#define IDENTITY 1e-12 /* the same sum in another order */

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

/* Forward FLOP of one layer, two for each weight and token, and of the scores, by hand. */
static void
test_flop_by_hand(void)
{
    /* Window: layers 0, 2, ... see 16 of 64 keys. Weights 400 as in test_flop(). */
    LpTransformer windowed = lp_test_llama(4, 8, 4, 1, 10, 100);
    windowed.seq = 64;
    windowed.window.keys = 16;
    windowed.window.every = 2;
    lp_test_close("window", lp_transformer_layer_forward_flop(&windowed, 2, 3.0),
                  3.0 * 64.0 * (2.0 * 400.0 + 4.0 * 16.0 * 8.0), 0.0);
    lp_test_close("no window", lp_transformer_layer_forward_flop(&windowed, 1, 3.0),
                  3.0 * 64.0 * (2.0 * 400.0 + 4.0 * 64.0 * 8.0), 0.0);
    windowed.document = 8;
    lp_test_close("documents", lp_transformer_layer_forward_flop(&windowed, 1, 3.0),
                  3.0 * 64.0 * (2.0 * 400.0 + 4.0 * 8.0 * 8.0), 0.0);
    lp_test_close("a window beyond documents", lp_transformer_layer_forward_flop(&windowed, 2, 3.0),
                  3.0 * 64.0 * (2.0 * 400.0 + 4.0 * 8.0 * 8.0), 0.0);
    windowed.document = 0;
    windowed.window.keys = 100;
    lp_test_close("a window beyond", lp_transformer_layer_forward_flop(&windowed, 0, 1.0),
                  64.0 * (2.0 * 400.0 + 4.0 * 64.0 * 8.0), 0.0);

    /* Chunks of 24, 24 and 16 of 64 tokens: 24^2 + 24^2 + 16^2 = 1408 scores a head. */
    windowed.window.keys = 0;
    windowed.chunk = 24;
    lp_test_close("chunks", lp_transformer_scores_forward_flop(&windowed, 0, 3.0),
                  3.0 * 1408.0 * 4.0 * 8.0, 0.0);

    /* MLA: h 8, 4 heads of 3 + 1 and values of 2, ranks 5 and 6: queries 5 (8 + 16) = 120,
     * compression 8 (6 + 1) = 56, expansion 6 * 4 (3 + 2) = 120, projection 8 * 8 = 64; gated
     * feed-forward 3 * 8 * 10 = 240. Scores take 16, mixing 8 a pair. */
    LpTransformer latent = lp_test_llama(1, 8, 4, 4, 10, 100);
    latent.seq = 32;
    latent.head_width = 3;
    latent.latent.rope_width = 1;
    latent.latent.value_width = 2;
    latent.latent.query_rank = 5;
    latent.latent.kv_rank = 6;
    lp_test_close("MLA", lp_transformer_layer_forward_flop(&latent, 0, 1.0),
                  2.0 * 32.0 * (120.0 + 56.0 + 120.0 + 64.0 + 240.0) + 2.0 * 32.0 * 32.0 * 24.0,
                  0.0);
    latent.latent.query_rank = 0; /* 8 * 16 */
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
    experts.experts.n = 6;
    experts.experts.top_k = 2;
    experts.experts.ffn = 5;
    experts.experts.n_shared = 3;
    experts.experts.n_dense_layers = 1;
    experts.experts.every = 2;
    experts.experts.capacity_factor = 1.5;
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
    pair.decoder.n_layers = 1;
    pair.seq = 20;
    pair.decoder.seq = 6;
    lp_test_close("encoder", lp_transformer_layer_forward_flop(&pair, 1, 1.0),
                  2.0 * 20.0 * 768.0 + 4.0 * 20.0 * 20.0 * 8.0, 0.0);
    lp_test_close("decoder", lp_transformer_layer_forward_flop(&pair, 2, 1.0),
                  2.0 * (6.0 * (768.0 + 128.0) + 20.0 * 128.0) + 4.0 * 6.0 * (6.0 + 20.0) * 8.0,
                  0.0);
    lp_test_close("the decoder predicts", lp_transformer_logits_forward_flop(&pair, 1.0),
                  2.0 * 6.0 * 8.0 * 51200.0, 0.0);

    /* Images: 16 * 16 * 3 values a patch, one token to classify. */
    LpTransformer vit = lp_test_vit_b_16();
    lp_test_close("patches", lp_transformer_embedding_forward_flop(&vit, 2.0),
                  2.0 * 2.0 * 197.0 * 768.0 * 768.0, 0.0);
    lp_test_close("classes", lp_transformer_logits_forward_flop(&vit, 2.0),
                  2.0 * 2.0 * 768.0 * 1000.0, 0.0);
    vit.image.channels = 1;
    lp_test_close("grey patches", lp_transformer_embedding_forward_flop(&vit, 1.0),
                  2.0 * 197.0 * 256.0 * 768.0, 0.0);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"flop", test_flop},
        {"flop by hand", test_flop_by_hand},
        {NULL, NULL},
    };
    return lp_test_run("transformer flop", cases);
}
