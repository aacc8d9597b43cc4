/* SPDX-License-Identifier: Apache-2.0 */
/* Power and price of a machine's scale-out network, as results show them. */
#include "report/network_part.h"

#include "platforms/machine/network_parts.h"

void
lp_network_add_json(json_t *object, const LpMachine *machine)
{
    LpMachineNetwork network = lp_machine_network(machine);
    if (!network.has_power && !network.has_price)
        return;
    json_t *part = lp_json_set_object(object, "network");
    if (network.has_power)
        lp_json_set_number(part, "power_w", network.cost.power_w);
    if (network.has_price)
        lp_json_set_number(part, "price_usd", network.cost.price_usd);
    lp_json_set_count(part, "switch_ports", network.count.n_switch_ports);
    lp_json_set_count(part, "transceivers", network.count.n_transceivers);
}
