/* SPDX-License-Identifier: Apache-2.0 */
/* Goes through all combinations of the axes' values, the cheapest rules first. */
#include "search/search_space.h"

#include "model/closed_form/closed_form.h"
#include "model/network/library_mix.h"
#include "model/closed_form/lower_bound.h"
#include "model/memory/memory_fit.h"
#include "platforms/catalogue/libraries.h"
#include "search/search_parts.h"
#include "sim/mapping/setup.h"

#include <math.h>
#include <string.h>

/* A plan whose bound is so many times the best closed form seen is not among the first to run. */
#define FAR 1.25
/* Fewer combinations are gone through before processes have started. */
#define APART_MIN 10000

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
} Walk;

static void
free_library(gpointer data)
{
    Library *library = data;
    g_free(library->reason);
    lp_library_free(library->library);
    g_free(library);
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
                        plan->format.precision, plan->traits[LP_TRAIT_COLLECTIVE_CHECKS]);
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

/* What the times of @workload are worked out from, which fits. @out_placement: (transfer full),
 * NULL where ranks are packed. */
static gboolean
find_input(Walk *self, const LpWorkload *workload, LpLowerBoundInput *out,
           LpPlacement **out_placement, GError **error)
{
    const Library *library = find_library(self, workload);
    if (!library->is_usable) {
        g_set_error_literal(error, LP_MODEL_ERROR, 0, library->reason);
        return FALSE;
    }
    if (strcmp(workload->placement, "packed") != 0) {
        *out_placement = lp_placement_new(workload, self->machine, error);
        if (*out_placement == NULL)
            return FALSE;
    }
    *out = (LpLowerBoundInput){
        .of = {.transformer = &workload->transformer,
               .plan = &workload->plan,
               .accelerator = &self->machine->accelerator,
               .fabric = &self->fabric,
               .accelerators = *out_placement != NULL ? (*out_placement)->accelerators : NULL,
               .library = library->library},
        .switches_reduce = library->switches_reduce};
    return TRUE;
}

static void
evaluate(Walk *self)
{
    GError *error = NULL;
    g_autoptr(LpPlacement) placement = NULL;
    LpLowerBoundInput input;
    g_autoptr(LpWorkload) workload =
        lp_workload_draft_complete(self->space->draft, (const char *const *)self->settings, &error);
    if (workload == NULL || !lp_workload_apply_machine(workload, self->machine->domain_size,
                                                       &self->machine->accelerator, &error)) {
        lp_search_space_refuse(self->space, 1, error);
        return;
    }
    if (!fits(self, workload))
        return;
    if (!find_input(self, workload, &input, &placement, &error)) {
        lp_search_space_refuse(self->space, 1, error);
        return;
    }
    self->plan.bound_s = lp_lower_bound_s(&input);
    self->plan.closed_s = INFINITY;
    self->plan.index = self->space->plans->len;
    g_array_append_val(self->space->plans, self->plan);
}

/* Works out the closed form of @plan. */
static void
add_closed_form(Walk *self, LpSearchPlan *plan)
{
    g_autoptr(LpPlacement) placement = NULL;
    LpLowerBoundInput input;
    g_autoptr(LpWorkload) workload = lp_search_space_workload(self->space, plan, NULL);
    if (workload == NULL || !find_input(self, workload, &input, &placement, NULL))
        return;
    LpTerms terms = lp_closed_form_terms(&input.of);
    plan->closed_s = lp_terms_sum(&terms);
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

/* Sets as many replicas as fill the machine; FALSE if the other degrees do not divide it. */
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
        lp_search_space_refuse(self->space, n, error);
        return;
    }
    if (axis == self->axes->axes->len) {
        self->space->n_considered++;
        if (self->axes->fills)
            (void)find_replicas(self, axis, NULL);
        evaluate(self);
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

/* --- its parts --- */

/* Parts: enough to keep processors busy to the end. */
#define PARTS_MIN 64

/* A machine's combinations, of which the values of the first axes make parts. */
typedef struct {
    Walk start;
    guint n_first;        /* axes */
    guint first, n_parts; /* of the space's */
} Region;

static void
region_init(Region *self, LpSearchSpace *space, guint machine, guint first)
{
    const LpSearchAxes *axes = space->axes[machine];
    *self = (Region){
        .start = {.space = space,
                  .machine = space->machines[machine],
                  .axes = axes,
                  .fabric = lp_machine_fabric(space->machines[machine]),
                  .libraries = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_library),
                  .plan = {.machine = machine},
                  .texts = setting_texts(axes)},
        .first = first,
        .n_parts = 1};
    /* Rules are asked from the last axis of degrees on. */
    for (; self->n_first < axes->n_degree_axes && self->n_parts < PARTS_MIN; self->n_first++)
        self->n_parts *= g_strv_length(lp_search_axis(axes, self->n_first)->values);
}

static void
region_clear(gpointer data)
{
    Region *self = data;
    g_hash_table_unref(self->start.libraries);
    g_ptr_array_unref(self->start.texts);
}

/* The last of the first axes turns fastest, as in the walk. */
static void
walk_part(LpSearchSpace *space, guint index, const void *data)
{
    const GArray *regions = data;
    const Region *region = &g_array_index(regions, Region, 0);
    while (index >= region->first + region->n_parts)
        region++;
    Walk walk_from = region->start;
    walk_from.space = space;
    guint left = index - region->first;
    for (guint axis = region->n_first; axis-- > 0;) {
        const GPtrArray *texts = walk_from.texts->pdata[axis];
        walk_from.plan.value[axis] = (guint16)(left % texts->len);
        walk_from.settings[axis] = texts->pdata[left % texts->len];
        left /= texts->len;
    }
    walk_from.settings[region->n_first] = NULL;
    walk(&walk_from, region->n_first);
}

/* Splits the space by machines and their first axes. Returns: (transfer full). */
static GArray *
find_regions(LpSearchSpace *self)
{
    GArray *regions = g_array_new(FALSE, FALSE, sizeof(Region));
    g_array_set_clear_func(regions, region_clear);
    for (guint i = 0, first = 0; i < self->n_machines; i++) {
        Region region;
        region_init(&region, self, i, first);
        first += region.n_parts;
        g_array_append_val(regions, region);
    }
    return regions;
}

static int
compare_bounds(gconstpointer a, gconstpointer b)
{
    const LpSearchPlan *first = *(LpSearchPlan *const *)a, *second = *(LpSearchPlan *const *)b;
    if (first->bound_s != second->bound_s)
        return first->bound_s < second->bound_s ? -1 : 1;
    return first->index < second->index ? -1 : first->index > second->index ? 1 : 0;
}

/* Closed forms of all plans that are near enough, the lowest bounds first. */
static void
add_closed_forms(LpSearchSpace *self, GArray *regions)
{
    g_autoptr(GPtrArray) order = g_ptr_array_sized_new(self->plans->len);
    for (guint i = 0; i < self->plans->len; i++)
        g_ptr_array_add(order, &g_array_index(self->plans, LpSearchPlan, i));
    g_ptr_array_sort(order, compare_bounds);
    for (guint i = 0; i < order->len; i++) {
        LpSearchPlan *plan = order->pdata[i];
        if (plan->bound_s > FAR * self->best_closed_s)
            break;
        add_closed_form(&g_array_index(regions, Region, plan->machine).start, plan);
        self->best_closed_s = fmin(self->best_closed_s, plan->closed_s);
    }
}

/* --- all --- */

LpSearchSpace *
lp_search_space_new(const LpWorkloadDraft *draft, const LpMachine *const *machines,
                    guint n_machines, const LpSearchAxes *const *axes, gboolean ignore_memory,
                    guint n_at_once, void (*progress)(double, guint64, void *), void *data,
                    GError **error)
{
    LpSearchSpace empty = {.draft = draft,
                           .machines = machines,
                           .n_machines = n_machines,
                           .axes = axes,
                           .ignore_memory = ignore_memory};
    g_autoptr(LpSearchSpace) self = lp_search_space_new_part(&empty);
    g_autoptr(GArray) regions = find_regions(self);
    const Region *last = &g_array_index(regions, Region, regions->len - 1);
    LpSearchParts parts = {.n = last->first + last->n_parts,
                           .walk = walk_part,
                           .data = regions,
                           .progress = progress,
                           .progress_data = data};
    for (guint i = 0; i < n_machines; i++)
        parts.n_all += (guint64)lp_search_axes_n_plans(axes[i]);
    parts.n_at_once = parts.n_all < APART_MIN ? 1 : n_at_once;
    if (!lp_search_parts_run(&parts, self, error))
        return NULL;
    add_closed_forms(self, regions);
    lp_search_space_sort_refusals(self);
    return g_steal_pointer(&self);
}
