/* SPDX-License-Identifier: Apache-2.0 */
/* The catalogue against the vendors' figures, and the systems against the catalogue. */
#include "platforms/catalogue/catalogue.h"

#include "base/error.h"
#include "base/file.h"
#include "tests/testlib.h"

#include <string.h>

/* Dense TFLOP/s, bytes and B/s, written here a second time from the sources named in the file. */
static void
test_datasheets(void)
{
    static const struct {
        const char *name;
        double
            tflops[LP_N_PRECISIONS]; /* fp32 tf32 fp16 bf16 fp8 fp8-block mxfp8 nvfp4 int8 mxfp4 */
        double memory_bytes, memory_bytes_per_s;
        guint32 n_sms;
    } rows[] = {
        {"v100-32", {15.7, 0, 125, 0, 0}, 32510 * 0x1p20, 900e9, 80},
        {"v100-16", {15.7, 0, 125, 0, 0}, 16160 * 0x1p20, 900e9, 80},
        {"a100-40", {19.5, 156, 312, 312, 0}, 40960 * 0x1p20, 1555e9, 108},
        {"a100-80", {19.5, 156, 312, 312, 0}, 81920 * 0x1p20, 2039e9, 108},
        {"h100-sxm", {66.9, 494.7, 989.4, 989.4, 1978.9}, 81559 * 0x1p20, 3352e9, 132},
        {"h200", {67, 494.5, 989.5, 989.5, 1979}, 143771 * 0x1p20, 4800e9, 132},
        {"b200", {75, 1125, 2250, 2250, 4500, 0, 4500, 9000}, 183359 * 0x1p20, 8000e9, 148},
        {"mi250x-gcd", {47.85, 0, 191.5, 191.5, 0}, 64e9, 1638.4e9, 110},
        {"tpu-v4", {0, 0, 0, 275, 0, 0, 0, 0, 275}, 32 * 0x1p30, 1200e9, 2},
        {"h100-sxm-96", {66.9, 494.7, 989.4, 989.4, 1978.9}, 97871 * 0x1p20, 2400e9, 132},
        {"h100-sxm-64", {66.9, 494.7, 989.4, 989.4, 1978.9}, 65247 * 0x1p20, 1631e9, 132},
        {"a100-64", {22.4, 179.2, 358.4, 358.4, 0}, 64 * 0x1p30, 1625e9, 124},
        {"h800", {66.9, 494.7, 989.4, 989.4, 1978.9}, 81559 * 0x1p20, 3352e9, 132},
        {"gb200", {80, 1250, 2500, 2500, 5000, 0, 5000, 10000}, 189471 * 0x1p20, 8000e9, 152},
        {"gb300", {80, 1250, 2500, 2500, 5000, 0, 5000, 15000}, 284208 * 0x1p20, 8000e9, 152},
        {"b300", {75, 1125, 2250, 2250, 4500, 0, 4500, 14000}, 275040 * 0x1p20, 7700e9, 148},
        {"tpu-v5p", {0, 0, 0, 459, 0, 0, 0, 0, 918}, 95 * 0x1p30, 2765e9, 2},
        {"a100-80-pcie", {19.5, 156, 312, 312, 0}, 81920 * 0x1p20, 1935e9, 108},
        {"a100-40-pcie", {19.5, 156, 312, 312, 0}, 40960 * 0x1p20, 1555e9, 108},
        {"a800", {19.5, 156, 312, 312, 0}, 81920 * 0x1p20, 2039e9, 108},
        {"h100-pcie", {51.2, 378, 756, 756, 1513}, 81559 * 0x1p20, 2000e9, 114},
        {"h100-nvl", {60, 417.5, 835.5, 835.5, 1670.5}, 95830 * 0x1p20, 3900e9, 132},
        {"gh200-96", {67, 494.5, 989.5, 989.5, 1979}, 97871 * 0x1p20, 4000e9, 132},
        {"gh200-144", {67, 494.5, 989.5, 989.5, 1979}, 144e9, 4900e9, 132},
        {"h20", {44, 74, 148, 148, 296}, 97871 * 0x1p20, 4000e9, 78},
        {"mi300x", {163.4, 653.7, 1307.4, 1307.4, 2614.9}, 192e9, 5300e9, 304},
        {"mi325x", {163.4, 653.7, 1307.4, 1307.4, 2614.9}, 256e9, 6000e9, 304},
        {"mi355x", {157.3, 0, 2516.6, 2516.6, 5033.2, 0, 0, 0, 0, 10066.4}, 288e9, 8000e9, 256},
        {"mi350x", {144.2, 0, 2306.9, 2306.9, 4614, 0, 0, 0, 0, 9228}, 288e9, 8000e9, 256},
        {"mi250-gcd", {45.25, 0, 181.05, 181.05, 0}, 64e9, 1638.4e9, 104},
        {"mi210", {45.3, 0, 181, 181, 0}, 64e9, 1638.4e9, 104},
        {"l40s", {91.6, 183, 362.05, 362.05, 733}, 46068 * 0x1p20, 864e9, 142},
        {"l40", {90.5, 90.5, 181.05, 181.05, 362}, 46068 * 0x1p20, 864e9, 142},
        {"l4", {30.3, 60, 121, 121, 242.5}, 23034 * 0x1p20, 300e9, 58},
        {"a40", {37.4, 74.8, 149.7, 149.7, 0}, 46068 * 0x1p20, 696e9, 84},
        {"a6000", {38.7, 77.4, 154.8, 154.8, 0}, 49140 * 0x1p20, 768e9, 84},
        {"a10", {31.2, 62.5, 125, 125, 0}, 23028 * 0x1p20, 600e9, 72},
        {"a10g", {35, 35, 70, 70, 0}, 23028 * 0x1p20, 600e9, 80},
        {"t4", {8.1, 0, 65, 0, 0}, 15360 * 0x1p20, 320e9, 40},
        {"rtx-3090", {35.6, 35.6, 71, 71, 0}, 24576 * 0x1p20, 936e9, 82},
        {"rtx-4090", {82.58, 82.58, 165.15, 165.15, 330.3}, 24564 * 0x1p20, 1008e9, 128},
        {"rtx-5090", {104.8, 104.8, 209.5, 209.5, 419, 0, 419, 1676}, 32607 * 0x1p20, 1792e9, 170},
        {"tpu-v3", {0, 0, 0, 123, 0}, 32 * 0x1p30, 900e9, 2},
        {"tpu-v5e", {0, 0, 0, 197, 0, 0, 0, 0, 393}, 16e9, 819e9, 1},
        {"tpu-v6e", {0, 0, 0, 918, 0, 0, 0, 0, 1836}, 34359738368.0, 1640e9, 1},
        {"tpu-v7x", {0, 0, 0, 2307, 4614}, 192 * 0x1p30, 7380e9, 2},
        {"gaudi2", {0, 0, 0, 432, 865}, 96e9, 2460e9, 2},
        {"gaudi3", {0, 0, 0, 1677, 1677}, 128e9, 3700e9, 8},
        {"trn1-core", {23.75, 95, 95, 95, 95}, 16 * 0x1p30, 440.234e9, 1},
        {"trn2-core", {45.25, 166.75, 166.75, 166.75, 324.75}, 24 * 0x1p30, 750e9, 2},
    };
    g_autoptr(GArray) all = lp_catalogue_load(NULL);
    lp_test_true("all listed here", all != NULL && all->len == G_N_ELEMENTS(rows));
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        LpAccelerator found = {.name = ""};
        lp_test_true(rows[i].name, lp_catalogue_find(rows[i].name, &found, &error));
        lp_test_text(rows[i].name, found.name, rows[i].name);
        for (int p = 0; p < LP_N_PRECISIONS; p++)
            lp_test_close(rows[i].name, found.peak_flop_per_s[p], rows[i].tflops[p] * 1e12, 1e-15);
        lp_test_close(rows[i].name, found.memory_bytes, rows[i].memory_bytes, 1e-15);
        lp_test_close(rows[i].name, found.memory_bytes_per_s, rows[i].memory_bytes_per_s, 1e-15);
        lp_test_true(rows[i].name, found.n_sms == rows[i].n_sms);
        lp_test_true(rows[i].name, found.gemm_efficiency > 0 && found.gemm_efficiency <= 1 &&
                                       found.memory_efficiency > 0 &&
                                       found.memory_efficiency <= 1 && found.launch_s >= 0);
        lp_test_close(rows[i].name, lp_accelerator_gemm_efficiency(&found, LP_PRECISION_BF16),
                      strcmp(rows[i].name, "b200") == 0 ? 0.488 : found.gemm_efficiency, 0.0);
        lp_test_close(rows[i].name, lp_accelerator_gemm_efficiency(&found, LP_PRECISION_NVFP4),
                      strcmp(rows[i].name, "gb300") == 0 ? 0.52 : found.gemm_efficiency, 0.0);
        lp_test_close(rows[i].name, lp_accelerator_gemm_efficiency(&found, LP_PRECISION_MXFP8),
                      found.gemm_efficiency, 0.0);
        lp_test_true(rows[i].name, found.burst_efficiency >= found.gemm_efficiency &&
                                       found.burst_efficiency <= 1.0);
        lp_test_true(rows[i].name, found.tiles != LP_TILES_NONE && found.alignment_bytes > 0 &&
                                       found.misaligned_efficiency > 0 &&
                                       found.attention_efficiency > 0);
    }
}

/* What hosts take in loops: a product of an A100 that is issued and waited for takes 30.99 us
 * (LLMCompass, ISCA 2024), 10 of them the device's; slicing takes 2 to 3 us, an operation up to
 * 25, an empty kernel up to 10. */
static void
test_loop(void)
{
    LpAccelerator found = {.name = ""};
    lp_test_true("found", lp_catalogue_find("a100-80", &found, NULL));
    const LpAcceleratorLoop *loop = &found.loop;
    lp_test_close("product", loop->product_s, 30.99e-6 - 10e-6, 0.01);
    lp_test_true("kernel", loop->kernel_s > 0.0 && loop->kernel_s < loop->product_s);
    lp_test_true("slice", loop->slice_s > 2e-6 && loop->slice_s < 25e-6);
    lp_test_true("slice's launch", loop->slice_launch_s > 2e-6 && loop->slice_launch_s < 10e-6);
}

/* NCCL's issues 1685 and 864: 1.06 GB alone, 1.6 with one communicator, 6 with three; XLA's 530 MiB
 * (LargeWorldModel/LWM, issue 60). */
static void
test_reserve(void)
{
    LpAccelerator gpu = {.name = ""}, tpu = {.name = ""};
    lp_test_true("found", lp_catalogue_find("h100-sxm", &gpu, NULL) &&
                              lp_catalogue_find("tpu-v5p", &tpu, NULL));
    lp_test_close("alone", gpu.reserve.context_bytes, 1.06e9, 1e-15);
    lp_test_close("one", gpu.reserve.context_bytes + gpu.reserve.communicator_bytes, 1.6e9, 1e-15);
    lp_test_close("three", gpu.reserve.context_bytes + gpu.reserve.communicators_bytes, 6e9, 1e-15);
    lp_test_close("holes", gpu.reserve.holes, (49.0 - 45.4 - 1.6) / 45.4, 1e-14);
    lp_test_close("laid out before",
                  tpu.reserve.context_bytes + tpu.reserve.communicators_bytes + tpu.reserve.holes,
                  530.0 * 1048576.0, 0.0);
}

/* Attention's rates that others published for both passes, FLOP/s: AITER on MI300X "over 500"
 * (ROCm/pytorch, pull request 2686); FlashAttention-2 on A100 without a ramp (Dao, arXiv
 * 2307.08691, figure 4: 195 TFLOP/s of long sequences under a causal mask), of which
 * training keeps what products keep of theirs alone, 0.80 of 0.88. */
static void
test_attention(void)
{
    static const struct {
        const char *name;
        double flop_per_s, within;
    } rows[] = {{"mi300x", 500e12, 0.02}, {"a100-80", 195e12 * 0.80 / 0.88, 0.02}};
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpAccelerator found = {.name = ""};
        if (!lp_catalogue_find(rows[i].name, &found, NULL))
            lp_test_true(rows[i].name, FALSE);
        lp_test_close(rows[i].name,
                      found.attention_efficiency * found.peak_flop_per_s[LP_PRECISION_BF16],
                      rows[i].flop_per_s, rows[i].within);
    }
}

static void
test_unknown(void)
{
    g_autoptr(GError) error = NULL;
    LpAccelerator accelerator = {.name = ""};
    lp_test_true("a100", !lp_catalogue_find("a100-8", &accelerator, &error));
    lp_test_error("a100", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME, "the nearest is a100-80");
}

/* What a platform says otherwise lands in the accelerator, and marks its name once. */
static void
test_properties(void)
{
    static const struct {
        const char *text;
        gsize member;
        double value;
    } rows[LP_N_ACCELERATOR_PROPERTIES] = {
        {"20Tf", G_STRUCT_OFFSET(LpAccelerator, peak_flop_per_s[LP_PRECISION_FP32]), 20e12},
        {"160Tf", G_STRUCT_OFFSET(LpAccelerator, peak_flop_per_s[LP_PRECISION_TF32]), 160e12},
        {"1Pf", G_STRUCT_OFFSET(LpAccelerator, peak_flop_per_s[LP_PRECISION_FP16]), 1e15},
        {"2Pf", G_STRUCT_OFFSET(LpAccelerator, peak_flop_per_s[LP_PRECISION_BF16]), 2e15},
        {"4Pf", G_STRUCT_OFFSET(LpAccelerator, peak_flop_per_s[LP_PRECISION_FP8]), 4e15},
        {"3Pf", G_STRUCT_OFFSET(LpAccelerator, peak_flop_per_s[LP_PRECISION_FP8_BLOCK]), 3e15},
        {"5Pf", G_STRUCT_OFFSET(LpAccelerator, peak_flop_per_s[LP_PRECISION_MXFP8]), 5e15},
        {"8Pf", G_STRUCT_OFFSET(LpAccelerator, peak_flop_per_s[LP_PRECISION_NVFP4]), 8e15},
        {"6Pf", G_STRUCT_OFFSET(LpAccelerator, peak_flop_per_s[LP_PRECISION_INT8]), 6e15},
        {"7Pf", G_STRUCT_OFFSET(LpAccelerator, peak_flop_per_s[LP_PRECISION_MXFP4]), 7e15},
        {"96GiB", G_STRUCT_OFFSET(LpAccelerator, memory_bytes), 96 * 0x1p30},
        {"3TBps", G_STRUCT_OFFSET(LpAccelerator, memory_bytes_per_s), 3e12},
        {"0.5", G_STRUCT_OFFSET(LpAccelerator, gemm_efficiency), 0.5},
        {"0.75", G_STRUCT_OFFSET(LpAccelerator, memory_efficiency), 0.75},
        {"2us", G_STRUCT_OFFSET(LpAccelerator, launch_s), 2e-6},
        {"0.25", G_STRUCT_OFFSET(LpAccelerator, attention_efficiency), 0.25},
        {"0.625", G_STRUCT_OFFSET(LpAccelerator, elementwise_efficiency), 0.625},
        {"7us", G_STRUCT_OFFSET(LpAccelerator, host_kernel_s), 7e-6},
        {"9us", G_STRUCT_OFFSET(LpAccelerator, host_collective_s), 9e-6},
    };
    LpAccelerator accelerator = {.name = ""};
    g_autoptr(GError) error = NULL;
    lp_test_true("find", lp_catalogue_find("a100-80", &accelerator, &error));
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        const char *label = lp_accelerator_property_names[i];
        lp_test_true(label, lp_accelerator_set(&accelerator, i, rows[i].text, &error));
        lp_test_close(label, G_STRUCT_MEMBER(double, &accelerator, rows[i].member), rows[i].value,
                      1e-15);
        lp_test_text(label, accelerator.name, "a100-80 (modified)");
    }
    /* What is stated of products holds in all precisions. */
    lp_test_true("find", lp_catalogue_find("b200", &accelerator, &error));
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        lp_test_true("set", lp_accelerator_set(&accelerator, i, rows[i].text, &error));
    lp_test_close("b200", lp_accelerator_gemm_efficiency(&accelerator, LP_PRECISION_BF16), 0.5,
                  0.0);
}

static void
test_bad_properties(void)
{
    static const char *const bad[] = {"", "0", "-1", "nan", "inf", "1e30", "text", "2"};
    LpAccelerator accelerator = {.name = ""};
    g_autoptr(GError) error = NULL;
    lp_test_true("find", lp_catalogue_find("a100-80", &accelerator, &error));
    for (guint i = 0; i < LP_N_ACCELERATOR_PROPERTIES; i++)
        for (guint k = 0; k < G_N_ELEMENTS(bad); k++) {
            g_autofree char *label =
                g_strdup_printf("%s=%s", lp_accelerator_property_names[i], bad[k]);
            lp_test_true(label, !lp_accelerator_set(&accelerator, i, bad[k], &error));
            int code = error != NULL ? error->code : -1;
            lp_test_true(label, code == LP_INPUT_ERROR_SYNTAX || code == LP_INPUT_ERROR_VALUE);
            lp_test_error(label, &error, LP_INPUT_ERROR, code, "");
            lp_test_text(label, accelerator.name, "a100-80");
        }
}

/* The shipped file without the first element called @name. */
static GBytes *
without(const char *name)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GBytes) shipped =
        lp_file_read("resource:///lightpath/platforms/catalogue/accelerators.xml", &error);
    gsize length = 0;
    const char *text = g_bytes_get_data(shipped, &length);
    g_autofree char *whole = g_strndup(text, length);
    g_autofree char *opening = g_strconcat("<", name, " ", NULL);
    char *begin = strstr(whole, opening);
    lp_test_true(name, begin != NULL);
    GString *rest = g_string_new_len(whole, begin - whole);
    g_string_append(rest, strstr(begin, "/>") + strlen("/>"));
    return g_string_free_to_bytes(rest);
}

/* What all accelerators have in common is wanted of a file that has others. */
static void
test_no_common(void)
{
    static const char *const common[] = {"reserve", "loop"};
    LpAccelerator accelerator;
    g_autoptr(GError) error = NULL;
    lp_test_true("resource", lp_catalogue_find("a100-80", &accelerator, &error));
    for (guint i = 0; i < G_N_ELEMENTS(common); i++) {
        g_autoptr(GBytes) content = without(common[i]);
        g_autofree char *part = g_strdup_printf("<accelerator> got no <%s>", common[i]);
        lp_test_true(common[i], lp_catalogue_parse("mine.xml", content, &error) == NULL);
        lp_test_error(common[i], &error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE, part);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"datasheets", test_datasheets},
                                       {"attention", test_attention},
                                       {"loop", test_loop},
                                       {"reserve", test_reserve},
                                       {"properties", test_properties},
                                       {"bad properties", test_bad_properties},
                                       {"no common", test_no_common},
                                       {"unknown", test_unknown},
                                       {NULL, NULL}};
    return lp_test_run("catalogue", cases);
}
