/* SPDX-License-Identifier: Apache-2.0 */
/* Price and power of networks: how many ports a network takes, and what ports and transceivers
 * cost. The counts are those of Opus (arXiv 2602.12521), whose network section compares a fat tree,
 * a rail-optimised fabric and optical circuit switches. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Constants of a port. */
typedef struct {
    double transceiver_price_usd, transceiver_power_w;
    double switch_port_price_usd, switch_port_power_w;
} LpNetworkParts;

/** The parts of a network. */
typedef struct {
    guint64 n_host_ports;   /**< of accelerators or their cards */
    guint64 n_switch_ports; /**< of all switches */
    guint64 n_transceivers;
} LpNetworkCount;

/** The price and the power of a network. */
typedef struct {
    double price_usd;
    double power_w; /**< of switches and transceivers at full rate; not of accelerators or cards */
} LpNetworkCost;

/** Which ends of a link have a transceiver. */
typedef enum {
    LP_TRANSCEIVERS_BOTH, /**< hosts' ports and switches' ports */
    LP_TRANSCEIVERS_HOST  /**< hosts' ports only: light passes the switch, or cables are passive */
} LpTransceivers;

/**
 * A three-level fat tree of k-port switches without oversubscription, which joins k^3 / 4 hosts:
 * k (k^2 + k^2 / 4) ports, with k the whole number nearest to (4 n)^(1/3). k^2 / 4 of the whole
 * number is rounded down, as in the source.
 * @n_hosts: n, at least 1, at most 2^40. Source: Opus, as computed by its
 * plot_combined_dp_cost_power.py; Al-Fares et al., SIGCOMM 2008, for k^3 / 4.
 */
LpNetworkCount lp_network_count_fat_tree(guint64 n_hosts, LpTransceivers transceivers);

/**
 * A rail-optimised fabric: the g hosts of a domain stand in g rails; the two-level tree of each
 * rail takes 2 s / (k / 2) switches of k ports, and the rails meet in g s / k more:
 * k ((s / (k/2)) 2 g + g s / k) ports, with k the whole number nearest to (4 s)^(1/2). Quotients
 * are rounded down, as in the source.
 * @n_domains: s, at least 1, at most 2^30. @domain_size: g, the same. Source: as above.
 */
LpNetworkCount lp_network_count_rails(guint64 n_domains, guint64 domain_size,
                                      LpTransceivers transceivers);

/**
 * Optical circuit switches: n ports of a switch for each host, since a ring needs two; transceivers
 * at hosts only, one each, as Opus counts them.
 * @n_hosts: at most 2^40. @ports_per_host: n. Source: as above.
 */
LpNetworkCount lp_network_count_circuits(guint64 n_hosts, guint32 ports_per_host);

/** The price of the ports and transceivers of @count, p_t n_t + p_s n_s, and their power in the
 * same way. */
LpNetworkCost lp_network_cost(const LpNetworkCount *count, const LpNetworkParts *parts);

G_END_DECLS
