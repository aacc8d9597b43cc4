/* SPDX-License-Identifier: Apache-2.0 */
/* Mixers in attention's place: their figures against what papers and software count. */
#include "base/file.h"
#include "model/times/kernel.h"
#include "model/memory/memory_layer.h"
#include "model/times/mixer.h"
#include "tests/support/temporary.h"
#include "tests/testlib.h"
#include "workloads/description/workload.h"

#include <math.h>
#include <string.h>

#define SHAPE                                                                                      \
    "layers=4", "hidden=4096", "heads=32", "kv-heads=8", "head-width=128", "ffn=8192",             \
        "ffn-kind=swiglu", "attention=flash", "seq=8192", "vocab=32000", "micro-batch=1",          \
        "global-batch=64", "precision=bf16"

/* Returns: (transfer full) a workload of SHAPE with @more, or NULL with @error set. */
static LpWorkload *
make(const char *const *more, GError **error)
{
    static const char *const shape[] = {SHAPE, NULL};
    g_autoptr(GStrvBuilder) all = g_strv_builder_new();
    g_strv_builder_addv(all, (const char **)(gpointer)(guintptr)shape);
    g_strv_builder_addv(all, (const char **)(gpointer)(guintptr)more);
    g_auto(GStrv) settings = g_strv_builder_end(all);
    return lp_workload_new("x.xml", "x", (const char *const *)settings, error);
}

/* Returns: (transfer full) the same, or NULL after a failed assertion. */
static LpWorkload *
made(const char *label, const char *const *more)
{
    g_autoptr(GError) error = NULL;
    LpWorkload *workload = make(more, &error);
    lp_test_text(label, error != NULL ? error->message : NULL, NULL);
    return workload;
}

/* FLOP a token of the mixer's forward pass. */
static double
flop(const LpWorkload *workload)
{
    return workload->transformer.mixers[0].forward_flop / workload->transformer.seq;
}

/* Megatron-LM counts projections, convolution and the recurrence, not the products within chunks:
 * megatron/training/training.py, mamba_layer_flops and gdn_layer_flops, August 2026. Chunks of 64
 * and 128 tokens add to that; projections are 93 % of Mamba-2's and 95 % of the gated DeltaNet's.
 */
static void
test_flop(void)
{
    g_autoptr(LpWorkload) mamba =
        made("mamba-2", (const char *const[]){"layer-pattern=mamba-2", NULL});
    double hidden = 4096.0, inner = 2.0 * hidden, state = 128.0;
    double published = 2.0 * hidden * (2.0 * inner + 2.0 * 8.0 * state + 128.0) +
                       7.0 * inner * state + 2.0 * inner * hidden;
    lp_test_close("mamba-2", flop(mamba), published, 0.01);
    g_autoptr(LpWorkload) delta =
        made("gated-delta-net", (const char *const[]){"layer-pattern=gated-delta-net", NULL});
    double keys = 16.0 * 128.0, values = 32.0 * 128.0;
    published = 2.0 * (hidden * (2.0 * keys + 2.0 * values + 64.0) + 4.0 * (2.0 * keys + values) +
                       32.0 * 128.0 * 128.0 * 4.0 + hidden * values);
    lp_test_close("gated-delta-net", flop(delta), published, 0.02);
}

/* Gu and Dao, arXiv 2312.00752, figure 3: projections to twice two times the width and back, and of
 * a step of rank h / 16, B and C of 16, which the scan takes outside the units for products. */
static void
test_first_mamba(void)
{
    g_autoptr(LpWorkload) mamba =
        made("mamba-1", (const char *const[]){"layer-pattern=mamba-1", NULL});
    double hidden = 4096.0, inner = 2.0 * hidden, rank = hidden / 16.0;
    lp_test_close("flop", flop(mamba), 2.0 * inner * (3.0 * hidden + 2.0 * rank + 2.0 * 16.0),
                  1e-12);
    LpKernel kernels[LP_KERNELS_MAX];
    guint n = lp_block_kernels(&mamba->transformer, &mamba->plan, 0, LP_BLOCK_ATTENTION,
                               LP_PASS_FORWARD, kernels);
    double operations = 0.0;
    for (guint i = 0; i < n; i++)
        operations += kernels[i].operations;
    lp_test_close("operations", operations,
                  9.0 * inner * 16.0 * lp_plan_tokens(&mamba->plan, mamba->transformer.seq), 1e-12);
}

/* Kimi Team, arXiv 2510.26692, section 6.2: 6 T d^2 + 3 T C d + T C^2 a head. The kernels' products
 * of chunks are whole squares, of which the formula counts triangles: the terms that do not depend
 * on the chunk are equal, and where heads are much wider than chunks all of it. */
static void
test_delta_flop(void)
{
    const char *const settings[] = {"layer-pattern=kimi-delta-attention",
                                    "delta-key-heads=1",
                                    "delta-value-heads=1",
                                    "delta-key-width=16384",
                                    "delta-value-width=16384",
                                    NULL};
    g_autoptr(LpWorkload) workload = made("kimi-delta-attention", settings);
    double d = 16384.0, c = 64.0, hidden = 4096.0;
    double weights = hidden * (3.0 * d + 1.0) + d * hidden + 2.0 * hidden * d + 2.0 * d * d;
    lp_test_close("kimi-delta-attention", flop(workload) - 2.0 * weights,
                  6.0 * d * d + 3.0 * c * d + c * c, 0.01);
}

/* Attention under DeepSeek's indexer does not grow with the sequence, the indexer does, by
 * 2 H d s FLOP a token (arXiv 2512.02556, section 2.1): 64 heads of 128. */
static void
test_sparse(void)
{
    double got[2];
    for (guint i = 0; i < 2; i++) {
        const char *const settings[] = {"layer-pattern=sparse-attention",
                                        "kv-heads=32",
                                        "kv-rank=512",
                                        "query-rank=1536",
                                        "rope-width=64",
                                        i == 0 ? "seq=8192" : "seq=16384",
                                        NULL};
        g_autoptr(LpWorkload) workload = made("sparse-attention", settings);
        got[i] = flop(workload);
    }
    lp_test_close("sparse-attention", got[1] - got[0], 2.0 * 64.0 * 128.0 * 8192.0, 1e-9);
}

/* Ranks of tp and cp divide a mixer's products among them. */
static void
test_divided(void)
{
    static const char *const mixers[] = {"layer-pattern=mamba-2", "layer-pattern=gated-delta-net",
                                         "layer-pattern=gated-attention"};
    static const char *const divided[] = {"tp=4", "cp=4"};
    for (guint i = 0; i < G_N_ELEMENTS(mixers) * G_N_ELEMENTS(divided); i++) {
        const char *const settings[] = {mixers[i / 2], divided[i % 2], NULL};
        g_autoptr(LpWorkload) workload = made(settings[0], settings);
        for (LpPass pass = 0; workload != NULL && pass < LP_PASS_RECOMPUTE; pass++) {
            double sum[2] = {0.0, 0.0};
            LpPlan whole = workload->plan;
            whole.degree[LP_AXIS_TP] = whole.degree[LP_AXIS_CP] = 1;
            for (guint k = 0; k < 2; k++) {
                LpKernel kernels[LP_KERNELS_MAX];
                guint n =
                    lp_block_kernels(&workload->transformer, k == 0 ? &whole : &workload->plan, 0,
                                     LP_BLOCK_ATTENTION, pass, kernels);
                for (guint at = 0; at < n; at++)
                    sum[k] += lp_kernel_flop(&kernels[at]);
            }
            lp_test_close(settings[0], 4.0 * sum[1], sum[0], 1e-12);
        }
        double all = lp_transformer_layer_parameters(&workload->transformer, 0);
        double kept = lp_memory_layer_bytes(&workload->transformer, &workload->plan, 0, 0);
        lp_test_true(settings[0], all > 0.0 && kept > 0.0);
    }
}

/* What lies by sequence is copied at each of the five collectives of a mixer that is divided, read
 * and written, in 2 bytes; again where products are computed again. */
static void
test_copied(void)
{
    static const char *const mixers[] = {"layer-pattern=mamba-2", "layer-pattern=gated-delta-net"};
    static const double copies[LP_N_PASSES] = {[LP_PASS_FORWARD] = 2.0,
                                               [LP_PASS_BACKWARD_INPUT] = 2.0,
                                               [LP_PASS_BACKWARD_WEIGHT] = 1.0,
                                               [LP_PASS_RECOMPUTE] = 2.0};
    for (guint i = 0; i < G_N_ELEMENTS(mixers); i++) {
        const char *const settings[] = {mixers[i], "tp=4", "sequence-parallel=yes", NULL};
        g_autoptr(LpWorkload) workload = made(mixers[i], settings);
        if (workload == NULL)
            continue;
        workload->plan.traits[LP_TRAIT_LAYOUT] = LP_LAYOUT_BATCH_FIRST;
        /* Part by part, where all parts are computed again. */
        workload->plan.recompute = LP_RECOMPUTE_SELECTIVE;
        workload->plan.selective = LP_RECOMPUTED_NORMS | LP_RECOMPUTED_QKV |
                                   LP_RECOMPUTED_ATTENTION | LP_RECOMPUTED_PROJECTION |
                                   LP_RECOMPUTED_RESIDUAL;
        for (LpPass pass = 0; pass < LP_N_PASSES; pass++) {
            LpKernel kernels[LP_KERNELS_MAX];
            guint n = lp_block_kernels(&workload->transformer, &workload->plan, 0,
                                       LP_BLOCK_ATTENTION, pass, kernels);
            double bytes = 0.0;
            for (guint k = 0; k < n; k++)
                bytes += strcmp(kernels[k].name, "reorder") == 0 ? kernels[k].bytes : 0.0;
            lp_test_close(mixers[i], bytes, copies[pass] * 2.0 * 8192.0 * 4096.0 * 2.0, 0.0);
        }
    }
}

/* Mamba-2 of 2.7 billion: 64 blocks without networks, 2,560 wide (Dao and Gu, arXiv 2405.21060,
 * table 1). */
static void
test_blocks_alone(void)
{
    const char *const settings[] = {"layer-pattern=mamba-2", "single-blocks=yes", "layers=64",
                                    "hidden=2560",           "mamba-groups=1",    "vocab=50288",
                                    "norm=rmsnorm",          "positions=none",    NULL};
    g_autoptr(LpWorkload) workload = made("mamba2-2.7b", settings);
    lp_test_close("mamba2-2.7b", lp_transformer_parameters(&workload->transformer), 2.7e9,
                  0.05 / 2.7);
    LpLayer layer = lp_transformer_layer(&workload->transformer, 0);
    lp_test_true("no network", layer.has_mixer && !layer.has_network && layer.mixer == 1);
}

/* Parameters of Nemotron 3: Nano as the tensors of nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16 have
 * them; Super by its name, NVIDIA-Nemotron-3-Super-120B-A12B, with 12 for a token, of experts that
 * take tokens of a quarter of the width. */
static void
test_nemotron_3(void)
{
#define NEMOTRON                                                                                   \
    "ffn-kind=gelu", "norm=rmsnorm", "bias=no", "dropout=no", "positions=none", "kv-heads=2",      \
        "vocab=131072", "tied-embeddings=no", "shared-experts=2"
    const char *const nano[] = {
        NEMOTRON,
        "layers=52",
        "hidden=2688",
        "experts=128",
        "top-k=6",
        "ffn=1856",
        "expert-ffn=1856",
        "mamba-heads=64",
        "layer-pattern=MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME",
        NULL};
    const char *const super[] = {NEMOTRON,
                                 "layers=88",
                                 "experts=512",
                                 "top-k=22",
                                 "ffn=2688",
                                 "expert-ffn=2688",
                                 "expert-latent=1024",
                                 "mamba-heads=128",
                                 "layer-pattern=MEMEMEM*EMEMEMEM*EMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*"
                                 "EMEMEMEMEM*EMEMEMEMEM*EMEMEMEM*EMEMEMEME",
                                 NULL};
    g_autoptr(LpWorkload) small = made("Nemotron 3 Nano", nano);
    lp_test_close("Nemotron 3 Nano", lp_transformer_parameters(&small->transformer), 31577937344.0,
                  0.0);
    g_autoptr(LpWorkload) large = made("Nemotron 3 Super", super);
    lp_test_close("Nemotron 3 Super", lp_transformer_parameters(&large->transformer), 120e9, 0.01);
    lp_test_close("of a token", lp_transformer_active_parameters(&large->transformer), 12e9, 0.07);
}

static void
test_errors(void)
{
    static const struct {
        const char *settings[4], *part;
    } rows[] = {
        {{"layer-pattern=mamba-3", NULL}, "layer-pattern: got \"mamba-3\", wanted one of full"},
        {{"layer-pattern=mamba-2", "mamba-heads=129", NULL},
         "mamba-groups: got 8, wanted a divisor"},
        {{"layer-pattern=mamba-2", "tp=16", "mamba-heads=32", NULL},
         "tp: got 16, wanted a divisor of mamba-groups (8)"},
        {{"layer-pattern=mamba-1", "tp=2", NULL}, "tp: got 2, wanted a divisor of mamba-1-parts"},
        {{"layer-pattern=sparse-attention", NULL}, "kv-rank: got 0, wanted at least 1 with layers"},
        {{"expert-latent=8", NULL}, "experts: got 0, wanted at least 1 with top-k"},
        {{"single-blocks=yes", NULL}, "single-blocks: got yes, wanted no"},
        {{"layer-pattern=full+experts", NULL}, "experts: got 0, wanted at least 1"},
        {{"layer-pattern=mamba-2", "kind=encoder", NULL}, "wanted neither unless kind is decoder"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(LpWorkload) workload = make(rows[i].settings, &error);
        lp_test_true(rows[i].part, workload == NULL && error != NULL);
        lp_test_contains(rows[i].part, error != NULL ? error->message : "", rows[i].part);
    }
}

/* A mixer of one's own is a file: here an average of the tokens before, h wide. */
static void
test_own(void)
{
    static const char list[] =
        "<kernels name=\"averages\" like=\"standard\">\n"
        "  <size name=\"average-width\" default=\"512\" meaning=\"Width.\"/>\n"
        "  <mixer name=\"average\" parameters=\"2 * hidden * average-width\"\n"
        "         kept=\"average-width * element-bytes\">\n"
        "    <pass name=\"forward\">\n"
        "      <part name=\"entry\"><use group=\"weight\" name=\"in\" inputs=\"hidden\" "
        "outputs=\"average-width / tp\"\n"
        "        product=\"result\"/></part>\n"
        "      <part name=\"core\"><sweep name=\"average\" bytes=\"2 * tokens * average-width * "
        "element-bytes\"/></part>\n"
        "      <part name=\"exit\"><use group=\"weight\" name=\"out\" inputs=\"average-width / "
        "tp\" outputs=\"hidden\"\n"
        "        product=\"result\"/></part>\n"
        "    </pass>\n"
        "  </mixer>\n"
        "</kernels>\n";
    char *path = lp_temporary_with_suffix(".xml", list, -1);
    g_autofree char *kernels = g_strconcat("kernels=", path, NULL);
    const char *const settings[] = {"layer-pattern=3*average+1*full", kernels, NULL};
    g_autoptr(LpWorkload) workload = made("own mixer", settings);
    lp_test_close("parameters", workload->transformer.mixers[0].parameters, 2.0 * 4096.0 * 512.0,
                  0.0);
    lp_test_close("FLOP", flop(workload), 4.0 * 4096.0 * 512.0, 1e-12);
    const char *const divided[] = {"layer-pattern=3*average+1*full", kernels, "cp=2", NULL};
    g_autoptr(GError) error = NULL;
    g_autoptr(LpWorkload) refused = make(divided, &error);
    lp_test_true("without an exchange", refused == NULL);
    lp_test_contains("without an exchange", error->message,
                     "cp: got 2, wanted 1 with layers of average");
    lp_temporary_remove(path);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"flop", test_flop},
                                       {"first mamba", test_first_mamba},
                                       {"delta_flop", test_delta_flop},
                                       {"sparse", test_sparse},
                                       {"divided", test_divided},
                                       {"copied", test_copied},
                                       {"blocks_alone", test_blocks_alone},
                                       {"nemotron_3", test_nemotron_3},
                                       {"errors", test_errors},
                                       {"own", test_own},
                                       {NULL, NULL}};
    return lp_test_run("mixers", cases);
}
