/* SPDX-License-Identifier: Apache-2.0 */
/* What software holds in memory besides what training asks for. */
#include "model/memory/memory.h"
#include "tests/model/shapes.h"
#include "tests/testlib.h"

#define IDENTITY 1e-12 /* the same sum in another order */

/* What the step holds, passes have let go of theirs by then; an allocator keeps the blocks of both.
 */
static void
test_step(void)
{
    LpTransformer gpt = lp_test_gpt(4, 1024, 16);
    LpPlan plan = lp_test_plan(1, 1, 2, 1, 4);
    double p = lp_plan_stage_parameters(&plan, &gpt, 0), bucket = p / 8.0;
    LpMemory bare = lp_memory_of_stage(&gpt, &plan, 0);
    double passes = bare.activations_bytes + bare.buffers_bytes;
    lp_test_close("no step", bare.step_bytes + bare.cached_bytes, 0.0, 0.0);
    lp_test_close("all is held", lp_memory_reserved(&bare), lp_memory_sum(&bare), 0.0);
    plan.traits[LP_TRAIT_STEP_BYTES] = 1; /* less than passes take */
    LpMemory less = lp_memory_of_stage(&gpt, &plan, 0);
    lp_test_close("less", less.step_bytes, 0.0, 0.0);
    lp_test_close("kept", less.cached_bytes, p, IDENTITY);
    plan.traits[LP_TRAIT_STEP_BYTES] = 64; /* more than passes take */
    LpMemory step = lp_memory_of_stage(&gpt, &plan, 0);
    lp_test_close("more", step.step_bytes, 64.0 * p - passes, IDENTITY);
    lp_test_close("both are kept", lp_memory_reserved(&step), (2 + 2 + 12 + 64) * p + passes,
                  IDENTITY);
    plan.optimizer = LP_OPTIMIZER_NONE;
    LpMemory none = lp_memory_of_stage(&gpt, &plan, 0);
    lp_test_close("no optimizer", none.step_bytes + none.cached_bytes, 0.0, 0.0);
    plan.optimizer = LP_OPTIMIZER_ADAM;
    plan.traits[LP_TRAIT_FLAT_GRADIENTS] = TRUE;
    plan.overlap.bucket_bytes = bucket;
    LpMemory flat = lp_memory_of_stage(&gpt, &plan, 0);
    lp_test_close("two buckets", flat.buffers_bytes - step.buffers_bytes, 2.0 * bucket, 1e-9);
    lp_test_close("and one tensor", lp_memory_reserved(&flat) - lp_memory_reserved(&step),
                  2.0 * bucket + 2.0 * p, 1e-9);
}

/* InternLM 7B on A800, checkpointed (InternLM/InternEvo, doc/en/train_performance.md): the GB that
 * are published and, behind 8 % of them, ours. */
static void
test_internevo(void)
{
    static const struct {
        const char *label;
        guint32 tp, pp, dp, zero;
        double published_gb;
    } rows[] = {{"3 shards", 1, 1, 3, 3, 72.0},
                {"5 shards", 1, 1, 5, 3, 49.0},
                {"3 shards of half", 2, 1, 3, 3, 38.0},
                {"4 stages", 1, 4, 1, 1, 69.0}};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpTransformer llama = lp_test_llama(32, 4096, 32, 32, 11008, 103168);
        llama.seq = 2048;
        llama.attention = LP_ATTENTION_FLASH;
        LpPlan plan = lp_test_plan(rows[i].tp, rows[i].pp, rows[i].dp, 1, 4 * rows[i].dp);
        plan.recompute = LP_RECOMPUTE_FULL;
        plan.zero.stage = rows[i].zero;
        plan.traits[LP_TRAIT_DROP_GRADIENTS] = plan.traits[LP_TRAIT_FLAT_GRADIENTS] = TRUE;
        plan.traits[LP_TRAIT_STEP_BYTES] = 12;
        plan.overlap.bucket_bytes = 1024.0 * 1024.0 * 1024.0;
        LpMemory memory = lp_memory_fullest(&llama, &plan);
        lp_test_close(rows[i].label, lp_memory_reserved(&memory), rows[i].published_gb * 1e9, 0.08);
    }
}

/* ZeRO 3: shards that are cast have no copy; what is outside layers is gathered in place of a
 * layer, all or the larger of embedding and head, and so are its gradients; gradients that a single
 * pass makes come as activations go. */
static void
test_fsdp(void)
{
    LpTransformer gpt = lp_test_gpt(4, 1024, 16);
    LpPlan plan = lp_test_plan(1, 1, 2, 1, 2);
    plan.zero.stage = 3;
    double whole = lp_plan_stage_parameters(&plan, &gpt, 0);
    LpMemory ends = lp_memory_of_stage(&gpt, &plan, 0);
    plan.traits[LP_TRAIT_ROOT_UNIT] = TRUE;
    LpMemory apart = lp_memory_of_stage(&gpt, &plan, 0);
    gpt.embedding = FALSE;
    double layers = lp_plan_stage_parameters(&plan, &gpt, 0);
    LpMemory bare = lp_memory_of_stage(&gpt, &plan, 0);
    lp_test_close("ends", ends.buffers_bytes - bare.buffers_bytes,
                  (2.0 + 2.0) * (whole - layers - layers / 4.0), 1e-9);
    lp_test_close("the embedding alone, not the final norm",
                  ends.buffers_bytes - apart.buffers_bytes, (2.0 + 2.0) * 2.0 * 1024.0, 1e-9);
    plan.traits[LP_TRAIT_CAST_SHARDS] = plan.traits[LP_TRAIT_DROP_GRADIENTS] = TRUE;
    LpMemory cast = lp_memory_of_stage(&gpt, &plan, 0);
    lp_test_close("no copy", cast.weights_bytes, 0.0, 0.0);
    lp_test_close("gone", cast.gradients_bytes,
                  MAX(bare.gradients_bytes - bare.activations_bytes, 0.0), IDENTITY);
    plan.batch.global = 4;
    cast = lp_memory_of_stage(&gpt, &plan, 0);
    lp_test_close("of two passes", cast.gradients_bytes, bare.gradients_bytes, 0.0);
}

/* The gradients of a layer are sent when they are there, or as soon as they fill a bucket. */
static void
test_unit_bucket(void)
{
    LpTransformer gpt = lp_test_gpt(4, 1024, 16);
    gpt.embedding = FALSE;
    LpPlan plan = lp_test_plan(1, 1, 2, 1, 2);
    plan.zero.stage = 3;
    double layer = lp_plan_stage_parameters(&plan, &gpt, 0) / 4.0;
    double whole = lp_memory_of_stage(&gpt, &plan, 0).buffers_bytes;
    plan.overlap.bucket = LP_BUCKET_PARAMETERS;
    plan.overlap.bucket_parameters = 1000.0;
    lp_test_close("a bucket", whole - lp_memory_of_stage(&gpt, &plan, 0).buffers_bytes,
                  2.0 * (layer - 1000.0), 1e-9);
    plan.overlap.bucket_parameters = 2.0 * layer;
    lp_test_close("a layer", lp_memory_of_stage(&gpt, &plan, 0).buffers_bytes, whole, 0.0);
}

/* DeepSpeed: as many parameters as it lets be there, and the largest tensor (h 4h), twice where it
 * comes in a list, in 16 bits; with gradients of a bucket, or of that tensor. */
static void
test_tensors(void)
{
    LpTransformer gpt = lp_test_gpt(8, 1024, 16);
    gpt.embedding = FALSE;
    LpPlan plan = lp_test_plan(1, 1, 2, 1, 2);
    plan.zero.stage = 3;
    plan.traits[LP_TRAIT_GATHER_UNIT] = LP_GATHER_UNIT_TENSOR;
    plan.format.gradient_bytes = 2;
    plan.overlap.bucket = LP_BUCKET_PARAMETERS;
    plan.overlap.bucket_parameters = 1.0;
    double before = lp_memory_of_stage(&gpt, &plan, 0).buffers_bytes, array = 4.0 * 1024 * 1024;
    plan.zero.live_parameters = 5e6;
    double there = lp_memory_of_stage(&gpt, &plan, 0).buffers_bytes;
    lp_test_close("there", there - before, 2.0 * 5e6, 1e-9);
    plan.traits[LP_TRAIT_GATHER_LISTS] = TRUE;
    double listed = lp_memory_of_stage(&gpt, &plan, 0).buffers_bytes;
    lp_test_close("twice", listed - there, 2.0 * array, 1e-9);
    plan.overlap.bucket_parameters = 2.0 * array;
    double sums = lp_memory_of_stage(&gpt, &plan, 0).buffers_bytes;
    lp_test_close("bucket", sums - listed, 2.0 * array, 1e-9);
    plan.zero.live_parameters = 1e12;
    double all = lp_plan_stage_parameters(&plan, &gpt, 0);
    lp_test_close("no more than all", lp_memory_of_stage(&gpt, &plan, 0).buffers_bytes - sums,
                  2.0 * (all - array - 5e6), 1e-9);
}

/* XLA: a layer is gathered array by array, of which the largest goes up (h 4h of 12 h^2), with one
 * ahead; and layers' inputs in the host's memory leave two of them. */
static void
test_arrays(void)
{
    LpTransformer gpt = lp_test_gpt(8, 1024, 16);
    gpt.embedding = FALSE;
    LpPlan plan = lp_test_plan(1, 1, 2, 1, 2);
    plan.zero.stage = 3;
    plan.overlap.param = TRUE;
    plan.zero.prefetch = 1;
    plan.recompute = LP_RECOMPUTE_FULL;
    LpMemory whole = lp_memory_of_stage(&gpt, &plan, 0);
    plan.traits[LP_TRAIT_ARRAY_UNITS] = TRUE;
    LpMemory arrays = lp_memory_of_stage(&gpt, &plan, 0);
    double layer = lp_plan_stage_parameters(&plan, &gpt, 0) / 8.0, array = 4.0 * 1024.0 * 1024.0;
    lp_test_close("two in 16 bits and a gradient", whole.buffers_bytes - arrays.buffers_bytes,
                  (2.0 * 2.0 + 2.0) * (layer - array), 1e-9);
    plan.footprint.offloads_inputs = TRUE;
    LpMemory offloaded = lp_memory_of_stage(&gpt, &plan, 0);
    lp_test_close("two of eight", offloaded.activations_bytes, whole.activations_bytes / 4.0,
                  1e-12);
    plan.recompute = LP_RECOMPUTE_SELECTIVE;
    plan.selective = LP_RECOMPUTED_NORMS | LP_RECOMPUTED_FFN;
    offloaded = lp_memory_of_stage(&gpt, &plan, 0);
    lp_test_close("of what a policy keeps, too", offloaded.activations_bytes,
                  2.0 * lp_memory_layer_activations_bytes(&gpt, &plan, 0), IDENTITY);
    plan.recompute = LP_RECOMPUTE_NONE;
    LpMemory none = lp_memory_of_stage(&gpt, &plan, 0);
    plan.footprint.offloads_inputs = FALSE;
    LpMemory kept = lp_memory_of_stage(&gpt, &plan, 0);
    lp_test_close("of recomputation only", none.activations_bytes, kept.activations_bytes, 0.0);
    plan.footprint.offloads_activations = TRUE;
    LpMemory waiting = lp_memory_of_stage(&gpt, &plan, 0);
    lp_test_close("all that layers keep: two of eight", waiting.activations_bytes,
                  kept.activations_bytes / 4.0, 1e-12);
    plan.recompute = LP_RECOMPUTE_FULL;
    LpMemory inputs = lp_memory_of_stage(&gpt, &plan, 0);
    lp_test_close("without recomputation only", inputs.activations_bytes, whole.activations_bytes,
                  0.0);
}

/* What MaxText's policies save of a layer without gate, in tensors of 2 b s h bytes (maxtext,
 * src/maxtext/layers/decoders.py: get_remat_policy): beside the layer's input queries, keys and
 * values (3), their mixture, what is projected out of it, what goes up (4) and into the last
 * product (4). "minimal" saves each product's result. */
static void
test_parts(void)
{
    static const struct {
        const char *policy;
        guint32 again;
        double tensors;
    } rows[] = {
        {"save_dot_with_context_except_mlp", LP_RECOMPUTED_NORMS | LP_RECOMPUTED_FFN, 6.0},
        {"save_dot_except_mlp", LP_RECOMPUTED_NORMS | LP_RECOMPUTED_ATTENTION | LP_RECOMPUTED_FFN,
         5.0},
        {"save_qkv_proj",
         LP_RECOMPUTED_NORMS | LP_RECOMPUTED_ATTENTION | LP_RECOMPUTED_PROJECTION |
             LP_RECOMPUTED_RESIDUAL | LP_RECOMPUTED_FFN,
         4.0},
        {"save_out_proj",
         LP_RECOMPUTED_NORMS | LP_RECOMPUTED_QKV | LP_RECOMPUTED_ATTENTION | LP_RECOMPUTED_FFN,
         2.0},
        {"minimal", LP_RECOMPUTED_NORMS | LP_RECOMPUTED_ATTENTION | LP_RECOMPUTED_ACTIVATION, 9.0},
        {"minimal_with_context", LP_RECOMPUTED_NORMS | LP_RECOMPUTED_ACTIVATION, 10.0},
        {"full",
         LP_RECOMPUTED_NORMS | LP_RECOMPUTED_QKV | LP_RECOMPUTED_ATTENTION |
             LP_RECOMPUTED_PROJECTION | LP_RECOMPUTED_RESIDUAL | LP_RECOMPUTED_FFN,
         1.0},
        {"all but queries", LP_RECOMPUTED_QUERIES, 15.0},
    };
    LpTransformer gpt = lp_test_gpt(4, 1024, 16);
    LpPlan plan = lp_test_plan(1, 1, 1, 3, 3);
    double tensor = 2.0 * 3.0 * 2048.0 * 1024.0;
    gpt.attention = LP_ATTENTION_FLASH;
    gpt.dropout = LP_DROPOUT_NO;
    plan.recompute = LP_RECOMPUTE_SELECTIVE;
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        plan.selective = rows[i].again;
        lp_test_close(rows[i].policy, lp_memory_layer_activations_bytes(&gpt, &plan, 0),
                      rows[i].tensors * tensor, IDENTITY);
    }
}

/* Adam in 16 bits has two moments of two bytes, and no wider copy of the weights; else 8 and 4. */
static void
test_narrow_optimizer(void)
{
    LpTransformer gpt = lp_test_gpt(4, 64, 4);
    LpPlan plan = lp_test_plan(1, 1, 1, 1, 1);
    plan.format.precision = LP_PRECISION_BF16;
    double wide = lp_memory_fullest(&gpt, &plan).optimizer_bytes;
    plan.optimizer = LP_OPTIMIZER_ADAM_BF16;
    lp_test_close("4 of 12 bytes", lp_memory_fullest(&gpt, &plan).optimizer_bytes,
                  wide * 4.0 / 12.0, 1e-12);
}

/* Three products of attention and two of a network with a gate keep what each has gathered. */
static void
test_kept_apart(void)
{
    LpTransformer llama = lp_test_llama(4, 1024, 16, 16, 4096, 32000);
    LpPlan plan = lp_test_plan(4, 1, 1, 3, 3);
    double bsh = 3.0 * llama.seq * 1024.0, bytes[3];
    plan.sequence_parallel = TRUE;
    plan.traits[LP_TRAIT_KEEP_GATHERED] = TRUE;
    plan.traits[LP_TRAIT_SEPARATE_PROJECTIONS] = LP_PROJECTIONS_SEPARATE;
    for (guint i = 0; i < 3; i++) {
        plan.traits[LP_TRAIT_INPUT_COLLECTIVES] = (LpInputCollectives)i;
        bytes[i] = lp_memory_layer_activations_bytes(&llama, &plan, 0);
    }
    lp_test_close("one", bytes[LP_INPUT_COLLECTIVES_SUMS_SEPARATE],
                  bytes[LP_INPUT_COLLECTIVES_SHARED], IDENTITY);
    lp_test_close("each", bytes[LP_INPUT_COLLECTIVES_SEPARATE] - bytes[LP_INPUT_COLLECTIVES_SHARED],
                  3.0 * 2.0 * 0.75 * bsh, 1e-9);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"parts that are made again", test_parts},
        {"step", test_step},
        {"InternEvo", test_internevo},
        {"FSDP", test_fsdp},
        {"bucket of a layer", test_unit_bucket},
        {"tensors", test_tensors},
        {"arrays", test_arrays},
        {"narrow optimizer", test_narrow_optimizer},
        {"kept apart", test_kept_apart},
        {NULL, NULL},
    };
    return lp_test_run("memory, of software", cases);
}
