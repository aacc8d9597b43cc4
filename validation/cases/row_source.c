/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a source of measured rows in validation/sources.xml. */
#include "validation/cases/row_source.h"

#include "base/xml.h"
#include "validation_resource.h"

#include <string.h>

#define SOURCES "resource:///lightpath/validation/sources.xml"
#define SCHEMA "resource:///lightpath/validation/sources.xsd"

/* The first letter or digit at or behind @at, or the end. */
static const char *
next_character(const char *at)
{
    while (*at != '\0' && !g_ascii_isalnum(*at))
        at++;
    return at;
}

/* Whether the letters and digits of @name are those that @text begins with, to the end of a word.
 */
static gboolean
begins_with(const char *text, const char *name)
{
    for (name = next_character(name); *name != '\0'; name = next_character(name + 1)) {
        text = next_character(text);
        if (g_ascii_tolower(*text) != g_ascii_tolower(*name))
            return FALSE;
        text++;
    }
    return !g_ascii_isalnum(*text);
}

/* Whether @text bears @name: "llm-foundry" is in "MosaicML LLMFoundry, 2023". */
static gboolean
bears(const char *text, const char *name)
{
    for (const char *at = text; *at != '\0'; at++)
        if (g_ascii_isalnum(*at) && (at == text || !g_ascii_isalnum(at[-1])) &&
            begins_with(at, name))
            return TRUE;
    return FALSE;
}

/* The first element @kind for @source whose attribute "stated" is @stated (or any, NULL), or NULL.
 */
static const xmlNode *
find(const LpXml *xml, const char *kind, const char *source, const char *stated)
{
    for (const xmlNode *node = lp_xml_element(lp_xml_root(xml)->children, kind); node != NULL;
         node = lp_xml_element(node->next, kind))
        if (bears(source, lp_xml_attribute(node, "source")) &&
            (stated == NULL || strcmp(lp_xml_attribute(node, "stated"), stated) == 0))
            return node;
    return NULL;
}

static LpXml *
load(void)
{
    /* Named here so that a static link keeps the embedded files. */
    (void)lp_validation_get_resource();
    return lp_xml_load(SOURCES, SCHEMA, NULL);
}

/* Attribute @attribute of what find() finds. */
static char *
reading(const char *kind, const char *source, const char *stated, const char *attribute)
{
    g_autoptr(LpXml) xml = load();
    const xmlNode *node = xml != NULL ? find(xml, kind, source, stated) : NULL;
    return node != NULL ? g_strdup(lp_xml_attribute(node, attribute)) : NULL;
}

char *
lp_row_source_framework(const char *source, const char *stated)
{
    g_return_val_if_fail(source != NULL && stated != NULL, NULL);
    return reading("software", source, stated, "framework");
}

char *
lp_row_source_system(const char *source)
{
    g_return_val_if_fail(source != NULL, NULL);
    return reading("machine", source, NULL, "system");
}

gboolean
lp_row_source_probe(const char *source, LpRowProbe *out_probe)
{
    g_return_val_if_fail(source != NULL && out_probe != NULL, FALSE);
    g_autoptr(LpXml) xml = load();
    const xmlNode *node = xml != NULL ? find(xml, "probe", source, NULL) : NULL;
    if (node == NULL)
        return FALSE;
    out_probe->has_lists = strcmp(lp_xml_attribute(node, "lists"), "yes") == 0;
    return lp_xml_quantity(xml, node, "size", LP_QUANTITY_SIZE, &out_probe->bytes, NULL);
}
