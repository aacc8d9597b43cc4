/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes on the wire equal the published volumes exactly, by traffic class; terms sum to the
 * iteration; activities follow a formula. */
#include "tests/support/spawn.h"
#include "tests/testlib.h"

#include <glib/gstdio.h>

#include <string.h>

/* 8 layers, h 1024, s 2048, V 51200: A = b s h x = b * 4194304 bytes. */
#define SMALL "layers=8 hidden=1024 heads=16 ffn=4096 "
#define A G_GUINT64_CONSTANT(4194304)
/* Parameters: 12 h^2 + 13 h a layer, (V + s) h of embedding, 2 h of the last norm. */
#define WHOLE (6 * 1024u) /* norms, and biases behind sums: on each rank of tp */
#define LAYER G_GUINT64_CONSTANT(12596224)
#define WORDS G_GUINT64_CONSTANT(52428800)
#define EMBEDDING (WORDS + G_GUINT64_CONSTANT(2097152))
#define NORM G_GUINT64_CONSTANT(2048)

typedef struct {
    const char *settings;
    guint64 tp, pp, dp, embedding; /* bytes, all ranks */
} Row;

/* Reference: Anthony et al., HOTI 2024 (arXiv 2408.10197), summed over all ranks:
 * TP n L m 2(t-1) A dp, n all-reduces a layer: 4, 6 with full recomputation, 5 sequence-parallel;
 * PP 2 (pp v - 1) m A tp dp, 1/tp of it scattered;
 * DP 2 (dp-1) P x for the parameters on each shard group, of which each rank of tp has WHOLE a
 * layer, positions and the last norm, not a share; with sequence parallelism TP sums their
 * gradients, 2 (t-1) WHOLE x a layer. Embedding: a vocabulary-parallel all-reduce at each end, 2 *
 * 2(t-1) A m dp, and, tied over stages, 2 (2-1) V h x dp for the exchange of gradients. */
static const Row rows[] = {
    {SMALL "tp=4 pp=1 dp=1 global-batch=2 recompute=none embedding=no", 4 * 8 * 2 * 6 * A, 0, 0, 0},
    {SMALL "tp=4 pp=1 dp=1 global-batch=2 recompute=full embedding=no", 6 * 8 * 2 * 6 * A, 0, 0, 0},
    {SMALL "tp=4 pp=1 dp=1 global-batch=2 recompute=none sequence-parallel=yes embedding=no",
     5 * 8 * 2 * 6 * A + 2 * 3 * 8 * WHOLE * 2, 0, 0, 0},
    {SMALL "tp=1 pp=4 dp=1 global-batch=8 embedding=no", 0, 2 * 3 * 8 * A, 0, 0},
    {SMALL "tp=1 pp=4 dp=1 global-batch=8 schedule=gpipe micro-batch=2 embedding=no", 0,
     2 * 3 * 4 * 2 * A, 0, 0},
    {SMALL "tp=1 pp=2 dp=1 global-batch=4 virtual-stages=4 embedding=no", 0, 2 * 7 * 4 * A, 0, 0},
    {SMALL "tp=1 pp=1 dp=4 global-batch=4 embedding=no", 0, 0, 2 * 3 * 8 * LAYER * 2, 0},
    {SMALL "tp=1 pp=1 dp=4 global-batch=4 tied-embeddings=yes", 0, 0,
     2 * 3 * (8 * LAYER + EMBEDDING + NORM) * 2, 0},
    {SMALL "tp=1 pp=1 dp=4 global-batch=4 tied-embeddings=no gradient-precision=fp32", 0, 0,
     2 * 3 * (8 * LAYER + EMBEDDING + NORM + WORDS) * 4, 0},
    {SMALL "tp=2 pp=2 dp=4 global-batch=16 recompute=none", 4 * 8 * 4 * 2 * A * 4,
     2 * 1 * 4 * A * 2 * 4,
     2 * 3 * (8 * LAYER + EMBEDDING + NORM + WORDS + 8 * WHOLE + EMBEDDING - WORDS + NORM) * 2,
     2 * 2 * A * 4 * 4 + 2 * WORDS * 2 * 4},
    {SMALL "tp=2 pp=2 dp=4 global-batch=16 recompute=none tied-embeddings=no",
     4 * 8 * 4 * 2 * A * 4, 2 * 1 * 4 * A * 2 * 4,
     2 * 3 * (8 * LAYER + EMBEDDING + NORM + WORDS + 8 * WHOLE + EMBEDDING - WORDS + NORM) * 2,
     2 * 2 * A * 4 * 4},
    /* Scattered: each boundary's A is sent once in all, and gathered on the other side. */
    {SMALL "tp=2 pp=2 dp=4 global-batch=16 recompute=none scatter-gather=yes embedding=no",
     4 * 8 * 4 * 2 * A * 4 + 2 * 4 * A * 4, 2 * 1 * 4 * A * 4, 2 * 3 * 8 * (LAYER + WHOLE) * 2, 0},
    {SMALL "tp=2 pp=2 dp=4 global-batch=16 recompute=none sequence-parallel=yes embedding=no",
     5 * 8 * 4 * 2 * A * 4 + 2 * 1 * 8 * WHOLE * 2 * 4, 2 * 1 * 4 * A * 4,
     2 * 3 * 8 * (LAYER + WHOLE) * 2, 0},
    /* Overlapped in buckets, layers that do not divide. */
    {"layers=9 hidden=1024 heads=16 ffn=4096 tp=2 pp=4 dp=2 global-batch=8 recompute=full "
     "embedding=no overlap-dp=yes bucket=20MB",
     6 * 9 * 4 * 2 * A * 2, 2 * 3 * 4 * A * 2 * 2, 2 * 1 * 9 * (LAYER + WHOLE) * 2, 0},
};

static const char *const modes[] = {"--fidelity=flow", "--fidelity=message",
                                    "--fidelity=flow --collapse=off",
                                    "--fidelity=message --collapse=off"};

static guint64
bytes_at(json_t *result, const char *traffic)
{
    json_t *bytes = json_object_get(result, "traffic_bytes");
    return (guint64)json_integer_value(json_object_get(bytes, traffic));
}

static void
check_bytes(const char *label, json_t *result, const Row *row)
{
    const struct {
        const char *traffic;
        guint64 wanted;
    } columns[] = {{"tp", row->tp}, {"pp", row->pp}, {"dp", row->dp},
                   {"ep", 0},       {"cp", 0},       {"embedding", row->embedding}};
    for (guint i = 0; i < G_N_ELEMENTS(columns); i++) {
        guint64 got = bytes_at(result, columns[i].traffic);
        g_autofree char *detail =
            g_strdup_printf("%s: %s: got %" G_GUINT64_FORMAT ", wanted %" G_GUINT64_FORMAT, label,
                            columns[i].traffic, got, columns[i].wanted);
        lp_test_true(detail, got == columns[i].wanted);
    }
}

static void
check_sum(const char *label, json_t *result)
{
    json_t *simulated = json_object_get(result, "simulated");
    json_t *terms = json_object_get(simulated, "terms_s"), *seconds;
    const char *name;
    double sum = 0.0;
    json_object_foreach (terms, name, seconds)
        sum += json_number_value(seconds);
    lp_test_close(label, sum, json_number_value(json_object_get(simulated, "iteration_time_s")),
                  1e-12);
}

static void
test_volumes(void)
{
    static const char *const machines[] = {
        "--system=dgx-a100 --accelerators=16",
        "--system=generic --accelerators=16 --domain-size=2 --leaf-ports=4 --oversubscription=2"};
    for (guint m = 0; m < G_N_ELEMENTS(machines); m++) {
        g_autofree char *platform = lp_spawn_platform(machines[m]);
        for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
            for (guint k = 0; k < G_N_ELEMENTS(modes); k++) {
                g_autofree char *label = g_strjoin(", ", rows[i].settings, modes[k], NULL);
                g_autoptr(json_t) result = lp_spawn_simulate(platform, rows[i].settings, modes[k]);
                if (result == NULL)
                    continue;
                check_bytes(label, result, &rows[i]);
                check_sum(label, result);
            }
        (void)g_unlink(platform);
    }
}

/* Engine activities without collapsing, latency 0, so that a message is one activity. A rank
 * computes once between any two communications: once a pass where there are none; one optimiser
 * step. A host that issues more slowly than these small kernels run makes the device wait once
 * before each collective; with CUDA graphs it costs nothing. */
static void
test_activities(void)
{
    g_autofree char *platform =
        lp_spawn_platform("--system=generic --accelerators=4 --domain-size=1 --topology=crossbar "
                          "--domain-latency=0s --scale-out-latency=0s");
    static const struct {
        const char *settings;
        const char *options;
        double activities;
    } table[] = {
        /* 2 micro-batches x (forward + backward) + optimiser */
        {"layers=2 tp=1 pp=1 dp=1 global-batch=2 recompute=none", "", 2 * 2 + 1},
        {"layers=2 tp=1 pp=1 dp=1 global-batch=2 recompute=full", "", 2 * 2 + 1},
        /* and per rank one flow for the gradients, or 2 (4-1) messages */
        {"layers=2 tp=1 pp=1 dp=4 global-batch=8 recompute=none", "", 4 * (2 * 2 + 1 + 1)},
        {"layers=2 tp=1 pp=1 dp=4 global-batch=8 recompute=none", "--fidelity=message",
         4 * (2 * 2 + 1 + 6)},
        /* two stages of a layer, and a message each way for each micro-batch */
        {"layers=2 tp=1 pp=2 dp=1 global-batch=2 recompute=none", "", 2 * (2 * 2 + 1) + 2 * 2},
        /* four all-reduces a layer and micro-batch, one flow a rank each, computing around them */
        {"layers=2 tp=2 pp=1 dp=1 global-batch=2 recompute=none cuda-graphs=yes", "",
         2 * (2 * (5 + 5) + 1 + 2 * 2 * 4)},
        {"layers=2 tp=2 pp=1 dp=1 global-batch=2 recompute=none seq=256", "",
         2 * (2 * (5 + 5) + 1 + 2 * 2 * 4 * 2)},
    };
    for (guint i = 0; i < G_N_ELEMENTS(table); i++) {
        g_autofree char *settings =
            g_strconcat("embedding=no hidden=1024 heads=16 ffn=4096 ", table[i].settings, NULL);
        g_autofree char *options = g_strconcat("--cost --collapse=off ", table[i].options, NULL);
        g_autoptr(json_t) result = lp_spawn_simulate(platform, settings, options);
        if (result != NULL)
            lp_test_close(settings, lp_test_json_number(result, "cost.activities"),
                          table[i].activities, 1e-15);
    }
    (void)g_unlink(platform);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"volumes", test_volumes}, {"activities", test_activities}, {NULL, NULL}};
    return lp_test_run("conservation", cases);
}
