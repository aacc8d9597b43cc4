/* SPDX-License-Identifier: Apache-2.0 */
#include "model/times/accelerator.h"
#include "tests/testlib.h"

static void
test_peak(void)
{
    static const struct {
        const char *label;
        double peaks[LP_N_PRECISIONS]; /* fp32, tf32, fp16, bf16, fp8, fp8-block,
                                          mxfp8, nvfp4 */
        LpPrecision precision;
        double wanted;
    } rows[] = {
        {"its own", {1.0, 2.0, 3.0, 4.0, 5.0}, LP_PRECISION_FP8, 5.0},
        {"nothing stands in for fp8", {1.0, 2.0, 3.0, 4.0, 0.0, 6.0}, LP_PRECISION_FP8, 0.0},
        {"blocks in units of fp8", {1.0, 2.0, 3.0, 4.0, 5.0}, LP_PRECISION_FP8_BLOCK, 5.0},
        {"or at a rate of their own", {1.0, 2.0, 3.0, 4.0, 5.0, 4.5}, LP_PRECISION_FP8_BLOCK, 4.5},
        {"mxfp8 asks for units", {1.0, 2.0, 3.0, 4.0, 5.0, 6.0}, LP_PRECISION_MXFP8, 0.0},
        {"and has them", {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0}, LP_PRECISION_MXFP8, 7.0},
        {"four bits", {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0}, LP_PRECISION_NVFP4, 8.0},
        {"no four bits", {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0}, LP_PRECISION_NVFP4, 0.0},
        {"shorter blocks stand in for longer ones",
         {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0},
         LP_PRECISION_MXFP4,
         8.0},
        {"but not at their own rate",
         {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 0.0, 9.0},
         LP_PRECISION_MXFP4,
         9.0},
        {"nor the other way round",
         {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 0.0, 0.0, 9.0},
         LP_PRECISION_NVFP4,
         0.0},
        {"bf16 runs as fp16", {1.0, 2.0, 3.0, 0.0, 5.0}, LP_PRECISION_BF16, 3.0},
        {"fp16 runs as tf32", {1.0, 2.0, 0.0, 4.0, 5.0}, LP_PRECISION_FP16, 2.0},
        {"bf16 falls to fp32", {1.0, 0.0, 0.0, 0.0, 0.0}, LP_PRECISION_BF16, 1.0},
        {"fp32 never runs narrower", {0.0, 2.0, 3.0, 4.0, 5.0}, LP_PRECISION_FP32, 0.0},
        {"none at all", {0.0}, LP_PRECISION_BF16, 0.0},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpAccelerator accelerator = {.name = "test"};
        for (guint j = 0; j < LP_N_PRECISIONS; j++)
            accelerator.peak_flop_per_s[j] = rows[i].peaks[j];
        lp_test_close(rows[i].label,
                      lp_accelerator_peak_flop_per_s(&accelerator, rows[i].precision),
                      rows[i].wanted, 0.0);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"peak", test_peak}, {NULL, NULL}};
    return lp_test_run("accelerator", cases);
}
