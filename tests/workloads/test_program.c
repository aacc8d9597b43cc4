/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of training iterations: what they say they move, against the published volumes. */
#include "tests/workloads/gpt3_program.h"

#include <math.h>

static guint
stage_messages(const LpProgram *program, guint stage, LpStepKind kind)
{
    const LpStageProgram *stage_program = lp_program_stage(program, stage);
    guint n = 0;
    for (guint i = 0; i < stage_program->n_steps; i++)
        n += lp_program_step(program, stage_program->first_step + i)->kind == kind ? 1 : 0;
    return n;
}

/* GPT-3: A = b s h x = 2048 * 12288 * 2 bytes a sequence. Reference: Anthony et al., HOTI 2024: TP
 * 4 (L/p) m all-reduces of A, 6 with full recomputation; with sequence parallelism one all-gather a
 * block more in backward, 5 and 7 (Korthikanti et al., 4.2.2), and one of gradients of norms and
 * biases behind sums, 6 h a layer and 2 h at the end. */
static void
test_tp(void)
{
    static const struct {
        const char *settings;
        double n_all_reduces; /* a layer and micro-batch */
    } rows[] = {
        {"recompute=none", 4},
        {"recompute=full", 6},
        {"recompute=selective", 4},
        {"recompute=selective selective=projection", 5},
        {"recompute=selective selective=norms,ffn sequence-parallel=yes", 5.5},
        {"recompute=selective selective=qkv,projection,ffn sequence-parallel=yes", 6.5},
        {"recompute=full recompute-layers=1/3", 4.0 + 2.0 / 3.0},
        {"recompute=full recompute-layers=6", 5},
        {"recompute=none sequence-parallel=yes", 5},
        {"recompute=full sequence-parallel=yes", 7},
        {"recompute=none schedule=gpipe micro-batch=2", 4},
        {"recompute=none virtual-stages=3", 4},
        {"recompute=none layers=101", 4},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpProgram) program = lp_gpt3_program(rows[i].settings);
        g_autoptr(LpWorkload) workload = lp_gpt3_load(rows[i].settings);
        const LpPlan *plan = &workload->plan;
        double activation_bytes = plan->batch.micro * 2048.0 * 12288.0 * 2.0, n_layers = 0.0;
        for (guint stage = 0; stage < 8; stage++) {
            guint32 own = lp_plan_stage_layers(plan, &workload->transformer, stage);
            double n = rows[i].n_all_reduces * own * lp_plan_n_micro_batches(plan);
            double whole = plan->sequence_parallel ? 6.0 * own + (stage == 7 ? 2.0 : 0.0) : 0.0;
            lp_test_close(rows[i].settings, lp_gpt3_stage_bytes(program, stage, LP_TRAFFIC_TP),
                          2.0 * (n * activation_bytes + whole * 12288.0 * 2.0), 1e-12);
            n_layers += own;
        }
        lp_test_true(rows[i].settings, n_layers == workload->transformer.n_layers);
    }
}

/* 2 (p v - 1) messages a micro-batch cross the line of p v virtual stages, each b s h x, or 1/t of
 * it with scatter-gather or sequence parallelism; every send has its receive. */
static void
test_pp(void)
{
    static const struct {
        const char *settings;
        guint pp, v, m;
        guint64 bytes;
    } rows[] = {
        {"schedule=1f1b", 8, 1, 96, 50331648},
        {"schedule=gpipe", 8, 1, 96, 50331648},
        {"virtual-stages=2", 8, 2, 96, 50331648},
        {"scatter-gather=yes", 8, 1, 96, 6291456},
        {"scatter-gather=outputs", 8, 1, 96, 6291456},
        {"sequence-parallel=yes", 8, 1, 96, 6291456},
        {"pp=2 virtual-stages=3 micro-batch=4", 2, 3, 24, 201326592},
        {"pp=1", 1, 1, 96, 50331648},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpProgram) program = lp_gpt3_program(rows[i].settings);
        guint n_sent = 0, n_received = 0;
        for (guint stage = 0; stage < rows[i].pp; stage++) {
            n_sent += stage_messages(program, stage, LP_STEP_SEND);
            n_received += stage_messages(program, stage, LP_STEP_RECV);
        }
        guint wanted = 2 * (rows[i].pp * rows[i].v - 1) * rows[i].m;
        lp_test_true(rows[i].settings, n_sent == wanted && n_received == wanted);
        lp_test_true(rows[i].settings, program->pipeline.message_bytes == rows[i].bytes);
    }
}

/* What is scattered is gathered, A each time, beside the all-reduces: forward by all stages but the
 * first, and backward by all but the last, twice where these kept their outputs scattered. */
static void
test_boundary_gathers(void)
{
    static const struct {
        const char *settings;
        double forward, backward; /* gathers a micro-batch */
    } rows[] = {
        {"scatter-gather=no", 0.0, 0.0},
        {"scatter-gather=yes", 1.0, 1.0},
        {"scatter-gather=outputs", 1.0, 2.0},
    };
    g_autoptr(LpProgram) bare = lp_gpt3_program("scatter-gather=no");
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpProgram) program = lp_gpt3_program(rows[i].settings);
        for (guint stage = 0; stage < 8; stage++) {
            double gathered = lp_gpt3_stage_bytes(program, stage, LP_TRAFFIC_TP) -
                              lp_gpt3_stage_bytes(bare, stage, LP_TRAFFIC_TP);
            double n = (stage > 0 ? rows[i].forward : 0.0) + (stage < 7 ? rows[i].backward : 0.0);
            lp_test_close(rows[i].settings, gathered, n * 96.0 * 50331648.0, 1e-12);
        }
    }
}

/* A rank reduces the gradients of its parameters once, in however many buckets. */
static void
test_dp(void)
{
    static const char *const rows[] = {"overlap-dp=no",
                                       "overlap-dp=no bucket=100MB",
                                       "overlap-dp=yes",
                                       "overlap-dp=yes bucket=100MB",
                                       "overlap-dp=yes bucket=100MB virtual-stages=2",
                                       "overlap-dp=yes bucket=1B layers=99",
                                       "gradient-precision=fp32",
                                       "tied-embeddings=no",
                                       "embedding=no"};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpProgram) program = lp_gpt3_program(rows[i]);
        g_autoptr(LpWorkload) workload = lp_gpt3_load(rows[i]);
        for (guint32 stage = 0; stage < 8; stage++) {
            double n_parameters =
                lp_plan_stage_parameters(&workload->plan, &workload->transformer, stage);
            /* Buckets hold whole bytes: half a byte each at most is lost or won. */
            lp_test_close(rows[i], lp_gpt3_stage_bytes(program, stage, LP_TRAFFIC_DP),
                          2.0 * n_parameters * workload->plan.format.gradient_bytes, 1e-7);
        }
    }
}

static guint
stage_launches(const LpProgram *program, guint stage)
{
    const LpStageProgram *stage_program = lp_program_stage(program, stage);
    guint n = 0;
    for (guint i = 0; i < stage_program->n_steps; i++) {
        const LpStep *step = lp_program_step(program, stage_program->first_step + i);
        if (step->kind != LP_STEP_SEGMENT)
            continue;
        const LpSegment *segment = lp_program_segment(program, step->segment);
        for (guint k = 0; k < segment->n_ops; k++)
            n += lp_program_op(program, segment->first_op + k)->kind == LP_OP_LAUNCH ? 1 : 0;
    }
    return n;
}

/* Buckets hold whole tensors, and close when they reach their size (PyTorch's
 * DistributedDataParallel, torch/csrc/distributed/c10d/reducer.cpp:
 * compute_bucket_assignment_by_size()). On a rank of a stage of GPT-3 in 8 slices and 8 stages 12
 * layers have 4 matrices each, 12 h^2 / 8 parameters of 2 bytes: 151 MB down, 151 MB up, 38 MB and
 * 113 MB. */
static void
test_buckets(void)
{
    static const struct {
        const char *settings;
        guint n;
    } rows[] = {
        {"overlap-dp=yes", 1},
        {"overlap-dp=yes bucket=1B", 12 * 6},
        {"overlap-dp=yes bucket=100MB", 12 * 3 + 1},     /* 38 + 113; what is left of the last */
        {"overlap-dp=yes bucket=300MB", 12 / 2 * 3 + 1}, /* 302 MB, three times in two layers */
        {"overlap-dp=yes bucket=1TB", 1},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpProgram) program = lp_gpt3_program(rows[i].settings);
        guint n = stage_launches(program, 3);
        lp_test_close(rows[i].settings, n, rows[i].n, 1e-12);
    }
}

/* Parameters and gradients that a rank moves, of 2 bytes each, over its own: ZeRO 1 and 2 gather
 * what they updated and reduce-scatter gradients, 2 in all; stage 3 gathers before both passes of
 * each micro-batch, and reduce-scatters behind it, 3 (Rajbhandari et al., arXiv 1910.02054, section
 * 7), or 2 if parameters stay after the forward pass. */
static void
test_zero(void)
{
    static const struct {
        const char *settings;
        double volume;
    } rows[] = {
        {"zero=1", 2},
        {"zero=1 overlap-dp=yes bucket=1GB", 2},
        {"zero=1 overlap-param=yes", 2},
        {"zero=2 overlap-param=yes bucket=1GB", 2},
        {"zero=2 zero-variant=deepspeed", 3},
        {"zero=1 parameter-gather=broadcast", 2},
        {"pp=1 virtual-stages=1 zero=3 overlap-param=no micro-batch=6", 3 * 16},
        {"pp=1 virtual-stages=1 zero=3 overlap-param=yes prefetch=2 micro-batch=6", 3 * 16},
        {"pp=1 virtual-stages=1 zero=3 overlap-dp=yes micro-batch=96", 3},
        {"pp=1 virtual-stages=1 zero=3 reshard=no micro-batch=96", 2},
        /* In a pipeline, of 16 micro-batches, as without one; parameters that stay to the end are
         * gathered once. */
        {"zero=3 micro-batch=6", 3 * 16},
        {"zero=3 micro-batch=6 schedule=gpipe", 3 * 16},
        {"zero=3 micro-batch=6 virtual-stages=2", 3 * 16},
        {"zero=3 micro-batch=6 schedule=zero-bubble", 3 * 16},
        {"zero=3 micro-batch=6 overlap-param=yes overlap-dp=yes prefetch=3", 3 * 16},
        {"zero=3 micro-batch=6 gradient-sync=last", 2 * 16 + 1},
        {"zero=3 micro-batch=6 gradient-sync=last schedule=zero-bubble", 2 * 16 + 1},
        {"zero=3 micro-batch=6 reshard=no", 2 * 16},
        {"zero=3 micro-batch=6 reshard=no schedule=gpipe", 2 * 16},
        {"zero=3 micro-batch=6 reshard=no virtual-stages=3", 2 * 16},
        {"zero=3 micro-batch=6 reshard=no schedule=zero-bubble", 2 * 16},
        {"zero=3 micro-batch=6 reshard=no gradient-sync=last", 2},
        {"zero=3 micro-batch=6 reshard=no gradient-sync=last virtual-stages=2", 2},
        {"zero=0 micro-batch=6 gradient-sync=each", 2 * 16},
        {"zero=0 micro-batch=6 gradient-sync=each bucket=1GB overlap-dp=yes", 2 * 16},
        {"zero=2 micro-batch=6 gradient-sync=each schedule=zero-bubble", 16 + 1},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpProgram) program = lp_gpt3_program(rows[i].settings);
        g_autoptr(LpWorkload) workload = lp_gpt3_load(rows[i].settings);
        if (program == NULL || workload == NULL)
            continue;
        for (guint32 stage = 0; stage < program->pipeline.n_stages; stage++)
            lp_test_close(
                rows[i].settings, lp_gpt3_stage_bytes(program, stage, LP_TRAFFIC_DP),
                rows[i].volume * 2.0 *
                    lp_plan_stage_parameters(&workload->plan, &workload->transformer, stage),
                1e-7);
    }
}

static gboolean
gathers_parameters(const LpProgram *program, const LpSegment *segment)
{
    for (guint i = 0; i < segment->n_ops; i++) {
        const LpOp *op = lp_program_op(program, segment->first_op + i);
        if (op->group == LP_GROUP_DP && op->collective == LP_COLLECTIVE_ALL_GATHER &&
            op->kind != LP_OP_JOIN && op->kind != LP_OP_COMPUTE)
            return TRUE;
    }
    return FALSE;
}

/* Passes of @stage in @role that gather parameters. */
static guint
n_gathering_passes(const LpProgram *program, guint stage, LpRole role)
{
    const LpStageProgram *stage_program = lp_program_stage(program, stage);
    guint n = 0;
    for (guint i = 0; i < stage_program->n_steps; i++) {
        const LpStep *step = lp_program_step(program, stage_program->first_step + i);
        const LpSegment *segment =
            step->kind == LP_STEP_SEGMENT ? lp_program_segment(program, step->segment) : NULL;
        n += segment != NULL && segment->role == role && gathers_parameters(program, segment);
    }
    return n;
}

/* Which passes of 16 micro-batches on 8 stages gather: all; or, where parameters stay, only those
 * that find them freed by a backward pass: on the first stage, which warms up with 7 forward
 * passes, one more and each that follows a backward pass, and at the end 7 backward passes. */
static void
test_gathers(void)
{
    static const struct {
        const char *settings;
        LpRole backward;
        guint stage, n_forward, n_backward;
    } rows[] = {
        {"zero=3 micro-batch=6", LP_ROLE_BACKWARD, 0, 16, 16},
        {"zero=3 micro-batch=6 reshard=no", LP_ROLE_BACKWARD, 0, 9, 7},
        {"zero=3 micro-batch=6 reshard=no", LP_ROLE_BACKWARD, 7, 16, 0},
        {"zero=3 micro-batch=6 reshard=no schedule=gpipe", LP_ROLE_BACKWARD, 0, 1, 15},
        {"zero=3 micro-batch=6 reshard=no gradient-sync=last", LP_ROLE_BACKWARD, 3, 1, 0},
        {"zero=3 micro-batch=6 schedule=zero-bubble", LP_ROLE_INPUT, 2, 16, 16},
        {"zero=3 micro-batch=6 schedule=zero-bubble", LP_ROLE_WEIGHT, 2, 16, 0},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpProgram) program = lp_gpt3_program(rows[i].settings);
        if (program == NULL)
            continue;
        guint n_forward = n_gathering_passes(program, rows[i].stage, LP_ROLE_FORWARD);
        guint n_backward = n_gathering_passes(program, rows[i].stage, rows[i].backward);
        lp_test_true(rows[i].settings,
                     n_forward == rows[i].n_forward && n_backward == rows[i].n_backward);
    }
}

/* V h / t gradients, on the two ends only. */
static void
test_embedding(void)
{
    g_autoptr(LpProgram) program = lp_gpt3_program("recompute=none");
    double exchanged = 2.0 * 51200.0 * 12288.0 / 8.0 * 2.0;
    double vocabulary = 2.0 * 96.0 * 50331648.0; /* an all-reduce a micro-batch on each end */
    for (guint stage = 0; stage < 8; stage++)
        lp_test_close("stage", lp_gpt3_stage_bytes(program, stage, LP_TRAFFIC_EMBEDDING),
                      stage == 0 || stage == 7 ? exchanged + vocabulary : 0.0, 1e-12);
    g_autoptr(LpProgram) untied = lp_gpt3_program("recompute=none tied-embeddings=no");
    lp_test_close("untied", lp_gpt3_stage_bytes(untied, 0, LP_TRAFFIC_EMBEDDING), vocabulary,
                  1e-12);
    /* A module that predicts further tokens looks them up on the last stage, and goes through the
     * head: two all-reduces more a micro-batch there, and the word embedding's gradients on both
     * ends. */
    g_autoptr(LpProgram) ahead =
        lp_gpt3_program("recompute=none tied-embeddings=no mtp-layers=1 stage-layers=front");
    lp_test_close("module", lp_gpt3_stage_bytes(ahead, 0, LP_TRAFFIC_EMBEDDING),
                  exchanged + vocabulary, 1e-12);
    lp_test_close("module", lp_gpt3_stage_bytes(ahead, 7, LP_TRAFFIC_EMBEDDING),
                  exchanged + 3.0 * vocabulary, 1e-12);
}

/* Three all-reduces of 4 b s bytes a micro-batch, or one of them and one of both sums; what the
 * head's backward pass gathers once more is as much as what it sums (Korthikanti et al., arXiv
 * 2205.05198, section 4.2.2). */
static void
test_parallel_loss(void)
{
    static const char *const rows[] = {"", " fused-loss=yes", " overlap-tp=bulk",
                                       " sequence-parallel=yes",
                                       " sequence-parallel=yes overlap-tp=bulk"};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *plain =
            g_strconcat("recompute=none tied-embeddings=no overlap-tp=no", rows[i], NULL);
        g_autofree char *summed = g_strconcat(plain, " parallel-loss=yes", NULL);
        g_autoptr(LpProgram) without = lp_gpt3_program(plain);
        g_autoptr(LpProgram) with = lp_gpt3_program(summed);
        double before = lp_gpt3_stage_bytes(without, 7, LP_TRAFFIC_EMBEDDING);
        double sums = 3.0 * 2.0 * 96.0 * 4.0 * 2048.0;
        double again = i < 3 ? 0.0 : 0.5 * before;
        lp_test_close(rows[i], lp_gpt3_stage_bytes(with, 7, LP_TRAFFIC_EMBEDDING),
                      before + sums + again, 1e-12);
        lp_test_close(rows[i], lp_gpt3_stage_bytes(with, 0, LP_TRAFFIC_EMBEDDING),
                      lp_gpt3_stage_bytes(without, 0, LP_TRAFFIC_EMBEDDING), 1e-12);
    }
    g_autoptr(LpProgram) alone =
        lp_gpt3_program("recompute=none tied-embeddings=no tp=1 parallel-loss=yes");
    lp_test_close("one rank", lp_gpt3_stage_bytes(alone, 7, LP_TRAFFIC_EMBEDDING), 0.0, 1e-12);
}

/* All logits of 2,048 tokens and 51,200 words in 2 bytes, once a micro-batch, and nothing backward,
 * where each rank keeps its part of the gradient. */
static void
test_gathered_logits(void)
{
    const char *plain = "recompute=none tied-embeddings=no overlap-tp=no vocab=51200";
    g_autofree char *gathered = g_strconcat(plain, " parallel-loss=gathered", NULL);
    g_autoptr(LpProgram) without = lp_gpt3_program(plain);
    g_autoptr(LpProgram) with = lp_gpt3_program(gathered);
    double more = 96.0 * 2048.0 * 51200.0 * 2.0;
    lp_test_close("bytes", lp_gpt3_stage_bytes(with, 7, LP_TRAFFIC_EMBEDDING),
                  lp_gpt3_stage_bytes(without, 7, LP_TRAFFIC_EMBEDDING) + more, 1e-12);
    lp_test_close("first", lp_gpt3_stage_bytes(with, 0, LP_TRAFFIC_EMBEDDING),
                  lp_gpt3_stage_bytes(without, 0, LP_TRAFFIC_EMBEDDING), 1e-12);
}

static void
test_size(void)
{
    const char *settings[] = {"hidden=96", "heads=96", "ffn=96", NULL};
    g_autoptr(GError) error = NULL;
    g_autoptr(LpWorkload) workload = lp_workload_load(LP_GPT3, settings, &error);
    lp_test_true("workload", workload != NULL);
    /* A file may not have so many. */
    workload->transformer.n_layers = 1u << 24;
    g_autoptr(LpProgram) program = lp_training_program_new(workload, &lp_gpt3_accelerator, &error);
    lp_test_true("too many layers", program == NULL);
    lp_test_error("too many layers", &error, LP_PROGRAM_ERROR, LP_PROGRAM_ERROR_SIZE,
                  "gpt3-175b.xml: layers");
}

/* Bytes that 64 bits could not count: 2^24 tokens in each of 2^16 sequences, 100,000 layers. What a
 * million ranks move in an iteration of the largest models still fits; sequences of a million
 * tokens there do not. */
static void
test_volume(void)
{
    g_autoptr(LpProgram) million = lp_gpt3_program("tp=8 pp=16 dp=8192 global-batch=131072");
    lp_test_true("a million ranks", million != NULL && million->n_ranks == 1048576);
    const char *long_ones[] = {"tp=8",        "pp=16", "dp=8192", "global-batch=131072",
                               "seq=1048576", NULL};
    g_autoptr(GError) too_long = NULL;
    g_autoptr(LpWorkload) sequences = lp_workload_load(LP_GPT3, long_ones, &too_long);
    lp_test_true("workload", sequences != NULL);
    g_autoptr(LpProgram) none = lp_training_program_new(sequences, &lp_gpt3_accelerator, &too_long);
    lp_test_true("too many bytes of all", none == NULL);
    lp_test_error("too many bytes of all", &too_long, LP_PROGRAM_ERROR, LP_PROGRAM_ERROR_SIZE,
                  "got an iteration that moves up to");
    const char *settings[] = {"seq=16777216", "micro-batch=16", "global-batch=65536",
                              "layers=100000", NULL};
    g_autoptr(GError) error = NULL;
    g_autoptr(LpWorkload) workload = lp_workload_load(LP_GPT3, settings, &error);
    lp_test_true("workload", workload != NULL);
    g_autoptr(LpProgram) program = lp_training_program_new(workload, &lp_gpt3_accelerator, &error);
    lp_test_true("too many bytes", program == NULL);
    lp_test_error("too many bytes", &error, LP_PROGRAM_ERROR, LP_PROGRAM_ERROR_SIZE,
                  "got a rank that moves up to");
}

/* A message before or behind a pass belongs to that pass: its chunk and its micro-batch. */
static void
test_message_chunks(void)
{
    const char *label = "pp=4 dp=16 tp=8 virtual-stages=2 schedule=interleaved global-batch=256";
    g_autoptr(LpProgram) program = lp_gpt3_program(label);
    guint n_second = 0;
    for (guint stage = 0; program != NULL && stage < 4; stage++) {
        const LpStageProgram *stage_program = lp_program_stage(program, stage);
        for (guint i = 0; i + 1 < stage_program->n_steps; i++) {
            const LpStep *step = lp_program_step(program, stage_program->first_step + i);
            const LpStep *next = lp_program_step(program, stage_program->first_step + i + 1);
            if (step->kind == LP_STEP_RECV)
                lp_test_true(label, next->kind == LP_STEP_SEGMENT && next->chunk == step->chunk &&
                                        next->micro_batch == step->micro_batch);
            if (next->kind == LP_STEP_SEND)
                lp_test_true(label, step->kind == LP_STEP_SEGMENT && next->chunk == step->chunk &&
                                        next->micro_batch == step->micro_batch);
            n_second += step->kind != LP_STEP_SEGMENT && step->chunk == 1 ? 1 : 0;
        }
    }
    lp_test_true("messages of the second chunk", n_second > 0);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"tp", test_tp},
                                       {"pp", test_pp},
                                       {"boundary gathers", test_boundary_gathers},
                                       {"dp", test_dp},
                                       {"buckets", test_buckets},
                                       {"zero", test_zero},
                                       {"gathers", test_gathers},
                                       {"embedding", test_embedding},
                                       {"parallel loss", test_parallel_loss},
                                       {"gathered logits", test_gathered_logits},
                                       {"size", test_size},
                                       {"volume", test_volume},
                                       {"message-chunks", test_message_chunks},
                                       {NULL, NULL}};
    return lp_test_run("program", cases);
}
