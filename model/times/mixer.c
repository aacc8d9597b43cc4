/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of mixers, from lists of kernels. */
#include "model/times/mixer.h"

#include "model/times/kernel.h"
#include "model/times/kernel_sizes.h"
#include "model/kernels/kernel_variants.h"

/* One rank that has all of a sequence, whatever the plan. */
static LpPlan
undivided(const LpPlan *plan)
{
    LpPlan one = *plan;
    for (LpAxis axis = 0; axis < LP_N_AXES; axis++)
        one.degree[axis] = 1;
    one.batch.micro = 1;
    one.experts.tp = 1;
    one.sequence_parallel = FALSE;
    one.traits[LP_TRAIT_INPUT_COLLECTIVES] = LP_INPUT_COLLECTIVES_SHARED;
    return one;
}

static double
products_flop(const LpTransformer *transformer, const LpPlan *plan, guint32 index, LpPass pass)
{
    LpKernel kernels[LP_KERNELS_MAX];
    guint n = lp_block_kernels(transformer, plan, index, LP_BLOCK_ATTENTION, pass, kernels);
    double sum = 0.0;
    for (guint i = 0; i < n; i++)
        sum += lp_kernel_flop(&kernels[i]);
    return sum;
}

/* --- by name --- */

static gboolean
refuse_name(const char *name, GError **error)
{
    g_autofree char *shipped =
        g_strjoinv(", ", (char **)(gpointer)(guintptr)lp_kernel_mixer_names());
    g_autofree char *words = g_strjoinv(", ", (char **)(gpointer)(guintptr)lp_layer_word_names);
    g_set_error(error, LP_MODEL_ERROR, LP_MODEL_ERROR_SHAPE,
                "layer-pattern: got \"%s\", wanted one of %s, %s, or a mixer of the file that "
                "kernels names",
                name, words, shipped);
    return FALSE;
}

/* The first layer that has mixer @mixer; or how many layers there are. */
static guint32
first_layer(const LpTransformer *transformer, guint mixer)
{
    guint32 n = lp_transformer_n_layers(transformer), i = 0;
    while (i < n && lp_transformer_layer(transformer, i).mixer != mixer + 1)
        i++;
    return i;
}

static gboolean
measure(LpTransformer *transformer, const LpPlan *plan, guint mixer, GError **error)
{
    const LpKernelLists *lists = lp_plan_kernel_lists(plan);
    int listed = lp_kernel_lists_mixer(lists, transformer->pattern.mixer[mixer]);
    guint32 index = first_layer(transformer, mixer);
    double values[LP_KERNEL_SIZES_MAX];
    if (listed < 0)
        return refuse_name(transformer->pattern.mixer[mixer], error);
    if (index == lp_transformer_n_layers(transformer))
        return TRUE;
    lp_kernel_sizes_recomputed(transformer, plan, index, LP_PASS_FORWARD, 0, values);
    transformer->mixers[mixer] =
        (LpMixer){lp_kernel_lists_mixer_figure(lists, (guint)listed, LP_MIXER_PARAMETERS, values),
                  lp_kernel_lists_mixer_figure(lists, (guint)listed, LP_MIXER_WHOLE, values),
                  products_flop(transformer, plan, index, LP_PASS_FORWARD),
                  products_flop(transformer, plan, index, LP_PASS_RECOMPUTE)};
    return TRUE;
}

gboolean
lp_mixers_measure(LpTransformer *transformer, const LpPlan *plan, GError **error)
{
    LpPlan one = undivided(plan);
    for (guint i = 0; i < transformer->pattern.n_mixers; i++)
        if (!measure(transformer, &one, i, error))
            return FALSE;
    return TRUE;
}

static gboolean
check(const LpTransformer *transformer, const LpPlan *plan, guint mixer, GError **error)
{
    const LpKernelLists *lists = lp_plan_kernel_lists(plan);
    guint32 index = first_layer(transformer, mixer), cp = plan->degree[LP_AXIS_CP];
    if (index == lp_transformer_n_layers(transformer))
        return TRUE;
    double values[LP_KERNEL_SIZES_MAX];
    guint listed = (guint)lp_mixer_of_layer(transformer, plan, index);
    lp_kernel_sizes_recomputed(transformer, plan, index, LP_PASS_FORWARD, 0, values);
    g_autofree char *fault = lp_kernel_lists_mixer_check(lists, listed, values);
    if (fault == NULL && cp > 1 && lp_kernel_lists_mixer_exchange(lists, listed) == LP_MIXER_ALONE)
        fault = g_strdup_printf("cp: got %u, wanted 1 with layers of %s, whose list has no "
                                "exchange",
                                cp, transformer->pattern.mixer[mixer]);
    if (fault == NULL && cp > 1 && plan->context_kind == LP_CONTEXT_ULYSSES &&
        lp_kernel_lists_mixer_exchange(lists, listed) == LP_MIXER_KEYS)
        fault = g_strdup_printf("cp-kind: got ulysses, wanted gather with layers of %s",
                                transformer->pattern.mixer[mixer]);
    if (fault != NULL)
        g_set_error_literal(error, LP_MODEL_ERROR, LP_MODEL_ERROR_PLAN, fault);
    return fault == NULL;
}

gboolean
lp_mixers_check(const LpTransformer *transformer, const LpPlan *plan, GError **error)
{
    for (guint i = 0; i < transformer->pattern.n_mixers; i++)
        if (!check(transformer, plan, i, error))
            return FALSE;
    return TRUE;
}

/* --- by layer --- */

int
lp_mixer_of_layer(const LpTransformer *transformer, const LpPlan *plan, guint32 index)
{
    LpLayer layer = lp_transformer_layer(transformer, index);
    if (layer.mixer == 0)
        return -1;
    const char *name = transformer->pattern.mixer[layer.mixer - 1];
    return lp_kernel_lists_mixer(lp_plan_kernel_lists(plan), name);
}

static double
figure(const LpTransformer *transformer, const LpPlan *plan, guint32 index, guint32 recomputed,
       LpMixerFigure which)
{
    double values[LP_KERNEL_SIZES_MAX];
    int mixer = lp_mixer_of_layer(transformer, plan, index);
    if (mixer < 0)
        return 0.0;
    lp_kernel_sizes_recomputed(transformer, plan, index, LP_PASS_FORWARD, recomputed, values);
    return lp_kernel_lists_mixer_figure(lp_plan_kernel_lists(plan), (guint)mixer, which, values);
}

double
lp_mixer_kept_bytes(const LpTransformer *transformer, const LpPlan *plan, guint32 index,
                    guint32 recomputed)
{
    return figure(transformer, plan, index, recomputed, LP_MIXER_KEPT);
}

LpMixerExchange
lp_mixer_exchange(const LpTransformer *transformer, const LpPlan *plan, guint32 index)
{
    int mixer = lp_mixer_of_layer(transformer, plan, index);
    if (mixer < 0)
        return (LpMixerExchange){LP_MIXER_ATTENTION, 0.0, 0.0};
    guint32 recomputed = lp_plan_recomputed_parts(plan);
    return (LpMixerExchange){
        lp_kernel_lists_mixer_exchange(lp_plan_kernel_lists(plan), (guint)mixer),
        figure(transformer, plan, index, recomputed, LP_MIXER_SENT),
        figure(transformer, plan, index, recomputed, LP_MIXER_RETURNED)};
}

gboolean
lp_mixer_has_heads(const LpTransformer *transformer, const LpPlan *plan, guint32 index)
{
    return lp_transformer_layer(transformer, index).has_mixer &&
           lp_mixer_exchange(transformer, plan, index).kind == LP_MIXER_ATTENTION;
}
