/* SPDX-License-Identifier: Apache-2.0 */
/* Shortest paths over circuits, by breadth-first search. */
#include "sim/mapping/relay_paths.h"

#define NOWHERE G_MAXUINT32

struct LpRelayPaths {
    const LpNetwork *network; /* borrowed */
    guint32 n;                /* attachments */
    guint32 *accelerator;     /* owned: the first of an attachment */
    GArray **neighbours;      /* owned, by attachment: guint32, or NULL */
    guint32 *before;          /* owned: of a search, who comes before on the way */
    guint32 *queue;           /* owned: of a search, all that it has found */
    guint32 n_found, from;    /* of the last search; from: NOWHERE if there was none */
};

LpRelayPaths *
lp_relay_paths_new(const LpNetwork *network)
{
    const LpMachine *machine = lp_network_machine(network);
    LpRelayPaths *self = g_new0(LpRelayPaths, 1);
    self->network = network;
    self->n = (guint32)lp_machine_n_ports(machine);
    self->accelerator = g_new0(guint32, self->n);
    for (guint64 i = machine->n_accelerators; i-- > 0;)
        self->accelerator[lp_machine_port(machine, i, LP_ATTACHMENT_SCALE_OUT)] = (guint32)i;
    self->neighbours = g_new0(GArray *, self->n);
    self->before = g_new(guint32, self->n);
    for (guint32 i = 0; i < self->n; i++)
        self->before[i] = NOWHERE;
    self->queue = g_new(guint32, self->n);
    self->from = NOWHERE;
    return self;
}

void
lp_relay_paths_free(LpRelayPaths *self)
{
    if (self == NULL)
        return;
    for (guint32 i = 0; i < self->n; i++)
        if (self->neighbours[i] != NULL)
            g_array_unref(self->neighbours[i]);
    g_free(self->neighbours);
    g_free(self->accelerator);
    g_free(self->before);
    g_free(self->queue);
    g_free(self);
}

static void
add_neighbour(LpRelayPaths *self, guint32 at, guint32 next)
{
    if (self->neighbours[at] == NULL)
        self->neighbours[at] = g_array_new(FALSE, FALSE, sizeof(guint32));
    GArray *known = self->neighbours[at];
    guint place = 0;
    while (place < known->len && g_array_index(known, guint32, place) < next)
        place++;
    if (place == known->len || g_array_index(known, guint32, place) != next)
        g_array_insert_val(known, place, next);
}

void
lp_relay_paths_join(LpRelayPaths *self, guint32 a, guint32 b)
{
    add_neighbour(self, a, b);
    add_neighbour(self, b, a);
    self->from = NOWHERE;
}

/* Everything that can be reached from @from; the last search is kept. */
static void
search(LpRelayPaths *self, guint32 from)
{
    if (self->from == from)
        return;
    for (guint32 i = 0; i < self->n_found; i++)
        self->before[self->queue[i]] = NOWHERE;
    self->from = from;
    self->n_found = 1;
    self->queue[0] = self->before[from] = from;
    for (guint32 head = 0; head < self->n_found; head++) {
        const GArray *next = self->neighbours[self->queue[head]];
        for (guint i = 0; next != NULL && i < next->len; i++) {
            guint32 found = g_array_index(next, guint32, i);
            if (self->before[found] != NOWHERE)
                continue;
            self->before[found] = self->queue[head];
            self->queue[self->n_found++] = found;
        }
    }
}

/* Paths are searched from the end, so that they can be followed from the beginning; what is kept of
 * the last search is nobody else's to see. */
guint32
lp_relay_paths_n_hops(const LpRelayPaths *self, guint32 a, guint32 b)
{
    search((LpRelayPaths *)(guintptr)self, b);
    if (self->before[a] == NOWHERE)
        return G_MAXUINT32;
    guint32 n = 0;
    for (guint32 at = a; at != b; at = self->before[at])
        n++;
    return n;
}

/* Each of @n_hops circuits is a lane of its own, which may carry less than the attachment. */
static void
limit(LpRoute *route, const LpMachine *machine, guint32 n_hops)
{
    double lane = machine->circuits.wavelength_bytes_per_s;
    double port = lp_machine_link_bytes_per_s(machine, LP_ATTACHMENT_SCALE_OUT);
    if (lane > 0.0 && lane < port)
        lp_route_limit(route,
                       1.0 / (1.0 / route->bytes_per_s + n_hops * (1.0 / lane - 1.0 / port)));
}

LpRoute
lp_relay_paths_route(const LpRelayPaths *self, guint64 a, guint64 b, LpTraffic traffic)
{
    const LpMachine *machine = lp_network_machine(self->network);
    if (lp_machine_attachment(machine, a, b) == LP_ATTACHMENT_SCALE_UP)
        return lp_network_route(self->network, a, b, traffic);
    guint64 relay = lp_machine_relay(machine, a, b);
    guint32 from = (guint32)lp_machine_port(machine, relay, LP_ATTACHMENT_SCALE_OUT);
    guint32 to = (guint32)lp_machine_port(machine, b, LP_ATTACHMENT_SCALE_OUT);
    guint32 n_hops = lp_relay_paths_n_hops(self, from, to);
    /* A group without bytes, since those that have some were given circuits. */
    if (n_hops == G_MAXUINT32)
        return lp_network_route(self->network, a, b, traffic);
    g_autofree guint64 *stops = g_new(guint64, (gsize)n_hops + 2);
    guint32 n = 0;
    stops[n++] = a;
    if (relay != a)
        stops[n++] = relay;
    for (guint32 at = self->before[from]; at != to; at = self->before[at])
        stops[n++] = self->accelerator[at];
    stops[n++] = b;
    LpRoute route = lp_network_route_via(self->network, stops, n, traffic);
    limit(&route, machine, n_hops);
    return route;
}
