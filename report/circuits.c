/* SPDX-License-Identifier: Apache-2.0 */
/* Circuits in results. */
#include "report/circuits.h"

#include "base/text_table.h"
#include "base/units.h"

void
lp_circuits_add_json(json_t *object, const LpSimulation *simulation)
{
    const LpCircuitResult *circuits = &simulation->run.circuits;
    if (simulation->circuits == NULL)
        return;
    json_t *part = lp_json_set_object(object, "circuits");
    lp_json_set_text(part, "plan", simulation->circuits);
    lp_json_set_count(part, "reconfigurations", circuits->n_reconfigurations);
    lp_json_set_count(part, "critical_path_reconfigurations", circuits->n_critical);
    lp_json_set_number(part, "wait_exposed_s", circuits->wait_exposed_s);
    lp_json_set_number(part, "wait_hidden_s", circuits->wait_hidden_s);
    lp_json_set_number(part, "duty_cycle", circuits->duty_cycle);
    if (circuits->is_hybrid) {
        json_t *hybrid = lp_json_set_object(part, "hybrid");
        lp_json_set_number(hybrid, "circuit_bytes", circuits->circuit_bytes);
        lp_json_set_number(hybrid, "beside_bytes", circuits->packet_bytes);
    }
    if (circuits->n_slots == 0)
        return;
    json_t *rotor = lp_json_set_object(part, "rotor");
    lp_json_set_count(rotor, "slots_per_cycle", circuits->n_slots);
    lp_json_set_number(rotor, "direct_bytes", circuits->direct_bytes);
    lp_json_set_number(rotor, "relayed_bytes", circuits->relayed_bytes);
}

static void
add_count(LpTextTable *table, const char *name, guint64 count)
{
    lp_text_table_add_row(table);
    lp_text_table_add_cell(table, "%s", name);
    lp_text_table_add_cell(table, "%" G_GUINT64_FORMAT, count);
}

void
lp_circuits_append_text(GString *out, const LpSimulation *simulation)
{
    const LpCircuitResult *circuits = &simulation->run.circuits;
    if (simulation->circuits == NULL)
        return;
    g_autoptr(LpTextTable) table = lp_text_table_new((const char *const[]){"", "#", NULL});
    add_count(table, "reconfigurations", circuits->n_reconfigurations);
    add_count(table, "of these on the critical path", circuits->n_critical);
    lp_text_table_add_quantity_row(table, "waiting for circuits, exposed", LP_QUANTITY_TIME,
                                   circuits->wait_exposed_s);
    lp_text_table_add_quantity_row(table, "dead time of the path's circuits, hidden",
                                   LP_QUANTITY_TIME, circuits->wait_hidden_s);
    lp_text_table_add_row(table);
    lp_text_table_add_cell(table, "duty cycle");
    lp_text_table_add_cell(table, "%.4g", circuits->duty_cycle);
    if (circuits->is_hybrid) {
        lp_text_table_add_quantity_row(table, "of steered classes, over circuits", LP_QUANTITY_SIZE,
                                       circuits->circuit_bytes);
        lp_text_table_add_quantity_row(table, "beside them", LP_QUANTITY_SIZE,
                                       circuits->packet_bytes);
    }
    if (circuits->n_slots > 0) {
        add_count(table, "slots of a rotor's cycle", circuits->n_slots);
        lp_text_table_add_quantity_row(table, "over one circuit of it", LP_QUANTITY_SIZE,
                                       circuits->direct_bytes);
        lp_text_table_add_quantity_row(table, "over two", LP_QUANTITY_SIZE,
                                       circuits->relayed_bytes);
    }
    g_string_append_printf(out, "\ncircuits: %s\n", simulation->circuits);
    lp_text_table_append(out, table, 2);
}
