/* SPDX-License-Identifier: Apache-2.0 */
/* The networks of a machine as the closed form sees them: rates, and latencies by distance. */
#pragma once

#include "model/network/hops.h"
#include "model/network/rotor_cycle.h"
#include "model/network/torus.h"

G_BEGIN_DECLS

/** Distances that a fabric tells apart. */
#define LP_FABRIC_TIERS_MAX 4

/** The scale-out fabric seen by distance: pairs of accelerators within one block of
 * @span_domains domains are @latency_s apart. */
typedef struct {
    guint64 span_domains;
    double latency_s;
} LpFabricTier;

/** The cards, or the switches of one level of a tree; the flows that leave one of them share its
 * links upward. */
typedef struct {
    guint64 n_ports;       /**< below such a switch, aligned blocks of the port numbers */
    double up_bytes_per_s; /**< of its links upward together, each way */
} LpFabricBlock;

/** The packet network of a hybrid. */
typedef struct {
    gboolean is_present;
    double bytes_per_s; /**< an accelerator's share, each way */
    guint32 n_tiers;
    LpFabricTier tiers[LP_FABRIC_TIERS_MAX]; /**< as of LpFabric */
    guint32 n_levels;
    LpFabricBlock levels[LP_FABRIC_TIERS_MAX]; /**< as of LpFabric */
    guint traffic;          /**< classes that circuits carry, as bits by LpTraffic */
    double min_bytes;       /**< of a steered transfer: what is smaller goes beside circuits, too */
    guint64 region_domains; /**< that a circuit switch joins; 0: all */
} LpFabricPacketNetwork;

/** Circuits that are switched while a job runs. */
typedef struct {
    gboolean are_present;
    gboolean are_switched; /**< FALSE: packets are, or circuits stay as they are */
    gboolean look_ahead;   /**< circuits of the next phase are asked for when the one before ends */
    guint32 n_lanes;       /**< that an attachment has for circuits */
    double dead_s;         /**< until a circuit that was asked for carries bytes */
    LpRotorCycle rotor;    /**< circuits turn by themselves, if there are any */
    LpFabricPacketNetwork packet_network;
} LpFabricCircuits;

/** The networks of a machine. */
typedef struct {
    guint32 domain_size; /**< accelerators a scale-up domain; rank r stands in domain r / size */
    double scale_up_bytes_per_s; /**< an accelerator's, each way */
    double scale_up_latency_s;   /**< one way, end to end */
    double pair_bytes_per_s;   /**< between accelerators 2 i and 2 i + 1, each way; 0: as any two */
    guint32 root_accelerators; /**< accelerators in a row below a PCIe root; 0: there are none */
    double root_bytes_per_s;   /**< between roots of a domain, each way */
    double scale_out_bytes_per_s; /**< an accelerator's share, each way */
    guint64 pod_domains;    /**< domains of a pod, which a network of their own joins; 0: no pods */
    double pod_bytes_per_s; /**< an accelerator's share of it, each way */
    double pod_latency_s;   /**< between two domains of a pod, end to end */
    guint32 n_tiers;
    LpFabricTier tiers[LP_FABRIC_TIERS_MAX]; /**< growing spans; the last one holds all */
    guint32 n_levels; /**< cards, then switches that not all ports are below; 0: flows that leave a
                         domain have the accelerator's share, whoever else sends */
    LpFabricBlock levels[LP_FABRIC_TIERS_MAX]; /**< from the cards up */
    guint32 n_cards;      /**< ports of a domain: that many accelerators or fewer share one */
    guint32 unit_domains; /**< ports are numbered card by card in units of so many domains; 1:
                             domain by domain */
    guint32 n_rails; /**< rails, if a leaf serves one of them only; else 0. Accelerator r is on rail
                       (r mod domain_size) * n_rails / domain_size */
    double
        rail_change_latency_s; /**< the lowest latency between domains from one rail to another */
    /** The rails never meet: a message to another rail goes to the accelerator of its own domain
     * that is on that rail, and from there as a second message. */
    gboolean rails_relay;
    /** Torus or dragonfly (0: neither, the tiers hold): the latency is that of each link, times
     * the links between the ports. Accelerator r has the port r / port_sharers. */
    LpTorus torus;
    LpDragonfly dragonfly;
    guint32 port_sharers;
    double link_latency_s;
    gboolean is_wide; /**< links between routers hold nobody back, a torus's only a group's own */
    LpFabricCircuits circuits; /**< between the domains */
} LpFabric;

/** The slowest of the pairs over which a group sends. */
typedef struct {
    double latency_s;   /**< the highest, one way */
    double bytes_per_s; /**< the lowest, each way */
} LpFabricConnection;

/** One-way latency between the accelerators @a and @b, s; 0 from one to itself. A fabric without
 * tiers has no latency between domains. */
double lp_fabric_latency_s(const LpFabric *self, guint64 a, guint64 b);
/** Rate of an isolated flow between the accelerators @a and @b, bytes/s. Where a message is
 * relayed, its bytes over the time of both messages without their latencies: 1 / (1/r + 1/s). */
double lp_fabric_bytes_per_s(const LpFabric *self, guint64 a, guint64 b);

/** The number of @accelerator's port in the tree; meaningless without levels. */
guint64 lp_fabric_port(const LpFabric *self, guint64 accelerator);
/** Whether what @a sends to @b leaves the card, or the switches, of @level that @a is below. */
gboolean lp_fabric_climbs(const LpFabric *self, guint32 level, guint64 a, guint64 b);
/** Whether what @a sends to @b goes to the accelerator of its own domain on @b's rail first. */
gboolean lp_fabric_is_relayed(const LpFabric *self, guint64 a, guint64 b);
/** The accelerator whose port what @a sends to @b leaves the domain by. */
guint64 lp_fabric_sender(const LpFabric *self, guint64 a, guint64 b);
/** @self with links above cards as wide as anybody wants. */
LpFabric lp_fabric_widened(const LpFabric *self);

/** The connection between the accelerators @a and @b. */
LpFabricConnection lp_fabric_connection(const LpFabric *self, guint64 a, guint64 b);
/** The higher latency and the lower rate of two connections. */
LpFabricConnection lp_fabric_connection_slower(LpFabricConnection a, LpFabricConnection b);
/** The slowest connection of the ring over the @n accelerators 0, @stride, 2 @stride, ..., the
 * wrap-around included. @n: at least 1. */
LpFabricConnection lp_fabric_ring_connection(const LpFabric *self, guint64 stride, guint64 n);

/** Ring all-reduce of @size_bytes over @n ranks: 2 (n-1) a + 2 (n-1)/n V/BW, s; a the latency, BW
 * the rate, V the size (Patarasuk and Yuan, JPDC 2009, without the additions). */
double lp_fabric_connection_all_reduce_s(const LpFabricConnection *self, guint64 n,
                                         double size_bytes);
/** One message of @size_bytes: a + V/BW, s. */
double lp_fabric_connection_message_s(const LpFabricConnection *self, double size_bytes);

G_END_DECLS
