/* SPDX-License-Identifier: Apache-2.0 */
/* Axes of a search, read from text or made of what a workload and a machine allow. */
#include "search/search_axis.h"

#include "base/error.h"
#include "base/units.h"

#include <string.h>

#define VALUES_MAX 4096
#define RANGE_MAX 1000000000u

const char *const lp_search_default_axes[] = {
    "tp",   "pp", "cp", "ep", "micro-batch", "virtual-stages", "recompute", "sequence-parallel",
    "zero", NULL};

/* Axes that cheap rules ask for, in the order in which they are gone through. */
static const char *const first_names[] = {
    "tp", "cp", "pp", "dp", "ep", "micro-batch", "virtual-stages", NULL};
#define N_DEGREES 5

static void
clear_axis(gpointer data)
{
    LpSearchAxis *axis = data;
    g_free(axis->name);
    g_strfreev(axis->values);
}

void
lp_search_axes_free(LpSearchAxes *self)
{
    if (self == NULL)
        return;
    g_array_unref(self->axes);
    g_free(self);
}

const LpSearchAxis *
lp_search_axis(const LpSearchAxes *self, guint index)
{
    return &g_array_index(self->axes, LpSearchAxis, index);
}

double
lp_search_axes_n_plans(const LpSearchAxes *self)
{
    double n = 1.0;
    for (guint i = 0; i < self->axes->len; i++)
        n *= g_strv_length(lp_search_axis(self, i)->values);
    return n;
}

static void
add_count(GPtrArray *values, guint64 count)
{
    g_ptr_array_add(values, g_strdup_printf("%" G_GUINT64_FORMAT, count));
}

/* --- values as text --- */

static gboolean
check_value(const char *name, const char *value, GError **error)
{
    g_autofree char *setting = g_strdup_printf("%s=%s", name, value);
    return lp_workload_check_setting(setting, error);
}

/* "A..B" or "A..B*F". Where both ends are values, so is what lies between. */
static gboolean
add_range(GPtrArray *values, const char *name, const char *text, const char *dots, GError **error)
{
    g_autofree char *from = g_strndup(text, (gsize)(dots - text));
    g_auto(GStrv) rest = g_strsplit(dots + 2, "*", 2);
    guint64 first, last, factor = 1;
    if (!lp_count_parse(from, 1, RANGE_MAX, &first, error) ||
        !lp_count_parse(rest[0] != NULL ? rest[0] : "", 1, RANGE_MAX, &last, error) ||
        (rest[0] != NULL && rest[1] != NULL &&
         !lp_count_parse(rest[1], 2, RANGE_MAX, &factor, error)))
        return FALSE;
    if (last < first)
        return lp_value_error(error, "got %s, wanted the larger number last", text);
    for (guint64 count = first; count <= last; count = factor == 1 ? count + 1 : count * factor) {
        if (values->len >= VALUES_MAX)
            return lp_value_error(error, "got %s, wanted at most %d values", text, VALUES_MAX);
        add_count(values, count);
    }
    return check_value(name, values->pdata[0], error) &&
           check_value(name, values->pdata[values->len - 1], error);
}

static gboolean
add_value(GPtrArray *values, const char *name, const char *text, GError **error)
{
    const char *dots = strstr(text, "..");
    if (dots != NULL && g_ascii_isdigit(*text))
        return add_range(values, name, text, dots, error);
    g_ptr_array_add(values, g_strdup(text));
    return check_value(name, text, error);
}

/* Each value once. */
static gboolean
check_distinct(const GPtrArray *values, GError **error)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i < values->len; i++)
        if (!g_hash_table_add(seen, values->pdata[i]))
            return lp_value_error(error, "got %s twice, wanted each value once",
                                  (const char *)values->pdata[i]);
    return TRUE;
}

static gboolean
parse_values(GPtrArray *values, const char *name, const char *text, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(text, "|", -1);
    for (char **part = parts; *part != NULL; part++)
        if (!add_value(values, name, *part, error))
            return FALSE;
    return check_distinct(values, error);
}

/* --- values that can differ --- */

/* The divisors of @n up to @most, growing. */
static void
add_divisors(GPtrArray *values, guint64 n, guint64 most)
{
    for (guint64 i = 1; i <= MIN(n, most); i++)
        if (n % i == 0)
            add_count(values, i);
}

/* Names that @texts have, NULL-ended. */
static void
add_texts(GPtrArray *values, const char *const *texts)
{
    for (; *texts != NULL; texts++)
        g_ptr_array_add(values, g_strdup(*texts));
}

static gboolean
add_own_values(GPtrArray *values, const char *name, const LpWorkload *workload,
               guint64 n_accelerators, GError **error)
{
    static const char *const again[] = {"none", "selective", "full", NULL};
    static const char *const either[] = {"no", "yes", NULL};
    static const char *const stages[] = {"0", "1", "2", "3", NULL};
    const LpTransformer *shape = &workload->transformer;
    const struct {
        const char *name;
        guint64 n, most;
        const char *const *texts;
    } known[] = {
        {"tp", shape->n_heads, n_accelerators, NULL},
        {"cp", shape->seq, n_accelerators, NULL},
        {"pp", n_accelerators, lp_transformer_n_layers(shape), NULL},
        {"dp", n_accelerators, n_accelerators, NULL},
        {"ep", MAX(shape->experts.n, 1), n_accelerators, NULL},
        {"micro-batch", workload->plan.batch.global, G_MAXUINT32, NULL},
        {"virtual-stages", lp_transformer_n_layers(shape), lp_transformer_n_layers(shape), NULL},
        {"recompute", 0, 0, again},
        {"zero", 0, 0, stages},
        {"schedule", 0, 0, lp_schedule_names},
        {"cp-kind", 0, 0, lp_context_kind_names},
        {"sequence-parallel", 0, 0, either},
        {"overlap-dp", 0, 0, either},
        {"overlap-pp", 0, 0, either},
        {"overlap-param", 0, 0, either},
        {"overlap-tp", 0, 0, lp_overlap_tp_names},
    };
    for (guint i = 0; i < G_N_ELEMENTS(known); i++) {
        if (strcmp(known[i].name, name) != 0)
            continue;
        if (known[i].texts != NULL)
            add_texts(values, known[i].texts);
        else
            add_divisors(values, known[i].n, known[i].most);
        return TRUE;
    }
    return lp_value_error(error, "got no values, wanted %s=VALUE|VALUE...", name);
}

/* --- axes --- */

/* Where it stands among first_names, or behind all of them. */
static guint
place_of(const char *name)
{
    guint place = 0;
    while (first_names[place] != NULL && strcmp(first_names[place], name) != 0)
        place++;
    return place;
}

static gboolean
add_axis(LpSearchAxes *self, const char *name, const char *texts, const LpWorkload *workload,
         guint64 n_accelerators, GError **error)
{
    g_autoptr(GPtrArray) values = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < self->axes->len; i++)
        if (strcmp(lp_search_axis(self, i)->name, name) == 0)
            return lp_value_error(error, "got %s twice, wanted each axis once", name);
    if (self->axes->len == LP_SEARCH_AXES_MAX)
        return lp_value_error(error, "got one axis more, wanted at most %d", LP_SEARCH_AXES_MAX);
    if (texts == NULL ? !add_own_values(values, name, workload, n_accelerators, error)
                      : !parse_values(values, name, texts, error))
        return FALSE;
    g_ptr_array_add(values, NULL);
    LpSearchAxis axis = {g_strdup(name), (char **)values->pdata};
    g_ptr_array_free(g_steal_pointer(&values), FALSE);
    guint place = place_of(name), at = 0;
    while (at < self->axes->len && place_of(lp_search_axis(self, at)->name) <= place)
        at++;
    g_array_insert_val(self->axes, at, axis);
    self->n_degree_axes += place < N_DEGREES ? 1 : 0;
    self->n_batch_axes += place >= N_DEGREES && first_names[place] != NULL ? 1 : 0;
    return TRUE;
}

static gboolean
add_item(LpSearchAxes *self, const char *item, const LpWorkload *workload, guint64 n_accelerators,
         GError **error)
{
    g_auto(GStrv) parts = g_strsplit(item, "=", 2);
    const char *name = parts[0] != NULL ? parts[0] : "";
    if (!lp_workload_has_attribute(name, error))
        return FALSE;
    gboolean has_values = *name != '\0' && parts[1] != NULL;
    if (add_axis(self, name, has_values ? parts[1] : NULL, workload, n_accelerators, error))
        return TRUE;
    g_prefix_error(error, "%s: ", name);
    return FALSE;
}

static gboolean
is_given(const char *const *settings, const char *name)
{
    gsize length = strlen(name);
    for (; settings != NULL && *settings != NULL; settings++)
        if (strncmp(*settings, name, length) == 0 && (*settings)[length] == '=')
            return TRUE;
    return FALSE;
}

static gboolean
has_axis(const LpSearchAxes *self, const char *name)
{
    for (guint i = 0; i < self->axes->len; i++)
        if (strcmp(lp_search_axis(self, i)->name, name) == 0)
            return TRUE;
    return FALSE;
}

LpSearchAxes *
lp_search_axes_new(const char *text, const LpWorkload *workload, const char *const *settings,
                   guint64 n_accelerators, GError **error)
{
    g_autoptr(LpSearchAxes) self = g_new0(LpSearchAxes, 1);
    self->axes = g_array_new(FALSE, FALSE, sizeof(LpSearchAxis));
    g_array_set_clear_func(self->axes, clear_axis);
    g_auto(GStrv) items = text != NULL
                              ? g_strsplit(text, ",", -1)
                              : g_strdupv((char **)(gpointer)(guintptr)lp_search_default_axes);
    for (char **item = items; *item != NULL; item++)
        if ((text != NULL || !is_given(settings, *item)) &&
            !add_item(self, *item, workload, n_accelerators, error))
            return NULL;
    gboolean others = has_axis(self, "tp") || has_axis(self, "cp") || has_axis(self, "pp");
    self->fills = others && !has_axis(self, "dp") && !is_given(settings, "dp");
    return g_steal_pointer(&self);
}
