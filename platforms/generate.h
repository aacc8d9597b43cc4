/* SPDX-License-Identifier: Apache-2.0 */
/* Writes platform files for named systems. */
#pragma once

#include "platforms/catalogue.h"
#include "platforms/machine.h"

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
    const char *topology;            /* crossbar, fat-tree */
    const char *scale_out_bandwidth; /* per accelerator, each way */
    const char *scale_out_latency;   /* per link */
    const char *nics_per_domain;     /* scale-out ports a domain */
    const char *rails;               /* nics_per_domain, and rail order */
    const char *port_order;          /* node, rail */
    const char *leaf_ports;          /* ports below a leaf */
    const char *oversubscription;    /* ports below a leaf over links above it */
    const char *technology;          /* of the scale-out fabric */
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
