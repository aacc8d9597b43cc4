/* SPDX-License-Identifier: Apache-2.0 */
/* What "platform describe" prints: domains, ports, planes, paths, tiers, bisection. */
#include "cli/platform_text.h"

#include "cli/options.h"

#include "base/file.h"
#include "base/units.h"
#include "platforms/machine/describe.h"
#include "platforms/machine/network_parts.h"
#include "report/network_part.h"
#include "report/report_parts.h"
#include "platforms/machine/topology.h"
#include "base/json.h"
#include "base/text_table.h"

static void
add_bisection_json(json_t *object, const LpMachineFacts *facts)
{
    lp_json_set_number(object, "bisection_bytes_per_s", facts->bisection_bytes_per_s);
    if (!facts->is_published)
        return;
    lp_json_set_number(object, "published_bisection_bytes_per_s", facts->published_bytes_per_s);
    lp_json_set_number(object, "bisection_deviation_fraction", facts->published_deviation);
}

/* Levels with switches; the top over rails that never meet stands for nothing. */
static guint32
n_tree_levels(const LpMachine *machine)
{
    const LpCluster *cluster = &machine->cluster[LP_ATTACHMENT_SCALE_OUT];
    if (cluster->topology != LP_TOPOLOGY_FAT_TREE)
        return 0;
    return machine->rails_relay ? MAX(cluster->n_levels, 2) - 1 : cluster->n_levels;
}

/* Which blocks a torus is made of, in the order of its places. */
static void
add_blocks_json(json_t *object, const LpMachine *machine, const LpTorus *torus)
{
    const LpTorusBlocks *blocks = &machine->blocks;
    if (blocks->size == 0)
        return;
    lp_json_set_count(object, "block_size", blocks->size);
    json_t *list = lp_json_set_array(object, "blocks");
    guint64 n = lp_torus_blocks_needed(blocks, torus);
    for (guint64 i = 0; i < n; i++)
        json_array_append_new(list, json_integer(lp_torus_blocks_at(blocks, i)));
    lp_json_set_count(object, "machine_blocks", blocks->n > 0 ? blocks->n : n);
    lp_json_set_count(object, "failed_blocks", blocks->n_failed);
}

/* Planes, paths and PCIe links, and how far ports of a torus or dragonfly are apart. */
static void
add_fabric_json(json_t *object, const LpMachine *machine, const LpMachineFacts *facts)
{
    g_autofree char *paths = lp_machine_path_text(machine);
    guint32 n_levels = n_tree_levels(machine);
    if (n_levels > 0) {
        lp_json_set_count(object, "tree_levels", n_levels);
        lp_json_set_count(object, "leaf_ports", machine->cluster[LP_ATTACHMENT_SCALE_OUT].down[0]);
    }
    lp_json_set_text(object, "path_choice", lp_path_choice_names[machine->path_choice]);
    lp_json_set_text(object, "path_choice_text", paths);
    lp_json_set_count(object, "paths", machine->n_paths);
    lp_json_set_count(object, "planes", machine->n_planes);
    lp_json_set_text(object, "plane_use", lp_plane_use_names[machine->plane_use]);
    lp_json_set_text(object, "joined_rails", machine->rails_relay ? "no" : "yes");
    if (facts->farthest_latency_s > 0) {
        lp_json_set_number(object, "nearest_latency_s", facts->nearest_latency_s);
        lp_json_set_number(object, "mean_latency_s", facts->mean_latency_s);
        lp_json_set_number(object, "farthest_latency_s", facts->farthest_latency_s);
    }
    if (facts->all_to_all_bytes_per_s > 0) {
        const LpTorus *torus = &machine->cluster[LP_ATTACHMENT_SCALE_OUT].torus;
        g_autofree char *sizes = lp_topology_torus_parameters(torus);
        lp_json_set_text(object, "dimensions", sizes);
        lp_json_set_text(object, "twisted", torus->is_twisted ? "yes" : "no");
        lp_json_set_number(object, "all_to_all_bytes_per_s", facts->all_to_all_bytes_per_s);
        add_blocks_json(object, machine, torus);
    }
}

static void
add_tiers_json(json_t *object, const LpMachineFacts *facts, const LpFabric *fabric,
               gboolean has_scale_out)
{
    json_t *tiers = lp_json_set_array(object, "tiers");
    for (guint32 i = 0; i < facts->n_tiers; i++) {
        const LpTierFacts *tier = &facts->tiers[i];
        json_t *element = lp_json_append_object(tiers);
        lp_json_set_text(element, "name", tier->name);
        lp_json_set_text(element, "technology", lp_technology_names[tier->technology]);
        lp_json_set_count(element, "links", tier->n_links);
        lp_json_set_number(element, "link_bytes_per_s", tier->link_bytes_per_s);
        lp_json_set_number(element, "latency_s", tier->latency_s);
        lp_json_set_number(element, "oversubscription", tier->oversubscription);
    }
    json_t *distances = lp_json_set_array(object, "distances");
    for (guint32 i = 0; has_scale_out && i < fabric->n_tiers; i++) {
        json_t *distance = lp_json_append_object(distances);
        lp_json_set_count(distance, "domains", fabric->tiers[i].span_domains);
        lp_json_set_number(distance, "latency_s", fabric->tiers[i].latency_s);
    }
}

/* The network beside a hybrid's circuits. */
static void
add_packet_network_json(json_t *root, const LpMachine *machine)
{
    if (!lp_circuit_switch_is_hybrid(&machine->circuits))
        return;
    LpMachine alone = lp_machine_packet_network(machine);
    LpMachineFacts facts = lp_machine_facts(&alone);
    json_t *object = lp_json_set_object(root, "beside_circuits");
    lp_json_set_text(object, "topology", lp_topology_names[machine->packet_network.topology]);
    lp_json_set_count(object, "ports", machine->packet_network.n_hosts);
    lp_json_set_number(object, "bytes_per_s", lp_machine_scale_out_bytes_per_s(&alone));
    lp_json_set_number(object, "oversubscription", facts.oversubscription);
}

/* Who decides about circuits, and what a change costs. */
static void
add_circuits_json(json_t *root, const LpCircuitSwitch *circuits)
{
    if (!circuits->is_present)
        return;
    json_t *object = lp_json_set_object(root, "circuits");
    lp_json_set_text(object, "policy", lp_circuit_policy_names[circuits->policy]);
    lp_json_set_count(object, "ports", circuits->n_ports);
    lp_json_set_count(object, "wavelengths", circuits->n_wavelengths);
    lp_json_set_text(object, "scope", lp_circuit_scope_names[circuits->scope]);
    lp_json_set_number(object, "dead_time_s", lp_circuit_switch_dead_time_s(circuits));
}

static void
add_pods_json(json_t *root, const LpFabric *fabric, const LpMachine *machine)
{
    if (machine->pod_domains == 0)
        return;
    json_t *object = lp_json_set_object(root, "pods");
    lp_json_set_count(object, "domains", machine->pod_domains);
    lp_json_set_number(object, "bytes_per_s", fabric->pod_bytes_per_s);
    lp_json_set_number(object, "latency_s", fabric->pod_latency_s);
}

gboolean
lp_platform_print_json(const LpMachine *machine, GError **error)
{
    LpMachineFacts facts = lp_machine_facts(machine);
    LpFabric fabric = lp_machine_fabric(machine);
    const LpCluster *scale_out = &machine->cluster[LP_ATTACHMENT_SCALE_OUT];
    gboolean has_scale_out = machine->has_scale_out;
    json_t *root = lp_json_document();
    lp_json_set_text(root, "platform", lp_file_label(machine->path));
    lp_json_set_text(root, "system", machine->system);
    lp_json_set_text(root, "accelerator", machine->accelerator.name);
    lp_json_set_count(root, "accelerators", machine->n_accelerators);
    lp_json_set_count(root, "domains", facts.n_domains);
    lp_json_set_count(root, "domain_size", machine->domain_size);
    lp_json_set_number(root, "scale_up_bytes_per_s", fabric.scale_up_bytes_per_s);
    lp_json_set_number(root, "scale_up_latency_s", fabric.scale_up_latency_s);
    lp_json_set_text(root, "topology",
                     has_scale_out ? lp_topology_names[scale_out->topology] : "none");
    lp_json_set_text(root, "port_order", lp_port_order_names[machine->port_order]);
    lp_json_set_count(root, "cards_per_domain", has_scale_out ? machine->cards_per_domain : 0);
    lp_json_set_count(root, "unit_domains", machine->unit_domains);
    lp_json_set_count(root, "ports", scale_out->n_hosts);
    lp_json_set_count(root, "ports_used",
                      has_scale_out ? facts.n_domains * machine->cards_per_domain : 0);
    lp_json_set_number(root, "scale_out_bytes_per_s", fabric.scale_out_bytes_per_s);
    if (machine->library != NULL)
        lp_json_set_text(root, "library", machine->library);
    if (machine->transport != LP_TRANSPORT_RDMA)
        lp_json_set_text(root, "transport", lp_transport_names[machine->transport]);
    add_circuits_json(root, &machine->circuits);
    add_packet_network_json(root, machine);
    add_pods_json(root, &fabric, machine);
    add_bisection_json(root, &facts);
    lp_json_set_number(root, "oversubscription", facts.oversubscription);
    if (has_scale_out)
        add_fabric_json(root, machine, &facts);
    add_tiers_json(root, &facts, &fabric, has_scale_out);
    lp_network_add_json(root, machine);
    if (machine->warning != NULL)
        lp_json_append_text(lp_json_set_array(root, "warnings"), machine->warning);
    return lp_print_json(root, error);
}

G_GNUC_PRINTF(3, 4)
static void
add_line(LpTextTable *table, const char *name, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    lp_text_table_add_row(table);
    lp_text_table_add_cell(table, "%s", name);
    lp_text_table_add_cell(table, "%s", text);
}

static void
append_tiers(GString *text, const LpMachineFacts *facts)
{
    static const char *const columns[] = {
        "tier", "technology", "#links", "#link bandwidth", "#latency", "#oversubscription", NULL};
    g_autoptr(LpTextTable) table = lp_text_table_new(columns);
    for (guint32 i = 0; i < facts->n_tiers; i++) {
        const LpTierFacts *tier = &facts->tiers[i];
        lp_text_table_add_row(table);
        lp_text_table_add_cell(table, "%s", tier->name);
        lp_text_table_add_cell(table, "%s", lp_technology_names[tier->technology]);
        lp_text_table_add_cell(table, "%" G_GUINT64_FORMAT, tier->n_links);
        lp_text_table_add_quantity(table, LP_QUANTITY_BANDWIDTH, tier->link_bytes_per_s);
        lp_text_table_add_quantity(table, LP_QUANTITY_TIME, tier->latency_s);
        lp_text_table_add_cell(table, "%.4g", tier->oversubscription);
    }
    g_string_append_c(text, '\n');
    lp_text_table_append(text, table, 0);
}

static void
append_spans(GString *text, const LpFabric *fabric)
{
    static const char *const columns[] = {"#between domains of a block of", "#latency", NULL};
    g_autoptr(LpTextTable) table = lp_text_table_new(columns);
    for (guint32 i = 0; i < fabric->n_tiers; i++) {
        lp_text_table_add_row(table);
        lp_text_table_add_cell(table, "%" G_GUINT64_FORMAT, fabric->tiers[i].span_domains);
        lp_text_table_add_quantity(table, LP_QUANTITY_TIME, fabric->tiers[i].latency_s);
    }
    if (fabric->n_tiers > 0)
        g_string_append_c(text, '\n');
    lp_text_table_append(text, table, 0);
}

/* Which blocks a torus is made of. */
static void
add_blocks_text(LpTextTable *table, const LpMachine *machine)
{
    const LpTorusBlocks *blocks = &machine->blocks;
    const LpTorus *torus = &machine->cluster[LP_ATTACHMENT_SCALE_OUT].torus;
    if (blocks->size == 0)
        return;
    g_autoptr(GString) list = g_string_new(NULL);
    guint64 n = lp_torus_blocks_needed(blocks, torus);
    for (guint64 i = 0; i < n; i++)
        g_string_append_printf(list, " %u", lp_torus_blocks_at(blocks, i));
    add_line(table, "blocks",
             "%u ports a side, %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT ", %u failed:%s",
             blocks->size, n, blocks->n > 0 ? blocks->n : n, blocks->n_failed, list->str);
}

static void
add_shape_text(LpTextTable *table, const LpMachine *machine)
{
    const LpCluster *cluster = &machine->cluster[LP_ATTACHMENT_SCALE_OUT];
    guint32 n_levels = n_tree_levels(machine);
    if (n_levels > 0)
        add_line(table, "tree", "%u %s of switches, %u ports below a leaf", n_levels,
                 n_levels == 1 ? "level" : "levels", cluster->down[0]);
    if (cluster->topology == LP_TOPOLOGY_TORUS) {
        g_autofree char *sizes = lp_topology_torus_parameters(&cluster->torus);
        add_line(table, "dimensions", "%s%s", sizes, cluster->torus.is_twisted ? ", twisted" : "");
        add_blocks_text(table, machine);
    }
    const LpDragonfly *shape = &cluster->dragonfly;
    if (shape->n_groups == 0)
        return;
    g_autofree char *spines =
        shape->n_spines > 0 ? g_strdup_printf(", %u spines", shape->n_spines) : g_strdup("");
    g_autofree char *rows =
        shape->n_rows > 1 ? g_strdup_printf("%u x ", shape->n_rows) : g_strdup("");
    add_line(table, "groups",
             "%u of %s%u routers with %u ports%s, %u links between each two groups",
             shape->n_groups, rows, shape->n_routers, shape->n_ports, spines, shape->group_links);
}

static void
add_planes_text(LpTextTable *table, const LpMachine *machine)
{
    if (machine->rails_relay)
        add_line(table, "rails", "never meet; domains forward what changes the rail");
    if (machine->n_planes > 1 && machine->plane_use == LP_PLANE_USE_STRIPED)
        add_line(table, "planes", "%u, a message in equal parts on all", machine->n_planes);
    if (machine->plane_use == LP_PLANE_USE_CLASS) {
        g_autoptr(GString) classes = g_string_new(NULL);
        for (guint i = 0; lp_plane_class_names[i] != NULL; i++)
            g_string_append_printf(classes, " %s=%u", lp_plane_class_names[i],
                                   machine->traffic_plane[i]);
        add_line(table, "planes", "%u by class:%s", machine->n_planes, classes->str);
    }
    g_autofree char *paths = lp_machine_path_text(machine);
    add_line(table, "paths", "%s", paths);
}

static void
add_bisection_text(LpTextTable *table, const LpMachineFacts *facts)
{
    g_autofree char *bisection =
        lp_quantity_format(LP_QUANTITY_BANDWIDTH, facts->bisection_bytes_per_s);
    g_autofree char *published =
        lp_quantity_format(LP_QUANTITY_BANDWIDTH, facts->published_bytes_per_s);
    if (facts->is_published)
        add_line(table, "bisection", "%s one way; published: %s, deviation %+.1f %%", bisection,
                 published, 100 * facts->published_deviation);
    else
        add_line(table, "bisection", "%s one way", bisection);
}

static void
add_distances_text(GString *text, const LpMachineFacts *facts)
{
    if (facts->farthest_latency_s <= 0)
        return;
    g_autofree char *nearest = lp_quantity_format(LP_QUANTITY_TIME, facts->nearest_latency_s);
    g_autofree char *mean = lp_quantity_format(LP_QUANTITY_TIME, facts->mean_latency_s);
    g_autofree char *farthest = lp_quantity_format(LP_QUANTITY_TIME, facts->farthest_latency_s);
    g_string_append_printf(text,
                           "\nfrom accelerator 0 to other domains: nearest %s, mean %s, "
                           "farthest %s\n",
                           nearest, mean, farthest);
    if (facts->all_to_all_bytes_per_s <= 0)
        return;
    g_autofree char *most =
        lp_quantity_format(LP_QUANTITY_BANDWIDTH, facts->all_to_all_bytes_per_s);
    g_string_append_printf(text, "all-to-all: at most %s from each port to all others\n", most);
}

static void
add_packet_network_text(LpTextTable *table, const LpMachine *machine)
{
    if (!lp_circuit_switch_is_hybrid(&machine->circuits))
        return;
    LpMachine alone = lp_machine_packet_network(machine);
    LpMachineFacts facts = lp_machine_facts(&alone);
    g_autofree char *rate =
        lp_quantity_format(LP_QUANTITY_BANDWIDTH, lp_machine_scale_out_bytes_per_s(&alone));
    add_line(table, "beside circuits",
             "%s per accelerator each way, %s, %" G_GUINT64_FORMAT " ports, oversubscription %.4g",
             rate, lp_topology_names[machine->packet_network.topology],
             machine->packet_network.n_hosts, facts.oversubscription);
}

static void
add_circuits_text(LpTextTable *table, const LpCircuitSwitch *circuits)
{
    if (!circuits->is_present)
        return;
    g_autofree char *dead =
        lp_quantity_format(LP_QUANTITY_TIME, lp_circuit_switch_dead_time_s(circuits));
    add_line(table, "circuits", "%s, %s from request to bytes; %u %s an attachment, %u %s a port%s",
             lp_circuit_policy_names[circuits->policy], dead, circuits->n_ports,
             circuits->n_ports == 1 ? "port" : "ports", circuits->n_wavelengths,
             circuits->n_wavelengths == 1 ? "wavelength" : "wavelengths",
             circuits->scope == LP_CIRCUIT_SCOPE_PLANE ? ", a switch for each port" : "");
}

static void
add_pods_text(LpTextTable *table, const LpFabric *fabric, const LpMachine *machine)
{
    if (machine->pod_domains == 0)
        return;
    g_autofree char *rate = lp_quantity_format(LP_QUANTITY_BANDWIDTH, fabric->pod_bytes_per_s);
    g_autofree char *latency = lp_quantity_format(LP_QUANTITY_TIME, fabric->pod_latency_s);
    add_line(table, "pods", "%u domains each, %s per accelerator each way, %s end to end",
             machine->pod_domains, rate, latency);
}

gboolean
lp_platform_print_text(const LpMachine *machine, GError **error)
{
    LpMachineFacts facts = lp_machine_facts(machine);
    LpFabric fabric = lp_machine_fabric(machine);
    const LpCluster *scale_out = &machine->cluster[LP_ATTACHMENT_SCALE_OUT];
    g_autofree char *up = lp_quantity_format(LP_QUANTITY_BANDWIDTH, fabric.scale_up_bytes_per_s);
    g_autofree char *up_latency = lp_quantity_format(LP_QUANTITY_TIME, fabric.scale_up_latency_s);
    g_autofree char *out = lp_quantity_format(LP_QUANTITY_BANDWIDTH, fabric.scale_out_bytes_per_s);
    g_autoptr(LpTextTable) table = lp_text_table_new((const char *const[]){"", "", NULL});
    g_autoptr(GString) text = g_string_new(NULL);
    add_line(table, "platform", "%s", lp_file_label(machine->path));
    add_line(table, "system", "%s", machine->system);
    add_line(table, "accelerators", "%" G_GUINT64_FORMAT " x %s", machine->n_accelerators,
             machine->accelerator.name);
    add_line(table, "domains", "%" G_GUINT64_FORMAT " of %u", facts.n_domains,
             machine->domain_size);
    add_line(table, "scale-up", "%s per accelerator each way, %s end to end", up, up_latency);
    if (machine->library != NULL)
        add_line(table, "library", "%s", machine->library);
    if (machine->has_scale_out) {
        add_line(table, "scale-out", "%s per accelerator each way, %s, %s order", out,
                 lp_topology_names[scale_out->topology], lp_port_order_names[machine->port_order]);
        if (machine->transport != LP_TRANSPORT_RDMA)
            add_line(table, "transport", "%s", lp_transport_names[machine->transport]);
        add_line(table, "ports",
                 "%" G_GUINT64_FORMAT " (%u a domain, units of %u domains), %" G_GUINT64_FORMAT
                 " used",
                 scale_out->n_hosts, machine->cards_per_domain, machine->unit_domains,
                 facts.n_domains * machine->cards_per_domain);
        add_shape_text(table, machine);
        add_planes_text(table, machine);
        add_circuits_text(table, &machine->circuits);
        add_packet_network_text(table, machine);
        add_pods_text(table, &fabric, machine);
    } else {
        add_line(table, "scale-out", "none");
    }
    add_bisection_text(table, &facts);
    add_line(table, "oversubscription", "%.4g", facts.oversubscription);
    lp_text_table_append(text, table, 0);
    append_tiers(text, &facts);
    if (machine->has_scale_out)
        append_spans(text, &fabric);
    add_distances_text(text, &facts);
    g_autoptr(json_t) result = json_object();
    lp_network_add_json(result, machine);
    lp_report_append_part(text, result, "/network");
    if (machine->warning != NULL)
        g_string_append_printf(text, "\nwarning     %s\n", machine->warning);
    return lp_print_result(text->str, error);
}
