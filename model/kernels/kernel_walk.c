/* SPDX-License-Identifier: Apache-2.0 */
/* Works lists of kernels out, item by item. */
#include "model/kernels/kernel_items.h"

typedef struct {
    LpExpressionValues values;
    LpTakeKernel take;
    gpointer data;
    const LpKernelItem *named; /* borrowed: the scope that names kernels which do not, or NULL */
    const LpKernelItem *fault; /* borrowed: the first that divided by zero */
} Walk;

static void walk(Walk *self, const GPtrArray *items);

static double
value(Walk *self, const LpKernelItem *item, const LpExpression *expression)
{
    double result = lp_expression_value(expression, &self->values);
    if (self->values.is_divided && self->fault == NULL)
        self->fault = item;
    return result;
}

static void
give(Walk *self, const LpKernelItem *item)
{
    const LpKernelItem *named = item->name != NULL || self->named == NULL ? item : self->named;
    /* A list that replaces a group is named by the element it replaces in another file. */
    const LpKernelItem *place = g_str_equal(named->file, item->file) ? named : item;
    LpListedKernel kernel = {.kind = item->kind,
                             .name = named->name != NULL ? named->name : "",
                             .file = place->file,
                             .line = place->line,
                             .part = (guint)self->values.values[0]};
    for (guint i = 0; i < LP_N_KERNEL_FIELDS; i++) {
        if (item->field[i] != NULL)
            kernel.field[i] = value(self, item, item->field[i]);
        else if (i >= LP_KERNEL_FIRST_INHERITED &&
                 (i != LP_KERNEL_LAUNCHES || item->kind != LP_LISTED_PRODUCT))
            kernel.field[i] = self->values.values[LP_KERNEL_PLACE(i)];
    }
    self->take(self->data, &kernel);
}

/* Enters an item with settings. All settings are evaluated before the first one takes effect. */
static void
enter(Walk *self, const LpKernelItem *item)
{
    double kept[LP_SCOPE_SETTINGS_MAX], made[LP_SCOPE_SETTINGS_MAX];
    const LpKernelItem *named = self->named;
    double *values = self->values.values;
    for (guint i = 0; i < item->n_settings; i++) {
        kept[i] = values[item->settings[i].place];
        made[i] = value(self, item, item->settings[i].value);
    }
    for (guint i = 0; i < item->n_settings; i++)
        values[item->settings[i].place] = made[i];
    if (item->name != NULL)
        self->named = item;
    const GPtrArray *items = item->group != NULL ? item->group->items : item->items;
    if (items != NULL)
        walk(self, items);
    self->named = named;
    for (guint i = 0; i < item->n_settings; i++)
        values[item->settings[i].place] = kept[i];
}

static void
walk(Walk *self, const GPtrArray *items)
{
    for (guint i = 0; i < items->len; i++) {
        const LpKernelItem *item = items->pdata[i];
        if (item->when != NULL && value(self, item, item->when) == 0.0)
            continue;
        if (item->is_kernel)
            give(self, item);
        else
            enter(self, item);
    }
}

void
lp_kernel_lists_clear(const LpKernelLists *self, double *values)
{
    for (guint i = self->vocabulary->n_sizes; i < self->n_places; i++)
        values[i] = 0.0;
}

const char *
lp_kernel_lists_size_file(const LpKernelLists *self, const char *name, guint *out_line)
{
    const LpDerivedSize *size = g_hash_table_lookup(self->derived, name);
    if (size == NULL)
        return NULL;
    *out_line = size->line;
    return size->file;
}

double
lp_kernel_lists_size(const LpKernelLists *self, const char *name, double *values)
{
    const LpDerivedSize *size = g_hash_table_lookup(self->derived, name);
    g_return_val_if_fail(size != NULL, 0.0);
    lp_kernel_lists_clear(self, values);
    LpExpressionValues own = {.values = values};
    return lp_expression_value(size->value, &own);
}

gboolean
lp_kernel_lists_has(const LpKernelLists *self, guint block, guint pass)
{
    const LpKernelGroup *group = *lp_kernel_lists_pass(self, block, pass);
    return group != NULL && group->items != NULL;
}

void
lp_kernel_lists_run(const LpKernelLists *self, guint block, guint pass, double *values,
                    LpTakeKernel take, gpointer data, char **out_fault)
{
    Walk own = {.values = {.values = values}, .take = take, .data = data};
    if (out_fault != NULL)
        *out_fault = NULL;
    lp_kernel_lists_clear(self, values);
    if (!lp_kernel_lists_has(self, block, pass) ||
        (self->whens[block] != NULL && lp_expression_value(self->whens[block], &own.values) == 0.0))
        return;
    walk(&own, (*lp_kernel_lists_pass(self, block, pass))->items);
    if (out_fault != NULL && own.fault != NULL)
        *out_fault = g_strdup_printf("%s:%u", own.fault->file, own.fault->line);
}
