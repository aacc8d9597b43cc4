/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the difference, in cases worked out by hand. */
#include "tests/support/spawn.h"
#include "tests/testlib.h"

#include <glib/gstdio.h>

#include <math.h>

/* 12 h^2 + 13 h parameters a layer at h 1024, fp16 gradients. */
#define LAYER_GRADIENT_BYTES (12596224.0 * 2.0)
#define BODY "cuda-graphs=yes embedding=no hidden=1024 heads=16 ffn=4096 recompute=none "

static double
part(json_t *result, const char *name)
{
    g_autofree char *path = g_strconcat("difference.", name, NULL);
    return lp_test_json_number(result, path);
}

/* Four data-parallel groups of two, a leaf apart: tp 4 in rank order "dp last" puts rank r's
 * partner at r + 4, on the other leaf of 4 ports, which has one up-link (4:1). Each group's two
 * flows, one each way, carry 2 (2-1)/2 of the gradients; four groups share each up-link, so a
 * reduction takes 4 times as long as alone at 25 GB/s. tp stays below its leaf, and does not meet
 * it. The closed form counts the flows of each class that climb, and leaves nothing over. */
static void
test_contention(void)
{
    g_autofree char *platform = lp_spawn_platform(
        "--system=generic --accelerators=8 --domain-size=1 --leaf-ports=4 --oversubscription=4 "
        "--scale-out-latency=0s --domain-latency=0s");
    g_autoptr(json_t) result =
        lp_spawn_simulate(platform, BODY "layers=4 tp=4 dp=2 pp=1 global-batch=2", NULL);
    /* tp 4: a quarter on each rank, but for 6 h of norms and biases behind sums in 16 bits. */
    double whole_bytes = 6.0 * 1024.0 * 2.0;
    double alone_s = 4 * (whole_bytes + ((double)LAYER_GRADIENT_BYTES - whole_bytes) / 4) / 25e9;
    lp_test_close("contention", part(result, "contention_s"), 3 * alone_s, 1e-9);
    lp_test_close("closed form's", part(result, "closed_form_contention_s"), 3 * alone_s, 1e-9);
    lp_test_close("dp", lp_test_json_number(result, "simulated.terms_s.dp"), 4 * alone_s, 1e-9);
    lp_test_close("closed form's dp", lp_test_json_number(result, "closed_form.terms_s.dp"),
                  4 * alone_s, 1e-9);
    lp_test_true("nothing else", fabs(part(result, "imbalance_s")) < 1e-12 &&
                                     fabs(part(result, "overlap_s")) < 1e-12 &&
                                     fabs(part(result, "unexplained_s")) < 1e-9);
    (void)g_unlink(platform);
}

/* 5 layers on 2 stages: 3 and 2. Under GPipe with m micro-batches and no communication the larger
 * stage works all the time, and the smaller fills and drains: (m 3 + 2) of a layer's forward and
 * backward time, against (m + 1) 2.5 if both were equal. With the optimiser, on 3 layers against
 * 2.5, of which the last event's stage has 3. */
static void
test_imbalance(void)
{
    g_autofree char *platform =
        lp_spawn_platform("--system=generic --accelerators=2 --domain-size=1 --topology=crossbar "
                          "--scale-out-bandwidth=1EBps --scale-out-latency=0s "
                          "--gemm-efficiency=0.8"); /* alone, too */
    g_autoptr(json_t) one =
        lp_spawn_simulate(platform, BODY "layers=1 tp=1 dp=1 pp=1 global-batch=1", NULL);
    g_autoptr(json_t) result = lp_spawn_simulate(
        platform, BODY "layers=5 tp=1 dp=1 pp=2 global-batch=4 schedule=gpipe", NULL);
    double layer_s = lp_test_json_number(one, "simulated.terms_s.compute");
    double optimizer_s = lp_test_json_number(result, "simulated.terms_s.optimizer") -
                         lp_test_json_number(result, "closed_form.terms_s.optimizer");
    double wanted_s = (4 * 3 + 2 - 5 * 2.5) * layer_s + optimizer_s;
    lp_test_close("imbalance", part(result, "imbalance_s"), wanted_s, 1e-6);
    lp_test_true("nothing else", fabs(part(result, "contention_s")) < 1e-9 &&
                                     fabs(part(result, "unexplained_s")) < 1e-9);
    (void)g_unlink(platform);
}

/* Gradients reduced behind the backward pass: what is hidden is what the exposed time lacks. */
static void
test_overlap(void)
{
    g_autofree char *platform =
        lp_spawn_platform("--system=generic --accelerators=4 --domain-size=1 --topology=crossbar "
                          "--scale-out-latency=0s --domain-latency=0s");
    /* Buckets of a layer each. */
    g_autofree char *plan = g_strdup_printf(
        BODY "layers=8 tp=1 dp=4 pp=1 global-batch=16 bucket=%.0fB", (double)LAYER_GRADIENT_BYTES);
    g_autofree char *hidden = g_strconcat(plan, " overlap-dp=yes", NULL);
    g_autoptr(json_t) exposed = lp_spawn_simulate(platform, plan, NULL);
    g_autoptr(json_t) result = lp_spawn_simulate(platform, hidden, NULL);
    double reduction_s = 2.0 * 3.0 / 4.0 * 8 * LAYER_GRADIENT_BYTES / 25e9;
    lp_test_close("all exposed", lp_test_json_number(exposed, "simulated.terms_s.dp"), reduction_s,
                  1e-6);
    double saved_s = lp_test_json_number(exposed, "simulated.iteration_time_s") -
                     lp_test_json_number(result, "simulated.iteration_time_s");
    lp_test_true("some is hidden", saved_s > 0.1 * reduction_s && saved_s < reduction_s);
    /* The closed form takes all sums but the last bucket's as hidden, as long as the backward pass
     * lasts: its dp is what is exposed. */
    lp_test_close("as the closed form says", lp_test_json_number(result, "closed_form.terms_s.dp"),
                  reduction_s - saved_s, 1e-6);
    lp_test_true("as the timeline says", fabs(part(result, "overlap_s")) < 1e-6 * saved_s);
    lp_test_close("hidden and exposed",
                  saved_s + lp_test_json_number(result, "simulated.terms_s.dp"), reduction_s, 1e-6);
    (void)g_unlink(platform);
}

/* The exchange of tied embeddings' gradients waits for the other end's reduction; the two ends
 * reduce different amounts. In the balanced run they do not, and nothing is left over. */
static void
test_tied(void)
{
    g_autofree char *platform =
        lp_spawn_platform("--system=generic --accelerators=8 --domain-size=1 --leaf-ports=4");
    g_autoptr(json_t) result = lp_spawn_simulate(
        platform,
        "layers=3 hidden=1536 heads=24 ffn=1000 seq=8 tp=2 pp=2 dp=2 micro-batch=3 "
        "global-batch=48 gradient-precision=fp32 overlap-fraction=0.5",
        "--fidelity=message");
    lp_test_true("explained", fabs(part(result, "unexplained_s")) <
                                  1e-9 * lp_test_json_number(result, "simulated.iteration_time_s"));
    (void)g_unlink(platform);
}

/* DeepSpeed's copies around the gathers at stage boundaries are in both, 1 + 2 a micro-batch and
 * boundary: cleared, a share of a half copied, and the whole copied twice, at the memory's rate. */
static void
test_boundary_copies(void)
{
    static const char *const settings[] = {"scatter-gather=yes", "scatter-gather=outputs"};
    double compute_s[2], closed_s[2];
    for (guint i = 0; i < 2; i++) {
        g_autofree char *plan =
            g_strconcat(BODY "layers=4 tp=2 dp=1 pp=2 global-batch=8 ", settings[i], NULL);
        g_autoptr(json_t) result = lp_spawn_simulate("dgx-a100-1024", plan, NULL);
        lp_test_true("explained", fabs(part(result, "unexplained_s")) < 1e-9);
        compute_s[i] = lp_test_json_number(result, "simulated.terms_s.compute");
        closed_s[i] = lp_test_json_number(result, "closed_form.terms_s.compute");
    }
    lp_test_true("in the simulation", compute_s[1] > compute_s[0]);
    lp_test_true("in the closed form", closed_s[1] > closed_s[0]);
}

/* The closed form that takes all of the reduction as hidden differs by what is not. */
static void
test_overlap_fraction(void)
{
    g_autoptr(json_t) result = lp_spawn_simulate(
        "dgx-a100-1024", BODY "layers=8 tp=1 dp=16 pp=1 global-batch=32 overlap-fraction=1", NULL);
    lp_test_close("closed form", lp_test_json_number(result, "closed_form.terms_s.dp"), 0.0, 0.0);
    lp_test_close("overlap", -part(result, "overlap_s"),
                  lp_test_json_number(result, "simulated.terms_s.dp"), 1e-6);
    lp_test_true("explained", fabs(part(result, "unexplained_s")) < 1e-9);
}

/* Slices without layers take the mean slice's time in the balanced run, too: what layers dealt to
 * some slices only cost is imbalance, and nothing is left over. */
static void
test_empty_slices(void)
{
    static const char *const settings[] = {
        "layers=4 pp=4 virtual-stages=3 stage-layers=by-weight global-batch=16",
        "layers=8 pp=4 virtual-stages=3 stage-layers=by-weight global-batch=16 tp=2",
        "layers=4 pp=2 virtual-stages=2 stage-layers=2,0,1,1 global-batch=8",
        "layers=6 pp=4 stage-layers=front global-batch=16",
    };
    for (guint i = 0; i < G_N_ELEMENTS(settings); i++) {
        g_autofree char *plan = g_strconcat(BODY "tp=1 dp=1 ", settings[i], NULL);
        g_autoptr(json_t) result = lp_spawn_simulate("dgx-a100-1024", plan, NULL);
        if (result == NULL)
            continue;
        lp_test_true(settings[i], fabs(part(result, "unexplained_s")) < 1e-9);
        lp_test_true(settings[i], part(result, "imbalance_s") > 1e-3);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"contention", test_contention},
                                       {"imbalance", test_imbalance},
                                       {"overlap", test_overlap},
                                       {"tied embeddings", test_tied},
                                       {"boundary copies", test_boundary_copies},
                                       {"overlap fraction", test_overlap_fraction},
                                       {"empty slices", test_empty_slices},
                                       {NULL, NULL}};
    return lp_test_run("crosscheck", cases);
}
