/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/model/shapes.h"
#include "tests/testlib.h"

#include <math.h>
#include <stddef.h>

#define IDENTITY 1e-12 /* the same sum in another order */

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
    {SHAPE(n_experts), 8},                                                                         \
    {                                                                                              \
        SHAPE(top_k), 2                                                                            \
    }
#define PAIR                                                                                       \
    {SHAPE(kind), LP_TRANSFORMER_ENCODER_DECODER},                                                 \
    {                                                                                              \
        SHAPE(n_decoder_layers), 4                                                                 \
    }
/* Three: the first of two stages has 48 layers. */
#define TWO_LISTED                                                                                 \
    {PLAN(stages), LP_STAGES_LIST}, {DEGREE(PP), 2},                                               \
    {                                                                                              \
        PLAN(listed_layers[0]), 48                                                                 \
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
         {{PLAN(scatter_gather), TRUE}, {PLAN(sequence_parallel), TRUE}},
         "scatter-gather: got yes, wanted no with sequence-parallel"},
        {"micro-batch 0", {{PLAN(micro_batch), 0}}, "micro-batch: got 0"},
        {"micro-batch huge", {{PLAN(micro_batch), G_MAXUINT32}}, "micro-batch: got 4294967295"},
        {"global-batch 0", {{PLAN(global_batch), 0}}, "global-batch: got 0"},
        {"global-batch that does not divide",
         {{PLAN(global_batch), 252}},
         "global-batch: got 252, wanted a multiple of dp * micro-batch (4 * 2)"},
        {"global-batch too small", {{PLAN(global_batch), 4}}, "global-batch: got 4"},
        {"more stages than layers", {{SHAPE(n_layers), 7}}, "pp: got 8"},
        {"virtual-stages 0", {{PLAN(virtual_stages), 0}}, "virtual-stages: got 0, wanted 1 to 12"},
        {"more chunks than layers", {{PLAN(virtual_stages), 13}}, "virtual-stages: got 13"},
        {"virtual stages overflow", {{PLAN(virtual_stages), 1u << 31}}, "virtual-stages: got"},
        {"virtual stages without stages",
         {{PLAN(virtual_stages), 2}, {DEGREE(PP), 1}},
         "virtual-stages: got 2, wanted 1 where pp is 1"},
        {"virtual stages under gpipe",
         {{PLAN(virtual_stages), 2}, {PLAN(schedule), LP_SCHEDULE_GPIPE}},
         "virtual-stages: got 2, wanted 1 with schedule gpipe"},
        {"interleaved without chunks",
         {{PLAN(schedule), LP_SCHEDULE_INTERLEAVED}},
         "schedule: got interleaved, wanted virtual-stages above 1"},
        {"interleaved rounds",
         {{PLAN(virtual_stages), 2}, {PLAN(global_batch), 160}},
         "global-batch: got 160, wanted micro-batches (20) in a multiple of pp (8)"},
        {"gradients in 3 bytes", {{PLAN(gradient_bytes), 3}}, "gradient-precision: got 3 bytes"},
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
         {EXPERTS, {SHAPE(n_shared_experts), 1}, {SHAPE(expert_ffn), 12}},
         {SHAPE(expert_ffn), 16},
         "tp: got 8, wanted a divisor of the width of all shared experts (12)"},
        {"shared experts of 2^32",
         {EXPERTS,
          {SHAPE(n_shared_experts), 1 << 10},
          {SHAPE(expert_ffn), 1 << 22},
          {DEGREE(TP), 3},
          {SHAPE(embedding), FALSE}},
         {DEGREE(TP), 4},
         "tp: got 3, wanted a divisor of the width of all shared experts (4294967296)"},
        {"cp against decoder-seq",
         {PAIR, {SHAPE(decoder_seq), 3}, {DEGREE(PP), 1}, {DEGREE(CP), 2}},
         {DEGREE(CP), 1},
         "cp: got 2, wanted a divisor of decoder-seq (3)"},
        {"tp against decoder-seq",
         {PAIR, {SHAPE(decoder_seq), 4}, {DEGREE(PP), 1}, {PLAN(sequence_parallel), TRUE}},
         {SHAPE(decoder_seq), 16},
         "tp: got 8, wanted a divisor of decoder-seq / cp (4) with sequence-parallel"},
        {"cp of a pair",
         {PAIR, {SHAPE(decoder_seq), 512}, {DEGREE(PP), 1}, {DEGREE(CP), 2}},
         {DEGREE(CP), 1},
         "cp: got 2, wanted 1 with kind encoder-decoder"},
        {"pp of a pair",
         {PAIR, {SHAPE(decoder_seq), 512}},
         {DEGREE(PP), 1},
         "pp: got 8, wanted 1 with kind encoder-decoder"},
        {"ulysses against heads",
         {{PLAN(context_kind), LP_CONTEXT_ULYSSES}, {DEGREE(CP), 8}},
         {DEGREE(CP), 4},
         "cp: got 8, wanted a divisor of heads / tp (12) and kv-heads / tp (12) with cp-kind "
         "ulysses, which divides heads"},
        {"ulysses against kv-heads",
         {{PLAN(context_kind), LP_CONTEXT_ULYSSES}, {DEGREE(CP), 2}, {SHAPE(n_kv_heads), 8}},
         {SHAPE(n_kv_heads), 16},
         "cp: got 2, wanted a divisor of heads / tp (12) and kv-heads / tp (1)"},
        {"ulysses against copies of kv-heads",
         {{PLAN(context_kind), LP_CONTEXT_ULYSSES}, {DEGREE(CP), 2}, {SHAPE(n_kv_heads), 2}},
         {PLAN(context_kind), LP_CONTEXT_RING},
         "kv-heads / tp (1)"},
        {"expert-tp 4",
         {EXPERTS, {PLAN(expert_tp), 4}},
         {PLAN(expert_tp), 8},
         "expert-tp: got 4, wanted 1 or tp (8)"},
        {"whole experts",
         {EXPERTS, {PLAN(expert_tp), 1}},
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
         {EXPERTS, {SHAPE(expert_ffn), 12}},
         {SHAPE(expert_ffn), 16},
         "tp: got 8, wanted a divisor of expert-ffn (12), or expert-tp 1"},
        {"ep without experts",
         {{DEGREE(EP), 2}},
         {DEGREE(EP), 1},
         "ep: got 2, wanted 1 without experts"},
        {"expert-tp without experts",
         {{PLAN(expert_tp), 2}},
         {PLAN(expert_tp), 1},
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
         {EXPERTS, {DEGREE(EP), 8}, {PLAN(expert_tp), 8}},
         {DEGREE(CP), 2},
         "ep: got 8, wanted ep * expert-tp (64) to divide tp * cp * dp (32)"},
        {"dualpipe of three",
         {{PLAN(schedule), LP_SCHEDULE_DUALPIPE}, {DEGREE(PP), 3}},
         {DEGREE(PP), 4},
         "pp: got 3, wanted an even number with schedule dualpipe"},
        {"dualpipe of one",
         {{PLAN(schedule), LP_SCHEDULE_DUALPIPE}, {DEGREE(PP), 1}},
         {DEGREE(PP), 2},
         "pp: got 1, wanted an even number with schedule dualpipe"},
        {"dualpipe of few",
         {{PLAN(schedule), LP_SCHEDULE_DUALPIPE}, {PLAN(global_batch), 112}},
         {PLAN(global_batch), 128},
         "global-batch: got 112, wanted micro-batches (14) in an even number of at least 2 pp (16) "
         "with schedule dualpipe"},
        {"dualpipe of odd",
         {{PLAN(schedule), LP_SCHEDULE_DUALPIPE}, {PLAN(global_batch), 136}},
         {PLAN(global_batch), 144},
         "global-batch: got 136, wanted micro-batches (17)"},
        {"dualpipe of chunks",
         {{PLAN(schedule), LP_SCHEDULE_DUALPIPE}, {PLAN(virtual_stages), 2}},
         {PLAN(virtual_stages), 1},
         "virtual-stages: got 2, wanted 1 with schedule dualpipe"},
        {"zero-bubble of chunks",
         {{PLAN(schedule), LP_SCHEDULE_ZERO_BUBBLE}, {PLAN(virtual_stages), 2}},
         {PLAN(virtual_stages), 1},
         "virtual-stages: got 2, wanted 1 with schedule zero-bubble"},
        {"gpipe of chunks",
         {{PLAN(schedule), LP_SCHEDULE_GPIPE}, {PLAN(virtual_stages), 2}},
         {PLAN(schedule), LP_SCHEDULE_1F1B},
         "virtual-stages: got 2, wanted 1 with schedule gpipe"},
        {"chunks of one stage",
         {{PLAN(virtual_stages), 2}, {DEGREE(PP), 1}},
         {DEGREE(PP), 2},
         "virtual-stages: got 2, wanted 1 where pp is 1"},
        {"interleaved without chunks",
         {{PLAN(schedule), LP_SCHEDULE_INTERLEAVED}},
         {PLAN(virtual_stages), 2},
         "schedule: got interleaved, wanted virtual-stages above 1 with it"},
        {"interleaved rounds",
         {{PLAN(virtual_stages), 2}, {PLAN(global_batch), 160}},
         {PLAN(global_batch), 192},
         "global-batch: got 160, wanted micro-batches (20) in a multiple of pp (8) where "
         "virtual-stages is above 1"},
        {"too many chunks",
         {{PLAN(virtual_stages), 13}},
         {PLAN(virtual_stages), 12},
         "virtual-stages: got 13, wanted 1 to 12"},
        {"more stages than layers",
         {{SHAPE(n_layers), 7}},
         {SHAPE(n_layers), 8},
         "pp: got 8, wanted at most one stage a layer (7)"},
        {"too many slices to balance",
         {{SHAPE(n_layers), 1024}, {DEGREE(PP), 513}, {PLAN(stages), LP_STAGES_BALANCED}},
         {DEGREE(PP), 512},
         "stage-layers: got 513 slices, wanted at most 512 unless even"},
        {"too many slices to list",
         {{SHAPE(n_layers), 1024}, {DEGREE(PP), 1024}, {PLAN(stages), LP_STAGES_LIST}},
         {PLAN(stages), LP_STAGES_EVEN},
         "stage-layers: got 1024 slices"},
        {"short list",
         {TWO_LISTED, {PLAN(n_listed), 1}, {PLAN(listed_layers[1]), 48}},
         {PLAN(n_listed), 2},
         "stage-layers: got 1 numbers, wanted pp * virtual-stages (2)"},
        {"a layer too few",
         {TWO_LISTED, {PLAN(n_listed), 2}, {PLAN(listed_layers[1]), 0}},
         {PLAN(listed_layers[1]), 48},
         "stage-layers: got 48 layers, wanted all 96"},
        {"layers left over",
         {TWO_LISTED, {PLAN(n_listed), 2}, {PLAN(listed_layers[1]), 47}},
         {PLAN(listed_layers[1]), 48},
         "stage-layers: got 95 layers, wanted all 96"},
        {"layers beyond 2^32",
         {TWO_LISTED, {PLAN(n_listed), 2}, {PLAN(listed_layers[1]), G_MAXUINT32}},
         {PLAN(listed_layers[1]), 48},
         "stage-layers: got 4294967343 layers, wanted all 96"},
        {"parts of an ep group of 1",
         {{PLAN(ep_relay), 2}},
         {PLAN(ep_relay), 1},
         "ep-relay: got 2, wanted a divisor of ep (1)"},
        {"zero 4", {{PLAN(zero), 4}}, {PLAN(zero), 2}, "zero: got 4, wanted 0 to 3"},
        {"zero 3 in a pipeline",
         {{PLAN(zero), 3}},
         {DEGREE(PP), 1},
         "zero: got 3, wanted at most 2 with pp above 1: each micro-batch would gather each "
         "stage's parameters anew"},
        {"each micro-batch in a pipeline",
         {{PLAN(gradient_sync), LP_GRADIENT_SYNC_EACH}},
         {DEGREE(PP), 1},
         "gradient-sync: got each, wanted last with pp above 1"},
        {"deepspeed without zero",
         {{PLAN(zero_variant), LP_ZERO_DEEPSPEED}},
         {PLAN(zero), 1},
         "zero-variant: got deepspeed, wanted standard unless zero is 1 or 2"},
        {"deepspeed with zero 3",
         {{PLAN(zero_variant), LP_ZERO_DEEPSPEED}, {PLAN(zero), 3}, {DEGREE(PP), 1}},
         {PLAN(zero), 2},
         "zero-variant: got deepspeed"},
        {"parameters kept under zero 2",
         {{PLAN(keeps_parameters), TRUE}, {PLAN(zero), 2}, {DEGREE(PP), 1}},
         {PLAN(zero), 3},
         "reshard: got no, wanted yes unless zero is 3"},
        {"nothing to gather",
         {{PLAN(overlap_param), TRUE}},
         {PLAN(zero), 1},
         "overlap-param: got yes, wanted no without zero: nothing is gathered"},
        {"shares of nothing",
         {{PLAN(shard_degree), 2}},
         {PLAN(zero), 1},
         "shard-degree: got 2, wanted 0 without zero"},
        {"shares that do not divide",
         {{PLAN(shard_degree), 3}, {PLAN(zero), 1}},
         {PLAN(shard_degree), 2},
         "shard-degree: got 3, wanted a divisor of dp * cp (4)"},
        {"shares and ep",
         {EXPERTS, {PLAN(shard_degree), 2}, {PLAN(zero), 1}, {DEGREE(EP), 2}},
         {DEGREE(EP), 1},
         "shard-degree: got 2, wanted 0 with ep above 1, experts that tp does not divide, or "
         "schedule dualpipe"},
        {"shares and whole experts",
         {EXPERTS,
          {PLAN(shard_degree), 2},
          {PLAN(zero), 1},
          {PLAN(expert_tp), 1},
          {PLAN(sequence_parallel), TRUE}},
         {PLAN(expert_tp), 8},
         "shard-degree: got 2, wanted 0 with ep above 1"},
        {"shares and dualpipe",
         {{PLAN(shard_degree), 2}, {PLAN(zero), 1}, {PLAN(schedule), LP_SCHEDULE_DUALPIPE}},
         {PLAN(schedule), LP_SCHEDULE_1F1B},
         "shard-degree: got 2, wanted 0 with ep above 1"},
        {"gradients in 3 bytes",
         {{PLAN(gradient_bytes), 3}},
         {PLAN(gradient_bytes), 4},
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
        {"negative bucket", PLAN(bucket_bytes), -1.0, 0.0,
         "bucket: got -1, wanted a finite size of at least 0"},
        {"infinite bucket", PLAN(bucket_bytes), INFINITY, 1e300, "bucket: got inf"},
        {"bucket not a number", PLAN(bucket_bytes), NAN, 1.0, "bucket: got"},
        {"negative overlap", PLAN(overlap_fraction), -0.1, 0.0,
         "overlap-fraction: got -0.1, wanted 0 to 1"},
        {"too much overlap", PLAN(overlap_fraction), 1.1, 1.0, "overlap-fraction: got 1.1"},
        {"overlap not a number", PLAN(overlap_fraction), NAN, 0.5, "overlap-fraction: got"},
        {"faster", PLAN(slowdown), 0.5, 1.0, "slowdown: got 0.5, wanted 1 to 100"},
        {"backwards", PLAN(slowdown), -1.0, 0.0, "slowdown: got -1"},
        {"too slow", PLAN(slowdown), 100.5, 100.0, "slowdown: got 100.5"},
        {"slowdown not a number", PLAN(slowdown), NAN, 1.5, "slowdown: got"},
        {"infinite slowdown", PLAN(slowdown), INFINITY, 2.0, "slowdown: got inf"},
        {"negative skew", PLAN(skew), -0.5, 0.0, "skew: got -0.5, wanted 0 to 10"},
        {"too much skew", PLAN(skew), 10.5, 10.0, "skew: got 10.5"},
        {"skew not a number", PLAN(skew), NAN, 1.0, "skew: got"},
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
        {"1f1b with chunks is interleaved", {{PLAN(virtual_stages), 12}}},
        {"interleaved", {{PLAN(virtual_stages), 3}, {PLAN(schedule), LP_SCHEDULE_INTERLEAVED}}},
        {"gpipe", {{PLAN(schedule), LP_SCHEDULE_GPIPE}}},
        {"more ranks than kv-heads", {{SHAPE(n_kv_heads), 4}}},
        {"scatter-gather of one rank", {{DEGREE(TP), 1}, {PLAN(scatter_gather), TRUE}}},
        {"any vocab without embedding", {{SHAPE(vocab), 50257}, {SHAPE(embedding), FALSE}}},
        {"most ranks", {{DEGREE(DP), 1 << 18}, {PLAN(global_batch), 1 << 19}}},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        Case sample = changed(rows[i].changes, G_N_ELEMENTS(rows[i].changes));
        g_autoptr(GError) error = NULL;
        lp_test_true(rows[i].label, lp_plan_check(&sample.plan, &sample.shape, &error));
    }
}

/* --- slices --- */

/* FLOP of @n layers from @first on as slice @slice of the plan. */
static double
slice_cost(const LpPlan *plan, const LpTransformer *shape, guint32 slice, guint32 first, guint32 n)
{
    double cost = slice == 0 ? lp_transformer_embedding_forward_flop(shape, 1.0) : 0.0;
    if (slice == lp_plan_n_slices(plan) - 1)
        cost += lp_transformer_logits_forward_flop(shape, 1.0);
    for (guint32 i = first; i < first + n; i++)
        cost += lp_transformer_layer_forward_flop(shape, i, 1.0);
    return cost;
}

/* The least slowest slice among all ways to deal the layers from @first on to @slice and on. */
static double
least_slowest(const LpPlan *plan, const LpTransformer *shape, guint32 slice, guint32 first)
{
    guint32 n_left = lp_transformer_n_layers(shape) - first;
    guint32 n_after = lp_plan_n_slices(plan) - slice - 1;
    if (n_after == 0)
        return slice_cost(plan, shape, slice, first, n_left);
    double least = INFINITY;
    for (guint32 n = 1; n + n_after <= n_left; n++)
        least = fmin(least, fmax(slice_cost(plan, shape, slice, first, n),
                                 least_slowest(plan, shape, slice + 1, first + n)));
    return least;
}

/* Slices follow each other, none is empty, and chunks of stages are all slices: each once, or under
 * dualpipe once on the stage of its number and once on that stage's mirror image. */
static void
check_partition(const char *label, const LpPlan *plan, const LpTransformer *shape)
{
    guint32 n_slices = lp_plan_n_slices(plan), next = 0, pp = plan->degree[LP_AXIS_PP];
    for (guint32 slice = 0; slice < n_slices; slice++) {
        lp_test_true(label, lp_plan_slice_first_layer(plan, shape, slice) == next);
        lp_test_true(label, lp_plan_slice_layers(plan, shape, slice) > 0);
        next += lp_plan_slice_layers(plan, shape, slice);
    }
    lp_test_true(label, next == lp_transformer_n_layers(shape));
    gboolean dual = plan->schedule == LP_SCHEDULE_DUALPIPE;
    g_autofree guint *n_holders = g_new0(guint, n_slices);
    guint n_embeddings = 0, n_heads = 0;
    for (guint32 stage = 0; stage < pp; stage++)
        for (guint32 chunk = 0; chunk < lp_plan_n_chunks(plan); chunk++) {
            guint32 slice = lp_plan_slice(plan, stage, chunk);
            lp_test_true(label, slice < n_slices);
            lp_test_true(label, lp_plan_chunk_layers(plan, shape, stage, chunk) ==
                                    lp_plan_slice_layers(plan, shape, slice));
            lp_test_true(label, !dual || slice == (chunk == 0 ? stage : pp - 1 - stage));
            n_embeddings += lp_plan_holds_embedding(plan, stage, chunk) ? 1 : 0;
            n_heads += lp_plan_holds_head(plan, stage, chunk) ? 1 : 0;
            n_holders[slice]++;
        }
    for (guint32 slice = 0; slice < n_slices; slice++)
        lp_test_true(label, n_holders[slice] == (dual ? 2 : 1));
    lp_test_true(label, n_embeddings == (dual ? 2 : 1) && n_heads == n_embeddings);
}

static void
check_balance(const char *label, const LpTransformer *shape, guint32 pp, guint32 v)
{
    g_autofree char *row = g_strdup_printf("%s, %u layers, %u stages of %u", label,
                                           lp_transformer_n_layers(shape), pp, v);
    LpPlan plan = lp_test_plan(1, pp, 1, 1, pp);
    plan.virtual_stages = v;
    plan.stages = LP_STAGES_BALANCED;
    lp_plan_balance(&plan, shape);
    check_partition(row, &plan, shape);
    double slowest = 0.0;
    for (guint32 slice = 0; slice < pp * v; slice++)
        slowest = fmax(slowest, slice_cost(&plan, shape, slice,
                                           lp_plan_slice_first_layer(&plan, shape, slice),
                                           lp_plan_slice_layers(&plan, shape, slice)));
    lp_test_close(row, slowest, least_slowest(&plan, shape, 0, 0), IDENTITY);
}

static void
test_balance(void)
{
    for (guint32 n_layers = 1; n_layers <= 9; n_layers++) {
        LpTransformer even = lp_test_gpt(n_layers, 64, 4);
        even.embedding = FALSE;
        /* The logits cost V / (12 h + 2 s) layers: 2.6. */
        LpTransformer head = lp_test_gpt(n_layers, 64, 4);
        head.vocab = 12800;
        LpTransformer image = lp_test_gpt(n_layers, 64, 4);
        image.tied_embeddings = FALSE;
        image.patch = 64;
        LpTransformer uneven = lp_test_gpt(n_layers, 64, 4);
        uneven.n_experts = 8;
        uneven.top_k = 7;
        uneven.expert_every = 2;
        uneven.window = 128;
        uneven.window_every = 3;
        for (guint32 pp = 1; pp <= n_layers && pp <= 5; pp++)
            for (guint32 v = 1; pp * v <= n_layers && v <= 2; v++) {
                check_balance("equal layers", &even, pp, v);
                check_balance("a head", &head, pp, v);
                check_balance("an image", &image, pp, v);
                check_balance("experts and windows", &uneven, pp, v);
            }
    }
}

static void
test_balance_by_hand(void)
{
    /* A head worth 51200 / (12 h + 2 s) = 10.5 of 22 layers: 16 against 6 + 10.5. */
    LpTransformer gpt = lp_test_gpt(22, 64, 4);
    LpPlan plan = lp_test_plan(1, 2, 1, 1, 2);
    plan.stages = LP_STAGES_BALANCED;
    lp_plan_balance(&plan, &gpt);
    lp_test_true("the head's stage is short", lp_plan_slice_layers(&plan, &gpt, 0) == 16);
    plan.stages = LP_STAGES_EVEN;
    lp_test_true("even", lp_plan_slice_layers(&plan, &gpt, 0) == 11);
    plan.n_listed = 7;
    lp_plan_balance(&plan, &gpt);
    lp_test_true("not asked for", plan.n_listed == 7);
    LpTransformer deep = lp_test_gpt(1024, 64, 4);
    plan = lp_test_plan(1, 1024, 1, 1, 1024);
    plan.stages = LP_STAGES_BALANCED;
    lp_plan_balance(&plan, &deep);
    lp_test_true("more slices than listed", plan.n_listed == 0);
    check_partition("more slices than listed", &plan, &deep);
    plan.degree[LP_AXIS_PP] = LP_STAGE_LIST_MAX;
    lp_plan_balance(&plan, &deep);
    check_partition("as many slices as listed", &plan, &deep);
}

static void
test_partition(void)
{
    for (guint32 n_layers = 1; n_layers <= 13; n_layers++)
        for (guint32 pp = 1; pp <= n_layers; pp++) {
            LpTransformer gpt = lp_test_gpt(n_layers, 64, 4);
            LpPlan plan = lp_test_plan(1, pp, 1, 1, pp);
            g_autofree char *label = g_strdup_printf("%u layers on %u", n_layers, pp);
            for (guint32 v = 1; v * pp <= n_layers; v++) {
                plan.virtual_stages = v;
                check_partition(label, &plan, &gpt);
            }
            plan.virtual_stages = 1;
            plan.stages = LP_STAGES_LIST;
            plan.n_listed = pp;
            for (guint32 slice = 0; slice < pp; slice++) /* all that can to the last */
                plan.listed_layers[slice] = slice + 1 < pp ? 1 : n_layers - pp + 1;
            check_partition(label, &plan, &gpt);
            plan.schedule = LP_SCHEDULE_DUALPIPE;
            if (pp % 2 == 0)
                check_partition(label, &plan, &gpt);
            plan.stages = LP_STAGES_EVEN;
            if (pp % 2 == 0)
                check_partition(label, &plan, &gpt);
        }
}

/* --- experts --- */

static const struct {
    const char *label;
    guint32 tp, cp, ep, dp, pp, expert_tp;
} expert_rows[] = {
    {"one rank", 1, 1, 1, 1, 1, 0},
    {"ep over dp", 1, 1, 4, 8, 2, 0},
    {"ep over cp and dp", 2, 2, 4, 2, 3, 0},
    {"ep over tp, whole experts", 2, 1, 8, 4, 2, 1},
    {"ep over all of a stage", 2, 2, 12, 3, 2, 1},
    {"expert-tp", 4, 1, 2, 2, 4, 4},
    {"expert-tp by default", 4, 2, 2, 3, 1, 0},
    {"replicas only", 2, 2, 1, 3, 2, 2},
    {"whole experts by default", 4, 1, 6, 3, 2, 0},
};

static LpPlan
expert_plan(guint row)
{
    LpPlan plan = lp_test_plan(expert_rows[row].tp, expert_rows[row].pp, expert_rows[row].dp, 1,
                               expert_rows[row].dp);
    plan.degree[LP_AXIS_CP] = expert_rows[row].cp;
    plan.degree[LP_AXIS_EP] = expert_rows[row].ep;
    plan.expert_tp = expert_rows[row].expert_tp;
    plan.sequence_parallel = TRUE;
    return plan;
}

/* 24 experts in 3 of 4 layers. */
static LpTransformer
expert_shape(void)
{
    LpTransformer shape = lp_test_gpt(4, 96, 12);
    shape.seq = 48;
    shape.n_experts = 24;
    shape.top_k = 3;
    shape.n_dense_layers = 1;
    shape.expert_ffn = 24;
    shape.n_shared_experts = 1;
    return shape;
}

static void
check_expert_ranks(const char *label, const LpPlan *plan)
{
    guint32 etp = lp_plan_expert_tp(plan), ep = plan->degree[LP_AXIS_EP];
    guint32 replicas = lp_plan_expert_replicas(plan);
    lp_test_true(label,
                 (guint64)etp * ep * replicas * plan->degree[LP_AXIS_PP] == lp_plan_n_ranks(plan));
    for (guint64 rank = 0; rank < lp_plan_n_ranks(plan); rank++) {
        LpExpertCoordinates at = lp_plan_expert_coordinates(plan, rank);
        LpCoordinates dense = lp_plan_coordinates(plan, rank);
        lp_test_true(label, at.tp < etp && at.ep < ep && at.dp < replicas);
        lp_test_true(label, lp_plan_expert_rank(plan, dense.at[LP_AXIS_PP], at) == rank);
        /* Ranks that share an expert share their tokens too. */
        lp_test_true(label, etp == 1 || at.tp == dense.at[LP_AXIS_TP]);
    }
}

static void
test_expert_ranks(void)
{
    LpTransformer shape = expert_shape();
    for (guint i = 0; i < G_N_ELEMENTS(expert_rows); i++) {
        guint n_valid = 0;
        for (guint order = 0; order < LP_TEST_N_ORDERS; order++) {
            LpPlan plan = expert_plan(i);
            lp_test_set_order(&plan, order);
            g_autoptr(GError) error = NULL;
            if (!lp_plan_check(&plan, &shape, &error)) {
                lp_test_true(expert_rows[i].label,
                             g_str_has_prefix(error->message, "rank-order: got tp behind"));
                continue;
            }
            n_valid++;
            g_autofree char *label = g_strdup_printf("%s, order %u", expert_rows[i].label, order);
            check_expert_ranks(label, &plan);
        }
        lp_test_true(expert_rows[i].label, n_valid >= LP_TEST_N_ORDERS / 3);
    }
}

static void
test_expert_ranks_by_hand(void)
{
    /* tp 2, dp 4, pp 2 in this order; experts over 2 of dp, divided over tp: ep before dp. */
    LpPlan plan = lp_test_plan(2, 2, 4, 1, 4);
    plan.degree[LP_AXIS_EP] = 2;
    LpExpertCoordinates at = lp_plan_expert_coordinates(&plan, 13); /* stage 1, position 5 */
    lp_test_true("ep first", at.tp == 1 && at.ep == 0 && at.dp == 1);
    plan.order[2] = LP_AXIS_DP;
    plan.order[3] = LP_AXIS_EP;
    at = lp_plan_expert_coordinates(&plan, 13);
    lp_test_true("dp first", at.tp == 1 && at.ep == 1 && at.dp == 0);
}

static void
test_expert_loads(void)
{
    LpTransformer shape = expert_shape();
    static const guint32 eps[] = {1, 2, 8, 24};
    static const double skews[] = {0.0, 0.25, 1.0, 10.0};
    for (guint i = 0; i < G_N_ELEMENTS(eps); i++)
        for (guint k = 0; k < G_N_ELEMENTS(skews); k++) {
            g_autofree char *label = g_strdup_printf("ep %u, skew %g", eps[i], skews[k]);
            LpPlan plan = lp_test_plan(1, 1, eps[i], 1, eps[i]);
            plan.degree[LP_AXIS_EP] = eps[i];
            plan.skew = skews[k];
            plan.seed = 7;
            double loads[24], again[24], others[24], mean = 0.0;
            lp_plan_expert_loads(&plan, &shape, loads);
            lp_plan_expert_loads(&plan, &shape, again);
            plan.seed = 8;
            lp_plan_expert_loads(&plan, &shape, others);
            gboolean differ = FALSE;
            for (guint e = 0; e < eps[i]; e++) {
                lp_test_true(label, loads[e] > 0.0 && loads[e] <= eps[i]);
                lp_test_close(label, again[e], loads[e], 0.0);
                differ |= fabs(others[e] - loads[e]) > 0.0;
                mean += loads[e] / eps[i];
                if (skews[k] <= 0.0)
                    lp_test_close(label, loads[e], 1.0, 0.0);
            }
            lp_test_close(label, mean, 1.0, IDENTITY);
            lp_test_true(label, differ == (skews[k] > 0.0 && eps[i] > 1));
        }
}

/* Parameters on all ranks, each counted once, are the transformer's, and a tied copy. */
static void
test_parameters_of_experts(void)
{
    LpTransformer shape = expert_shape();
    for (guint i = 0; i < G_N_ELEMENTS(expert_rows); i++)
        for (guint tied = 0; tied < 2; tied++) {
            LpPlan plan = expert_plan(i);
            shape.tied_embeddings = tied == 1;
            double n_dense = plan.degree[LP_AXIS_TP];
            double n_experts = (double)plan.degree[LP_AXIS_EP] * lp_plan_expert_tp(&plan);
            for (guint32 layer = 0; layer < shape.n_layers; layer++) {
                LpParameters part = lp_plan_layer_parameters(&plan, &shape, layer);
                lp_test_close(expert_rows[i].label, n_dense * part.dense + n_experts * part.experts,
                              lp_transformer_layer_parameters(&shape, layer), IDENTITY);
                lp_test_close(expert_rows[i].label, n_experts * part.experts,
                              lp_transformer_layer_expert_parameters(&shape, layer), IDENTITY);
            }
            double sum = 0.0;
            for (guint32 stage = 0; stage < plan.degree[LP_AXIS_PP]; stage++) {
                LpParameters part = lp_plan_rank_parameters(&plan, &shape, stage);
                sum += n_dense * part.dense + n_experts * part.experts;
            }
            double copy =
                tied == 1 && plan.degree[LP_AXIS_PP] > 1 ? (double)shape.vocab * shape.hidden : 0.0;
            lp_test_close(expert_rows[i].label, sum, lp_transformer_parameters(&shape) + copy,
                          IDENTITY);
            if (plan.degree[LP_AXIS_PP] % 2 != 0)
                continue;
            /* Everything twice; both ends stand on the same ranks, so tied embeddings need no copy.
             */
            plan.schedule = LP_SCHEDULE_DUALPIPE;
            double twice = 0.0;
            for (guint32 stage = 0; stage < plan.degree[LP_AXIS_PP]; stage++) {
                LpParameters part = lp_plan_rank_parameters(&plan, &shape, stage);
                twice += n_dense * part.dense + n_experts * part.experts;
            }
            lp_test_close(expert_rows[i].label, twice, 2.0 * lp_transformer_parameters(&shape),
                          IDENTITY);
        }
}

static void
test_names(void)
{
    lp_test_text("schedule", lp_schedule_names[LP_SCHEDULE_INTERLEAVED], "interleaved");
    lp_test_text("recompute", lp_recompute_names[LP_RECOMPUTE_FULL], "full");
    lp_test_text("precision", lp_precision_names[LP_PRECISION_FP8], "fp8");
    lp_test_text("axis", lp_axis_names[LP_AXIS_PP], "pp");
    lp_test_text("traffic", lp_traffic_names[LP_TRAFFIC_EMBEDDING], "embedding");
}

static void
test_ranks(void)
{
    static const struct {
        const char *label;
        LpAxis order[LP_N_AXES];
        guint64 strides[LP_N_AXES]; /* tp, cp, ep, dp, pp */
    } rows[] = {
        {"tp first",
         {LP_AXIS_TP, LP_AXIS_CP, LP_AXIS_EP, LP_AXIS_DP, LP_AXIS_PP},
         {1, 8, 8, 8, 24}},
        {"pp first",
         {LP_AXIS_PP, LP_AXIS_DP, LP_AXIS_EP, LP_AXIS_CP, LP_AXIS_TP},
         {15, 15, 15, 5, 1}},
        {"pp before dp",
         {LP_AXIS_TP, LP_AXIS_PP, LP_AXIS_DP, LP_AXIS_CP, LP_AXIS_EP},
         {1, 120, 120, 40, 8}},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpPlan plan = lp_test_plan(8, 5, 3, 1, 3);
        for (guint j = 0; j < LP_N_AXES; j++)
            plan.order[j] = rows[i].order[j];
        for (guint axis = 0; axis < LP_N_AXES; axis++) {
            if (axis == LP_AXIS_EP) /* it adds no ranks */
                continue;
            LpCoordinates unit = {{0}};
            unit.at[axis] = 1;
            lp_test_true(rows[i].label,
                         lp_plan_stride(&plan, (LpAxis)axis) == rows[i].strides[axis] &&
                             lp_plan_rank(&plan, &unit) == rows[i].strides[axis]);
        }
        lp_test_true(rows[i].label, lp_plan_n_ranks(&plan) == 120);
        for (guint64 rank = 0; rank < lp_plan_n_ranks(&plan); rank++) {
            LpCoordinates coordinates = lp_plan_coordinates(&plan, rank);
            lp_test_true(rows[i].label, lp_plan_rank(&plan, &coordinates) == rank);
            for (guint axis = 0; axis < LP_N_AXES; axis++)
                lp_test_true(rows[i].label, coordinates.at[axis] < plan.degree[axis]);
        }
    }
}

static void
test_largest_ranks(void)
{
    LpPlan plan = lp_test_plan(1 << 8, 1 << 8, 1 << 8, 1, 1 << 24);
    guint64 last = (1 << 24) - 1;
    LpCoordinates coordinates = lp_plan_coordinates(&plan, last);
    lp_test_true("2^24 ranks", lp_plan_n_ranks(&plan) == 1 << 24);
    lp_test_true("the last one", lp_plan_rank(&plan, &coordinates) == last);
    lp_test_true("2^16 micro-batches", lp_plan_n_micro_batches(&plan) == 1 << 16);
}

/* Every chunk has floor or ceil of the mean; the first grows never, the last at last. */
static void
check_placement(guint32 n_layers, guint32 pp, guint32 v)
{
    LpTransformer shape = lp_test_gpt(n_layers, 64, 1);
    LpPlan plan = lp_test_plan(1, pp, 1, 1, pp);
    plan.virtual_stages = v;
    g_autofree char *label = g_strdup_printf("%u layers on %u stages of %u", n_layers, pp, v);
    guint32 sum = 0;
    guint32 grown = 0;
    for (guint32 index = 0; index < pp * v; index++) {
        guint32 layers = lp_plan_chunk_layers(&plan, &shape, index % pp, index / pp);
        lp_test_true(label, layers >= n_layers / (pp * v) && layers <= n_layers / (pp * v) + 1);
        gboolean grows = layers > n_layers / (pp * v);
        lp_test_true(label, !(index == 0 && grows));
        lp_test_true(label, !(index == pp * v - 1 && grows && grown + 1 < index));
        grown += grows ? 1 : 0;
        sum += layers;
    }
    lp_test_true(label, sum == n_layers);
    sum = 0;
    for (guint32 stage = 0; stage < pp; stage++)
        sum += lp_plan_stage_layers(&plan, &shape, stage);
    lp_test_true(label, sum == n_layers);
}

static void
test_layers(void)
{
    for (guint32 n_layers = 1; n_layers <= 40; n_layers++)
        for (guint32 pp = 1; pp <= n_layers; pp++)
            for (guint32 v = 1; pp * v <= n_layers; v++)
                check_placement(n_layers, pp, v);
    check_placement(1 << 24, 1, 1);
    check_placement(105, 35, 3);
}

static void
test_layers_by_hand(void)
{
    /* 11 layers to 3 stages of 2 chunks: chunks in order 1 2 2 2 2 2; stages 1 + 2, 2 + 2, 2 + 2.
     */
    LpTransformer shape = lp_test_gpt(11, 64, 1);
    LpPlan plan = lp_test_plan(1, 3, 1, 1, 3);
    plan.virtual_stages = 2;
    lp_test_true("first", lp_plan_chunk_layers(&plan, &shape, 0, 0) == 1);
    lp_test_true("fourth", lp_plan_chunk_layers(&plan, &shape, 0, 1) == 2);
    lp_test_true("stage 0", lp_plan_stage_layers(&plan, &shape, 0) == 3);
    lp_test_true("stage 2", lp_plan_stage_layers(&plan, &shape, 2) == 4);
}

static void
test_stage_parameters(void)
{
    static const struct {
        const char *label;
        guint32 tp, pp;
        gboolean tied;
        guint32 copies; /* of the word embedding, over all stages */
    } rows[] = {
        {"one rank", 1, 1, TRUE, 1},         {"one stage, untied", 1, 1, FALSE, 2},
        {"two stages, tied", 1, 2, TRUE, 2}, {"two stages, untied", 1, 2, FALSE, 2},
        {"tp 4, pp 3", 4, 3, TRUE, 2},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpTransformer shape = lp_test_gpt(7, 64, 4);
        shape.tied_embeddings = rows[i].tied;
        LpPlan plan = lp_test_plan(rows[i].tp, rows[i].pp, 1, 1, 1);
        double sum = 0.0;
        for (guint32 stage = 0; stage < rows[i].pp; stage++)
            sum += rows[i].tp * lp_plan_stage_parameters(&plan, &shape, stage);
        double word_embedding = 51200.0 * 64.0;
        double wanted = 7.0 * (12.0 * 64.0 * 64.0 + 13.0 * 64.0) + 2048.0 * 64.0 + 2.0 * 64.0 +
                        rows[i].copies * word_embedding;
        lp_test_close(rows[i].label, sum, wanted, IDENTITY);
    }
}

static void
test_activation_bytes(void)
{
    static const guint32 wanted[LP_N_PRECISIONS] = {4, 4, 2, 2, 2};
    for (guint i = 0; i < LP_N_PRECISIONS; i++) {
        LpPlan plan = lp_test_plan(1, 1, 1, 1, 1);
        plan.precision = (LpPrecision)i;
        lp_test_true(lp_precision_names[i], lp_plan_activation_bytes(&plan) == wanted[i]);
    }
}

/* Narayanan et al., SC 2021, equation 3: 96 B s L h^2 (1 + s/6h + V/16Lh) with full recomputation;
 * without, 72 and V/12Lh. */
static void
test_flop(void)
{
    static const struct {
        const char *label;
        guint32 n_layers, hidden, n_heads, global_batch;
    } rows[] = {
        {"smallest", 1, 1, 1, 1},
        {"1.7B", 24, 2304, 24, 512},
        {"GPT-3 175B", 96, 12288, 96, 1536},
        {"1T", 128, 25600, 160, 3072},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpTransformer gpt = lp_test_gpt(rows[i].n_layers, rows[i].hidden, rows[i].n_heads);
        LpPlan plan = lp_test_plan(1, 1, 1, 1, rows[i].global_batch);
        double l = rows[i].n_layers;
        double h = rows[i].hidden;
        double bslh2 = rows[i].global_batch * 2048.0 * l * h * h;
        double model = 72.0 * bslh2 * (1.0 + 2048.0 / (6.0 * h) + 51200.0 / (12.0 * l * h));
        double full = 96.0 * bslh2 * (1.0 + 2048.0 / (6.0 * h) + 51200.0 / (16.0 * l * h));
        double scores = 4.0 * bslh2 * 2048.0 / h;
        lp_test_close(rows[i].label, lp_plan_model_flop(&plan, &gpt), model, IDENTITY);
        lp_test_close(rows[i].label, lp_plan_hardware_flop(&plan, &gpt), model, IDENTITY);
        plan.recompute = LP_RECOMPUTE_FULL;
        lp_test_close(rows[i].label, lp_plan_model_flop(&plan, &gpt), model, IDENTITY);
        lp_test_close(rows[i].label, lp_plan_hardware_flop(&plan, &gpt), full, IDENTITY);
        plan.recompute = LP_RECOMPUTE_SELECTIVE;
        lp_test_close(rows[i].label, lp_plan_hardware_flop(&plan, &gpt), model + scores, IDENTITY);
        gpt.attention = LP_ATTENTION_FLASH;
        lp_test_close(rows[i].label, lp_plan_hardware_flop(&plan, &gpt), model, IDENTITY);
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
        {"names", test_names},
        {"ranks", test_ranks},
        {"largest ranks", test_largest_ranks},
        {"layers", test_layers},
        {"layers by hand", test_layers_by_hand},
        {"stage parameters", test_stage_parameters},
        {"activation bytes", test_activation_bytes},
        {"flop", test_flop},
        {"balance", test_balance},
        {"balance by hand", test_balance_by_hand},
        {"partition", test_partition},
        {"expert ranks", test_expert_ranks},
        {"expert ranks by hand", test_expert_ranks_by_hand},
        {"expert loads", test_expert_loads},
        {"parameters of experts", test_parameters_of_experts},
        {NULL, NULL},
    };
    return lp_test_run("plan", cases);
}
