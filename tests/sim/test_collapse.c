/* SPDX-License-Identifier: Apache-2.0 */
/* Random plans on several machines: leaving out what cannot matter changes nothing, the difference
 * to the closed form is explained, and the run is the same to the byte each time. */
#include "tests/support/spawn.h"
#include "tests/testlib.h"

#include <glib/gstdio.h>

#include <math.h>
#include <string.h>

#define SEED 20211114
#define PLANS_A_MACHINE 8
/* Collapsing adds up the same times in another order; contention amplifies the rounding. */
#define COLLAPSED 1e-6
#define EXPLAINED 0.02

static const char *const machines[] = {
    "--system=dgx-a100 --accelerators=64",
    "--system=polaris --accelerators=64",
    "--system=optical-substrate --accelerators=64",
    "--system=generic --accelerators=64 --domain-size=4 --nics-per-domain=2 --leaf-ports=4 "
    "--oversubscription=2",
    "--system=generic --accelerators=64 --domain-size=4 --rails=4 --leaf-ports=4 "
    "--oversubscription=2",
    "--system=generic --accelerators=66 --domain-size=3 --leaf-ports=6",
    "--system=generic --accelerators=64 --domain-size=2 --scale-out-bandwidth=1GBps "
    "--leaf-ports=8",
};

static guint32
pick(GRand *random, const guint32 *values, guint n)
{
    return values[g_rand_int_range(random, 0, (gint32)n)];
}

static const char *
pick_text(GRand *random, const char *const *values, guint n)
{
    return values[g_rand_int_range(random, 0, (gint32)n)];
}

#define PICK(random, values) pick(random, values, G_N_ELEMENTS(values))
#define PICK_TEXT(random, values) pick_text(random, values, G_N_ELEMENTS(values))

/* A valid plan of at most 64 ranks. Returns: (transfer full) its settings. */
static char *
random_plan(GRand *random)
{
    static const guint32 tps[] = {1, 2, 4, 8}, pps[] = {1, 2, 3, 4, 8}, dps[] = {1, 2, 3, 4, 8};
    static const guint32 chunks[] = {1, 1, 2, 3}, batches[] = {1, 2}, widths[] = {1024, 2048, 4096};
    static const guint32 micro_batches[] = {1, 2, 3, 4, 8}, more[] = {0, 1, 3},
                         seqs[] = {512, 2048};
    static const char *const slowdowns[] = {"1", "1.2"};
    static const char *const switches[] = {"yes", "no"};
    static const char *const recomputes[] = {"none", "selective", "full",
                                             "selective selective=norms,projection,ffn"};
    static const char *const buckets[] = {"all", "1MB", "25MB"};
    static const char *const orders[] = {"tp-cp-ep-dp-pp", "tp-cp-ep-pp-dp", "dp-tp-pp-cp-ep"};
    static const char *const schedules[] = {"1f1b", "gpipe"};
    guint32 tp, pp, dp;
    do {
        tp = PICK(random, tps);
        pp = PICK(random, pps);
        dp = PICK(random, dps);
    } while (tp * pp * dp > 64);
    guint32 v = pp > 1 ? PICK(random, chunks) : 1;
    guint32 m = v > 1 ? pp * PICK(random, batches) : PICK(random, micro_batches);
    guint32 b = PICK(random, batches), hidden = PICK(random, widths);
    const char *scattered = PICK_TEXT(random, switches);
    return g_strdup_printf(
        "tp=%u pp=%u dp=%u virtual-stages=%u micro-batch=%u global-batch=%u layers=%u hidden=%u "
        "heads=16 ffn=%u seq=%u recompute=%s sequence-parallel=%s scatter-gather=%s overlap-dp=%s "
        "bucket=%s rank-order=%s schedule=%s tied-embeddings=%s embedding=%s slowdown=%s",
        tp, pp, dp, v, b, b * m * dp, pp * v + PICK(random, more), hidden, 4 * hidden,
        PICK(random, seqs), PICK_TEXT(random, recomputes), scattered,
        strcmp(scattered, "yes") == 0 ? "no" : PICK_TEXT(random, switches),
        PICK_TEXT(random, switches), PICK_TEXT(random, buckets), PICK_TEXT(random, orders),
        v > 1 ? "1f1b" : PICK_TEXT(random, schedules), PICK_TEXT(random, switches),
        PICK_TEXT(random, switches), PICK_TEXT(random, slowdowns));
}

static void
check_properties(const char *label, json_t *result)
{
    double whole = lp_test_json_number(result, "simulated.iteration_time_s");
    double compute = lp_test_json_number(result, "simulated.terms_s.compute");
    lp_test_true(label, whole > 0.0 && compute <= whole);
    lp_test_true(label,
                 fabs(lp_test_json_number(result, "difference.unexplained_s")) < EXPLAINED * whole);
    /* A step's blocks differ by a byte, and the isolated time counts the larger. */
    lp_test_true(label,
                 whole - lp_test_json_number(result, "simulated.uncontended_iteration_time_s") >
                     -1e-6 * whole);
    lp_test_close(label,
                  lp_test_json_number(result, "simulated.uncontended_iteration_time_s") +
                      lp_test_json_number(result, "difference.contention_s"),
                  whole, 1e-12);
    /* What the closed form has of contention is in it and in the delay. */
    lp_test_close(label,
                  lp_test_json_number(result, "closed_form.iteration_time_s") +
                      lp_test_json_number(result, "difference.contention_s") -
                      lp_test_json_number(result, "difference.closed_form_contention_s") +
                      lp_test_json_number(result, "difference.imbalance_s") +
                      lp_test_json_number(result, "difference.algorithm_s") +
                      lp_test_json_number(result, "difference.slowdown_s") +
                      lp_test_json_number(result, "difference.host_s") -
                      lp_test_json_number(result, "difference.overlap_s") +
                      lp_test_json_number(result, "difference.unexplained_s"),
                  whole, 1e-12);
}

static char *
traffic_of(json_t *result)
{
    return lp_json_print_line(json_object_get(result, "traffic_bytes"));
}

static void
check_plan(const char *platform, const char *settings, const char *fidelity)
{
    g_autofree char *off = g_strconcat(fidelity, " --collapse=off", NULL);
    g_autofree char *label = g_strjoin(" ", settings, fidelity, NULL);
    g_autoptr(json_t) collapsed = lp_spawn_simulate(platform, settings, fidelity);
    g_autoptr(json_t) whole = lp_spawn_simulate(platform, settings, off);
    if (collapsed == NULL || whole == NULL)
        return;
    check_properties(label, collapsed);
    lp_test_close(label, lp_test_json_number(collapsed, "simulated.iteration_time_s"),
                  lp_test_json_number(whole, "simulated.iteration_time_s"), COLLAPSED);
    g_autofree char *few = traffic_of(collapsed), *all = traffic_of(whole);
    lp_test_text(label, few, all);
}

static void
test_random_plans(void)
{
    GRand *random = g_rand_new_with_seed(SEED);
    for (guint m = 0; m < G_N_ELEMENTS(machines); m++) {
        g_autofree char *platform = lp_spawn_platform(machines[m]);
        for (guint i = 0; i < PLANS_A_MACHINE; i++) {
            g_autofree char *settings = random_plan(random);
            check_plan(platform, settings,
                       g_rand_boolean(random) ? "--fidelity=flow" : "--fidelity=message");
        }
        (void)g_unlink(platform);
    }
    g_rand_free(random);
}

/* Plans that random ones rarely hit: hidden collectives beside overlapped all-to-alls in one
 * stream, collectives by other algorithms, and pipelines that gather parameters and sum gradients
 * for each micro-batch. */
static void
test_chosen_plans(void)
{
#define SMALL                                                                                      \
    "hidden=512 heads=8 kv-heads=8 ffn=2048 seq=1024 vocab=1024 layers=8 precision=bf16 "          \
    "micro-batch=1 global-batch=32 "
    static const struct {
        const char *machine, *settings;
    } rows[] = {
        {"--system=dgx-h100 --accelerators=64",
         SMALL "tp=2 pp=2 dp=8 ffn-kind=swiglu schedule=dualpipe recompute=none experts=16 top-k=4 "
               "expert-ffn=1024 ep=2 dense-layers=1 overlap-tp=yes overlap-pp=yes cuda-graphs=yes "
               "placement=scattered rank-order=tp-cp-dp-ep-pp tied-embeddings=no"},
        {"--system=dgx-a100 --accelerators=64",
         SMALL "tp=4 pp=2 dp=8 library=nccl-ampere sequence-parallel=yes zero=1"},
        {"--system=dgx-h100 --accelerators=64",
         SMALL "tp=8 pp=1 dp=8 algorithm-tp=in-network algorithm-dp=halving-doubling"},
        {"--system=polaris --accelerators=64",
         SMALL "tp=2 pp=2 dp=16 algorithm-tp=tree algorithm-dp=ring+tree"},
        {"--system=rail-only --accelerators=64",
         SMALL "tp=4 pp=1 dp=16 algorithm-tp=direct algorithm-dp=ring+ring overlap-dp=yes "
               "bucket=1MB"},
        {"--system=tpu-v4 --accelerators=64", SMALL "tp=4 pp=1 dp=16 algorithm-tp=torus"},
        {"--system=polaris --accelerators=64",
         SMALL "tp=4 pp=4 dp=4 zero=3 recompute=full overlap-dp=yes overlap-param=yes"},
        {"--system=polaris --accelerators=64",
         SMALL "tp=2 pp=4 dp=8 zero=3 reshard=no overlap-param=yes placement=scattered"},
        {"--system=dgx-a100 --accelerators=64",
         SMALL "tp=2 pp=4 dp=8 zero=3 virtual-stages=2 global-batch=64 shard-degree=4"},
        {"--system=dgx-a100 --accelerators=64",
         SMALL "tp=4 pp=2 dp=8 zero=3 gradient-sync=last schedule=zero-bubble recompute=none"},
        {"--system=generic --accelerators=64 --domain-size=2 --leaf-ports=8",
         SMALL "tp=2 pp=4 dp=8 gradient-sync=each bucket=1MB schedule=gpipe"},
    };
#undef SMALL
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *platform = lp_spawn_platform(rows[i].machine);
        check_plan(platform, rows[i].settings, "--fidelity=flow --ignore-memory");
        check_plan(platform, rows[i].settings, "--fidelity=message --ignore-memory");
        (void)g_unlink(platform);
    }
}

static void
test_determinism(void)
{
    static const char *const lines[] = {
        "simulate gpt3-175b dgx-a100-1024 --set=global-batch=64",
        ("simulate megatron-7.5b dgx-a100-1024 --format=json --fidelity=message --collapse=off "
         "--set=dp=4 --set=global-batch=64"),
        "compare gpt3-175b dgx-a100-1024 optical-substrate-1024 --set=global-batch=64"};
    for (guint i = 0; i < G_N_ELEMENTS(lines); i++) {
        LpSpawned first = lp_spawn_started(lines[i], NULL);
        LpSpawned second = lp_spawn_started(lines[i], NULL);
        lp_test_true(lines[i], first.status == 0);
        lp_test_text(lines[i], second.output, first.output);
        lp_spawned_clear(&first);
        lp_spawned_clear(&second);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"random plans", test_random_plans},
                                       {"chosen plans", test_chosen_plans},
                                       {"determinism", test_determinism},
                                       {NULL, NULL}};
    return lp_test_run("collapse", cases);
}
