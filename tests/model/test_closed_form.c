/* SPDX-License-Identifier: Apache-2.0 */
#include "model/closed_form/closed_form.h"
#include "model/times/optimizer.h"
#include "tests/model/closed_form_job.h"
#include "tests/testlib.h"

#define IDENTITY 1e-12 /* the same sum in another order */

/* Half of the fourth decimal: as many digits as the vectors have. */
#define HALF_DIGIT 5.1e-5

/* Terms computed apart from this code: TP 8 in domains of 8, micro-batch 1, fp16, no latency. */
static const struct {
    const char *label;
    guint32 n_layers, hidden, n_heads;
    guint32 pp, dp, n_micro_batches;
    double scale_up_bytes_per_s;
    double tp_s, pp_s, dp_s;
} vectors[] = {
    {"GPT-3 175B", 96, 12288, 96, 8, 16, 64, 400e9, 0.67646, 0.25770, 0.40917},
    {"145.6B", 80, 12288, 96, 8, 24, 96, 300e9, 1.1274, 0.3865, 0.3488},
    {"310.1B", 96, 16384, 128, 16, 15, 144, 300e9, 1.3529, 0.7731, 0.3618},
    {"529.6B", 105, 20480, 128, 35, 9, 280, 300e9, 1.6442, 1.8790, 0.2690},
    {"1008B", 128, 25600, 160, 64, 6, 512, 300e9, 2.5054, 4.2950, 0.2625},
};

static void
test_vectors(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(vectors); i++) {
        LpTestJob job;
        lp_test_job_init(&job,
                         lp_test_gpt(vectors[i].n_layers, vectors[i].hidden, vectors[i].n_heads),
                         lp_test_plan(8, vectors[i].pp, vectors[i].dp, 1,
                                      vectors[i].n_micro_batches * vectors[i].dp),
                         lp_test_fabric(vectors[i].scale_up_bytes_per_s, 25e9));
        lp_test_close(vectors[i].label, lp_closed_form_tp_s(&job.input), vectors[i].tp_s,
                      HALF_DIGIT / vectors[i].tp_s);
        lp_test_close(vectors[i].label, lp_closed_form_pp_s(&job.input), vectors[i].pp_s,
                      HALF_DIGIT / vectors[i].pp_s);
        /* The vectors count 4 d a layer for biases and norms, here 13 h, positions and final norm.
         */
        double uncounted =
            9.0 * job.shape.n_layers * job.shape.hidden + (2048.0 + 2.0) * job.shape.hidden;
        /* Nor do they count that each of the 8 ranks has all norms, positions and biases behind
         * sums: 6 h a layer and the same at the ends. */
        double copies = 7.0 * (6.0 * job.shape.n_layers + 2048.0 + 2.0) * (double)job.shape.hidden;
        double all = lp_transformer_parameters(&job.shape);
        double share = (all - uncounted) / (all + copies);
        lp_test_close(vectors[i].label, share * lp_closed_form_dp_s(&job.input), vectors[i].dp_s,
                      HALF_DIGIT / vectors[i].dp_s);
    }
}

static double
bubble_s(const LpClosedFormInput *input)
{
    return lp_closed_form_terms(input).s[LP_TERM_BUBBLE];
}

/* A machine with latencies: 2 us inside a domain of 8, 7 us outside. */
static LpFabric
latent_fabric(void)
{
    LpFabric fabric = lp_test_fabric(300e9, 25e9);
    fabric.scale_up_latency_s = 2e-6;
    fabric.tiers[0].latency_s = 7e-6;
    return fabric;
}

/* b 2, s 2048, h 1024, 2 bytes. */
static const double volume_bytes = 2.0 * 2048.0 * 1024.0 * 2.0;

static void
test_tp(void)
{
    static const struct {
        const char *label;
        gboolean sequence_parallel;
        LpRecompute recompute;
        gboolean early_stop, keeps_gathered;
        double collectives;
        guint32 selective;
    } rows[] = {
        {"plain", FALSE, LP_RECOMPUTE_NONE, FALSE, FALSE, 4.0, 0},
        {"selective", FALSE, LP_RECOMPUTE_SELECTIVE, TRUE, FALSE, 4.0, 0},
        {"full", FALSE, LP_RECOMPUTE_FULL, FALSE, FALSE, 6.0, 0},
        {"full without the last sum", FALSE, LP_RECOMPUTE_FULL, TRUE, FALSE, 5.0, 0},
        {"sequence parallel: a quarter more", TRUE, LP_RECOMPUTE_NONE, FALSE, FALSE, 5.0, 0},
        {"sequence parallel, full", TRUE, LP_RECOMPUTE_FULL, FALSE, FALSE, 7.0, 0},
        {"sequence parallel, full without the last scatter", TRUE, LP_RECOMPUTE_FULL, TRUE, FALSE,
         6.5, 0},
        {"sequence parallel, what was gathered is kept", TRUE, LP_RECOMPUTE_NONE, FALSE, TRUE, 4.0,
         0},
        {"and recomputation gathers it", TRUE, LP_RECOMPUTE_FULL, FALSE, TRUE, 6.0, 0},
        {"as torchtitan", TRUE, LP_RECOMPUTE_FULL, TRUE, TRUE, 5.5, 0},
        {"the projection's sum again", FALSE, LP_RECOMPUTE_SELECTIVE, FALSE, FALSE, 5.0,
         LP_RECOMPUTED_QKV | LP_RECOMPUTED_PROJECTION | LP_RECOMPUTED_FFN},
        {"the network's gather again", TRUE, LP_RECOMPUTE_SELECTIVE, FALSE, FALSE, 5.5,
         LP_RECOMPUTED_NORMS | LP_RECOMPUTED_FFN},
        {"both gathers and the scatter between", TRUE, LP_RECOMPUTE_SELECTIVE, FALSE, FALSE, 6.5,
         LP_RECOMPUTED_NORMS | LP_RECOMPUTED_QKV | LP_RECOMPUTED_PROJECTION | LP_RECOMPUTED_FFN},
        {"nothing of other ranks", TRUE, LP_RECOMPUTE_SELECTIVE, FALSE, FALSE, 5.0,
         LP_RECOMPUTED_NORMS | LP_RECOMPUTED_KEYS | LP_RECOMPUTED_ATTENTION |
             LP_RECOMPUTED_ACTIVATION},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpTestJob job;
        lp_test_job_init(&job, lp_test_gpt(24, 1024, 16), lp_test_plan(8, 4, 3, 2, 30),
                         latent_fabric());
        job.plan.sequence_parallel = rows[i].sequence_parallel;
        job.plan.recompute = rows[i].recompute;
        job.plan.selective = rows[i].selective;
        job.plan.traits[LP_TRAIT_EARLY_STOP] = rows[i].early_stop ? 1 : 0;
        job.plan.traits[LP_TRAIT_KEEP_GATHERED] = rows[i].keeps_gathered ? 1 : 0;
        job.shape.dropout = LP_DROPOUT_NO;
        double one_s = 14.0 * 2e-6 + 1.75 * volume_bytes / 300e9;
        lp_test_close(rows[i].label, lp_closed_form_tp_collectives_per_layer(&job.shape, &job.plan),
                      rows[i].collectives, 0.0);
        lp_test_close(rows[i].label, lp_closed_form_tp_collective_s(&job.input), one_s, IDENTITY);
        /* 6 layers a stage, 5 micro-batches. */
        lp_test_close(rows[i].label, lp_closed_form_tp_s(&job.input),
                      rows[i].collectives * 6.0 * 5.0 * one_s, IDENTITY);
    }
}

/* KempnerForge's profile has 12 gathers and 8 scatters a layer and micro-batch, 20 halves of an
 * all-reduce, where each of five projections gathers its input and sums its gradient of it, a layer
 * is recomputed up to its last product, and what was gathered is kept (KempnerInstitute/
 * KempnerForge, benchmarks/profiling/13b_24gpu_profiling.md: 9,679 and 6,420 in 800 of them). */
static void
test_tp_inputs(void)
{
    static const struct {
        const char *label;
        LpInputCollectives inputs;
        gboolean sequence_parallel, keeps_gathered;
        LpRecompute recompute;
        double collectives;
    } rows[] = {
        {"shared", LP_INPUT_COLLECTIVES_SHARED, TRUE, TRUE, LP_RECOMPUTE_FULL, 5.5},
        {"as profiled", LP_INPUT_COLLECTIVES_SEPARATE, TRUE, TRUE, LP_RECOMPUTE_FULL, 10.0},
        {"compiled", LP_INPUT_COLLECTIVES_SUMS_SEPARATE, TRUE, TRUE, LP_RECOMPUTE_FULL, 7.0},
        {"gathered again", LP_INPUT_COLLECTIVES_SEPARATE, TRUE, FALSE, LP_RECOMPUTE_NONE, 9.5},
        {"nothing to gather", LP_INPUT_COLLECTIVES_SEPARATE, FALSE, FALSE, LP_RECOMPUTE_NONE, 7.0},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpTestJob job;
        lp_test_job_init(&job, lp_test_llama(24, 1024, 16, 16, 4096, 32000),
                         lp_test_plan(8, 4, 3, 2, 30), latent_fabric());
        job.plan.sequence_parallel = rows[i].sequence_parallel;
        job.plan.recompute = rows[i].recompute;
        job.plan.traits[LP_TRAIT_EARLY_STOP] = TRUE;
        job.plan.traits[LP_TRAIT_KEEP_GATHERED] = rows[i].keeps_gathered ? 1 : 0;
        job.plan.traits[LP_TRAIT_SEPARATE_PROJECTIONS] = LP_PROJECTIONS_SEPARATE;
        job.plan.traits[LP_TRAIT_INPUT_COLLECTIVES] = rows[i].inputs;
        lp_test_close(rows[i].label, lp_closed_form_tp_collectives_per_layer(&job.shape, &job.plan),
                      rows[i].collectives, 0.0);
        lp_test_close(rows[i].label, lp_closed_form_tp_s(&job.input),
                      rows[i].collectives * 6.0 * 5.0 * lp_closed_form_tp_collective_s(&job.input),
                      IDENTITY);
    }
}

static void
test_tp_across_domains(void)
{
    LpTestJob job;
    lp_test_job_init(&job, lp_test_gpt(24, 1024, 16), lp_test_plan(16, 1, 1, 2, 2),
                     latent_fabric());
    lp_test_close("the slowest connection rules", lp_closed_form_tp_collective_s(&job.input),
                  30.0 * 7e-6 + 1.875 * volume_bytes / 25e9, IDENTITY);
}

static void
test_pp(void)
{
    static const struct {
        const char *label;
        guint32 tp, pp, virtual_stages;
        gboolean scatter_gather, sequence_parallel;
        double messages, latency_s, divisor, bytes_per_s;
    } rows[] = {
        {"one stage", 8, 1, 1, FALSE, FALSE, 0.0, 0.0, 1.0, 1.0},
        {"two stages", 8, 2, 1, FALSE, FALSE, 24.0, 7e-6, 1.0, 25e9},
        {"inside a domain", 4, 2, 1, FALSE, FALSE, 24.0, 2e-6, 1.0, 300e9},
        {"scattered", 8, 2, 1, TRUE, FALSE, 24.0, 7e-6, 8.0, 25e9},
        {"sequence parallel", 8, 2, 1, FALSE, TRUE, 24.0, 7e-6, 8.0, 25e9},
        {"scatter-gather of one rank", 1, 8, 1, TRUE, FALSE, 24.0, 2e-6, 1.0, 300e9},
        {"three virtual stages", 8, 4, 3, FALSE, FALSE, 72.0, 7e-6, 1.0, 25e9},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpTestJob job;
        lp_test_job_init(&job, lp_test_gpt(24, 1024, 16),
                         lp_test_plan(rows[i].tp, rows[i].pp, 1, 2, 24), latent_fabric());
        job.plan.pipeline.virtual_stages = rows[i].virtual_stages;
        job.plan.pipeline.scatter_gather = rows[i].scatter_gather;
        job.plan.sequence_parallel = rows[i].sequence_parallel;
        double message_s = rows[i].latency_s + volume_bytes / rows[i].divisor / rows[i].bytes_per_s;
        lp_test_close(rows[i].label, lp_closed_form_pp_s(&job.input), rows[i].messages * message_s,
                      IDENTITY);
    }
}

/* Gradients of norms and of biases behind sums, 6 h a layer and the last norm, in fp32 between 8
 * ranks that have a share of the sequence each: 7/4 of the bytes, and 14 latencies. */
static void
test_whole_gradients(void)
{
    LpTestJob job;
    lp_test_job_init(&job, lp_test_gpt(24, 1024, 16), lp_test_plan(8, 2, 1, 1, 1), latent_fabric());
    job.plan.format.gradient_bytes = 4;
    lp_test_close("all tokens", lp_closed_form_dp_s(&job.input), 0.0, 0.0);
    job.plan.sequence_parallel = TRUE;
    double bytes = (24.0 * 6.0 + 2.0) * 1024.0 * 4.0 / 2.0;
    lp_test_close("own tokens", lp_closed_form_dp_s(&job.input), 14.0 * 2e-6 + 1.75 * bytes / 300e9,
                  IDENTITY);
}

static void
test_dp(void)
{
    static const struct {
        const char *label;
        guint32 tp, pp, dp, gradient_bytes;
        double latencies, latency_s, factor, bytes_per_s;
    } rows[] = {
        {"one replica", 8, 2, 1, 2, 0.0, 0.0, 0.0, 1.0},
        {"two in a domain", 4, 2, 2, 2, 2.0, 2e-6, 1.0, 300e9},
        {"two domains", 8, 1, 2, 4, 2.0, 7e-6, 1.0, 25e9},
        {"many", 1, 1, 4096, 4, 8190.0, 7e-6, 2.0 * 4095.0 / 4096.0, 25e9},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpTestJob job;
        lp_test_job_init(&job, lp_test_gpt(24, 1024, 16),
                         lp_test_plan(rows[i].tp, rows[i].pp, rows[i].dp, 1, rows[i].dp),
                         latent_fabric());
        job.plan.format.gradient_bytes = rows[i].gradient_bytes;
        double whole = (24.0 * 6.0 + 2048.0 + 2.0) * 1024.0;
        double divided = lp_transformer_parameters(&job.shape) - whole;
        double bytes = (whole + divided / rows[i].tp) / rows[i].pp * rows[i].gradient_bytes;
        lp_test_close(rows[i].label, lp_closed_form_dp_s(&job.input),
                      rows[i].latencies * rows[i].latency_s +
                          rows[i].factor * bytes / rows[i].bytes_per_s,
                      IDENTITY);
    }
}

/* Every kernel's time is bytes or FLOP over one rate, so one rank's compute is a plain sum. */
static void
test_compute(void)
{
    LpTestJob job;
    lp_test_job_init(&job, lp_test_gpt(7, 1024, 16), lp_test_plan(1, 3, 1, 1, 5), latent_fabric());
    job.accelerator.memory_bytes_per_s = 1e30; /* products only */
    for (guint i = LP_RECOMPUTE_NONE; i <= LP_RECOMPUTE_FULL; i++) {
        job.plan.recompute = (LpRecompute)i;
        lp_test_close(lp_recompute_names[i], lp_closed_form_compute_s(&job.input),
                      lp_plan_hardware_flop(&job.plan, &job.shape) / 156e12 / 3.0, IDENTITY);
    }
}

static void
test_one_rank(void)
{
    LpTestJob job;
    lp_test_job_init(&job, lp_test_gpt(7, 1024, 16), lp_test_plan(1, 1, 1, 1, 5), latent_fabric());
    LpTerms terms = lp_closed_form_terms(&job.input);
    lp_test_close("compute and optimiser", lp_terms_sum(&terms),
                  lp_closed_form_compute_s(&job.input) + lp_closed_form_optimizer_s(&job.input),
                  IDENTITY);
    lp_test_close("no bubble", bubble_s(&job.input), 0.0, 0.0);
    lp_test_close("no message", lp_closed_form_pp_message_s(&job.input), 0.0, 0.0);
    lp_test_close("optimiser", lp_closed_form_optimizer_s(&job.input),
                  lp_optimizer_time_s(&job.shape, &job.plan, &job.accelerator, 0), IDENTITY);
}

/* One micro-batch walks through all stages and back: no two stages work at once. */
static void
test_one_micro_batch(void)
{
    static const guint32 stages[] = {2, 3, 4, 8};
    for (guint i = 0; i < G_N_ELEMENTS(stages); i++) {
        guint32 pp = stages[i];
        LpTestJob job;
        lp_test_job_init(&job, lp_test_gpt(24, 1024, 16), lp_test_plan(1, pp, 1, 1, 1),
                         latent_fabric());
        job.plan.pipeline.schedule = LP_SCHEDULE_GPIPE;
        LpTerms terms = lp_closed_form_terms(&job.input);
        double walk_s = pp * lp_closed_form_compute_s(&job.input) +
                        2.0 * (pp - 1) * lp_closed_form_pp_message_s(&job.input) +
                        lp_closed_form_optimizer_s(&job.input);
        g_autofree char *label = g_strdup_printf("%u stages", pp);
        lp_test_close(label, lp_terms_sum(&terms), walk_s, IDENTITY);
    }
}

static void
test_bubble(void)
{
    LpTestJob job;
    lp_test_job_init(&job, lp_test_gpt(24, 1024, 16), lp_test_plan(8, 4, 2, 1, 16),
                     latent_fabric());
    double busy_s = lp_closed_form_compute_s(&job.input) + lp_closed_form_tp_s(&job.input);
    lp_test_close("3/8 busy, 2/8 of the messages", bubble_s(&job.input),
                  0.375 * busy_s + 0.25 * lp_closed_form_pp_s(&job.input), IDENTITY);
    job.plan.pipeline.virtual_stages = 3;
    lp_test_close("a third of it with three chunks", bubble_s(&job.input),
                  0.125 * busy_s + lp_closed_form_pp_s(&job.input) / 12.0, IDENTITY);
}

/* ZeRO 3 on 4 stages of 6 layers, of 8 micro-batches and 2 replicas: each gather and each sum is a
 * half of a ring for each of the layers. Filling and draining 3 more stages takes those of one
 * micro-batch that others wait for. */
static void
test_pipelined_shards(void)
{
    static const struct {
        const char *label;
        gboolean keeps;
        LpGradientSync sync;
        gboolean hides, waits;
        double n, n_bubble; /* of all gathers and sums, and of those in the bubble, a stage */
    } rows[] = {
        {"two gathers and a sum", FALSE, LP_GRADIENT_SYNC_AUTO, FALSE, FALSE, 3.0 * 8.0, 3.0},
        {"summed last", FALSE, LP_GRADIENT_SYNC_LAST, FALSE, FALSE, 2.0 * 8.0 + 1.0, 3.0},
        {"freed by backward passes", TRUE, LP_GRADIENT_SYNC_EACH, FALSE, FALSE, 2.0 * 8.0, 3.0},
        {"kept to the end", TRUE, LP_GRADIENT_SYNC_LAST, FALSE, FALSE, 2.0, 2.0},
        {"sums hidden", FALSE, LP_GRADIENT_SYNC_EACH, TRUE, FALSE, 3.0 * 8.0, 2.0},
        {"those of one set of shards wait", FALSE, LP_GRADIENT_SYNC_EACH, TRUE, TRUE, 3.0 * 8.0,
         3.0},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpTestJob job;
        lp_test_job_init(&job, lp_test_gpt(24, 1024, 16), lp_test_plan(8, 4, 2, 1, 16),
                         latent_fabric());
        job.shape.embedding = FALSE;
        job.plan.zero.stage = 3;
        job.plan.zero.keeps_parameters = rows[i].keeps;
        job.plan.zero.gradient_sync = rows[i].sync;
        job.plan.overlap.dp = rows[i].hides;
        job.plan.overlap.dp_waits = rows[i].waits;
        double whole = 6.0 * 1024.0; /* norms, and biases behind sums */
        double layer_bytes =
            (whole + (lp_transformer_layer_parameters(&job.shape, 0) - whole) / 8.0) * 2.0;
        double one_s = 6.0 * (7e-6 + 0.5 * layer_bytes / 25e9);
        double busy_s = lp_closed_form_compute_s(&job.input) + lp_closed_form_tp_s(&job.input);
        lp_test_close(rows[i].label, lp_closed_form_dp_s(&job.input), rows[i].n * one_s, IDENTITY);
        lp_test_close(rows[i].label, bubble_s(&job.input),
                      0.375 * busy_s + 0.25 * lp_closed_form_pp_s(&job.input) +
                          3.0 * rows[i].n_bubble * one_s,
                      IDENTITY);
    }
}

static void
test_compose(void)
{
    LpTestJob job;
    lp_test_job_init(&job, lp_test_gpt(24, 1024, 16), lp_test_plan(8, 4, 2, 1, 16),
                     latent_fabric());
    job.plan.overlap.fraction = 0.25;
    LpClosedFormCommunication own = {lp_closed_form_tp_s(&job.input),
                                     lp_closed_form_pp_s(&job.input),
                                     lp_closed_form_dp_s(&job.input), 0.0, 0.0};
    LpTerms terms = lp_closed_form_terms(&job.input);
    LpTerms composed = lp_closed_form_compose(&job.input, &own);
    for (guint i = 0; i < LP_N_TERMS; i++)
        lp_test_close(lp_term_names[i], composed.s[i], terms.s[i], 0.0);
    lp_test_close("a quarter is hidden", terms.s[LP_TERM_DP], 0.75 * own.dp_s, IDENTITY);
    LpClosedFormCommunication measured = {1.0, 2.0, 4.0, 0.0, 0.0};
    composed = lp_closed_form_compose(&job.input, &measured);
    double compute_s = lp_closed_form_compute_s(&job.input);
    lp_test_close("given times", lp_terms_sum(&composed),
                  compute_s + 1.0 + 2.0 + 3.0 + 0.375 * (compute_s + 1.0) + 0.25 * 2.0 +
                      lp_closed_form_optimizer_s(&job.input),
                  IDENTITY);
    job.plan.overlap.fraction = 1.0;
    composed = lp_closed_form_compose(&job.input, &measured);
    lp_test_close("all hidden", composed.s[LP_TERM_DP], 0.0, 0.0);
}

/* In a ring of t shares the products of one wait for the last message, or come before the first,
 * so that behind messages that take longer than all products t - 1 of t are hidden; and of short
 * messages nothing is left. With pairs alone nothing but these products hides anything. */
static void
test_tp_ring(void)
{
    static const guint32 degrees[] = {2, 4, 8};
    for (guint i = 0; i < G_N_ELEMENTS(degrees); i++) {
        guint32 tp = degrees[i];
        LpTestJob job;
        lp_test_job_init(&job, lp_test_gpt(24, 1024, 16), lp_test_plan(tp, 4, 1, 1, 16),
                         lp_test_fabric(1e3, 25e9));
        job.plan.sequence_parallel = TRUE;
        job.plan.recompute = LP_RECOMPUTE_NONE;
        job.plan.overlap.tp = LP_OVERLAP_TP_RING;
        job.plan.traits[LP_TRAIT_OVERLAP_TP_PAIRS] = TRUE;
        static const struct {
            LpPass pass;
            LpBlockPart part;
        } beside[] = {{LP_PASS_FORWARD, LP_BLOCK_PART_INPUT_PRODUCT},
                      {LP_PASS_FORWARD, LP_BLOCK_PART_OUTPUT_PRODUCT},
                      {LP_PASS_BACKWARD_INPUT, LP_BLOCK_PART_INPUT_PRODUCT}};
        double product_s = 0.0;
        for (guint k = 0; k < G_N_ELEMENTS(beside); k++)
            for (guint block = 0; block < 2; block++)
                product_s += lp_block_part_work(&job.shape, &job.plan, &job.accelerator, 0,
                                                block == 0 ? LP_BLOCK_ATTENTION : LP_BLOCK_FFN,
                                                beside[k].pass, beside[k].part)
                                 .device_s;
        LpTerms hides = lp_closed_form_terms(&job.input);
        job.plan.overlap.tp = LP_OVERLAP_TP_NO;
        LpTerms waits = lp_closed_form_terms(&job.input);
        g_autofree char *label = g_strdup_printf("tp %u", tp);
        /* 16 micro-batches and 6 layers a stage; the difference of large terms has fewer digits. */
        lp_test_close(label, waits.s[LP_TERM_TP] - hides.s[LP_TERM_TP],
                      16.0 * 6.0 * product_s * (tp - 1.0) / tp, 1e-6);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"vectors", test_vectors},
        {"tp", test_tp},
        {"inputs of tp", test_tp_inputs},
        {"a ring of tp", test_tp_ring},
        {"tp across domains", test_tp_across_domains},
        {"pp", test_pp},
        {"dp", test_dp},
        {"whole gradients", test_whole_gradients},
        {"compute", test_compute},
        {"one rank", test_one_rank},
        {"one micro-batch", test_one_micro_batch},
        {"bubble", test_bubble},
        {"pipelined shards", test_pipelined_shards},
        {"compose", test_compose},
        {NULL, NULL},
    };
    return lp_test_run("closed form", cases);
}
