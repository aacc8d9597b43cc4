/* SPDX-License-Identifier: Apache-2.0 */
/* Transfers over rotors, and over hybrids: which network a class takes, and how long its bytes. */
#include "model/closed_form/closed_form_network.h"
#include "model/closed_form/closed_form_counts.h"
#include "model/plan/group_traits.h"

#include <math.h>
#include <string.h>

/* Gradients of tied embeddings are gradients. */
static gboolean
is_steered(const LpFabricPacketNetwork *packet_network, LpTraffic traffic)
{
    guint bit = traffic == LP_TRAFFIC_EMBEDDING ? LP_TRAFFIC_DP : traffic;
    return (packet_network->traffic >> bit & 1) != 0;
}

LpClosedFormInput
lp_closed_form_on(const LpClosedFormInput *input, LpTraffic traffic, double bytes,
                  gboolean in_region, LpFabric *out_fabric)
{
    LpClosedFormInput on = *input;
    const LpFabricPacketNetwork *packet_network = &input->fabric->circuits.packet_network;
    if (!packet_network->is_present ||
        (is_steered(packet_network, traffic) && in_region && bytes >= packet_network->min_bytes))
        return on;
    *out_fabric = *input->fabric;
    out_fabric->scale_out_bytes_per_s = packet_network->bytes_per_s;
    out_fabric->n_tiers = packet_network->n_tiers;
    memcpy(out_fabric->tiers, packet_network->tiers, sizeof packet_network->tiers);
    out_fabric->n_levels = packet_network->n_levels;
    memcpy(out_fabric->levels, packet_network->levels, sizeof packet_network->levels);
    on.fabric = out_fabric;
    return on;
}

LpClosedFormInput
lp_closed_form_group_on(const LpClosedFormInput *input, LpGroup group, double bytes,
                        LpFabric *out_fabric)
{
    const LpFabricPacketNetwork *packet_network = &input->fabric->circuits.packet_network;
    guint64 n = lp_group_size(input->transformer, input->plan, group);
    gboolean in_region = TRUE;
    for (guint64 i = 0; packet_network->region_domains > 0 && i < n; i++) {
        guint64 size = input->fabric->domain_size * packet_network->region_domains;
        guint64 member = lp_group_member(input->transformer, input->plan, group, 0, i);
        in_region = in_region && accelerator(input, member) / size == accelerator(input, 0) / size;
    }
    return lp_closed_form_on(input, lp_group_traits(group)->traffic, bytes, in_region, out_fabric);
}

gboolean
lp_closed_form_has_rotor(const LpClosedFormInput *input)
{
    return input->fabric->circuits.rotor.n_joined > 1;
}

double
lp_closed_form_transfer_s(const LpClosedFormInput *input, const LpFabricConnection *connection,
                          gboolean leaves, double bytes, guint32 n_peers)
{
    const LpRotorCycle *rotor = &input->fabric->circuits.rotor;
    if (!leaves || !lp_closed_form_has_rotor(input) || bytes <= 0.0)
        return bytes / connection->bytes_per_s;
    return lp_rotor_cycle_mean_s(rotor, bytes / n_peers, n_peers, connection->bytes_per_s);
}

/* Each of @n_peers peers gets one lane, or several, and the remaining bytes go over the packet
 * network. Circuits and packet network end together, or the peers with more lanes end first. */
double
lp_closed_form_experts_s(const LpClosedFormInput *input, guint32 n_peers, double bytes)
{
    const LpFabric *fabric = input->fabric;
    double lanes = fabric->circuits.n_lanes,
           packet_network = fabric->circuits.packet_network.bytes_per_s;
    double lane = fabric->scale_out_bytes_per_s / lanes, each = floor(lanes / n_peers);
    double more = lanes - each * n_peers, peer_bytes = bytes / n_peers;
    double together_s = bytes / (packet_network + lanes * lane);
    double most = more > 0.0 ? each + 1.0 : each;
    if (together_s * most * lane <= peer_bytes)
        return together_s;
    double rest = n_peers - more;
    return rest * peer_bytes / (packet_network + rest * each * lane);
}

/* --- what waiting costs --- */

LpClosedFormInput
lp_closed_form_without_rotor(const LpClosedFormInput *input, LpFabric *out_fabric)
{
    LpClosedFormInput standing = *input;
    *out_fabric = *input->fabric;
    out_fabric->circuits.rotor.n_joined = 0;
    standing.fabric = out_fabric;
    return standing;
}
