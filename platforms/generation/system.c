/* SPDX-License-Identifier: Apache-2.0 */
/* The systems that can be generated (platforms/systems.xml): parameters, defaults, sources. */
#include "platforms/generation/system.h"

#include "base/error.h"
#include "base/units.h"
#include "base/xml.h"
#include "platforms_resource.h"

#define SYSTEMS "resource:///lightpath/platforms/catalogue/systems.xml"
#define SCHEMA "resource:///lightpath/platforms/catalogue/systems.xsd"

const char *const lp_parameter_names[] = {
    "accelerator",
    "domain-size",
    "domain-bandwidth",
    "domain-latency",
    "domain-technology",
    "topology",
    "scale-out-bandwidth",
    "scale-out-latency",
    "accelerators-per-nic",
    "port-order",
    "leaf-ports",
    "oversubscription",
    "technology",
    /* what a system may leave out */
    "levels",
    "spine-oversubscription",
    "switch-ports",
    "nic-bandwidth",
    "dimensions",
    "group-routers",
    "router-ports",
    "local-links",
    "global-links",
    "group-spines",
    "joined-rails",
    "planes",
    "plane-use",
    "plane-classes",
    "path-choice",
    "paths",
    "path-seed",
    "pcie-ports",
    "pcie-bandwidth",
    "published-bisection",
    "published-bisection-accelerators",
    NULL,
};

void
lp_system_free(LpSystem *self)
{
    if (self == NULL)
        return;
    g_free(self->name);
    g_free(self->description);
    for (int i = 0; i < LP_N_PARAMETERS; i++) {
        g_free(self->value[i]);
        g_free(self->source[i]);
    }
    g_free(self);
}

/* The schema has made sure that no parameter stands twice. */
static LpSystem *
read_system(const LpXml *xml, xmlNode *node, GError **error)
{
    g_autoptr(LpSystem) system = g_new0(LpSystem, 1);
    system->name = g_strdup(lp_xml_attribute(node, "name"));
    system->description = g_strdup(lp_xml_attribute(node, "description"));
    for (xmlNode *child = lp_xml_element(node->children, "parameter"); child != NULL;
         child = lp_xml_element(child->next, "parameter")) {
        int place = lp_choice_parse(lp_xml_attribute(child, "name"), lp_parameter_names, error);
        if (place < 0) {
            lp_xml_prefix(xml, child, "name", error);
            return NULL;
        }
        system->value[place] = g_strdup(lp_xml_attribute(child, "value"));
        system->source[place] = g_strdup(lp_xml_attribute(child, "source"));
    }
    for (int i = 0; i < LP_N_PARAMETERS_NEEDED; i++)
        if (system->value[i] == NULL) {
            lp_xml_error(xml, node, LP_INPUT_ERROR_SYNTAX, error,
                         "<system> %s has no parameter %s, wanted one", system->name,
                         lp_parameter_names[i]);
            return NULL;
        }
    return g_steal_pointer(&system);
}

GPtrArray *
lp_system_load_all(GError **error)
{
    /* Without a reference the linker leaves the resources of this static library out. */
    g_assert(lp_platforms_get_resource() != NULL);
    g_autoptr(LpXml) xml = lp_xml_load(SYSTEMS, SCHEMA, error);
    if (xml == NULL)
        return NULL;
    g_autoptr(GPtrArray) systems = g_ptr_array_new_with_free_func((GDestroyNotify)lp_system_free);
    for (xmlNode *node = lp_xml_element(lp_xml_root(xml)->children, "system"); node != NULL;
         node = lp_xml_element(node->next, "system")) {
        LpSystem *system = read_system(xml, node, error);
        if (system == NULL)
            return NULL;
        g_ptr_array_add(systems, system);
    }
    return g_steal_pointer(&systems);
}

LpSystem *
lp_system_load(const char *name, GError **error)
{
    g_return_val_if_fail(name != NULL, NULL);
    g_autoptr(GPtrArray) systems = lp_system_load_all(error);
    if (systems == NULL)
        return NULL;
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (guint i = 0; i < systems->len; i++)
        g_ptr_array_add(names, ((LpSystem *)g_ptr_array_index(systems, i))->name);
    g_ptr_array_add(names, NULL);
    int place = lp_choice_parse(name, (const char *const *)names->pdata, error);
    if (place < 0)
        return NULL;
    return g_ptr_array_steal_index(systems, (guint)place);
}
