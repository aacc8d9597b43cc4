/* SPDX-License-Identifier: Apache-2.0 */
/* A communication map over circuits: the plan of those that are switched while a job runs, or paths
 * over those that never change. */
#pragma once

#include "sim/circuits/circuit_plan.h"
#include "sim/mapping/relay_paths.h"

G_BEGIN_DECLS

/** The communication map of a job together with its circuits. */
typedef struct {
    LpCommunicationMap *map; /* owned */
    LpCircuitPlan *switched; /* owned; NULL: no circuits, or none that change */
    LpRelayPaths *fixed;     /* owned; NULL: no circuits, or such as change */
    char *description;       /* owned: of the circuits, a line for people; NULL without any */
} LpCircuitMap;

/** The communication map of a machine with circuits or without. Errors: those of
 * lp_communication_map_new(), lp_circuit_plan_new() and lp_fixed_circuits_new(). @failed:
 * LpLaneFailure, lanes that circuits which never change do without; NULL: none. Returns: (transfer
 * full). */
LpCircuitMap *lp_circuit_map_new(const LpProgram *program, const LpNetwork *network,
                                 const LpLibrary *library, const LpPlacement *placement,
                                 const GArray *failed, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void lp_circuit_map_free(LpCircuitMap *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpCircuitMap, lp_circuit_map_free)

G_END_DECLS
