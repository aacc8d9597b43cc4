/* SPDX-License-Identifier: Apache-2.0 */
/* Lays the settings of a framework under those of a workload. */
#include "workloads/description/framework_habits.h"

#include "base/error.h"
#include "model/plan.h"
#include "workloads/description/attribute.h"

#include <string.h>

static gboolean
holds(const LpFrameworkCondition *condition, const LpWorkload *workload, gboolean *out_holds,
      GError **error)
{
    const LpAttribute *attribute = lp_attribute_find(condition->name, error);
    if (attribute == NULL)
        return FALSE;
    g_autofree char *value = lp_attribute_get(attribute, workload);
    gboolean is_same = strcmp(value, condition->value) == 0;
    switch (condition->comparison) {
    case LP_COMPARISON_IS:
        *out_holds = is_same;
        return TRUE;
    case LP_COMPARISON_IS_NOT:
        *out_holds = !is_same;
        return TRUE;
    case LP_COMPARISON_ABOVE:
        *out_holds = g_ascii_strtod(value, NULL) > g_ascii_strtod(condition->value, NULL);
        return TRUE;
    }
    g_assert_not_reached();
}

static gboolean
all_hold(const GPtrArray *conditions, const LpWorkload *workload, gboolean *out_all, GError **error)
{
    *out_all = TRUE;
    for (guint i = 0; *out_all && i < conditions->len; i++)
        if (!holds(conditions->pdata[i], workload, out_all, error))
            return FALSE;
    return TRUE;
}

static guint
index_of(const LpAttribute *attribute)
{
    guint index = 0;
    while (lp_attribute_at(index) != attribute)
        index++;
    return index;
}

static gboolean
make(const LpFrameworkSetting *setting, LpWorkload *workload, GError **error)
{
    gboolean is_due = FALSE;
    const LpAttribute *attribute = lp_attribute_find(setting->name, error);
    if (attribute == NULL || !all_hold(setting->conditions, workload, &is_due, error))
        return FALSE;
    if (!is_due || lp_attribute_origin(attribute, workload) != LP_ORIGIN_DEFAULT)
        return TRUE;
    if (!lp_attribute_set(attribute, workload, setting->value, LP_ORIGIN_FRAMEWORK, error))
        return FALSE;
    guint index = index_of(attribute);
    g_free(workload->source[index]);
    workload->source[index] = g_strdup(setting->source);
    return TRUE;
}

gboolean
lp_framework_habits_give(const LpFramework *framework, LpWorkload *workload, GError **error)
{
    lp_plan_refine_stages(&workload->plan, &workload->transformer);
    for (guint i = 0; i < framework->settings->len; i++) {
        const LpFrameworkSetting *setting = framework->settings->pdata[i];
        if (!make(setting, workload, error)) {
            g_prefix_error(error, "framework %s: %s: ", framework->name, setting->name);
            return FALSE;
        }
        lp_plan_refine_stages(&workload->plan, &workload->transformer);
    }
    return TRUE;
}

gboolean
lp_framework_habits_apply(LpWorkload *workload, GError **error)
{
    g_autoptr(LpFramework) framework = lp_framework_find(workload->framework, error);
    return framework != NULL && lp_framework_habits_give(framework, workload, error);
}
