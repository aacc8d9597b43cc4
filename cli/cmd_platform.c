/* SPDX-License-Identifier: Apache-2.0 */
/* lightpath platform: generates, describes, checks and lists machines. */
#include "cli/commands.h"
#include "cli/options.h"

#include "base/error.h"
#include "base/file.h"
#include "base/units.h"
#include "platforms/catalogue.h"
#include "platforms/describe.h"
#include "platforms/generate.h"
#include "platforms/topology.h"
#include "report/json.h"

#include <string.h>

/* Options that wait for optical circuits. */
typedef struct {
    const char *name;
    const char *trivial; /* the value that changes nothing, or NULL */
    const char *help;
    char *text; /* owned */
} Reserved;

static gboolean
check_reserved(const Reserved *reserved, gsize n_reserved, GError **error)
{
    for (gsize i = 0; i < n_reserved; i++) {
        if (reserved[i].text == NULL || g_strcmp0(reserved[i].text, reserved[i].trivial) == 0)
            continue;
        g_autofree char *shown = lp_error_quote(reserved[i].text);
        return lp_usage_error(error, "--%s: %s, wanted %s: not available yet", reserved[i].name,
                              shown,
                              reserved[i].trivial != NULL ? reserved[i].trivial : "no such option");
    }
    return TRUE;
}

/* An option of generate, and the member of LpGenerateOptions that it sets. */
typedef struct {
    const char *name;
    gsize offset;
    const char *help;
    const char *value;
    char *text; /* owned */
} Setting;

#define SETTING(name, member, value, help)                                                         \
    {                                                                                              \
        name, G_STRUCT_OFFSET(LpGenerateOptions, member), help, value, NULL                        \
    }

/* A property of the accelerator, by its place in lp_accelerator_property_names. */
#define PROPERTY(index, value, help)                                                               \
    {                                                                                              \
        lp_accelerator_property_names[index],                                                      \
            G_STRUCT_OFFSET(LpGenerateOptions, properties[index]), help, value, NULL               \
    }

static gboolean
generate(Setting *settings, gsize n_settings, const char *output, GError **error)
{
    LpGenerateOptions options = {.system = NULL};
    for (gsize i = 0; i < n_settings; i++)
        G_STRUCT_MEMBER(const char *, &options, settings[i].offset) = settings[i].text;
    if (options.system == NULL)
        return lp_usage_error(error,
                              "--system: missing, wanted a name of \"lightpath platform list\"");
    if (options.accelerators == NULL)
        return lp_usage_error(error, "--accelerators: missing, wanted their number");
    g_autoptr(GError) fault = NULL;
    g_autofree char *xml = lp_generate(&options, &fault);
    if (xml == NULL)
        return lp_usage_error(error, "%s", fault->message);
    return lp_file_write(output != NULL ? output : "-", xml, strlen(xml), error);
}

static GOptionEntry
string_entry(const char *name, char **text, const char *help, const char *value)
{
    return (GOptionEntry){.long_name = name,
                          .arg = G_OPTION_ARG_STRING,
                          .arg_data = text,
                          .description = help,
                          .arg_description = value};
}

static gboolean
cmd_generate(int argc, char **argv, GError **error)
{
    Setting settings[] = {
        SETTING("system", system, "NAME", "What to generate (required; see list)"),
        SETTING("accelerators", accelerators, "N", "How many accelerators (required)"),
        SETTING("accelerator", accelerator, "NAME", "Which accelerator (see list)"),
        SETTING("domain-size", domain_size, "N", "Accelerators of a scale-up domain"),
        SETTING("domain-bandwidth", domain_bandwidth, "RATE", "Per accelerator, each way"),
        SETTING("domain-latency", domain_latency, "TIME", "Per link; a route has two"),
        SETTING("domain-technology", domain_technology, "NAME", "electrical or optical"),
        SETTING("topology", topology, "NAME",
                "crossbar, fat-tree, torus, dragonfly, dragonfly-plus"),
        SETTING("scale-out-bandwidth", scale_out_bandwidth, "RATE",
                "Per accelerator, each way, all planes"),
        SETTING("nic-bandwidth", nic_bandwidth, "RATE", "Of a port, instead"),
        SETTING("scale-out-latency", scale_out_latency, "TIME",
                "Per link; 2 links under a leaf, 4 over a spine"),
        SETTING("nics-per-domain", nics_per_domain, "N", "Scale-out ports of a domain"),
        SETTING("rails", rails, "N", "The same, with --port-order=rail"),
        SETTING("port-order", port_order, "NAME", "node, or rail: a leaf serves one rail"),
        SETTING("leaf-ports", leaf_ports, "N", "Ports below a leaf switch"),
        SETTING("oversubscription", oversubscription, "N",
                "Ports below a leaf over links above: N or N:M"),
        SETTING("technology", technology, "NAME", "Scale-out fabric: electrical or optical"),
        SETTING("levels", levels, "N", "Of a fat tree: 2, 3 or auto, as switches need"),
        SETTING("spine-oversubscription", spine_oversubscription, "N",
                "Leaves below a spine over links above, in three levels"),
        SETTING("switch-ports", switch_ports, "N", "Of a switch: decides about levels"),
        SETTING("dimensions", dimensions, "SIZES", "Of a torus: 16x16x16, or how many"),
        SETTING("group-routers", group_routers, "N", "Dragonflies: routers of a group"),
        SETTING("router-ports", router_ports, "N", "Dragonflies: ports below a router"),
        SETTING("local-links", local_links, "N", "Dragonfly: between two routers of a group"),
        SETTING("global-links", global_links, "N", "Dragonflies: between two groups"),
        SETTING("group-spines", group_spines, "N", "Dragonfly+: spines of a group"),
        SETTING("joined-rails", joined_rails, "BOOL", "no: rails never meet"),
        SETTING("planes", planes, "N", "Equal fabrics side by side"),
        SETTING("ports-per-accelerator", ports_per_accelerator, "N",
                "The same: a port for each plane"),
        SETTING("plane-use", plane_use, "NAME", "striped, or class: a plane for each class"),
        SETTING("plane-classes", plane_classes, "LIST", "Such as \"tp=0 pp=0 dp=1 ep=1 cp=0\""),
        SETTING("path-choice", path_choice, "NAME", "In a fat tree: static or hash"),
        SETTING("paths", paths, "N", "By hash: how many to each port"),
        SETTING("path-seed", path_seed, "N", "Of the hash (1)"),
        SETTING("pcie-ports", pcie_ports, "N", "Ports that share a PCIe link"),
        SETTING("pcie-bandwidth", pcie_bandwidth, "RATE", "Of that link, each way"),
        PROPERTY(0, "RATE", "The accelerator's dense fp32 peak, such as 20Tf"),
        PROPERTY(1, "RATE", "Its tf32 peak"),
        PROPERTY(2, "RATE", "Its fp16 peak"),
        PROPERTY(3, "RATE", "Its bf16 peak"),
        PROPERTY(4, "RATE", "Its fp8 peak"),
        PROPERTY(5, "SIZE", "Its memory"),
        PROPERTY(6, "RATE", "Its memory bandwidth"),
        PROPERTY(7, "FRACTION", "Fraction of the peak that matrix products reach"),
        PROPERTY(8, "FRACTION", "Fraction of memory bandwidth that products reach"),
        PROPERTY(9, "TIME", "What a kernel costs beyond its work"),
        PROPERTY(10, "FRACTION", "Fraction of the peak that fused attention reaches"),
        PROPERTY(11, "FRACTION", "Fraction of memory bandwidth that other kernels reach"),
        PROPERTY(12, "TIME", "What issuing a kernel costs the host"),
        PROPERTY(13, "TIME", "What issuing a collective costs the host"),
    };
    Reserved reserved[] = {
        {"ocs-ports", NULL, "Not available yet", NULL},
        {"wavelengths", "1", "Not available yet", NULL},
        {"wavelength-bandwidth", NULL, "Not available yet", NULL},
        {"reconfiguration-time", NULL, "Not available yet", NULL},
        {"policy", "static", "Not available yet", NULL},
    };
    g_autofree char *output = NULL;
    GOptionEntry entries[G_N_ELEMENTS(settings) + G_N_ELEMENTS(reserved) + 2] = {
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "Where to write (standard output)",
         "FILE"}};
    gsize n_entries = 1;
    for (gsize i = 0; i < G_N_ELEMENTS(settings); i++)
        entries[n_entries++] =
            string_entry(settings[i].name, &settings[i].text, settings[i].help, settings[i].value);
    for (gsize i = 0; i < G_N_ELEMENTS(reserved); i++)
        entries[n_entries++] =
            string_entry(reserved[i].name, &reserved[i].text, reserved[i].help, "VALUE");
    gboolean good = lp_options_parse("platform generate", "--system=NAME --accelerators=N",
                                     "Writes the platform file of a machine. Values carry units: "
                                     "25GBps, 200Gbps, 1us.",
                                     entries, &argc, &argv, 0, 0, error) &&
                    check_reserved(reserved, G_N_ELEMENTS(reserved), error) &&
                    generate(settings, G_N_ELEMENTS(settings), output, error);
    for (gsize i = 0; i < G_N_ELEMENTS(settings); i++)
        g_free(settings[i].text);
    for (gsize i = 0; i < G_N_ELEMENTS(reserved); i++)
        g_free(reserved[i].text);
    return good;
}

static void
add_bisection_json(JsonBuilder *builder, const LpMachineFacts *facts)
{
    lp_json_number(builder, "bisection_bytes_per_s", facts->bisection_bytes_per_s);
    if (!facts->is_published)
        return;
    lp_json_number(builder, "published_bisection_bytes_per_s", facts->published_bytes_per_s);
    lp_json_number(builder, "bisection_deviation_fraction", facts->published_deviation);
}

/* Planes, paths and PCIe links, and how far ports of a torus or dragonfly are apart. */
static void
add_fabric_json(JsonBuilder *builder, const LpMachine *machine, const LpMachineFacts *facts)
{
    g_autofree char *paths = lp_machine_path_text(machine);
    lp_json_text(builder, "path_choice", lp_path_choice_names[machine->path_choice]);
    lp_json_text(builder, "path_choice_text", paths);
    lp_json_count(builder, "paths", machine->n_paths);
    lp_json_count(builder, "planes", machine->n_planes);
    lp_json_text(builder, "plane_use", lp_plane_use_names[machine->plane_use]);
    lp_json_text(builder, "joined_rails", machine->rails_relay ? "no" : "yes");
    if (facts->farthest_latency_s > 0) {
        lp_json_number(builder, "nearest_latency_s", facts->nearest_latency_s);
        lp_json_number(builder, "mean_latency_s", facts->mean_latency_s);
        lp_json_number(builder, "farthest_latency_s", facts->farthest_latency_s);
    }
}

static void
add_tiers_json(JsonBuilder *builder, const LpMachineFacts *facts, const LpFabric *fabric,
               gboolean has_scale_out)
{
    lp_json_begin_array(builder, "tiers");
    for (guint32 i = 0; i < facts->n_tiers; i++) {
        const LpTierFacts *tier = &facts->tiers[i];
        json_builder_begin_object(builder);
        lp_json_text(builder, "name", tier->name);
        lp_json_text(builder, "technology", lp_technology_names[tier->technology]);
        lp_json_count(builder, "links", tier->n_links);
        lp_json_number(builder, "link_bytes_per_s", tier->link_bytes_per_s);
        lp_json_number(builder, "latency_s", tier->latency_s);
        lp_json_number(builder, "oversubscription", tier->oversubscription);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    lp_json_begin_array(builder, "distances");
    for (guint32 i = 0; has_scale_out && i < fabric->n_tiers; i++) {
        json_builder_begin_object(builder);
        lp_json_count(builder, "domains", fabric->tiers[i].span_domains);
        lp_json_number(builder, "latency_s", fabric->tiers[i].latency_s);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
}

static gboolean
describe_json(const LpMachine *machine, GError **error)
{
    LpMachineFacts facts = lp_machine_facts(machine);
    LpFabric fabric = lp_machine_fabric(machine);
    const LpCluster *scale_out = &machine->cluster[LP_ATTACHMENT_SCALE_OUT];
    gboolean has_scale_out = machine->has_scale_out;
    g_autoptr(JsonBuilder) builder = json_builder_new_immutable();
    json_builder_begin_object(builder);
    lp_json_text(builder, "platform", lp_file_label(machine->path));
    lp_json_text(builder, "system", machine->system);
    lp_json_text(builder, "accelerator", machine->accelerator.name);
    lp_json_count(builder, "accelerators", machine->n_accelerators);
    lp_json_count(builder, "domains", facts.n_domains);
    lp_json_count(builder, "domain_size", machine->domain_size);
    lp_json_number(builder, "scale_up_bytes_per_s", fabric.scale_up_bytes_per_s);
    lp_json_number(builder, "scale_up_latency_s", fabric.scale_up_latency_s);
    lp_json_text(builder, "topology",
                 has_scale_out ? lp_topology_names[scale_out->topology] : "none");
    lp_json_text(builder, "port_order", lp_port_order_names[machine->port_order]);
    lp_json_count(builder, "cards_per_domain", has_scale_out ? machine->cards_per_domain : 0);
    lp_json_count(builder, "unit_domains", machine->unit_domains);
    lp_json_count(builder, "ports", scale_out->n_hosts);
    lp_json_count(builder, "ports_used",
                  has_scale_out ? facts.n_domains * machine->cards_per_domain : 0);
    lp_json_number(builder, "scale_out_bytes_per_s", fabric.scale_out_bytes_per_s);
    add_bisection_json(builder, &facts);
    lp_json_number(builder, "oversubscription", facts.oversubscription);
    if (has_scale_out)
        add_fabric_json(builder, machine, &facts);
    add_tiers_json(builder, &facts, &fabric, has_scale_out);
    json_builder_end_object(builder);
    return lp_print_json(json_builder_get_root(builder), error);
}

G_GNUC_PRINTF(3, 4)
static void
add_line(GString *text, const char *name, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_string_append_printf(text, "%-18s ", name);
    g_string_append_vprintf(text, format, arguments);
    g_string_append_c(text, '\n');
    va_end(arguments);
}

static void
add_tiers_text(GString *text, const LpMachineFacts *facts, const LpFabric *fabric,
               gboolean has_scale_out)
{
    g_string_append(text, "\ntier      technology       links  link bandwidth     latency  "
                          "oversubscription\n");
    for (guint32 i = 0; i < facts->n_tiers; i++) {
        const LpTierFacts *tier = &facts->tiers[i];
        g_autofree char *bandwidth =
            lp_quantity_format(LP_QUANTITY_BANDWIDTH, tier->link_bytes_per_s);
        g_autofree char *latency = lp_quantity_format(LP_QUANTITY_TIME, tier->latency_s);
        g_string_append_printf(text, "%-9s %-10s %11" G_GUINT64_FORMAT "  %14s  %10s  %16.4g\n",
                               tier->name, lp_technology_names[tier->technology], tier->n_links,
                               bandwidth, latency, tier->oversubscription);
    }
    if (!has_scale_out || fabric->n_tiers == 0)
        return;
    g_string_append(text, "\nbetween domains of a block of     latency\n");
    for (guint32 i = 0; i < fabric->n_tiers; i++) {
        g_autofree char *latency = lp_quantity_format(LP_QUANTITY_TIME, fabric->tiers[i].latency_s);
        g_string_append_printf(text, "%29" G_GUINT64_FORMAT "  %10s\n",
                               fabric->tiers[i].span_domains, latency);
    }
}

static void
add_shape_text(GString *text, const LpCluster *cluster)
{
    if (cluster->topology == LP_TOPOLOGY_TORUS) {
        g_autofree char *sizes = lp_topology_torus_parameters(&cluster->torus);
        add_line(text, "dimensions", "%s", sizes);
    }
    const LpDragonfly *shape = &cluster->dragonfly;
    if (shape->n_groups == 0)
        return;
    g_autofree char *spines =
        shape->n_spines > 0 ? g_strdup_printf(", %u spines", shape->n_spines) : g_strdup("");
    g_autofree char *rows =
        shape->n_rows > 1 ? g_strdup_printf("%u x ", shape->n_rows) : g_strdup("");
    add_line(text, "groups", "%u of %s%u routers with %u ports%s, %u links between each two groups",
             shape->n_groups, rows, shape->n_routers, shape->n_ports, spines, shape->group_links);
}

static void
add_planes_text(GString *text, const LpMachine *machine)
{
    if (machine->rails_relay)
        add_line(text, "rails", "never meet; domains forward what changes the rail");
    if (machine->n_planes > 1 && machine->plane_use == LP_PLANE_USE_STRIPED)
        add_line(text, "planes", "%u, a message in equal parts on all", machine->n_planes);
    if (machine->plane_use == LP_PLANE_USE_CLASS) {
        g_autoptr(GString) classes = g_string_new(NULL);
        for (guint i = 0; lp_plane_class_names[i] != NULL; i++)
            g_string_append_printf(classes, " %s=%u", lp_plane_class_names[i],
                                   machine->traffic_plane[i]);
        add_line(text, "planes", "%u by class:%s", machine->n_planes, classes->str);
    }
    g_autofree char *paths = lp_machine_path_text(machine);
    add_line(text, "paths", "%s", paths);
}

static void
add_bisection_text(GString *text, const LpMachineFacts *facts)
{
    g_autofree char *bisection =
        lp_quantity_format(LP_QUANTITY_BANDWIDTH, facts->bisection_bytes_per_s);
    g_autofree char *published =
        lp_quantity_format(LP_QUANTITY_BANDWIDTH, facts->published_bytes_per_s);
    if (facts->is_published)
        add_line(text, "bisection", "%s one way; published: %s, deviation %+.1f %%", bisection,
                 published, 100 * facts->published_deviation);
    else
        add_line(text, "bisection", "%s one way", bisection);
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
}

static gboolean
describe_text(const LpMachine *machine, GError **error)
{
    LpMachineFacts facts = lp_machine_facts(machine);
    LpFabric fabric = lp_machine_fabric(machine);
    const LpCluster *scale_out = &machine->cluster[LP_ATTACHMENT_SCALE_OUT];
    g_autofree char *up = lp_quantity_format(LP_QUANTITY_BANDWIDTH, fabric.scale_up_bytes_per_s);
    g_autofree char *up_latency = lp_quantity_format(LP_QUANTITY_TIME, fabric.scale_up_latency_s);
    g_autofree char *out = lp_quantity_format(LP_QUANTITY_BANDWIDTH, fabric.scale_out_bytes_per_s);
    g_autoptr(GString) text = g_string_new(NULL);
    add_line(text, "platform", "%s", lp_file_label(machine->path));
    add_line(text, "system", "%s", machine->system);
    add_line(text, "accelerators", "%" G_GUINT64_FORMAT " x %s", machine->n_accelerators,
             machine->accelerator.name);
    add_line(text, "domains", "%" G_GUINT64_FORMAT " of %u", facts.n_domains, machine->domain_size);
    add_line(text, "scale-up", "%s per accelerator each way, %s end to end", up, up_latency);
    if (machine->has_scale_out) {
        add_line(text, "scale-out", "%s per accelerator each way, %s, %s order", out,
                 lp_topology_names[scale_out->topology], lp_port_order_names[machine->port_order]);
        add_line(text, "ports",
                 "%" G_GUINT64_FORMAT " (%u a domain, units of %u domains), %" G_GUINT64_FORMAT
                 " used",
                 scale_out->n_hosts, machine->cards_per_domain, machine->unit_domains,
                 facts.n_domains * machine->cards_per_domain);
        add_shape_text(text, scale_out);
        add_planes_text(text, machine);
    } else {
        add_line(text, "scale-out", "none");
    }
    add_bisection_text(text, &facts);
    add_line(text, "oversubscription", "%.4g", facts.oversubscription);
    add_tiers_text(text, &facts, &fabric, machine->has_scale_out);
    add_distances_text(text, &facts);
    return lp_print_result(text->str, error);
}

static LpMachine *
load(const char *name, GError **error)
{
    g_autofree char *path = lp_file_find("platforms", name, error);
    return path != NULL ? lp_machine_load(path, error) : NULL;
}

static gboolean
cmd_describe(int argc, char **argv, GError **error)
{
    g_autofree char *format_text = NULL;
    const GOptionEntry entries[] = {
        {"format", 0, 0, G_OPTION_ARG_STRING, &format_text, "text (default) or json", "FORMAT"},
        {NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL}};
    LpFormat format = LP_FORMAT_TEXT;
    if (!lp_options_parse("platform describe", "FILE",
                          "Prints domains, ports, tiers and bisection.", entries, &argc, &argv, 1,
                          1, error) ||
        !lp_format_parse(format_text, &format, error))
        return FALSE;
    g_autoptr(LpMachine) machine = load(argv[1], error);
    if (machine == NULL)
        return FALSE;
    return format == LP_FORMAT_JSON ? describe_json(machine, error) : describe_text(machine, error);
}

static gboolean
cmd_check(int argc, char **argv, GError **error)
{
    const GOptionEntry entries[] = {{NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL}};
    if (!lp_options_parse("platform check", "FILE", "Checks a platform file.", entries, &argc,
                          &argv, 1, 1, error))
        return FALSE;
    g_autoptr(LpMachine) machine = load(argv[1], error);
    if (machine == NULL)
        return FALSE;
    g_autoptr(GString) text = g_string_new(NULL);
    g_string_append_printf(
        text, "%s: ok, %" G_GUINT64_FORMAT " x %s in %" G_GUINT64_FORMAT " domains of %u\n",
        argv[1], machine->n_accelerators, machine->accelerator.name, lp_machine_n_domains(machine),
        machine->domain_size);
    return lp_print_result(text->str, error);
}

/* The names of the catalogue, NULL-ended. */
static char **
accelerator_names(GError **error)
{
    g_autoptr(GArray) accelerators = lp_catalogue_load(error);
    if (accelerators == NULL)
        return NULL;
    char **names = g_new0(char *, accelerators->len + 1);
    for (guint i = 0; i < accelerators->len; i++)
        names[i] = g_strdup(g_array_index(accelerators, LpAccelerator, i).name);
    return names;
}

static gboolean
cmd_list(int argc, char **argv, GError **error)
{
    g_autofree char *format_text = NULL;
    const GOptionEntry entries[] = {
        {"format", 0, 0, G_OPTION_ARG_STRING, &format_text, "text (default) or json", "FORMAT"},
        {NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL}};
    LpFormat format = LP_FORMAT_TEXT;
    if (!lp_options_parse("platform list", NULL,
                          "Lists systems, accelerators and shipped machines.", entries, &argc,
                          &argv, 0, 0, error) ||
        !lp_format_parse(format_text, &format, error))
        return FALSE;
    g_auto(GStrv) systems = lp_generate_systems(error);
    g_auto(GStrv) accelerators = systems != NULL ? accelerator_names(error) : NULL;
    if (accelerators == NULL)
        return FALSE;
    g_auto(GStrv) machines = lp_file_shipped("platforms");
    const struct {
        const char *name;
        char **items;
    } lists[] = {{"systems", systems}, {"accelerators", accelerators}, {"machines", machines}};
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(JsonBuilder) builder = json_builder_new_immutable();
    json_builder_begin_object(builder);
    for (gsize i = 0; i < G_N_ELEMENTS(lists); i++) {
        json_builder_set_member_name(builder, lists[i].name);
        json_builder_begin_array(builder);
        for (char **item = lists[i].items; *item != NULL; item++)
            json_builder_add_string_value(builder, *item);
        json_builder_end_array(builder);
        g_autofree char *joined = g_strjoinv(" ", lists[i].items);
        g_string_append_printf(text, "%-13s %s\n", lists[i].name, joined);
    }
    json_builder_end_object(builder);
    return format == LP_FORMAT_JSON ? lp_print_json(json_builder_get_root(builder), error)
                                    : lp_print_result(text->str, error);
}

static const struct {
    const char *name;
    gboolean (*function)(int, char **, GError **);
    const char *summary;
} commands[] = {
    {"generate", cmd_generate, "write the platform file of a machine"},
    {"describe", cmd_describe, "print domains, ports, tiers and bisection"},
    {"check", cmd_check, "check a platform file"},
    {"list", cmd_list, "list systems, accelerators and shipped machines"},
};

static gboolean
print_help(GError **error)
{
    g_autoptr(GString) text = g_string_new("Usage:\n  lightpath platform COMMAND [OPTION...]\n\n"
                                           "Commands (each with --help):\n");
    for (gsize i = 0; i < G_N_ELEMENTS(commands); i++)
        g_string_append_printf(text, "  %-10s %s\n", commands[i].name, commands[i].summary);
    return lp_print_result(text->str, error);
}

gboolean
lp_cmd_platform(int argc, char **argv, GError **error)
{
    if (argc < 2)
        return lp_usage_error(error,
                              "platform: no command, wanted generate, describe, check or list");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return print_help(error);
    const char *names[G_N_ELEMENTS(commands) + 1] = {NULL};
    for (gsize i = 0; i < G_N_ELEMENTS(commands); i++)
        names[i] = commands[i].name;
    g_autoptr(GError) fault = NULL;
    int place = lp_choice_parse(argv[1], names, &fault);
    if (place < 0)
        return lp_usage_error(error, "platform: %s", fault->message);
    return commands[place].function(argc - 1, argv + 1, error);
}
