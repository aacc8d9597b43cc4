/* SPDX-License-Identifier: Apache-2.0 */
/* Reads <workload>, <machine> and <options>. */
#include "study/study_inputs.h"

#include "base/error.h"

#include <string.h>

LpStudyInputs
lp_study_inputs_new(void)
{
    return (LpStudyInputs){
        .settings = g_ptr_array_new_with_free_func((GDestroyNotify)lp_study_setting_free)};
}

void
lp_study_inputs_clear(LpStudyInputs *self)
{
    g_free(self->workload);
    g_free(self->machine);
    if (self->settings != NULL)
        g_ptr_array_unref(self->settings);
}

char *
lp_study_where(const LpXml *xml, const xmlNode *node, const char *attribute)
{
    return g_strdup_printf("%s:%ld: <%s> %s: ", xml->path, xmlGetLineNo(node), node->name,
                           attribute);
}

/* The workload or machine that @name means; a path is relative to the study's folder. */
static char *
find_name(const LpXml *xml, const char *name)
{
    gboolean is_path = strchr(name, '/') != NULL || g_str_has_suffix(name, ".xml");
    if (!is_path || g_path_is_absolute(name))
        return g_strdup(name);
    g_autofree char *folder = g_path_get_dirname(xml->path);
    return strcmp(folder, ".") == 0 ? g_strdup(name) : g_build_filename(folder, name, NULL);
}

void
lp_study_inputs_name(LpStudyInputs *self, const LpXml *xml, LpStudyOwner of, const char *name)
{
    char **place = of == LP_STUDY_OF_MACHINE ? &self->machine : &self->workload;
    g_free(*place);
    *place = find_name(xml, name);
    self->has_machine = self->has_machine || of == LP_STUDY_OF_MACHINE;
}

gboolean
lp_study_inputs_add(LpStudyInputs *self, const LpXml *xml, const xmlNode *node, LpStudyOwner of,
                    const char *name, const char *value, GError **error)
{
    g_autofree char *where = lp_study_where(xml, node, name);
    g_autoptr(LpStudySetting) setting = lp_study_setting_new(of, name, value, where, error);
    if (setting == NULL || !lp_study_setting_check(setting, error))
        return FALSE;
    g_ptr_array_add(self->settings, g_steal_pointer(&setting));
    return TRUE;
}

static gboolean
read_attributes(LpStudyInputs *self, const LpXml *xml, xmlNode *node, LpStudyOwner of,
                GError **error)
{
    for (const xmlAttr *attribute = node->properties; attribute != NULL;
         attribute = attribute->next) {
        const char *name = (const char *)attribute->name;
        const char *value = lp_xml_attribute(node, name);
        if (strcmp(name, "name") == 0 && of != LP_STUDY_OF_COMMAND)
            lp_study_inputs_name(self, xml, of, value);
        else if (!lp_study_inputs_add(self, xml, node, of, name, value, error))
            return FALSE;
        self->has_machine |= of == LP_STUDY_OF_MACHINE && strcmp(name, "system") == 0;
    }
    return TRUE;
}

/* <option> elements, which may repeat a name. */
static gboolean
read_options(LpStudyInputs *self, const LpXml *xml, const xmlNode *node, GError **error)
{
    for (xmlNode *option = lp_xml_element(node->children, "option"); option != NULL;
         option = lp_xml_element(option->next, "option")) {
        if (!lp_study_inputs_add(self, xml, option, LP_STUDY_OF_COMMAND,
                                 lp_xml_attribute(option, "name"),
                                 lp_xml_attribute(option, "value"), error))
            return FALSE;
        ((LpStudySetting *)self->settings->pdata[self->settings->len - 1])->is_further = TRUE;
    }
    return TRUE;
}

gboolean
lp_study_inputs_read(LpStudyInputs *self, const LpXml *xml, xmlNode *node, GError **error)
{
    const char *element = (const char *)node->name;
    LpStudyOwner of = strcmp(element, "workload") == 0  ? LP_STUDY_OF_WORKLOAD
                      : strcmp(element, "machine") == 0 ? LP_STUDY_OF_MACHINE
                                                        : LP_STUDY_OF_COMMAND;
    if (!read_attributes(self, xml, node, of, error) || !read_options(self, xml, node, error))
        return FALSE;
    for (guint i = 0; self->machine != NULL && i < self->settings->len; i++) {
        const LpStudySetting *setting = self->settings->pdata[i];
        if (setting->of == LP_STUDY_OF_MACHINE && strcmp(setting->name, "system") == 0) {
            lp_xml_error(xml, node, LP_INPUT_ERROR_VALUE, error,
                         "<machine> got name and system, wanted one of them");
            return FALSE;
        }
    }
    return TRUE;
}
