/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses how an all-to-all goes over few lanes. */
#include "sim/circuits/exchange_plan.h"

#include "sim/circuits/tournament.h"

#include <math.h>

double
lp_exchange_plan_mean_hops(guint32 n_members, const guint32 *offsets, guint32 n_offsets)
{
    g_autofree guint32 *hops = g_new0(guint32, n_members);
    g_autofree guint32 *queue = g_new(guint32, n_members);
    guint32 n_seen = 1, head = 0;
    double sum = 0.0;
    queue[0] = 0;
    while (head < n_seen) {
        guint32 at = queue[head++];
        sum += hops[at];
        for (guint32 i = 0; i < 2 * n_offsets; i++) {
            guint32 step = offsets[i / 2] % n_members;
            guint32 next = (at + (i % 2 == 0 ? step : n_members - step)) % n_members;
            if (next == 0 || hops[next] > 0)
                continue;
            hops[next] = hops[at] + 1;
            queue[n_seen++] = next;
        }
    }
    return n_seen == n_members ? sum / (n_members - 1) : INFINITY;
}

/* Offsets 1, g, g^2 ...: the diameter is least where each covers the gaps of the next. */
static void
choose_offsets(LpExchangePlan *self)
{
    guint32 n = self->n_members, n_offsets = MIN(self->n_lanes / 2, (n - 1) / 2);
    self->forwarding = INFINITY;
    self->n_offsets = 0;
    if (n_offsets == 0)
        return;
    for (double growth = 1.0; growth <= n; growth += 0.5) {
        guint32 tried[LP_EXCHANGE_OFFSETS_MAX];
        for (guint32 i = 0; i < n_offsets; i++) {
            guint32 wanted = (guint32)floor(pow(growth, i));
            tried[i] = i == 0 ? 1 : MIN(MAX(wanted, tried[i - 1] + 1), n / 2);
        }
        double hops = lp_exchange_plan_mean_hops(n, tried, n_offsets);
        if (hops >= self->forwarding)
            continue;
        self->forwarding = hops;
        self->n_offsets = n_offsets;
        for (guint32 i = 0; i < n_offsets; i++)
            self->offset[i] = tried[i];
    }
}

LpExchangePlan
lp_exchange_plan_choose(guint32 n_members, guint32 n_lanes, double bytes, double bytes_per_s,
                        const LpCircuitSwitch *settings)
{
    LpExchangePlan direct = {.exchange = LP_CIRCUIT_EXCHANGE_DIRECT,
                             .n_members = n_members,
                             .n_lanes = n_lanes,
                             .n_rounds = 1,
                             .forwarding = 1.0};
    if (n_members - 1 <= n_lanes)
        return direct;
    LpExchangePlan rotate = direct, relay = direct;
    rotate.exchange = LP_CIRCUIT_EXCHANGE_ROTATE;
    rotate.n_rounds = (lp_tournament_n_matchings(n_members) + n_lanes - 1) / n_lanes;
    relay.exchange = LP_CIRCUIT_EXCHANGE_RELAY;
    choose_offsets(&relay);
    if (relay.n_offsets == 0)
        return rotate;
    if (lp_circuit_switch_is_fixed(settings))
        return relay;
    double once_s = bytes / bytes_per_s;
    double rotate_s = once_s + rotate.n_rounds * lp_circuit_switch_dead_time_s(settings);
    return rotate_s <= once_s * relay.forwarding ? rotate : relay;
}

gboolean
lp_exchange_plan_peer(const LpExchangePlan *self, guint32 round, guint32 member, guint32 k,
                      guint32 *out_peer)
{
    guint32 n = self->n_members;
    switch (self->exchange) {
    case LP_CIRCUIT_EXCHANGE_DIRECT:
        *out_peer = (member + 1 + k) % n;
        return k + 1 < n;
    case LP_CIRCUIT_EXCHANGE_ROTATE: {
        guint32 matching = round * self->n_lanes + k;
        if (k >= self->n_lanes || matching >= lp_tournament_n_matchings(n))
            return FALSE;
        *out_peer = lp_tournament_opponent(n, matching, member);
        return TRUE;
    }
    case LP_CIRCUIT_EXCHANGE_RELAY:
        if (k >= 2 * self->n_offsets)
            return FALSE;
        *out_peer = (member + (k % 2 == 0 ? self->offset[k / 2] : n - self->offset[k / 2])) % n;
        return TRUE;
    }
    g_assert_not_reached();
}
