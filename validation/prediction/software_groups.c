/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers outcomes by software and accelerator. */
#include "validation/prediction/software_groups.h"

#include <string.h>

static void
group_free(gpointer data)
{
    LpSoftwareGroup *self = data;
    g_ptr_array_unref(self->outcomes);
    g_free(self);
}

static LpSoftwareGroup *
find(const GPtrArray *groups, const LpOutcome *outcome)
{
    for (guint i = 0; i < groups->len; i++) {
        LpSoftwareGroup *group = groups->pdata[i];
        if (strcmp(group->software, outcome->software) == 0 &&
            strcmp(group->accelerator, outcome->accelerator) == 0)
            return group;
    }
    return NULL;
}

static guint
count_publishers(const GPtrArray *outcomes)
{
    g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i < outcomes->len; i++)
        g_hash_table_add(names, ((const LpOutcome *)outcomes->pdata[i])->publisher);
    return g_hash_table_size(names);
}

static gint
compare(gconstpointer a, gconstpointer b)
{
    const LpSoftwareGroup *one = *(LpSoftwareGroup *const *)a,
                          *other = *(LpSoftwareGroup *const *)b;
    int software = strcmp(one->software, other->software);
    return software != 0 ? software : strcmp(one->accelerator, other->accelerator);
}

GPtrArray *
lp_software_groups(const GPtrArray *outcomes)
{
    GPtrArray *groups = g_ptr_array_new_with_free_func(group_free);
    for (guint i = 0; i < outcomes->len; i++) {
        LpOutcome *outcome = outcomes->pdata[i];
        if (outcome->is_apart || *outcome->software == '\0')
            continue;
        LpSoftwareGroup *group = find(groups, outcome);
        if (group == NULL) {
            group = g_new0(LpSoftwareGroup, 1);
            group->software = outcome->software;
            group->accelerator = outcome->accelerator;
            group->outcomes = g_ptr_array_new();
            g_ptr_array_add(groups, group);
        }
        g_ptr_array_add(group->outcomes, outcome);
    }
    for (guint i = 0; i < groups->len; i++) {
        LpSoftwareGroup *group = groups->pdata[i];
        group->n_publishers = count_publishers(group->outcomes);
    }
    g_ptr_array_sort(groups, compare);
    return groups;
}
