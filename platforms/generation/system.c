/* SPDX-License-Identifier: Apache-2.0 */
/* The systems that can be generated (platforms/systems.xml): parameters, defaults, sources. */
#include "platforms/generation/system.h"

#include "base/error.h"
#include "base/units.h"
#include "base/xml.h"
#include "platforms/generation/machine_options.h"
#include "platforms_resource.h"

#include <string.h>

#define SYSTEMS "resource:///lightpath/platforms/catalogue/systems.xml"
#define SCHEMA "resource:///lightpath/platforms/catalogue/systems.xsd"

static LpXml *
load_file(GError **error)
{
    /* Without a reference the linker leaves the resources of this static library out. */
    g_assert(lp_platforms_get_resource() != NULL);
    return lp_xml_load(SYSTEMS, SCHEMA, error);
}

static xmlNode *
first_system(const LpXml *xml)
{
    return lp_xml_element(lp_xml_root(xml)->children, "system");
}

static xmlNode *
next_system(const xmlNode *node)
{
    return lp_xml_element(node->next, "system");
}

/* What holds where neither a system nor an option says anything. */
static LpMachineSpecification *
new_neutral(void)
{
    LpMachineSpecification *self = g_new0(LpMachineSpecification, 1);
    self->scale_out.has_joined_rails = TRUE;
    self->tree.levels = LP_TREE_LEVELS_2;
    self->tree.spine_oversubscription = (LpOversubscription){1, 1};
    self->torus.n_dimensions = 3;
    self->dragonfly =
        (LpDragonflySpecification){.router_ports = 4, .local_links = 1, .global_links = 1};
    self->planes.n = 1;
    self->paths.seed = 1;
    return self;
}

static gboolean
read_parameter(const LpXml *xml, const xmlNode *node, LpMachineSpecification *system,
               GError **error)
{
    int option =
        lp_machine_option_find(lp_xml_attribute(node, "name"), LP_OPTION_IN_SYSTEMS, error);
    if (option < 0) {
        lp_xml_prefix(xml, node, "name", error);
        return FALSE;
    }
    if (lp_machine_option_set(system, (LpMachineOptionId)option, lp_xml_attribute(node, "value"),
                              lp_xml_attribute(node, "source"), FALSE, error))
        return TRUE;
    lp_xml_prefix(xml, node, "value", error);
    return FALSE;
}

static gboolean
read_parameters(const LpXml *xml, const xmlNode *node, LpMachineSpecification *system,
                GError **error)
{
    for (const xmlNode *child = lp_xml_element(node->children, "parameter"); child != NULL;
         child = lp_xml_element(child->next, "parameter"))
        if (!read_parameter(xml, child, system, error))
            return FALSE;
    return TRUE;
}

/* The system before @node that it is like; *out_node: NULL if it is like none. */
static gboolean
find_model(const LpXml *xml, const xmlNode *node, const xmlNode **out_node, GError **error)
{
    const char *name = lp_xml_attribute(node, "like");
    *out_node = NULL;
    if (name == NULL)
        return TRUE;
    for (*out_node = first_system(xml); *out_node != node; *out_node = next_system(*out_node))
        if (strcmp(lp_xml_attribute(*out_node, "name"), name) == 0)
            return TRUE;
    lp_xml_error(xml, node, LP_INPUT_ERROR_NAME, error, "like: got %s, wanted a system above",
                 name);
    return FALSE;
}

/* The schema has made sure that no parameter stands twice. */
static LpMachineSpecification *
read_system(const LpXml *xml, const xmlNode *node, GError **error)
{
    const xmlNode *model = NULL;
    g_autoptr(LpMachineSpecification) system = NULL;
    if (!find_model(xml, node, &model, error))
        return NULL;
    system = model != NULL ? read_system(xml, model, error) : new_neutral();
    if (system == NULL)
        return NULL;
    g_free(system->system);
    g_free(system->description);
    system->system = g_strdup(lp_xml_attribute(node, "name"));
    system->description = g_strdup(lp_xml_attribute(node, "description"));
    g_free(system->like);
    system->like = g_strdup(lp_xml_attribute(node, "like"));
    if (!read_parameters(xml, node, system, error))
        return NULL;
    for (guint i = 0; i < LP_N_MACHINE_OPTIONS; i++)
        if ((lp_machine_options[i].flags & LP_OPTION_NEEDED) != 0 &&
            !lp_specification_has(system, i)) {
            lp_xml_error(xml, node, LP_INPUT_ERROR_SYNTAX, error,
                         "<system> %s has no parameter %s, wanted one", system->system,
                         lp_machine_options[i].name);
            return NULL;
        }
    return g_steal_pointer(&system);
}

/* The names of systems in the file's order, borrowed from it, NULL-ended. */
static GPtrArray *
list_names(const LpXml *xml)
{
    GPtrArray *names = g_ptr_array_new();
    for (const xmlNode *node = first_system(xml); node != NULL; node = next_system(node))
        g_ptr_array_add(names, (gpointer)(guintptr)lp_xml_attribute(node, "name"));
    g_ptr_array_add(names, NULL);
    return names;
}

LpMachineSpecification *
lp_system_load(const char *name, GError **error)
{
    g_return_val_if_fail(name != NULL, NULL);
    g_autoptr(LpXml) xml = load_file(error);
    if (xml == NULL)
        return NULL;
    g_autoptr(GPtrArray) names = list_names(xml);
    int place = lp_choice_parse(name, (const char *const *)names->pdata, error);
    if (place < 0)
        return NULL;
    xmlNode *node = first_system(xml);
    while (place-- > 0)
        node = next_system(node);
    return read_system(xml, node, error);
}

static int
compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

char **
lp_system_names(GError **error)
{
    g_autoptr(LpXml) xml = load_file(error);
    if (xml == NULL)
        return NULL;
    g_autoptr(GPtrArray) names = list_names(xml);
    qsort(names->pdata, names->len - 1, sizeof *names->pdata, compare_names);
    return g_strdupv((char **)names->pdata);
}

LpMachineSpecification *
lp_system_default(const char *accelerator)
{
    g_return_val_if_fail(accelerator != NULL, NULL);
    g_autoptr(LpXml) xml = load_file(NULL);
    for (xmlNode *node = xml != NULL ? first_system(xml) : NULL; node != NULL;
         node = next_system(node)) {
        if (lp_xml_attribute(node, "default") == NULL)
            continue;
        g_autoptr(LpMachineSpecification) system = read_system(xml, node, NULL);
        if (system != NULL && strcmp(system->accelerator.name, accelerator) == 0)
            return g_steal_pointer(&system);
    }
    return NULL;
}
