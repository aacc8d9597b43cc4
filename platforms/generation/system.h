/* SPDX-License-Identifier: Apache-2.0 */
/* The systems that can be generated (platforms/systems.xml): parameters, defaults, sources. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** What a system is made of; bandwidths are per accelerator, latencies per link. */
typedef enum {
    LP_PARAMETER_ACCELERATOR,
    LP_PARAMETER_DOMAIN_SIZE,
    LP_PARAMETER_DOMAIN_BANDWIDTH,
    LP_PARAMETER_DOMAIN_LATENCY,
    LP_PARAMETER_DOMAIN_TECHNOLOGY,
    LP_PARAMETER_TOPOLOGY,
    LP_PARAMETER_SCALE_OUT_BANDWIDTH,
    LP_PARAMETER_SCALE_OUT_LATENCY,
    LP_PARAMETER_ACCELERATORS_PER_NIC,
    LP_PARAMETER_PORT_ORDER,
    LP_PARAMETER_LEAF_PORTS,
    LP_PARAMETER_OVERSUBSCRIPTION,
    LP_PARAMETER_TECHNOLOGY,
    LP_N_PARAMETERS_NEEDED, /**< a system may leave out those from here on */
    LP_PARAMETER_LEVELS = LP_N_PARAMETERS_NEEDED,
    LP_PARAMETER_SPINE_OVERSUBSCRIPTION,
    LP_PARAMETER_SWITCH_PORTS,
    LP_PARAMETER_NIC_BANDWIDTH,
    LP_PARAMETER_DIMENSIONS,
    LP_PARAMETER_GROUP_ROUTERS,
    LP_PARAMETER_ROUTER_PORTS,
    LP_PARAMETER_LOCAL_LINKS,
    LP_PARAMETER_GLOBAL_LINKS,
    LP_PARAMETER_GROUP_SPINES,
    LP_PARAMETER_JOINED_RAILS,
    LP_PARAMETER_PLANES,
    LP_PARAMETER_PLANE_USE,
    LP_PARAMETER_PLANE_CLASSES,
    LP_PARAMETER_PATH_CHOICE,
    LP_PARAMETER_PATHS,
    LP_PARAMETER_PATH_SEED,
    LP_PARAMETER_PCIE_PORTS,
    LP_PARAMETER_PCIE_BANDWIDTH,
    LP_PARAMETER_PUBLISHED_BISECTION,
    LP_PARAMETER_PUBLISHED_BISECTION_ACCELERATORS,
    LP_N_PARAMETERS
} LpParameter;

extern const char *const lp_parameter_names[]; /* "accelerator", "domain-size", ... */

/** A system, all texts owned. */
typedef struct {
    char *name;
    char *description;
    /** As an option would be written; NULL only for what a system may leave out. */
    char *value[LP_N_PARAMETERS];
    char *source[LP_N_PARAMETERS];
} LpSystem;

void lp_system_free(LpSystem *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpSystem, lp_system_free)

/** All systems, in the file's order. Errors: LP_INPUT_ERROR, "FILE:LINE: ...".
 * Returns: (transfer full) array of LpSystem. */
GPtrArray *lp_system_load_all(GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** The system called @name. Errors: LP_INPUT_ERROR_NAME with the nearest name.
 * Returns: (transfer full). */
LpSystem *lp_system_load(const char *name, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
