/* SPDX-License-Identifier: Apache-2.0 */
/* Reads frameworks. */
#include "workloads/description/framework.h"

#include "base/error.h"
#include "base/file.h"
#include "base/xml.h"
#include "workloads/description/applies.h"
#include "workloads_resource.h"

#include <string.h>

#define FRAMEWORKS "resource:///lightpath/workloads/catalogue/frameworks.xml"
#define SCHEMA "resource:///lightpath/workloads/catalogue/frameworks.xsd"

static void
free_condition(gpointer data)
{
    LpFrameworkCondition *condition = data;
    g_free(condition->name);
    g_free(condition->value);
    g_free(condition);
}

static void
free_setting(gpointer data)
{
    LpFrameworkSetting *setting = data;
    g_free(setting->name);
    g_free(setting->value);
    g_free(setting->source);
    g_free(setting->framework);
    g_free(setting->publishers);
    g_free(setting->place);
    g_ptr_array_unref(setting->conditions);
    g_free(setting);
}

LpFramework *
lp_framework_ref(LpFramework *self)
{
    g_ref_count_inc(&self->n_owners);
    return self;
}

void
lp_framework_free(LpFramework *self)
{
    if (self == NULL || !g_ref_count_dec(&self->n_owners))
        return;
    g_free(self->name);
    g_free(self->description);
    g_free(self->like);
    g_ptr_array_unref(self->settings);
    g_free(self);
}

/* The schema has made sure that @text is one. */
static LpFrameworkCondition *
parse_condition(const char *text)
{
    gsize length = strcspn(text, "!=>");
    const char *sign = text + length;
    LpFrameworkCondition *condition = g_new0(LpFrameworkCondition, 1);
    condition->comparison = *sign == '!'   ? LP_COMPARISON_IS_NOT
                            : *sign == '>' ? LP_COMPARISON_ABOVE
                                           : LP_COMPARISON_IS;
    condition->name = g_strndup(text, length);
    condition->value = g_strdup(sign + (*sign == '!' ? 2 : 1));
    return condition;
}

char *
lp_framework_setting_when(const LpFrameworkSetting *setting)
{
    static const char *const signs[] = {
        [LP_COMPARISON_IS] = "=", [LP_COMPARISON_IS_NOT] = "!=", [LP_COMPARISON_ABOVE] = ">"};
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < setting->conditions->len; i++) {
        const LpFrameworkCondition *condition = setting->conditions->pdata[i];
        g_string_append_printf(text, "%s%s%s%s", i > 0 ? " " : "", condition->name,
                               signs[condition->comparison], condition->value);
    }
    return g_string_free(text, FALSE);
}

gboolean
lp_framework_condition_is_of_machine(const LpFrameworkCondition *self)
{
    return strcmp(self->name, "accelerator") == 0;
}

/* A list of kernels lies beside the file that names it. */
static char *
value_of(const LpXml *xml, const xmlNode *node)
{
    const char *value = lp_xml_attribute(node, "value");
    gboolean is_file = strcmp(lp_xml_attribute(node, "name"), "kernels") == 0 &&
                       g_str_has_suffix(value, ".xml") && !g_path_is_absolute(value);
    g_autofree char *folder = g_path_get_dirname(xml->path);
    return is_file && strcmp(folder, ".") != 0 ? g_build_filename(folder, value, NULL)
                                               : g_strdup(value);
}

static char *
place_of(const LpXml *xml, const xmlNode *node)
{
    return g_str_has_prefix(xml->path, "resource:")
               ? NULL
               : g_strdup_printf("%s:%ld", lp_file_label(xml->path),
                                 xmlGetLineNo((xmlNode *)(guintptr)node));
}

/* Those of @text that @setting does not have yet; NULL: none. */
static void
add_conditions(LpFrameworkSetting *setting, const char *text)
{
    if (text == NULL)
        return;
    g_autofree char *known = lp_framework_setting_when(setting);
    g_auto(GStrv) has = g_strsplit(known, " ", -1), texts = g_strsplit(text, " ", -1);
    for (guint i = 0; texts[i] != NULL; i++)
        if (!g_strv_contains((const char *const *)has, texts[i]))
            g_ptr_array_add(setting->conditions, parse_condition(texts[i]));
}

static LpFrameworkSetting *
read_setting(const LpXml *xml, const xmlNode *node)
{
    LpFrameworkSetting *setting = g_new0(LpFrameworkSetting, 1);
    setting->name = g_strdup(lp_xml_attribute(node, "name"));
    setting->value = value_of(xml, node);
    setting->place = place_of(xml, node);
    setting->source = lp_xml_text(node);
    setting->publishers = g_strdup(lp_xml_attribute(node, "publishers"));
    setting->conditions = g_ptr_array_new_with_free_func(free_condition);
    add_conditions(setting, lp_xml_attribute(node, "when"));
    setting->n_own = setting->conditions->len;
    add_conditions(setting, lp_applies_to(setting->name));
    return setting;
}

static void
add_settings(LpFramework *self, const LpXml *xml, const xmlNode *node)
{
    for (const xmlNode *child = lp_xml_element(node->children, "setting"); child != NULL;
         child = lp_xml_element(child->next, "setting")) {
        LpFrameworkSetting *setting = read_setting(xml, child);
        setting->framework = g_strdup(lp_xml_attribute(node, "name"));
        g_ptr_array_add(self->settings, setting);
    }
}

static LpFramework *
read_framework(const LpXml *xml, const xmlNode *node)
{
    LpFramework *self = g_new0(LpFramework, 1);
    g_ref_count_init(&self->n_owners);
    self->name = g_strdup(lp_xml_attribute(node, "name"));
    self->description = g_strdup(lp_xml_attribute(node, "description"));
    self->like = g_strdup(lp_xml_attribute(node, "like"));
    const char *batch = lp_xml_attribute(node, "batch");
    self->names_replica_batch = batch != NULL && strcmp(batch, "replica") == 0;
    self->settings = g_ptr_array_new_with_free_func(free_setting);
    add_settings(self, xml, node);
    return self;
}

static char **
names_of(const LpXml *xml)
{
    GPtrArray *names = g_ptr_array_new();
    for (const xmlNode *node = lp_xml_element(lp_xml_root(xml)->children, "framework");
         node != NULL; node = lp_xml_element(node->next, "framework"))
        g_ptr_array_add(names, g_strdup(lp_xml_attribute(node, "name")));
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(names, FALSE);
}

static const xmlNode *
find_node(const LpXml *xml, const char *name, GError **error)
{
    g_auto(GStrv) names = names_of(xml);
    int index = lp_choice_parse(name, (const char *const *)names, error);
    if (index < 0)
        return NULL;
    const xmlNode *node = lp_xml_element(lp_xml_root(xml)->children, "framework");
    while (index-- > 0)
        node = lp_xml_element(node->next, "framework");
    return node;
}

static gboolean
has_name(const LpXml *xml, const char *name)
{
    g_auto(GStrv) names = names_of(xml);
    return g_strv_contains((const char *const *)names, name);
}

/* The version before that of @node, which stands above it in the file, so that none is its own, or
 * else among @shipped, which then is *@io_xml. Returns: TRUE; *@out_older is NULL where there is
 * none. */
static gboolean
find_older(const LpXml **io_xml, const LpXml *shipped, const xmlNode *node,
           const xmlNode **out_older, GError **error)
{
    const LpXml *xml = *io_xml;
    const char *name = lp_xml_attribute(node, "name"), *like = lp_xml_attribute(node, "like");
    if (like != NULL && shipped != NULL && !has_name(xml, like) && has_name(shipped, like))
        *io_xml = shipped;
    *out_older = like == NULL ? NULL : find_node(*io_xml, like, error);
    if (like == NULL ||
        (*out_older != NULL && (*io_xml != xml || xmlGetLineNo(*out_older) < xmlGetLineNo(node))))
        return TRUE;
    if (*out_older != NULL)
        (void)lp_value_error(error, "got \"%s\", wanted a framework that stands above it", like);
    g_autofree char *place = place_of(xml, node);
    g_prefix_error(error, "%s%sframework %s: like: ", place != NULL ? place : "",
                   place != NULL ? ": " : "", name);
    return FALSE;
}

/* A version's own settings, and behind them those of the ones before it. */
static LpFramework *
find(const LpXml *xml, const LpXml *shipped, const char *name, GError **error)
{
    const xmlNode *node = find_node(xml, name, error);
    if (node == NULL)
        return NULL;
    g_autoptr(LpFramework) self = read_framework(xml, node);
    const xmlNode *older = NULL;
    if (!find_older(&xml, shipped, node, &older, error))
        return NULL;
    while (older != NULL) {
        add_settings(self, xml, older);
        if (!find_older(&xml, shipped, older, &older, error))
            return NULL;
    }
    return g_steal_pointer(&self);
}

static LpXml *
load_shipped(GError **error)
{
    /* Named here so that a static link keeps the embedded files. */
    (void)lp_workloads_get_resource();
    return lp_xml_load(FRAMEWORKS, SCHEMA, error);
}

char **
lp_framework_names(GError **error)
{
    g_autoptr(LpXml) xml = load_shipped(error);
    return xml == NULL ? NULL : names_of(xml);
}

/* Whether @node is a later version of @name. */
static gboolean
is_version(const LpXml *xml, const xmlNode *node, const char *name)
{
    const xmlNode *older = node;
    while (older != NULL && find_older(&xml, NULL, older, &older, NULL) && older != NULL)
        if (strcmp(lp_xml_attribute(older, "name"), name) == 0)
            return TRUE;
    return FALSE;
}

/* Later versions stand below. Years and months of two digits compare as texts do. */
char *
lp_framework_version(const char *name, const char *container)
{
    g_return_val_if_fail(name != NULL && container != NULL, NULL);
    g_autoptr(LpXml) xml = load_shipped(NULL);
    if (xml == NULL)
        return NULL;
    const char *found = name;
    for (const xmlNode *node = lp_xml_element(lp_xml_root(xml)->children, "framework");
         node != NULL; node = lp_xml_element(node->next, "framework")) {
        const char *since = lp_xml_attribute(node, "container");
        if (since != NULL && strcmp(since, container) <= 0 && is_version(xml, node, name))
            found = lp_xml_attribute(node, "name");
    }
    return g_strdup(found);
}

gboolean
lp_framework_is_file(const char *name)
{
    return g_str_has_suffix(name, ".xml") || strstr(name, ".xml#") != NULL;
}

/* "FILE.xml" or "FILE.xml#NAME". */
static LpFramework *
find_in_file(const char *text, const LpXml *shipped, GError **error)
{
    const char *mark = strstr(text, ".xml#");
    g_autofree char *path =
        mark != NULL ? g_strndup(text, (gsize)(mark - text) + strlen(".xml")) : g_strdup(text);
    g_autoptr(LpXml) xml = lp_xml_load(path, SCHEMA, error);
    if (xml == NULL)
        return NULL;
    g_auto(GStrv) names = names_of(xml);
    const char *name =
        mark != NULL ? mark + strlen(".xml#") : names[g_strv_length(names) - 1]; /* never empty */
    LpFramework *self = find(xml, shipped, name, error);
    if (self == NULL) {
        if (mark != NULL && !g_strv_contains((const char *const *)names, name))
            g_prefix_error(error, "%s: framework: ", path);
        return NULL;
    }
    g_free(self->name);
    self->name = g_strdup(text);
    return self;
}

LpFramework *
lp_framework_find(const char *name, GError **error)
{
    g_autoptr(LpXml) shipped = load_shipped(error);
    if (shipped == NULL)
        return NULL;
    return lp_framework_is_file(name) ? find_in_file(name, shipped, error)
                                      : find(shipped, NULL, name, error);
}

LpFramework *
lp_framework_parse(const char *path, GBytes *content, const char *name, GError **error)
{
    g_autoptr(LpXml) xml = lp_xml_parse(path, content, SCHEMA, error);
    return xml == NULL ? NULL : find(xml, NULL, name, error);
}
