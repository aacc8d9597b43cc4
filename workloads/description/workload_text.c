/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes as elements of a file, broken into lines. */
#include "workloads/description/workload_text.h"

#include "workloads/description/attribute.h"

#include <string.h>

/* Columns of a line of attributes. */
#define LINE_WIDTH 100

/* The attribute of a "name=value" that @element carries, or NULL. */
static const LpAttribute *
attribute_in(const char *element, const char *setting)
{
    g_autofree char *name = g_strndup(setting, strcspn(setting, "="));
    const LpAttribute *attribute = lp_attribute_find(name, NULL);
    if (attribute == NULL || strcmp(lp_attribute_element(attribute), element) != 0)
        return NULL;
    return attribute;
}

static gboolean
has_any(const char *element, const char *const *settings)
{
    for (; *settings != NULL; settings++)
        if (attribute_in(element, *settings) != NULL)
            return TRUE;
    return FALSE;
}

void
lp_workload_write_element(LpXmlWriter *xml, const char *element, const char *const *settings)
{
    if (strcmp(element, "options") == 0 && !has_any(element, settings))
        return;
    guint indent = (guint)strlen(element) + 3, width = indent;
    lp_xml_writer_open(xml, element);
    for (; *settings != NULL; settings++) {
        const LpAttribute *attribute = attribute_in(element, *settings);
        if (attribute == NULL)
            continue;
        /* ' name="value"'; no value is long, or has a character that XML escapes. */
        guint length = (guint)strlen(*settings) + 3;
        if (width + length > LINE_WIDTH) {
            lp_xml_writer_break(xml, indent + 1);
            width = indent;
        }
        lp_xml_writer_attribute(xml, lp_attribute_name(attribute), strchr(*settings, '=') + 1);
        width += length;
    }
    lp_xml_writer_close(xml);
}

/* @text without control characters, which XML cannot hold. Returns: (transfer full). */
static char *
plain(const char *text)
{
    char *copy = g_utf8_make_valid(text, -1);
    for (char *at = copy; *at != '\0'; at++)
        if ((guchar)*at < ' ')
            *at = ' ';
    return copy;
}

char *
lp_workload_to_xml(const LpWorkload *self, const char *const *sources)
{
    static const char *const elements[] = {"transformer", "plan", "options"};
    g_autoptr(GPtrArray) settings = g_ptr_array_new_with_free_func(g_free);
    const LpAttribute *attribute;
    for (guint i = 0; (attribute = lp_attribute_at(i)) != NULL; i++) {
        g_autofree char *value = lp_attribute_get(attribute, self);
        gboolean has_traits =
            strcmp(lp_attribute_name(attribute), "with") == 0 && strcmp(value, "none") != 0;
        if (lp_attribute_origin(attribute, self) >= LP_ORIGIN_FILE || has_traits)
            g_ptr_array_add(settings, g_strconcat(lp_attribute_name(attribute), "=", value, NULL));
    }
    g_ptr_array_add(settings, NULL);
    LpXmlWriter *xml = lp_xml_writer_new();
    lp_xml_writer_open(xml, "workload");
    g_autofree char *name = plain(self->name);
    lp_xml_writer_attribute(xml, "name", name);
    for (; *sources != NULL; sources++) {
        g_autofree char *source = plain(*sources);
        lp_xml_writer_text(xml, "source", source);
    }
    for (guint i = 0; i < G_N_ELEMENTS(elements); i++)
        lp_workload_write_element(xml, elements[i], (const char *const *)settings->pdata);
    return lp_xml_writer_finish(xml);
}
