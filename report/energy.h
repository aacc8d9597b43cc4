/* SPDX-License-Identifier: Apache-2.0 */
/* Energy of an iteration's communication, by technology. */
#pragma once

#include "base/json.h"
#include "platforms/machine/machine.h"
#include "sim/analysis/summary.h"

G_BEGIN_DECLS

/** The energy of one technology, J. */
typedef struct {
    const char *name; /* borrowed from the machine: link-technology, switch-technology, or the
                         medium where a file gives no name */
    double dynamic_j; /**< bits over all links x energy-per-bit */
    double static_j;  /**< power that flows anyway x time of the iteration */
} LpTechnologyEnergy;

/** The energy of a machine by technology: at most that of the links of either network, and that of
 * the switches. */
typedef struct {
    guint n;
    LpTechnologyEnergy of[LP_N_ATTACHMENTS + 1];
} LpEnergy;

/**
 * Dynamic: 8 x bytes of @traffic over the links of a network x its energy-per-bit. Static: the time
 * of the iteration x (static-power x ends of links + switch-port-power x ports of switches), the
 * latter of the scale-out network alone. Technologies of which neither is known are left out.
 * @time_s: s. Names are borrowed from @machine.
 */
LpEnergy lp_energy_find(const LpMachine *machine, const LpLinkTraffic *traffic, double time_s);

/** All of it, J. */
double lp_energy_sum_j(const LpEnergy *self);
/** Sets "energy_j", "energy_j_by_technology" and "energy_j_per_token" of @object; nothing without
 * technologies. @n_tokens: of an iteration. */
void lp_energy_add_json(json_t *object, const LpEnergy *self, double n_tokens);

G_END_DECLS
