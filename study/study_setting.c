/* SPDX-License-Identifier: Apache-2.0 */
/* Settings: expressions in their values, and what each may be. */
#include "study/study_setting.h"

#include "base/error.h"
#include "base/units.h"
#include "platforms/generation/machine_options.h"
#include "platforms/generation/machine_settings.h"
#include "platforms/generation/system.h"
#include "workloads/description/workload.h"

#include <string.h>

const char *const lp_study_owner_names[] = {"workload", "machine", "command", "variable", NULL};

/* Options that a study cannot set: those of one run, which several runs cannot share, and those of
 * the layout of its result. */
static const char *const kept_options[] = {
    "format",  "help", "report", "trace", "paje",      "csv",       "output", "resume", "dry-run",
    "verbose", "set",  "system", "jobs",  "catalogue", "libraries", "cost",   NULL};

/* --- expressions --- */

static gboolean
read_pieces(LpStudySetting *self, GError **error)
{
    g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
    const char *rest = self->value;
    self->pieces = g_ptr_array_new_with_free_func((GDestroyNotify)lp_xml_expression_free);
    for (const char *open; (open = strchr(rest, '{')) != NULL;) {
        const char *close = strchr(open, '}');
        if (close == NULL)
            return lp_value_error(error, "got \"%s\", wanted a } behind {", self->value);
        g_autofree char *text = g_strndup(open + 1, (gsize)(close - open) - 1);
        LpXmlExpression *piece = lp_xml_expression_new(text, error);
        if (piece == NULL)
            return FALSE;
        g_ptr_array_add(self->pieces, piece);
        g_ptr_array_add(texts, g_strndup(rest, (gsize)(open - rest)));
        rest = close + 1;
    }
    g_ptr_array_add(texts, g_strdup(rest));
    g_ptr_array_add(texts, NULL);
    self->texts = (char **)g_ptr_array_free(g_steal_pointer(&texts), FALSE);
    return TRUE;
}

LpStudySetting *
lp_study_setting_new(LpStudyOwner of, const char *name, const char *value, const char *where,
                     GError **error)
{
    g_autoptr(LpStudySetting) self = g_new0(LpStudySetting, 1);
    self->of = of;
    self->name = g_strdup(name);
    self->value = g_strdup(value);
    self->where = g_strdup(where);
    if (strchr(value, '{') == NULL || read_pieces(self, error))
        return g_steal_pointer(&self);
    g_prefix_error(error, "%s", where);
    return NULL;
}

void
lp_study_setting_free(LpStudySetting *self)
{
    if (self == NULL)
        return;
    g_free(self->name);
    g_free(self->value);
    g_free(self->where);
    g_strfreev(self->texts);
    if (self->pieces != NULL)
        g_ptr_array_unref(self->pieces);
    g_free(self);
}

char *
lp_study_setting_text(const LpStudySetting *self, LpXmlVariable variable, gconstpointer data,
                      GError **error)
{
    if (self->pieces == NULL)
        return g_strdup(self->value);
    g_autoptr(GString) text = g_string_new(self->texts[0]);
    for (guint i = 0; i < self->pieces->len; i++) {
        double value;
        if (!lp_xml_expression_number(self->pieces->pdata[i], variable, data, &value, error)) {
            g_prefix_error(error, "%s", self->where);
            return NULL;
        }
        g_string_append_printf(text, "%.12g%s", value + 0.0, self->texts[i + 1]);
    }
    return g_strdup(text->str);
}

/* --- what it may be --- */

static gboolean
check_machine(const LpStudySetting *self, GError **error)
{
    int option = lp_machine_option_find(self->name, LP_OPTION_ON_COMMAND_LINE, error);
    guint64 count;
    if (option < 0)
        return FALSE;
    if (option == LP_MACHINE_OPTION_SYSTEM) {
        g_autoptr(LpMachineSpecification) system = lp_system_load(self->value, error);
        return system != NULL;
    }
    if (option == LP_MACHINE_OPTION_ACCELERATORS)
        return lp_count_parse(self->value, 1, G_MAXUINT32, &count, error);
    /* What the machine makes of it is known when all of its options are. */
    g_autoptr(LpMachineSpecification) any = lp_specification_new("generic", 64, error);
    return any != NULL && lp_specification_set(any, (LpMachineOptionId)option, self->value, error);
}

static gboolean
check_workload(const LpStudySetting *self, GError **error)
{
    g_autofree char *setting = g_strdup_printf("%s=%s", self->name, self->value);
    if (!lp_workload_has_attribute(self->name, error))
        return FALSE;
    return self->pieces != NULL || lp_workload_check_setting(setting, error);
}

static gboolean
check_option(const LpStudySetting *self, GError **error)
{
    return !g_strv_contains(kept_options, self->name) ||
           lp_value_error(error,
                          "got the option \"%s\", wanted one of a run by itself; results "
                          "go to the store",
                          self->name);
}

gboolean
lp_study_setting_check(const LpStudySetting *self, GError **error)
{
    gboolean good = FALSE;
    switch (self->of) {
    case LP_STUDY_OF_WORKLOAD:
        good = check_workload(self, error);
        break;
    case LP_STUDY_OF_MACHINE:
        good = self->pieces != NULL
                   ? lp_machine_option_find(self->name, LP_OPTION_ON_COMMAND_LINE, error) >= 0
                   : check_machine(self, error);
        break;
    case LP_STUDY_OF_COMMAND:
        good = check_option(self, error);
        break;
    case LP_STUDY_OF_NOBODY:
        good = TRUE;
        break;
    case LP_STUDY_N_OWNERS:
        g_assert_not_reached();
    }
    if (!good)
        g_prefix_error(error, "%s", self->where);
    return good;
}

gboolean
lp_study_setting_find_owner(const char *name, LpStudyOwner *out_of, GError **error)
{
    gboolean of_machine = lp_machine_option_find(name, LP_OPTION_ON_COMMAND_LINE, NULL) >= 0;
    gboolean of_workload = lp_workload_has_attribute(name, of_machine ? NULL : error);
    *out_of = of_machine ? LP_STUDY_OF_MACHINE : LP_STUDY_OF_WORKLOAD;
    if (!of_machine || !of_workload)
        return of_machine || of_workload;
    return lp_value_error(error,
                          "got %s, which workloads and machines have, wanted of=\"workload\" "
                          "or of=\"machine\" beside it",
                          name);
}
