/* SPDX-License-Identifier: Apache-2.0 */
/* Rates and times of transfers over a rotor's cycle of matchings (RotorNet, Mellette et al.,
 * SIGCOMM 2017). */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** A rotor: the attachments of a switch meet in a round-robin tournament, slot by slot. */
typedef struct {
    guint32 n_joined;  /**< attachments of a switch; 0: there is no rotor */
    guint32 n_lanes;   /**< of an attachment */
    guint32 n_hops;    /**< circuits that a byte may take: 1, or 2 with a relay */
    double slot_s;     /**< from one matching to the next, dead time and all */
    double dead_s;     /**< of a slot; less than all of it */
    double lane_share; /**< what a lane carries of its attachment's rate */
} LpRotorCycle;

/** Matchings in which all attachments have met: n - 1, or n if n is odd; 0 for one attachment. */
guint32 lp_rotor_cycle_n_matchings(const LpRotorCycle *self);

/**
 * The share of its rate that an attachment sends, where all attachments send the same bytes to each
 * of k of the n - 1 others. Its lanes have a share l of the rate (all of it, unless wavelengths say
 * otherwise), the duty cycle is d = 1 - dead / slot, and there are M matchings, of which a pair has
 * one:
 *
 *     over one circuit     d l k / M
 *     over up to two       d l (n - 1 + k) / 2 M
 *
 * so d l for all of an even number of attachments, either way. The first is the time that circuits
 * to the k others stand. In the rest bytes go to relays, and each of those takes two circuits: x +
 * 2 y = d l (n - 1) / M for what goes directly, x, and what is relayed, y.
 */
double lp_rotor_cycle_share(const LpRotorCycle *self, guint32 n_peers);

/**
 * The time from when an attachment of @bytes_per_s starts to send @bytes (> 0) to each of @n_peers
 * (> 0) others until all have arrived, s: the mean over all instants of the cycle at which it may
 * start. Over one circuit that is exact where those that it sends to are evenly spread over the
 * cycle and lanes divide the matchings: whole cycles for all but the last slotful of each, then the
 * last of them. Over up to two what fills a slot to each goes as over one, the rest at
 * lp_rotor_cycle_share().
 */
double lp_rotor_cycle_mean_s(const LpRotorCycle *self, double bytes, guint32 n_peers,
                             double bytes_per_s);

/** The duration of a cycle, s: what the time above may be off by, either way, over one circuit. */
double lp_rotor_cycle_s(const LpRotorCycle *self);

G_END_DECLS
