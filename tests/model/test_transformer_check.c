/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/model/shapes.h"
#include "tests/testlib.h"

#include <math.h>
#include <stddef.h>

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
        {"too many modules", offsetof(LpTransformer, n_mtp), (1 << 24) + 1,
         "mtp-layers: got 16777217, wanted at most 16777216"},
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
    {MEMBER(experts.n), 8},                                                                        \
    {                                                                                              \
        MEMBER(experts.top_k), 2                                                                   \
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
        {"document beyond",
         {{MEMBER(document), BEYOND}},
         {MEMBER(document), BEYOND - 1},
         "document: got 16777217, wanted at most 16777216"},
        {"window beyond",
         {{MEMBER(window.keys), BEYOND}},
         {MEMBER(window.keys), BEYOND - 1},
         "window: got 16777217, wanted at most 16777216"},
        {"chunk beyond",
         {{MEMBER(chunk), BEYOND}},
         {MEMBER(chunk), BEYOND - 1},
         "chunk: got 16777217, wanted at most 16777216"},
        {"a window and a chunk",
         {{MEMBER(window.keys), 16}, {MEMBER(chunk), 64}},
         {MEMBER(chunk), 0},
         "layer-pattern: got auto, wanted which layers have the window (16) and which the chunk"},
        {"a pattern without a window",
         {{MEMBER(pattern.n), 1},
          {MEMBER(pattern.count[0]), 1},
          {MEMBER(pattern.word[0]), LP_LAYER_WINDOW}},
         {MEMBER(window.keys), 16},
         "window: got 0, wanted at least 1 where layer-pattern has layers with a window"},
        {"a pattern without a chunk",
         {{MEMBER(pattern.n), 1},
          {MEMBER(pattern.count[0]), 1},
          {MEMBER(pattern.word[0]), LP_LAYER_CHUNK}},
         {MEMBER(chunk), 16},
         "chunk: got 0, wanted at least 1 where layer-pattern has layers with chunks"},
        {"a pattern and window-every",
         {{MEMBER(pattern.n), 1}, {MEMBER(pattern.count[0]), 1}, {MEMBER(window.every), 2}},
         {MEMBER(window.every), 1},
         "window-every: got 2, wanted 1 with layer-pattern"},
        {"window-every beyond",
         {{MEMBER(window.every), BEYOND}},
         {MEMBER(window.every), BEYOND - 1},
         "window-every: got 16777217"},
        {"query-rank beyond",
         {{MEMBER(latent.query_rank), BEYOND}},
         {MEMBER(latent.query_rank), 0},
         "query-rank: got 16777217"},
        {"kv-rank beyond",
         {{MEMBER(latent.kv_rank), BEYOND}, {MEMBER(latent.rope_width), 64}},
         {MEMBER(latent.kv_rank), BEYOND - 1},
         "kv-rank: got 16777217"},
        {"rope-width beyond",
         {{MEMBER(latent.kv_rank), 512}, {MEMBER(latent.rope_width), BEYOND}},
         {MEMBER(latent.rope_width), 64},
         "rope-width: got 16777217"},
        {"value-width beyond",
         {{MEMBER(latent.kv_rank), 512},
          {MEMBER(latent.rope_width), 64},
          {MEMBER(latent.value_width), BEYOND}},
         {MEMBER(latent.value_width), 128},
         "value-width: got 16777217"},
        {"patch beyond",
         {{MEMBER(image.patch), BEYOND}, {MEMBER(tied_embeddings), FALSE}},
         {MEMBER(image.patch), 16},
         "patch: got 16777217"},
        {"channels beyond",
         {{MEMBER(image.channels), BEYOND}},
         {MEMBER(image.channels), 1},
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
         {{MEMBER(latent.kv_rank), 512}},
         {MEMBER(latent.rope_width), 64},
         "rope-width: got 0, wanted at least 1 with kv-rank"},
        {"latent and grouped",
         {{MEMBER(latent.kv_rank), 512}, {MEMBER(latent.rope_width), 64}, {MEMBER(n_kv_heads), 8}},
         {MEMBER(n_kv_heads), 32},
         "kv-heads: got 8, wanted as many as heads (32) with kv-rank"},
        {"query-rank alone",
         {{MEMBER(latent.query_rank), 1536}},
         {MEMBER(latent.query_rank), 0},
         "kv-rank: got 0, wanted at least 1 with query-rank, rope-width or value-width (multi-head "
         "latent attention)"},
        {"rope-width alone",
         {{MEMBER(latent.rope_width), 64}},
         {MEMBER(latent.kv_rank), 512},
         "kv-rank: got 0, wanted at least 1 with query-rank"},
        {"value-width alone",
         {{MEMBER(latent.value_width), 64}},
         {MEMBER(latent.value_width), 0},
         "kv-rank: got 0, wanted at least 1 with query-rank"},
        {"a pair without decoder",
         {{MEMBER(kind), LP_TRANSFORMER_ENCODER_DECODER}, {MEMBER(decoder.seq), 512}},
         {MEMBER(decoder.n_layers), 1},
         "decoder-layers: got 0, wanted 1 to 16777216"},
        {"a pair without target",
         {{MEMBER(kind), LP_TRANSFORMER_ENCODER_DECODER}, {MEMBER(decoder.n_layers), 24}},
         {MEMBER(decoder.seq), 1},
         "decoder-seq: got 0, wanted 1 to 16777216"},
        {"a decoder's decoder",
         {{MEMBER(decoder.n_layers), 24}},
         {MEMBER(decoder.n_layers), 0},
         "decoder-layers, decoder-seq: got 24 and 0, wanted neither unless kind is "
         "encoder-decoder"},
        {"a decoder's target",
         {{MEMBER(decoder.seq), 512}},
         {MEMBER(decoder.seq), 0},
         "decoder-layers, decoder-seq: got 0 and 512"},
        {"top-k without experts",
         {{MEMBER(experts.top_k), 2}},
         {MEMBER(experts.n), 2},
         "experts: got 0, wanted at least 1 with top-k, expert-ffn, expert-latent or "
         "shared-experts"},
        {"expert-ffn without experts",
         {{MEMBER(experts.ffn), 2}},
         {MEMBER(experts.ffn), 0},
         "experts: got 0"},
        {"shared-experts without experts",
         {{MEMBER(experts.n_shared), 2}},
         {MEMBER(experts.n_shared), 0},
         "experts: got 0"},
        {"experts beyond",
         {{MEMBER(experts.n), BEYOND}, {MEMBER(experts.top_k), 2}},
         {MEMBER(experts.n), BEYOND - 1},
         "experts: got 16777217, wanted 1 to 16777216"},
        {"no top-k",
         {{MEMBER(experts.n), 8}},
         {MEMBER(experts.top_k), 1},
         "top-k: got 0, wanted 1 to experts ("},
        {"expert-ffn beyond",
         {EXPERTS, {MEMBER(experts.ffn), BEYOND}},
         {MEMBER(experts.ffn), BEYOND - 1},
         "expert-ffn: got 16777217, wanted at most 16777216"},
        {"shared-experts beyond",
         {EXPERTS, {MEMBER(experts.n_shared), BEYOND}},
         {MEMBER(experts.n_shared), BEYOND - 1},
         "shared-experts: got 16777217, wanted at most 16777216"},
        {"expert-every beyond",
         {EXPERTS, {MEMBER(experts.every), BEYOND}},
         {MEMBER(experts.every), 24},
         "expert-every: got 16777217, wanted at most 16777216"},
        {"more than all experts",
         {{MEMBER(experts.n), 8}, {MEMBER(experts.top_k), 9}},
         {MEMBER(experts.top_k), 8},
         "top-k: got 9, wanted 1 to experts (8)"},
        {"dense layers only",
         {EXPERTS, {MEMBER(experts.n_dense_layers), 24}},
         {MEMBER(experts.n_dense_layers), 23},
         "dense-layers, expert-every: got 24 and 1, wanted at least one layer with experts among "
         "24"},
        {"dense layers beyond all",
         {EXPERTS, {MEMBER(experts.n_dense_layers), G_MAXUINT32}},
         {MEMBER(experts.n_dense_layers), 0},
         "dense-layers, expert-every: got 4294967295 and 1"},
        {"experts in no layer",
         {EXPERTS, {MEMBER(experts.every), 24}, {MEMBER(experts.n_dense_layers), 1}},
         {MEMBER(experts.n_dense_layers), 0},
         "dense-layers, expert-every: got 1 and 24"},
        {"groups that do not divide",
         {EXPERTS, {MEMBER(experts.n_groups), 3}},
         {MEMBER(experts.n_groups), 4},
         "expert-groups: got 3, wanted a divisor of experts (8)"},
        {"more than all groups",
         {EXPERTS, {MEMBER(experts.n_groups), 4}, {MEMBER(experts.group_limit), 5}},
         {MEMBER(experts.group_limit), 4},
         "group-limit: got 5, wanted at most expert-groups (4)"},
        {"a limit without groups",
         {EXPERTS, {MEMBER(experts.group_limit), 2}},
         {MEMBER(experts.group_limit), 1},
         "group-limit: got 2, wanted at most expert-groups (1)"},
        {"more than those in reach",
         {{MEMBER(experts.n), 8},
          {MEMBER(experts.top_k), 5},
          {MEMBER(experts.n_groups), 4},
          {MEMBER(experts.group_limit), 2}},
         {MEMBER(experts.group_limit), 3},
         "top-k: got 5, wanted at most the 4 experts of group-limit groups"},
        {"images to words",
         {{MEMBER(kind), LP_TRANSFORMER_ENCODER_DECODER},
          {MEMBER(decoder.n_layers), 4},
          {MEMBER(decoder.seq), 4},
          {MEMBER(tied_embeddings), FALSE},
          {MEMBER(image.patch), 16}},
         {MEMBER(image.patch), 0},
         "patch: got 16, wanted 0 with kind encoder-decoder"},
        {"documents in pairs",
         {{MEMBER(kind), LP_TRANSFORMER_ENCODER_DECODER},
          {MEMBER(decoder.n_layers), 4},
          {MEMBER(decoder.seq), 4},
          {MEMBER(document), 128}},
         {MEMBER(document), 0},
         "document: got 128, wanted 0 with kind encoder-decoder"},
        {"an encoder that predicts",
         {{MEMBER(kind), LP_TRANSFORMER_ENCODER}, {MEMBER(n_mtp), 1}},
         {MEMBER(n_mtp), 0},
         "mtp-layers: got 1, wanted 0 unless kind is decoder, with embedding yes"},
        {"a body that predicts",
         {{MEMBER(embedding), FALSE}, {MEMBER(n_mtp), 2}},
         {MEMBER(n_mtp), 0},
         "mtp-layers: got 2, wanted 0 unless kind is decoder, with embedding yes"},
        {"images that go on",
         {{MEMBER(image.patch), 16}, {MEMBER(n_mtp), 1}},
         {MEMBER(image.patch), 0},
         "patch: got 16, wanted 0 with mtp-layers"},
        {"classes as words",
         {{MEMBER(image.patch), 16}},
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
        shape.experts.n = 8;
        shape.experts.top_k = 2;
        shape.experts.capacity_factor = rows[i].value;
        GError *error = NULL;
        lp_test_true(rows[i].label, !lp_transformer_check(&shape, &error));
        lp_test_error(rows[i].label, &error, LP_MODEL_ERROR, LP_MODEL_ERROR_SHAPE, rows[i].part);
        shape.experts.capacity_factor = rows[i].cure;
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
        {"check", test_check},
        {"check neighbours", test_check_neighbours},
        {"check capacity", test_check_capacity},
        {"check accepts", test_check_accepts},
        {NULL, NULL},
    };
    return lp_test_run("transformer check", cases);
}
