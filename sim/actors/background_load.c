/* SPDX-License-Identifier: Apache-2.0 */
/* Goes over senders and their receivers once. */
#include "sim/actors/background_load.h"

typedef struct {
    const LpScenarioTraffic *said; /* borrowed */
    double lasts_s;
    double *rates; /* owned, by link: bytes/s that are sent over it; NULL: not counted */
    LpBackgroundLoad all;
} Count;

/* A share of one of what a sender sends takes @route. */
static void
add_way(Count *self, const LpRoute *route, double share)
{
    const LpScenarioTraffic *said = self->said;
    double bytes = (double)said->message_bytes;
    double alone_s = route->latency_s + bytes / route->bytes_per_s;
    double rate =
        said->rate_bytes_per_s > 0.0 ? said->rate_bytes_per_s : said->load * route->bytes_per_s;
    if (said->gaps == LP_GAPS_CLOSED)
        rate = bytes / alone_s;
    self->all.n_messages += share * self->lasts_s * rate / bytes;
    self->all.n_under_way += share * alone_s * rate / bytes;
    self->all.n_ways += 1.0;
    for (guint32 i = 0; self->rates != NULL && i < route->n_links; i++)
        self->rates[route->links[i]] += share * rate;
}

/* What a link cannot carry piles up, from nothing at the beginning. */
static void
add_piles(Count *self, const LpNetwork *network)
{
    double bytes = (double)self->said->message_bytes;
    for (guint32 i = 0; i < lp_network_n_links(network); i++) {
        double excess = self->rates[i] - lp_network_link(network, i).bytes_per_s;
        if (excess <= 0.0)
            continue;
        self->all.n_under_way += excess * self->lasts_s / bytes / 2.0;
        self->all.n_overloaded++;
    }
}

/* Receivers of a sender that are too many to be looked at are taken to be as far as its first. */
LpBackgroundLoad
lp_background_load_find(const LpBackgroundWays *ways, const LpScenarioTraffic *specification,
                        const LpNetwork *network, double end_s)
{
    Count self = {.said = specification,
                  .lasts_s = MIN(end_s, specification->end_s) - specification->start_s};
    gboolean are_many = lp_background_ways_are_many(ways);
    guint32 n_turns = are_many ? 1 : lp_background_ways_n_turns(ways);
    if (self.lasts_s <= 0.0)
        return self.all;
    self.rates = are_many || specification->gaps == LP_GAPS_CLOSED
                     ? NULL
                     : g_new0(double, lp_network_n_links(network));
    for (guint32 sender = 0; sender < lp_background_ways_n(ways); sender++)
        for (guint32 turn = 0; lp_background_ways_sends(ways, sender) && turn < n_turns; turn++) {
            LpRoute route = lp_background_ways_route(
                ways, sender, lp_background_ways_receiver(ways, sender, turn));
            add_way(&self, &route, 1.0 / n_turns);
        }
    if (self.rates != NULL)
        add_piles(&self, network);
    g_free(self.rates);
    return self.all;
}
