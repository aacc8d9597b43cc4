/* SPDX-License-Identifier: Apache-2.0 */
/* Products: the equation by hand, and the catalogue's constants against measured rates. */
#include "model/times/gemm.h"

#include "platforms/catalogue/catalogue.h"
#include "tests/model/shapes.h"
#include "tests/testlib.h"

#include <math.h>

#define IDENTITY 1e-12 /* the same product in another order */

/* Four multiprocessors, 100 TFLOP/s, of which half is reached; 1 TB/s, of which four fifths. */
static LpAccelerator
four_sms(LpTiles tiles)
{
    return (LpAccelerator){
        .peak_flop_per_s = {[LP_PRECISION_FP16] = 100e12},
        .memory_bytes_per_s = 1e12,
        .n_sms = 4,
        .tiles = tiles,
        .gemm_efficiency = 0.5,
        .memory_efficiency = 0.8,
    };
}

static LpAccelerator
catalogue(const char *name)
{
    LpAccelerator accelerator = {.name = ""};
    g_autoptr(GError) error = NULL;
    lp_test_true(name, lp_catalogue_find(name, &accelerator, &error));
    return accelerator;
}

/* What 64 x 64 and 64 x 128 read beyond the 3/256 operands a multiply-add of 128 x 256. */
#define SMALL_TILE (1.0 + 19.0 * (8.0 - 3.0) / 256.0)
#define MIDDLE_TILE (1.0 + 19.0 * (6.0 - 3.0) / 256.0)

static void
test_by_hand(void)
{
    static const struct {
        const char *label;
        LpTiles tiles;
        guint32 n_sms;
        double ramp_bytes;
        LpGemm gemm;
        double wanted_s;
    } rows[] = {
        {"no tiles", LP_TILES_NONE, 4, 500, {100, 100, 100, 3}, 6e6 / 5e13},
        {"no multiprocessors", LP_TILES_COARSE, 0, 500, {100, 100, 100, 3}, 6e6 / 5e13},
        {"nothing", LP_TILES_COARSE, 4, 500, {100, 0, 100, 3}, 0.0},
        {"one full wave", LP_TILES_COARSE, 4, 0, {256, 64, 512, 1}, 2.0 * 256 * 64 * 512 / 5e13},
        {"four in a batch", LP_TILES_COARSE, 4, 0, {128, 64, 256, 4}, 2.0 * 256 * 64 * 512 / 5e13},
        {"the ramp is 64 of fp16",
         LP_TILES_COARSE,
         4,
         128,
         {256, 64, 512, 1},
         2.0 * 256 * 128 * 512 / 5e13},
        {"one element costs a wave of the smallest tile",
         LP_TILES_COARSE,
         4,
         0,
         {1, 64, 1, 1},
         4 * 2.0 * 64 * 64 * 64 / 5e13 * SMALL_TILE},
        {"one column more: five waves of 64 x 128, not two of 128 x 256",
         LP_TILES_COARSE,
         4,
         0,
         {256, 64, 513, 1},
         5 * 2.0 * 64 * 64 * 128 * 4 / 5e13 * MIDDLE_TILE},
        {"k in four parts, whose sums pass the memory",
         LP_TILES_COARSE,
         4,
         0,
         {64, 4096, 64, 1},
         4 * 2.0 * 64 * 1024 * 64 / 5e13 * SMALL_TILE + 8.0 * 4 * 64 * 64 / 8e11},
        {"systolic: both inner sides are padded to 128",
         LP_TILES_SYSTOLIC,
         4,
         0,
         {64, 100, 200, 1},
         2.0 * 64 * 128 * 256 / 5e13},
        {"largest",
         LP_TILES_COARSE,
         4,
         0,
         {1 << 24, 1 << 24, 1 << 24, 1},
         9.444732965739290e21 / 5e13},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpAccelerator accelerator = four_sms(rows[i].tiles);
        accelerator.n_sms = rows[i].n_sms;
        accelerator.gemm_ramp_bytes = rows[i].ramp_bytes;
        lp_test_close(rows[i].label,
                      lp_gemm_arithmetic_s(&rows[i].gemm, &accelerator, LP_PRECISION_FP16),
                      rows[i].wanted_s, IDENTITY);
    }
}

static void
test_alignment(void)
{
    static const struct {
        const char *label;
        LpGemm gemm;
        LpPrecision precision;
        double alignment_bytes;
        double wanted;
    } rows[] = {
        {"none asked for", {1, 1, 1, 1}, LP_PRECISION_FP16, 0, 1.0},
        {"64 elements of 2 bytes", {64, 192, 8192, 1}, LP_PRECISION_FP16, 128, 1.0},
        {"a head of 80: 32 bytes", {2048, 80, 2048, 1}, LP_PRECISION_FP16, 128, 0.81},
        {"the worst side counts", {2, 32, 64, 1}, LP_PRECISION_FP16, 128, 0.59049},
        {"odd", {64, 64, 50257, 1}, LP_PRECISION_FP16, 128, 0.531441},
        {"odd at one byte", {128, 128, 50257, 1}, LP_PRECISION_FP8, 128, 0.4782969},
        {"odd at four", {32, 32, 50257, 1}, LP_PRECISION_FP32, 128, 0.59049},
        {"16 bytes do", {8, 8, 8, 1}, LP_PRECISION_FP16, 16, 1.0},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpAccelerator accelerator = four_sms(LP_TILES_COARSE);
        accelerator.alignment_bytes = rows[i].alignment_bytes;
        accelerator.misaligned_efficiency = 0.9;
        lp_test_close(rows[i].label,
                      lp_gemm_alignment(&rows[i].gemm, &accelerator, rows[i].precision),
                      rows[i].wanted, IDENTITY);
    }
}

static void
test_attention(void)
{
    static const struct {
        const char *label;
        LpTiles tiles;
        double efficiency;
        LpGemm gemm;
        double wanted_s;
    } rows[] = {
        {"as a product", LP_TILES_COARSE, 0, {256, 64, 256, 2}, 2.0 * 256 * 64 * 256 * 2 / 5e13},
        {"four blocks", LP_TILES_COARSE, 0.25, {256, 64, 256, 2}, 4.0 * 256 * 64 * 256 / 2.5e13},
        {"five: two waves",
         LP_TILES_COARSE,
         0.25,
         {128, 64, 128, 5},
         2.0 * 128 * 64 * 128 * 8 / 2.5e13},
        {"129 queries: two blocks",
         LP_TILES_COARSE,
         0.25,
         {129, 64, 129, 2},
         2.0 * 256 * 64 * 129 * 2 / 2.5e13},
        {"without tiles", LP_TILES_NONE, 0.25, {128, 64, 128, 5}, 10.0 * 128 * 64 * 128 / 2.5e13},
        {"nothing", LP_TILES_COARSE, 0.25, {0, 64, 0, 5}, 0.0},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpAccelerator accelerator = four_sms(rows[i].tiles);
        accelerator.attention_efficiency = rows[i].efficiency;
        lp_test_close(rows[i].label,
                      lp_gemm_attention_s(&rows[i].gemm, &accelerator, LP_PRECISION_FP16,
                                          LP_ATTENTION_KERNEL_VENDOR),
                      rows[i].wanted_s, IDENTITY);
    }
}

/* On an A100, (4096, 4096)(4096, n): 128 x 256 tiles come in columns of 32, 108 fit in a wave. */
static void
test_waves(void)
{
    static const struct {
        const char *label;
        double n;
        double waves; /* of 128 x 256 */
    } rows[] = {
        {"26.96 columns of tiles", 6144 + 256, 8},
        {"27 columns are eight waves", 6912, 8},
        {"28 are nine", 6912 + 1, 9},
        {"a whole tile more costs the same", 7168, 9},
        {"30 are nine", 7680, 9},
        {"31 are ten", 7680 + 1, 10},
    };
    LpAccelerator a100 = catalogue("a100-80");
    double wave_s = 2.0 * 128 * 256 * (4096 + 250) * 108 / (312e12 * a100.gemm_efficiency);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpGemm gemm = {4096, 4096, rows[i].n, 1};
        /* An odd n is misaligned as well; waves are looked at apart. */
        a100.alignment_bytes = 0.0;
        lp_test_close(rows[i].label, lp_gemm_arithmetic_s(&gemm, &a100, LP_PRECISION_FP16),
                      rows[i].waves * wave_s, IDENTITY);
    }
}

/* --- against measurements --- */

/* What one kernel costs beyond its work; training's launch stands for several
 * (validation/cases/kernel_run.c). */
#define LAUNCH_S 4e-6

static double
tflops(const LpAccelerator *accelerator, LpPrecision precision, const LpGemm *gemm)
{
    LpAccelerator alone = *accelerator;
    alone.launch_s = LAUNCH_S;
    double elements = gemm->m * gemm->k + gemm->k * gemm->n + gemm->m * gemm->n;
    double bytes = gemm->n_batch * elements * (precision == LP_PRECISION_FP8 ? 1.0 : 2.0);
    LpKernel kernel = {
        .m = gemm->m, .k = gemm->k, .n = gemm->n, .n_batch = gemm->n_batch, .bytes = bytes};
    return lp_kernel_flop(&kernel) / lp_kernel_time_s(&kernel, &alone, precision) / 1e12;
}

/* What the A100's constants are fitted to: a layer of h 4096, a 16, b 4, s 2048 in fp16 (Anthony et
 * al., ICPP 2024; EleutherAI's cookbook, benchmarks/sizing/sample_results/transformer.out). */
static void
test_calibration(void)
{
    static const struct {
        const char *label;
        LpGemm gemm;
        double tflops;
    } rows[] = {
        {"qkv", {8192, 4096, 12288, 1}, 241.616},    {"scores", {2048, 256, 2048, 64}, 130.182},
        {"values", {2048, 2048, 256, 64}, 218.952},  {"projection", {8192, 4096, 4096, 1}, 234.852},
        {"up", {8192, 4096, 16384, 1}, 241.128},     {"down", {8192, 16384, 4096, 1}, 252.764},
        {"logits", {8192, 4096, 51200, 1}, 255.380},
    };
    LpAccelerator a100 = catalogue("a100-80");
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        lp_test_close(rows[i].label, tflops(&a100, LP_PRECISION_FP16, &rows[i].gemm),
                      rows[i].tflops, 0.10);
}

/* What they are not fitted to: the cookbook's bmm.out, and LLMCompass (Zhang et al., ISCA 2024),
 * whose A100 runs 8192 x 4096 x 4096 at 269 TFLOP/s where the cookbook's runs it at 235. The bounds
 * are those asked of all published products: nine in ten within 20 %, and no more than 8 % to
 * either side in the mean. Scores and values at a head width of 128 are next to the memory bound,
 * where a maximum of two times is at its worst. */
static void
test_held_out(void)
{
    static const struct {
        const char *label;
        LpGemm gemm;
        double tflops;
    } rows[] = {
        {"128 of 1024", {1024, 1024, 1024, 128}, 227.295},
        {"128 of 1024, k 2048", {1024, 2048, 1024, 128}, 243.258},
        {"A100 PCIe, best", {2048, 6144, 5120, 1}, 252.9},
        {"256 x 12288 x 12288", {256, 12288, 12288, 1}, 242.709},
        {"8192 x 4096 x 4096", {8192, 4096, 4096, 1}, 269.2},
        {"projection of GPT-3, tp 4", {16384, 3072, 12288, 1}, 272.4},
        {"down of GPT-3, tp 4", {16384, 12288, 12288, 1}, 283.0},
        {"scores of GPT-3, tp 4", {2048, 128, 2048, 192}, 109.6},
        {"values of GPT-3, tp 4", {2048, 2048, 128, 192}, 174.2},
    };
    /* Measured alone: at the rate before power lowers the clock. */
    LpAccelerator a100 = catalogue("a100-80");
    a100.gemm_efficiency = a100.burst_efficiency;
    double sum = 0.0;
    guint n_near = 0;
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        double error = tflops(&a100, LP_PRECISION_FP16, &rows[i].gemm) / rows[i].tflops - 1.0;
        sum += error;
        n_near += fabs(error) <= 0.20;
    }
    lp_test_true("nine in ten within 20 %", n_near + 1 >= G_N_ELEMENTS(rows));
    lp_test_true("8 % in the mean", fabs(sum / G_N_ELEMENTS(rows)) <= 0.08);
}

/* Small products, measured one at a time, take 13 to 34 us longer than here: the host's time to
 * issue them, which a stream of kernels hides, is in the measurement and not in the model. The
 * cookbook's mm.out, and LLMCompass's squares on 8192 rows; not fitted, as rates off by 39 to 245
 * %. */
static void
test_small(void)
{
    static const struct {
        const char *label;
        LpGemm gemm;
        double tflops;
    } rows[] = {
        {"k 1024", {1024, 1024, 1024, 1}, 59.919},   {"k 1280", {1024, 1280, 1024, 1}, 68.985},
        {"k 1536", {1024, 1536, 1024, 1}, 52.429},   {"k 1792", {1024, 1792, 1024, 1}, 63.276},
        {"width 128", {8192, 128, 128, 1}, 8.6608},  {"width 256", {8192, 256, 256, 1}, 30.1244},
        {"width 512", {8192, 512, 512, 1}, 91.2121},
    };
    LpAccelerator a100 = catalogue("a100-80");
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        double tflop = 2e-12 * rows[i].gemm.m * rows[i].gemm.k * rows[i].gemm.n;
        double beyond_s =
            tflop / rows[i].tflops - tflop / tflops(&a100, LP_PRECISION_FP16, &rows[i].gemm);
        lp_test_true(rows[i].label, beyond_s > 10e-6 && beyond_s < 35e-6);
    }
}

/* Rows that are no multiples of 4 bytes are copied element by element: GPT-2's logits of 50,257
 * words reach 0.16, 0.20 and 0.20 of what 50,304 do, forward, for the input and for the weight
 * (H100, validation/gpu/kernels-h100.csv). Of several in a kernel a side may be a count of tokens.
 */
static void
test_odd(void)
{
    static const LpGemm odd[] = {
        {8192, 768, 50257, 1}, {8192, 50257, 768, 1}, {50257, 8192, 768, 1}};
    static const LpGemm even[] = {
        {8192, 768, 50304, 1}, {8192, 50304, 768, 1}, {50304, 8192, 768, 1}};
    LpAccelerator h100 = catalogue("h100-sxm"), a100 = catalogue("a100-80");
    for (guint i = 0; i < G_N_ELEMENTS(odd); i++)
        lp_test_close("share of the even one's rate",
                      tflops(&h100, LP_PRECISION_BF16, &odd[i]) /
                          tflops(&h100, LP_PRECISION_BF16, &even[i]),
                      0.185, 0.2);
    LpGemm grouped = {341, 4096, 1024, 8}, rest = {344, 4096, 1024, 8};
    lp_test_true("where it is not measured",
                 lp_gemm_alignment(&odd[0], &a100, LP_PRECISION_BF16) > 0.5);
    lp_test_true("tokens", lp_gemm_alignment(&grouped, &h100, LP_PRECISION_BF16) >
                               0.7 * lp_gemm_alignment(&rest, &h100, LP_PRECISION_BF16));
}

/* Best shapes of a search, in isolation, so upper bounds (Bekman's table; the 780 are He's, with
 * cuBLAS and CUTLASS tried, gist Chillee/2ec89696): the model, which is to tell what products
 * sustain in training, stays below, but not below 0.55, the most that products one after the
 * other lose, a B200's. GH200 stands on the H200's constants; B300 on the B200's; GB200 too, with
 * its own peak and its 152 multiprocessors. Of these rows only the ramp that the B300's short k
 * asks for was fitted.
 */
static void
test_best_shapes(void)
{
    static const struct {
        const char *label;
        const char *accelerator;
        LpPrecision precision;
        double peak_flop_per_s; /* where not the catalogue's */
        guint32 n_sms;
        LpGemm gemm;
        double tflops;
    } rows[] = {
        {"A100", "a100-80", LP_PRECISION_BF16, 0, 0, {1024, 5120, 10240, 1}, 271.2},
        {"H100", "h100-sxm", LP_PRECISION_BF16, 0, 0, {2048, 13312, 2048, 1}, 794.5},
        {"H100, two full waves", "h100-sxm", LP_PRECISION_BF16, 0, 0, {4224, 8192, 2048, 1}, 780.2},
        {"GH200, 900 W", "h200", LP_PRECISION_BF16, 0, 0, {1024, 4096, 15360, 1}, 828.6},
        {"B200", "b200", LP_PRECISION_BF16, 0, 0, {1792, 3072, 16128, 1}, 1745.0},
        {"B300", "b200", LP_PRECISION_BF16, 0, 0, {12288, 1024, 18432, 1}, 1769.0},
        {"GB200", "b200", LP_PRECISION_BF16, 2.5e15, 152, {4096, 2048, 9728, 1}, 1822.0},
        {"H100 fp8", "h100-sxm", LP_PRECISION_FP8, 0, 0, {1024, 14336, 9216, 1}, 1402.6},
        {"H200 fp8", "h200", LP_PRECISION_FP8, 0, 0, {1280, 12032, 4096, 1}, 1453.4},
        {"GH200 fp8", "h200", LP_PRECISION_FP8, 0, 0, {1024, 14336, 14336, 1}, 1535.0},
        {"B200 fp8", "b200", LP_PRECISION_FP8, 0, 0, {15360, 3072, 4096, 1}, 3432.5},
        {"GB200 fp8", "b200", LP_PRECISION_FP8, 5e15, 152, {19456, 1536, 5120, 1}, 3615.6},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpAccelerator accelerator = catalogue(rows[i].accelerator);
        if (rows[i].n_sms > 0) {
            accelerator.n_sms = rows[i].n_sms;
            accelerator.peak_flop_per_s[rows[i].precision] = rows[i].peak_flop_per_s;
        }
        double ratio = tflops(&accelerator, rows[i].precision, &rows[i].gemm) / rows[i].tflops;
        lp_test_true(rows[i].label, ratio >= 0.55 && ratio <= 1.03);
    }
}

/* A SwiGLU of h 4096 on 8192 tokens, H100 (Anthony et al., ICPP 2024, section on SwiGLU): 272.7,
 * 398.4 and 395.0 TFLOP/s. Their times hold more than three products, so ratios are compared. */
static void
test_swiglu(void)
{
    static const struct {
        const char *label;
        double width;
        double tflops;
    } rows[] = {{"10922, 4 bytes", 10922, 272.7}, {"10944", 10944, 398.4}, {"11008", 11008, 395.0}};
    LpAccelerator h100 = catalogue("h100-sxm");
    double got[G_N_ELEMENTS(rows)];
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpGemm up = {8192, 4096, rows[i].width, 1};
        LpGemm down = {8192, rows[i].width, 4096, 1};
        got[i] = 3.0 / (2.0 / tflops(&h100, LP_PRECISION_BF16, &up) +
                        1.0 / tflops(&h100, LP_PRECISION_BF16, &down));
    }
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        lp_test_close(rows[i].label, got[i] / got[1], rows[i].tflops / rows[1].tflops, 0.10);
}

static double
layer_forward_s(const LpTransformer *transformer, const LpAccelerator *accelerator)
{
    LpPlan plan = lp_test_plan(1, 1, 1, 4, 4);
    return lp_block_time_s(transformer, &plan, accelerator, 0, LP_BLOCK_ATTENTION,
                           LP_PASS_FORWARD) +
           lp_block_time_s(transformer, &plan, accelerator, 0, LP_BLOCK_FFN, LP_PASS_FORWARD);
}

/* GPT-3 2.7B has 32 heads of 80; the same size with heads of 128 is faster, at most by the 39 % of
 * Anthony et al., ICPP 2024. A vocabulary of 50257 is slower than the padded one. */
static void
test_bad_shapes(void)
{
    LpAccelerator a100 = catalogue("a100-80");
    LpTransformer bad = lp_test_gpt(32, 2560, 32);
    LpTransformer good = lp_test_gpt(32, 2560, 20);
    lp_test_close("the same size", lp_transformer_parameters(&bad),
                  lp_transformer_parameters(&good), 0.0);
    double slowdown = layer_forward_s(&bad, &a100) / layer_forward_s(&good, &a100);
    lp_test_true("up to 39 %", slowdown > 1.10 && slowdown < 1.39);
    LpGemm odd = {8192, 2560, 50257, 1};
    LpGemm padded = {8192, 2560, 50304, 1};
    lp_test_true("50257 words", lp_gemm_arithmetic_s(&odd, &a100, LP_PRECISION_FP16) >
                                    1.25 * lp_gemm_arithmetic_s(&padded, &a100, LP_PRECISION_FP16));
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"by hand", test_by_hand},
        {"alignment", test_alignment},
        {"attention", test_attention},
        {"waves", test_waves},
        {"calibration", test_calibration},
        {"held out", test_held_out},
        {"small", test_small},
        {"odd widths", test_odd},
        {"best shapes", test_best_shapes},
        {"swiglu", test_swiglu},
        {"bad shapes", test_bad_shapes},
        {NULL, NULL},
    };
    return lp_test_run("gemm", cases);
}
