/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the options that say which plan a command runs. */
#include "cli/plan_arguments.h"

#include "base/units.h"
#include "cli/options.h"
#include "workloads/description/attribute.h"
#include "workloads/description/workload.h"

#include <string.h>

void
lp_plan_arguments_clear(LpPlanArguments *self)
{
    g_strfreev(self->settings);
    g_free(self->framework);
    g_free(self->memory_reserve);
    g_free(self->plan);
}

const char *const *
lp_plan_arguments_settings(const LpPlanArguments *self)
{
    return (const char *const *)self->settings;
}

static void
add_setting(LpPlanArguments *self, const char *name, const char *value)
{
    guint n = self->settings != NULL ? g_strv_length(self->settings) : 0;
    self->settings = g_renew(char *, self->settings, n + 2);
    self->settings[n] = g_strconcat(name, value, NULL);
    self->settings[n + 1] = NULL;
}

/* Whether each setting that names a framework names the one of --framework. */
static gboolean
agree_on_framework(const LpPlanArguments *self, GError **error)
{
    static const char prefix[] = "framework=";
    for (char **setting = self->settings; setting != NULL && *setting != NULL; setting++)
        if (g_str_has_prefix(*setting, prefix) &&
            strcmp(*setting + strlen(prefix), self->framework) != 0)
            return lp_usage_error(error,
                                  "--framework: got \"%s\" beside --set %s, wanted one framework",
                                  self->framework, *setting);
    return TRUE;
}

gboolean
lp_plan_arguments_check_framework(const char *name, GError **error)
{
    g_autoptr(LpWorkload) scratch = g_new0(LpWorkload, 1);
    g_autoptr(GError) fault = NULL;
    const LpAttribute *attribute = lp_attribute_find("framework", &fault);
    return (attribute != NULL &&
            lp_attribute_set(attribute, scratch, name, LP_ORIGIN_SETTING, &fault)) ||
           lp_usage_error(error, "--framework: %s", fault->message);
}

static gboolean
read_framework(LpPlanArguments *self, GError **error)
{
    if (self->framework == NULL)
        return TRUE;
    if (!lp_plan_arguments_check_framework(self->framework, error) ||
        !agree_on_framework(self, error))
        return FALSE;
    add_setting(self, "framework=", self->framework);
    return TRUE;
}

static gboolean
read_memory_reserve(LpPlanArguments *self, GError **error)
{
    double unused;
    if (self->memory_reserve == NULL)
        return TRUE;
    g_autoptr(GError) fault = NULL;
    if (!lp_quantity_parse_in(LP_QUANTITY_SIZE, self->memory_reserve, 0.0, G_MAXDOUBLE, &unused,
                              &fault))
        return lp_usage_error(error, "--memory-reserve: %s", fault->message);
    add_setting(self, "memory-reserve=", self->memory_reserve);
    return TRUE;
}

gboolean
lp_plan_arguments_read(LpPlanArguments *self, GError **error)
{
    static const char *const names[] = {"file", "fit", NULL};
    guint index = 0;
    if (!lp_option_choice("plan", self->plan, names, LP_PLAN_FILE, &index, error))
        return FALSE;
    self->choice = index == LP_PLAN_FIT && self->ignore_memory ? LP_PLAN_FIT_WITHOUT_MEMORY
                                                               : (LpPlanChoice)index;
    return read_framework(self, error) && read_memory_reserve(self, error);
}
