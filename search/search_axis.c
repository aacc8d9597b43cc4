/* SPDX-License-Identifier: Apache-2.0 */
/* Axes of a search, read from text or made of what a workload and a machine allow. */
#include "search/search_axis.h"

#include "base/error.h"
#include "base/units.h"
#include "workloads/description/attribute.h"

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

/* "A..B" or "A..B*F". */
static gboolean
add_range(GPtrArray *values, const char *text, const char *dots, GError **error)
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
    return TRUE;
}

static gboolean
add_value(GPtrArray *values, const char *text, GError **error)
{
    const char *dots = strstr(text, "..");
    if (dots != NULL && g_ascii_isdigit(*text))
        return add_range(values, text, dots, error);
    g_ptr_array_add(values, g_strdup(text));
    return TRUE;
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

char **
lp_search_values(const char *name, const char *text,
                 gboolean (*check)(const char *, const char *, GError **), GError **error)
{
    g_autoptr(GPtrArray) values = g_ptr_array_new_with_free_func(g_free);
    g_auto(GStrv) parts = g_strsplit(text, "|", -1);
    for (char **part = parts; *part != NULL; part++) {
        guint n = values->len;
        if (!add_value(values, *part, error))
            return NULL;
        /* If both ends of a range are values of the attribute, all values between them are. */
        if (check != NULL && (!check(name, values->pdata[n], error) ||
                              !check(name, values->pdata[values->len - 1], error)))
            return NULL;
    }
    if (!check_distinct(values, error))
        return NULL;
    g_ptr_array_add(values, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&values), FALSE);
}

char **
lp_search_items(const char *const *texts, gboolean (*is_axis)(const char *))
{
    g_autoptr(GStrvBuilder) items = g_strv_builder_new();
    for (; texts != NULL && *texts != NULL; texts++) {
        g_auto(GStrv) pieces = g_strsplit(*texts, ",", -1);
        g_autofree char *item = NULL;
        for (char **piece = pieces; *piece != NULL; piece++) {
            gboolean goes_on = item != NULL && strchr(item, '=') != NULL &&
                               strchr(*piece, '=') == NULL && !is_axis(*piece);
            char *next = goes_on ? g_strconcat(item, ",", *piece, NULL) : g_strdup(*piece);
            if (!goes_on && item != NULL)
                g_strv_builder_add(items, item);
            g_free(item);
            item = next;
        }
        g_strv_builder_add(items, item != NULL ? item : "");
    }
    return g_strv_builder_end(items);
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

/* What @texts has, NULL-ended; NULL: nothing. */
static void
add_texts(GPtrArray *values, const char *const *texts)
{
    for (; texts != NULL && *texts != NULL; texts++)
        g_ptr_array_add(values, g_strdup(*texts));
}

static char **
own_values(const char *name, const LpWorkload *workload, guint64 n_accelerators, GError **error)
{
    static const char *const stages[] = {"0", "1", "2", "3", NULL};
    static const char *const either[] = {"no", "yes", NULL};
    static const char *const placements[] = {"packed", "scattered", NULL};
    static const char *const again[] = {"none", "selective", "full", NULL};
    const LpTransformer *shape = &workload->transformer;
    const struct {
        const char *name;
        guint64 n, most;
    } known[] = {
        {"tp", shape->n_heads, n_accelerators},
        {"cp", shape->seq, n_accelerators},
        {"pp", n_accelerators, lp_transformer_n_layers(shape)},
        {"dp", n_accelerators, n_accelerators},
        {"ep", MAX(shape->experts.n, 1), n_accelerators},
        {"micro-batch", workload->plan.batch.global, G_MAXUINT32},
        {"virtual-stages", lp_transformer_n_layers(shape), lp_transformer_n_layers(shape)},
        {"expert-tp", workload->plan.degree[LP_AXIS_TP], n_accelerators},
    };
    g_autoptr(GPtrArray) values = g_ptr_array_new();
    for (guint i = 0; i < G_N_ELEMENTS(known); i++)
        if (strcmp(known[i].name, name) == 0)
            add_divisors(values, known[i].n, known[i].most);
    const LpAttribute *attribute = lp_attribute_find(name, error);
    if (attribute == NULL)
        return NULL;
    if (values->len == 0)
        add_texts(values, strcmp(name, "zero") == 0         ? stages
                          : strcmp(name, "overlap-dp") == 0 ? either
                          : strcmp(name, "placement") == 0  ? placements
                          : strcmp(name, "recompute") == 0  ? again
                                                            : lp_attribute_choices(attribute));
    /* What few others do is tried where the workload does it. */
    g_autofree char *own = lp_attribute_get(attribute, workload);
    if (values->len > 0 && strcmp(name, "recompute") == 0 &&
        !g_ptr_array_find_with_equal_func(values, own, g_str_equal, NULL))
        g_ptr_array_add(values, g_strdup(own));
    if (values->len == 0) {
        (void)lp_value_error(error, "got no values, wanted %s=VALUE|VALUE...", name);
        return NULL;
    }
    g_ptr_array_add(values, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&values), FALSE);
}

/* --- axes --- */

/* The place of @name among first_names, or behind all of them. */
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
    for (guint i = 0; i < self->axes->len; i++)
        if (strcmp(lp_search_axis(self, i)->name, name) == 0)
            return lp_value_error(error, "got %s twice, wanted each axis once", name);
    if (self->axes->len == LP_SEARCH_AXES_MAX)
        return lp_value_error(error, "got one axis more, wanted at most %d", LP_SEARCH_AXES_MAX);
    char **values = texts == NULL ? own_values(name, workload, n_accelerators, error)
                                  : lp_search_values(name, texts, check_value, error);
    if (values == NULL)
        return FALSE;
    LpSearchAxis axis = {g_strdup(name), values};
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
lp_search_axes_new(const char *const *items, const LpWorkload *workload,
                   const char *const *settings, guint64 n_accelerators, GError **error)
{
    g_autoptr(LpSearchAxes) self = g_new0(LpSearchAxes, 1);
    self->axes = g_array_new(FALSE, FALSE, sizeof(LpSearchAxis));
    g_array_set_clear_func(self->axes, clear_axis);
    for (const char *const *item = items != NULL ? items : lp_search_default_axes; *item != NULL;
         item++)
        if ((items != NULL || !is_given(settings, *item)) &&
            !add_item(self, *item, workload, n_accelerators, error))
            return NULL;
    gboolean others = has_axis(self, "tp") || has_axis(self, "cp") || has_axis(self, "pp");
    self->fills = others && !has_axis(self, "dp") && !is_given(settings, "dp");
    return g_steal_pointer(&self);
}
