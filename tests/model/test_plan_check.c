/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/model/shapes.h"
#include "tests/testlib.h"

#include <math.h>
#include <stddef.h>

/* A plan and its transformer; @nothing makes offset 0 mean "no change". */
typedef struct {
    guint32 nothing;
    LpPlan plan;
    LpTransformer shape;
} Case;

/* One member, as wide as a guint32, to change. */
typedef struct {
    size_t member;
    guint32 value;
} Change;

#define PLAN(name) offsetof(Case, plan.name)
#define DEGREE(axis) offsetof(Case, plan.degree[LP_AXIS_##axis])
#define SHAPE(name) offsetof(Case, shape.name)

/* Two changes each. */
#define EXPERTS                                                                                    \
    {SHAPE(experts.n), 8},                                                                         \
    {                                                                                              \
        SHAPE(experts.top_k), 2                                                                    \
    }
#define PAIR                                                                                       \
    {SHAPE(kind), LP_TRANSFORMER_ENCODER_DECODER},                                                 \
    {                                                                                              \
        SHAPE(decoder.n_layers), 4                                                                 \
    }
/* Three: the first of two stages has 48 layers. */
#define TWO_LISTED                                                                                 \
    {PLAN(pipeline.stages), LP_STAGES_LIST}, {DEGREE(PP), 2},                                      \
    {                                                                                              \
        PLAN(pipeline.listed_layers[0]), 48                                                        \
    }

/* 96 layers, 96 heads; tp 8, pp 8, dp 4, micro-batch 2, global batch 256: 32 micro-batches. */
static Case
changed(const Change *changes, guint n_changes)
{
    Case sample = {0, lp_test_plan(8, 8, 4, 2, 256), lp_test_gpt(96, 12288, 96)};
    for (guint i = 0; i < n_changes && changes[i].member != 0; i++)
        G_STRUCT_MEMBER(guint32, &sample, changes[i].member) = changes[i].value;
    return sample;
}

static void
test_check(void)
{
    static const struct {
        const char *label;
        Change changes[3];
        const char *part;
    } rows[] = {
        {"tp 0", {{DEGREE(TP), 0}}, "tp: got 0, wanted 1 to 16777216"},
        {"pp 0", {{DEGREE(PP), 0}}, "pp: got 0"},
        {"dp 0", {{DEGREE(DP), 0}}, "dp: got 0"},
        {"cp 0", {{DEGREE(CP), 0}}, "cp: got 0"},
        {"ep 0", {{DEGREE(EP), 0}}, "ep: got 0"},
        {"dp huge", {{DEGREE(DP), G_MAXUINT32}}, "dp: got 4294967295"},
        {"too many ranks", {{DEGREE(DP), 1 << 20}}, "16777216 ranks"},
        {"a product beyond 64 bits",
         {{DEGREE(TP), 1 << 24}, {DEGREE(DP), 1 << 24}, {DEGREE(PP), 1 << 24}},
         "16777216 ranks"},
        {"cp 3", {{DEGREE(CP), 3}}, "cp: got 3, wanted a divisor of seq (2048)"},
        {"ep 2", {{DEGREE(EP), 2}}, "ep: got 2, wanted 1 without experts"},
        {"an axis twice", {{PLAN(order[1]), LP_AXIS_TP}}, "rank-order: got tp twice"},
        {"no such axis", {{PLAN(order[4]), 99}}, "rank-order: got no axis in place 4"},
        {"tp against heads", {{DEGREE(TP), 64}}, "tp: got 64, wanted a divisor of heads (96)"},
        {"tp against ffn", {{SHAPE(ffn), 49151}}, "tp: got 8, wanted a divisor of ffn (49151)"},
        {"tp against kv-heads",
         {{SHAPE(n_kv_heads), 12}},
         "tp: got 8, wanted a divisor or a multiple of kv-heads (12)"},
        {"tp against seq",
         {{SHAPE(seq), 2047}, {PLAN(sequence_parallel), TRUE}},
         "tp: got 8, wanted a divisor of seq / cp (2047) with "
         "sequence-parallel"},
        {"tp against vocab",
         {{SHAPE(vocab), 50257}},
         "tp: got 8, wanted a divisor of vocab (50257): pad vocab to 50264"},
        {"scattered twice",
         {{PLAN(pipeline.scatter_gather), TRUE}, {PLAN(sequence_parallel), TRUE}},
         "scatter-gather: got yes, wanted no with sequence-parallel"},
        {"micro-batch 0", {{PLAN(batch.micro), 0}}, "micro-batch: got 0"},
        {"micro-batch huge", {{PLAN(batch.micro), G_MAXUINT32}}, "micro-batch: got 4294967295"},
        {"global-batch 0", {{PLAN(batch.global), 0}}, "global-batch: got 0"},
        {"global-batch that does not divide",
         {{PLAN(batch.global), 252}},
         "global-batch: got 252, wanted a multiple of dp * micro-batch (4 * 2)"},
        {"global-batch too small", {{PLAN(batch.global), 4}}, "global-batch: got 4"},
        {"more stages than layers", {{SHAPE(n_layers), 7}}, "pp: got 8"},
        {"virtual-stages 0",
         {{PLAN(pipeline.virtual_stages), 0}},
         "virtual-stages: got 0, wanted 1 to 12"},
        {"more chunks than layers",
         {{PLAN(pipeline.virtual_stages), 13}},
         "virtual-stages: got 13"},
        {"virtual stages overflow",
         {{PLAN(pipeline.virtual_stages), 1u << 31}},
         "virtual-stages: got"},
        {"virtual stages without stages",
         {{PLAN(pipeline.virtual_stages), 2}, {DEGREE(PP), 1}},
         "virtual-stages: got 2, wanted 1 where pp is 1"},
        {"virtual stages under gpipe",
         {{PLAN(pipeline.virtual_stages), 2}, {PLAN(pipeline.schedule), LP_SCHEDULE_GPIPE}},
         "virtual-stages: got 2, wanted 1 with schedule gpipe"},
        {"interleaved without chunks",
         {{PLAN(pipeline.schedule), LP_SCHEDULE_INTERLEAVED}},
         "schedule: got interleaved, wanted virtual-stages above 1"},
        {"interleaved rounds",
         {{PLAN(pipeline.virtual_stages), 2}, {PLAN(batch.global), 160}},
         "global-batch: got 160, wanted micro-batches (20) in a multiple of pp (8)"},
        {"gradients in 3 bytes",
         {{PLAN(format.gradient_bytes), 3}},
         "gradient-precision: got 3 bytes"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        Case sample = changed(rows[i].changes, G_N_ELEMENTS(rows[i].changes));
        GError *error = NULL;
        lp_test_true(rows[i].label, !lp_plan_check(&sample.plan, &sample.shape, &error));
        lp_test_error(rows[i].label, &error, LP_MODEL_ERROR, LP_MODEL_ERROR_PLAN, rows[i].part);
    }
}

/* Each refusal, and the same plan with one more change that cures it. */
static void
test_check_neighbours(void)
{
    static const struct {
        const char *label;
        Change changes[6];
        Change cure;
        const char *part;
    } rows[] = {
        {"shared experts",
         {EXPERTS, {SHAPE(experts.n_shared), 1}, {SHAPE(experts.ffn), 12}},
         {SHAPE(experts.ffn), 16},
         "tp: got 8, wanted a divisor of the width of all shared experts (12)"},
        {"shared experts of 2^32",
         {EXPERTS,
          {SHAPE(experts.n_shared), 1 << 10},
          {SHAPE(experts.ffn), 1 << 22},
          {DEGREE(TP), 3},
          {SHAPE(embedding), FALSE}},
         {DEGREE(TP), 4},
         "tp: got 3, wanted a divisor of the width of all shared experts (4294967296)"},
        {"cp against decoder-seq",
         {PAIR, {SHAPE(decoder.seq), 3}, {DEGREE(PP), 1}, {DEGREE(CP), 2}},
         {DEGREE(CP), 1},
         "cp: got 2, wanted a divisor of decoder-seq (3)"},
        {"tp against decoder-seq",
         {PAIR, {SHAPE(decoder.seq), 4}, {DEGREE(PP), 1}, {PLAN(sequence_parallel), TRUE}},
         {SHAPE(decoder.seq), 16},
         "tp: got 8, wanted a divisor of decoder-seq / cp (4) with sequence-parallel"},
        {"cp of a pair",
         {PAIR, {SHAPE(decoder.seq), 512}, {DEGREE(PP), 1}, {DEGREE(CP), 2}},
         {DEGREE(CP), 1},
         "cp: got 2, wanted 1 with kind encoder-decoder"},
        {"pp of a pair",
         {PAIR, {SHAPE(decoder.seq), 512}},
         {DEGREE(PP), 1},
         "pp: got 8, wanted 1 with kind encoder-decoder"},
        {"ulysses against heads",
         {{PLAN(context_kind), LP_CONTEXT_ULYSSES}, {DEGREE(CP), 8}},
         {DEGREE(CP), 4},
         "cp: got 8, wanted a divisor of heads / tp (12), and a divisor or a multiple of kv-heads "
         "/ "
         "tp (12), with cp-kind ulysses, which divides heads"},
        {"ulysses against kv-heads",
         {{PLAN(context_kind), LP_CONTEXT_ULYSSES}, {DEGREE(CP), 2}, {SHAPE(n_kv_heads), 24}},
         {SHAPE(n_kv_heads), 8},
         "cp: got 2, wanted a divisor of heads / tp (12), and a divisor or a multiple of kv-heads "
         "/ "
         "tp (3)"},
        {"collectives apart of products that are one",
         {{PLAN(traits[LP_TRAIT_INPUT_COLLECTIVES]), LP_INPUT_COLLECTIVES_SEPARATE}},
         {PLAN(traits[LP_TRAIT_INPUT_COLLECTIVES]), LP_INPUT_COLLECTIVES_SHARED},
         "input-collectives: got apart, wanted shared with separate-projections no or gate"},
        {"latents of what has none",
         {{PLAN(traits[LP_TRAIT_INPUT_COLLECTIVES]), LP_INPUT_COLLECTIVES_LATENT}},
         {PLAN(traits[LP_TRAIT_INPUT_COLLECTIVES]), LP_INPUT_COLLECTIVES_SHARED},
         "input-collectives: got latent, wanted shared with kv-rank 0"},
        {"or that are split",
         {{PLAN(traits[LP_TRAIT_INPUT_COLLECTIVES]), LP_INPUT_COLLECTIVES_SUMS_SEPARATE},
          {PLAN(traits[LP_TRAIT_SEPARATE_PROJECTIONS]), LP_PROJECTIONS_SEPARATE},
          {PLAN(overlap.tp), LP_OVERLAP_TP_RING}},
         {PLAN(overlap.tp), LP_OVERLAP_TP_NO},
         "input-collectives: got sums-apart, wanted shared with overlap-tp"},
        {"one kernel for experts that have one each",
         {EXPERTS,
          {PLAN(traits[LP_TRAIT_EXPERTS_ONE_BY_ONE]), TRUE},
          {PLAN(traits[LP_TRAIT_EXPERTS_KERNEL]), LP_EXPERTS_KERNEL_TORCH}},
         {PLAN(traits[LP_TRAIT_EXPERTS_ONE_BY_ONE]), FALSE},
         "experts-kernel: got torch, wanted products with experts-one-by-one, where no kernel "
         "computes all of them"},
        {"expert-tp 4",
         {EXPERTS, {PLAN(experts.tp), 4}},
         {PLAN(experts.tp), 8},
         "expert-tp: got 4, wanted 1 or tp (8)"},
        {"whole experts",
         {EXPERTS, {PLAN(experts.tp), 1}},
         {PLAN(sequence_parallel), TRUE},
         "sequence-parallel: got no, wanted yes where experts are not divided over tp (expert-tp "
         "1): each rank routes its own tokens"},
        {"whole experts by ep",
         {EXPERTS, {DEGREE(EP), 8}},
         {PLAN(sequence_parallel), TRUE},
         "sequence-parallel: got no"},
        {"tp behind dp",
         {EXPERTS, {PLAN(order[0]), LP_AXIS_DP}, {PLAN(order[3]), LP_AXIS_TP}},
         {DEGREE(DP), 1},
         "rank-order: got tp behind cp or dp, wanted tp before both where experts are divided "
         "over tp"},
        {"tp behind a dp as large as pp",
         {EXPERTS, {PLAN(order[0]), LP_AXIS_DP}, {PLAN(order[3]), LP_AXIS_TP}, {DEGREE(PP), 4}},
         {DEGREE(DP), 1},
         "rank-order: got tp behind cp or dp"},
        {"tp behind cp",
         {EXPERTS, {PLAN(order[0]), LP_AXIS_CP}, {PLAN(order[1]), LP_AXIS_TP}, {DEGREE(CP), 8}},
         {DEGREE(CP), 1},
         "rank-order: got tp behind cp or dp"},
        {"tp against expert-ffn",
         {EXPERTS, {SHAPE(experts.ffn), 12}},
         {SHAPE(experts.ffn), 16},
         "tp: got 8, wanted a divisor of expert-ffn (12), or expert-tp 1"},
        {"ep without experts",
         {{DEGREE(EP), 2}},
         {DEGREE(EP), 1},
         "ep: got 2, wanted 1 without experts"},
        {"expert-tp without experts",
         {{PLAN(experts.tp), 2}},
         {PLAN(experts.tp), 1},
         "expert-tp: got 2, wanted 1 without experts"},
        {"ep against experts",
         {EXPERTS, {DEGREE(EP), 3}},
         {DEGREE(EP), 4},
         "ep: got 3, wanted a divisor of experts (8)"},
        {"ep against ranks",
         {EXPERTS, {DEGREE(EP), 8}, {DEGREE(TP), 1}},
         {DEGREE(CP), 2},
         "ep: got 8, wanted ep * expert-tp (8) to divide tp * cp * dp (4)"},
        {"ep and expert-tp against ranks",
         {EXPERTS, {DEGREE(EP), 8}, {PLAN(experts.tp), 8}},
         {DEGREE(CP), 2},
         "ep: got 8, wanted ep * expert-tp (64) to divide tp * cp * dp (32)"},
        {"dualpipe of three",
         {{PLAN(pipeline.schedule), LP_SCHEDULE_DUALPIPE}, {DEGREE(PP), 3}},
         {DEGREE(PP), 4},
         "pp: got 3, wanted an even number with schedule dualpipe"},
        {"dualpipe of one",
         {{PLAN(pipeline.schedule), LP_SCHEDULE_DUALPIPE}, {DEGREE(PP), 1}},
         {DEGREE(PP), 2},
         "pp: got 1, wanted an even number with schedule dualpipe"},
        {"dualpipe of few",
         {{PLAN(pipeline.schedule), LP_SCHEDULE_DUALPIPE}, {PLAN(batch.global), 112}},
         {PLAN(batch.global), 128},
         "global-batch: got 112, wanted micro-batches (14) in an even number of at least 2 pp (16) "
         "with schedule dualpipe"},
        {"dualpipe of odd",
         {{PLAN(pipeline.schedule), LP_SCHEDULE_DUALPIPE}, {PLAN(batch.global), 136}},
         {PLAN(batch.global), 144},
         "global-batch: got 136, wanted micro-batches (17)"},
        {"dualpipe of chunks",
         {{PLAN(pipeline.schedule), LP_SCHEDULE_DUALPIPE}, {PLAN(pipeline.virtual_stages), 2}},
         {PLAN(pipeline.virtual_stages), 1},
         "virtual-stages: got 2, wanted 1 with schedule dualpipe"},
        {"zero-bubble of chunks",
         {{PLAN(pipeline.schedule), LP_SCHEDULE_ZERO_BUBBLE}, {PLAN(pipeline.virtual_stages), 2}},
         {PLAN(pipeline.virtual_stages), 1},
         "virtual-stages: got 2, wanted 1 with schedule zero-bubble"},
        {"gpipe of chunks",
         {{PLAN(pipeline.schedule), LP_SCHEDULE_GPIPE}, {PLAN(pipeline.virtual_stages), 2}},
         {PLAN(pipeline.schedule), LP_SCHEDULE_1F1B},
         "virtual-stages: got 2, wanted 1 with schedule gpipe"},
        {"chunks of one stage",
         {{PLAN(pipeline.virtual_stages), 2}, {DEGREE(PP), 1}},
         {DEGREE(PP), 2},
         "virtual-stages: got 2, wanted 1 where pp is 1"},
        {"interleaved without chunks",
         {{PLAN(pipeline.schedule), LP_SCHEDULE_INTERLEAVED}},
         {PLAN(pipeline.virtual_stages), 2},
         "schedule: got interleaved, wanted virtual-stages above 1 with it"},
        {"interleaved rounds",
         {{PLAN(pipeline.virtual_stages), 2}, {PLAN(batch.global), 160}},
         {PLAN(batch.global), 192},
         "global-batch: got 160, wanted micro-batches (20) in a multiple of pp (8) where "
         "virtual-stages is above 1"},
        {"too many chunks",
         {{PLAN(pipeline.virtual_stages), 13}},
         {PLAN(pipeline.virtual_stages), 12},
         "virtual-stages: got 13, wanted 1 to 12"},
        {"more stages than layers",
         {{SHAPE(n_layers), 7}},
         {SHAPE(n_layers), 8},
         "pp: got 8, wanted at most one stage a layer (7)"},
        {"too many slices to balance",
         {{SHAPE(n_layers), 1024}, {DEGREE(PP), 513}, {PLAN(pipeline.stages), LP_STAGES_BALANCED}},
         {DEGREE(PP), 512},
         "stage-layers: got 513 slices, wanted at most 512 unless even"},
        {"too many slices to list",
         {{SHAPE(n_layers), 1024}, {DEGREE(PP), 1024}, {PLAN(pipeline.stages), LP_STAGES_LIST}},
         {PLAN(pipeline.stages), LP_STAGES_EVEN},
         "stage-layers: got 1024 slices"},
        {"short list",
         {TWO_LISTED, {PLAN(pipeline.n_listed), 1}, {PLAN(pipeline.listed_layers[1]), 48}},
         {PLAN(pipeline.n_listed), 2},
         "stage-layers: got 1 numbers, wanted pp * virtual-stages (2)"},
        {"a layer too few",
         {TWO_LISTED, {PLAN(pipeline.n_listed), 2}, {PLAN(pipeline.listed_layers[1]), 0}},
         {PLAN(pipeline.listed_layers[1]), 48},
         "stage-layers: got 48 layers, wanted all 96"},
        {"layers left over",
         {TWO_LISTED, {PLAN(pipeline.n_listed), 2}, {PLAN(pipeline.listed_layers[1]), 47}},
         {PLAN(pipeline.listed_layers[1]), 48},
         "stage-layers: got 95 layers, wanted all 96"},
        {"layers beyond 2^32",
         {TWO_LISTED, {PLAN(pipeline.n_listed), 2}, {PLAN(pipeline.listed_layers[1]), G_MAXUINT32}},
         {PLAN(pipeline.listed_layers[1]), 48},
         "stage-layers: got 4294967343 layers, wanted all 96"},
        {"parts of an ep group of 1",
         {{PLAN(experts.relay), 2}},
         {PLAN(experts.relay), 1},
         "ep-relay: got 2, wanted a divisor of ep (1)"},
        {"zero 4", {{PLAN(zero.stage), 4}}, {PLAN(zero.stage), 2}, "zero: got 4, wanted 0 to 3"},
        {"zero 3 and dualpipe",
         {{PLAN(zero.stage), 3}, {PLAN(pipeline.schedule), LP_SCHEDULE_DUALPIPE}},
         {PLAN(pipeline.schedule), LP_SCHEDULE_ZERO_BUBBLE},
         "zero: got 3, wanted at most 2 with schedule dualpipe"},
        {"each micro-batch in dualpipe",
         {{PLAN(zero.gradient_sync), LP_GRADIENT_SYNC_EACH},
          {PLAN(pipeline.schedule), LP_SCHEDULE_DUALPIPE}},
         {PLAN(pipeline.schedule), LP_SCHEDULE_GPIPE},
         "gradient-sync: got each, wanted last with schedule dualpipe"},
        {"deepspeed without zero",
         {{PLAN(zero.variant), LP_ZERO_DEEPSPEED}},
         {PLAN(zero.stage), 1},
         "zero-variant: got deepspeed, wanted standard unless zero is 1 or 2"},
        {"deepspeed with zero 3",
         {{PLAN(zero.variant), LP_ZERO_DEEPSPEED}, {PLAN(zero.stage), 3}, {DEGREE(PP), 1}},
         {PLAN(zero.stage), 2},
         "zero-variant: got deepspeed"},
        {"broadcasts of parameters that are not updated by shares",
         {{PLAN(traits[LP_TRAIT_PARAMETER_GATHER]), LP_PARAMETER_GATHER_BROADCAST}},
         {PLAN(zero.stage), 1},
         "parameter-gather: got broadcast, wanted collective unless zero is 1 or 2"},
        {"broadcasts behind the forward pass",
         {{PLAN(traits[LP_TRAIT_PARAMETER_GATHER]), LP_PARAMETER_GATHER_BROADCAST},
          {PLAN(zero.stage), 1},
          {PLAN(overlap.param), TRUE}},
         {PLAN(overlap.param), FALSE},
         "parameter-gather: got broadcast, wanted collective with experts, overlap-param or "
         "gather-lists"},
        {"parameters kept under zero 2",
         {{PLAN(zero.keeps_parameters), TRUE}, {PLAN(zero.stage), 2}, {DEGREE(PP), 1}},
         {PLAN(zero.stage), 3},
         "reshard: got no, wanted yes unless zero is 3"},
        {"nothing to gather",
         {{PLAN(overlap.param), TRUE}},
         {PLAN(zero.stage), 1},
         "overlap-param: got yes, wanted no without zero: nothing is gathered"},
        {"hidden where hosts take turns",
         {{PLAN(traits[LP_TRAIT_HOST_SYNC]), LP_HOST_SYNC_KERNELS}, {PLAN(overlap.dp), TRUE}},
         {PLAN(overlap.dp), FALSE},
         "host-sync: got kernels, wanted another with overlap-dp"},
        {"shares of nothing",
         {{PLAN(zero.shard_degree), 2}},
         {PLAN(zero.stage), 1},
         "shard-degree: got 2, wanted 0 without zero"},
        {"shares that do not divide",
         {{PLAN(zero.shard_degree), 3}, {PLAN(zero.stage), 1}},
         {PLAN(zero.shard_degree), 2},
         "shard-degree: got 3, wanted a divisor of dp * cp (4)"},
        {"shares and ep",
         {EXPERTS, {PLAN(zero.shard_degree), 2}, {PLAN(zero.stage), 1}, {DEGREE(EP), 2}},
         {DEGREE(EP), 1},
         "shard-degree: got 2, wanted 0 with ep above 1, experts that tp does not divide, or "
         "schedule dualpipe"},
        {"shares and whole experts",
         {EXPERTS,
          {PLAN(zero.shard_degree), 2},
          {PLAN(zero.stage), 1},
          {PLAN(experts.tp), 1},
          {PLAN(sequence_parallel), TRUE}},
         {PLAN(experts.tp), 8},
         "shard-degree: got 2, wanted 0 with ep above 1"},
        {"shares and dualpipe",
         {{PLAN(zero.shard_degree), 2},
          {PLAN(zero.stage), 1},
          {PLAN(pipeline.schedule), LP_SCHEDULE_DUALPIPE}},
         {PLAN(pipeline.schedule), LP_SCHEDULE_1F1B},
         "shard-degree: got 2, wanted 0 with ep above 1"},
        {"gradients in 3 bytes",
         {{PLAN(format.gradient_bytes), 3}},
         {PLAN(format.gradient_bytes), 4},
         "gradient-precision: got 3 bytes, wanted 2 or 4 bytes"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        Case sample = changed(rows[i].changes, G_N_ELEMENTS(rows[i].changes));
        GError *error = NULL;
        lp_test_true(rows[i].label, !lp_plan_check(&sample.plan, &sample.shape, &error));
        lp_test_error(rows[i].label, &error, LP_MODEL_ERROR, LP_MODEL_ERROR_PLAN, rows[i].part);
        G_STRUCT_MEMBER(guint32, &sample, rows[i].cure.member) = rows[i].cure.value;
        g_autoptr(GError) none = NULL;
        lp_test_true(rows[i].label, lp_plan_check(&sample.plan, &sample.shape, &none));
        lp_test_text(rows[i].label, none != NULL ? none->message : NULL, NULL);
    }
}

static void
test_check_fractions(void)
{
    static const struct {
        const char *label;
        size_t member;
        double value, cure;
        const char *part;
    } rows[] = {
        {"negative bucket", PLAN(overlap.bucket_bytes), -1.0, 0.0,
         "bucket: got -1, wanted a finite size of at least 0"},
        {"infinite bucket", PLAN(overlap.bucket_bytes), INFINITY, 1e300, "bucket: got inf"},
        {"bucket not a number", PLAN(overlap.bucket_bytes), NAN, 1.0, "bucket: got"},
        {"negative overlap", PLAN(overlap.fraction), -0.1, 0.0,
         "overlap-fraction: got -0.1, wanted 0 to 1"},
        {"too much overlap", PLAN(overlap.fraction), 1.1, 1.0, "overlap-fraction: got 1.1"},
        {"overlap not a number", PLAN(overlap.fraction), NAN, 0.5, "overlap-fraction: got"},
        {"faster", PLAN(overlap.slowdown), 0.5, 1.0, "slowdown: got 0.5, wanted 1 to 100"},
        {"backwards", PLAN(overlap.slowdown), -1.0, 0.0, "slowdown: got -1"},
        {"too slow", PLAN(overlap.slowdown), 100.5, 100.0, "slowdown: got 100.5"},
        {"slowdown not a number", PLAN(overlap.slowdown), NAN, 1.5, "slowdown: got"},
        {"infinite slowdown", PLAN(overlap.slowdown), INFINITY, 2.0, "slowdown: got inf"},
        {"negative skew", PLAN(experts.skew), -0.5, 0.0, "skew: got -0.5, wanted 0 to 10"},
        {"too much skew", PLAN(experts.skew), 10.5, 10.0, "skew: got 10.5"},
        {"skew not a number", PLAN(experts.skew), NAN, 1.0, "skew: got"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        Case sample = changed(NULL, 0);
        G_STRUCT_MEMBER(double, &sample, rows[i].member) = rows[i].value;
        GError *error = NULL;
        lp_test_true(rows[i].label, !lp_plan_check(&sample.plan, &sample.shape, &error));
        lp_test_error(rows[i].label, &error, LP_MODEL_ERROR, LP_MODEL_ERROR_PLAN, rows[i].part);
        G_STRUCT_MEMBER(double, &sample, rows[i].member) = rows[i].cure;
        g_autoptr(GError) none = NULL;
        lp_test_true(rows[i].label, lp_plan_check(&sample.plan, &sample.shape, &none));
    }
}

static void
test_check_accepts(void)
{
    static const struct {
        const char *label;
        Change changes[5];
    } rows[] = {
        {"as it is", {{0}}},
        {"tp behind pp",
         {EXPERTS,
          {PLAN(order[0]), LP_AXIS_PP},
          {PLAN(order[1]), LP_AXIS_TP},
          {PLAN(order[4]), LP_AXIS_CP}}},
        {"one rank", {{DEGREE(TP), 1}, {DEGREE(PP), 1}, {DEGREE(DP), 1}}},
        {"layers that do not divide", {{SHAPE(n_layers), 97}}},
        {"1f1b with chunks is interleaved", {{PLAN(pipeline.virtual_stages), 12}}},
        {"interleaved",
         {{PLAN(pipeline.virtual_stages), 3}, {PLAN(pipeline.schedule), LP_SCHEDULE_INTERLEAVED}}},
        {"gpipe", {{PLAN(pipeline.schedule), LP_SCHEDULE_GPIPE}}},
        {"more ranks than kv-heads", {{SHAPE(n_kv_heads), 4}}},
        {"scatter-gather of one rank", {{DEGREE(TP), 1}, {PLAN(pipeline.scatter_gather), TRUE}}},
        {"any vocab without embedding", {{SHAPE(vocab), 50257}, {SHAPE(embedding), FALSE}}},
        {"most ranks", {{DEGREE(DP), 1 << 18}, {PLAN(batch.global), 1 << 19}}},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        Case sample = changed(rows[i].changes, G_N_ELEMENTS(rows[i].changes));
        g_autoptr(GError) error = NULL;
        lp_test_true(rows[i].label, lp_plan_check(&sample.plan, &sample.shape, &error));
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"check", test_check},
        {"check neighbours", test_check_neighbours},
        {"check fractions", test_check_fractions},
        {"check accepts", test_check_accepts},
        {NULL, NULL},
    };
    return lp_test_run("plan check", cases);
}
