/* SPDX-License-Identifier: Apache-2.0 */
/* Goes through all combinations of the axes' values, the cheapest rules first. */
#include "search/search_space.h"

#include "model/closed_form.h"
#include "model/library_mix.h"
#include "model/lower_bound.h"
#include "model/memory_fit.h"
#include "platforms/catalogue/libraries.h"
#include "sim/mapping/setup.h"

#include <math.h>
#include <string.h>

/* A plan whose bound is so many times the best closed form seen is not among the first to run. */
#define FAR 1.25

/* What of a communication library the closed form and the bound ask for. */
typedef struct {
    gboolean is_usable;
    char *reason;       /* owned: why it is not */
    LpLibrary *library; /* owned */
    gboolean switches_reduce;
} Library;

/* A way through the combinations on one machine. */
typedef struct {
    LpSearchSpace *space;
    const LpMachine *machine;
    const LpSearchAxes *axes;
    LpFabric fabric;
    GHashTable *libraries;                  /* owned: Library by name, protocol and precision */
    LpSearchPlan plan;                      /* so far */
    char *settings[LP_SEARCH_AXES_MAX + 2]; /* borrowed "name=value", NULL-ended */
    char dp[32];                            /* "dp=..." where it follows */
    GPtrArray *texts;                       /* owned, by axis: GPtrArray of "name=value" */
    void (*progress)(guint64, guint64, void *);
    void *data;
    guint64 n_all;
} Walk;

static void
clear_refusal(gpointer data)
{
    LpSearchRefusal *refusal = data;
    g_free(refusal->attribute);
    g_free(refusal->message);
}

static void
free_library(gpointer data)
{
    Library *library = data;
    g_free(library->reason);
    lp_library_free(library->library);
    g_free(library);
}

/* Counts @n plans as refused by @error, which it frees. */
static void
refuse(LpSearchSpace *self, guint64 n, GError *error)
{
    /* A place stands before the attribute where a setting or a file is to blame. */
    const char *text = error->message, *got = strstr(text, ": got");
    const char *begin = got;
    while (begin != NULL && begin > text && begin[-1] != ' ')
        begin--;
    g_autofree char *attribute =
        got != NULL ? g_strndup(begin, (gsize)(got - begin)) : g_strdup("other");
    LpSearchRefusal *found = NULL;
    for (guint i = 0; found == NULL && i < self->refusals->len; i++)
        if (strcmp(g_array_index(self->refusals, LpSearchRefusal, i).attribute, attribute) == 0)
            found = &g_array_index(self->refusals, LpSearchRefusal, i);
    if (found == NULL) {
        LpSearchRefusal fresh = {g_strdup(attribute), g_strdup(begin != NULL ? begin : text), 0};
        g_array_append_val(self->refusals, fresh);
        found = &g_array_index(self->refusals, LpSearchRefusal, self->refusals->len - 1);
    }
    found->n += n;
    g_error_free(error);
}

/* --- one plan --- */

static gboolean
reduces_in_switches(LpLibrary *library, const LpPlan *plan)
{
    gboolean any = FALSE;
    for (guint32 i = 0; i < lp_library_n_mixed(library); i++)
        any = any || lp_library_reduces_in_switches(lp_library_mixed(library, i));
    for (LpAxis axis = 0; axis < LP_N_AXES; axis++)
        any = any || lp_algorithms_reduce_in_switches(&plan->library.algorithms[axis]);
    return any;
}

static const Library *
find_library(Walk *self, const LpWorkload *workload)
{
    const LpPlan *plan = &workload->plan;
    g_autofree char *key =
        g_strdup_printf("%s|%s|%d|%d", plan->library.name, plan->library.protocol,
                        plan->format.precision, plan->host.checks);
    Library *library = g_hash_table_lookup(self->libraries, key);
    if (library != NULL)
        return library;
    library = g_new0(Library, 1);
    g_autoptr(GError) error = NULL;
    g_autoptr(LpSetup) setup = lp_setup_new(workload, self->machine, &error);
    if (setup == NULL) {
        library->reason = g_strdup(error->message);
    } else {
        library->is_usable = TRUE;
        library->switches_reduce = reduces_in_switches(setup->library, plan);
        library->library = g_steal_pointer(&setup->library);
    }
    g_hash_table_insert(self->libraries, g_steal_pointer(&key), library);
    return library;
}

/* Whether it fits; what it lacks counts. */
static gboolean
fits(Walk *self, const LpWorkload *workload)
{
    LpMemory memory = lp_memory_fullest(&workload->transformer, &workload->plan);
    LpMemoryFit fit = lp_memory_fit(&memory, &workload->plan, &self->machine->accelerator);
    self->plan.memory_bytes = fit.total_bytes;
    if (self->space->ignore_memory || fit.fits)
        return TRUE;
    self->space->n_refused_memory++;
    if (-fit.spare_bytes < self->space->least_lacking_bytes) {
        self->space->least_lacking_bytes = -fit.spare_bytes;
        self->space->nearest = self->plan;
    }
    return FALSE;
}

static void
evaluate(Walk *self)
{
    GError *error = NULL;
    g_autoptr(LpWorkload) workload =
        lp_workload_draft_complete(self->space->draft, (const char *const *)self->settings, &error);
    if (workload == NULL) {
        refuse(self->space, 1, error);
        return;
    }
    lp_workload_suit(workload, self->machine->domain_size, &self->machine->accelerator);
    if (!fits(self, workload))
        return;
    const Library *library = find_library(self, workload);
    if (!library->is_usable) {
        refuse(self->space, 1, g_error_new_literal(LP_MODEL_ERROR, 0, library->reason));
        return;
    }
    g_autoptr(LpPlacement) placement = strcmp(workload->placement, "packed") == 0
                                           ? NULL
                                           : lp_placement_new(workload, self->machine, &error);
    if (error != NULL) {
        refuse(self->space, 1, error);
        return;
    }
    LpLowerBoundInput input = {
        .of = {.transformer = &workload->transformer,
               .plan = &workload->plan,
               .accelerator = &self->machine->accelerator,
               .fabric = &self->fabric,
               .accelerators = placement != NULL ? placement->accelerators : NULL,
               .library = library->library},
        .switches_reduce = library->switches_reduce};
    self->plan.bound_s = lp_lower_bound_s(&input);
    self->plan.closed_s = INFINITY;
    if (self->plan.bound_s <= FAR * self->space->best_closed_s) {
        LpTerms terms = lp_closed_form_terms(&input.of);
        self->plan.closed_s = lp_terms_sum(&terms);
        self->space->best_closed_s = fmin(self->space->best_closed_s, self->plan.closed_s);
    }
    self->plan.index = self->space->plans->len;
    g_array_append_val(self->space->plans, self->plan);
}

/* --- all plans --- */

/* Combinations of the axes from @axis on. */
static guint64
n_behind(const LpSearchAxes *axes, guint axis)
{
    guint64 n = 1;
    for (guint i = axis; i < axes->axes->len; i++)
        n *= g_strv_length(lp_search_axis(axes, i)->values);
    return n;
}

static guint64
value_of(const Walk *self, const char *name, guint64 otherwise)
{
    for (guint i = 0; i < self->axes->n_degree_axes; i++)
        if (strcmp(lp_search_axis(self->axes, i)->name, name) == 0)
            return g_ascii_strtoull(self->settings[i] + strlen(name) + 1, NULL, 10);
    return otherwise;
}

/* As many replicas as fill the machine; FALSE where the other degrees do not divide it. */
static gboolean
find_replicas(Walk *self, guint n_set, GError **error)
{
    guint64 n = self->machine->n_accelerators;
    guint64 ranks = value_of(self, "tp", self->space->own->plan.degree[LP_AXIS_TP]) *
                    value_of(self, "cp", self->space->own->plan.degree[LP_AXIS_CP]) *
                    value_of(self, "pp", self->space->own->plan.degree[LP_AXIS_PP]);
    if (n % ranks != 0) {
        g_set_error(error, LP_MODEL_ERROR, LP_MODEL_ERROR_PLAN,
                    "tp x cp x pp: got %" G_GUINT64_FORMAT
                    ", wanted a divisor of the %" G_GUINT64_FORMAT " accelerators",
                    ranks, n);
        return FALSE;
    }
    self->plan.dp = (guint32)(n / ranks);
    g_snprintf(self->dp, sizeof self->dp, "dp=%u", self->plan.dp);
    self->settings[n_set] = self->dp;
    self->settings[n_set + 1] = NULL;
    return TRUE;
}

/* Whether rules that ask for the axes set so far let them through. */
static gboolean
passes(Walk *self, guint n_set, GError **error)
{
    guint n_first = self->axes->n_degree_axes, n_both = n_first + self->axes->n_batch_axes;
    if (n_set != n_first && n_set != n_both)
        return TRUE;
    if (self->axes->fills && !find_replicas(self, n_set, error))
        return FALSE;
    return lp_workload_draft_check(self->space->draft, (const char *const *)self->settings,
                                   n_set == n_both, error);
}

static void
walk(Walk *self, guint axis)
{
    GError *error = NULL;
    if (!passes(self, axis, &error)) {
        guint64 n = n_behind(self->axes, axis);
        self->space->n_considered += n;
        refuse(self->space, n, error);
        return;
    }
    if (axis == self->axes->axes->len) {
        self->space->n_considered++;
        if (self->axes->fills)
            (void)find_replicas(self, axis, NULL);
        evaluate(self);
        if (self->progress != NULL)
            self->progress(self->space->n_considered, self->n_all, self->data);
        return;
    }
    GPtrArray *texts = self->texts->pdata[axis];
    for (guint i = 0; i < texts->len; i++) {
        self->plan.value[axis] = (guint16)i;
        self->settings[axis] = texts->pdata[i];
        self->settings[axis + 1] = NULL;
        walk(self, axis + 1);
    }
}

static GPtrArray *
setting_texts(const LpSearchAxes *axes)
{
    GPtrArray *texts = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
    for (guint i = 0; i < axes->axes->len; i++) {
        const LpSearchAxis *axis = lp_search_axis(axes, i);
        GPtrArray *own = g_ptr_array_new_with_free_func(g_free);
        for (char **value = axis->values; *value != NULL; value++)
            g_ptr_array_add(own, g_strdup_printf("%s=%s", axis->name, *value));
        g_ptr_array_add(texts, own);
    }
    return texts;
}

static int
compare_refusals(gconstpointer a, gconstpointer b)
{
    const LpSearchRefusal *first = a, *second = b;
    if (first->n != second->n)
        return first->n > second->n ? -1 : 1;
    return strcmp(first->attribute, second->attribute);
}

LpSearchSpace *
lp_search_space_new(const LpWorkloadDraft *draft, const LpMachine *const *machines,
                    guint n_machines, const LpSearchAxes *const *axes, gboolean ignore_memory,
                    void (*progress)(guint64, guint64, void *), void *data)
{
    LpSearchSpace *self = g_new0(LpSearchSpace, 1);
    self->draft = draft;
    self->machines = machines;
    self->n_machines = n_machines;
    self->axes = axes;
    self->ignore_memory = ignore_memory;
    self->own = lp_workload_draft_read(draft);
    self->least_lacking_bytes = self->best_closed_s = INFINITY;
    self->plans = g_array_new(FALSE, FALSE, sizeof(LpSearchPlan));
    self->refusals = g_array_new(FALSE, FALSE, sizeof(LpSearchRefusal));
    g_array_set_clear_func(self->refusals, clear_refusal);
    guint64 n_all = 0;
    for (guint i = 0; i < n_machines; i++)
        n_all += (guint64)lp_search_axes_n_plans(axes[i]);
    for (guint i = 0; i < n_machines; i++) {
        g_autoptr(GPtrArray) texts = setting_texts(axes[i]);
        g_autoptr(GHashTable) libraries =
            g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_library);
        Walk start = {.space = self,
                      .machine = machines[i],
                      .axes = axes[i],
                      .fabric = lp_machine_fabric(machines[i]),
                      .libraries = libraries,
                      .plan = {.machine = i},
                      .texts = texts,
                      .progress = progress,
                      .data = data,
                      .n_all = n_all};
        walk(&start, 0);
    }
    g_array_sort(self->refusals, compare_refusals);
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
    LpWorkload *workload =
        lp_workload_draft_complete(self->draft, (const char *const *)settings, error);
    if (workload != NULL)
        lp_workload_suit(workload, machine->domain_size, &machine->accelerator);
    return workload;
}
