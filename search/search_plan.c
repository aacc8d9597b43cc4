/* SPDX-License-Identifier: Apache-2.0 */
/* Plans as settings and workloads, and counts of refusals. */
#include "search/search_plan.h"

#include <math.h>
#include <string.h>

static void
clear_refusal(gpointer data)
{
    LpSearchRefusal *refusal = data;
    g_free(refusal->attribute);
    g_free(refusal->message);
}

LpSearchSpace *
lp_search_space_new_part(const LpSearchSpace *of)
{
    LpSearchSpace *self = g_new0(LpSearchSpace, 1);
    self->draft = of->draft;
    self->machines = of->machines;
    self->n_machines = of->n_machines;
    self->axes = of->axes;
    self->ignore_memory = of->ignore_memory;
    self->own = lp_workload_draft_read(of->draft);
    self->least_lacking_bytes = self->best_closed_s = INFINITY;
    self->plans = g_array_new(FALSE, FALSE, sizeof(LpSearchPlan));
    self->refusals = g_array_new(FALSE, FALSE, sizeof(LpSearchRefusal));
    g_array_set_clear_func(self->refusals, clear_refusal);
    return self;
}

void
lp_search_space_free(LpSearchSpace *self)
{
    if (self == NULL)
        return;
    lp_workload_free(self->own);
    g_array_unref(self->plans);
    g_array_unref(self->refusals);
    g_free(self);
}

char **
lp_search_space_settings(const LpSearchSpace *self, const LpSearchPlan *plan)
{
    const LpSearchAxes *axes = self->axes[plan->machine];
    g_autoptr(GStrvBuilder) all = g_strv_builder_new();
    for (guint i = 0; i < axes->axes->len; i++) {
        const LpSearchAxis *axis = lp_search_axis(axes, i);
        g_autofree char *text = g_strdup_printf("%s=%s", axis->name, axis->values[plan->value[i]]);
        g_strv_builder_add(all, text);
    }
    if (axes->fills) {
        g_autofree char *text = g_strdup_printf("dp=%u", plan->dp);
        g_strv_builder_add(all, text);
    }
    return g_strv_builder_end(all);
}

LpWorkload *
lp_search_space_workload(const LpSearchSpace *self, const LpSearchPlan *plan, GError **error)
{
    g_auto(GStrv) settings = lp_search_space_settings(self, plan);
    const LpMachine *machine = self->machines[plan->machine];
    g_autoptr(LpWorkload) workload =
        lp_workload_draft_complete(self->draft, (const char *const *)settings, error);
    if (workload == NULL ||
        !lp_workload_apply_machine(workload, machine->domain_size, &machine->accelerator, error))
        return NULL;
    return g_steal_pointer(&workload);
}

/* --- refusals --- */

void
lp_search_space_add_refusal(LpSearchSpace *self, const char *attribute, const char *message,
                            guint64 n)
{
    for (guint i = 0; i < self->refusals->len; i++) {
        LpSearchRefusal *known = &g_array_index(self->refusals, LpSearchRefusal, i);
        if (strcmp(known->attribute, attribute) == 0) {
            known->n += n;
            return;
        }
    }
    LpSearchRefusal fresh = {g_strdup(attribute), g_strdup(message), n};
    g_array_append_val(self->refusals, fresh);
}

void
lp_search_space_refuse(LpSearchSpace *self, guint64 n, GError *error)
{
    /* A place stands before the attribute where a setting or a file is to blame. */
    const char *text = error->message, *got = strstr(text, ": got");
    const char *begin = got;
    while (begin != NULL && begin > text && begin[-1] != ' ')
        begin--;
    g_autofree char *attribute =
        got != NULL ? g_strndup(begin, (gsize)(got - begin)) : g_strdup("other");
    lp_search_space_add_refusal(self, attribute, begin != NULL ? begin : text, n);
    g_error_free(error);
}

static int
compare_refusals(gconstpointer a, gconstpointer b)
{
    const LpSearchRefusal *first = a, *second = b;
    if (first->n != second->n)
        return first->n > second->n ? -1 : 1;
    return strcmp(first->attribute, second->attribute);
}

void
lp_search_space_sort_refusals(LpSearchSpace *self)
{
    g_array_sort(self->refusals, compare_refusals);
}
