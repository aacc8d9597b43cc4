/* SPDX-License-Identifier: Apache-2.0 */
/* Counts kernels, layer by layer; layers that are alike are listed once. */
#include "model/times/kernel_census.h"

/* The inputs and the state of a census of kernels. */
typedef struct {
    const LpTransformer *transformer; /* borrowed */
    const LpPlan *plan;               /* borrowed */
    const LpAccelerator *accelerator; /* borrowed */
    GArray *counts;                   /* borrowed: LpKernelCount */
} Census;

static void
count_block(Census *self, guint32 index, LpBlock block, LpPass pass, guint32 n_runs)
{
    LpKernel kernels[LP_KERNELS_MAX];
    guint n = lp_block_kernels(self->transformer, self->plan, index, block, pass, kernels);
    for (guint i = 0; i < n; i++) {
        LpKernelCount count = {.kernel = kernels[i],
                               .block = block,
                               .pass = pass,
                               .n_runs = n_runs,
                               .time_s = lp_kernel_time_s(&kernels[i], self->accelerator,
                                                          self->plan->format.precision)};
        g_array_append_val(self->counts, count);
    }
}

/* Layers of each kind, from its first that runs in @pass. */
static void
count_layers(Census *self, LpPass pass)
{
    guint32 n_layers = lp_transformer_n_layers(self->transformer);
    guint32 n_of[LP_LAYER_KINDS] = {0}, first_of[LP_LAYER_KINDS] = {0};
    for (guint32 i = 0; i < n_layers; i++) {
        guint kind = lp_transformer_layer_kind(self->transformer, i);
        if (!lp_pass_has_layer(self->transformer, self->plan, i, pass))
            continue;
        if (n_of[kind]++ == 0)
            first_of[kind] = i;
    }
    for (guint kind = 0; kind < LP_LAYER_KINDS; kind++)
        for (LpBlock block = LP_BLOCK_ATTENTION; n_of[kind] > 0 && block < LP_BLOCK_HEAD; block++)
            count_block(self, first_of[kind], block, pass, n_of[kind]);
}

/* Modules that predict further tokens have an embedding and a head each. */
static void
count_pass(Census *self, LpPass pass)
{
    const LpTransformer *shape = self->transformer;
    guint32 n_ends = 1 + shape->n_mtp;
    count_block(self, 0, LP_BLOCK_EMBEDDING, pass, n_ends);
    if (shape->decoder.n_layers > 0)
        count_block(self, shape->n_layers, LP_BLOCK_EMBEDDING, pass, 1);
    count_layers(self, pass);
    count_block(self, lp_transformer_n_layers(shape) - 1, LP_BLOCK_HEAD, pass, n_ends);
}

GArray *
lp_kernel_census(const LpTransformer *transformer, const LpPlan *plan,
                 const LpAccelerator *accelerator)
{
    GArray *counts = g_array_new(FALSE, FALSE, sizeof(LpKernelCount));
    Census self = {transformer, plan, accelerator, counts};
    for (LpPass pass = 0; pass < LP_N_PASSES; pass++)
        count_pass(&self, pass);
    return counts;
}

double
lp_kernel_census_time_s(const GArray *counts)
{
    double sum_s = 0.0;
    for (guint i = 0; i < counts->len; i++) {
        const LpKernelCount *count = &g_array_index(counts, LpKernelCount, i);
        sum_s += count->n_runs * count->time_s;
    }
    return sum_s;
}
