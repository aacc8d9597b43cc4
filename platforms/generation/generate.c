/* SPDX-License-Identifier: Apache-2.0 */
/* Writes platform files for named systems. */
#include "platforms/generation/generate.h"

#include "base/units.h"
#include "platforms/generation/request.h"
#include "platforms/machine/topology.h"

#include <string.h>

static void
add_prop(GString *xml, const char *indent, const char *id, const char *value)
{
    g_autofree char *escaped = g_markup_escape_text(value, -1);
    g_string_append_printf(xml, "%s<prop id=\"%s\" value=\"%s\"/>\n", indent, id, escaped);
}

static void
add_count_prop(GString *xml, const char *id, guint32 value)
{
    g_string_append_printf(xml, "      <prop id=\"%s\" value=\"%u\"/>\n", id, value);
}

/* Opens a <cluster>; @topology is "" or ends the tag's attributes. */
static void
open_cluster(GString *xml, LpAttachment attachment, const char *prefix, guint64 n_hosts,
             const char *speed, double bytes_per_s, double latency_s, const char *topology)
{
    g_autofree char *bandwidth = lp_quantity_to_text(LP_QUANTITY_BANDWIDTH, bytes_per_s);
    g_autofree char *latency = lp_quantity_to_text(LP_QUANTITY_TIME, latency_s);
    g_string_append_printf(xml,
                           "    <cluster id=\"%s\" prefix=\"%s\" suffix=\"\" "
                           "radical=\"0-%" G_GUINT64_FORMAT "\" speed=\"%s\"\n"
                           "             bw=\"%s\" lat=\"%s\" sharing_policy=\"SPLITDUPLEX\"%s>\n",
                           lp_attachment_names[attachment], prefix, n_hosts - 1, speed, bandwidth,
                           latency, topology);
    add_prop(xml, "      ", "role", lp_attachment_names[attachment]);
}

static void
add_scale_up(GString *xml, const LpRequest *request)
{
    /* Lightpath takes kernel times from the catalogue; the speed is for SimGrid's own tools. */
    g_autofree char *speed =
        lp_quantity_to_text(LP_QUANTITY_SPEED, lp_accelerator_peak_flop_per_s(&request->accelerator,
                                                                              LP_PRECISION_BF16));
    open_cluster(xml, LP_ATTACHMENT_SCALE_UP, "up-", request->n_accelerators, speed,
                 request->domain_bytes_per_s, request->domain_latency_s, "");
    add_prop(xml, "      ", "accelerator", request->system->value[LP_PARAMETER_ACCELERATOR]);
    for (guint i = 0; i < LP_N_ACCELERATOR_PROPERTIES; i++)
        if (request->options->properties[i] != NULL)
            add_prop(xml, "      ", lp_accelerator_property_names[i],
                     request->options->properties[i]);
    add_count_prop(xml, "domain-size", request->domain_size);
    add_prop(xml, "      ", "technology", lp_technology_names[request->domain_technology]);
    g_string_append(xml, "    </cluster>\n");
}

/* The attributes of a topology that SimGrid has, "" of one that it has not. Returns: (transfer
 * full).
 */
static char *
topology_text(const LpLayout *layout)
{
    g_autofree char *parameters = NULL;
    const char *name = "TORUS";
    if (layout->topology == LP_TOPOLOGY_FAT_TREE) {
        const guint32 *down = layout->down, *up = layout->up;
        name = "FAT_TREE";
        parameters = layout->n_levels == 2
                         ? g_strdup_printf("2;%u,%u;1,%u;1,1", down[0], down[1], up[1])
                         : g_strdup_printf("3;%u,%u,%u;1,%u,%u;1,1,1", down[0], down[1], down[2],
                                           up[1], up[2]);
    } else if (layout->topology == LP_TOPOLOGY_TORUS) {
        parameters = lp_topology_torus_parameters(&layout->torus);
    } else if (layout->topology == LP_TOPOLOGY_DRAGONFLY && !layout->dragonfly.has_gates) {
        name = "DRAGONFLY";
        parameters = lp_topology_dragonfly_parameters(&layout->dragonfly);
    } else {
        return g_strdup("");
    }
    return g_strdup_printf("\n             topology=\"%s\" topo_parameters=\"%s\"", name,
                           parameters);
}

static void
add_fabric(GString *xml, const LpLayout *layout)
{
    if (!layout->dragonfly.has_gates)
        return;
    g_autofree char *parameters = lp_topology_to_text(layout->topology, &layout->dragonfly);
    add_prop(xml, "      ", "fabric", lp_topology_names[layout->topology]);
    add_prop(xml, "      ", "fabric-parameters", parameters);
}

static gboolean
add_scale_out(GString *xml, const LpRequest *request, GError **error)
{
    /* Those that the reader knows by the names of their options. */
    static const LpParameter repeated[] = {LP_PARAMETER_PLANES,        LP_PARAMETER_PLANE_USE,
                                           LP_PARAMETER_PLANE_CLASSES, LP_PARAMETER_PATH_CHOICE,
                                           LP_PARAMETER_PATHS,         LP_PARAMETER_PATH_SEED,
                                           LP_PARAMETER_PCIE_PORTS,    LP_PARAMETER_PCIE_BANDWIDTH};
    LpLayout layout;
    if (!lp_layout_plan(&request->wanted, &layout, error))
        return FALSE;
    g_autofree char *topology = topology_text(&layout);
    open_cluster(xml, LP_ATTACHMENT_SCALE_OUT, "out-", layout.n_hosts, "1f",
                 request->link_bytes_per_s, request->scale_out_latency_s, topology);
    add_prop(xml, "      ", "port-order", lp_port_order_names[request->port_order]);
    if (request->port_order == LP_PORT_ORDER_RAIL)
        add_count_prop(xml, "unit-domains", layout.unit_domains);
    add_count_prop(xml, "cards-per-domain", request->n_cards);
    add_prop(xml, "      ", "technology", lp_technology_names[request->technology]);
    if (request->wanted.rails_relay)
        add_prop(xml, "      ", "joined-rails", "no");
    add_fabric(xml, &layout);
    for (gsize i = 0; i < G_N_ELEMENTS(repeated); i++)
        if (request->system->value[repeated[i]] != NULL)
            add_prop(xml, "      ", lp_parameter_names[repeated[i]],
                     request->system->value[repeated[i]]);
    g_string_append(xml, "    </cluster>\n");
    return TRUE;
}

/* A source's bisection, where it holds for a machine of this size. */
static void
add_published(GString *xml, const LpRequest *request)
{
    static const LpParameter repeated[] = {LP_PARAMETER_PUBLISHED_BISECTION,
                                           LP_PARAMETER_PUBLISHED_BISECTION_ACCELERATORS};
    char *const *value = request->system->value;
    g_autofree char *n_accelerators = g_strdup_printf("%u", request->n_accelerators);
    if (g_strcmp0(value[LP_PARAMETER_PUBLISHED_BISECTION_ACCELERATORS], n_accelerators) != 0)
        return;
    for (gsize i = 0; i < G_N_ELEMENTS(repeated); i++)
        add_prop(xml, "    ", lp_parameter_names[repeated[i]], value[repeated[i]]);
}

static char *
write_platform(const LpRequest *request, GError **error)
{
    g_autoptr(GString) xml = g_string_new("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                                          "<!DOCTYPE platform SYSTEM "
                                          "\"https://simgrid.org/simgrid.dtd\">\n"
                                          "<platform version=\"4.1\">\n");
    g_autofree char *command = lp_request_command(request->options);
    g_string_append_printf(xml, "  <zone id=\"%s-%u\" routing=\"None\">\n", request->system->name,
                           request->n_accelerators);
    add_prop(xml, "    ", "system", request->system->name);
    add_prop(xml, "    ", "description", request->system->description);
    add_prop(xml, "    ", "generated-by", command);
    gboolean cards_given =
        request->options->rails != NULL || request->options->nics_per_domain != NULL;
    for (int i = 0; i < LP_N_PARAMETERS; i++) {
        if ((i == LP_PARAMETER_ACCELERATORS_PER_NIC && cards_given) ||
            request->system->value[i] == NULL)
            continue;
        g_autofree char *id = g_strconcat("source.", lp_parameter_names[i], NULL);
        g_autofree char *text =
            g_strdup_printf("%s (%s)", request->system->value[i], request->system->source[i]);
        add_prop(xml, "    ", id, text);
    }
    add_published(xml, request);
    add_scale_up(xml, request);
    if (request->n_domains > 1 && !add_scale_out(xml, request, error))
        return NULL;
    g_string_append(xml, "  </zone>\n</platform>\n");
    return g_string_free(g_steal_pointer(&xml), FALSE);
}

char *
lp_generate(const LpGenerateOptions *options, GError **error)
{
    g_return_val_if_fail(
        options != NULL && options->system != NULL && options->accelerators != NULL, NULL);
    g_autoptr(LpSystem) system = lp_system_load(options->system, error);
    if (system == NULL) {
        g_prefix_error(error, "--system: ");
        return NULL;
    }
    LpRequest request;
    if (!lp_request_read(&request, options, system, error))
        return NULL;
    g_autofree char *xml = write_platform(&request, error);
    /* What must fit together is known where it is read. */
    g_autoptr(LpMachine) machine =
        xml != NULL ? lp_machine_parse("the machine asked for", xml, error) : NULL;
    return machine != NULL ? g_steal_pointer(&xml) : NULL;
}

static int
compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

char **
lp_generate_systems(GError **error)
{
    g_autoptr(GPtrArray) systems = lp_system_load_all(error);
    if (systems == NULL)
        return NULL;
    GPtrArray *names = g_ptr_array_new();
    for (guint i = 0; i < systems->len; i++)
        g_ptr_array_add(names, g_strdup(((LpSystem *)g_ptr_array_index(systems, i))->name));
    g_ptr_array_sort(names, compare_names);
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(names, FALSE);
}
