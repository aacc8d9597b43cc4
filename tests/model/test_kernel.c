/* SPDX-License-Identifier: Apache-2.0 */
#include "model/memory/memory.h"
#include "tests/model/shapes.h"
#include "tests/testlib.h"

#include <string.h>

/* The products of Anthony et al., ICPP 2024, at h 4096, a 16, b 4, s 2048, V 51200, one rank of 2.
 */
static void
test_products(void)
{
    static const struct {
        const char *name;
        LpBlock block;
        LpPass pass;
        double m, k, n, n_batch;
    } rows[] = {
        {"qkv", LP_BLOCK_ATTENTION, LP_PASS_FORWARD, 8192, 4096, 6144, 1},
        {"scores", LP_BLOCK_ATTENTION, LP_PASS_FORWARD, 2048, 256, 2048, 32},
        {"values", LP_BLOCK_ATTENTION, LP_PASS_FORWARD, 2048, 2048, 256, 32},
        {"projection", LP_BLOCK_ATTENTION, LP_PASS_FORWARD, 8192, 2048, 4096, 1},
        {"up", LP_BLOCK_FFN, LP_PASS_FORWARD, 8192, 4096, 8192, 1},
        {"down", LP_BLOCK_FFN, LP_PASS_FORWARD, 8192, 8192, 4096, 1},
        {"logits", LP_BLOCK_HEAD, LP_PASS_FORWARD, 8192, 4096, 25600, 1},
        {"qkv", LP_BLOCK_ATTENTION, LP_PASS_BACKWARD_INPUT, 8192, 6144, 4096, 1},
        {"qkv", LP_BLOCK_ATTENTION, LP_PASS_BACKWARD_WEIGHT, 4096, 8192, 6144, 1},
        {"down", LP_BLOCK_FFN, LP_PASS_BACKWARD_WEIGHT, 8192, 8192, 4096, 1},
    };
    LpTransformer gpt = lp_test_gpt(32, 4096, 16);
    LpPlan plan = lp_test_plan(2, 1, 1, 4, 4);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpKernel kernels[LP_KERNELS_MAX];
        guint n_kernels = lp_block_kernels(&gpt, &plan, 0, rows[i].block, rows[i].pass, kernels);
        const LpKernel *kernel = lp_test_find_kernel(kernels, n_kernels, rows[i].name);
        lp_test_true(rows[i].name, kernel != NULL);
        if (kernel == NULL)
            continue;
        lp_test_close(rows[i].name, kernel->m, rows[i].m, 0.0);
        lp_test_close(rows[i].name, kernel->k, rows[i].k, 0.0);
        lp_test_close(rows[i].name, kernel->n, rows[i].n, 0.0);
        lp_test_close(rows[i].name, kernel->n_batch, rows[i].n_batch, 0.0);
        double elements = rows[i].m * rows[i].k + rows[i].k * rows[i].n + rows[i].m * rows[i].n;
        lp_test_close(rows[i].name, kernel->bytes, 2.0 * elements * rows[i].n_batch, 0.0);
    }
}

/* Bytes of memory-bound kernels, counted by hand: b 1, s 8, h 16, a 4, t 2, fp16, V 32, ffn 64. */
static void
test_bytes(void)
{
    static const struct {
        const char *name;
        LpBlock block;
        LpPass pass;
        gboolean sequence_parallel;
        double bytes;
    } rows[] = {
        {"norm", LP_BLOCK_ATTENTION, LP_PASS_FORWARD, FALSE, 2 * 128 * 2},
        {"norm", LP_BLOCK_ATTENTION, LP_PASS_FORWARD, TRUE, 2 * 64 * 2},
        {"softmax", LP_BLOCK_ATTENTION, LP_PASS_FORWARD, TRUE, 2 * 128 * 2},
        {"attention-dropout", LP_BLOCK_ATTENTION, LP_PASS_FORWARD, FALSE, 128 * 5},
        {"bias-dropout-add", LP_BLOCK_ATTENTION, LP_PASS_FORWARD, FALSE, 128 * 7},
        {"bias-dropout-add", LP_BLOCK_FFN, LP_PASS_FORWARD, TRUE, 64 * 7},
        {"bias-gelu", LP_BLOCK_FFN, LP_PASS_FORWARD, FALSE, 2 * 8 * 32 * 2},
        {"softmax-backward", LP_BLOCK_ATTENTION, LP_PASS_BACKWARD_INPUT, FALSE, 3 * 128 * 2},
        {"look-up", LP_BLOCK_EMBEDDING, LP_PASS_FORWARD, FALSE, 2 * 128 * 2},
        {"add-positions", LP_BLOCK_EMBEDDING, LP_PASS_FORWARD, FALSE, 3 * 128 * 2},
        {"dropout", LP_BLOCK_EMBEDDING, LP_PASS_FORWARD, FALSE, 128 * 5},
        {"dropout-backward", LP_BLOCK_EMBEDDING, LP_PASS_BACKWARD_INPUT, FALSE, 128 * 5},
        {"positions-gradient", LP_BLOCK_EMBEDDING, LP_PASS_BACKWARD_INPUT, FALSE, 128 * 2},
        {"look-up-backward", LP_BLOCK_EMBEDDING, LP_PASS_BACKWARD_INPUT, FALSE, 128 * (2 + 2 * 2)},
        {"norm-backward", LP_BLOCK_ATTENTION, LP_PASS_BACKWARD_INPUT, FALSE, 3 * 128 * 2},
        {"dropout-backward", LP_BLOCK_ATTENTION, LP_PASS_BACKWARD_INPUT, FALSE, 128 * 5},
        {"attention-dropout-backward", LP_BLOCK_ATTENTION, LP_PASS_BACKWARD_INPUT, FALSE, 128 * 5},
        {"dropout-backward", LP_BLOCK_FFN, LP_PASS_BACKWARD_INPUT, TRUE, 64 * 5},
        {"norm-backward", LP_BLOCK_HEAD, LP_PASS_BACKWARD_INPUT, FALSE, 3 * 128 * 2},
        {"loss", LP_BLOCK_HEAD, LP_PASS_FORWARD, FALSE, 8 * 16 * (2 + 36)},
        {"loss-backward", LP_BLOCK_HEAD, LP_PASS_BACKWARD_INPUT, FALSE, 8 * 16 * (2 + 12)},
        {"fused-loss", LP_BLOCK_HEAD, LP_PASS_FORWARD, FALSE, 8 * 16 * 6},
        {"fused-loss-backward", LP_BLOCK_HEAD, LP_PASS_BACKWARD_INPUT, FALSE, 8 * 16 * 4},
    };
    LpTransformer gpt = lp_test_gpt(1, 16, 4);
    gpt.seq = 8;
    gpt.vocab = 32;
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpPlan plan = lp_test_plan(2, 1, 1, 1, 1);
        plan.sequence_parallel = rows[i].sequence_parallel;
        plan.traits[LP_TRAIT_FUSED_LOSS] = g_str_has_prefix(rows[i].name, "fused-loss") ? 1 : 0;
        LpKernel kernels[LP_KERNELS_MAX];
        guint n_kernels = lp_block_kernels(&gpt, &plan, 0, rows[i].block, rows[i].pass, kernels);
        const LpKernel *kernel = lp_test_find_kernel(kernels, n_kernels, rows[i].name);
        lp_test_true(rows[i].name, kernel != NULL);
        if (kernel != NULL)
            lp_test_close(rows[i].name, kernel->bytes, rows[i].bytes, 0.0);
    }
}

/* Megatron-LM's kernel reads the half of the scores that a causal mask leaves, and writes all: of
 * 128 scores, as above. An encoder has no such mask. */
static void
test_triangular_softmax(void)
{
    static const struct {
        const char *label, *name;
        LpTransformerKind kind;
        LpPass pass;
        double tensors;
    } rows[] = {
        {"forward", "softmax", LP_TRANSFORMER_DECODER, LP_PASS_FORWARD, 0.5 + 1.0},
        {"back", "softmax-backward", LP_TRANSFORMER_DECODER, LP_PASS_BACKWARD_INPUT,
         0.5 + 0.5 + 1.0},
        {"an encoder", "softmax", LP_TRANSFORMER_ENCODER, LP_PASS_FORWARD, 2.0},
        {"biases", "score-biases", LP_TRANSFORMER_DECODER, LP_PASS_FORWARD, 2.0},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpTransformer shape = lp_test_gpt(1, 16, 4);
        shape.kind = rows[i].kind;
        shape.seq = 8;
        LpPlan plan = lp_test_plan(2, 1, 1, 1, 1);
        lp_test_vary(&plan, "triangular-softmax", TRUE);
        lp_test_vary(&plan, "score-biases", TRUE);
        LpKernel kernels[LP_KERNELS_MAX];
        guint n_kernels =
            lp_block_kernels(&shape, &plan, 0, LP_BLOCK_ATTENTION, rows[i].pass, kernels);
        const LpKernel *kernel = lp_test_find_kernel(kernels, n_kernels, rows[i].name);
        lp_test_true(rows[i].label, kernel != NULL);
        if (kernel != NULL)
            lp_test_close(rows[i].label, kernel->bytes, rows[i].tensors * 128 * 2, 0.0);
    }
}

/* Bytes of the copies around attention's core, of @block in @pass. */
static double
core_copies_bytes(const LpTransformer *shape, const LpPlan *plan, LpBlock block, LpPass pass)
{
    return lp_test_kernel_bytes(shape, plan, block, pass, "core-layout") +
           lp_test_kernel_bytes(shape, plan, block, pass, "core-layout-back") +
           lp_test_kernel_bytes(shape, plan, block, pass, "core-join");
}

/* By hand at b sequences of 8 tokens, h 16, t 2, in 2 bytes: q, k, v and o are 8 wide, and a copy
 * of one of them reads and writes 8 x 8 x 2 bytes a sequence (Megatron-LM of 2023,
 * megatron/model/transformer.py: CoreAttention, ParallelAttention). */
static void
test_core_copies(void)
{
    static const struct {
        const char *label;
        LpAttentionKind attention;
        LpPositions positions;
        guint32 micro_batch;
        guint forward, backward; /* tensors */
    } rows[] = {
        {"unfused: o; the join of q, k and v", LP_ATTENTION_UNFUSED, LP_POSITIONS_LEARNED, 2, 1, 3},
        {"one sequence: likewise", LP_ATTENTION_UNFUSED, LP_POSITIONS_ROTARY, 1, 1, 3},
        {"fused: q, k, v and o; o and the join", LP_ATTENTION_FLASH, LP_POSITIONS_ROTARY, 2, 4, 4},
        {"one sequence: slices", LP_ATTENTION_FLASH, LP_POSITIONS_LEARNED, 1, 3, 3},
        {"of which q and k are turned", LP_ATTENTION_FLASH, LP_POSITIONS_ROTARY, 1, 1, 3},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpTransformer shape = lp_test_gpt(1, 16, 4);
        shape.seq = 8;
        shape.attention = rows[i].attention;
        shape.positions = rows[i].positions;
        LpPlan plan = lp_test_plan(2, 1, 1, rows[i].micro_batch, rows[i].micro_batch);
        double copy_bytes = 2.0 * 8 * 8 * 2 * rows[i].micro_batch;
        LpBlock block = LP_BLOCK_ATTENTION;
        lp_test_close("none", core_copies_bytes(&shape, &plan, block, LP_PASS_FORWARD), 0.0, 0.0);
        lp_test_vary(&plan, "core-copies", TRUE);
        lp_test_close(rows[i].label, core_copies_bytes(&shape, &plan, block, LP_PASS_FORWARD),
                      rows[i].forward * copy_bytes, 0.0);
        lp_test_close(rows[i].label,
                      core_copies_bytes(&shape, &plan, block, LP_PASS_BACKWARD_INPUT),
                      rows[i].backward * copy_bytes, 0.0);
        plan.traits[LP_TRAIT_SEPARATE_PROJECTIONS] = LP_PROJECTIONS_SEPARATE;
        lp_test_close(
            "no slices",
            lp_test_kernel_bytes(&shape, &plan, block, LP_PASS_BACKWARD_INPUT, "core-join"), 0.0,
            0.0);
        plan.traits[LP_TRAIT_SEPARATE_PROJECTIONS] = LP_PROJECTIONS_JOINED;
        plan.host.kernels = LP_KERNELS_EAGER;
        lp_test_close("its own", core_copies_bytes(&shape, &plan, block, LP_PASS_FORWARD), 0.0,
                      0.0);
    }
}

/* Keys and values of 32 tokens of the encoder, where the decoder has 8: their gradients are joined.
 */
static void
test_core_join_of_encoder(void)
{
    LpTransformer shape = lp_test_gpt(1, 16, 4);
    shape.kind = LP_TRANSFORMER_ENCODER_DECODER;
    shape.seq = 32;
    shape.decoder = (LpTransformerDecoder){.n_layers = 1, .seq = 8};
    LpPlan plan = lp_test_plan(2, 1, 1, 1, 1);
    lp_test_vary(&plan, "core-copies", TRUE);
    LpKernel kernels[LP_KERNELS_MAX];
    guint n = lp_block_kernels(&shape, &plan, 1, LP_BLOCK_CROSS, LP_PASS_BACKWARD_INPUT, kernels);
    const LpKernel *kernel = lp_test_find_kernel(kernels, n, "core-join");
    lp_test_true("a join", kernel != NULL);
    if (kernel != NULL)
        lp_test_close("of k and v", kernel->bytes, 2.0 * 32 * (8 + 8) * 2, 0.0);
}

/* By hand at 8 tokens, h 16, f 64 and t 2, in 2 bytes: a gate's elements E are 8 x 32, the widths
 * of q, k, v and o 8 each. One operation at a time: 2 E and 3 E forward; back 3 E twice, 3 E and 4
 * E; and copies of q, k and v, of k and v twice, and of o (nanotron, models/llama.py). */
static void
test_eager(void)
{
    static const struct {
        const char *label;
        LpBlock block;
        LpPass pass;
        const char *names; /* of the kernels that are there in eager mode only */
        double bytes;      /* of all of them, and of the fused ones that they stand for: */
        double fused_bytes;
        guint n;
    } rows[] = {
        {"a gate", LP_BLOCK_FFN, LP_PASS_FORWARD, "gate", 5 * 512, 3 * 512, 2},
        {"a gate backward", LP_BLOCK_FFN, LP_PASS_BACKWARD_INPUT, "gate-", 13 * 512, 5 * 512, 4},
        {"layouts", LP_BLOCK_ATTENTION, LP_PASS_FORWARD, "layout", 768 + 2 * 512 + 256, 0, 4},
        {"layouts backward", LP_BLOCK_ATTENTION, LP_PASS_BACKWARD_INPUT, "layout",
         768 + 2 * 512 + 256, 0, 4},
    };
    LpTransformer llama = lp_test_gpt(1, 16, 4);
    llama.seq = 8;
    llama.ffn_kind = LP_FFN_SWIGLU;
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpPlan plan = lp_test_plan(2, 1, 1, 1, 1);
        double sums[2] = {0.0, 0.0}, eager_bytes = 0.0;
        guint n = 0;
        for (LpKernels kind = LP_KERNELS_FUSED; kind <= LP_KERNELS_EAGER; kind++) {
            plan.host.kernels = kind;
            LpKernel kernels[LP_KERNELS_MAX];
            guint n_kernels =
                lp_block_kernels(&llama, &plan, 0, rows[i].block, rows[i].pass, kernels);
            for (guint j = 0; j < n_kernels; j++) {
                sums[kind] += kernels[j].bytes;
                if (kind == LP_KERNELS_FUSED || !g_str_has_prefix(kernels[j].name, rows[i].names) ||
                    kernels[j].n_batch > 0.0)
                    continue;
                eager_bytes += kernels[j].bytes;
                n++;
            }
        }
        lp_test_true(rows[i].label, n == rows[i].n);
        lp_test_close(rows[i].label, eager_bytes, rows[i].bytes, 0.0);
        lp_test_close(rows[i].label, sums[1] - sums[0], rows[i].bytes - rows[i].fused_bytes, 0.0);
    }
}

/* What light recomputation runs again: norms of 8 x 16 and the activation of 8 x 32, read and
 * written, and MLA's products out of its latents, whose FLOP lp_transformer_latent_forward_flop()
 * has. */
static void
test_light(void)
{
    LpTransformer gpt = lp_test_gpt(1, 16, 4);
    gpt.seq = 8;
    LpPlan plan = lp_test_plan(2, 1, 1, 1, 1);
    plan.recompute = LP_RECOMPUTE_LIGHT;
    LpKernel kernels[LP_KERNELS_MAX];
    guint n = lp_block_kernels(&gpt, &plan, 0, LP_BLOCK_ATTENTION, LP_PASS_RECOMPUTE, kernels);
    lp_test_true("a norm", n == 1 && strcmp(kernels[0].name, "norm") == 0);
    lp_test_close("a norm", kernels[0].bytes, 2.0 * 8 * 16 * 2, 0.0);
    n = lp_block_kernels(&gpt, &plan, 0, LP_BLOCK_FFN, LP_PASS_RECOMPUTE, kernels);
    lp_test_true("and an activation", n == 2 && strcmp(kernels[1].name, "bias-gelu") == 0);
    lp_test_close("and an activation", kernels[1].bytes, 2.0 * 8 * 32 * 2, 0.0);
    gpt.latent.query_rank = 12;
    gpt.latent.kv_rank = 8;
    gpt.latent.rope_width = 2;
    gpt.head_width = 4;
    gpt.latent.value_width = 4;
    n = lp_block_kernels(&gpt, &plan, 0, LP_BLOCK_ATTENTION, LP_PASS_RECOMPUTE, kernels);
    double flop = 0.0;
    for (guint i = 0; i < n; i++)
        flop += lp_kernel_flop(&kernels[i]);
    /* 2 x 8 tokens x (12 x 4 heads of 6 + 8 x 4 heads of 8), half of it on a rank */
    lp_test_close("latents", flop, 2.0 * 8 * (12 * 24 + 8 * 32) / 2, 0.0);
    lp_test_close("latents", lp_transformer_latent_forward_flop(&gpt, 0, 1.0), 2.0 * flop, 0.0);
}

/* A tp beyond the key-value heads copies them: 4 heads' worth of keys in place of 2. */
static void
test_copied_heads(void)
{
    LpTransformer llama = lp_test_llama(1, 64, 8, 2, 128, 32);
    LpPlan plan = lp_test_plan(4, 1, 1, 1, 1);
    LpKernel kernels[LP_KERNELS_MAX];
    guint n_kernels =
        lp_block_kernels(&llama, &plan, 0, LP_BLOCK_ATTENTION, LP_PASS_FORWARD, kernels);
    lp_test_close("16 of queries, 8 of keys, 8 of values",
                  lp_test_find_kernel(kernels, n_kernels, "qkv")->n, 32.0, 0.0);
}

static void
test_recompute(void)
{
    LpTransformer gpt = lp_test_gpt(2, 64, 4);
    LpPlan plan = lp_test_plan(1, 1, 1, 1, 1);
    LpAccelerator accelerator = lp_test_accelerator();
    static const struct {
        const char *label;
        LpRecompute recompute;
        LpAttentionKind attention;
        guint n_kernels[LP_N_BLOCKS];
    } rows[] = {
        {"none", LP_RECOMPUTE_NONE, LP_ATTENTION_UNFUSED, {0}},
        {"selective", LP_RECOMPUTE_SELECTIVE, LP_ATTENTION_UNFUSED, {[LP_BLOCK_ATTENTION] = 4}},
        {"selective flash", LP_RECOMPUTE_SELECTIVE, LP_ATTENTION_FLASH, {0}},
        {"full",
         LP_RECOMPUTE_FULL,
         LP_ATTENTION_UNFUSED,
         {[LP_BLOCK_ATTENTION] = 8, [LP_BLOCK_FFN] = 5}},
        {"full flash",
         LP_RECOMPUTE_FULL,
         LP_ATTENTION_FLASH,
         {[LP_BLOCK_ATTENTION] = 5, [LP_BLOCK_FFN] = 5}},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        plan.recompute = rows[i].recompute;
        gpt.attention = rows[i].attention;
        for (guint block = 0; block < LP_N_BLOCKS; block++) {
            LpKernel kernels[LP_KERNELS_MAX];
            lp_test_true(rows[i].label,
                         lp_block_kernels(&gpt, &plan, 0, (LpBlock)block, LP_PASS_RECOMPUTE,
                                          kernels) == rows[i].n_kernels[block]);
        }
    }
    lp_test_close("full takes a forward pass",
                  lp_block_time_s(&gpt, &plan, &accelerator, 0, LP_BLOCK_FFN, LP_PASS_RECOMPUTE),
                  lp_block_time_s(&gpt, &plan, &accelerator, 0, LP_BLOCK_FFN, LP_PASS_FORWARD),
                  0.0);
}

/* All parts made again are a forward pass that stops before its last product. */
static void
test_all_parts(void)
{
    LpTransformer llama = lp_test_llama(2, 64, 8, 4, 172, 32000);
    LpPlan full = lp_test_plan(1, 1, 1, 1, 1), parts = lp_test_plan(1, 1, 1, 1, 1);
    LpAccelerator accelerator = lp_test_accelerator();
    full.recompute = LP_RECOMPUTE_FULL;
    full.traits[LP_TRAIT_EARLY_STOP] = TRUE;
    parts.recompute = LP_RECOMPUTE_SELECTIVE;
    parts.selective = LP_RECOMPUTED_NORMS | LP_RECOMPUTED_QKV | LP_RECOMPUTED_ATTENTION |
                      LP_RECOMPUTED_PROJECTION | LP_RECOMPUTED_RESIDUAL | LP_RECOMPUTED_FFN;
    for (guint fused = 0; fused < 2; fused++) {
        llama.attention = fused == 1 ? LP_ATTENTION_FLASH : LP_ATTENTION_UNFUSED;
        for (guint block = 0; block < LP_N_BLOCKS; block++)
            lp_test_close(
                "as much time",
                lp_block_time_s(&llama, &parts, &accelerator, 0, (LpBlock)block, LP_PASS_RECOMPUTE),
                lp_block_time_s(&llama, &full, &accelerator, 0, (LpBlock)block, LP_PASS_RECOMPUTE),
                0.0);
    }
}

/* Attention whose fused kernel is missing is that which asks for none. */
static void
test_missing_kernel(void)
{
    LpTransformer fused = lp_test_gpt(2, 64, 4), unfused = fused;
    LpPlan missing = lp_test_plan(1, 1, 1, 1, 1), plan = missing;
    LpAccelerator accelerator = lp_test_accelerator();
    fused.attention = LP_ATTENTION_FLASH;
    unfused.attention = LP_ATTENTION_UNFUSED;
    missing.recompute = plan.recompute = LP_RECOMPUTE_SELECTIVE;
    missing.host.attention_kernel = LP_ATTENTION_KERNEL_UNFUSED;
    for (guint pass = 0; pass < LP_N_PASSES; pass++)
        lp_test_close(
            "as long as unfused",
            lp_block_time_s(&fused, &missing, &accelerator, 0, LP_BLOCK_ATTENTION, (LpPass)pass),
            lp_block_time_s(&unfused, &plan, &accelerator, 0, LP_BLOCK_ATTENTION, (LpPass)pass),
            0.0);
    lp_test_close("as much memory", lp_memory_fullest(&fused, &missing).activations_bytes,
                  lp_memory_fullest(&unfused, &plan).activations_bytes, 0.0);
}

static void
test_no_embedding(void)
{
    LpTransformer gpt = lp_test_gpt(2, 64, 4);
    LpPlan plan = lp_test_plan(1, 1, 1, 1, 1);
    gpt.embedding = FALSE;
    LpKernel kernels[LP_KERNELS_MAX];
    for (guint pass = 0; pass < LP_N_PASSES; pass++) {
        lp_test_true("no embedding", lp_block_kernels(&gpt, &plan, 0, LP_BLOCK_EMBEDDING,
                                                      (LpPass)pass, kernels) == 0);
        lp_test_true("no head",
                     lp_block_kernels(&gpt, &plan, 0, LP_BLOCK_HEAD, (LpPass)pass, kernels) == 0);
    }
}

/* Every product is worked out whole; of attention's a causal mask leaves the tiles of 128 at and
 * below the diagonal. */
static void
test_shares(void)
{
    static const LpBlock blocks[] = {LP_BLOCK_ATTENTION, LP_BLOCK_FFN};
    LpTransformer shape = lp_test_llama(1, 64, 8, 4, 256, 32000);
    LpPlan plan = lp_test_plan(1, 1, 1, 1, 1);
    shape.attention = LP_ATTENTION_FLASH;
    for (guint i = 0; i < G_N_ELEMENTS(blocks); i++) {
        LpKernel kernels[LP_KERNELS_MAX];
        guint n = lp_block_kernels(&shape, &plan, 0, blocks[i], LP_PASS_FORWARD, kernels);
        for (guint k = 0; k < n; k++)
            if (kernels[k].n_batch > 0.0)
                lp_test_close(kernels[k].name, kernels[k].share,
                              kernels[k].fused ? 0.5 * (1.0 + 128.0 / shape.seq) : 1.0, 1e-12);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"products", test_products},
        {"bytes", test_bytes},
        {"triangular softmax", test_triangular_softmax},
        {"core's copies", test_core_copies},
        {"core's join of an encoder", test_core_join_of_encoder},
        {"eager", test_eager},
        {"light", test_light},
        {"copied heads", test_copied_heads},
        {"recompute", test_recompute},
        {"all parts", test_all_parts},
        {"missing kernel", test_missing_kernel},
        {"no embedding", test_no_embedding},
        {"shares", test_shares},
        {NULL, NULL},
    };
    return lp_test_run("kernel", cases);
}
