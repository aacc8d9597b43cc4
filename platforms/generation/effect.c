/* SPDX-License-Identifier: Apache-2.0 */
/* Finds options without effect by leaving them out, and by giving them other values. */
#include "platforms/generation/effect.h"

#include "base/units.h"
#include "platforms/generation/generate.h"
#include "platforms/generation/layout.h"
#include "platforms/generation/machine_options.h"
#include "platforms/generation/machine_settings.h"
#include "platforms/generation/sizing.h"
#include "platforms/generation/system.h"

#include <string.h>

/* The machine with @text as the value of @option, NULL: with the option not given. Returns:
 * (transfer full), NULL if there is no such machine. */
static char *
shape_with(const LpMachineSpecification *self, LpMachineOptionId option, const char *text)
{
    const char *texts[LP_N_MACHINE_OPTIONS] = {NULL};
    for (guint i = 0; i < LP_N_MACHINE_OPTIONS; i++)
        if (lp_specification_is_given(self, i))
            texts[i] = self->origin[i].text;
    texts[option] = text;
    g_autoptr(LpMachineSpecification) changed = lp_specification_from_texts(texts, NULL);
    return changed != NULL ? lp_generate_shape(changed, NULL) : NULL;
}

static void
add_names(GPtrArray *others, const char *const *names, const char *text)
{
    for (; *names != NULL; names++)
        if (strcmp(*names, text) != 0)
            g_ptr_array_add(others, g_strdup(*names));
}

static char *
other_quantity(LpQuantity quantity, double value)
{
    return lp_quantity_to_text(quantity, value > 0.0 ? value / 2.0 : 1e-6);
}

/* Other values of @option, as its author would write them. Returns: (transfer full). */
static GPtrArray *
other_values(const LpMachineSpecification *self, LpMachineOptionId option)
{
    static const char *const answers[] = {"yes", "no", NULL};
    const LpMachineOption *row = &lp_machine_options[option];
    const void *value = G_STRUCT_MEMBER_P(self, row->offset);
    const char *text = self->origin[option].text;
    GPtrArray *others = g_ptr_array_new_with_free_func(g_free);
    switch ((int)row->kind) {
    case LP_OPTION_KIND_COUNT: {
        guint32 count = *(const guint32 *)value;
        if (2.0 * count <= row->maximum)
            g_ptr_array_add(others, g_strdup_printf("%u", 2 * count));
        g_ptr_array_add(others, g_strdup_printf("%u", MAX(count / 2, 1)));
        /* A bound has its say where it holds, too. */
        if (option == LP_MACHINE_OPTION_SWITCH_PORTS)
            g_ptr_array_add(others, g_strdup("1"));
        break;
    }
    case LP_OPTION_KIND_RATIO: {
        const LpOversubscription *ratio = value;
        g_ptr_array_add(others, g_strdup_printf("%u:%u", ratio->below, 2 * ratio->above));
        g_ptr_array_add(others, g_strdup("1"));
        break;
    }
    case LP_OPTION_KIND_BANDWIDTH:
        g_ptr_array_add(others, other_quantity(LP_QUANTITY_BANDWIDTH, *(const double *)value));
        break;
    case LP_OPTION_KIND_TIME:
        g_ptr_array_add(others, other_quantity(LP_QUANTITY_TIME, *(const double *)value));
        break;
    case LP_OPTION_KIND_NUMBER:
        g_ptr_array_add(others, g_strdup(*(const double *)value > 0.0 ? "0" : "1"));
        break;
    case LP_OPTION_KIND_CHOICE:
        add_names(others, row->names, text);
        break;
    case LP_OPTION_KIND_LINK:
        add_names(others, lp_technology_names, text);
        break;
    case LP_OPTION_KIND_BOOLEAN:
        add_names(others, answers, text);
        break;
    case LP_OPTION_KIND_DIMENSIONS:
        /* Sizes that the torus would have anyway are no fault. */
        g_ptr_array_add(others, g_strdup("2"));
        g_ptr_array_add(others, g_strdup("3"));
        break;
    default:
        break;
    }
    return others;
}

static gboolean
has_effect(const LpMachineSpecification *self, LpMachineOptionId option, const char *shape)
{
    g_autofree char *without = shape_with(self, option, NULL);
    if (g_strcmp0(without, shape) != 0)
        return TRUE;
    g_autoptr(GPtrArray) others = other_values(self, option);
    for (guint i = 0; i < others->len; i++) {
        const char *text = g_ptr_array_index(others, i);
        g_autofree char *changed =
            strcmp(text, self->origin[option].text) != 0 ? shape_with(self, option, text) : NULL;
        if (strcmp(text, self->origin[option].text) != 0 && g_strcmp0(changed, shape) != 0)
            return TRUE;
    }
    return FALSE;
}

/* Whether a machine on which it changes nothing has what it says, or would have. */
static gboolean
is_true_anyway(LpMachineOptionId option)
{
    LpMachineOptionKind kind = lp_machine_options[option].kind;
    return option == LP_MACHINE_OPTION_LEVELS || option == LP_MACHINE_OPTION_LEAF_PORTS ||
           option == LP_MACHINE_OPTION_SWITCH_PORTS || kind == LP_OPTION_KIND_DIMENSIONS ||
           kind == LP_OPTION_KIND_BANDWIDTH || kind == LP_OPTION_KIND_TIME;
}

/* Whether the option repeats a value that holds anyway. */
static gboolean
repeats(const LpMachineSpecification *self, const LpMachineSpecification *system,
        LpMachineOptionId option)
{
    const LpMachineOption *row = &lp_machine_options[option];
    const LpOversubscription *ratio = G_STRUCT_MEMBER_P(self, row->offset);
    return g_strcmp0(self->origin[option].text, system->origin[option].text) == 0 ||
           (row->kind == LP_OPTION_KIND_RATIO && ratio->below == ratio->above);
}

static gboolean
is_of_tree(LpMachineOptionId option)
{
    gsize offset = lp_machine_options[option].offset;
    return offset >= G_STRUCT_OFFSET(LpMachineSpecification, tree) &&
           offset < G_STRUCT_OFFSET(LpMachineSpecification, tree) + sizeof(LpTreeSpecification);
}

/* Why @option changes nothing. */
static const char *
reason(const LpMachineSpecification *self, LpMachineOptionId option)
{
    LpMachineSizing sizing;
    LpLayout layout;
    if (!lp_sizing_find(self, &sizing, NULL) || sizing.n_domains == 1)
        return "a machine of one domain has no scale-out network";
    const LpLayoutRequest *wanted =
        sizing.has_packet_tree ? &sizing.packet_network : &sizing.wanted;
    if (!lp_layout_plan(wanted, &layout, NULL) || !is_of_tree(option))
        return "the machine is the same with and without it";
    if (wanted->topology != LP_TOPOLOGY_FAT_TREE)
        return "the network is no fat tree";
    if (layout.topology == LP_TOPOLOGY_CROSSBAR)
        return "one leaf switch holds all ports, so that there is no tree";
    if (option == LP_MACHINE_OPTION_SPINE_OVERSUBSCRIPTION && layout.n_levels == 2)
        return "a tree of two levels has no switches above its spines";
    return "the tree is the same with and without it";
}

char **
lp_specification_find_idle(const LpMachineSpecification *self, GError **error)
{
    g_autofree char *shape = lp_generate_shape(self, error);
    g_autoptr(LpMachineSpecification) system =
        shape != NULL ? lp_system_load(self->system, error) : NULL;
    if (system == NULL)
        return NULL;
    GPtrArray *lines = g_ptr_array_new();
    for (guint i = LP_MACHINE_OPTION_ACCELERATORS + 1; i < LP_N_MACHINE_OPTIONS; i++)
        if (lp_specification_is_given(self, i) && !repeats(self, system, i) && !is_true_anyway(i) &&
            !has_effect(self, i, shape))
            g_ptr_array_add(lines, g_strdup_printf("--%s: %s changes nothing: %s",
                                                   lp_machine_options[i].name, self->origin[i].text,
                                                   reason(self, i)));
    g_ptr_array_add(lines, NULL);
    return (char **)g_ptr_array_free(lines, FALSE);
}
