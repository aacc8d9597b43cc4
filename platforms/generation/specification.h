/* SPDX-License-Identifier: Apache-2.0 */
/* What a machine that is to be generated is made of: typed values in parts, and who said so. */
#pragma once

#include "platforms/catalogue/catalogue.h"
#include "platforms/catalogue/technologies.h"
#include "platforms/machine/machine.h"

G_BEGIN_DECLS

/** The options of a machine, in the order in which a generated file repeats them. The table,
 * platforms/machine/options.xml, says of each what it is called, what it measures and where it is
 * stored. */
typedef enum { /* made of options.xml */
    LP_MACHINE_OPTION_SYSTEM,
    LP_MACHINE_OPTION_ACCELERATORS,
    LP_MACHINE_OPTION_ACCELERATOR,
    LP_MACHINE_OPTION_DOMAIN_SIZE,
    LP_MACHINE_OPTION_DOMAIN_BANDWIDTH,
    LP_MACHINE_OPTION_DOMAIN_LATENCY,
    LP_MACHINE_OPTION_DOMAIN_TECHNOLOGY,
    LP_MACHINE_OPTION_TOPOLOGY,
    LP_MACHINE_OPTION_SCALE_OUT_BANDWIDTH,
    LP_MACHINE_OPTION_SCALE_OUT_LATENCY,
    LP_MACHINE_OPTION_ACCELERATORS_PER_NIC,
    LP_MACHINE_OPTION_NICS_PER_DOMAIN,
    LP_MACHINE_OPTION_RAILS,
    LP_MACHINE_OPTION_PORT_ORDER,
    LP_MACHINE_OPTION_LEAF_PORTS,
    LP_MACHINE_OPTION_OVERSUBSCRIPTION,
    LP_MACHINE_OPTION_TECHNOLOGY,
    LP_MACHINE_OPTION_LEVELS,
    LP_MACHINE_OPTION_SPINE_OVERSUBSCRIPTION,
    LP_MACHINE_OPTION_SWITCH_PORTS,
    LP_MACHINE_OPTION_NIC_BANDWIDTH,
    LP_MACHINE_OPTION_DIMENSIONS,
    LP_MACHINE_OPTION_TURNS,
    LP_MACHINE_OPTION_TWIST,
    LP_MACHINE_OPTION_GROUP_ROUTERS,
    LP_MACHINE_OPTION_ROUTER_PORTS,
    LP_MACHINE_OPTION_LOCAL_LINKS,
    LP_MACHINE_OPTION_GLOBAL_LINKS,
    LP_MACHINE_OPTION_GROUP_SPINES,
    LP_MACHINE_OPTION_JOINED_RAILS,
    LP_MACHINE_OPTION_PLANES,
    LP_MACHINE_OPTION_PLANE_USE,
    LP_MACHINE_OPTION_PLANE_CLASSES,
    LP_MACHINE_OPTION_PATH_CHOICE,
    LP_MACHINE_OPTION_PATHS,
    LP_MACHINE_OPTION_PATH_SEED,
    LP_MACHINE_OPTION_PCIE_PORTS,
    LP_MACHINE_OPTION_PCIE_BANDWIDTH,
    LP_MACHINE_OPTION_TRANSPORT,
    LP_MACHINE_OPTION_INCAST_LOSS,
    LP_MACHINE_OPTION_TRANSCEIVERS,
    LP_MACHINE_OPTION_LIBRARY,
    LP_MACHINE_OPTION_PAIR_BANDWIDTH,
    LP_MACHINE_OPTION_ROOT_ACCELERATORS,
    LP_MACHINE_OPTION_ROOT_BANDWIDTH,
    LP_MACHINE_OPTION_ROOT_CARDS,
    LP_MACHINE_OPTION_BLOCK_SIZE,
    LP_MACHINE_OPTION_BLOCKS,
    LP_MACHINE_OPTION_FAILED_BLOCKS,
    LP_MACHINE_OPTION_POD_DOMAINS,
    LP_MACHINE_OPTION_POD_BANDWIDTH,
    LP_MACHINE_OPTION_POD_LATENCY,
    LP_MACHINE_OPTION_POLICY,
    LP_MACHINE_OPTION_CIRCUIT_PORTS,
    LP_MACHINE_OPTION_CIRCUIT_SCOPE,
    LP_MACHINE_OPTION_CIRCUIT_YIELD,
    LP_MACHINE_OPTION_WAVELENGTHS,
    LP_MACHINE_OPTION_WAVELENGTH_BANDWIDTH,
    LP_MACHINE_OPTION_OCS_PORTS,
    LP_MACHINE_OPTION_CONTROL_TIME,
    LP_MACHINE_OPTION_RECONFIGURATION_TIME,
    LP_MACHINE_OPTION_RELOCK_TIME,
    LP_MACHINE_OPTION_HOLD_TIME,
    LP_MACHINE_OPTION_INSERTION_LOSS,
    LP_MACHINE_OPTION_LINK_BUDGET,
    LP_MACHINE_OPTION_SLOT_TIME,
    LP_MACHINE_OPTION_ROTOR_HOPS,
    LP_MACHINE_OPTION_HYBRID_POLICY,
    LP_MACHINE_OPTION_ELECTRICAL_BANDWIDTH,
    LP_MACHINE_OPTION_CIRCUIT_TRAFFIC,
    LP_MACHINE_OPTION_CIRCUIT_MIN_BYTES,
    LP_MACHINE_OPTION_REGION_DOMAINS,
    LP_MACHINE_OPTION_CIRCUIT_FORECAST,
    LP_MACHINE_OPTION_FORECAST_ERROR,
    LP_MACHINE_OPTION_CIRCUIT_CHANGES,
    LP_MACHINE_OPTION_ELECTRICAL_TOPOLOGY,
    LP_MACHINE_OPTION_ELECTRICAL_TECHNOLOGY,
    LP_MACHINE_OPTION_ELECTRICAL_SWITCH_TECHNOLOGY,
    LP_MACHINE_OPTION_PUBLISHED_BISECTION,
    LP_MACHINE_OPTION_PUBLISHED_BISECTION_ACCELERATORS,
    LP_MACHINE_OPTION_PORTS_PER_ACCELERATOR,
    LP_MACHINE_OPTION_SWITCH_TECHNOLOGY,
    /** The first of LP_N_ACCELERATOR_PROPERTIES, in the order of lp_accelerator_property_names. */
    LP_MACHINE_OPTION_PROPERTY,
    LP_MACHINE_OPTION_PEAK_FP32 = LP_MACHINE_OPTION_PROPERTY,
    LP_MACHINE_OPTION_PEAK_TF32,
    LP_MACHINE_OPTION_PEAK_FP16,
    LP_MACHINE_OPTION_PEAK_BF16,
    LP_MACHINE_OPTION_PEAK_FP8,
    LP_MACHINE_OPTION_PEAK_FP8_BLOCK,
    LP_MACHINE_OPTION_PEAK_MXFP8,
    LP_MACHINE_OPTION_PEAK_NVFP4,
    LP_MACHINE_OPTION_PEAK_INT8,
    LP_MACHINE_OPTION_PEAK_MXFP4,
    LP_MACHINE_OPTION_MEMORY,
    LP_MACHINE_OPTION_MEMORY_BANDWIDTH,
    LP_MACHINE_OPTION_GEMM_EFFICIENCY,
    LP_MACHINE_OPTION_MEMORY_EFFICIENCY,
    LP_MACHINE_OPTION_LAUNCH,
    LP_MACHINE_OPTION_ATTENTION_EFFICIENCY,
    LP_MACHINE_OPTION_ELEMENTWISE_EFFICIENCY,
    LP_MACHINE_OPTION_HOST_KERNEL,
    LP_MACHINE_OPTION_HOST_COLLECTIVE,
    LP_N_MACHINE_OPTIONS
} LpMachineOptionId;

/** Links below a switch to links above it, as a ratio of whole numbers: 3:2 is {3, 2}. */
typedef struct {
    guint32 below, above;
} LpOversubscription;

/** Levels of switches of a fat tree. */
typedef enum {
    LP_TREE_LEVELS_AUTO, /**< two, or three where switches have too few ports for two */
    LP_TREE_LEVELS_2,
    LP_TREE_LEVELS_3
} LpTreeLevels;

/** What links are made of. */
typedef struct {
    LpTechnology medium;
    LpTechnologyEntry *entry; /**< owned: of the catalogue; NULL: only the medium is said */
} LpLinkSpecification;

/** A scale-up domain. */
typedef struct {
    guint32 size;       /**< accelerators */
    double bytes_per_s; /**< per accelerator, each way */
    double latency_s;   /**< of a link; a route in the domain has two */
    LpLinkSpecification link;
} LpDomainSpecification;

/** The scale-out network as far as all topologies have it. */
typedef struct {
    LpTopology topology;
    LpLinkSpecification link;
    LpTechnologyEntry *switches; /**< owned: of the catalogue; NULL: not said */
    double bytes_per_s;          /**< per accelerator, each way, all planes together */
    double port_bytes_per_s;     /**< of a port in one plane, each way, instead; 0: follows */
    double latency_s;            /**< of a link */
    guint32 accelerators_per_port;
    guint32 domain_ports; /**< ports of a domain; 0: follows from accelerators_per_port */
    guint32 n_rails;      /**< the number of domain_ports, in rail order; 0: not said */
    LpPortOrder port_order;
    gboolean has_joined_rails; /**< FALSE: rails never meet */
} LpScaleOutSpecification;

/** A fat tree. */
typedef struct {
    guint32 leaf_ports; /**< ports below a leaf switch */
    LpOversubscription oversubscription;
    LpTreeLevels levels;
    LpOversubscription spine_oversubscription; /**< leaves below a spine to links above it */
    guint32 switch_ports; /**< of any switch: decides about levels; 0: as a leaf has */
} LpTreeSpecification;

/** A dragonfly or dragonfly+. Zero: follows from router_ports. */
typedef struct {
    guint32 group_routers, router_ports; /**< routers of a group, ports below a router */
    guint32 local_links, global_links;   /**< between two routers of a group, between two groups */
    guint32 group_spines;                /**< of a dragonfly+ */
} LpDragonflySpecification;

/** Equal scale-out fabrics side by side. */
typedef struct {
    guint32 n;
    guint32 ports_per_accelerator; /**< the number n, said of an accelerator; 0: not said */
    LpPlaneUse use;
    guint32 traffic_plane[LP_N_TRAFFIC]; /**< used by class */
} LpPlaneSpecification;

/** The choice among the paths of a fat tree. */
typedef struct {
    LpPathChoice choice;
    guint32 n_paths, seed; /**< by hash: of each port */
} LpPathSpecification;

/** PCIe links between ports and accelerators. */
typedef struct {
    guint32 n_ports;    /**< that share a link; 0: no such links */
    double bytes_per_s; /**< of that link, each way */
} LpPcieSpecification;

/** Bridges between pairs of accelerators, and PCIe roots that some share. */
typedef struct {
    double pair_bytes_per_s;   /**< of a bridge, each way; 0: there are none */
    guint32 root_accelerators; /**< below one root; 0: there are none */
    double root_bytes_per_s;   /**< of its link to the host, each way */
    guint root_cards;          /**< place in lp_root_cards_names */
} LpPcieHostSpecification;

/** Domains joined by a network of their own. */
typedef struct {
    guint32 n_domains;  /**< of a pod; 0: no pods */
    double bytes_per_s; /**< of a port, each way */
    double latency_s;   /**< of a link; a route in a pod has two */
} LpPodSpecification;

/** The network beside a hybrid's circuits; of a fat tree the shape is LpTreeSpecification's. */
typedef struct {
    LpTopology topology; /**< crossbar or fat tree */
    LpLinkSpecification link;
    LpTechnologyEntry *switches; /**< owned: of the catalogue; NULL: not said */
} LpPacketNetworkSpecification;

/** What a source says of a machine of one size. */
typedef struct {
    double bisection_bytes_per_s; /**< one way; 0: nothing */
    guint32 n_accelerators;       /**< the size it holds for */
} LpPublishedSpecification;

/** What was said of an option. */
typedef struct {
    char *text;        /* owned: as its author wrote it; NULL: nothing, and the value is neutral */
    char *source;      /* owned: where it comes from, a line for people */
    gboolean is_given; /**< by the caller, and not by the system or by another option */
} LpOptionOrigin;

/** A machine to be generated: the values of its system, and others in the place of some. Read by
 * whoever has one, changed by lp_machine_option_set() only, so that each value has its origin. */
typedef struct {
    char *system;      /* owned: "dgx-a100", ... */
    char *description; /* owned: one line */
    char *like;        /* owned: the system whose parameters it has but for its own, or NULL */
    guint32 n_accelerators;
    LpAccelerator accelerator;
    LpDomainSpecification domain;
    LpScaleOutSpecification scale_out;
    LpTreeSpecification tree;
    LpTorus torus; /**< sizes, or only the number of dimensions, sizes 0 */
    LpDragonflySpecification dragonfly;
    LpPlaneSpecification planes;
    LpPathSpecification paths;
    LpPcieSpecification pcie;
    LpTransport transport;
    double incast_loss;          /**< of ports, by flows that come in; 0: none */
    LpTransceivers transceivers; /**< of the scale-out network, where that is given */
    char *library; /**< owned: communication library of the machine; NULL: its accelerators' */
    LpPcieHostSpecification host;
    LpTorusBlocks blocks; /**< of a torus */
    LpPodSpecification pods;
    LpCircuitSwitch circuits;
    LpPacketNetworkSpecification packet_network;
    LpPublishedSpecification published;
    LpOptionOrigin origin[LP_N_MACHINE_OPTIONS];
} LpMachineSpecification;

/** @self: NULL is passed over. */
void lp_specification_free(LpMachineSpecification *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpMachineSpecification, lp_specification_free)

/** Whether anything was said of @option, by the system or the caller. */
gboolean lp_specification_has(const LpMachineSpecification *self, LpMachineOptionId option);

/** Whether the caller set @option. */
gboolean lp_specification_is_given(const LpMachineSpecification *self, LpMachineOptionId option);

G_END_DECLS
