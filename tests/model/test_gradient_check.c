/* SPDX-License-Identifier: Apache-2.0 */
/* What checks of gradients cost the device, and how long its host waits. */
#include "model/times/gradient_check.h"

#include "model/plan/plan_parameters.h"

#include "tests/model/shapes.h"
#include "tests/testlib.h"

#define IDENTITY 1e-12

/* 0.8 TB/s; a kernel costs the host 62 us. */
static LpAccelerator
with_host(void)
{
    return lp_test_hosted_accelerator(62e-6, 0.0);
}

static LpPlan
with_checks(void)
{
    LpPlan plan = lp_test_plan(2, 2, 4, 1, 4);
    plan.format.gradient_bytes = 4;
    plan.traits[LP_TRAIT_GRADIENT_CHECK] = TRUE;
    return plan;
}

/* The bucket is read once. Behind it the device waits for three kernels to be issued, one behind
 * the first wait and two behind the second, however far the host was ahead. */
static void
test_bucket(void)
{
    LpAccelerator accelerator = with_host();
    LpPlan plan = with_checks();
    double read_s = 8e9 / 0.8e12;
    LpWork work = lp_gradient_check_work(&plan, &accelerator, 8e9);
    LpWork next = {.device_s = 1.0, .bound_s = 1.0};
    LpWork both = lp_work_then(work, next);
    lp_test_close("device", work.device_s, read_s, 1e-6);
    lp_test_close("device's wait", both.idle_s, 3.0 * 62e-6, 1e-3);
    lp_test_close("host", lp_work_host_end_s(&work, 0.0, 5.0), 5.0 + read_s + 3.0 * 62e-6, 1e-6);
    plan.host.cuda_graphs = TRUE;
    lp_test_close("captured", lp_gradient_check_work(&plan, &accelerator, 8e9).device_s, 0.0,
                  IDENTITY);
    plan.host.cuda_graphs = FALSE;
    plan.traits[LP_TRAIT_GRADIENT_CHECK] = FALSE;
    lp_test_close("unchecked", lp_gradient_check_work(&plan, &accelerator, 8e9).device_s, 0.0,
                  IDENTITY);
}

/* A layer of a GPT has 6 tensors, and the last stage of two the last norm and its copy of the
 * embedding besides. */
static void
test_step(void)
{
    static const struct {
        const char *label;
        double bucket_parameters, n;
    } rows[] = {
        {"a bucket for each tensor", 1.0, 2.0 * 6.0 + 2.0},
        {"two buckets", 0.0, 2.0},
        {"one", 1e12, 1.0},
    };
    LpTransformer gpt = lp_test_gpt(4, 64, 4);
    LpAccelerator accelerator = with_host();
    LpPlan plan = with_checks();
    double parameters = lp_plan_stage_parameters(&plan, &gpt, 1);
    plan.overlap.bucket = LP_BUCKET_PARAMETERS;
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        double size = rows[i].bucket_parameters;
        plan.overlap.bucket_parameters = size > 0.0 ? size : 0.6 * parameters;
        LpWork work = lp_gradient_checks_work(&gpt, &plan, &accelerator, 1);
        lp_test_close(rows[i].label, work.issue_s, 4.0 * 62e-6 * rows[i].n, IDENTITY);
        lp_test_close(rows[i].label, work.device_s, 4.0 * parameters / 0.8e12, 1e-2);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"bucket", test_bucket}, {"step", test_step}, {NULL, NULL}};
    return lp_test_run("gradient-check", cases);
}
