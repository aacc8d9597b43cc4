/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/model/shapes.h"
#include "tests/testlib.h"

#include <math.h>

#define IDENTITY 1e-12 /* the same sum in another order */

static LpWork
draw_work(GRand *generator)
{
    double device_s = g_rand_double_range(generator, 0.0, 2.0);
    double host_s = g_rand_double_range(generator, 0.0, 2.0);
    if (g_rand_boolean(generator))
        return (LpWork){
            .device_s = device_s, .host_s = host_s, .issue_s = host_s, .bound_s = device_s};
    return (LpWork){.device_s = device_s,
                    .host_s = fmax(host_s, device_s),
                    .issue_s = host_s,
                    .bound_s = device_s,
                    .wait_s = device_s,
                    .waits = TRUE};
}

/* The device after the host has issued, and the device has run, one kernel after another. */
typedef struct {
    double device_s, host_s;
} Clock;

static Clock
issue(Clock at, double device_s, double host_s, gboolean waits)
{
    double end_s = fmax(at.device_s, at.host_s) + device_s, ready_s = at.host_s + host_s;
    return (Clock){end_s, waits ? fmax(ready_s, end_s) : ready_s};
}

static Clock
apply(Clock at, LpWork work)
{
    double waited_s = lp_work_waited_s(&work, at.host_s, at.device_s, FALSE);
    return (Clock){at.device_s + work.device_s + waited_s,
                   lp_work_host_end_s(&work, at.host_s, at.device_s)};
}

static void
check_same_work(const char *label, LpWork one, LpWork other)
{
    lp_test_close(label, one.device_s, other.device_s, IDENTITY);
    lp_test_close(label, one.host_s, other.host_s, IDENTITY);
    lp_test_close(label, one.issue_s, other.issue_s, IDENTITY);
    lp_test_close(label, one.bound_s, other.bound_s, IDENTITY);
    lp_test_close(label, one.device_s + one.idle_s, other.device_s + other.idle_s, IDENTITY);
    lp_test_close(label, one.wait_s, other.wait_s, IDENTITY);
    lp_test_true(label, one.waits == other.waits);
}

static void
test_work(void)
{
    GRand *generator = g_rand_new_with_seed(3);
    for (guint i = 0; i < 1000; i++) {
        g_autofree char *label = g_strdup_printf("sequence %u", i);
        Clock start = {g_rand_double_range(generator, 0.0, 9.0),
                       g_rand_double_range(generator, 0.0, 9.0)};
        Clock step_by_step = start;
        LpWork works[12], from_left = LP_WORK_NONE;
        guint n = (guint)g_rand_int_range(generator, 1, G_N_ELEMENTS(works) + 1);
        for (guint k = 0; k < n; k++) {
            works[k] = draw_work(generator);
            step_by_step = issue(step_by_step, works[k].device_s, works[k].host_s, works[k].waits);
            from_left = lp_work_then(from_left, works[k]);
        }
        LpWork from_right = works[n - 1];
        for (guint k = n - 1; k > 0; k--)
            from_right = lp_work_then(works[k - 1], from_right);
        check_same_work(label, from_left, from_right);
        Clock at_once = apply(start, from_left);
        lp_test_close(label, at_once.device_s, step_by_step.device_s, IDENTITY);
        lp_test_close(label, at_once.host_s, step_by_step.host_s, IDENTITY);
        LpWork doubled = lp_work_scale(from_left, 2.0);
        Clock later = apply((Clock){2.0 * start.device_s, 2.0 * start.host_s}, doubled);
        lp_test_close(label, later.device_s, 2.0 * at_once.device_s, IDENTITY);
        /* Three runs of kernels, either way. */
        LpWork a = from_left, b = lp_work_scale(from_right, 0.3), c = works[0];
        check_same_work(label, lp_work_then(lp_work_then(a, b), c),
                        lp_work_then(a, lp_work_then(b, c)));
        check_same_work(label, lp_work_then(LP_WORK_NONE, a), a);
    }
    g_rand_free(generator);
}

/* A block's work is that of its kernels in order: where the device may next start, since a part
 * without kernels waits for the host. */
static void
test_block_work(void)
{
    LpTransformer gpt = lp_test_gpt(2, 512, 4);
    LpPlan plan = lp_test_plan(2, 1, 1, 1, 1);
    plan.recompute = LP_RECOMPUTE_FULL;
    static const double hosts_s[] = {0.0, 2e-6, 20e-6, 1e-3};
    for (guint h = 0; h < G_N_ELEMENTS(hosts_s); h++)
        for (guint graphs = 0; graphs < 2; graphs++)
            for (guint block = 0; block < LP_N_BLOCKS; block++)
                for (guint pass = 0; pass < LP_N_PASSES; pass++) {
                    LpAccelerator accelerator = lp_test_accelerator();
                    accelerator.host_kernel_s = hosts_s[h];
                    plan.host.cuda_graphs = graphs == 1;
                    LpKernel kernels[LP_KERNELS_MAX];
                    guint n =
                        lp_block_kernels(&gpt, &plan, 0, (LpBlock)block, (LpPass)pass, kernels);
                    g_autofree char *label =
                        g_strdup_printf("host %g s, block %u, pass %u", hosts_s[h], block, pass);
                    Clock start = {5e-6, 0.0}, at = start;
                    double sum_s = 0.0;
                    for (guint part = 0; part < LP_N_BLOCK_PARTS; part++)
                        for (guint i = 0; i < n; i++) {
                            if (kernels[i].part != (LpBlockPart)part)
                                continue;
                            double time_s =
                                lp_kernel_time_s(&kernels[i], &accelerator, plan.format.precision);
                            at = issue(at, time_s, graphs == 1 ? 0.0 : hosts_s[h], FALSE);
                            sum_s += time_s;
                        }
                    LpWork work =
                        lp_block_work(&gpt, &plan, &accelerator, 0, (LpBlock)block, (LpPass)pass);
                    Clock end = apply(start, work);
                    lp_test_close(label, fmax(end.device_s, end.host_s),
                                  fmax(at.device_s, at.host_s), IDENTITY);
                    lp_test_close(label, end.host_s, at.host_s, IDENTITY);
                    lp_test_close(
                        label,
                        lp_block_time_s(&gpt, &plan, &accelerator, 0, (LpBlock)block, (LpPass)pass),
                        sum_s, IDENTITY);
                }
}

/* What a graph has of a layer costs the host one launch, forward and backward; what is not in it
 * costs what it did, and the device's times stay. */
static void
test_layer_graphs(void)
{
    static const LpBlock blocks[] = {LP_BLOCK_ATTENTION, LP_BLOCK_ROUTER, LP_BLOCK_EXPERTS};
    static const gboolean captured[][G_N_ELEMENTS(blocks)] = {
        [LP_LAYER_GRAPHS_NONE] = {FALSE, FALSE, FALSE},
        [LP_LAYER_GRAPHS_ROUTING] = {FALSE, TRUE, FALSE},
        [LP_LAYER_GRAPHS_ATTENTION] = {TRUE, TRUE, FALSE}};
    LpTransformer shape = lp_test_gpt(2, 512, 4);
    shape.experts.n = 8;
    shape.experts.top_k = 2;
    LpAccelerator accelerator = lp_test_accelerator();
    accelerator.host_kernel_s = 1e-5;
    for (guint32 graphs = 0; graphs < G_N_ELEMENTS(captured); graphs++)
        for (guint i = 0; i < G_N_ELEMENTS(blocks); i++)
            for (guint pass = LP_PASS_FORWARD; pass <= LP_PASS_BACKWARD_INPUT; pass++) {
                LpPlan plan = lp_test_plan(1, 1, 1, 1, 1);
                LpWork all = lp_block_work(&shape, &plan, &accelerator, 0, blocks[i], (LpPass)pass);
                plan.traits[LP_TRAIT_LAYER_GRAPHS] = graphs;
                LpWork work =
                    lp_block_work(&shape, &plan, &accelerator, 0, blocks[i], (LpPass)pass);
                g_autofree char *label =
                    g_strdup_printf("graphs %u, block %u, pass %u", graphs, blocks[i], pass);
                lp_test_true(label, all.host_s > 1.5 * accelerator.host_kernel_s);
                lp_test_close(label, work.host_s,
                              captured[graphs][i] ? accelerator.host_kernel_s : all.host_s,
                              IDENTITY);
                lp_test_close(label, work.device_s, all.device_s, IDENTITY);
            }
}

/* Behind the counts of an expert layer the host has no lead left: what it takes to issue the next
 * kernel the device waits. Where buffers have one size, or kernels are captured, nothing waits. */
static void
test_counts(void)
{
    static const struct {
        const char *label;
        double capacity_factor;
        gboolean asked, captured, waits;
    } rows[] = {{"dropless", 0.0, TRUE, FALSE, TRUE},
                {"not asked for", 0.0, FALSE, FALSE, FALSE},
                {"buffers of one size", 1.0, TRUE, FALSE, FALSE},
                {"captured", 0.0, TRUE, TRUE, FALSE}};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpTransformer shape = lp_test_gpt(2, 512, 4);
        LpPlan plan = lp_test_plan(1, 1, 1, 1, 1);
        LpAccelerator accelerator = lp_test_accelerator();
        accelerator.host_kernel_s = 1e-3; /* longer than any kernel */
        shape.experts.n = 8;
        shape.experts.top_k = 2;
        shape.experts.capacity_factor = rows[i].capacity_factor;
        plan.traits[LP_TRAIT_COUNT_SYNC] = rows[i].asked ? 1 : 0;
        plan.host.cuda_graphs = rows[i].captured;
        LpWork forward =
            lp_block_work(&shape, &plan, &accelerator, 0, LP_BLOCK_ROUTER, LP_PASS_FORWARD);
        LpWork backward =
            lp_block_work(&shape, &plan, &accelerator, 0, LP_BLOCK_ROUTER, LP_PASS_BACKWARD_INPUT);
        lp_test_true(rows[i].label, forward.waits == rows[i].waits);
        lp_test_true(rows[i].label, !backward.waits);
        /* A host that is an hour ahead is not, behind the counts; the permutation comes next. */
        double host_s = lp_work_host_end_s(&forward, -3600.0, 0.0);
        lp_test_true(rows[i].label, rows[i].waits ? host_s >= 2e-3 : host_s < 0.0);
    }
}

/* A host that takes turns adds what it does itself, however often it waits, and the device none of
 * its time twice. */
static void
test_turns(void)
{
    const LpWork waiting = {.device_s = 3.0,
                            .host_s = 3.5,
                            .issue_s = 0.5,
                            .bound_s = 3.0,
                            .wait_s = 3.5,
                            .waits = TRUE};
    const LpWork plain = {.device_s = 2.0, .host_s = 0.25, .issue_s = 0.25, .bound_s = 2.0};
    LpWork both = lp_work_then(lp_work_then(waiting, plain), waiting);
    lp_test_close("alone", lp_work_waited_s(&waiting, 7.0, 1.0, TRUE), 0.5, IDENTITY);
    lp_test_close("in a row", lp_work_waited_s(&both, 7.0, 1.0, TRUE), 1.25, IDENTITY);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"work", test_work},
        {"block work", test_block_work},
        {"graphs of layers", test_layer_graphs},
        {"counts", test_counts},
        {"turns", test_turns},
        {NULL, NULL},
    };
    return lp_test_run("work", cases);
}
