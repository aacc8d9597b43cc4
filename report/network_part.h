/* SPDX-License-Identifier: Apache-2.0 */
/* Power and price of a machine's scale-out network, as results show them. */
#pragma once

#include "base/json.h"
#include "platforms/machine/machine.h"

G_BEGIN_DECLS

/** Sets "network" of @object: power_w and price_usd, each where all that it needs is known, and the
 * ports and transceivers that they are sums of. Nothing where neither is known. */
void lp_network_add_json(json_t *object, const LpMachine *machine);

G_END_DECLS
