/* SPDX-License-Identifier: Apache-2.0 */
/* Counters by link, pair of blocks and size. */
#include "sim/analysis/traffic_census.h"

static guint64
block_size(const LpMachine *machine)
{
    if (machine->n_accelerators <= LP_TRAFFIC_BLOCKS_MAX)
        return 1;
    guint64 n_domains = lp_machine_n_domains(machine);
    guint64 domains = (n_domains + LP_TRAFFIC_BLOCKS_MAX - 1) / LP_TRAFFIC_BLOCKS_MAX;
    return domains * machine->domain_size;
}

LpTrafficCensus *
lp_traffic_census_new(const LpNetwork *network)
{
    LpTrafficCensus *self = g_new0(LpTrafficCensus, 1);
    const LpMachine *machine = lp_network_machine(network);
    self->network = network;
    self->block_size = block_size(machine);
    self->n_blocks = (guint32)((machine->n_accelerators + self->block_size - 1) / self->block_size);
    guint32 n_links = lp_network_n_links(network);
    self->link_bytes = g_new0(double, (gsize)n_links *LP_N_TRAFFIC);
    self->link_block = g_new(guint32, n_links);
    for (guint32 i = 0; i < n_links; i++)
        self->link_block[i] = G_MAXUINT32;
    self->pair_bytes = g_new0(double, (gsize)LP_N_TRAFFIC * self->n_blocks * self->n_blocks);
    self->messages = g_array_new(FALSE, FALSE, sizeof(LpMessageCount));
    return self;
}

void
lp_traffic_census_free(LpTrafficCensus *self)
{
    if (self == NULL)
        return;
    g_free(self->link_bytes);
    g_free(self->link_block);
    g_free(self->pair_bytes);
    g_array_unref(self->messages);
    g_free(self);
}

double
lp_traffic_census_link(const LpTrafficCensus *self, guint32 link, LpTraffic traffic)
{
    return self->link_bytes[(gsize)link * LP_N_TRAFFIC + traffic];
}

static gsize
pair_index(const LpTrafficCensus *self, LpTraffic traffic, guint32 from, guint32 to)
{
    return ((gsize)traffic * self->n_blocks + from) * self->n_blocks + to;
}

double
lp_traffic_census_pair(const LpTrafficCensus *self, LpTraffic traffic, guint32 from, guint32 to)
{
    return self->pair_bytes[pair_index(self, traffic, from, to)];
}

/* Routes climb from the sender, and come down to the receiver. */
static void
add_leg(LpTrafficCensus *self, LpTraffic traffic, const guint32 blocks[2], const LpRoute *route,
        guint32 leg, double bytes, double n_times)
{
    guint32 first = lp_route_leg_first(route, leg), end = lp_route_leg_end(route, leg);
    for (guint32 i = first; i < end; i++) {
        guint32 link = route->links[i];
        gboolean is_up = 2 * (i - first) < end - first;
        if (self->link_block[link] == G_MAXUINT32)
            self->link_block[link] = blocks[is_up ? 0 : 1];
        gboolean is_inside = lp_network_link(self->network, link).tier == LP_TIER_SCALE_UP;
        self->link_bytes[(gsize)link * LP_N_TRAFFIC + traffic] +=
            is_inside ? bytes : bytes * n_times;
    }
}

void
lp_traffic_census_add(LpTrafficCensus *self, LpTraffic traffic, guint64 from, guint64 to,
                      const LpRoute *route, double bytes, double n_times)
{
    if (bytes <= 0.0)
        return;
    const guint32 blocks[2] = {(guint32)(from / self->block_size),
                               (guint32)(to / self->block_size)};
    self->pair_bytes[pair_index(self, traffic, blocks[0], blocks[1])] += bytes;
    for (guint32 leg = 0; leg < route->n_legs; leg++)
        add_leg(self, traffic, blocks, route, leg, bytes, n_times);
}

void
lp_traffic_census_add_message(LpTrafficCensus *self, LpMessageCount message)
{
    for (guint i = 0; i < self->messages->len; i++) {
        LpMessageCount *known = &g_array_index(self->messages, LpMessageCount, i);
        if (known->traffic == message.traffic && known->operation == message.operation &&
            known->bytes == message.bytes) {
            known->n += message.n;
            return;
        }
    }
    g_array_append_val(self->messages, message);
}
