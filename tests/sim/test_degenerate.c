/* SPDX-License-Identifier: Apache-2.0 */
/* Where the closed form is exact (one flow a link, no overlap, equal stages) the simulation agrees
 * with it to 1e-9, term by term. */
#include "tests/support/spawn.h"
#include "tests/testlib.h"

#include <glib/gstdio.h>

#include <math.h>

#define EXACT 1e-9

/* embedding=no: a body of layers only, so that all stages are equal; cuda-graphs=yes: the layers
 * are so small that a host would be slower than they, which the closed form knows on the average
 * only. */
#define BODY "embedding=no cuda-graphs=yes layers=8 hidden=1024 heads=16 ffn=4096 tp=1 pp=1 dp=1 "
#define LATENT                                                                                     \
    "tp=4 global-batch=4 kv-rank=512 query-rank=768 rope-width=64 head-width=128 "                 \
    "value-width=128 input-collectives=latent "

/* Fewer heads of keys and values than ranks that divide them. */
#define HEADS "tp=8 global-batch=4 kv-heads=2 "

#define EXPERTS "experts=16 top-k=2 expert-ffn=2048 shared-experts=1 recompute=none zero=0 "

/* Three products share the input of attention, two that of the network. */
#define APART "ffn-kind=swiglu separate-projections=yes "

/* Owners whose bytes, and so their chunks, are whole. */
#define BROADCASTS "parameter-gather=broadcast bias=no "

static const struct {
    const char *label;
    const char *settings;
} plans[] = {
    {"tp 2", BODY "tp=2 pp=1 dp=1 global-batch=4"},
    {"tp 8", BODY "tp=8 pp=1 dp=1 global-batch=4"},
    {"tp 8, no recomputation", BODY "tp=8 pp=1 dp=1 global-batch=4 recompute=none"},
    {"tp 4, sequence parallel", BODY "tp=4 pp=1 dp=1 global-batch=4 sequence-parallel=yes"},
    {"tp 4, recomputation stops early",
     BODY "tp=4 global-batch=4 recompute=full dropout=no early-stop=yes"},
    {"tp 4, sequence parallel, recomputation stops early",
     BODY "tp=4 global-batch=4 sequence-parallel=yes recompute=full dropout=no early-stop=yes"},
    {"tp 4, half of the layers recomputed",
     BODY "tp=4 global-batch=4 recompute=full recompute-layers=1/2"},
    {"tp 4, sequence parallel, the first three recomputed, which stops early",
     BODY "tp=4 global-batch=4 sequence-parallel=yes recompute=full recompute-layers=3 dropout=no "
          "early-stop=yes"},
    {"cp 4, ring, three of eight layers recomputed",
     BODY "cp=4 global-batch=2 recompute=full recompute-layers=3/8"},
    {"ep 8, a quarter of the layers recomputed",
     BODY EXPERTS "ep=8 dp=8 global-batch=16 recompute=full recompute-layers=1/4"},
    {"ep 8, the layers without experts recomputed",
     BODY EXPERTS "ep=8 dp=8 global-batch=16 expert-every=2 recompute=full recompute-layers=1/2"},
    {"tp 4, sequence parallel, MLA's latents are gathered", BODY LATENT "sequence-parallel=yes"},
    {"tp 4, MLA's latents are summed", BODY LATENT "query-rank=0"},
    {"tp 4, sequence parallel, MLA's latents, full recomputation",
     BODY LATENT "sequence-parallel=yes recompute=full"},
    {"tp 4, sequence parallel, what was gathered is kept",
     BODY "tp=4 global-batch=4 sequence-parallel=yes keep-gathered=yes"},
    {"tp 4, each projection sums its gradient of the input",
     BODY APART "tp=4 global-batch=4 input-collectives=sums-apart"},
    {"tp 4, sequence parallel, and gathers it",
     BODY APART "tp=4 global-batch=4 sequence-parallel=yes input-collectives=apart"},
    {"tp 4, sequence parallel, once, and recomputation again",
     BODY APART "tp=4 global-batch=4 sequence-parallel=yes keep-gathered=yes recompute=full "
                "dropout=no early-stop=yes input-collectives=apart"},
    {"tp 4, sequence parallel, the network's inputs again",
     BODY APART "tp=4 global-batch=4 sequence-parallel=yes recompute=selective selective=norms,ffn "
                "input-collectives=apart"},
    {"tp 4, sequence parallel, the feed-forward network recomputed",
     BODY "tp=4 global-batch=4 sequence-parallel=yes recompute=selective selective=norms,ffn"},
    {"tp 4, what follows queries, keys and values recomputed",
     BODY "tp=4 global-batch=4 recompute=selective selective=norms,attention,projection,ffn"},
    {"cp 4, all-to-all, attention recomputed",
     BODY "cp=4 cp-kind=ulysses global-batch=2 recompute=selective selective=attention"},
    {"ep 8, experts recomputed out of what came to them",
     BODY EXPERTS "ep=8 dp=8 global-batch=16 recompute=selective selective=norms,ffn"},
    {"tp 8, queries, keys and values gathered", BODY HEADS "kv-division=gathered"},
    {"tp 8, sequence parallel, gathered again in a full recomputation",
     BODY HEADS "kv-division=gathered sequence-parallel=yes recompute=full"},
    {"tp 8, sequence parallel, gathered where they are made again",
     BODY HEADS "kv-division=gathered sequence-parallel=yes recompute=selective selective=qkv"},
    {"tp 8, copies of keys and values", BODY HEADS "kv-division=copies"},
    {"pp 2", BODY "tp=1 pp=2 dp=1 global-batch=6 schedule=gpipe"},
    {"pp 4", BODY "tp=1 pp=4 dp=1 global-batch=16 schedule=gpipe"},
    {"pp 8, one micro-batch", BODY "tp=1 pp=8 dp=1 global-batch=1 schedule=gpipe"},
    {"dp 2", BODY "tp=1 pp=1 dp=2 global-batch=4"},
    {"dp 16", BODY "tp=1 pp=1 dp=16 global-batch=32"},
    {"dp 16, fp32 gradients", BODY "tp=1 pp=1 dp=16 global-batch=32 gradient-precision=fp32"},
    {"alone", BODY "tp=1 pp=1 dp=1 global-batch=2"},
    {"tp 4, blocks side by side", BODY "tp=4 global-batch=4 parallel-blocks=yes"},
    {"zero 1", BODY "dp=16 global-batch=32 zero=1"},
    {"zero 1, DeepSpeed", BODY "dp=16 global-batch=32 zero=1 zero-variant=deepspeed"},
    {"zero 1, broadcasts by owners", BODY "layers=1 dp=16 global-batch=32 zero=1 " BROADCASTS},
    {"zero 2, broadcasts, more tensors than owners", BODY "dp=2 global-batch=4 zero=2 " BROADCASTS},
    {"zero 2, each micro-batch", BODY "dp=8 global-batch=32 zero=2 gradient-sync=each"},
    {"zero 3", BODY "dp=16 global-batch=32 zero=3"},
    {"zero 3, kept until backward", BODY "dp=16 global-batch=32 zero=3 reshard=no"},
    {"zero 3, tensor by tensor", BODY "dp=16 global-batch=32 zero=3 gather-unit=tensor"},
    {"zero 3, tensor by tensor, some of which stay, and sums in buckets",
     BODY "dp=16 global-batch=32 zero=3 gather-unit=tensor live-parameters=7e6 recompute=full "
          "schedule=1f1b bucket=2000000-parameters"},
    {"zero 3, tensor by tensor, each projection by itself",
     BODY "dp=16 global-batch=32 zero=3 gather-unit=tensor live-parameters=9e6 schedule=1f1b "
          "recompute=none bucket=1-parameters separate-projections=yes"},
    {"zero 3, tensor by tensor, with experts",
     BODY EXPERTS "ep=8 dp=16 global-batch=32 zero=3 gather-unit=tensor live-parameters=5e6"},
    {"zero 3, tensor by tensor, in lists",
     BODY "dp=16 global-batch=32 zero=3 gather-unit=tensor live-parameters=7e6 gather-lists=yes "
          "schedule=1f1b bucket=1-parameters"},
    {"zero 3, tensor by tensor, kept until backward",
     BODY "dp=16 global-batch=32 zero=3 gather-unit=tensor reshard=no bucket=3MB"},
    {"zero 2 in sets of 4", BODY "dp=16 global-batch=16 zero=2 shard-degree=4"},
    {"cp 4, ring", BODY "cp=4 global-batch=2"},
    {"cp 16, ring of short sequences", BODY "cp=16 seq=256 global-batch=2 recompute=none"},
    {"cp 8, ring, scores recomputed", BODY "cp=8 global-batch=2 recompute=selective"},
    {"cp 4, ring of repeated heads", BODY "cp=4 global-batch=2 kv-heads=4 repeat-heads=yes"},
    {"cp 4, gathered", BODY "cp=4 cp-kind=gather global-batch=2"},
    {"cp 8, gathered again", BODY "cp=8 cp-kind=gather global-batch=2 recompute=full"},
    {"cp 4, gathered, then a ring", BODY "cp=4 cp-kind=gathered-ring global-batch=2"},
    {"cp 4, all-to-all", BODY "cp=4 cp-kind=ulysses global-batch=2"},
    {"two further tokens", BODY "mtp-layers=2 embedding=yes dp=4 global-batch=8"},
    {"ep 8", BODY EXPERTS "ep=8 dp=8 global-batch=16"},
    {"ep 16, capacity", BODY EXPERTS "ep=16 dp=16 global-batch=16 capacity-factor=1.25"},
    {"ep 4, tp 2, experts divided",
     BODY EXPERTS "ep=4 dp=4 tp=2 sequence-parallel=yes global-batch=8"},
    {"ep 8, tp 2, experts whole",
     BODY EXPERTS "ep=8 dp=4 tp=2 sequence-parallel=yes expert-tp=1 global-batch=8"},
};

static const struct {
    const char *label;
    const char *options;
} machines[] = {
    {"fabric, no latency", "--system=generic --accelerators=16 --domain-size=1 --topology=crossbar "
                           "--scale-out-latency=0s --domain-latency=0s"},
    {"fabric", "--system=generic --accelerators=16 --domain-size=1 --topology=crossbar "
               "--scale-out-latency=3us"},
    {"domains and rails", "--system=dgx-a100 --accelerators=16"},
    {"one domain", "--system=generic --accelerators=16 --domain-size=16 --domain-latency=1us"},
};

static const char *const modes[] = {"--fidelity=flow", "--fidelity=message",
                                    "--fidelity=flow --collapse=off",
                                    "--fidelity=message --collapse=off"};

static void
check(const char *label, json_t *result)
{
    static const char *const terms[] = {"compute", "tp", "pp",     "dp",
                                        "ep",      "cp", "bubble", "optimizer"};
    double whole = lp_test_json_number(result, "closed_form.iteration_time_s");
    lp_test_close(label, lp_test_json_number(result, "simulated.iteration_time_s"), whole, EXACT);
    for (guint i = 0; i < G_N_ELEMENTS(terms); i++) {
        g_autofree char *ours = g_strconcat("simulated.terms_s.", terms[i], NULL);
        g_autofree char *formula = g_strconcat("closed_form.terms_s.", terms[i], NULL);
        lp_test_true(label, fabs(lp_test_json_number(result, ours) -
                                 lp_test_json_number(result, formula)) <= EXACT * whole);
    }
    lp_test_true(label,
                 fabs(lp_test_json_number(result, "difference.unexplained_s")) <= EXACT * whole);
}

/* The halves of an exchange that is limited to nodes go on at once: apart on two networks; on one,
 * which both meet, they take as long as one after the other, but for a latency. */
static void
test_relayed(void)
{
    static const char settings[] =
        BODY EXPERTS "ep=8 dp=8 global-batch=8 expert-groups=4 group-limit=2";
    static const struct {
        const char *options;
        gboolean apart;
    } networks[] = {
        {"--system=generic --accelerators=16 --domain-size=2 --topology=crossbar", TRUE},
        {"--system=generic --accelerators=16 --domain-size=1 --topology=crossbar", FALSE},
        {"--system=dgx-a100 --accelerators=16", FALSE},
    };
    for (guint m = 0; m < G_N_ELEMENTS(networks); m++) {
        g_autofree char *platform = lp_spawn_platform(networks[m].options);
        for (guint k = 0; k < G_N_ELEMENTS(modes); k++) {
            g_autoptr(json_t) result = lp_spawn_simulate(platform, settings, modes[k]);
            g_autofree char *label = g_strjoin(", ", networks[m].options, modes[k], NULL);
            if (result == NULL)
                continue;
            if (networks[m].apart) {
                check(label, result);
                continue;
            }
            double whole_s = lp_test_json_number(result, "simulated.iteration_time_s");
            double met_s = whole_s - lp_test_json_number(result, "closed_form.iteration_time_s");
            lp_test_true(label, met_s > 0.001 * whole_s);
            lp_test_close(label, lp_test_json_number(result, "difference.contention_s"), met_s,
                          1e-6);
        }
        (void)g_unlink(platform);
    }
}

/* Each plan on each machine, by one of the four modes; over the machines by each mode once. */
static void
test_degenerate(void)
{
    for (guint m = 0; m < G_N_ELEMENTS(machines); m++) {
        g_autofree char *platform = lp_spawn_platform(machines[m].options);
        for (guint p = 0; p < G_N_ELEMENTS(plans); p++) {
            const char *mode = modes[(p + m) % G_N_ELEMENTS(modes)];
            g_autofree char *label = g_strjoin(", ", plans[p].label, machines[m].label, mode, NULL);
            g_autoptr(json_t) result = lp_spawn_simulate(platform, plans[p].settings, mode);
            if (result != NULL)
                check(label, result);
        }
        (void)g_unlink(platform);
    }
}

/* The published bubbles, where messages between stages take no time. DualPipe's formula is for
 * passes that take as long as each other, and an upper bound where the weights' take less
 * (tests/workloads/test_pipeline_schedule.c). */
static void
test_bubbles(void)
{
    static const char *const settings[] = {
        BODY "pp=4 global-batch=12 schedule=1f1b recompute=none",
        BODY "pp=8 global-batch=8 schedule=1f1b",
        BODY "pp=4 global-batch=12 schedule=zero-bubble recompute=none",
        BODY "pp=8 global-batch=16 schedule=zero-bubble recompute=none",
        BODY "pp=4 global-batch=12 schedule=zero-bubble recompute=none experts=32 top-k=1",
        BODY "pp=8 global-batch=32 schedule=dualpipe recompute=none experts=64 top-k=1",
        BODY "pp=2 global-batch=8 virtual-stages=2",
        BODY "pp=4 global-batch=16 virtual-stages=2 recompute=none",
        BODY "pp=2 global-batch=8 schedule=dualpipe recompute=none",
    };
    g_autofree char *platform =
        lp_spawn_platform("--system=generic --accelerators=16 --domain-size=1 --topology=crossbar "
                          "--scale-out-latency=0s --domain-latency=0s --scale-out-bandwidth=1EBps");
    for (guint i = 0; i < G_N_ELEMENTS(settings); i++) {
        g_autoptr(json_t) result = lp_spawn_simulate(platform, settings[i], NULL);
        if (result != NULL)
            check(settings[i], result);
    }
    (void)g_unlink(platform);
}

/* Pipelines whose stages gather parameters before passes, or sum gradients behind them: inside
 * domains messages take no time, and between domains nothing but replicas' rings moves. */
static void
test_pipelined_shards(void)
{
#define PIPELINE                                                                                   \
    BODY "layers=16 pp=8 dp=2 rank-order=tp-cp-pp-ep-dp global-batch=32 recompute=none "
    static const char *const settings[] = {
        PIPELINE "zero=3 schedule=gpipe",
        PIPELINE "zero=3",
        PIPELINE "zero=3 reshard=no schedule=gpipe",
        PIPELINE "zero=3 reshard=no",
        PIPELINE "zero=3 reshard=no schedule=gpipe global-batch=2",
        PIPELINE "zero=3 gradient-sync=last",
        PIPELINE "zero=3 reshard=no gradient-sync=last",
        PIPELINE "zero=3 reshard=no gradient-sync=last schedule=gpipe",
        PIPELINE "zero=3 reshard=no gradient-sync=last schedule=zero-bubble",
        PIPELINE "zero=3 reshard=no gradient-sync=last experts=4 top-k=2 expert-ffn=1024",
        PIPELINE "zero=3 virtual-stages=2",
        PIPELINE "zero=3 virtual-stages=2 gradient-sync=last",
        PIPELINE "zero=3 virtual-stages=2 gradient-sync=last reshard=no",
        PIPELINE "zero=3 schedule=zero-bubble",
        PIPELINE "zero=3 schedule=zero-bubble gradient-sync=last",
        PIPELINE "zero=3 schedule=zero-bubble reshard=no",
        PIPELINE "zero=3 experts=4 top-k=2 expert-ffn=1024",
        PIPELINE "zero=0 gradient-sync=each",
        PIPELINE "zero=0 gradient-sync=each virtual-stages=2",
        PIPELINE "zero=2 gradient-sync=each schedule=zero-bubble",
        PIPELINE "zero=1 shard-degree=1 gradient-sync=each",
        PIPELINE "zero=1 " BROADCASTS,
    };
    g_autofree char *platform =
        lp_spawn_platform("--system=generic --accelerators=16 --domain-size=8 --topology=crossbar "
                          "--scale-out-latency=2us --domain-latency=0s --domain-bandwidth=1EBps");
    for (guint i = 0; i < G_N_ELEMENTS(settings); i++)
        for (guint k = 0; k < G_N_ELEMENTS(modes); k++) {
            g_autofree char *label = g_strjoin(", ", settings[i], modes[k], NULL);
            g_autoptr(json_t) result = lp_spawn_simulate(platform, settings[i], modes[k]);
            if (result != NULL)
                check(label, result);
        }
    (void)g_unlink(platform);
#undef PIPELINE
}

/* Products of 8 and 4 bits: what is gathered is narrow, what is summed is not. Each precision and
 * each plan on each machine, every other plan with a precision. */
static void
test_narrow(void)
{
    static const char *const precisions[] = {"fp8", "fp8-block", "mxfp8", "nvfp4", "int8", "mxfp4"};
    static const char *const settings[] = {
        "dp=4 pp=1 tp=4 sequence-parallel=yes zero=1 global-batch=8",
        "tp=4 sequence-parallel=yes recompute=none global-batch=4",
        "dp=16 zero=1 global-batch=32",
        "dp=16 zero=3 global-batch=32",
        "dp=16 zero=3 global-batch=32 reshard=no narrow-parameters=no",
        "pp=4 schedule=gpipe global-batch=8",
        EXPERTS "ep=8 dp=8 global-batch=16",
        EXPERTS "ep=4 dp=4 tp=2 sequence-parallel=yes global-batch=8",
    };
    for (guint m = 0; m < G_N_ELEMENTS(machines); m++) {
        g_autofree char *options =
            g_strconcat(machines[m].options, " --accelerator=gb200 --peak-int8=2Pf", NULL);
        g_autofree char *platform = lp_spawn_platform(options);
        for (guint p = 0; p < G_N_ELEMENTS(precisions); p++)
            for (guint i = (p + m) % 2; i < G_N_ELEMENTS(settings); i += 2) {
                g_autofree char *words = g_strconcat(
                    BODY "narrow-parameters=yes precision=", precisions[p], " ", settings[i], NULL);
                g_autoptr(json_t) result =
                    lp_spawn_simulate(platform, words, modes[p % G_N_ELEMENTS(modes)]);
                if (result != NULL)
                    check(words, result);
            }
        (void)g_unlink(platform);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"degenerate", test_degenerate},  {"relayed", test_relayed},
        {"bubbles", test_bubbles},        {"pipelined shards", test_pipelined_shards},
        {"narrow products", test_narrow}, {NULL, NULL}};
    return lp_test_run("degenerate", cases);
}
