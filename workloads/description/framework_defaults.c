/* SPDX-License-Identifier: Apache-2.0 */
/* Lays the settings of a framework under those of a workload. */
#include "workloads/description/framework_defaults.h"

#include "base/error.h"
#include "model/plan/plan.h"
#include "workloads/description/attribute.h"

#include <string.h>

/* Whether @accelerator, which may have something behind its name, is one of "NAME|NAME". */
static gboolean
is_listed(const char *accelerator, const char *names)
{
    g_auto(GStrv) words = g_strsplit(accelerator, " ", 2);
    g_auto(GStrv) listed = g_strsplit(names, "|", -1);
    return words[0] != NULL && g_strv_contains((const char *const *)listed, words[0]);
}

/* @accelerator: "" where it is not known. */
static gboolean
holds(const LpFrameworkCondition *condition, const LpWorkload *workload, const char *accelerator,
      gboolean *out_holds, GError **error)
{
    if (lp_framework_condition_is_of_machine(condition)) {
        *out_holds = is_listed(accelerator, condition->value);
        return TRUE;
    }
    const LpAttribute *attribute = lp_attribute_find(condition->name, error);
    if (attribute == NULL)
        return FALSE;
    g_autofree char *value = lp_attribute_get(attribute, workload);
    gboolean names_other =
        condition->comparison == LP_COMPARISON_ABOVE && g_ascii_isalpha(condition->value[0]);
    const LpAttribute *other = names_other ? lp_attribute_find(condition->value, error) : NULL;
    if (names_other && other == NULL)
        return FALSE;
    g_autofree char *wanted =
        other != NULL ? lp_attribute_get(other, workload) : g_strdup(condition->value);
    gboolean is_same = strcmp(value, wanted) == 0;
    switch (condition->comparison) {
    case LP_COMPARISON_IS:
        *out_holds = is_same;
        return TRUE;
    case LP_COMPARISON_IS_NOT:
        *out_holds = !is_same;
        return TRUE;
    case LP_COMPARISON_ABOVE:
        *out_holds = g_ascii_strtod(value, NULL) > g_ascii_strtod(wanted, NULL);
        return TRUE;
    }
    g_assert_not_reached();
}

static gboolean
all_hold(const GPtrArray *conditions, const LpWorkload *workload, const char *accelerator,
         gboolean *out_all, GError **error)
{
    *out_all = TRUE;
    for (guint i = 0; *out_all && i < conditions->len; i++)
        if (!holds(conditions->pdata[i], workload, accelerator, out_all, error))
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

/* Gives @attribute the setting's value, and says why it has it. */
static gboolean
take(const LpFrameworkSetting *setting, const LpAttribute *attribute, LpWorkload *workload,
     GError **error)
{
    if (!lp_attribute_set(attribute, workload, setting->value, LP_ORIGIN_FRAMEWORK, error))
        return FALSE;
    guint index = index_of(attribute);
    g_free(workload->source[index]);
    workload->source[index] = g_strdup(setting->source);
    return TRUE;
}

static gboolean
make(const LpFrameworkSetting *setting, LpWorkload *workload, GError **error)
{
    gboolean is_due = FALSE;
    const LpAttribute *attribute = lp_attribute_find(setting->name, error);
    if (attribute == NULL || !all_hold(setting->conditions, workload, "", &is_due, error))
        return FALSE;
    if (!is_due || lp_attribute_origin(attribute, workload) != LP_ORIGIN_DEFAULT)
        return TRUE;
    return take(setting, attribute, workload, error);
}

gboolean
lp_framework_defaults_give(const LpFramework *framework, LpWorkload *workload, GError **error)
{
    lp_plan_refine_stages(&workload->plan, &workload->transformer);
    for (guint i = 0; i < framework->settings->len; i++) {
        const LpFrameworkSetting *setting = framework->settings->pdata[i];
        if (!make(setting, workload, error)) {
            if (setting->place != NULL)
                g_prefix_error(error, "%s: <setting> %s: ", setting->place, setting->name);
            else
                g_prefix_error(error, "framework %s: %s: ", framework->name, setting->name);
            return FALSE;
        }
        lp_plan_refine_stages(&workload->plan, &workload->transformer);
    }
    return TRUE;
}

gboolean
lp_framework_defaults_apply(LpWorkload *workload, GError **error)
{
    if (workload->defaults == NULL || strcmp(workload->defaults->name, workload->framework) != 0) {
        LpFramework *framework = lp_framework_find(workload->framework, error);
        if (framework == NULL)
            return FALSE;
        lp_framework_free(workload->defaults);
        workload->defaults = framework;
    }
    return lp_framework_defaults_give(workload->defaults, workload, error);
}

/* Whether a setting of @name depends on the accelerator. */
static gboolean
asks_machine(const LpFramework *framework, const char *name)
{
    for (guint i = 0; i < framework->settings->len; i++) {
        const LpFrameworkSetting *setting = framework->settings->pdata[i];
        for (guint j = 0; strcmp(setting->name, name) == 0 && j < setting->conditions->len; j++)
            if (lp_framework_condition_is_of_machine(setting->conditions->pdata[j]))
                return TRUE;
    }
    return FALSE;
}

/* Takes the first setting of @attribute that holds on @accelerator. */
static gboolean
retake(const LpFramework *framework, const LpAttribute *attribute, LpWorkload *workload,
       const char *accelerator, GError **error)
{
    for (guint i = 0; i < framework->settings->len; i++) {
        const LpFrameworkSetting *setting = framework->settings->pdata[i];
        gboolean is_due = FALSE;
        if (strcmp(setting->name, lp_attribute_name(attribute)) != 0)
            continue;
        if (!all_hold(setting->conditions, workload, accelerator, &is_due, error))
            return FALSE;
        if (is_due)
            return take(setting, attribute, workload, error);
    }
    return TRUE;
}

gboolean
lp_framework_defaults_apply_machine(LpWorkload *workload, const char *accelerator, GError **error)
{
    const LpFramework *framework = workload->defaults;
    const LpAttribute *attribute;
    for (guint i = 0; (attribute = lp_attribute_at(i)) != NULL; i++) {
        LpOrigin origin = lp_attribute_origin(attribute, workload);
        gboolean is_open = origin == LP_ORIGIN_DEFAULT || origin == LP_ORIGIN_FRAMEWORK;
        if (is_open && asks_machine(framework, lp_attribute_name(attribute)) &&
            !retake(framework, attribute, workload, accelerator, error))
            return FALSE;
    }
    return TRUE;
}
