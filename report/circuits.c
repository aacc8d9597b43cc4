/* SPDX-License-Identifier: Apache-2.0 */
/* Circuits in results. */
#include "report/circuits.h"

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
