/* SPDX-License-Identifier: Apache-2.0 */
/* Writes platform files for named systems. */
#pragma once

#include "platforms/catalogue/catalogue.h"
#include "platforms/machine/machine.h"

G_BEGIN_DECLS

/** What "platform generate" can set, as text with units; NULL where the system's default holds. All
 * borrowed. */
typedef struct {
    const char *system;       /* required */
    const char *accelerators; /* required */
    const char *accelerator;  /* catalogue name */
    const char *domain_size;
    const char *domain_bandwidth; /* per accelerator, each way */
    const char *domain_latency;   /* per link; a route in a domain has two */
    const char *domain_technology;
    const char *topology; /* a name of lp_topology_names */
    const char
        *scale_out_bandwidth;      /* per accelerator, each way, all planes; of a link of a torus */
    const char *nic_bandwidth;     /* of a port, instead */
    const char *scale_out_latency; /* per link */
    const char *nics_per_domain;   /* scale-out ports a domain */
    const char *rails;             /* nics_per_domain, and rail order */
    const char *port_order;        /* node, rail */
    const char *leaf_ports;        /* ports below a leaf */
    const char *oversubscription;  /* ports below a leaf over links above it: N or N:M */
    const char *technology;        /* of the scale-out fabric */
    const char *levels;            /* of a fat tree: 2, 3, auto */
    const char *spine_oversubscription; /* of the switches above leaves, in three levels */
    const char *switch_ports;           /* of a switch; decides between two and three levels */
    const char *dimensions;             /* of a torus: 16x16x16, or how many */
    const char *group_routers;          /* dragonflies: routers of a group */
    const char *router_ports;           /* ports below a router */
    const char *local_links;            /* between each two routers of a group */
    const char *global_links;           /* between each two groups */
    const char *group_spines;           /* dragonfly+: spines of a group */
    const char *joined_rails;           /* yes; no: rails never meet */
    const char *planes;                 /* parallel fabrics */
    const char *ports_per_accelerator;  /* the same: each port leads to a plane of its own */
    const char *plane_use;              /* striped, class */
    const char *plane_classes;          /* "tp=0 pp=0 dp=1 ep=1 cp=0" */
    const char *path_choice;            /* static, hash */
    const char *paths;                  /* by hash: of each port */
    const char *path_seed;
    const char *pcie_ports;     /* ports that share a PCIe link */
    const char *pcie_bandwidth; /* of that link */
    /** What the accelerator has otherwise than the catalogue says, by place in
     * lp_accelerator_property_names. */
    const char *properties[LP_N_ACCELERATOR_PROPERTIES];
} LpGenerateOptions;

/** The names of the systems, NULL-ended, sorted. Returns: (transfer full). */
char **lp_generate_systems(GError **error);

/** Returns: (transfer full) the XML text of the platform. Errors: LP_INPUT_ERROR,
 * LP_MACHINE_ERROR; "--option: got, wanted". */
char *lp_generate(const LpGenerateOptions *options, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
