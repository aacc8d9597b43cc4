/* SPDX-License-Identifier: Apache-2.0 */
/* Which kernels a rank runs, block by block and pass by pass: those of the plan's lists. */
#include "model/times/kernel.h"

#include "model/times/kernel_sizes.h"

#include <math.h>

/* Kernels being listed. */
typedef struct {
    LpKernel *kernels; /* borrowed from the caller */
    guint n;
    const LpPlan *plan; /* borrowed */
} List;

static void
take(gpointer data, const LpListedKernel *listed)
{
    List *list = data;
    const double *field = listed->field;
    gboolean is_product = listed->kind == LP_LISTED_PRODUCT, fused = field[LP_KERNEL_FUSED] != 0.0;
    g_assert(list->n < LP_KERNELS_MAX);
    list->kernels[list->n++] = (LpKernel){
        .name = listed->name,
        .m = field[LP_KERNEL_M],
        .k = field[LP_KERNEL_K],
        .n = field[LP_KERNEL_N],
        .n_batch = field[LP_KERNEL_COUNT],
        .bytes = field[LP_KERNEL_BYTES],
        .column_bytes = field[LP_KERNEL_COLUMN_BYTES],
        .operations = field[LP_KERNEL_OPERATIONS],
        .streams = listed->kind == LP_LISTED_STREAM,
        .measured = listed->kind == LP_LISTED_MEASURED,
        .size = field[LP_KERNEL_SIZE],
        .on_host = listed->kind == LP_LISTED_HOST,
        .seconds = field[LP_KERNEL_SECONDS],
        .solo = lp_plan_n_ranks(list->plan) == 1,
        .wide = field[LP_KERNEL_WIDE] != 0.0 || listed->part == LP_BLOCK_PART_CORE,
        .attention = fused ? lp_plan_attention_kernel(list->plan) : LP_ATTENTION_KERNEL_AUTO,
        .grouped = field[LP_KERNEL_GROUPED] != 0.0 ? list->plan->traits[LP_TRAIT_EXPERTS_KERNEL]
                                                   : LP_EXPERTS_KERNEL_PRODUCTS,
        .head_width = field[LP_KERNEL_HEAD_WIDTH],
        .fused = fused,
        .n_launches = (guint32)field[LP_KERNEL_LAUNCHES],
        .n_apart = field[is_product ? LP_KERNEL_SEPARATE : LP_KERNEL_LOOPED],
        .host_overhead_s = is_product ? field[LP_KERNEL_HOST_OVERHEAD] : 0.0,
        .collective = field[LP_KERNEL_COLLECTIVE] != 0.0,
        .waits = field[LP_KERNEL_WAITS] != 0.0,
        .share = field[LP_KERNEL_SHARE] > 0.0 ? field[LP_KERNEL_SHARE] : 1.0,
        .part = (LpBlockPart)listed->part,
        .file = listed->file,
        .line = listed->line,
    };
}

/* Finds the kernels that the plan's recompute mode runs again, of layers only, not of embedding and
 * head. Returns: FALSE if there are none. */
static gboolean
find_recomputed(const LpKernelLists *lists, const LpTransformer *transformer, const LpPlan *plan,
                guint32 index, LpBlock block, guint *out_pass)
{
    gboolean is_early = FALSE;
    if (block == LP_BLOCK_EMBEDDING || block == LP_BLOCK_HEAD)
        return FALSE;
    switch (plan->recompute) {
    case LP_RECOMPUTE_NONE:
        return FALSE;
    case LP_RECOMPUTE_LIGHT:
    case LP_RECOMPUTE_SELECTIVE:
        *out_pass = LP_LISTED_RECOMPUTED;
        return TRUE;
    case LP_RECOMPUTE_FULL:
        is_early = lp_kernel_lists_has(lists, block, LP_LISTED_EARLY) &&
                   lp_plan_recompute_stops_early(plan, transformer, index);
        *out_pass = is_early ? LP_LISTED_EARLY : LP_PASS_FORWARD;
        return TRUE;
    }
    g_assert_not_reached();
}

/* The block of a list; a mixer in attention's place has its own. */
static guint
listed_block(const LpKernelLists *lists, const LpTransformer *transformer, LpLayer layer,
             LpBlock block)
{
    if (block != LP_BLOCK_ATTENTION || layer.mixer == 0)
        return block;
    int mixer = lp_kernel_lists_mixer(lists, transformer->pattern.mixer[layer.mixer - 1]);
    g_return_val_if_fail(mixer >= 0, block);
    return lp_kernel_lists_mixer_block(lists, (guint)mixer);
}

guint
lp_block_kernels(const LpTransformer *transformer, const LpPlan *plan, guint32 index, LpBlock block,
                 LpPass pass, LpKernel *out_kernels)
{
    const LpKernelLists *lists = lp_plan_kernel_lists(plan);
    List list = {.kernels = out_kernels, .plan = plan};
    double values[LP_KERNEL_SIZES_MAX];
    guint listed = pass;
    LpLayer layer = lp_transformer_layer(transformer, index);
    if ((block == LP_BLOCK_ATTENTION && !layer.has_mixer) ||
        (block == LP_BLOCK_FFN && !layer.has_network) ||
        (pass == LP_PASS_RECOMPUTE &&
         !find_recomputed(lists, transformer, plan, index, block, &listed)))
        return 0;
    lp_kernel_sizes(transformer, plan, index, pass, values);
    lp_kernel_lists_run(lists, listed_block(lists, transformer, layer, block), listed, values, take,
                        &list, NULL);
    return list.n;
}

guint
lp_optimizer_kernels(const LpTransformer *transformer, const LpPlan *plan,
                     const LpStepParameters *parameters, LpKernel *out_kernels)
{
    List list = {.kernels = out_kernels, .plan = plan};
    double values[LP_KERNEL_SIZES_MAX];
    lp_kernel_sizes_step(transformer, plan, parameters, values);
    lp_kernel_lists_run(lp_plan_kernel_lists(plan), LP_LISTED_OPTIMIZER, LP_PASS_FORWARD, values,
                        take, &list, NULL);
    return list.n;
}

/* --- lists of one's own --- */

/* The first fault in the kernels of a list, as far as it was run. */
typedef struct {
    guint n;
    const LpAccelerator *accelerator; /* borrowed; NULL: not known yet */
    char *fault;                      /* owned, or NULL */
} Check;

/* Launches that a kernel may stand for. */
#define LAUNCHES_MAX 1e6

static void
fault(Check *self, const LpListedKernel *kernel, const char *what, double value, const char *wanted)
{
    if (self->fault == NULL)
        self->fault = g_strdup_printf("%s:%u: %s: got %s %g, wanted %s", kernel->file, kernel->line,
                                      kernel->name, what, value, wanted);
}

static void
check(gpointer data, const LpListedKernel *kernel)
{
    Check *self = data;
    for (guint i = 0; i < LP_N_KERNEL_FIELDS; i++) {
        double value = kernel->field[i];
        gboolean is_least = kernel->kind == LP_LISTED_PRODUCT && i <= LP_KERNEL_COUNT;
        if (!isfinite(value) || value < 0.0 || (is_least && value == 0.0))
            fault(self, kernel, lp_kernel_field_names[i], value,
                  is_least ? "more than 0" : "0 or more");
    }
    if (kernel->field[LP_KERNEL_LAUNCHES] > LAUNCHES_MAX)
        fault(self, kernel, "launches", kernel->field[LP_KERNEL_LAUNCHES], "at most 1e6");
    if (++self->n > LP_KERNELS_MAX)
        fault(self, kernel, "so many kernels in a pass:", self->n,
              G_STRINGIFY(LP_KERNELS_MAX) " at most");
    gboolean is_measured = kernel->kind == LP_LISTED_MEASURED;
    if (is_measured && !(kernel->field[LP_KERNEL_SIZE] > 0.0))
        fault(self, kernel, "size", kernel->field[LP_KERNEL_SIZE], "more than 0");
    if (is_measured && self->accelerator != NULL && self->fault == NULL &&
        !lp_measured_kernels_named(self->accelerator->measured, kernel->name, 1.0, NULL, NULL))
        self->fault = g_strdup_printf(
            "%s:%u: %s: got no such kernel of %s, wanted one measured (--kernels-table)",
            kernel->file, kernel->line, kernel->name, self->accelerator->name);
    if (*kernel->name == '\0' && self->fault == NULL)
        self->fault = g_strdup_printf("%s:%u: got a kernel without a name, wanted one",
                                      kernel->file, kernel->line);
}

/* Checks the sizes of what is held in memory. */
static gboolean
check_held(const LpTransformer *transformer, const LpPlan *plan, guint32 index, GError **error)
{
    static const char *const names[] = {
        LP_KERNEL_KEPT_BYTES,       LP_KERNEL_KEPT_EMBEDDING_BYTES, LP_KERNEL_KEPT_HEAD_BYTES,
        LP_KERNEL_END_WEIGHT_BYTES, LP_KERNEL_LAYER_WEIGHT_BYTES,   LP_KERNEL_STATE_BYTES};
    double values[LP_KERNEL_SIZES_MAX];
    lp_kernel_sizes_recomputed(transformer, plan, index, LP_PASS_FORWARD, 0, values);
    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        guint line = 0;
        const char *file = lp_kernel_lists_size_file(plan->lists, names[i], &line);
        if (file == NULL) {
            g_set_error(error, LP_MODEL_ERROR, LP_MODEL_ERROR_PLAN,
                        "kernels: got no size %s, wanted one", names[i]);
            return FALSE;
        }
        double bytes = lp_kernel_lists_size(plan->lists, names[i], values);
        if (isfinite(bytes) && bytes >= 0.0)
            continue;
        g_set_error(error, LP_MODEL_ERROR, LP_MODEL_ERROR_PLAN,
                    "%s:%u: <size> %s: got %g, wanted 0 or more", file, line, names[i], bytes);
        return FALSE;
    }
    return TRUE;
}

static gboolean
check_layer(const LpTransformer *transformer, const LpPlan *plan, const LpAccelerator *accelerator,
            guint32 index, GError **error)
{
    double values[LP_N_LISTED_PASSES][LP_KERNEL_SIZES_MAX];
    for (guint listed = 0; listed < LP_N_LISTED_PASSES; listed++)
        lp_kernel_sizes(transformer, plan, index, (LpPass)MIN(listed, LP_PASS_RECOMPUTE),
                        values[listed]);
    LpLayer layer = lp_transformer_layer(transformer, index);
    for (guint block = 0; block < LP_N_LISTED_BLOCKS; block++)
        for (guint listed = 0; listed < LP_N_LISTED_PASSES; listed++) {
            g_autofree char *divided = NULL;
            Check own = {.accelerator = accelerator};
            lp_kernel_lists_run(plan->lists, listed_block(plan->lists, transformer, layer, block),
                                listed, values[listed], check, &own, &divided);
            g_autofree char *found = own.fault;
            if (divided == NULL && found == NULL)
                continue;
            g_set_error(error, LP_MODEL_ERROR, LP_MODEL_ERROR_PLAN, "%s%s",
                        divided != NULL ? divided : found,
                        divided != NULL ? ": got a division by 0, wanted none" : "");
            return FALSE;
        }
    return TRUE;
}

gboolean
lp_kernels_check(const LpTransformer *transformer, const LpPlan *plan,
                 const LpAccelerator *accelerator, GError **error)
{
    gboolean known[LP_LAYER_KINDS] = {FALSE};
    for (guint32 i = 0; plan->lists != NULL && i < lp_transformer_n_layers(transformer); i++) {
        guint kind = lp_transformer_layer_kind(transformer, i);
        if (!known[kind] && (!check_held(transformer, plan, i, error) ||
                             !check_layer(transformer, plan, accelerator, i, error)))
            return FALSE;
        known[kind] = TRUE;
    }
    return TRUE;
}
