/* SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/precision.h"
#include "tests/testlib.h"

/* What an element takes: 4-byte scales for 128 values (DeepSeek-V3, arXiv 2412.19437, section
 * 3.3.2), a byte for 32 (OCP Microscaling Formats, version 1.0, table 1), a byte for 16 (NVIDIA,
 * Transformer Engine's documentation, nvfp4). */
static void
test_traits(void)
{
    static const struct {
        const char *name;
        double element, scaled, weight, reads;
    } rows[LP_N_PRECISIONS] = {
        {"fp32", 4, 4, 4, 0},        {"tf32", 4, 4, 4, 0},
        {"fp16", 2, 2, 2, 0},        {"bf16", 2, 2, 2, 0},
        {"fp8", 1, 1, 1, 1},         {"fp8-block", 1, 1.03125, 1, 1},
        {"mxfp8", 1, 1.03125, 2, 1}, {"nvfp4", 0.5, 0.5625, 0.5625, 2},
        {"int8", 1, 1, 2, 2},        {"mxfp4", 0.5, 0.53125, 2, 1},
    };
    for (LpPrecision precision = 0; precision < LP_N_PRECISIONS; precision++) {
        const LpPrecisionTraits *traits = lp_precision_traits(precision);
        const char *name = rows[precision].name;
        lp_test_text(name, lp_precision_names[precision], name);
        lp_test_close(name, traits->element_bytes, rows[precision].element, 0.0);
        lp_test_close(name, traits->scaled_bytes, rows[precision].scaled, 0.0);
        lp_test_close(name, traits->weight_bytes, rows[precision].weight, 0.0);
        lp_test_close(name, traits->cast_reads, rows[precision].reads, 0.0);
    }
}

static void
test_narrow(void)
{
    for (LpPrecision precision = 0; precision < LP_N_PRECISIONS; precision++) {
        gboolean is_narrow = precision >= LP_PRECISION_FP8;
        lp_test_true(lp_precision_names[precision], lp_precision_is_narrow(precision) == is_narrow);
        lp_test_true(lp_precision_names[precision],
                     lp_precision_wide(precision) == (is_narrow ? LP_PRECISION_BF16 : precision));
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"traits", test_traits}, {"narrow", test_narrow}, {NULL, NULL}};
    return lp_test_run("precision", cases);
}
