/* SPDX-License-Identifier: Apache-2.0 */
/* Price and power of networks, from their ports. */
#include "model/network/network_cost.h"

#include <math.h>

static LpNetworkCount
count_of(guint64 n_host_ports, guint64 n_switch_ports, LpTransceivers transceivers)
{
    guint64 n_at_switches = transceivers == LP_TRANSCEIVERS_BOTH ? n_switch_ports : 0;
    return (LpNetworkCount){n_host_ports, n_switch_ports, n_host_ports + n_at_switches};
}

/* A switch has at least two ports, so that halves and quotients exist. */
static guint64
nearest_ports(double ports)
{
    return (guint64)fmax(floor(ports + 0.5), 2.0);
}

LpNetworkCount
lp_network_count_fat_tree(guint64 n_hosts, LpTransceivers transceivers)
{
    guint64 k = nearest_ports(cbrt(4.0 * (double)n_hosts));
    return count_of(n_hosts, k * (k * k + k * k / 4), transceivers);
}

LpNetworkCount
lp_network_count_rails(guint64 n_domains, guint64 domain_size, LpTransceivers transceivers)
{
    guint64 k = nearest_ports(sqrt(4.0 * (double)n_domains));
    guint64 n_of_a_rail = n_domains / (k / 2) * 2;
    guint64 n_between_rails = domain_size * n_domains / k;
    return count_of(n_domains * domain_size, k * (n_of_a_rail * domain_size + n_between_rails),
                    transceivers);
}

LpNetworkCount
lp_network_count_circuits(guint64 n_hosts, guint32 ports_per_host)
{
    return count_of(n_hosts, n_hosts * ports_per_host, LP_TRANSCEIVERS_HOST);
}

LpNetworkCost
lp_network_cost(const LpNetworkCount *count, const LpNetworkParts *parts)
{
    double n_switch_ports = (double)count->n_switch_ports;
    double n_transceivers = (double)count->n_transceivers;
    return (LpNetworkCost){
        .price_usd = parts->switch_port_price_usd * n_switch_ports +
                     parts->transceiver_price_usd * n_transceivers,
        .power_w = parts->switch_port_power_w * n_switch_ports +
                   parts->transceiver_power_w * n_transceivers,
    };
}
