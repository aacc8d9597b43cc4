/* SPDX-License-Identifier: Apache-2.0 */
/* The table of a machine's options, and the reading of their values. */
#include "platforms/generation/machine_options.h"

#include "base/error.h"
#include "base/units.h"
#include "platforms/catalogue/libraries.h"
#include "platforms/machine/plane_classes.h"

#include <string.h>

#define COMMAND LP_OPTION_ON_COMMAND_LINE
#define SYSTEMS LP_OPTION_IN_SYSTEMS
#define NEEDED (COMMAND | SYSTEMS | LP_OPTION_NEEDED)
#define OPTIONAL (COMMAND | SYSTEMS)
#define SCALE_UP (COMMAND | SYSTEMS | LP_OPTION_IN_SCALE_UP)
#define SCALE_OUT (COMMAND | SYSTEMS | LP_OPTION_IN_SCALE_OUT)

#define VALUE(kind_, member)                                                                       \
    .kind = LP_OPTION_KIND_##kind_, .offset = G_STRUCT_OFFSET(LpMachineSpecification, member)
#define COUNT(member) VALUE(COUNT, member), .minimum = 1, .maximum = LP_MACHINE_HOSTS_MAX
#define BANDWIDTH(member)                                                                          \
    VALUE(BANDWIDTH, member), .minimum = LP_MACHINE_BYTES_PER_S_MIN,                               \
                              .maximum = LP_MACHINE_BYTES_PER_S_MAX
#define TIME(member) VALUE(TIME, member), .minimum = 0, .maximum = LP_MACHINE_LATENCY_MAX_S
#define CHOICE(member, list) VALUE(CHOICE, member), .names = list
#define RATIO(member) VALUE(RATIO, member), .minimum = 1, .maximum = LP_MACHINE_HOSTS_MAX

#define ON(topology) (1u << LP_TOPOLOGY_##topology)
#define DRAGONFLIES (ON(DRAGONFLY) | ON(DRAGONFLY_PLUS))

/* The last arguments: the kind of the value, where it is stored, and what else holds of it. */
#define ROW(id, name_, value_, help_, flags_, ...)                                                 \
    [LP_MACHINE_OPTION_##                                                                          \
        id] = {.name = name_, .value = value_, .help = help_, .flags = flags_, __VA_ARGS__}
/* A property of the accelerator, by its place in lp_accelerator_property_names. */
#define PROPERTY(index, name, value, help)                                                         \
    ROW(PROPERTY + (index), name, value, help, COMMAND, VALUE(PROPERTY, accelerator))

/* A property of the circuit switch, by its place in lp_circuit_property_names. */
#define CIRCUIT(id, name, value, help)                                                             \
    ROW(id, name, value, help, SCALE_OUT, VALUE(CIRCUIT, circuits))

/* The first of lp_topology_names. */
static const char *const beside_names[] = {"crossbar", "fat-tree", NULL};
static const char *const level_names[] = {"auto", "2", "3", NULL};

const LpMachineOption lp_machine_options[LP_N_MACHINE_OPTIONS] = {
    ROW(SYSTEM, "system", "NAME", "What to generate (required; see list)", COMMAND,
        VALUE(SYSTEM, system)),
    ROW(ACCELERATORS, "accelerators", "N", "How many accelerators (required)", COMMAND,
        COUNT(n_accelerators)),
    ROW(ACCELERATOR, "accelerator", "NAME", "Which accelerator (see list)", NEEDED,
        VALUE(ACCELERATOR, accelerator)),
    ROW(DOMAIN_SIZE, "domain-size", "N", "Accelerators of a scale-up domain", NEEDED,
        COUNT(domain.size)),
    ROW(DOMAIN_BANDWIDTH, "domain-bandwidth", "RATE", "Per accelerator, each way", NEEDED,
        BANDWIDTH(domain.bytes_per_s)),
    ROW(DOMAIN_LATENCY, "domain-latency", "TIME", "Per link; a route has two", NEEDED,
        TIME(domain.latency_s)),
    ROW(DOMAIN_TECHNOLOGY, "domain-technology", "NAME",
        "electrical, optical or a link of list --technologies", NEEDED, VALUE(LINK, domain.link)),
    ROW(TOPOLOGY, "topology", "NAME", "crossbar, fat-tree, torus, dragonfly, dragonfly-plus",
        NEEDED, CHOICE(scale_out.topology, lp_topology_names)),
    ROW(SCALE_OUT_BANDWIDTH, "scale-out-bandwidth", "RATE", "Per accelerator, each way, all planes",
        NEEDED, BANDWIDTH(scale_out.bytes_per_s)),
    ROW(SCALE_OUT_LATENCY, "scale-out-latency", "TIME",
        "Per link; 2 links under a leaf, 4 over a spine", NEEDED, TIME(scale_out.latency_s)),
    ROW(ACCELERATORS_PER_NIC, "accelerators-per-nic", "N",
        "Accelerators that share a scale-out port", SYSTEMS | LP_OPTION_NEEDED,
        COUNT(scale_out.accelerators_per_port)),
    ROW(NICS_PER_DOMAIN, "nics-per-domain", "N", "Scale-out ports of a domain", COMMAND,
        COUNT(scale_out.domain_ports)),
    ROW(RAILS, "rails", "N", "Scale-out ports of a domain, with --port-order=rail", COMMAND,
        COUNT(scale_out.n_rails)),
    ROW(PORT_ORDER, "port-order", "NAME", "node, or rail: a leaf serves one rail", NEEDED,
        CHOICE(scale_out.port_order, lp_port_order_names)),
    ROW(LEAF_PORTS, "leaf-ports", "N", "Ports below a leaf switch", NEEDED, COUNT(tree.leaf_ports)),
    ROW(OVERSUBSCRIPTION, "oversubscription", "N", "Ports below a leaf over links above: N or N:M",
        NEEDED, RATIO(tree.oversubscription)),
    ROW(TECHNOLOGY, "technology", "NAME", "Scale-out fabric: as --domain-technology", NEEDED,
        VALUE(LINK, scale_out.link)),
    ROW(LEVELS, "levels", "N", "Of a fat tree: 2, 3 or auto, as switches need", OPTIONAL,
        CHOICE(tree.levels, level_names), .topologies = ON(FAT_TREE)),
    ROW(SPINE_OVERSUBSCRIPTION, "spine-oversubscription", "N",
        "Leaves below a spine over links above, in three levels", OPTIONAL,
        RATIO(tree.spine_oversubscription), .topologies = ON(FAT_TREE)),
    ROW(SWITCH_PORTS, "switch-ports", "N", "Of a switch: decides about levels", OPTIONAL,
        COUNT(tree.switch_ports)),
    ROW(NIC_BANDWIDTH, "nic-bandwidth", "RATE", "Of a port, instead of --scale-out-bandwidth",
        OPTIONAL, BANDWIDTH(scale_out.port_bytes_per_s)),
    ROW(DIMENSIONS, "dimensions", "SIZES", "Of a torus: 16x16x16, or how many", OPTIONAL,
        VALUE(DIMENSIONS, torus), .minimum = 2, .maximum = LP_MACHINE_HOSTS_MAX,
        .topologies = ON(TORUS)),
    ROW(TURNS, "turns", "BOOL", "Of a torus: ports take turns at ways of equal length", OPTIONAL,
        VALUE(BOOLEAN, torus.takes_turns), .topologies = ON(TORUS)),
    ROW(TWIST, "twist", "BOOL", "Of a torus of sizes n and 2n; its ports take turns", OPTIONAL,
        VALUE(BOOLEAN, torus.is_twisted), .topologies = ON(TORUS)),
    ROW(GROUP_ROUTERS, "group-routers", "N", "Dragonflies: routers of a group", OPTIONAL,
        COUNT(dragonfly.group_routers), .topologies = DRAGONFLIES),
    ROW(ROUTER_PORTS, "router-ports", "N", "Dragonflies: ports below a router", OPTIONAL,
        COUNT(dragonfly.router_ports), .topologies = DRAGONFLIES),
    ROW(LOCAL_LINKS, "local-links", "N", "Dragonfly: between two routers of a group", OPTIONAL,
        COUNT(dragonfly.local_links), .topologies = DRAGONFLIES),
    ROW(GLOBAL_LINKS, "global-links", "N", "Dragonflies: between two groups", OPTIONAL,
        COUNT(dragonfly.global_links), .topologies = DRAGONFLIES),
    ROW(GROUP_SPINES, "group-spines", "N", "Dragonfly+: spines of a group", OPTIONAL,
        COUNT(dragonfly.group_spines), .topologies = ON(DRAGONFLY_PLUS)),
    ROW(JOINED_RAILS, "joined-rails", "BOOL", "no: rails never meet", OPTIONAL,
        VALUE(BOOLEAN, scale_out.has_joined_rails)),
    ROW(PLANES, "planes", "N", "Equal fabrics side by side", SCALE_OUT, COUNT(planes.n)),
    ROW(PLANE_USE, "plane-use", "NAME", "striped, or class: a plane for each class", SCALE_OUT,
        CHOICE(planes.use, lp_plane_use_names)),
    ROW(PLANE_CLASSES, "plane-classes", "LIST", "Such as \"tp=0 pp=0 dp=1 ep=1 cp=0\"", SCALE_OUT,
        VALUE(CLASSES, planes.traffic_plane), .minimum = 0, .maximum = LP_MACHINE_PLANES_MAX - 1),
    ROW(PATH_CHOICE, "path-choice", "NAME", "In a fat tree: static or hash", SCALE_OUT,
        CHOICE(paths.choice, lp_path_choice_names)),
    ROW(PATHS, "paths", "N", "By hash: how many to each port", SCALE_OUT, COUNT(paths.n_paths)),
    ROW(PATH_SEED, "path-seed", "N", "Of the hash (1)", SCALE_OUT, COUNT(paths.seed)),
    ROW(PCIE_PORTS, "pcie-ports", "N", "Ports that share a PCIe link", SCALE_OUT,
        COUNT(pcie.n_ports)),
    ROW(PCIE_BANDWIDTH, "pcie-bandwidth", "RATE", "Of that link, each way", SCALE_OUT,
        BANDWIDTH(pcie.bytes_per_s)),
    ROW(TRANSPORT, "transport", "NAME",
        "Between hosts: rdma, tcp: over sockets, omni-path: out of their memory, tcpx or tcpxo: "
        "Google Cloud's",
        SCALE_OUT, CHOICE(transport, lp_transport_names)),
    ROW(INCAST_LOSS, "incast-loss", "X",
        "A port with n flows coming in carries 1 / (1 + X (n - 1)) of its rate (0)", SCALE_OUT,
        VALUE(NUMBER, incast_loss), .minimum = 0, .maximum = LP_MACHINE_INCAST_LOSS_MAX),
    ROW(TRANSCEIVERS, "transceivers", "NAME",
        "Of the scale-out fabric: both ends of a link, or host: light goes on to the next host "
        "(as its switches are)",
        SCALE_OUT, CHOICE(transceivers, lp_transceivers_names)),
    ROW(LIBRARY, "library", "NAME", "Communication library of the machine, for auto", SCALE_UP,
        VALUE(LIBRARY, library)),
    ROW(PAIR_BANDWIDTH, "pair-bandwidth", "RATE", "NVLink bridge of two neighbours, each way",
        SCALE_UP, BANDWIDTH(host.pair_bytes_per_s)),
    ROW(ROOT_ACCELERATORS, "root-accelerators", "N", "Accelerators that share a PCIe root",
        SCALE_UP, COUNT(host.root_accelerators)),
    ROW(ROOT_BANDWIDTH, "root-bandwidth", "RATE", "Of a root's link to the host, each way",
        SCALE_UP, BANDWIDTH(host.root_bytes_per_s)),
    ROW(ROOT_CARDS, "root-cards", "NAME", "Network cards hang outside or inside of the roots",
        SCALE_UP, CHOICE(host.root_cards, lp_root_cards_names)),
    ROW(BLOCK_SIZE, "block-size", "N", "Of a torus of blocks: ports along each side of one",
        SCALE_OUT, COUNT(blocks.size), .topologies = ON(TORUS)),
    ROW(BLOCKS, "blocks", "N", "That the machine has (as many as the torus needs)", SCALE_OUT,
        COUNT(blocks.n), .topologies = ON(TORUS)),
    ROW(FAILED_BLOCKS, "failed-blocks", "LIST", "Such as 3,17: the torus is set up around them",
        SCALE_OUT, VALUE(BLOCKS, blocks), .topologies = ON(TORUS)),
    ROW(POD_DOMAINS, "pod-domains", "N", "Domains of a pod, which a network of their own joins",
        SCALE_OUT, COUNT(pods.n_domains)),
    ROW(POD_BANDWIDTH, "pod-bandwidth", "RATE", "Of that network, per scale-out port, each way",
        SCALE_OUT, BANDWIDTH(pods.bytes_per_s)),
    ROW(POD_LATENCY, "pod-latency", "TIME", "Per link of it (as --scale-out-latency)", SCALE_OUT,
        TIME(pods.latency_s)),
    CIRCUIT(POLICY, "policy", "NAME",
            "Circuits are switched: static, demand, provision, phase, rotor or hybrid"),
    CIRCUIT(CIRCUIT_PORTS, "circuit-ports", "N",
            "Ports of an attachment at circuit switches (1); so --ports-per-accelerator"),
    CIRCUIT(CIRCUIT_SCOPE, "circuit-scope", "NAME", "all, or plane: a switch for each port"),
    CIRCUIT(CIRCUIT_YIELD, "circuit-yield", "NAME", "drain, or preempt what is in flight"),
    CIRCUIT(WAVELENGTHS, "wavelengths", "N", "Of a port, each in a circuit of its own (1)"),
    CIRCUIT(WAVELENGTH_BANDWIDTH, "wavelength-bandwidth", "RATE",
            "Of one, each way (as fast as the attachment)"),
    CIRCUIT(OCS_PORTS, "ocs-ports", "N", "Of a circuit switch (as many as are needed)"),
    CIRCUIT(CONTROL_TIME, "control-time", "TIME", "Until a circuit switch acts (0s)"),
    CIRCUIT(RECONFIGURATION_TIME, "reconfiguration-time", "TIME",
            "Until a new circuit has settled (0s)"),
    CIRCUIT(RELOCK_TIME, "relock-time", "TIME", "Until its link is up again (0s)"),
    CIRCUIT(HOLD_TIME, "hold-time", "TIME", "A circuit stands at least so long (0s)"),
    CIRCUIT(INSERTION_LOSS, "insertion-loss", "DB", "Of a circuit switch"),
    CIRCUIT(LINK_BUDGET, "link-budget", "DB", "Loss that a link bears"),
    CIRCUIT(SLOT_TIME, "slot-time", "TIME", "Of a rotor: from one matching to the next"),
    CIRCUIT(ROTOR_HOPS, "rotor-hops", "N", "Circuits of a rotor that a byte may take: 1 or 2 (2)"),
    CIRCUIT(HYBRID_POLICY, "hybrid-policy", "NAME",
            "Of a hybrid's circuits: demand, provision or phase (provision)"),
    CIRCUIT(ELECTRICAL_BANDWIDTH, "electrical-bandwidth", "RATE",
            "Of the network beside them, per attachment, each way (0: none)"),
    CIRCUIT(CIRCUIT_TRAFFIC, "circuit-traffic", "LIST",
            "Classes that a hybrid's circuits carry, such as \"dp pp\" (all)"),
    CIRCUIT(CIRCUIT_MIN_BYTES, "circuit-min-bytes", "SIZE",
            "What is smaller goes beside a hybrid's circuits (0B)"),
    CIRCUIT(REGION_DOMAINS, "region-domains", "N", "Domains that a circuit switch joins (all)"),
    CIRCUIT(CIRCUIT_FORECAST, "circuit-forecast", "NAME",
            "Experts' demand is known at the gate, or ahead (gate)"),
    CIRCUIT(FORECAST_ERROR, "forecast-error", "X",
            "Spread of the forecast over the demand: exp(X times a normal number) (0)"),
    CIRCUIT(CIRCUIT_CHANGES, "circuit-changes", "NAME",
            "Experts' circuits change always, or where it is a gain (always)"),
    ROW(ELECTRICAL_TOPOLOGY, "electrical-topology", "NAME",
        "Of the network beside circuits: crossbar, or fat-tree, which tree options shape", COMMAND,
        CHOICE(beside.topology, beside_names)),
    ROW(ELECTRICAL_TECHNOLOGY, "electrical-technology", "NAME",
        "Its links: as --technology, for price and power", COMMAND, VALUE(LINK, beside.link)),
    ROW(ELECTRICAL_SWITCH_TECHNOLOGY, "electrical-switch-technology", "NAME",
        "Its switches: as --switch-technology", COMMAND, VALUE(SWITCH, beside.switches)),
    ROW(PUBLISHED_BISECTION, "published-bisection", "RATE",
        "What a source says of the bisection, one way", SYSTEMS,
        VALUE(BANDWIDTH, published.bisection_bytes_per_s), .minimum = LP_MACHINE_BYTES_PER_S_MIN,
        .maximum = LP_MACHINE_BYTES_PER_S_MAX * LP_MACHINE_HOSTS_MAX),
    ROW(PUBLISHED_BISECTION_ACCELERATORS, "published-bisection-accelerators", "N",
        "Of a machine of so many accelerators", SYSTEMS, COUNT(published.n_accelerators)),
    ROW(PORTS_PER_ACCELERATOR, "ports-per-accelerator", "N",
        "As --planes: a port for each plane; where circuits are switched, as --circuit-ports",
        COMMAND, COUNT(planes.ports_per_accelerator)),
    ROW(SWITCH_TECHNOLOGY, "switch-technology", "NAME",
        "Scale-out fabric: a switch of list --technologies", COMMAND,
        VALUE(SWITCH, scale_out.switches)),
    PROPERTY(0, "peak-fp32", "RATE", "The accelerator's dense fp32 peak, such as 20Tf"),
    PROPERTY(1, "peak-tf32", "RATE", "Its tf32 peak"),
    PROPERTY(2, "peak-fp16", "RATE", "Its fp16 peak"),
    PROPERTY(3, "peak-bf16", "RATE", "Its bf16 peak"),
    PROPERTY(4, "peak-fp8", "RATE", "Its fp8 peak"),
    PROPERTY(5, "peak-fp8-block", "RATE",
             "Its peak in fp8 with scales by block, where it is not fp8's"),
    PROPERTY(6, "peak-mxfp8", "RATE", "Its mxfp8 peak"),
    PROPERTY(7, "peak-nvfp4", "RATE", "Its nvfp4 peak"),
    PROPERTY(8, "peak-int8", "RATE", "Its peak in integers of 8 bits"),
    PROPERTY(9, "peak-mxfp4", "RATE", "Its mxfp4 peak, where it is not nvfp4's"),
    PROPERTY(10, "memory", "SIZE", "Its memory"),
    PROPERTY(11, "memory-bandwidth", "RATE", "Its memory bandwidth"),
    PROPERTY(12, "gemm-efficiency", "FRACTION", "Fraction of the peak that matrix products reach"),
    PROPERTY(13, "memory-efficiency", "FRACTION",
             "Fraction of memory bandwidth that products reach"),
    PROPERTY(14, "launch", "TIME", "What a kernel costs beyond its work"),
    PROPERTY(15, "attention-efficiency", "FRACTION",
             "Fraction of the peak that fused attention reaches"),
    PROPERTY(16, "elementwise-efficiency", "FRACTION",
             "Fraction of memory bandwidth that other kernels reach"),
    PROPERTY(17, "host-kernel", "TIME", "What issuing a kernel costs the host"),
    PROPERTY(18, "host-collective", "TIME", "What issuing a collective costs the host"),
};
/* A row for each property of the catalogue; a test holds the names against it. */
G_STATIC_ASSERT(LP_N_ACCELERATOR_PROPERTIES == 19);

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
    LpTorus torus = {.takes_turns = out_torus->takes_turns, .is_twisted = out_torus->is_twisted};
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
