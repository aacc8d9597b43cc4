/* SPDX-License-Identifier: Apache-2.0 */
/* A workload runs on every system that can be generated, with and without collapse alike. */
#include "tests/sim/spawn.h"
#include "tests/testlib.h"

#include "platforms/generation/system.h"

#include <glib/gstdio.h>

#include <math.h>
#include <string.h>

/* Ranks in rows of a domain, or of 4 where domains are of one: tensor parallelism inside, the rest
 * data parallelism. */
static void
run_system(const LpSystem *system)
{
    guint size = (guint)g_ascii_strtoull(system->value[LP_PARAMETER_DOMAIN_SIZE], NULL, 10);
    guint n = MAX(2 * size, 16), tp = size % 8 == 0 ? 8 : size % 4 == 0 ? 4 : size == 1 ? 4 : 2;
    n = n / size * size;
    guint dp = n / tp;
    /* The V100 has no units for bf16, the TPU v4 none for fp16. */
    gboolean is_old = g_str_has_prefix(system->value[LP_PARAMETER_ACCELERATOR], "v100");
    const char *precision = is_old ? "fp16" : "bf16";
    g_autofree char *options = g_strdup_printf("--system=%s --accelerators=%u", system->name, n);
    g_autofree char *path = lp_spawn_platform(options);
    g_autofree char *line = g_strdup_printf(
        "simulate llama-2-7b %s --format=json --ignore-memory --set=layers=4 --set=tp=%u "
        "--set=dp=%u --set=micro-batch=1 --set=global-batch=%u --set=precision=%s",
        path, tp, dp, dp * 2, precision);
    g_autoptr(json_t) node = lp_spawn_json(line, "");
    g_autoptr(json_t) whole = lp_spawn_json(line, "--collapse=off");
    double time_s = lp_json_at(node, "simulated.iteration_time_s");
    lp_test_true(system->name, time_s > 0);
    lp_test_close(system->name, lp_json_at(whole, "simulated.iteration_time_s"), time_s, 1e-6);
    /* Whatever differs from the formulas has a name. */
    lp_test_true(system->name, fabs(lp_json_at(node, "difference.unexplained_s")) <= 1e-6 * time_s);
    (void)g_unlink(path);
}

static void
test_systems(void)
{
    g_autoptr(GPtrArray) systems = lp_system_load_all(NULL);
    lp_test_true("systems", systems != NULL && systems->len >= 13);
    for (guint i = 0; systems != NULL && i < systems->len; i++)
        run_system(g_ptr_array_index(systems, i));
}

/* Neighbours of a ring of 16 ranks are on other rails where it leaves a domain of 8: it runs, and
 * the closed form knows the relay. */
static void
test_other_rails(void)
{
    g_autofree char *path = lp_spawn_platform("--system=rail-only --accelerators=16");
    g_autofree char *line =
        g_strdup_printf("simulate llama-2-7b %s --format=json --ignore-memory --set=layers=4 "
                        "--set=tp=16 --set=dp=1 --set=global-batch=2",
                        path);
    g_autoptr(json_t) node = lp_spawn_json(line, "");
    lp_test_true("runs", lp_json_at(node, "simulated.iteration_time_s") > 0);
    (void)g_unlink(path);
}

/* A TPU v4 has peaks for bf16 only. */
static void
test_precision(void)
{
    g_autofree char *path = lp_spawn_platform("--system=tpu-v4 --accelerators=16");
    g_autofree char *line =
        g_strdup_printf("simulate llama-2-7b %s --ignore-memory --set=tp=4 --set=dp=4 "
                        "--set=global-batch=8 --set=precision=fp16",
                        path);
    LpSpawned run = lp_spawn(line, "");
    lp_test_true("refused", run.status == 1);
    lp_test_true("says why", strstr(run.complaint, "precision: got fp16, wanted one that tpu-v4 "
                                                   "has units for") != NULL);
    lp_spawned_clear(&run);
    (void)g_unlink(path);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"systems", test_systems},
                                       {"other rails", test_other_rails},
                                       {"precision", test_precision},
                                       {NULL, NULL}};
    return lp_test_run("systems", cases);
}
