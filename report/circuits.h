/* SPDX-License-Identifier: Apache-2.0 */
/* The circuits of a run, in results. */
#pragma once

#include "base/json.h"
#include "sim/run/simulation.h"

G_BEGIN_DECLS

/** Sets "circuits" of @object, where circuits are switched. */
void lp_circuits_add_json(json_t *object, const LpSimulation *simulation);

G_END_DECLS
