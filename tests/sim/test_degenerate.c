/* SPDX-License-Identifier: Apache-2.0 */
/* Where the closed form is exact (one flow a link, no overlap, equal stages) the simulation agrees
 * with it to 1e-9, term by term. */
#include "tests/sim/spawn.h"
#include "tests/testlib.h"

#include <glib/gstdio.h>

#include <math.h>

#define EXACT 1e-9

/* embedding=no: a body of layers only, so that all stages are equal; cuda-graphs=yes: the layers
 * are so small that a host would be slower than they, which the closed form knows on the average
 * only. */
#define BODY "embedding=no cuda-graphs=yes layers=8 hidden=1024 heads=16 ffn=4096 "

static const struct {
    const char *label;
    const char *settings;
} plans[] = {
    {"tp 2", BODY "tp=2 pp=1 dp=1 global-batch=4"},
    {"tp 8", BODY "tp=8 pp=1 dp=1 global-batch=4"},
    {"tp 8, no recomputation", BODY "tp=8 pp=1 dp=1 global-batch=4 recompute=none"},
    {"tp 4, sequence parallel", BODY "tp=4 pp=1 dp=1 global-batch=4 sequence-parallel=yes"},
    {"pp 2", BODY "tp=1 pp=2 dp=1 global-batch=6 schedule=gpipe"},
    {"pp 4", BODY "tp=1 pp=4 dp=1 global-batch=16 schedule=gpipe"},
    {"pp 8, one micro-batch", BODY "tp=1 pp=8 dp=1 global-batch=1 schedule=gpipe"},
    {"dp 2", BODY "tp=1 pp=1 dp=2 global-batch=4"},
    {"dp 16", BODY "tp=1 pp=1 dp=16 global-batch=32"},
    {"dp 16, fp32 gradients", BODY "tp=1 pp=1 dp=16 global-batch=32 gradient-precision=fp32"},
    {"alone", BODY "tp=1 pp=1 dp=1 global-batch=2"},
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
check(const char *label, JsonNode *result)
{
    static const char *const terms[] = {"compute", "tp", "pp", "dp", "bubble", "optimizer"};
    double whole = lp_json_at(result, "closed_form.iteration_time_s");
    lp_test_close(label, lp_json_at(result, "simulated.iteration_time_s"), whole, EXACT);
    for (guint i = 0; i < G_N_ELEMENTS(terms); i++) {
        g_autofree char *ours = g_strconcat("simulated.terms_s.", terms[i], NULL);
        g_autofree char *formula = g_strconcat("closed_form.terms_s.", terms[i], NULL);
        lp_test_true(label,
                     fabs(lp_json_at(result, ours) - lp_json_at(result, formula)) <= EXACT * whole);
    }
    lp_test_true(label, fabs(lp_json_at(result, "difference.unexplained_s")) <= EXACT * whole);
}

static void
test_degenerate(void)
{
    for (guint m = 0; m < G_N_ELEMENTS(machines); m++) {
        g_autofree char *platform = lp_spawn_platform(machines[m].options);
        for (guint p = 0; p < G_N_ELEMENTS(plans); p++)
            for (guint k = 0; k < G_N_ELEMENTS(modes); k++) {
                g_autofree char *label =
                    g_strjoin(", ", plans[p].label, machines[m].label, modes[k], NULL);
                g_autoptr(JsonNode) result =
                    lp_spawn_simulate(platform, plans[p].settings, modes[k]);
                if (result != NULL)
                    check(label, result);
            }
        (void)g_unlink(platform);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"degenerate", test_degenerate}, {NULL, NULL}};
    return lp_test_run("degenerate", cases);
}
