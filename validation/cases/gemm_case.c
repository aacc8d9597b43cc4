/* SPDX-License-Identifier: Apache-2.0 */
/* Restates a row of measured products as a kernel, from its shape only. */
#include "validation/cases/gemm_case.h"

#include "base/error.h"
#include "base/units.h"
#include "model/kernel.h"
#include "platforms/catalogue/catalogue.h"
#include "validation/cases/accelerator_name.h"
#include "validation/cases/collective_case.h"
#include "validation/cases/layer_operator.h"

#include <math.h>
#include <string.h>

#define SIDE_MAX 1000000000u
/* More accelerators than any domain has. */
#define DOMAIN_MAX 1024u
#define REDUCED_BYTES_MAX 1e13

/* What one kernel costs the device beyond its work, s: start and end of an empty one take 2 to 10
 * us. In training a kernel costs more, LpAccelerator.launch_s, since there each stands for the
 * several of an eager framework; here it is one. */
#define LAUNCH_S 4e-6

/* What launching one kernel and waiting for it costs a host, s: the overheads of LLMCompass (Zhang
 * et al., ISCA 2024, hardware_model/compute_module.py), measured on an A100, an MI210 and a TPU v3.
 * A family is what an accelerator's name begins with; the last one is all others. */
static const struct {
    const char *family;
    double alone_s[LP_N_OPERATORS];
} overheads[] = {
    {"mi",
     {[LP_OPERATOR_PRODUCT] = 34e-6,
      [LP_OPERATOR_SOFTMAX] = 22e-6,
      [LP_OPERATOR_ELEMENTWISE] = 28e-6}},
    {"tpu",
     {[LP_OPERATOR_PRODUCT] = 110e-6,
      [LP_OPERATOR_SOFTMAX] = 300e-6,
      [LP_OPERATOR_ELEMENTWISE] = 140e-6}},
    {"",
     {[LP_OPERATOR_PRODUCT] = 21e-6,
      [LP_OPERATOR_SOFTMAX] = 12e-6,
      [LP_OPERATOR_ELEMENTWISE] = 45e-6}},
};

/* Of an all-reduce it is part of the library's base time. */
static double
alone_s(const LpAccelerator *accelerator, LpOperatorKind kind)
{
    guint i = 0;
    while (!g_str_has_prefix(accelerator->name, overheads[i].family))
        i++;
    return overheads[i].alone_s[kind];
}

static double
kernel_s(const LpKernel *kernel, const LpAccelerator *accelerator, LpPrecision precision)
{
    LpAccelerator alone = *accelerator;
    alone.gemm_efficiency = accelerator->burst_efficiency;
    alone.launch_s = LAUNCH_S;
    return lp_kernel_time_s(kernel, &alone, precision);
}

double
lp_gemm_case_time_s(const LpGemm *gemm, const LpAccelerator *accelerator, LpPrecision precision,
                    LpExpertsKernel grouped, gboolean queued)
{
    double bytes = lp_gemm_element_bytes(precision);
    /* Products of fp8 are written in 16 bits. */
    double output_bytes = fmax(bytes, 2.0);
    LpKernel kernel = {
        .m = gemm->m,
        .k = gemm->k,
        .n = gemm->n,
        .n_batch = gemm->n_batch,
        .grouped = grouped,
        .bytes = gemm->n_batch *
                 ((gemm->m + gemm->n) * gemm->k * bytes + gemm->m * gemm->n * output_bytes),
    };
    return kernel_s(&kernel, accelerator, precision) +
           (queued ? 0.0 : alone_s(accelerator, LP_OPERATOR_PRODUCT));
}

/* --- reading --- */

static void
describe(const LpTableRow *row, LpOutcome *outcome)
{
    g_autoptr(GError) error = NULL;
    double value = 0.0;
    gboolean is_rate = lp_table_has(row, "tflops");
    outcome->measure = is_rate ? LP_MEASURE_RATE : LP_MEASURE_TIME;
    if (!lp_table_measured(row, is_rate ? "tflops" : "time_ms", &value, &error)) {
        lp_outcome_fail(outcome, LP_OUTCOME_FAILED, error->message);
        return;
    }
    outcome->measured = value * (is_rate ? 1e12 : 1e-3);
}

/* Prefixes, the first that fits: "fp8_e4m3" is fp8. */
static gboolean
read_precision(const LpTableRow *row, LpPrecision *out_precision, GError **error)
{
    static const struct {
        const char *prefix;
        LpPrecision precision;
    } names[] = {
        {"fp8-block", LP_PRECISION_FP8_BLOCK},
        {"mxfp8", LP_PRECISION_MXFP8},
        {"fp8", LP_PRECISION_FP8},
        {"float8", LP_PRECISION_FP8},
        {"fp16", LP_PRECISION_FP16},
        {"float16", LP_PRECISION_FP16},
        {"half", LP_PRECISION_FP16},
        {"bf16", LP_PRECISION_BF16},
        {"bfloat16", LP_PRECISION_BF16},
        {"tf32", LP_PRECISION_TF32},
        {"fp32", LP_PRECISION_FP32},
        {"float32", LP_PRECISION_FP32},
    };
    g_autofree char *text = g_ascii_strdown(lp_table_text(row, "dtype"), -1);
    for (guint i = 0; i < G_N_ELEMENTS(names); i++)
        if (g_str_has_prefix(text, names[i].prefix)) {
            *out_precision = names[i].precision;
            return TRUE;
        }
    return lp_table_fault(row, "dtype", "fp32, tf32, fp16, bf16, fp8, fp8-block or mxfp8", error);
}

static gboolean
read_accelerator(const LpTableRow *row, LpAccelerator *out_accelerator, GError **error)
{
    g_autoptr(GError) fault = NULL;
    g_autofree char *name = lp_accelerator_name_match(lp_table_text(row, "gpu"), &fault);
    if (fault != NULL) {
        g_propagate_error(error, g_steal_pointer(&fault));
        return FALSE;
    }
    if (name == NULL)
        return lp_table_fault(row, "gpu", "an accelerator that \"platform list\" knows", error);
    return lp_catalogue_find(name, out_accelerator, error);
}

/* "torch": PyTorch's one kernel for products of several groups. */
static gboolean
read_kernel(const LpTableRow *row, LpExpertsKernel *out_kernel, GError **error)
{
    const char *text = lp_table_text(row, "kernel");
    int kernel = lp_choice_parse(*text != '\0' ? text : lp_experts_kernel_names[0],
                                 lp_experts_kernel_names, NULL);
    *out_kernel = (LpExpertsKernel)MAX(kernel, 0);
    return kernel >= 0 || lp_table_fault(row, "kernel", "products or torch", error);
}

static gboolean
read_operator(const LpTableRow *row, LpLayerOperator *out_operator, GError **error)
{
    guint64 m = 0, n = 0, k = 0, groups = 1;
    if (!lp_table_count(row, "M", 1, SIDE_MAX, &m, error) ||
        !lp_table_count(row, "N", 1, SIDE_MAX, &n, error) ||
        !lp_table_count(row, "K", 1, SIDE_MAX, &k, error) ||
        !lp_table_count(row, "groups", 1, SIDE_MAX, &groups, error))
        return FALSE;
    if (m > 0 && n > 0 && k > 0) {
        *out_operator = (LpLayerOperator){
            .kind = LP_OPERATOR_PRODUCT,
            .gemm = {.m = (double)m, .k = (double)k, .n = (double)n, .n_batch = (double)groups}};
        return TRUE;
    }
    if (lp_layer_operator_parse(out_operator, lp_table_text(row, "note"), lp_table_text(row, "gpu"),
                                error))
        return TRUE;
    g_prefix_error(error, "note: ");
    return FALSE;
}

/* In a mean over many iterations kernels queue on the device, and the host is not waited for. */
static gboolean
is_queued(const LpTableRow *row)
{
    g_autofree char *note = g_ascii_strdown(lp_table_text(row, "note"), -1);
    return strstr(note, "iterations") != NULL;
}

/* --- predicting --- */

/* The all-reduce at the end of a tensor-parallel layer, within one domain of the shipped system
 * that is nearest to the accelerator. */
static gboolean
all_reduce_s(const LpLayerOperator *operation, const LpAccelerator *accelerator,
             double element_bytes, const LpConstants *constants, double *out_time_s, GError **error)
{
    if (operation->n_ranks < 2 || operation->n_ranks > DOMAIN_MAX) {
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                    "note: got an all-reduce among %u accelerators, wanted TP=2 to TP=%u",
                    operation->n_ranks, DOMAIN_MAX);
        return FALSE;
    }
    double bytes = operation->elements * element_bytes;
    if (!(bytes >= 1.0 && bytes <= REDUCED_BYTES_MAX)) {
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                    "note: got an all-reduce of %g bytes, wanted 1 to %g", bytes,
                    REDUCED_BYTES_MAX);
        return FALSE;
    }
    LpMeasuredMachine machine = {
        .accelerator = accelerator->name, .domain_size = operation->n_ranks, .n_domains = 1};
    return lp_collective_case_all_reduce_s(&machine, (guint64)bytes, constants, out_time_s, error);
}

static gboolean
operator_s(const LpLayerOperator *operation, const LpAccelerator *accelerator,
           LpPrecision precision, LpExpertsKernel grouped, gboolean queued,
           const LpConstants *constants, double *out_time_s, GError **error)
{
    double element_bytes = lp_gemm_element_bytes(precision);
    if (operation->kind == LP_OPERATOR_ALL_REDUCE)
        return all_reduce_s(operation, accelerator, element_bytes, constants, out_time_s, error);
    if (operation->kind == LP_OPERATOR_PRODUCT) {
        *out_time_s =
            lp_gemm_case_time_s(&operation->gemm, accelerator, precision, grouped, queued);
        return TRUE;
    }
    LpKernel kernel = {.bytes = 2.0 * operation->elements * element_bytes};
    *out_time_s = kernel_s(&kernel, accelerator, precision) +
                  (queued ? 0.0 : alone_s(accelerator, operation->kind));
    return TRUE;
}

/* Simulation and consistent form have their kernel times from the same model; AMPeD has peak
 * rates and an efficiency only. */
static void
set_predictions(LpOutcome *outcome, const LpLayerOperator *operation,
                const LpAccelerator *accelerator, LpPrecision precision, double time_s)
{
    double flop =
        2.0 * operation->gemm.m * operation->gemm.k * operation->gemm.n * operation->gemm.n_batch;
    double rate =
        lp_accelerator_peak_flop_per_s(accelerator, precision) * accelerator->gemm_efficiency;
    gboolean is_rate = outcome->measure == LP_MEASURE_RATE;
    double value = is_rate ? flop / time_s : time_s;
    outcome->predicted[LP_PREDICTION_SIMULATED] = value;
    outcome->predicted[LP_PREDICTION_CONSISTENT] = value;
    if (operation->kind == LP_OPERATOR_PRODUCT)
        outcome->predicted[LP_PREDICTION_AMPED] = is_rate ? rate : flop / rate;
}

static gboolean
predict_row(const LpTableRow *row, const LpConstants *constants, LpOutcome *outcome, GError **error)
{
    LpAccelerator accelerator = {.name = ""};
    LpPrecision precision = LP_PRECISION_FP16;
    LpExpertsKernel grouped = LP_EXPERTS_KERNEL_PRODUCTS;
    LpLayerOperator operation;
    double time_s = 0.0;
    if (!read_accelerator(row, &accelerator, error) || !read_precision(row, &precision, error) ||
        !read_kernel(row, &grouped, error) || !read_operator(row, &operation, error))
        return FALSE;
    lp_constants_to_accelerator(constants, &accelerator);
    if (outcome->measure == LP_MEASURE_RATE && operation.kind != LP_OPERATOR_PRODUCT)
        return lp_table_fault(row, "tflops", "a time, of an operator that is no product", error);
    if (!(lp_accelerator_peak_flop_per_s(&accelerator, precision) > 0.0))
        return lp_table_fault(row, "dtype", "a precision that the accelerator has", error);
    if (!operator_s(&operation, &accelerator, precision, grouped, is_queued(row), constants,
                    &time_s, error))
        return FALSE;
    lp_outcome_infer(outcome, "accelerator %s%s", accelerator.name,
                     is_queued(row) ? "" : ", one kernel at a time");
    set_predictions(outcome, &operation, &accelerator, precision, time_s);
    return TRUE;
}

static void
predict(const LpTableRow *row, const LpConstants *constants, LpOutcome *outcome)
{
    g_autoptr(GError) error = NULL;
    if (!predict_row(row, constants, outcome, &error))
        lp_outcome_fail(outcome, LP_OUTCOME_FAILED, error->message);
}

const LpCaseKind lp_gemm_case = {
    .measure = LP_MEASURE_RATE,
    .describe = describe,
    .predict = predict,
};
