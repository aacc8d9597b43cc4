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

static void
test_check_fractions(void)
{
    static const struct {
        const char *label;
        double bucket_bytes, overlap_fraction;
        const char *part;
    } rows[] = {
        {"negative bucket", -1.0, 0.0, "bucket: got -1"},
        {"infinite bucket", INFINITY, 0.0, "bucket: got inf"},
        {"bucket not a number", NAN, 0.0, "bucket: got"},
        {"negative overlap", 0.0, -0.1, "overlap-fraction: got -0.1, wanted 0 to 1"},
        {"too much overlap", 0.0, 1.1, "overlap-fraction: got 1.1"},
        {"overlap not a number", 0.0, NAN, "overlap-fraction: got"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        Case sample = changed(NULL, 0);
        sample.plan.bucket_bytes = rows[i].bucket_bytes;
        sample.plan.overlap_fraction = rows[i].overlap_fraction;
        GError *error = NULL;
        lp_test_true(rows[i].label, !lp_plan_check(&sample.plan, &sample.shape, &error));
        lp_test_error(rows[i].label, &error, LP_MODEL_ERROR, LP_MODEL_ERROR_PLAN, rows[i].part);
    }
}

static void
test_check_accepts(void)
{
    static const struct {
        const char *label;
        Change changes[3];
    } rows[] = {
        {"as it is", {{0}}},
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
        {NULL, NULL},
    };
    return lp_test_run("plan", cases);
}
