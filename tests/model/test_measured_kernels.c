/* SPDX-License-Identifier: Apache-2.0 */
/* Interpolation between measured kernels: by hand, exact where measured, the model elsewhere. */
#include "model/times/kernel.h"

#include "tests/testlib.h"

#include <math.h>

#define IDENTITY 1e-12 /* the same product in another order */

/* 100 TFLOP/s, of which half is reached in training and four fifths alone; 1 TB/s. */
static LpAccelerator
plain(void)
{
    return (LpAccelerator){
        .peak_flop_per_s = {[LP_PRECISION_BF16] = 100e12, [LP_PRECISION_FP8] = 200e12},
        .memory_bytes_per_s = 1e12,
        .gemm_efficiency = 0.5,
        .burst_efficiency = 0.8,
        .memory_efficiency = 1.0,
        .elementwise_efficiency = 0.5,
        .launch_s = 1e-6};
}

static LpKernel
product(double m, double k, double n, double count)
{
    return (LpKernel){.m = m, .k = k, .n = n, .n_batch = count, .share = 1.0};
}

/* A row that takes @ratio times as long as the model. */
static LpMeasuredKernel
row(const LpAccelerator *accelerator, LpKernel kernel, double ratio)
{
    LpMeasuredKernel made = {.kernel = kernel, .precision = LP_PRECISION_BF16};
    made.modelled_s = lp_kernel_device_s(&kernel, accelerator, LP_PRECISION_BF16, NULL);
    made.time_s = ratio * made.modelled_s;
    return made;
}

static double
factor(const LpMeasuredKernels *kernels, LpKernel kernel, LpPrecision precision, LpTimedBy wanted)
{
    LpTimedBy by;
    double value = lp_measured_kernels_factor(kernels, &kernel, precision, &by);
    lp_test_true(lp_timed_by_names[wanted], by == wanted);
    return value;
}

static void
test_interpolation(void)
{
    LpAccelerator accelerator = plain();
    const LpMeasuredKernel rows[] = {row(&accelerator, product(1024, 1024, 1024, 1), 2.0),
                                     row(&accelerator, product(4096, 1024, 1024, 1), 3.0)};
    g_autoptr(LpMeasuredKernels) kernels = lp_measured_kernels_new(rows, 2);
    static const struct {
        const char *label;
        double m;
        LpTimedBy by;
        double wanted;
    } sizes[] = {
        {"first", 1024, LP_TIMED_AS_MEASURED, 2.0},
        {"second", 4096, LP_TIMED_AS_MEASURED, 3.0},
        /* One doubling from each, so weights of (5/6)^2, and 1/36 of the model's. */
        {"between", 2048, LP_TIMED_BETWEEN, 0.0},
        /* Four doublings below the first: (1/12)^2; six below the second, which is out of reach. */
        {"below", 64, LP_TIMED_BETWEEN, 0.0},
        {"far", 1, LP_TIMED_BY_MODEL, 1.0},
    };
    const double by_hand[] = {2.0, 3.0, exp(25.0 * (log(2.0) + log(3.0)) / (50.0 + 1.0)),
                              exp(log(2.0) / 144.0 / (1.0 / 144.0 + 1.0 / 36.0)), 1.0};
    for (guint i = 0; i < G_N_ELEMENTS(sizes); i++)
        lp_test_close(
            sizes[i].label,
            factor(kernels, product(sizes[i].m, 1024, 1024, 1), LP_PRECISION_BF16, sizes[i].by),
            by_hand[i], IDENTITY);
    lp_test_close(
        "fp16 is as bf16",
        factor(kernels, product(1024, 1024, 1024, 1), LP_PRECISION_FP16, LP_TIMED_AS_MEASURED), 2.0,
        IDENTITY);
    lp_test_close(
        "fp8 is not",
        factor(kernels, product(1024, 1024, 1024, 1), LP_PRECISION_FP8, LP_TIMED_BY_MODEL), 1.0,
        IDENTITY);
    lp_test_close(
        "several are not one",
        factor(kernels, product(1024, 1024, 1024, 8), LP_PRECISION_BF16, LP_TIMED_BY_MODEL), 1.0,
        IDENTITY);
    lp_test_close("no table",
                  factor(NULL, product(1024, 1024, 1024, 1), LP_PRECISION_BF16, LP_TIMED_BY_MODEL),
                  1.0, IDENTITY);
}

/* A kernel's time is the measured one and a launch; one kernel of several, their products'. */
static void
test_times(void)
{
    LpAccelerator accelerator = plain();
    LpKernel one = product(1024, 1024, 1024, 1), stream = {.bytes = 1e9, .streams = TRUE},
             sweep = {.bytes = 1e9};
    LpMeasuredKernel rows[] = {row(&accelerator, one, 1.0), row(&accelerator, stream, 1.0),
                               row(&accelerator, sweep, 1.0)};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        rows[i].time_s = 1e-3 * (i + 1);
    g_autoptr(LpMeasuredKernels) kernels = lp_measured_kernels_new(rows, 3);
    double modelled_s = lp_kernel_device_s(&one, &accelerator, LP_PRECISION_BF16, NULL);
    accelerator.measured = kernels;
    const LpKernel *const all[] = {&one, &stream, &sweep};
    for (guint i = 0; i < G_N_ELEMENTS(all); i++)
        lp_test_close("measured", lp_kernel_time_s(all[i], &accelerator, LP_PRECISION_BF16),
                      1e-3 * (i + 1) + 1e-6, IDENTITY);
    /* Four experts' products side by side are one round, and each is the product that was measured:
     * the model's time of four, as much longer. */
    LpKernel apart = product(1024, 1024, 1024, 4);
    apart.n_apart = 4.0;
    lp_test_close("apart", lp_kernel_time_s(&apart, &accelerator, LP_PRECISION_BF16),
                  4.0 * modelled_s * (1e-3 / modelled_s) + 1e-6, IDENTITY);
}

/* Rows of one size are their geometric mean, and errors are of sizes. */
static void
test_fit(void)
{
    LpAccelerator accelerator = plain();
    const LpMeasuredKernel rows[] = {row(&accelerator, product(512, 512, 512, 1), 2.0),
                                     row(&accelerator, product(512, 512, 512, 1), 8.0),
                                     row(&accelerator, product(1024, 512, 512, 1), 4.0)};
    g_autoptr(LpMeasuredKernels) kernels = lp_measured_kernels_new(rows, 3);
    LpMeasuredFit fit;
    lp_test_true("there", lp_measured_kernels_fit(kernels, LP_MEASURED_PRODUCT, &fit));
    lp_test_true("counts", fit.n_rows == 3 && fit.n_sizes == 2);
    lp_test_close("ratio", fit.ratio, 4.0, IDENTITY);
    lp_test_close("model", fit.model.worst, 0.75, IDENTITY);
    /* Each from the other, a doubling away: 4^(25/26) of 4. */
    lp_test_close("left out", fit.leave_one_out.worst, 1.0 - pow(4.0, -1.0 / 26.0), 1e-11);
    lp_test_true("not there", !lp_measured_kernels_fit(kernels, LP_MEASURED_STREAM, &fit));
}

/* Ten sizes whose modelled times are 1 to 10 % below the measured ones: by nearest rank half of
 * them are at most 5 % off, nine of them 9 %. */
static void
test_quantiles(void)
{
    LpAccelerator accelerator = plain();
    LpMeasuredKernel rows[10];
    for (guint i = 0; i < 10; i++)
        rows[i] = row(&accelerator, product(512 << i, 512, 512, 1), 1.0 / (0.99 - 0.01 * i));
    g_autoptr(LpMeasuredKernels) kernels = lp_measured_kernels_new(rows, 10);
    LpMeasuredFit fit;
    lp_test_true("there", lp_measured_kernels_fit(kernels, LP_MEASURED_PRODUCT, &fit));
    lp_test_close("median", fit.model.median, 0.05, IDENTITY);
    lp_test_close("p90", fit.model.p90, 0.09, IDENTITY);
    lp_test_close("worst", fit.model.worst, 0.10, IDENTITY);
    lp_test_close("ratio", fit.ratio, 1.0 / 0.95, IDENTITY);
}

static void
test_named(void)
{
    const LpMeasuredKernel rows[] = {{.name = "scan", .size = 400, .time_s = 8e-3},
                                     {.name = "scan", .size = 100, .time_s = 1e-3},
                                     {.name = "sort", .size = 100, .time_s = 5e-3}};
    g_autoptr(LpMeasuredKernels) kernels = lp_measured_kernels_new(rows, 3);
    static const struct {
        double size, time_s;
        LpTimedBy by;
    } sizes[] = {{100, 1e-3, LP_TIMED_AS_MEASURED},
                 {400, 8e-3, LP_TIMED_AS_MEASURED},
                 {200, 2.8284271247461903e-3, LP_TIMED_BETWEEN}, /* the geometric mean */
                 {50, 0.5e-3, LP_TIMED_BETWEEN},
                 {800, 16e-3, LP_TIMED_BETWEEN}};
    for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
        double time_s = 0.0;
        LpTimedBy by;
        lp_test_true("named",
                     lp_measured_kernels_named(kernels, "scan", sizes[i].size, &time_s, &by));
        lp_test_close("time", time_s, sizes[i].time_s, IDENTITY);
        lp_test_true("by", by == sizes[i].by);
    }
    lp_test_true("unknown", !lp_measured_kernels_named(kernels, "hash", 1, NULL, NULL));
    lp_test_true("no table", !lp_measured_kernels_named(NULL, "scan", 1, NULL, NULL));
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"interpolation", test_interpolation}, {"times", test_times}, {"fit", test_fit},
        {"quantiles", test_quantiles},         {"named", test_named}, {NULL, NULL}};
    return lp_test_run("measured_kernels", cases);
}
