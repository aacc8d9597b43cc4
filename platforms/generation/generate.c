/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the platform file of a machine that is specified by its system and by options. */
#include "platforms/generation/generate.h"

#include "base/c_locale.h"
#include "base/units.h"
#include "base/xml_writer.h"
#include "platforms/generation/cards.h"
#include "platforms/generation/layout.h"
#include "platforms/generation/machine_options.h"
#include "platforms/generation/sizing.h"
#include "platforms/machine/topology.h"

#include <math.h>
#include <string.h>

/* The column at which a cluster's attributes go on, on its second and third line. */
#define ATTRIBUTE_COLUMN 13

static void
write_prop(LpXmlWriter *xml, const char *id, const char *value)
{
    lp_xml_writer_open(xml, "prop");
    lp_xml_writer_attribute(xml, "id", id);
    lp_xml_writer_attribute(xml, "value", value);
    lp_xml_writer_close(xml);
}

static void
write_count_prop(LpXmlWriter *xml, const char *id, guint32 value)
{
    g_autofree char *text = g_strdup_printf("%u", value);
    write_prop(xml, id, text);
}

/* An option's value as its author wrote it, where it has one. */
static void
repeat_option(LpXmlWriter *xml, const LpMachineSpecification *specification,
              LpMachineOptionId option)
{
    if (lp_specification_has(specification, option))
        write_prop(xml, lp_machine_options[option].name, specification->origin[option].text);
}

/* Opens a <cluster>, with all attributes but its topology's. */
static void
open_cluster(LpXmlWriter *xml, LpAttachment attachment, const char *prefix, guint64 n_hosts,
             const char *speed, double bytes_per_s, double latency_s)
{
    g_autofree char *bandwidth = lp_quantity_to_text(LP_QUANTITY_BANDWIDTH, bytes_per_s);
    g_autofree char *latency = lp_quantity_to_text(LP_QUANTITY_TIME, latency_s);
    lp_xml_writer_open(xml, "cluster");
    lp_xml_writer_attribute(xml, "id", lp_attachment_names[attachment]);
    lp_xml_writer_attribute(xml, "prefix", prefix);
    lp_xml_writer_attribute(xml, "suffix", "");
    lp_xml_writer_format(xml, "radical", "0-%" G_GUINT64_FORMAT, n_hosts - 1);
    lp_xml_writer_attribute(xml, "speed", speed);
    lp_xml_writer_break(xml, ATTRIBUTE_COLUMN);
    lp_xml_writer_attribute(xml, "bw", bandwidth);
    lp_xml_writer_attribute(xml, "lat", latency);
    lp_xml_writer_attribute(xml, "sharing_policy", "SPLITDUPLEX");
}

/* A number of a technology, and in front of it where it comes from and what it counts. */
static void
write_number(LpXmlWriter *xml, const char *prefix, const char *number, const char *value,
             const char *name, const char *scope, const char *source)
{
    g_autofree char *id = g_strconcat(prefix, number, NULL);
    g_autofree char *source_id = g_strconcat("source.", id, NULL);
    g_autofree char *text = g_strdup_printf("%s of %s (%s; scope: %s)", value, name, source, scope);
    write_prop(xml, source_id, text);
    write_prop(xml, id, value);
}

/* @prefix: of properties' names. The medium of what stands beside circuits is no property. */
static void
write_link(LpXmlWriter *xml, const char *prefix, const LpLinkSpecification *link)
{
    static const struct {
        const char *id;
        LpTechnologyParameter parameter;
    } rows[] = {
        {"link-rate", LP_TECHNOLOGY_RATE},
        {"energy-per-bit", LP_TECHNOLOGY_ENERGY_PER_BIT},
        {"static-power", LP_TECHNOLOGY_STATIC_POWER},
        {"transceiver-power", LP_TECHNOLOGY_TRANSCEIVER_POWER},
        {"transceiver-price", LP_TECHNOLOGY_TRANSCEIVER_PRICE},
        {"card-price", LP_TECHNOLOGY_CARD_PRICE},
    };
    if (*prefix == '\0')
        write_prop(xml, "technology", lp_technology_names[link->medium]);
    if (link->entry == NULL)
        return;
    g_autofree char *id = g_strconcat(prefix, "link-technology", NULL);
    write_prop(xml, id, link->entry->name);
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        const LpTechnologyNumber *number = &link->entry->number[rows[i].parameter];
        gboolean is_energy = rows[i].parameter == LP_TECHNOLOGY_ENERGY_PER_BIT;
        if (number->is_known && !(is_energy && *prefix != '\0'))
            write_number(xml, prefix, rows[i].id, number->text, link->entry->name,
                         lp_technology_scope_names[number->scope], number->source);
    }
}

/* Light passes an optical switch: transceivers stand at hosts only, unless it @is_said where. */
static void
write_switches(LpXmlWriter *xml, const char *prefix, const LpTechnologyEntry *switches,
               gboolean is_said)
{
    static const struct {
        const char *id;
        LpTechnologyParameter parameter;
        LpQuantity quantity;
    } rows[] = {
        {"switch-port-power", LP_TECHNOLOGY_PORT_POWER, LP_QUANTITY_POWER},
        {"switch-port-price", LP_TECHNOLOGY_PORT_PRICE, LP_QUANTITY_PRICE},
    };
    g_autofree char *technology = g_strconcat(prefix, "switch-technology", NULL);
    g_autofree char *transceivers = g_strconcat(prefix, "transceivers", NULL);
    write_prop(xml, technology, switches->name);
    LpTransceivers ends = switches->is_optical ? LP_TRANSCEIVERS_HOST : LP_TRANSCEIVERS_BOTH;
    if (!is_said)
        write_prop(xml, transceivers, lp_transceivers_names[ends]);
    const LpTechnologyNumber *rate = &switches->number[LP_TECHNOLOGY_RATE];
    if (rate->is_known && !switches->is_optical)
        write_number(xml, prefix, "switch-port-rate", rate->text, switches->name,
                     lp_technology_scope_names[rate->scope], rate->source);
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        double value = 0.0;
        const char *source = NULL;
        if (!lp_technology_entry_port(switches, rows[i].parameter, &value, &source))
            continue;
        g_autofree char *text = lp_quantity_to_text(rows[i].quantity, value);
        write_number(xml, prefix, rows[i].id, text, switches->name,
                     lp_technology_scope_names[LP_TECHNOLOGY_SCOPE_PORT], source);
    }
}

static void
write_scale_up(LpXmlWriter *xml, const LpMachineSpecification *specification)
{
    const LpDomainSpecification *domain = &specification->domain;
    /* Lightpath takes kernel times from the catalogue; the speed is for SimGrid's own tools. */
    g_autofree char *speed = lp_quantity_to_text(
        LP_QUANTITY_SPEED,
        lp_accelerator_peak_flop_per_s(&specification->accelerator, LP_PRECISION_BF16));
    open_cluster(xml, LP_ATTACHMENT_SCALE_UP, "up-", specification->n_accelerators, speed,
                 domain->bytes_per_s, domain->latency_s);
    write_prop(xml, "role", lp_attachment_names[LP_ATTACHMENT_SCALE_UP]);
    repeat_option(xml, specification, LP_MACHINE_OPTION_ACCELERATOR);
    for (guint i = LP_MACHINE_OPTION_PROPERTY; i < LP_N_MACHINE_OPTIONS; i++)
        repeat_option(xml, specification, i);
    write_count_prop(xml, "domain-size", domain->size);
    write_link(xml, "", &domain->link);
    for (guint i = 0; i < LP_N_MACHINE_OPTIONS; i++)
        if ((lp_machine_options[i].flags & LP_OPTION_IN_SCALE_UP) != 0)
            repeat_option(xml, specification, i);
    lp_xml_writer_close(xml);
}

/* The attributes of a topology that SimGrid has; of another, or of none, there are none. */
static void
write_topology(LpXmlWriter *xml, const LpLayout *layout)
{
    g_autofree char *parameters = NULL;
    const char *name = NULL;
    if (layout->topology == LP_TOPOLOGY_FAT_TREE) {
        const guint32 *down = layout->down, *up = layout->up;
        name = "FAT_TREE";
        parameters = lp_topology_tree_parameters(layout->n_levels, down, up);
    } else if (layout->topology == LP_TOPOLOGY_TORUS && !layout->torus.spreads_paths) {
        name = "TORUS";
        parameters = lp_topology_torus_parameters(&layout->torus);
    } else if (layout->topology == LP_TOPOLOGY_DRAGONFLY && !layout->dragonfly.has_gates) {
        name = "DRAGONFLY";
        parameters = lp_topology_dragonfly_parameters(&layout->dragonfly);
    }
    if (name == NULL)
        return;
    lp_xml_writer_break(xml, ATTRIBUTE_COLUMN);
    lp_xml_writer_attribute(xml, "topology", name);
    lp_xml_writer_attribute(xml, "topo_parameters", parameters);
}

static void
write_fabric(LpXmlWriter *xml, const LpLayout *layout)
{
    if (layout->topology == LP_TOPOLOGY_TORUS && layout->torus.spreads_paths) {
        g_autofree char *sizes = lp_topology_torus_parameters(&layout->torus);
        write_prop(xml, "fabric", layout->torus.is_twisted ? "twisted-torus" : "torus");
        write_prop(xml, "fabric-parameters", sizes);
    }
    if (!layout->dragonfly.has_gates)
        return;
    g_autofree char *parameters = lp_topology_to_text(layout->topology, &layout->dragonfly);
    write_prop(xml, "fabric", lp_topology_names[layout->topology]);
    write_prop(xml, "fabric-parameters", parameters);
}

/* @beside: of a tree beside circuits, or NULL. */
static void
write_packet_network(LpXmlWriter *xml, const LpMachineSpecification *specification,
                     const LpLayout *packet_network)
{
    if (packet_network != NULL && packet_network->topology == LP_TOPOLOGY_FAT_TREE) {
        g_autofree char *tree = lp_topology_tree_parameters(
            packet_network->n_levels, packet_network->down, packet_network->up);
        write_prop(xml, "electrical-tree", tree);
    }
    write_link(xml, "electrical-", &specification->packet_network.link);
    if (specification->packet_network.switches != NULL)
        write_switches(xml, "electrical-", specification->packet_network.switches, FALSE);
}

static void
write_scale_out(LpXmlWriter *xml, const LpMachineSpecification *specification,
                const LpMachineSizing *sizing, const LpLayout *layout,
                const LpLayout *packet_network)
{
    const LpScaleOutSpecification *out = &specification->scale_out;
    open_cluster(xml, LP_ATTACHMENT_SCALE_OUT, "out-", layout->n_hosts, "1f",
                 sizing->link_bytes_per_s, out->latency_s);
    write_topology(xml, layout);
    write_prop(xml, "role", lp_attachment_names[LP_ATTACHMENT_SCALE_OUT]);
    write_prop(xml, "port-order", lp_port_order_names[out->port_order]);
    if (out->port_order == LP_PORT_ORDER_RAIL)
        write_count_prop(xml, "unit-domains", layout->unit_domains);
    write_count_prop(xml, "cards-per-domain", sizing->n_cards);
    write_link(xml, "", &out->link);
    if (out->switches != NULL)
        write_switches(xml, "", out->switches,
                       specification->origin[LP_MACHINE_OPTION_TRANSCEIVERS].text != NULL);
    if (!out->has_joined_rails)
        write_prop(xml, "joined-rails", "no");
    write_fabric(xml, layout);
    for (guint i = 0; i < LP_N_MACHINE_OPTIONS; i++)
        if ((lp_machine_options[i].flags & LP_OPTION_IN_SCALE_OUT) != 0)
            repeat_option(xml, specification, i);
    write_packet_network(xml, specification, packet_network);
    lp_xml_writer_close(xml);
}

/* What cards leave to an accelerator, whose own rate the system says for as many as it has. */
static void
write_share(LpXmlWriter *xml, const LpMachineSpecification *specification,
            const LpMachineSizing *sizing, const char *source)
{
    g_autofree char *share = lp_quantity_to_text(
        LP_QUANTITY_BANDWIDTH, lp_cards_accelerator_bytes_per_s(specification, sizing->n_cards));
    g_autofree char *text = g_strdup_printf("%s (cards of a domain, given on the command line: "
                                            "%u; rate of one: %s)",
                                            share, sizing->n_cards, source);
    write_prop(xml, "source.scale-out-bandwidth", text);
}

/* Writes the sources of values. */
static void
write_sources(LpXmlWriter *xml, const LpMachineSpecification *specification,
              const LpMachineSizing *sizing)
{
    gboolean has_cards =
        lp_specification_is_given(specification, LP_MACHINE_OPTION_RAILS) ||
        lp_specification_is_given(specification, LP_MACHINE_OPTION_NICS_PER_DOMAIN);
    for (guint i = 0; i < LP_N_MACHINE_OPTIONS; i++) {
        const LpOptionOrigin *origin = &specification->origin[i];
        if ((lp_machine_options[i].flags & LP_OPTION_IN_SYSTEMS) == 0 || origin->text == NULL ||
            (i == LP_MACHINE_OPTION_ACCELERATORS_PER_NIC && has_cards))
            continue;
        if (i == LP_MACHINE_OPTION_SCALE_OUT_BANDWIDTH && has_cards && !origin->is_given) {
            write_share(xml, specification, sizing, origin->source);
            continue;
        }
        g_autofree char *id = g_strconcat("source.", lp_machine_options[i].name, NULL);
        g_autofree char *text = g_strdup_printf("%s (%s)", origin->text, origin->source);
        write_prop(xml, id, text);
    }
}

/* A source's bisection, where it holds for a machine of this size. */
static void
write_published(LpXmlWriter *xml, const LpMachineSpecification *specification)
{
    if (specification->published.n_accelerators != specification->n_accelerators)
        return;
    repeat_option(xml, specification, LP_MACHINE_OPTION_PUBLISHED_BISECTION);
    repeat_option(xml, specification, LP_MACHINE_OPTION_PUBLISHED_BISECTION_ACCELERATORS);
}

/* Words to its author where a link of such a technology does not fit a port of such a switch; NULL:
 * it does. Returns: (transfer full). */
static char *
warn_of_rates(const LpScaleOutSpecification *out, double link_bytes_per_s)
{
    const LpTechnologyEntry *link = out->link.entry, *switches = out->switches;
    if (link == NULL || switches == NULL || switches->is_optical ||
        !link->number[LP_TECHNOLOGY_RATE].is_known ||
        !switches->number[LP_TECHNOLOGY_RATE].is_known)
        return NULL;
    double module = link->number[LP_TECHNOLOGY_RATE].value;
    double port = switches->number[LP_TECHNOLOGY_RATE].value;
    if (module <= port)
        return NULL;
    guint n_ports = (guint)ceil(link_bytes_per_s / port - 1e-6);
    return g_strdup_printf("--switch-technology: a port of %s has %s, %s carries %s: links of this "
                           "machine take %u port%s each",
                           switches->name, switches->number[LP_TECHNOLOGY_RATE].text, link->name,
                           link->number[LP_TECHNOLOGY_RATE].text, n_ports, n_ports == 1 ? "" : "s");
}

/* Writes the origin of the machine's values. */
static void
write_origin(LpXmlWriter *xml, const LpMachineSpecification *specification,
             const LpMachineSizing *sizing)
{
    g_autofree char *command = lp_specification_command(specification);
    g_autofree char *warning = lp_cards_warning(specification, sizing->n_cards);
    write_prop(xml, "system", specification->system);
    write_prop(xml, "description", specification->description);
    write_prop(xml, "generated-by", command);
    g_autofree char *of_rates = warn_of_rates(&specification->scale_out, sizing->link_bytes_per_s);
    g_autofree char *both =
        warning != NULL && of_rates != NULL ? g_strdup_printf("%s; %s", warning, of_rates) : NULL;
    const char *said = both != NULL ? both : warning != NULL ? warning : of_rates;
    if (said != NULL)
        write_prop(xml, "warning", said);
    write_sources(xml, specification, sizing);
}

/* @layout: NULL where there is no scale-out network; @beside: NULL where no tree stands beside it.
 */
static char *
write_platform(const LpMachineSpecification *specification, const LpMachineSizing *sizing,
               const LpLayout *layout, const LpLayout *packet_network, gboolean has_origin)
{
    LpXmlWriter *xml = lp_xml_writer_new();
    lp_xml_writer_doctype(xml, "platform", "https://simgrid.org/simgrid.dtd");
    lp_xml_writer_open(xml, "platform");
    lp_xml_writer_attribute(xml, "version", "4.1");
    lp_xml_writer_open(xml, "zone");
    lp_xml_writer_format(xml, "id", "%s-%u", specification->system, specification->n_accelerators);
    lp_xml_writer_attribute(xml, "routing", "None");
    if (has_origin)
        write_origin(xml, specification, sizing);
    write_published(xml, specification);
    write_scale_up(xml, specification);
    if (layout != NULL)
        write_scale_out(xml, specification, sizing, layout, packet_network);
    return lp_xml_writer_finish(xml);
}

/* The circuits' ports are numbered as the tree beside them has them; a flat network has one for
 * each, up to the largest number. */
static void
follow_numbers(const LpMachineSizing *sizing, const LpLayout *packet_network, LpLayout *layout)
{
    guint64 last = sizing->n_domains - 1, cards = sizing->n_cards,
            unit = packet_network->unit_domains;
    layout->unit_domains = packet_network->unit_domains;
    if (sizing->wanted.port_order == LP_PORT_ORDER_RAIL)
        layout->n_hosts = (last / unit * cards + cards - 1) * unit + last % unit + 1;
}

static char *
write_text(const LpMachineSpecification *specification, gboolean has_origin, GError **error)
{
    LpMachineSizing sizing;
    LpLayout layout, packet_network;
    if (!lp_sizing_find(specification, &sizing, error))
        return NULL;
    gboolean has_scale_out = sizing.n_domains > 1;
    gboolean has_tree = has_scale_out && sizing.has_packet_tree;
    if ((has_scale_out && !lp_layout_plan(&sizing.wanted, &layout, error)) ||
        (has_tree && !lp_layout_plan(&sizing.packet_network, &packet_network, error)))
        return NULL;
    if (has_tree && packet_network.topology == LP_TOPOLOGY_FAT_TREE)
        follow_numbers(&sizing, &packet_network, &layout);
    return write_platform(specification, &sizing, has_scale_out ? &layout : NULL,
                          has_tree ? &packet_network : NULL, has_origin);
}

char *
lp_generate_shape(const LpMachineSpecification *specification, GError **error)
{
    g_return_val_if_fail(specification != NULL, NULL);
    g_auto(LpCLocale) locale = lp_c_locale_begin();
    return write_text(specification, FALSE, error);
}

static const char unseen[] = "the machine asked for";

/* Whether an option is called as the text from @name to @end, where that is known. */
static gboolean
is_option(const char *name, const char *end)
{
    for (guint i = 0; end != NULL && i < LP_N_MACHINE_OPTIONS; i++)
        if (strlen(lp_machine_options[i].name) == (gsize)(end - name) &&
            strncmp(lp_machine_options[i].name, name, (gsize)(end - name)) == 0)
            return TRUE;
    return FALSE;
}

/* What a fault of the unseen file is about: the option that a property was made of has its name.
 * Returns: (transfer full). */
static char *
name_fault(const char *reason)
{
    static const char property[] = "prop ", missing[] = " has no prop ";
    const char *name = reason + strlen(property), *absent = strstr(reason, missing);
    if (g_str_has_prefix(reason, property) && is_option(name, strchr(name, ':')))
        return g_strconcat("--", name, NULL);
    const char *blank = strchr(reason, ' ') != NULL ? strchr(name, ' ') : NULL;
    if (g_str_has_prefix(reason, property) && is_option(name, blank))
        return g_strdup_printf("--%.*s: got it%s", (int)(blank - name), name, blank);
    const char *wanted = absent != NULL ? absent + strlen(missing) : "";
    const char *end = strchr(wanted, ',');
    if (absent != NULL && is_option(wanted, end))
        return g_strdup_printf("--%.*s: got none, wanted it with the others of its kind",
                               (int)(end - wanted), wanted);
    return g_strconcat(unseen, ": ", reason, NULL);
}

/* The machine of a file that nobody sees, nor its lines. */
static LpMachine *
parse(const char *path, const char *xml, GError **error)
{
    g_autoptr(GError) fault = NULL;
    LpMachine *machine = lp_machine_parse(path, xml, &fault);
    if (machine != NULL)
        return machine;
    const char *place = fault->message;
    const char *reason = strstr(g_str_has_prefix(place, path) ? place + strlen(path) : place, ": ");
    g_autofree char *message = name_fault(reason != NULL ? reason + 2 : place);
    g_set_error_literal(error, fault->domain, fault->code, message);
    return NULL;
}

char *
lp_generate(const LpMachineSpecification *specification, GError **error)
{
    g_return_val_if_fail(specification != NULL, NULL);
    g_auto(LpCLocale) locale = lp_c_locale_begin();
    g_autofree char *xml = write_text(specification, TRUE, error);
    if (xml == NULL)
        return NULL;
    /* Values that must fit together are checked where the file is read. */
    g_autoptr(LpMachine) machine = parse(unseen, xml, error);
    return machine != NULL ? g_steal_pointer(&xml) : NULL;
}

LpMachine *
lp_generate_machine(const LpMachineSpecification *specification, const char *path, GError **error)
{
    g_return_val_if_fail(specification != NULL && path != NULL, NULL);
    g_auto(LpCLocale) locale = lp_c_locale_begin();
    g_autofree char *xml = write_text(specification, TRUE, error);
    return xml != NULL ? parse(path, xml, error) : NULL;
}
