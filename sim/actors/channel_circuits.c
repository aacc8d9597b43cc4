/* SPDX-License-Identifier: Apache-2.0 */
/* Joins channels and circuits. */
#include "sim/actors/channel_circuits.h"

void
lp_channel_join_circuits(LpChannel *channel, LpCircuits *circuits, LpConnectionKind kind,
                         guint64 rank)
{
    const LpCircuitPlan *plan = lp_circuits_plan(circuits);
    const LpRankLayout *layout = plan->map->layout;
    const LpConnection *connection = lp_communication_map_connection(plan->map, kind, rank);
    guint32 pattern = kind < LP_CONNECTION_MESSAGES
                          ? LP_CIRCUIT_NONE
                          : plan->direction_pattern[kind - LP_CONNECTION_MESSAGES][rank];
    if (lp_circuits_steers(circuits, lp_connection_traffic(kind)) &&
        connection->attachment == LP_ATTACHMENT_SCALE_OUT) {
        LpRoute packet_network =
            lp_network_packet_route(plan->map->network, lp_rank_layout_accelerator(layout, rank),
                                    lp_rank_layout_accelerator(layout, connection->to));
        lp_channel_set_packet_network(channel, circuits, &packet_network);
        lp_channel_use_packet_network(channel, pattern == LP_CIRCUIT_NONE);
    }
    if (pattern != LP_CIRCUIT_NONE)
        lp_channel_set_circuits(channel, circuits, pattern);
}
