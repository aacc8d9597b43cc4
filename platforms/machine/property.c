/* SPDX-License-Identifier: Apache-2.0 */
/* The <prop> elements of a platform file's zones and clusters, looked up and read. */
#include "platforms/machine/property.h"

#include "base/error.h"
#include "platforms/machine/machine.h"

/* A property of this kind says where a number came from; its value is for people. */
#define SOURCE_PREFIX "source."

gboolean
lp_platform_fail(const LpXml *xml, const xmlNode *node, int code, GError **error,
                 const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_set_error(error, LP_MACHINE_ERROR, code, "%s:%ld: %s", xml->path, xmlGetLineNo(node),
                message);
    return FALSE;
}

gboolean
lp_property_prefix(const LpXml *xml, const xmlNode *prop, GError **error)
{
    g_prefix_error(error, "%s:%ld: prop %s: ", xml->path, xmlGetLineNo(prop),
                   lp_xml_attribute(prop, "id"));
    return FALSE;
}

gboolean
lp_properties_collect(LpProperties *self, const LpXml *xml, GError **error)
{
    for (xmlNode *prop = lp_xml_element(self->node->children, "prop"); prop != NULL;
         prop = lp_xml_element(prop->next, "prop")) {
        const char *id = lp_xml_attribute(prop, "id");
        if (g_str_has_prefix(id, SOURCE_PREFIX))
            continue;
        int place = lp_choice_parse(id, self->names, error);
        if (place < 0) {
            g_prefix_error(error, "%s:%ld: prop: ", xml->path, xmlGetLineNo(prop));
            return FALSE;
        }
        if (self->props[place] != NULL)
            return lp_platform_fail(xml, prop, LP_MACHINE_ERROR_STRUCTURE, error,
                                    "prop %s stands twice, wanted once", id);
        self->props[place] = prop;
    }
    return TRUE;
}

const char *
lp_properties_value(const LpProperties *self, const LpXml *xml, int place, GError **error)
{
    if (self->props[place] != NULL)
        return lp_xml_attribute(self->props[place], "value");
    g_autofree char *id = lp_error_quote(lp_xml_attribute(self->node, "id"));
    lp_platform_fail(xml, self->node, LP_MACHINE_ERROR_STRUCTURE, error,
                     "<%s> %s has no prop %s, wanted one", (const char *)self->node->name, id,
                     self->names[place]);
    return NULL;
}

gboolean
lp_properties_count(const LpProperties *self, const LpXml *xml, int place, guint32 *out_value,
                    GError **error)
{
    const char *text = lp_properties_value(self, xml, place, error);
    guint64 value = 0;
    if (text == NULL)
        return FALSE;
    if (!lp_count_parse(text, 1, LP_MACHINE_HOSTS_MAX, &value, error))
        return lp_property_prefix(xml, self->props[place], error);
    *out_value = (guint32)value;
    return TRUE;
}

gboolean
lp_properties_choice(const LpProperties *self, const LpXml *xml, int place,
                     const char *const *names, int *out_choice, GError **error)
{
    const char *text = lp_properties_value(self, xml, place, error);
    if (text == NULL)
        return FALSE;
    *out_choice = lp_choice_parse(text, names, error);
    return *out_choice >= 0 || lp_property_prefix(xml, self->props[place], error);
}

gboolean
lp_properties_count_or(const LpProperties *self, const LpXml *xml, int place, guint32 *io_value,
                       GError **error)
{
    return self->props[place] == NULL || lp_properties_count(self, xml, place, io_value, error);
}

gboolean
lp_properties_choice_or(const LpProperties *self, const LpXml *xml, int place,
                        const char *const *names, int *io_choice, GError **error)
{
    return self->props[place] == NULL ||
           lp_properties_choice(self, xml, place, names, io_choice, error);
}
