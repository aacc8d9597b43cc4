/* SPDX-License-Identifier: Apache-2.0 */
/* Times of kernels from their sizes. */
#include "validation/cases/kernel_run.h"

#include "base/error.h"
#include "base/units.h"

#include <math.h>
#include <string.h>

#define SIDE_MAX 1e15

typedef enum {
    KERNEL_PRODUCT,
    KERNEL_SOFTMAX,
    KERNEL_ELEMENTWISE,
    N_KERNELS
} Kernel;
static const char *const kernel_names[] = {"product", "softmax", "elementwise", NULL};

/* What one kernel costs the device beyond its work, s: start and end of an empty one take 2 to 10
 * us. In training a kernel costs more, LpAccelerator.launch_s, since there each stands for the
 * several of an eager framework; here it is one. */
#define LAUNCH_S 4e-6

/* What launching one kernel and waiting for it costs a host, s: the overheads of LLMCompass (Zhang
 * et al., ISCA 2024, hardware_model/compute_module.py), measured on an A100, an MI210 and a TPU v3.
 * A family is what an accelerator's name begins with; the last one is all others. */
static const struct {
    const char *family;
    double alone_s[N_KERNELS];
} overheads[] = {
    {"mi", {[KERNEL_PRODUCT] = 34e-6, [KERNEL_SOFTMAX] = 22e-6, [KERNEL_ELEMENTWISE] = 28e-6}},
    {"tpu", {[KERNEL_PRODUCT] = 110e-6, [KERNEL_SOFTMAX] = 300e-6, [KERNEL_ELEMENTWISE] = 140e-6}},
    {"", {[KERNEL_PRODUCT] = 21e-6, [KERNEL_SOFTMAX] = 12e-6, [KERNEL_ELEMENTWISE] = 45e-6}},
};

static double
alone_s(const LpAccelerator *accelerator, Kernel kind)
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
    lp_accelerator_set_gemm_efficiency(&alone, accelerator->burst_efficiency);
    alone.launch_s = LAUNCH_S;
    return lp_kernel_time_s(kernel, &alone, precision);
}

double
lp_kernel_run_product_s(const LpGemm *gemm, const LpAccelerator *accelerator, LpPrecision precision,
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
           (queued ? 0.0 : alone_s(accelerator, KERNEL_PRODUCT));
}

/* The words of a line. */
typedef struct {
    LpGemm gemm;
    double elements;
    int precision, grouped; /* below 0: no known one */
    gboolean queued;
} Words;

static gboolean
read_word(Words *self, const char *word, GError **error)
{
    const struct {
        const char *name;
        double *value;
    } sizes[] = {{"m=", &self->gemm.m},
                 {"k=", &self->gemm.k},
                 {"n=", &self->gemm.n},
                 {"batch=", &self->gemm.n_batch},
                 {"elements=", &self->elements}};
    for (guint i = 0; i < G_N_ELEMENTS(sizes); i++)
        if (g_str_has_prefix(word, sizes[i].name))
            return lp_number_parse(word + strlen(sizes[i].name), 1e-3, SIDE_MAX, sizes[i].value,
                                   error);
    if (g_str_has_prefix(word, "precision="))
        return (self->precision =
                    lp_choice_parse(word + strlen("precision="), lp_precision_names, error)) >= 0;
    if (g_str_has_prefix(word, "kernel="))
        return (self->grouped = lp_choice_parse(word + strlen("kernel="),
                                                lp_traits[LP_TRAIT_EXPERTS_KERNEL].words, error)) >=
               0;
    self->queued = self->queued || strcmp(word, "queued=yes") == 0;
    if (strcmp(word, "queued=yes") == 0)
        return TRUE;
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME,
                "got \"%s\", wanted m=, k=, n=, batch=, elements=, precision=, kernel= or "
                "queued=yes",
                word);
    return FALSE;
}

/* Simulation and consistent form have their kernel times from the same model; AMPeD has peak
 * rates and an efficiency only. */
static void
run_product(const Words *words, const LpAccelerator *accelerator, LpRunFigures *out)
{
    const LpGemm *gemm = &words->gemm;
    LpPrecision precision = (LpPrecision)words->precision;
    out->flop = 2.0 * gemm->m * gemm->k * gemm->n * gemm->n_batch;
    out->time_s = lp_kernel_run_product_s(gemm, accelerator, precision,
                                          (LpExpertsKernel)words->grouped, words->queued);
    out->consistent_s = out->time_s;
    out->amped_flop_per_s =
        lp_accelerator_peak_flop_per_s(accelerator, precision) * accelerator->gemm_efficiency;
}

gboolean
lp_kernel_run_knows(const char *word)
{
    return g_strv_contains(kernel_names, word);
}

gboolean
lp_kernel_run(char **words, const LpAccelerator *accelerator, LpRunFigures *out, GError **error)
{
    int kind = lp_choice_parse(words[0], kernel_names, error);
    Words self = {.gemm = {.n_batch = 1.0}, .precision = -1};
    gboolean good = kind >= 0;
    for (guint i = 1; good && words[i] != NULL; i++)
        good = read_word(&self, words[i], error);
    if (!good)
        return FALSE;
    LpPrecision precision = (LpPrecision)self.precision;
    gboolean is_sized = kind == KERNEL_PRODUCT ? self.gemm.m * self.gemm.k * self.gemm.n > 0.0
                                               : self.elements > 0.0;
    if (self.precision < 0 || !is_sized ||
        !(lp_accelerator_peak_flop_per_s(accelerator, precision) > 0.0)) {
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                    "got \"%s\" without its sizes, or without a precision that %s has, wanted both",
                    words[0], accelerator->name);
        return FALSE;
    }
    if (kind == KERNEL_PRODUCT) {
        run_product(&self, accelerator, out);
        return TRUE;
    }
    LpKernel kernel = {.bytes = 2.0 * self.elements * lp_gemm_element_bytes(precision)};
    out->time_s = kernel_s(&kernel, accelerator, precision) +
                  (self.queued ? 0.0 : alone_s(accelerator, (Kernel)kind));
    out->consistent_s = out->time_s;
    return TRUE;
}
