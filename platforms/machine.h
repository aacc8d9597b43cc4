/* SPDX-License-Identifier: Apache-2.0 */
/* A machine view: what a SimGrid platform file and its properties say, checked. */
#pragma once

#include "model/accelerator.h"
#include "model/fabric.h"

G_BEGIN_DECLS

#define LP_MACHINE_ERROR (lp_machine_error_quark())
GQuark lp_machine_error_quark(void);
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

typedef enum {
    LP_TECHNOLOGY_ELECTRICAL,
    LP_TECHNOLOGY_OPTICAL
} LpTechnology;
typedef enum {
    LP_TOPOLOGY_CROSSBAR,
    LP_TOPOLOGY_FAT_TREE
} LpTopology;
typedef enum {
    LP_PORT_ORDER_NODE,
    LP_PORT_ORDER_RAIL
} LpPortOrder;

extern const char *const lp_attachment_names[]; /* "scale-up" "scale-out" */
extern const char *const lp_technology_names[];
extern const char *const lp_topology_names[];
extern const char *const lp_port_order_names[];

#define LP_FAT_TREE_LEVELS_MAX 3

/* Sizes and rates above these are typing errors, not machines. */
#define LP_MACHINE_HOSTS_MAX (1u << 20) /* hosts of a cluster */
#define LP_MACHINE_LINKS_MAX (1u << 23) /* links of a fat tree, both directions as one */
#define LP_MACHINE_BYTES_PER_S_MIN 1.0  /* of a link */
#define LP_MACHINE_BYTES_PER_S_MAX 1e18 /* of a link */
#define LP_MACHINE_LATENCY_MAX_S 1.0    /* of a link */

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
    guint32 n_levels;                     /**< of a fat tree, 1 to 3; 0 for a crossbar */
    guint32 down[LP_FAT_TREE_LEVELS_MAX]; /**< arity of each level, from the hosts up */
    guint32 up[LP_FAT_TREE_LEVELS_MAX];   /**< up-links of a node of each level; up[0] is 1 */
} LpCluster;

typedef struct {
    char *path;   /* owned: as the user named it */
    char *system; /* owned: "dgx-a100", ... */
    LpAccelerator accelerator;
    guint64 n_accelerators;
    guint32 domain_size;
    guint32 cards_per_domain; /**< scale-out ports a domain; accelerators may share one */
    LpPortOrder port_order;
    /** Rail order numbers ports (unit, rail, domain in unit); 1 in node order. */
    guint32 unit_domains;
    gboolean has_scale_out;
    LpCluster cluster[LP_N_ATTACHMENTS];
} LpMachine;

/**
 * Reads and checks a platform file: everything that SimGrid would abort on, and everything that
 * the properties promise. Errors: LP_INPUT_ERROR or LP_MACHINE_ERROR, "FILE:LINE: what, got,
 * wanted". Returns: (transfer full).
 */
LpMachine *lp_machine_load(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void lp_machine_free(LpMachine *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpMachine, lp_machine_free)

guint64 lp_machine_n_domains(const LpMachine *self);
/** The domain that @accelerator stands in. */
guint64 lp_machine_domain(const LpMachine *self, guint64 accelerator);
/** Index in its cluster of the port by which @accelerator is attached. Accelerators that share a
 * card get the same scale-out index. */
guint64 lp_machine_port(const LpMachine *self, guint64 accelerator, LpAttachment attachment);
/** The SimGrid host name of that port. Returns: (transfer full). */
char *lp_machine_host_name(const LpMachine *self, guint64 accelerator, LpAttachment attachment);
/** The attachment that traffic between @a and @b uses: scale-up within a domain. */
LpAttachment lp_machine_attachment(const LpMachine *self, guint64 a, guint64 b);
/** Scale-out bandwidth an accelerator has to itself, when all of a card's accelerators send. */
double lp_machine_scale_out_bytes_per_s(const LpMachine *self);
/** Scale-out ports that the machine's numbering reaches: the largest index + 1. */
guint64 lp_machine_n_ports(const LpMachine *self);
/** Blocks of this many domains have the ports of one card below the same switch of @level
 * (0: leaf) of the fat tree: 0 if no two domains have, the number of domains if all have, and a
 * crossbar's only switch has all. */
guint64 lp_machine_span_domains(const LpMachine *self, guint32 level);
/** The closed form's view. Tiers hold for the ports of one card: a route between two rails of a
 * rail-optimised tree goes over a spine, and traffic that is placed well does not take it. */
LpFabric lp_machine_fabric(const LpMachine *self);

G_END_DECLS
