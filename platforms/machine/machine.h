/* SPDX-License-Identifier: Apache-2.0 */
/* A machine view: what a SimGrid platform file and its properties say, checked. */
#pragma once

#include "model/times/accelerator.h"
#include "model/network/fabric.h"
#include "model/plan/plan.h"
#include "platforms/machine/circuit_switch.h"
#include "platforms/machine/medium.h"
#include "platforms/machine/pcie_host.h"
#include "platforms/machine/torus_blocks.h"

G_BEGIN_DECLS

/** Errors of machines: what descriptions say, and options of machines to be generated. */
#define LP_MACHINE_ERROR (lp_machine_error_quark())
GQuark lp_machine_error_quark(void);

/** Codes of LP_MACHINE_ERROR. */
typedef enum {
    LP_MACHINE_ERROR_STRUCTURE, /**< Zones, clusters or properties that make no machine. */
    LP_MACHINE_ERROR_VALUE,     /**< A property or attribute out of its range. */
    LP_MACHINE_ERROR_SIZE,      /**< Counts that do not fit each other. */
} LpMachineError;

/** The two networks that an accelerator is attached to; each attachment is a SimGrid host. */
typedef enum {
    LP_ATTACHMENT_SCALE_UP,
    LP_ATTACHMENT_SCALE_OUT,
    LP_N_ATTACHMENTS
} LpAttachment;

/** What a network's links are made of. */
typedef enum {
    LP_TECHNOLOGY_ELECTRICAL,
    LP_TECHNOLOGY_OPTICAL
} LpTechnology;

/** How the switches of a network are joined. */
typedef enum {
    LP_TOPOLOGY_CROSSBAR,
    LP_TOPOLOGY_FAT_TREE,
    LP_TOPOLOGY_TORUS,
    LP_TOPOLOGY_DRAGONFLY,
    LP_TOPOLOGY_DRAGONFLY_PLUS
} LpTopology;

/** The order in which accelerators' ports stand below the switches: the ports of a domain side by
 * side, or the ports of a rail. */
typedef enum {
    LP_PORT_ORDER_NODE,
    LP_PORT_ORDER_RAIL
} LpPortOrder;

/** What parallel planes carry: an equal part of every message, or whole classes of traffic. */
typedef enum {
    LP_PLANE_USE_STRIPED,
    LP_PLANE_USE_CLASS
} LpPlaneUse;

/** Which of a fat tree's paths a flow takes: SimGrid's D-mod-k, or one of several by hash. */
typedef enum {
    LP_PATH_CHOICE_STATIC,
    LP_PATH_CHOICE_HASH
} LpPathChoice;

/** What carries bytes from host to host: the cards alone, the operating systems' sockets, cards
 * whose packets the hosts' processors make, out of the hosts' memory, cards that a thread of the
 * host drives by libfabric (Amazon EC2's EFA, Slingshot's CXI), Google Cloud's RDMA over Ethernet,
 * or its TCP with payloads that go between card and GPU, driven by hosts or by the cards. */
typedef enum {
    LP_TRANSPORT_RDMA,
    LP_TRANSPORT_TCP,
    LP_TRANSPORT_OMNI_PATH,
    LP_TRANSPORT_EFA,
    LP_TRANSPORT_EFA_1,
    LP_TRANSPORT_CXI,
    LP_TRANSPORT_GIB,
    LP_TRANSPORT_TCPX,
    LP_TRANSPORT_TCPXO
} LpTransport;

/** Names as in platform files, NULL-ended, indexed by the enums above. */
extern const char *const lp_attachment_names[]; /* "scale-up" "scale-out" */
extern const char *const lp_technology_names[];
extern const char *const lp_topology_names[];
extern const char *const lp_port_order_names[];
extern const char *const lp_plane_use_names[];   /* "striped" "class" */
extern const char *const lp_path_choice_names[]; /* "static" "hash" */
extern const char *const lp_transport_names[];   /* "rdma" "tcp" "omni-path"
                                                   "efa" "efa-1" "cxi" "gib" "tcpx" "tcpxo" */
extern const char *const lp_plane_class_names[]; /* by LpTraffic, tied embeddings left out */

#define LP_FAT_TREE_LEVELS_MAX 3

/* Sizes and rates above these are typing errors, not machines. */
#define LP_MACHINE_HOSTS_MAX (1u << 21)  /* hosts of a cluster: trees round a million up */
#define LP_MACHINE_LINKS_MAX (1u << 23)  /* links of a fabric, both directions as one */
#define LP_MACHINE_ROUTES_MAX (1u << 20) /* that the engine's copy spells out */
#define LP_MACHINE_PLANES_MAX 16u
#define LP_MACHINE_PATHS_MAX 64u        /* alias hosts of a port */
#define LP_MACHINE_BYTES_PER_S_MIN 1.0  /* of a link */
#define LP_MACHINE_BYTES_PER_S_MAX 1e18 /* of a link */
#define LP_MACHINE_LATENCY_MAX_S 1.0    /* of a link */
#define LP_MACHINE_INCAST_LOSS_MAX 10.0

/** One SimGrid <cluster>: all ports of one kind. */
typedef struct {
    char *id;              /* owned: the cluster's id */
    char *prefix, *suffix; /* owned: host name = prefix + index + suffix */
    guint64 n_hosts;       /**< hosts 0 .. n_hosts - 1 */
    LpTopology topology;
    LpTechnology technology;
    double link_bytes_per_s;              /**< of every link of the cluster, each way */
    double link_latency_s;                /**< of every link */
    double energy_j_per_bit;              /**< 0 if not given */
    LpMedium medium;                      /**< what links and switches are made of */
    guint32 n_levels;                     /**< of a fat tree, 1 to 3; 0 for a crossbar */
    guint32 down[LP_FAT_TREE_LEVELS_MAX]; /**< arity of each level, from the hosts up */
    guint32 up[LP_FAT_TREE_LEVELS_MAX];   /**< up-links of a node of each level; up[0] is 1 */
    LpTorus torus;                        /**< no dimensions if it is none */
    LpDragonfly dragonfly; /**< dragonfly and dragonfly+; no groups if it is neither */
} LpCluster;

/** A machine. */
typedef struct {
    char *path;         /* owned: as the user named it */
    char *system;       /* owned: "dgx-a100", ... */
    char *generated_by; /* owned: the command that wrote the file, or NULL */
    char *warning;      /* owned: what its author should know of it, a line, or NULL */
    LpAccelerator accelerator;
    guint64 n_accelerators;
    guint32 domain_size;
    guint32 cards_per_domain; /**< scale-out ports a domain; accelerators may share one */
    LpPortOrder port_order;
    /** Rail order numbers ports (unit, rail, domain in unit); 1 in node order. */
    guint32 unit_domains;
    gboolean has_scale_out;
    gboolean rails_relay; /**< the rails never meet: domains forward what changes the rail */
    guint32 n_planes;     /**< equal fabrics; the scale-out cluster describes one of them */
    LpPlaneUse plane_use;
    guint32 traffic_plane[LP_N_TRAFFIC]; /**< used by class; 0 when striped */
    LpPathChoice path_choice;
    guint32 n_paths; /**< 1 if static */
    guint32 path_seed;
    guint32 pcie_ports;      /**< ports that share a PCIe link; 0: none do */
    double pcie_bytes_per_s; /**< of that link, each way; 0 if there is none */
    char *library;        /**< owned: what the machine's users call auto; NULL: the accelerators' */
    LpPcieHost pcie_host; /**< of the domains */
    LpTransport transport;                  /**< of the scale-out network */
    double incast_loss;                     /**< of a port, by flows that come in; 0: none */
    LpTorusBlocks blocks;                   /**< of the scale-out torus */
    LpCircuitSwitch circuits;               /**< of the scale-out network */
    double published_bisection_bytes_per_s; /**< one way; 0: not published */
    guint64 published_accelerators;         /**< the size of machine that it was published for */
    LpCluster cluster[LP_N_ATTACHMENTS];
    guint32 pod_domains; /**< domains of a pod, which a network of their own joins; 0: no pods */
    LpCluster pod;       /**< that network, of all pods, on the scale-out ports; names borrowed from
                              the scale-out cluster; no hosts: there is none */
    LpCluster packet_network; /**< the network beside a hybrid's circuits, on the same ports; names
                           borrowed from the scale-out cluster; no hosts: there is none */
} LpMachine;

/**
 * Reads and checks a platform file: everything that SimGrid would abort on, and everything that
 * the properties promise. Errors: LP_INPUT_ERROR or LP_MACHINE_ERROR, "FILE:LINE: what, got,
 * wanted". Returns: (transfer full).
 */
LpMachine *lp_machine_load(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Reads a machine from @text. @path: what messages and reports call the file. Errors: as
 * lp_machine_load(). Returns: (transfer full). */
LpMachine *lp_machine_parse(const char *path, const char *text,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** @self: NULL is passed over. */
void lp_machine_free(LpMachine *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpMachine, lp_machine_free)

/** Scale-up domains, each of domain_size accelerators. */
guint64 lp_machine_n_domains(const LpMachine *self);
/** The domain that @accelerator stands in. */
guint64 lp_machine_domain(const LpMachine *self, guint64 accelerator);
/** The card of its domain that joins @accelerator to the scale-out network. */
guint64 lp_machine_card(const LpMachine *self, guint64 accelerator);
/** Index in its cluster of the port by which @accelerator is attached. Accelerators that share a
 * card get the same scale-out index. */
guint64 lp_machine_port(const LpMachine *self, guint64 accelerator, LpAttachment attachment);
/** The SimGrid host name of that port. Returns: (transfer full). */
char *lp_machine_host_name(const LpMachine *self, guint64 accelerator, LpAttachment attachment);
/** The attachment that traffic between @a and @b uses: scale-up within a domain. */
LpAttachment lp_machine_attachment(const LpMachine *self, guint64 a, guint64 b);
/** The planes that a run tells apart: 1 if messages are divided evenly, since equal planes that do
 * the same act as one of their summed bandwidth. A network of pods, or beside circuits, is plane 1.
 */
guint32 lp_machine_n_planes(const LpMachine *self);
/** The plane that carries @traffic, below lp_machine_n_planes(). On a hybrid circuits are plane 0
 * and the packet network is plane 1. */
guint32 lp_machine_plane(const LpMachine *self, LpTraffic traffic);
/** Bandwidth of a link of the cluster in such a plane, each way, in bytes/s. */
double lp_machine_link_bytes_per_s(const LpMachine *self, LpAttachment attachment);
/** Whether @a and @b stand in different domains of one pod. */
gboolean lp_machine_in_pod(const LpMachine *self, guint64 a, guint64 b);
/** The cluster that describes plane @plane of the network of @attachment: its own, or that of the
 * packet network. */
const LpCluster *lp_machine_plane_cluster(const LpMachine *self, LpAttachment attachment,
                                          guint32 plane);
/** The machine that a hybrid is without its circuits: its packet network becomes the scale-out
 * network. Borrows all of @self; not to be freed. */
LpMachine lp_machine_packet_network(const LpMachine *self);
/** Bandwidth of a link of the scale-out cluster in @plane, below lp_machine_n_planes(). */
double lp_machine_plane_bytes_per_s(const LpMachine *self, guint32 plane);
/** The share of its rate that a port of the scale-out network carries while @n flows come in: 1 /
 * (1 + loss (n - 1)) where the machine has an incast loss, at least a tenth, which is left of a TCP
 * incast (Vasudevan et al., SIGCOMM 2009: "reduced by up to 90 %"); else 1. The form is that of
 * penalties by flows in SimGrid's model of InfiniBand (smpi/IB-penalty-factors). */
double lp_machine_incast_share(const LpMachine *self, guint32 n);
/** Whether light passes through the middle of the scale-out network from the sending to the
 * receiving port: over circuits, or over a crossbar that has transceivers at hosts only. A path
 * over it is one link, where a cluster has two. A packet network is none. */
gboolean lp_machine_light_passes(const LpMachine *self);
/** Whether @plane leads from @a to @b: it does not from rail to rail where rails never meet. In one
 * domain all are joined. */
gboolean lp_machine_joined(const LpMachine *self, guint64 a, guint64 b, guint32 plane);
/** The accelerator that forwards what @a sends to @b where the two are not joined: in @a's domain,
 * at the place that @b has in its own, so on @b's rail. @a itself if they are joined. */
guint64 lp_machine_relay(const LpMachine *self, guint64 a, guint64 b);
/** Which of a port's n_paths paths a flow from @a to @b takes: a hash of both ports, the class of
 * traffic and the seed, so the same in each run; 0 if static. */
guint32 lp_machine_path(const LpMachine *self, guint64 a, guint64 b, LpTraffic traffic);
/** Scale-out bandwidth an accelerator has to itself when all of its domain's send, in one plane if
 * classes have their own: its share of a card, or of a PCIe link. A link of a torus. Bytes/s, each
 * way. */
double lp_machine_scale_out_bytes_per_s(const LpMachine *self);
/** Accelerators of a card that the engine must tell apart, since the ways to it differ: 1, or where
 * roots lie between accelerators and cards all that share a card. */
guint32 lp_machine_port_ends(const LpMachine *self);
/** Scale-out ports that the machine's numbering reaches: the largest index + 1. */
guint64 lp_machine_n_ports(const LpMachine *self);
/** Whether one region has the domains of both @a and @b, so that circuits can join them. */
gboolean lp_machine_circuits_join(const LpMachine *self, guint64 a, guint64 b);
/** Attachments that one circuit switch joins: of a region, and of a rail where rails never meet. */
guint64 lp_machine_switch_attachments(const LpMachine *self);
/** Blocks of this many domains have the ports of one card below the same switch of @level
 * (0: leaf) of the fat tree: 0 if no two domains have, the number of domains if all have, and a
 * crossbar's only switch has all. */
guint64 lp_machine_span_domains(const LpMachine *self, guint32 level);
/** The closed form's view. Tiers hold for the ports of one card: a route between two rails of a
 * rail-optimised tree goes over a spine, and traffic that is placed well does not take it. */
LpFabric lp_machine_fabric(const LpMachine *self);

G_END_DECLS
