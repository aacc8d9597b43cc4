/* SPDX-License-Identifier: Apache-2.0 */
/* Power and price of a machine's scale-out network, as results show them. */
#include "report/network_text.h"

#include "base/text_table.h"
#include "base/units.h"
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

void
lp_network_append_text(GString *out, const LpMachine *machine)
{
    LpMachineNetwork network = lp_machine_network(machine);
    if (!network.has_power && !network.has_price)
        return;
    g_autoptr(LpTextTable) table = lp_text_table_new((const char *const[]){"", "#", NULL});
    if (network.has_power)
        lp_text_table_add_quantity_row(table, "power", LP_QUANTITY_POWER, network.cost.power_w);
    if (network.has_price)
        lp_text_table_add_quantity_row(table, "price", LP_QUANTITY_PRICE, network.cost.price_usd);
    lp_text_table_add_row(table);
    lp_text_table_add_cell(table, "switch ports");
    lp_text_table_add_cell(table, "%" G_GUINT64_FORMAT, network.count.n_switch_ports);
    lp_text_table_add_row(table);
    lp_text_table_add_cell(table, "transceivers");
    lp_text_table_add_cell(table, "%" G_GUINT64_FORMAT, network.count.n_transceivers);
    g_string_append(out, "\nscale-out network\n");
    lp_text_table_append(out, table, 2);
}
