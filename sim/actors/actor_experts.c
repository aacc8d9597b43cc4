/* SPDX-License-Identifier: Apache-2.0 */
/* Circuits of a group of experts. */
#include "sim/actors/actor_experts.h"

#include "sim/circuits/lane_allotment.h"
#include "sim/collectives/exchange.h"

#include <simgrid/engine.h>

#include <math.h>
#include <string.h>

#define NO_DRAW G_MAXUINT32

struct LpExpertCircuits {
    const LpIsolatedRing *ring;      /* borrowed */
    LpCircuits *circuits;            /* borrowed */
    const LpCircuitSwitch *settings; /* borrowed */
    guint32 n_domains, n_lanes;
    guint32 *n_live; /* owned: lanes that have not stopped, by domain: of the worst of its cards */
    double lane_bytes_per_s, packet_bytes_per_s; /* a member's share */
    double n_cards;                              /* a domain's share of this group */
    const LpOp *op;                              /* borrowed: at hand */
    guint32 draw;                                /* that circuits stand for; NO_DRAW: none */
    GHashTable *known;                           /* owned: draws that the gate has told of */
    double ready_s, end_s;                       /* of circuits; of the last all-to-all */
    double *demand;                              /* owned: that is expected between domains */
    double all_s, bridge_s; /* of op: over all circuits, and over those that are kept */
    guint32 *lanes, *kept;  /* owned: of pairs of domains; those that carry until ready_s */
    guint32 *wanted;        /* owned: of pairs of domains, for the tokens at hand */
    double wire;            /* bytes on the wire for each of op */
    double left;            /* share of op that is not sent before circuits are up */
    LpHybridCount count;
};

LpExpertCircuits *
lp_expert_circuits_new(const LpIsolatedRing *ring, LpCircuits *circuits)
{
    const LpMachine *machine = lp_network_machine(ring->map->network);
    LpExpertCircuits *self = g_new0(LpExpertCircuits, 1);
    double n_sharers = (double)machine->domain_size / machine->cards_per_domain;
    self->ring = ring;
    self->circuits = circuits;
    self->settings = &machine->circuits;
    self->n_domains = (guint32)(ring->n_members / ring->sites.n_intra);
    self->n_lanes = lp_circuit_switch_n_lanes(self->settings);
    double lane_bytes_per_s = self->settings->wavelength_bytes_per_s > 0.0
                                  ? self->settings->wavelength_bytes_per_s
                                  : lp_machine_plane_bytes_per_s(machine, 0) / self->n_lanes;
    self->lane_bytes_per_s = lane_bytes_per_s / n_sharers;
    self->packet_bytes_per_s = lp_machine_plane_bytes_per_s(machine, 1) / n_sharers;
    self->n_cards = (double)ring->sites.n_intra / n_sharers;
    self->draw = NO_DRAW;
    self->known = g_hash_table_new(NULL, NULL);
    self->n_live = g_new0(guint32, self->n_domains);
    gsize n_pairs = (gsize)self->n_domains * self->n_domains;
    self->demand = g_new0(double, n_pairs);
    self->lanes = g_new0(guint32, n_pairs);
    self->kept = g_new0(guint32, n_pairs);
    self->wanted = g_new0(guint32, n_pairs);
    return self;
}

void
lp_expert_circuits_free(LpExpertCircuits *self)
{
    if (self == NULL)
        return;
    g_hash_table_unref(self->known);
    g_free(self->demand);
    g_free(self->n_live);
    g_free(self->lanes);
    g_free(self->kept);
    g_free(self->wanted);
    g_free(self);
}

/* Of what member @from has for all members of @domain. */
static double
domain_bytes(const LpExpertCircuits *self, guint64 from, guint32 domain)
{
    guint64 intra = self->ring->sites.n_intra, bytes = 0;
    const double *loads = lp_op_loads(self->op, self->ring->communicator);
    for (guint64 to = domain * intra; to < (domain + 1) * intra; to++)
        bytes += lp_exchange_pair_bytes(self->op, loads, self->ring->n_members, from, to);
    return (double)bytes;
}

/* How much more is expected than comes: the same for both ways of a pair, and in each run. */
static double
error_of(const LpExpertCircuits *self, guint32 a, guint32 b)
{
    if (self->settings->forecast_error <= 0.0)
        return 1.0;
    guint32 words[] = {self->op->draw, MIN(a, b), MAX(a, b)};
    g_autoptr(GRand) random = g_rand_new_with_seed_array(words, G_N_ELEMENTS(words));
    double radius = sqrt(-2.0 * log(1.0 - g_rand_double(random)));
    double normal = radius * cos(2.0 * G_PI * g_rand_double(random));
    return exp(self->settings->forecast_error * normal);
}

/* What member @place of @domain sends to that of another, or of what comes to it from there. */
static double
wire_bytes(const LpExpertCircuits *self, guint32 domain, guint64 place, guint32 other, gboolean in)
{
    guint64 intra = self->ring->sites.n_intra;
    return self->wire * (in ? domain_bytes(self, other * intra + place, domain)
                            : domain_bytes(self, domain * intra + place, other));
}

/* What does not get away over the circuits of @lanes in @time_s: all for 0. */
static double
rest_bytes(const LpExpertCircuits *self, const guint32 *lanes, guint64 member, gboolean in,
           double time_s)
{
    guint32 domain = (guint32)(member / self->ring->sites.n_intra);
    guint64 place = member % self->ring->sites.n_intra;
    double rest = 0.0;
    for (guint32 other = 0; other < self->n_domains; other++) {
        if (other == domain)
            continue;
        double carried = time_s * lanes[domain * self->n_domains + other] * self->lane_bytes_per_s;
        rest += MAX(wire_bytes(self, domain, place, other, in) - carried, 0.0);
    }
    return rest;
}

/* The time in which the circuits of @lanes and what is beside them together carry everything of a
 * member, one way. */
static double
member_s(const LpExpertCircuits *self, const guint32 *lanes, guint64 member, gboolean in)
{
    guint32 domain = (guint32)(member / self->ring->sites.n_intra);
    guint64 place = member % self->ring->sites.n_intra;
    g_autofree double *bytes = g_new0(double, self->n_domains);
    for (guint32 other = 0; other < self->n_domains; other++)
        if (other != domain)
            bytes[other] = wire_bytes(self, domain, place, other, in);
    return lp_lane_allotment_time_s(self->n_domains, bytes, lanes + (gsize)domain * self->n_domains,
                                    self->lane_bytes_per_s, self->packet_bytes_per_s);
}

/* Until the last member is done. */
static double
time_over(const LpExpertCircuits *self, const guint32 *lanes)
{
    double time_s = 0.0;
    for (guint64 i = 0; i < self->ring->n_members; i++)
        for (guint in = 0; in < 2; in++)
            time_s = MAX(time_s, member_s(self, lanes, i, in == 1));
    return time_s;
}

/* --- changes --- */

/* How many circuits of @wanted do not stand. */
static double
count_missing(const LpExpertCircuits *self)
{
    double n = 0.0;
    for (guint32 i = 0; i < self->n_domains * self->n_domains; i++)
        n += self->wanted[i] > self->lanes[i] ? self->wanted[i] - self->lanes[i] : 0;
    return n / 2.0;
}

/* Of @lanes, or of none, those that @wanted has, too. */
static void
keep(const LpExpertCircuits *self, const guint32 *lanes, guint32 *out_kept)
{
    for (guint32 i = 0; i < self->n_domains * self->n_domains; i++)
        out_kept[i] = MIN(lanes[i], self->wanted[i]);
}

/* An all-to-all over circuits that are up in @gap_s. */
static double
bridged_s(double gap_s, double bridge_s, double all_s)
{
    return gap_s >= bridge_s ? bridge_s : gap_s + (1.0 - gap_s / bridge_s) * all_s;
}

/* Whether there and back, one after the other, are sooner over with other circuits. */
static gboolean
is_gain(LpExpertCircuits *self, const guint32 *standing, double asked_s, double now_s)
{
    g_autofree guint32 *kept = g_new(guint32, (gsize)self->n_domains * self->n_domains);
    keep(self, standing, kept);
    double gap_s = MAX(asked_s + lp_circuit_switch_dead_time_s(self->settings) - now_s, 0.0);
    double bridge_s = time_over(self, kept), all_s = time_over(self, self->wanted);
    double there_s = bridged_s(gap_s, bridge_s, all_s);
    double back_s = bridged_s(MAX(gap_s - there_s, 0.0), bridge_s, all_s);
    double stay_s = bridged_s(MAX(self->ready_s - now_s, 0.0), time_over(self, standing),
                              time_over(self, self->lanes));
    return there_s + back_s < 2.0 * stay_s;
}

/* Circuits of several members' demand: what the first of each domain has, since all have alike. */
static void
find_wanted(LpExpertCircuits *self)
{
    guint32 n = self->n_domains;
    guint64 intra = self->ring->sites.n_intra;
    for (guint32 i = 0; i < n; i++)
        for (guint32 k = 0; k < n; k++)
            self->demand[i * n + k] =
                i == k ? 0.0 : domain_bytes(self, i * intra, k) * error_of(self, i, k);
    lp_lane_allotment(n, self->n_live, self->demand, self->lane_bytes_per_s,
                      self->packet_bytes_per_s, self->wanted);
}

/* @must_change: some of those that stand have stopped. */
static void
set_up(LpExpertCircuits *self, double asked_s, gboolean must_change)
{
    double now_s = simgrid_get_clock();
    gsize size = sizeof *self->lanes * self->n_domains * self->n_domains;
    find_wanted(self);
    double n_missing = count_missing(self);
    if (self->draw == NO_DRAW) {
        /* Those before the job stand already. */
        memcpy(self->lanes, self->wanted, size);
        return;
    }
    const guint32 *standing = self->ready_s > now_s ? self->kept : self->lanes;
    if (!must_change && n_missing > 0.0 && self->settings->changes == LP_CIRCUIT_CHANGES_GAIN &&
        !is_gain(self, standing, asked_s, now_s))
        return;
    if (n_missing > 0.0) {
        keep(self, standing, self->kept);
        self->ready_s = asked_s + lp_circuit_switch_dead_time_s(self->settings);
        self->count.n_set_up += n_missing * self->n_cards;
    }
    memcpy(self->lanes, self->wanted, size);
}

/* Returns: whether there are others than at the last count. */
static gboolean
count_live(LpExpertCircuits *self)
{
    const LpRankLayout *layout = self->ring->map->layout;
    gboolean has_changed = FALSE;
    for (guint32 domain = 0; domain < self->n_domains; domain++) {
        guint32 n_live = self->n_lanes;
        for (guint64 i = 0; i < self->ring->sites.n_intra; i++) {
            guint64 rank = self->ring->communicator->ranks[domain * self->ring->sites.n_intra + i];
            n_live = MIN(n_live, lp_circuits_n_live(self->circuits,
                                                    lp_rank_layout_accelerator(layout, rank)));
        }
        has_changed = has_changed || self->n_live[domain] != n_live;
        self->n_live[domain] = n_live;
    }
    return has_changed;
}

void
lp_expert_circuits_begin(LpExpertCircuits *self, const LpOp *op, const LpProtocol *protocol)
{
    double now_s = simgrid_get_clock();
    gpointer key = GUINT_TO_POINTER(op->draw + 1);
    gboolean is_known = self->settings->forecast == LP_CIRCUIT_FORECAST_AHEAD ||
                        g_hash_table_contains(self->known, key);
    self->op = op;
    self->wire = (double)lp_protocol_wire_bytes(protocol, LP_REACH_FABRIC, op->bytes) /
                 (double)MAX(op->bytes, 1);
    self->count = (LpHybridCount){0};
    gboolean has_stopped = count_live(self);
    if (has_stopped || op->draw != self->draw) {
        set_up(self, is_known ? MIN(self->end_s, now_s) : now_s, has_stopped);
        self->draw = op->draw;
    }
    g_hash_table_add(self->known, key);
    double gap_s = MAX(self->ready_s - now_s, 0.0);
    self->all_s = time_over(self, self->lanes);
    self->bridge_s = gap_s > 0.0 ? time_over(self, self->kept) : self->all_s;
    self->left = self->bridge_s > 0.0 ? MAX(1.0 - gap_s / self->bridge_s, 0.0) : 0.0;
}

void
lp_expert_circuits_end(LpExpertCircuits *self)
{
    self->end_s = simgrid_get_clock();
    lp_circuits_count(self->circuits, self->count);
}

double
lp_expert_circuits_ready_s(const LpExpertCircuits *self)
{
    return self->ready_s;
}

/* What presses on the ports of the flow from this member to the one in the next domain: what goes
 * out here, or what comes in there. */
static double
pressed_bytes(const LpExpertCircuits *self, const guint32 *lanes, guint64 index, double time_s)
{
    guint64 next = (index + self->ring->sites.n_intra) % self->ring->n_members;
    return MAX(rest_bytes(self, lanes, index, FALSE, time_s),
               rest_bytes(self, lanes, next, TRUE, time_s));
}

LpExpertShare
lp_expert_circuits_share(LpExpertCircuits *self, guint64 index)
{
    double all = rest_bytes(self, self->lanes, index, FALSE, 0.0), bridged = 1.0 - self->left;
    double packet_network = self->left * rest_bytes(self, self->lanes, index, FALSE, self->all_s) +
                            bridged * rest_bytes(self, self->kept, index, FALSE, self->bridge_s);
    self->count.packet_bytes += packet_network;
    self->count.circuit_bytes += all - packet_network;
    return (LpExpertShare){
        .bridged_bytes =
            (guint64)(bridged * pressed_bytes(self, self->kept, index, self->bridge_s)),
        .bridged_s = bridged * self->bridge_s,
        .packet_bytes =
            (guint64)(self->left * pressed_bytes(self, self->lanes, index, self->all_s)),
        .circuits_s = self->left * self->all_s};
}
