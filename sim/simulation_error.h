/* SPDX-License-Identifier: Apache-2.0 */
/* The errors of simulations: one domain for all rooms of sim/. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Errors of simulations. */
#define LP_SIMULATION_ERROR (lp_simulation_error_quark())
GQuark lp_simulation_error_quark(void);

/** Codes of LP_SIMULATION_ERROR. */
typedef enum {
    LP_SIMULATION_ERROR_FIT,    /**< The workload does not fit on the machine. */
    LP_SIMULATION_ERROR_RUN,    /**< A run ended without a result. */
    LP_SIMULATION_ERROR_LIMIT,  /**< A run takes longer than it may. */
    LP_SIMULATION_ERROR_MEMORY, /**< The plan needs more memory than an accelerator has. */
    /* An algorithm cannot run a collective: choose another, or other groups. */
    LP_SIMULATION_ERROR_ALGORITHM, /**< The algorithm cannot do the collective. */
    LP_SIMULATION_ERROR_MEMBERS,   /**< Too few members, too many, or a root that is none. */
    LP_SIMULATION_ERROR_LEVELS,    /**< Levels or dimensions do not multiply to the members. */
    LP_SIMULATION_ERROR_CHANNELS,  /**< Domains do not divide the members. */
    LP_SIMULATION_ERROR_SIZE,      /**< More bytes than can be counted. */
    LP_SIMULATION_ERROR_LOADS,     /**< A load that is none. */
    LP_SIMULATION_ERROR_CIRCUITS   /**< What is sent cannot be routed over circuits. */
} LpSimulationError;

G_END_DECLS
