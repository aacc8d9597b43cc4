/* SPDX-License-Identifier: Apache-2.0 */
/* Rates and mean times of transfers over a rotor. */
#include "model/network/rotor_cycle.h"

#include <math.h>

/* Slotfuls that are this close to a whole number are one. */
#define SLACK 1e-9

guint32
lp_rotor_cycle_n_matchings(const LpRotorCycle *self)
{
    return self->n_joined < 2 ? 0 : self->n_joined - 1 + self->n_joined % 2;
}

/* Lanes that are in different matchings. */
static double
n_turning(const LpRotorCycle *self)
{
    return MIN(self->n_lanes, lp_rotor_cycle_n_matchings(self));
}

/* The dead time of a slot; 0 if there is a lane for each matching, so that nothing turns. */
static double
dead_s(const LpRotorCycle *self)
{
    return self->n_lanes < lp_rotor_cycle_n_matchings(self) ? self->dead_s : 0.0;
}

double
lp_rotor_cycle_s(const LpRotorCycle *self)
{
    return self->slot_s * lp_rotor_cycle_n_matchings(self) / n_turning(self);
}

double
lp_rotor_cycle_share(const LpRotorCycle *self, guint32 n_peers)
{
    double matchings = lp_rotor_cycle_n_matchings(self);
    double others = self->n_joined - 1.0, peers = fmin(n_peers, others);
    double all = n_turning(self) * self->lane_share * (1.0 - dead_s(self) / self->slot_s);
    double direct = all * peers / matchings;
    return self->n_hops > 1 ? (all * others / matchings + direct) / 2.0 : direct;
}

/* The last of @n_peers has got its last bytes, which take @rest_s of the slot's @open_s: mean over
 * the instants at which one may start, x after the last of them has begun to be served. */
static double
last_s(const LpRotorCycle *self, guint32 n_peers, double rest_s, double open_s)
{
    double cycle_s = lp_rotor_cycle_s(self);
    double gap_s = fmax(cycle_s / n_peers, self->slot_s);
    double early_s = open_s - rest_s, behind_s = cycle_s - gap_s;
    /* Who is served now is done at once; the one before waits for a whole cycle less x. */
    double before = behind_s > early_s ? behind_s * early_s - early_s * early_s / 2.0
                                       : behind_s * behind_s / 2.0;
    double served = early_s * rest_s + before;
    double cut = rest_s * (cycle_s + rest_s - open_s);
    double missed = (gap_s - open_s) * (cycle_s + rest_s) - (gap_s * gap_s - open_s * open_s) / 2.0;
    return (served + cut + missed) / gap_s;
}

/* @slotfuls to each of @n_peers over one circuit. */
static double
direct_s(const LpRotorCycle *self, double slotfuls, guint32 n_peers)
{
    double open_s = self->slot_s - dead_s(self);
    double whole = fmax(ceil(slotfuls - SLACK) - 1.0, 0.0);
    double rest = fmin(slotfuls - whole, 1.0);
    return whole * lp_rotor_cycle_s(self) + last_s(self, n_peers, rest * open_s, open_s);
}

double
lp_rotor_cycle_mean_s(const LpRotorCycle *self, double bytes, guint32 n_peers, double bytes_per_s)
{
    double open_s = self->slot_s - dead_s(self);
    double slot_bytes = open_s * self->lane_share * bytes_per_s;
    double slotfuls = bytes / slot_bytes;
    double once_s = direct_s(self, slotfuls, n_peers);
    if (self->n_hops < 2 || slotfuls <= 1.0)
        return once_s;
    double rest_bytes = (bytes - slot_bytes) * n_peers;
    return fmin(once_s, direct_s(self, 1.0, n_peers) +
                            rest_bytes / (lp_rotor_cycle_share(self, n_peers) * bytes_per_s));
}
