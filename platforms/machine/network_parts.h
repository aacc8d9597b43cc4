/* SPDX-License-Identifier: Apache-2.0 */
/* Power and price of a machine's scale-out network, from its ports and what they are made of. */
#pragma once

#include "platforms/machine/machine.h"

G_BEGIN_DECLS

/** What a scale-out network is made of, and what it takes. */
typedef struct {
    LpNetworkCount count;          /**< ports in use, ports of switches, transceivers */
    LpNetworkCount packet_network; /**< of them, those of the network beside a hybrid's circuits */
    gboolean has_power, has_price; /**< whether all that it needs is known */
    LpNetworkCost cost;            /**< 0 where it is not known */
} LpMachineNetwork;

/**
 * Counts ports and transceivers link by link: a link to a host takes a port of a host and one of a
 * switch, any other two of switches; those of a torus two of hosts; of a torus
 * of blocks only links between blocks count, which have two ports of circuit switches, too. A link
 * faster than link-rate takes as many transceivers and ports as it needs. Ports that no domain uses
 * count only above the first switch. Power and price are those of model/network/network_cost.h, of
 * all planes, and of a hybrid's circuits and the network beside them; the price holds network cards
 * where card-price is given. PCIe links and the scale-up network are left out.
 */
LpMachineNetwork lp_machine_network(const LpMachine *self);

G_END_DECLS
