/* SPDX-License-Identifier: Apache-2.0 */
/* All plans of a search as JSON. */
#include "report/search_candidates.h"

#include "base/file.h"

#include <math.h>

/* Others than those that were simulated, for a plot. */
#define OTHERS_MAX 3000

static const LpSearchRun *
run_at(const LpSearchReport *self, guint index)
{
    return &g_array_index(self->result->runs, LpSearchRun, index);
}

static int
compare_closed_forms(gconstpointer a, gconstpointer b)
{
    const LpSearchPlan *first = *(const LpSearchPlan *const *)a;
    const LpSearchPlan *second = *(const LpSearchPlan *const *)b;
    if (first->closed_s != second->closed_s)
        return first->closed_s < second->closed_s ? -1 : 1;
    return first->index < second->index ? -1 : first->index > second->index ? 1 : 0;
}

/* Borrowed LpSearchPlan of the space that were not simulated and have a closed form, the fastest
 * first. */
static GPtrArray *
find_others(const LpSearchReport *self)
{
    const GArray *plans = self->space->plans;
    g_autofree gboolean *is_simulated = g_new0(gboolean, MAX(plans->len, 1));
    for (guint i = 0; i < self->result->runs->len; i++)
        is_simulated[run_at(self, i)->plan.index] = TRUE;
    GPtrArray *others = g_ptr_array_new();
    for (guint i = 0; i < plans->len; i++) {
        LpSearchPlan *plan = &g_array_index(plans, LpSearchPlan, i);
        if (!is_simulated[plan->index] && isfinite(plan->closed_s))
            g_ptr_array_add(others, plan);
    }
    g_ptr_array_sort(others, compare_closed_forms);
    g_ptr_array_set_size(others, (int)MIN(others->len, OTHERS_MAX));
    return others;
}

/* Whether all machines' names have @word. */
static gboolean
is_common(const LpSearchSpace *space, const char *word)
{
    for (guint i = 0; i < space->n_machines; i++) {
        g_auto(GStrv) words = g_strsplit(lp_file_label(space->machines[i]->path), " ", -1);
        if (!g_strv_contains((const char *const *)words, word))
            return FALSE;
    }
    return TRUE;
}

/* The words of a machine's name that others' names do not have: of one that is made the options
 * that differ. Returns: (transfer full). */
static char *
short_name(const LpSearchSpace *space, guint machine)
{
    const char *name = lp_file_label(space->machines[machine]->path);
    g_auto(GStrv) words = g_strsplit(name, " ", -1);
    GString *own = g_string_new(NULL);
    for (guint i = 0; words[i] != NULL; i++)
        if (!is_common(space, words[i]))
            g_string_append_printf(own, "%s%s", own->len > 0 ? " " : "",
                                   words[i] + (g_str_has_prefix(words[i], "--") ? 2 : 0));
    if (own->len == 0)
        g_string_append(own, name);
    return g_string_free(own, FALSE);
}

void
lp_search_report_add_candidates(json_t *root, const LpSearchReport *self)
{
    json_t *candidates = lp_json_set_array(root, "candidates");
    for (guint i = 0; i < self->result->runs->len; i++) {
        lp_search_report_add_plan(candidates, self, i);
        json_t *candidate = json_array_get(candidates, i);
        lp_json_set_number(candidate, "over_first",
                           run_at(self, i)->time_s / run_at(self, 0)->time_s - 1.0);
        g_autofree char *machine = short_name(self->space, run_at(self, i)->plan.machine);
        lp_json_set_text(candidate, "machine", machine);
    }
    json_t *array = lp_json_set_array(root, "not_simulated");
    g_autoptr(GPtrArray) others = find_others(self);
    for (guint i = 0; i < others->len; i++) {
        const LpSearchPlan *plan = others->pdata[i];
        json_t *object = lp_json_append_object(array);
        lp_json_set_number(object, "memory_bytes", plan->memory_bytes);
        lp_json_set_number(object, "closed_form_s", plan->closed_s);
    }
}
