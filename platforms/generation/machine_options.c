/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the values of a machine's options. */
#include "platforms/generation/machine_options.h"

#include "base/error.h"
#include "base/units.h"
#include "platforms/catalogue/libraries.h"
#include "platforms/machine/plane_classes.h"

#include <string.h>

/* Made of platforms/machine/options.xml, which says what each is. */
const LpMachineOption lp_machine_options[LP_N_MACHINE_OPTIONS] = {
#include "machine_option_rows.h"
};

int
lp_machine_option_find(const char *name, LpMachineOptionFlags flag, GError **error)
{
    const char *names[LP_N_MACHINE_OPTIONS + 1] = {NULL};
    int places[LP_N_MACHINE_OPTIONS];
    guint n = 0;
    for (int i = 0; i < LP_N_MACHINE_OPTIONS; i++)
        if ((lp_machine_options[i].flags & flag) != 0) {
            places[n] = i;
            names[n++] = lp_machine_options[i].name;
        }
    int place = lp_choice_parse(name, names, error);
    return place >= 0 ? places[place] : -1;
}

/* --- values --- */

static gboolean
read_count(const char *text, double minimum, double maximum, guint32 *out_count, GError **error)
{
    guint64 count = 0;
    if (!lp_count_parse(text, (guint64)minimum, (guint64)maximum, &count, error))
        return FALSE;
    *out_count = (guint32)count;
    return TRUE;
}

/* "4", or "3:2" for three links below to two above. */
static gboolean
read_ratio(const LpMachineOption *option, const char *text, LpOversubscription *out_ratio,
           GError **error)
{
    LpOversubscription ratio = {1, 1};
    g_auto(GStrv) parts = g_strsplit(text, ":", 2);
    gboolean has_two = parts[0] != NULL && parts[1] != NULL;
    if (!read_count(has_two ? parts[0] : text, option->minimum, option->maximum, &ratio.below,
                    error) ||
        (has_two && !read_count(parts[1], option->minimum, option->maximum, &ratio.above, error)))
        return FALSE;
    *out_ratio = ratio;
    return TRUE;
}

/* "16x16x16", or how many dimensions there are to be. */
static gboolean
read_dimensions(const LpMachineOption *option, const char *text, LpTorus *out_torus, GError **error)
{
    LpTorus torus = {.spreads_paths = out_torus->spreads_paths,
                     .is_twisted = out_torus->is_twisted};
    g_auto(GStrv) parts = g_strsplit(text, "x", -1);
    guint n_parts = g_strv_length(parts);
    if (n_parts > LP_TORUS_DIMENSIONS_MAX) {
        g_set_error(error, LP_MACHINE_ERROR, LP_MACHINE_ERROR_VALUE, "%u sizes, wanted at most %u",
                    n_parts, LP_TORUS_DIMENSIONS_MAX);
        return FALSE;
    }
    guint64 product = 1;
    for (guint i = 0; n_parts > 1 && i < n_parts; i++) {
        if (!read_count(parts[i], option->minimum, option->maximum, &torus.size[i], error))
            return FALSE;
        product *= torus.size[i];
        if (product > LP_MACHINE_HOSTS_MAX) {
            g_set_error(error, LP_MACHINE_ERROR, LP_MACHINE_ERROR_SIZE,
                        "%s, wanted at most %u ports", text, LP_MACHINE_HOSTS_MAX);
            return FALSE;
        }
    }
    torus.n_dimensions = n_parts;
    if (n_parts < 2 && !read_count(text, 1, LP_TORUS_DIMENSIONS_MAX, &torus.n_dimensions, error))
        return FALSE;
    *out_torus = torus;
    return TRUE;
}

static gboolean
read_choice(const LpMachineOption *option, const char *text, guint *out_choice, GError **error)
{
    int choice = lp_choice_parse(text, option->names, error);
    if (choice < 0)
        return FALSE;
    *out_choice = (guint)choice;
    return TRUE;
}
/* Enumerations of names are stored through a guint. */
G_STATIC_ASSERT(sizeof(LpTopology) == sizeof(guint) && sizeof(LpPortOrder) == sizeof(guint) &&
                sizeof(LpTreeLevels) == sizeof(guint) && sizeof(LpPlaneUse) == sizeof(guint) &&
                sizeof(LpPathChoice) == sizeof(guint) && sizeof(LpTransport) == sizeof(guint));

static gboolean
read_quantity(const LpMachineOption *option, LpQuantity quantity, const char *text,
              double *out_value, GError **error)
{
    double value = 0.0;
    if (!lp_quantity_parse_in(quantity, text, option->minimum, option->maximum, &value, error))
        return FALSE;
    *out_value = value;
    return TRUE;
}

static gboolean
read_property(guint index, const char *text, LpAccelerator *accelerator, GError **error)
{
    LpAccelerator changed = *accelerator;
    if (!lp_accelerator_set(&changed, index, text, error))
        return FALSE;
    *accelerator = changed;
    return TRUE;
}

static gboolean
read_circuit(guint index, const char *text, LpCircuitSwitch *circuits, GError **error)
{
    LpCircuitSwitch changed = *circuits;
    if (!lp_circuit_switch_set(&changed, index, text, error))
        return FALSE;
    *circuits = changed;
    return TRUE;
}
G_STATIC_ASSERT(LP_MACHINE_OPTION_CIRCUIT_CHANGES - LP_MACHINE_OPTION_POLICY + 1 ==
                LP_N_CIRCUIT_PROPERTIES);

/* "optical", or a technology of the catalogue, which brings its medium along. */
static gboolean
read_link(const char *text, LpLinkSpecification *link, GError **error)
{
    int medium = lp_choice_parse(text, lp_technology_names, NULL);
    LpTechnologyEntry *entry = NULL;
    if (medium < 0) {
        entry = lp_technologies_find(LP_TECHNOLOGY_KIND_LINK, text, error);
        if (entry == NULL) {
            g_prefix_error(error, "got neither electrical nor optical, and ");
            return FALSE;
        }
        medium = entry->is_optical ? LP_TECHNOLOGY_OPTICAL : LP_TECHNOLOGY_ELECTRICAL;
    }
    lp_technology_entry_free(link->entry);
    *link = (LpLinkSpecification){(LpTechnology)medium, entry};
    return TRUE;
}

static gboolean
read_switch(const char *text, LpTechnologyEntry **switches, GError **error)
{
    LpTechnologyEntry *entry = lp_technologies_find(LP_TECHNOLOGY_KIND_SWITCH, text, error);
    if (entry == NULL)
        return FALSE;
    lp_technology_entry_free(*switches);
    *switches = entry;
    return TRUE;
}

static gboolean
read_library(const char *text, char **library, GError **error)
{
    LpLibrary found;
    if (!lp_library_find(text, &found, error))
        return FALSE;
    g_free(*library);
    *library = g_strdup(text);
    return TRUE;
}

static gboolean
read_value(LpMachineOptionId option, const char *text, LpMachineSpecification *specification,
           GError **error)
{
    const LpMachineOption *row = &lp_machine_options[option];
    void *value = G_STRUCT_MEMBER_P(specification, row->offset);
    switch (row->kind) {
    case LP_OPTION_KIND_ACCELERATOR:
        return lp_catalogue_find(text, value, error);
    case LP_OPTION_KIND_PROPERTY:
        return read_property(option - LP_MACHINE_OPTION_PROPERTY, text, value, error);
    case LP_OPTION_KIND_COUNT:
        return read_count(text, row->minimum, row->maximum, value, error);
    case LP_OPTION_KIND_BANDWIDTH:
        return read_quantity(row, LP_QUANTITY_BANDWIDTH, text, value, error);
    case LP_OPTION_KIND_TIME:
        return read_quantity(row, LP_QUANTITY_TIME, text, value, error);
    case LP_OPTION_KIND_NUMBER:
        return lp_number_parse(text, row->minimum, row->maximum, value, error);
    case LP_OPTION_KIND_CHOICE:
        return read_choice(row, text, value, error);
    case LP_OPTION_KIND_BOOLEAN:
        return lp_boolean_parse(text, value, error);
    case LP_OPTION_KIND_RATIO:
        return read_ratio(row, text, value, error);
    case LP_OPTION_KIND_DIMENSIONS:
        return read_dimensions(row, text, value, error);
    case LP_OPTION_KIND_LINK:
        return read_link(text, value, error);
    case LP_OPTION_KIND_SWITCH:
        return read_switch(text, value, error);
    case LP_OPTION_KIND_LIBRARY:
        return read_library(text, value, error);
    case LP_OPTION_KIND_CIRCUIT:
        return read_circuit(option - LP_MACHINE_OPTION_POLICY, text, value, error);
    case LP_OPTION_KIND_BLOCKS:
        return lp_torus_blocks_parse(text, value, error);
    case LP_OPTION_KIND_CLASSES:
        return lp_plane_classes_parse(text, LP_MACHINE_PLANES_MAX, value, error);
    case LP_OPTION_KIND_SYSTEM:
    default:
        g_return_val_if_reached(FALSE);
    }
}

gboolean
lp_machine_option_set(LpMachineSpecification *specification, LpMachineOptionId option,
                      const char *text, const char *source, gboolean is_given, GError **error)
{
    if (!read_value(option, text, specification, error))
        return FALSE;
    LpOptionOrigin *origin = &specification->origin[option];
    g_free(origin->text);
    g_free(origin->source);
    *origin = (LpOptionOrigin){g_strdup(text), g_strdup(source), is_given};
    return TRUE;
}
