/* SPDX-License-Identifier: Apache-2.0 */
/* Names in lists: sizes of the vocabulary, variables, and sizes that lists derive. */
#include "base/error.h"
#include "model/kernels/kernel_items.h"

#include <string.h>

/* Keeps the first fault of all sizes: the innermost, since a size is read where it is named. */
static void
keep_fault(LpKernelLists *lists, const LpDerivedSize *size, const char *name, GError *error)
{
    g_prefix_error(&error, "%s:%u: <size> %s: ", size->file, size->line, name);
    if (lists->fault == NULL)
        lists->fault = error;
    else
        g_error_free(error);
}

static gboolean
find_derived(LpKernelLists *lists, const char *name, LpDerivedSize *size, LpExpressionName *out)
{
    GError *error = NULL;
    if (size->is_entered) {
        (void)lp_value_error(&error, "got a size that is made of itself, wanted none");
        keep_fault(lists, size, name, error);
        return FALSE;
    }
    size->is_entered = TRUE;
    if (size->value == NULL)
        size->value = lp_expression_parse(size->text, lp_kernel_names_find, lists, &error);
    size->is_entered = FALSE;
    if (error != NULL)
        keep_fault(lists, size, name, error);
    out->expression = size->value;
    return size->value != NULL;
}

gboolean
lp_kernel_names_find(gpointer data, const char *name, LpExpressionName *out)
{
    LpKernelLists *lists = data;
    gpointer place;
    LpDerivedSize *derived = g_hash_table_lookup(lists->derived, name);
    if (derived != NULL)
        return find_derived(lists, name, derived, out);
    if (g_hash_table_lookup_extended(lists->variables, name, NULL, &place)) {
        out->place = GPOINTER_TO_UINT(place);
        return TRUE;
    }
    for (guint i = 0; i < lists->vocabulary->n_sizes; i++)
        if (strcmp(lists->vocabulary->sizes[i].name, name) == 0) {
            *out = (LpExpressionName){.place = i, .words = lists->vocabulary->sizes[i].words};
            return TRUE;
        }
    return FALSE;
}

static int
compare(gconstpointer a, gconstpointer b)
{
    return strcmp(a, b);
}

gboolean
lp_kernel_names_read(LpKernelLists *lists, GError **error)
{
    g_autoptr(GList) names = g_list_sort(g_hash_table_get_keys(lists->derived), compare);
    for (const GList *name = names; name != NULL; name = name->next) {
        LpExpressionName out = {0};
        LpDerivedSize *size = g_hash_table_lookup(lists->derived, name->data);
        if (find_derived(lists, name->data, size, &out))
            continue;
        g_propagate_error(error, g_steal_pointer(&lists->fault));
        return FALSE;
    }
    return TRUE;
}
