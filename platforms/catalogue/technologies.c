/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the catalogue of technologies. */
#include "platforms/catalogue/technologies.h"

#include "base/error.h"
#include "base/xml.h"
#include "platforms_resource.h"

#include <string.h>

#define TECHNOLOGIES "resource:///lightpath/platforms/catalogue/technologies.xml"
#define SCHEMA "resource:///lightpath/platforms/catalogue/technologies.xsd"

const char *const lp_technology_kind_names[] = {"link", "switch", NULL};
const char *const lp_technology_scope_names[] = {
    "phy",  "module", "with-host-serdes", "switch-side", "whole-link", "wall-plug",
    "chip", "port",   "device",           NULL};
const char *const lp_technology_parameter_names[] = {"rate",
                                                     "wavelengths",
                                                     "wavelength-rate",
                                                     "latency-per-metre",
                                                     "conversion-latency",
                                                     "energy-per-bit",
                                                     "static-power",
                                                     "transceiver-power",
                                                     "transceiver-price",
                                                     "card-price",
                                                     "ports",
                                                     "settling-time",
                                                     "switching-time",
                                                     "relock-time",
                                                     "insertion-loss-db",
                                                     "link-budget-db",
                                                     "power",
                                                     "price",
                                                     "port-power",
                                                     "port-price",
                                                     NULL};
G_STATIC_ASSERT(G_N_ELEMENTS(lp_technology_parameter_names) == LP_N_TECHNOLOGY_PARAMETERS + 1);

/* Numbers without a unit: counts and decibels. */
#define PLAIN (-1)
#define LINK (1u << LP_TECHNOLOGY_KIND_LINK)
#define SWITCH (1u << LP_TECHNOLOGY_KIND_SWITCH)

/* What a parameter measures, and of which kinds. The limits keep sums finite. */
static const struct {
    int quantity; /* of LpQuantity, or PLAIN */
    guint kinds;
    double minimum, maximum;
} parameters[LP_N_TECHNOLOGY_PARAMETERS] = {
    [LP_TECHNOLOGY_RATE] = {LP_QUANTITY_BANDWIDTH, LINK | SWITCH, 1, 1e18},
    [LP_TECHNOLOGY_WAVELENGTHS] = {PLAIN, LINK, 1, 65536},
    [LP_TECHNOLOGY_WAVELENGTH_RATE] = {LP_QUANTITY_BANDWIDTH, LINK, 1, 1e18},
    [LP_TECHNOLOGY_LATENCY_PER_METRE] = {LP_QUANTITY_TIME, LINK, 0, 1},
    [LP_TECHNOLOGY_CONVERSION_LATENCY] = {LP_QUANTITY_TIME, LINK, 0, 1},
    [LP_TECHNOLOGY_ENERGY_PER_BIT] = {LP_QUANTITY_ENERGY_PER_BIT, LINK, 0, 1},
    [LP_TECHNOLOGY_STATIC_POWER] = {LP_QUANTITY_POWER, LINK, 0, 1e6},
    [LP_TECHNOLOGY_TRANSCEIVER_POWER] = {LP_QUANTITY_POWER, LINK, 0, 1e6},
    [LP_TECHNOLOGY_TRANSCEIVER_PRICE] = {LP_QUANTITY_PRICE, LINK, 0, 1e9},
    [LP_TECHNOLOGY_CARD_PRICE] = {LP_QUANTITY_PRICE, LINK, 0, 1e9},
    [LP_TECHNOLOGY_PORTS] = {PLAIN, SWITCH, 1, 1 << 20},
    [LP_TECHNOLOGY_SETTLING_TIME] = {LP_QUANTITY_TIME, SWITCH, 0, 1e5},
    [LP_TECHNOLOGY_SWITCHING_TIME] = {LP_QUANTITY_TIME, SWITCH, 0, 1e5},
    [LP_TECHNOLOGY_RELOCK_TIME] = {LP_QUANTITY_TIME, SWITCH, 0, 1e5},
    [LP_TECHNOLOGY_INSERTION_LOSS] = {PLAIN, SWITCH, 0, 100},
    [LP_TECHNOLOGY_LINK_BUDGET] = {PLAIN, SWITCH, 0, 100},
    [LP_TECHNOLOGY_POWER] = {LP_QUANTITY_POWER, SWITCH, 0, 1e6},
    [LP_TECHNOLOGY_PRICE] = {LP_QUANTITY_PRICE, SWITCH, 0, 1e9},
    [LP_TECHNOLOGY_PORT_POWER] = {LP_QUANTITY_POWER, SWITCH, 0, 1e6},
    [LP_TECHNOLOGY_PORT_PRICE] = {LP_QUANTITY_PRICE, SWITCH, 0, 1e9},
};

void
lp_technology_entry_free(LpTechnologyEntry *self)
{
    if (self == NULL)
        return;
    for (guint i = 0; i < LP_N_TECHNOLOGY_PARAMETERS; i++) {
        g_free(self->number[i].text);
        g_free(self->number[i].maximum_text);
        g_free(self->number[i].source);
    }
    g_free(self->name);
    g_free(self->description);
    g_free(self);
}

/* Reads an attribute of a <parameter>. */
static gboolean
read_number(const LpXml *xml, const xmlNode *node, const char *attribute,
            LpTechnologyParameter parameter, double *out_value, GError **error)
{
    double minimum = parameters[parameter].minimum, maximum = parameters[parameter].maximum;
    int quantity = parameters[parameter].quantity;
    if (quantity == PLAIN)
        return lp_xml_number(xml, node, attribute, minimum, maximum, out_value, error);
    return lp_xml_quantity_in(xml, node, attribute, (LpQuantity)quantity, minimum, maximum,
                              out_value, error);
}

/* The place of an attribute's text in @names, or -1. */
static int
read_name(const LpXml *xml, const xmlNode *node, const char *attribute, const char *const *names,
          GError **error)
{
    int place = lp_choice_parse(lp_xml_attribute(node, attribute), names, error);
    if (place < 0)
        lp_xml_prefix(xml, node, attribute, error);
    return place;
}

static gboolean
read_parameter(const LpXml *xml, const xmlNode *node, LpTechnologyEntry *entry, GError **error)
{
    int place = read_name(xml, node, "name", lp_technology_parameter_names, error);
    int scope = place < 0 ? -1 : read_name(xml, node, "scope", lp_technology_scope_names, error);
    if (scope < 0)
        return FALSE;
    LpTechnologyNumber *number = &entry->number[place];
    if (number->is_known || (parameters[place].kinds & (1u << entry->kind)) == 0) {
        lp_xml_error(xml, node, LP_INPUT_ERROR_SYNTAX, error,
                     number->is_known ? "%s %s: a second parameter %s, wanted one"
                                      : "%s %s: has a parameter %s, wanted one of its kind",
                     lp_technology_kind_names[entry->kind], entry->name,
                     lp_technology_parameter_names[place]);
        return FALSE;
    }
    if (!read_number(xml, node, "value", (LpTechnologyParameter)place, &number->value, error))
        return FALSE;
    number->maximum = number->value;
    if (lp_xml_attribute(node, "up-to") != NULL &&
        !read_number(xml, node, "up-to", (LpTechnologyParameter)place, &number->maximum, error))
        return FALSE;
    if (number->maximum < number->value) {
        lp_xml_error(xml, node, LP_INPUT_ERROR_VALUE, error, "up-to: got %s, wanted %s or more",
                     lp_xml_attribute(node, "up-to"), lp_xml_attribute(node, "value"));
        return FALSE;
    }
    number->is_known = TRUE;
    number->scope = (LpTechnologyScope)scope;
    number->text = g_strdup(lp_xml_attribute(node, "value"));
    number->maximum_text = g_strdup(lp_xml_attribute(node, "up-to"));
    number->source = g_strdup(lp_xml_attribute(node, "source"));
    return TRUE;
}

static LpTechnologyEntry *
read_entry(const LpXml *xml, const xmlNode *node, LpTechnologyKind kind, GError **error)
{
    g_autoptr(LpTechnologyEntry) entry = g_new0(LpTechnologyEntry, 1);
    entry->kind = kind;
    entry->name = g_strdup(lp_xml_attribute(node, "name"));
    entry->description = g_strdup(lp_xml_attribute(node, "description"));
    entry->is_optical = strcmp(lp_xml_attribute(node, "medium"), "optical") == 0;
    for (const xmlNode *child = lp_xml_element(node->children, "parameter"); child != NULL;
         child = lp_xml_element(child->next, "parameter"))
        if (!read_parameter(xml, child, entry, error))
            return NULL;
    return g_steal_pointer(&entry);
}

static GPtrArray *
read_all(const LpXml *xml, LpTechnologyKind kind, GError **error)
{
    const char *element = lp_technology_kind_names[kind];
    g_autoptr(GPtrArray) entries =
        g_ptr_array_new_with_free_func((GDestroyNotify)lp_technology_entry_free);
    for (const xmlNode *node = lp_xml_element(lp_xml_root(xml)->children, element); node != NULL;
         node = lp_xml_element(node->next, element)) {
        LpTechnologyEntry *entry = read_entry(xml, node, kind, error);
        if (entry == NULL)
            return NULL;
        g_ptr_array_add(entries, entry);
    }
    return g_steal_pointer(&entries);
}

GPtrArray *
lp_technologies_load(LpTechnologyKind kind, GError **error)
{
    /* Without a reference the linker leaves the resources of this static library out. */
    g_assert(lp_platforms_get_resource() != NULL);
    g_autoptr(LpXml) xml = lp_xml_load(TECHNOLOGIES, SCHEMA, error);
    return xml != NULL ? read_all(xml, kind, error) : NULL;
}

GPtrArray *
lp_technologies_parse(const char *path, GBytes *content, LpTechnologyKind kind, GError **error)
{
    g_autoptr(LpXml) xml = lp_xml_parse(path, content, SCHEMA, error);
    return xml != NULL ? read_all(xml, kind, error) : NULL;
}

LpTechnologyEntry *
lp_technologies_find(LpTechnologyKind kind, const char *name, GError **error)
{
    g_return_val_if_fail(name != NULL, NULL);
    g_autoptr(GPtrArray) entries = lp_technologies_load(kind, error);
    if (entries == NULL)
        return NULL;
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (guint i = 0; i < entries->len; i++)
        g_ptr_array_add(names, ((LpTechnologyEntry *)g_ptr_array_index(entries, i))->name);
    g_ptr_array_add(names, NULL);
    int place = lp_choice_parse(name, (const char *const *)names->pdata, error);
    return place >= 0 ? g_ptr_array_steal_index(entries, (guint)place) : NULL;
}

gboolean
lp_technology_entry_port(const LpTechnologyEntry *self, LpTechnologyParameter of_port,
                         double *out_value, const char **out_source)
{
    g_return_val_if_fail(of_port == LP_TECHNOLOGY_PORT_POWER || of_port == LP_TECHNOLOGY_PORT_PRICE,
                         FALSE);
    const LpTechnologyNumber *port = &self->number[of_port];
    const LpTechnologyNumber *whole =
        &self->number[of_port == LP_TECHNOLOGY_PORT_POWER ? LP_TECHNOLOGY_POWER
                                                          : LP_TECHNOLOGY_PRICE];
    const LpTechnologyNumber *ports = &self->number[LP_TECHNOLOGY_PORTS];
    gboolean is_shared = !port->is_known && whole->is_known && ports->is_known;
    if (!port->is_known && !is_shared)
        return FALSE;
    *out_value = is_shared ? whole->value / ports->value : port->value;
    *out_source = is_shared ? whole->source : port->source;
    return TRUE;
}
