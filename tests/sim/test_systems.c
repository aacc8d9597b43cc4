/* SPDX-License-Identifier: Apache-2.0 */
/* A workload runs on every system that can be generated, with and without collapse alike. */
#include "tests/support/spawn.h"
#include "tests/support/temporary.h"
#include "tests/testlib.h"

#include "platforms/catalogue/catalogue.h"
#include "platforms/generation/system.h"

#include <math.h>

/* Llama 2 7B (Touvron et al. 2023, table 1) with four of its layers. */
#define MODEL "llama-2-7b"
#define BARE "--set=framework=none --set=library=single-ring "
#define SETTINGS BARE "--set=layers=4 --set=micro-batch=1 "
#define LAYERS 4.0
#define HIDDEN 4096.0
#define FFN 11008.0
#define SEQ 4096.0
#define VOCAB 32000.0

/* Chowdhery et al., PaLM (2022), appendix B: six for each weight of a product, that of the head
 * included, and 12 L h s for attention, a token. */
static double
model_flop(double n_sequences)
{
    double weights = LAYERS * (4.0 * HIDDEN * HIDDEN + 3.0 * HIDDEN * FFN) + VOCAB * HIDDEN;
    return n_sequences * SEQ * (6.0 * weights + 12.0 * LAYERS * HIDDEN * SEQ);
}

/* The result @node of @n ranks with @n_sequences: it does the work that the literature counts, no
 * faster than the accelerators' peak, and its terms are the whole of its time. */
static void
check_work(const char *label, json_t *node, guint n, double n_sequences, double peak_flop_per_s)
{
    static const char *const terms[] = {"compute", "tp",     "pp",        "dp",  "ep",
                                        "cp",      "bubble", "optimizer", "host"};
    double time_s = lp_test_json_number(node, "simulated.iteration_time_s"), sum_s = 0.0;
    double flop = model_flop(n_sequences);
    lp_test_close(label,
                  lp_test_json_number(node, "simulated.model_tflops_per_accelerator") * 1e12 * n *
                      time_s,
                  flop, 1e-9);
    lp_test_close(label, lp_test_json_number(node, "simulated.tokens_per_s") * time_s,
                  n_sequences * SEQ, 1e-9);
    lp_test_true(label, lp_test_json_number(node, "simulated.terms_s.compute") >=
                            flop / n / peak_flop_per_s);
    for (guint i = 0; i < G_N_ELEMENTS(terms); i++) {
        g_autofree char *path = g_strconcat("simulated.terms_s.", terms[i], NULL);
        sum_s += lp_test_json_number(node, path);
    }
    lp_test_close(label, sum_s, time_s, 1e-9);
}

/* More ranks than this are simulated one by one for too long. */
#define DOMAIN_MAX 128u

/* Ranks in rows of a domain, or of 4 where domains are of one: tensor parallelism inside, the rest
 * data parallelism. Pods of hundreds or thousands are cut to slices. */
static void
run_system(const LpMachineSpecification *system)
{
    guint size = MIN(system->domain.size, DOMAIN_MAX);
    guint n = MAX(2 * size, 16), tp = size % 8 == 0 ? 8 : size % 4 == 0 ? 4 : size == 1 ? 4 : 2;
    n = n / size * size;
    guint dp = n / tp;
    /* The V100 has no units for bf16, the TPU v4 none for fp16. */
    gboolean is_old = g_str_has_prefix(system->accelerator.name, "v100");
    const char *precision = is_old ? "fp16" : "bf16";
    g_autofree char *slice =
        size < system->domain.size ? g_strdup_printf(" --domain-size=%u", size) : g_strdup("");
    g_autofree char *options =
        g_strdup_printf("--system=%s --accelerators=%u%s", system->system, n, slice);
    char *path = lp_spawn_platform(options);
    g_autofree char *line =
        g_strdup_printf("simulate " MODEL " %s --format=json --ignore-memory " SETTINGS
                        "--set=tp=%u --set=dp=%u --set=global-batch=%u --set=precision=%s",
                        path, tp, dp, dp * 2, precision);
    g_autoptr(json_t) node = lp_spawn_json(line, "");
    g_autoptr(json_t) whole = lp_spawn_json(line, "--collapse=off");
    double time_s = lp_test_json_number(node, "simulated.iteration_time_s");
    LpAccelerator accelerator = {.name = ""};
    lp_test_true(system->system, lp_catalogue_find(system->accelerator.name, &accelerator, NULL));
    check_work(system->system, node, tp * dp, dp * 2.0,
               lp_accelerator_peak_flop_per_s(&accelerator,
                                              is_old ? LP_PRECISION_FP16 : LP_PRECISION_BF16));
    lp_test_close(system->system, lp_test_json_number(whole, "simulated.iteration_time_s"), time_s,
                  1e-6);
    /* Whatever differs from the formulas has a name. */
    lp_test_true(system->system,
                 fabs(lp_test_json_number(node, "difference.unexplained_s")) <= 1e-6 * time_s);
    lp_temporary_remove(path);
}

static void
test_systems(void)
{
    g_auto(GStrv) names = lp_system_names(NULL);
    lp_test_true("systems", names != NULL && g_strv_length(names) >= 13);
    for (char **name = names; names != NULL && *name != NULL; name++) {
        g_autoptr(LpMachineSpecification) system = lp_system_load(*name, NULL);
        lp_test_true(*name, system != NULL);
        if (system != NULL)
            run_system(system);
    }
}

/* Neighbours of a ring of 16 ranks are on other rails where it leaves a domain of 8: what goes from
 * one to the next there takes a flow to the accelerator of the own domain on the other's rail, and
 * one from there. So each of the 2 (n - 1) steps takes a share V / n over both networks, and the
 * latencies of two links in each. All-reduces of V: four a layer, one of the embedding's output and
 * one of the gradient of the head's input. */
static void
test_other_rails(void)
{
    const double n = 16.0, domain_bytes_per_s = 450e9, card_bytes_per_s = 50e9;
    const double latency_s = 2.0 * 235e-9 + 2.0 * 675e-9;
    double bytes = 2.0 * 2.0 * SEQ * HIDDEN; /* two sequences of bf16 */
    double step_s = latency_s + bytes / n * (1.0 / domain_bytes_per_s + 1.0 / card_bytes_per_s);
    char *path = lp_spawn_platform(
        "--system=rail-only --accelerators=16 --domain-bandwidth=450GBps --domain-latency=235ns "
        "--scale-out-bandwidth=50GBps --scale-out-latency=675ns");
    g_autofree char *line = g_strdup_printf(
        "simulate " MODEL " %s --format=json --ignore-memory " BARE "--set=layers=4 "
        "--set=tp=16 --set=dp=1 --set=micro-batch=2 --set=global-batch=2",
        path);
    g_autoptr(json_t) node = lp_spawn_json(line, "");
    lp_test_close("all-reduces", lp_test_json_number(node, "simulated.terms_s.tp"),
                  (4.0 * LAYERS + 2.0) * 2.0 * (n - 1.0) * step_s, 1e-9);
    /* The closed form knows the relay. */
    lp_test_true("explained", fabs(lp_test_json_number(node, "difference.unexplained_s")) <=
                                  1e-6 * lp_test_json_number(node, "simulated.iteration_time_s"));
    lp_temporary_remove(path);
}

/* A TPU v4 has peaks for bf16 only. */
static void
test_precision(void)
{
    char *path = lp_spawn_platform("--system=tpu-v4 --accelerators=16");
    g_autofree char *line =
        g_strdup_printf("simulate llama-2-7b %s --ignore-memory --set=tp=4 --set=dp=4 "
                        "--set=global-batch=8 --set=precision=fp16",
                        path);
    lp_spawn_refused("precision", line, 1,
                     "precision: got fp16, wanted one that tpu-v4 has units for");
    lp_temporary_remove(path);
}

/* One cluster's library alone says what a check of a collective costs. */
static void
test_checks(void)
{
    lp_spawn_refused("checks",
                     "simulate llama-3-8b dgx-h100-64 --plan=fit --set=collective-checks=yes", 1,
                     "collective-checks: got yes, wanted no: library nccl-hopper does not say "
                     "what a check costs");
}

int
main(void)
{
    static const LpTestCase cases[] = {{"systems", test_systems},
                                       {"other rails", test_other_rails},
                                       {"precision", test_precision},
                                       {"checks", test_checks},
                                       {NULL, NULL}};
    return lp_test_run("systems", cases);
}
