/* SPDX-License-Identifier: Apache-2.0 */
/* Mixers of lists: what stands in attention's place in some layers. */
#include "model/kernels/kernel_items.h"

#include <math.h>
#include <string.h>

const char *const lp_mixer_exchange_names[] = {"none", "all-to-all", "keys", "attention", NULL};
G_STATIC_ASSERT(G_N_ELEMENTS(lp_mixer_exchange_names) == LP_MIXER_ATTENTION + 2);

static void
clear_divisor(gpointer data)
{
    LpMixerDivisor *divisor = data;
    for (guint i = 0; i < 2; i++) {
        g_free(divisor->text[i]);
        lp_expression_free(divisor->value[i]);
    }
}

void
lp_listed_mixer_free(gpointer data)
{
    LpListedMixer *mixer = data;
    g_free(mixer->name);
    for (guint i = 0; i < LP_N_MIXER_FIGURES; i++)
        lp_expression_free(mixer->figure[i]);
    g_array_unref(mixer->divisors);
    g_free(mixer);
}

void
lp_kernel_lists_add_mixer(LpKernelLists *lists, const char *name)
{
    if (lp_kernel_lists_mixer(lists, name) >= 0)
        return;
    LpListedMixer *mixer = g_new0(LpListedMixer, 1);
    mixer->name = g_strdup(name);
    mixer->divisors = g_array_new(FALSE, FALSE, sizeof(LpMixerDivisor));
    g_array_set_clear_func(mixer->divisors, clear_divisor);
    g_ptr_array_add(lists->mixers, mixer);
    guint block = lists->n_blocks++;
    lists->passes = g_renew(LpKernelGroup *, lists->passes, lists->n_blocks * lists->n_passes);
    lists->whens = g_renew(LpExpression *, lists->whens, lists->n_blocks);
    lists->whens[block] = NULL;
    for (guint pass = 0; pass < lists->n_passes; pass++)
        *lp_kernel_lists_pass(lists, block, pass) = NULL;
}

int
lp_kernel_lists_mixer(const LpKernelLists *self, const char *name)
{
    for (guint i = 0; i < self->mixers->len; i++)
        if (strcmp(((const LpListedMixer *)self->mixers->pdata[i])->name, name) == 0)
            return (int)i;
    return -1;
}

guint
lp_kernel_lists_mixer_block(const LpKernelLists *self, guint mixer)
{
    return self->n_blocks - self->mixers->len + mixer;
}

LpMixerExchangeKind
lp_kernel_lists_mixer_exchange(const LpKernelLists *self, guint mixer)
{
    return ((const LpListedMixer *)self->mixers->pdata[mixer])->exchange;
}

static double
value(const LpExpression *expression, double *values)
{
    LpExpressionValues own = {.values = values};
    return expression == NULL ? 0.0 : lp_expression_value(expression, &own);
}

double
lp_kernel_lists_mixer_figure(const LpKernelLists *self, guint mixer, LpMixerFigure figure,
                             double *values)
{
    const LpListedMixer *listed = self->mixers->pdata[mixer];
    lp_kernel_lists_clear(self, values);
    return value(listed->figure[figure], values);
}

char *
lp_kernel_lists_mixer_check(const LpKernelLists *self, guint mixer, double *values)
{
    const LpListedMixer *listed = self->mixers->pdata[mixer];
    lp_kernel_lists_clear(self, values);
    for (guint i = 0; i < listed->divisors->len; i++) {
        const LpMixerDivisor *divisor = &g_array_index(listed->divisors, LpMixerDivisor, i);
        double by = value(divisor->value[0], values), of = value(divisor->value[1], values);
        if (of <= 0.0)
            return g_strdup_printf("%s: got 0, wanted at least 1 with layers of %s",
                                   divisor->text[1], listed->name);
        if (by <= 0.0 || fmod(of, by) != 0.0)
            return g_strdup_printf("%s: got %g, wanted a divisor of %s (%g)", divisor->text[0], by,
                                   divisor->text[1], of);
    }
    return NULL;
}
