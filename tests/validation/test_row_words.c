/* SPDX-License-Identifier: Apache-2.0 */
/* Words of rows: accelerators as people name them, operators of layers, exchanges of tokens. */
#include "base/error.h"
#include "tests/testlib.h"
#include "validation/cases/accelerator_name.h"
#include "validation/cases/expert_exchange.h"
#include "validation/cases/layer_operator.h"
#include "validation/cases/row_word.h"

#include <math.h>

static void
test_accelerators(void)
{
    static const struct {
        const char *text, *name; /* NULL: none */
    } rows[] = {
        {"A100-SXM (LLMCompass)", "a100-80"},
        {"A100-class (not named)", "a100-80"},
        {"4x A100 TP=4 (LLMCompass fig 5i)", "a100-80"},
        {"NVIDIA A100-SXM4-40GB", "a100-40"},
        {"A100 40 GB", "a100-40"},
        {"A100-PCIE-40GB", "a100-40-pcie"},
        {"A100 PCIe", "a100-80-pcie"},
        {"8xV100-SXM2-16GB", "v100-16"},
        {"V100", "v100-32"},
        {"H100 SXM", "h100-sxm"},
        {"H100", "h100-sxm"},
        {"H100 96GB", "h100-sxm-96"},
        {"H100 PCIe", "h100-pcie"},
        {"H100 NVL", "h100-nvl"},
        {"H200 SXM", "h200"},
        {"GH200 SXM 900W", "gh200-144"},
        {"GH200 96GB", "gh200-96"},
        {"GB200 SXM", "gb200"},
        {"B300 SXM", "b300"},
        {"MI 300X", "mi300x"},
        {"AMD Instinct MI250X", "mi250x-gcd"},
        {"MI250", "mi250-gcd"},
        {"TPU v5e", "tpu-v5e"},
        {"TPUv3", "tpu-v3"},
        {"Intel Gaudi 2", "gaudi2"},
        {"h100-sxm-96", "h100-sxm-96"},
        {"a100-40", "a100-40"},
        {"L40S", "l40s"},
        {"NVIDIA L40", "l40"},
        {"L4 24GB", "l4"},
        {"NVIDIA A40-48GB", "a40"},
        {"8x A10", "a10"},
        {"NVIDIA A10G", "a10g"},
        {"Tesla T4", "t4"},
        {"NVIDIA RTX A6000", "a6000"},
        {"A6000 48GB", "a6000"},
        {"RTXA6000", "a6000"},
        {"NVIDIA GeForce RTX 4090", "rtx-4090"},
        {"RTX4090", "rtx-4090"},
        {"8x4090", "rtx-4090"},
        {"GeForce RTX 3090 24GB", "rtx-3090"},
        {"RTX 3090 Ti", NULL},
        {"RTX 4090 D", NULL},
        {"RTX 4090 Laptop GPU", NULL},
        {"RTX 6000 Ada", NULL},
        {"GeForce RTX 2080", NULL},
        {"abacus", NULL},
        {"TPU", NULL},
        {"", NULL},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *name = lp_accelerator_name_match(rows[i].text, &error);
        lp_test_true(rows[i].text, error == NULL);
        lp_test_text(rows[i].text, name != NULL ? name : "(none)",
                     rows[i].name != NULL ? rows[i].name : "(none)");
    }
}

/* What people write in tables, and what it means here. */
static void
test_words(void)
{
    static const struct {
        const char *column, *text, *word;
    } rows[] = {
        {"precision", "BF16", "bf16"},
        {"precision", "amp_bf16", "bf16"},
        {"precision", "bf16-mixed", "bf16"},
        {"precision", "mixed fp16", "fp16"},
        {"precision", "mixed", "bf16"},
        {"precision", "FP8-CS", "fp8"},
        {"precision", "FP8-MX", "mxfp8"},
        {"precision", "fp8 blockwise", "fp8-block"},
        {"precision", "NVFP4", "nvfp4"},
        {"precision", "FP4", "nvfp4"},
        {"precision", "MXFP4 weights", "mxfp4"},
        {"precision", "AQT int8", "int8"},
        {"precision", "half", "fp16"},
        {"precision", "int3", "int3"},
        {"recompute", "True", "full"},
        {"recompute", "no", "none"},
        {"recompute", "core_attn", "selective"},
        {"recompute", "some", "some"},
        {"attention", "flash-attention-2", "flash"},
        {"attention", "SDPA", "flash"},
        {"attention", "standard", "unfused"},
        {"attention", "none", "none"},
        {"ffn_kind", "GeGLU", "swiglu"},
        {"ffn_kind", "squared-relu", "gelu"},
        {"tied", "True", "yes"},
        {"tied", "not tied", "no"},
        {"sequence_parallel", "0", "no"},
        {"sequence_parallel", " Y ", "yes"},
        {"tied", "-1", "-1"},
        {"tied", "N/A", "N/A"},
        {"recompute", "1.5", "1.5"},
        {"framework", "MaxText 0.1", "maxtext"},
        {"framework", "JAX", "xla"},
        {"framework", "FSDP2", "fsdp"},
        {"framework", "Megatron-DeepSpeed", "deepspeed"},
        {"framework", "abacus", "abacus"},
        {"seq", "2,048", "2048"},
        {"seq", "2048.0", "2048"},
        {"seq", "2048.5", "2048.5"},
        {"hidden", "", ""},
        {"model", "GPT, 2.0", "GPT, 2.0"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *word = lp_row_word(rows[i].column, rows[i].text);
        lp_test_text(rows[i].text, word, rows[i].word);
    }
}

#define LAYER "GPT-3 layer prefill (h 12288, bs 8, s 2048), operator "

static void
test_operators(void)
{
    static const struct {
        const char *note, *machine;
        LpLayerOperator wanted;
    } rows[] = {
        {"batched attention_score 64x2048x256x1024",
         "A100",
         {LP_OPERATOR_PRODUCT, {2048, 256, 1024, 64}, 0, 0}},
        {LAYER "Q_mul_K", "TP=4", {LP_OPERATOR_PRODUCT, {2048, 128, 2048, 192}, 0, 0}},
        {LAYER "A_mul_V", "TP=4", {LP_OPERATOR_PRODUCT, {2048, 2048, 128, 192}, 0, 0}},
        {LAYER "Q_K_V", "TP=4", {LP_OPERATOR_PRODUCT, {16384, 12288, 9216, 1}, 0, 0}},
        {LAYER "K_proj", "TP=4", {LP_OPERATOR_PRODUCT, {16384, 12288, 3072, 1}, 0, 0}},
        {LAYER "Wo_proj", "TP=4", {LP_OPERATOR_PRODUCT, {16384, 3072, 12288, 1}, 0, 0}},
        {LAYER "W1_proj", "TP=4", {LP_OPERATOR_PRODUCT, {16384, 12288, 12288, 1}, 0, 0}},
        {LAYER "W2_proj", "TP=4", {LP_OPERATOR_PRODUCT, {16384, 12288, 12288, 1}, 0, 0}},
        {LAYER "W2_proj", "one", {LP_OPERATOR_PRODUCT, {16384, 49152, 12288, 1}, 0, 0}},
        {LAYER "Softmax", "tp 8", {LP_OPERATOR_SOFTMAX, {0, 0, 0, 0}, 96.0 * 2048 * 2048, 1}},
        {LAYER "LayerNorm_MHA",
         "TP=4",
         {LP_OPERATOR_ELEMENTWISE, {0, 0, 0, 0}, 16384.0 * 12288, 1}},
        {LAYER "GeLU", "TP=4", {LP_OPERATOR_ELEMENTWISE, {0, 0, 0, 0}, 16384.0 * 12288, 1}},
        {LAYER "AllReduce_FFN", "TP=4", {LP_OPERATOR_ALL_REDUCE, {0, 0, 0, 0}, 16384.0 * 12288, 4}},
        {"decode (h 4096, mb 4, s 1024, 16 heads), operator Q_mul_K",
         "A100",
         {LP_OPERATOR_PRODUCT, {1, 256, 1024, 64}, 0, 0}},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpLayerOperator got;
        g_autoptr(GError) error = NULL;
        lp_test_true(rows[i].note,
                     lp_layer_operator_parse(&got, rows[i].note, rows[i].machine, &error));
        const LpLayerOperator *wanted = &rows[i].wanted;
        lp_test_true(rows[i].note, got.kind == wanted->kind && got.n_ranks == wanted->n_ranks);
        lp_test_close(rows[i].note, got.gemm.m, wanted->gemm.m, 0.0);
        lp_test_close(rows[i].note, got.gemm.k, wanted->gemm.k, 0.0);
        lp_test_close(rows[i].note, got.gemm.n, wanted->gemm.n, 0.0);
        lp_test_close(rows[i].note, got.gemm.n_batch, wanted->gemm.n_batch, 0.0);
        lp_test_close(rows[i].note, got.elements, wanted->elements, 0.0);
    }
}

static void
test_bad_operators(void)
{
    static const struct {
        const char *note, *part;
    } rows[] = {
        {"", "wanted sides M, N and K"},
        {"batched 0x8x8x8", "wanted sides M, N and K"},
        {"h 64, bs 1, s 8, operator Dance", "wanted an operator such as Q_mul_K"},
        {"bs 1, s 8, operator Softmax", "wanted a layer such as"},
        {"h 64, s 8, operator Softmax", "wanted a layer such as"},
        {"h 64, bs 1, operator Softmax", "wanted a layer such as"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpLayerOperator got;
        g_autoptr(GError) error = NULL;
        lp_test_true(rows[i].note, !lp_layer_operator_parse(&got, rows[i].note, "", &error));
        lp_test_error(rows[i].note, &error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE, rows[i].part);
    }
}

/* DeepEP's table: 128 tokens of 7168 in 77 us are 98 GB/s dispatched in fp8, in 114 us 127 GB/s
 * combined in bf16 (docs/legacy.md, low-latency kernels, EP 8); two digits of time. */
static void
test_exchanges(void)
{
    LpExpertExchange exchange;
    lp_test_true("dispatch", lp_expert_exchange_parse("128 tok x 7168, top-8",
                                                      "dispatch (low-latency)", &exchange));
    double bytes = exchange.n_tokens * lp_expert_exchange_token_bytes(&exchange) *
                   lp_expert_exchange_rank_copies(&exchange, 8, 1);
    lp_test_close("dispatched", bytes / 77e-6, 98e9, 0.01);
    lp_test_true("combine", lp_expert_exchange_parse("128 tok x 7168, top-8",
                                                     "combine (low-latency)", &exchange));
    bytes = exchange.n_tokens * lp_expert_exchange_token_bytes(&exchange) *
            lp_expert_exchange_rank_copies(&exchange, 8, 1);
    lp_test_close("combined", bytes / 114e-6, 127e9, 0.02);
    lp_test_true("normal", lp_expert_exchange_parse("1 tok x 128, top-8", "dispatch", &exchange));
    lp_test_close("fp8 with a scale", lp_expert_exchange_token_bytes(&exchange), 132.0, 0.0);
    lp_test_close("one place takes all", lp_expert_exchange_rank_copies(&exchange, 1, 1), 1.0,
                  1e-12);
    lp_test_close("of two, 1 - 1/2^8 each", lp_expert_exchange_domain_copies(&exchange, 2),
                  2.0 * (1.0 - 0x1p-8), 1e-12);
    lp_test_close("four domains at most", lp_expert_exchange_domain_copies(&exchange, 64),
                  4.0 * (1.0 - pow(0.75, 8.0)), 1e-12);
    lp_test_close("32 ranks of 64 domains of 8", lp_expert_exchange_rank_copies(&exchange, 512, 64),
                  32.0 * (1.0 - pow(31.0 / 32.0, 8.0)), 1e-12);
    static const char *const bad[] = {
        "", "1048576", "tok", "1 tok x 7168", "0 tok x 8, top-2", "1 tok x 8, top-2 or so"};
    for (guint i = 0; i < G_N_ELEMENTS(bad); i++)
        lp_test_true(bad[i], !lp_expert_exchange_parse(bad[i], "dispatch", &exchange));
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"words", test_words},         {"accelerators", test_accelerators},
        {"operators", test_operators}, {"bad operators", test_bad_operators},
        {"exchanges", test_exchanges}, {NULL, NULL}};
    return lp_test_run("words of rows", cases);
}
