/* SPDX-License-Identifier: Apache-2.0 */
/* What "platform generate" is asked for: a system's parameters, with options in their place. */
#pragma once

#include "platforms/generation/generate.h"
#include "platforms/generation/layout.h"
#include "platforms/generation/system.h"

G_BEGIN_DECLS

/** The parameters of the system to be written, with their texts and sources. */
typedef struct {
    const LpGenerateOptions *options; /* borrowed */
    LpSystem *system;                 /* borrowed; options have replaced its values */
    guint32 n_accelerators, domain_size, n_domains;
    LpAccelerator accelerator;
    double domain_bytes_per_s, domain_latency_s;
    double scale_out_bytes_per_s, scale_out_latency_s; /* per accelerator, per link */
    guint32 n_cards;                                   /* scale-out ports a domain */
    LpTechnology domain_technology, technology;
    LpTopology topology;
    LpPortOrder port_order;
    double link_bytes_per_s; /* of a port, in one plane */
    guint32 n_planes;
    guint32 leaf_ports;
    LpLayoutRequest wanted; /* of the scale-out cluster */
} LpRequest;

/** Puts the options in the place of @system's defaults, and reads all that shapes the machine.
 * @options, @system: borrowed, must outlive @request. Errors: LP_INPUT_ERROR, LP_MACHINE_ERROR;
 * "--option: got, wanted". */
gboolean lp_request_read(LpRequest *request, const LpGenerateOptions *options, LpSystem *system,
                         GError **error);

/** The command that the options stand for. Returns: (transfer full). */
char *lp_request_command(const LpGenerateOptions *options);

G_END_DECLS
