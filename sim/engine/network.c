/* SPDX-License-Identifier: Apache-2.0 */
/* Puts together what traffic crosses: the plane of its class, the path of its choice, relays. */
#include "sim/engine/network.h"

#include "platforms/plain/plain.h"

#include <simgrid/host.h>
#include <simgrid/link.h>

#include <string.h>

/* Routes keep their links here: each block is filled up, never moved. */
enum {
    ARENA_BLOCK_LINKS = 1 << 16
};
typedef struct {
    GPtrArray *blocks; /* owned arrays of guint32 */
    gsize n_free;      /* in the last block */
} Arena;

struct LpNetwork {
    const LpMachine *machine; /* borrowed from the caller */
    LpRoutes *routes;         /* owned */
    Arena *arena;             /* owned */
    GPtrArray *legs;          /* owned: LpLeg of all routes that have several */
    GArray *found;            /* owned: links of the route just asked for */
    GStringChunk *names;      /* owned: of links, those asked for so far */
    guint64 n_ports;
    /* Owned: of the scale-up network by port, then of the scale-out network by plane, port, end and
     * path. */
    LpPort *ports;
};

static guint64
n_in_network(const LpMachine *machine, LpAttachment attachment)
{
    guint64 n = machine->cluster[attachment].n_hosts;
    return attachment == LP_ATTACHMENT_SCALE_UP
               ? n
               : n * lp_machine_n_planes(machine) * machine->n_paths *
                     lp_machine_port_ends(machine);
}

LpNetwork *
lp_network_new(const LpMachine *machine)
{
    LpNetwork *self = g_new0(LpNetwork, 1);
    self->machine = machine;
    self->routes = lp_routes_new(machine);
    self->legs = g_ptr_array_new_with_free_func(g_free);
    self->arena = g_new0(Arena, 1);
    self->arena->blocks = g_ptr_array_new_with_free_func(g_free);
    self->found = g_array_new(FALSE, FALSE, sizeof(guint32));
    self->names = g_string_chunk_new(1 << 10);
    self->n_ports = n_in_network(machine, LP_ATTACHMENT_SCALE_UP) +
                    (machine->has_scale_out ? n_in_network(machine, LP_ATTACHMENT_SCALE_OUT) : 0);
    self->ports = g_new0(LpPort, self->n_ports);
    guint64 n_up = n_in_network(machine, LP_ATTACHMENT_SCALE_UP);
    for (guint64 i = 0; i < self->n_ports; i++)
        self->ports[i].scale_out_port =
            i < n_up ? G_MAXUINT32
                     : (guint32)((i - n_up) / machine->n_paths / lp_machine_port_ends(machine) %
                                 machine->cluster[LP_ATTACHMENT_SCALE_OUT].n_hosts);
    return self;
}

void
lp_network_free(LpNetwork *self)
{
    if (self == NULL)
        return;
    g_ptr_array_unref(self->legs);
    g_ptr_array_unref(self->arena->blocks);
    g_free(self->arena);
    g_array_unref(self->found);
    g_string_chunk_free(self->names);
    lp_routes_free(self->routes);
    g_free(self->ports);
    g_free(self);
}

const LpMachine *
lp_network_machine(const LpNetwork *self)
{
    return self->machine;
}

guint32
lp_network_n_links(const LpNetwork *self)
{
    return lp_routes_n_links(self->routes);
}

LpLink
lp_network_link(const LpNetwork *self, guint32 index)
{
    return lp_routes_link(self->routes, index);
}

/* Every second way of a link leads to the port. */
double
lp_network_share(const LpNetwork *self, guint32 index, guint32 n)
{
    if (self->machine->incast_loss <= 0.0 || n < 2 || index % 2 == 0 ||
        lp_routes_link(self->routes, index).tier != LP_TIER_PORT)
        return 1.0;
    return lp_machine_incast_share(self->machine, n);
}

const char *
lp_network_link_name(const LpNetwork *self, guint32 index)
{
    g_autofree char *name = lp_routes_link_name(self->routes, index);
    return g_string_chunk_insert_const(self->names, name);
}

char *
lp_network_link_place(const LpNetwork *self, guint32 index)
{
    return lp_routes_link_place(self->routes, index);
}

gboolean
lp_network_find_link(const LpNetwork *self, const char *name, guint32 *out_index)
{
    for (guint32 i = 0; i < lp_network_n_links(self); i++) {
        g_autofree char *own = lp_routes_link_name(self->routes, i);
        if (strcmp(own, name) == 0) {
            *out_index = i;
            return TRUE;
        }
    }
    return FALSE;
}

/* --- ports --- */

static const LpPort *
find_port(const LpNetwork *self, LpAttachment attachment, guint32 plane, guint64 accelerator,
          guint32 path)
{
    const LpMachine *machine = self->machine;
    guint64 port = lp_machine_port(machine, accelerator, attachment);
    if (attachment == LP_ATTACHMENT_SCALE_UP)
        return &self->ports[port];
    guint64 first = n_in_network(machine, LP_ATTACHMENT_SCALE_UP);
    guint64 n = machine->cluster[attachment].n_hosts, n_ends = lp_machine_port_ends(machine);
    guint64 end = (plane * n + port) * n_ends + accelerator % n_ends;
    return &self->ports[first + end * machine->n_paths + path];
}

const LpPort *
lp_network_port(const LpNetwork *self, guint64 accelerator, LpAttachment attachment)
{
    return find_port(self, attachment, 0, accelerator, 0);
}

guint64
lp_network_n_ports(const LpNetwork *self)
{
    return self->n_ports;
}

LpPort *
lp_network_port_at(const LpNetwork *self, guint64 index)
{
    return &self->ports[index];
}

guint32
lp_network_port_number(const LpNetwork *self, const LpPort *port)
{
    return (guint32)(port - self->ports);
}

char *
lp_network_port_name(const LpNetwork *self, const LpPort *port)
{
    const LpMachine *machine = self->machine;
    guint64 index = lp_network_port_number(self, port);
    guint64 n_up = n_in_network(machine, LP_ATTACHMENT_SCALE_UP);
    if (index < n_up)
        return lp_plain_host_name(machine, LP_ATTACHMENT_SCALE_UP, 0, index, 0);
    guint64 n = machine->cluster[LP_ATTACHMENT_SCALE_OUT].n_hosts * machine->n_paths;
    guint64 own = (index - n_up) % n;
    return lp_plain_host_name(machine, LP_ATTACHMENT_SCALE_OUT, (guint32)((index - n_up) / n),
                              own / machine->n_paths, (guint32)(own % machine->n_paths));
}

/* --- routes --- */

static guint32 *
arena_take(Arena *self, gsize n_links)
{
    if (n_links > self->n_free) {
        self->n_free = MAX(n_links, ARENA_BLOCK_LINKS);
        g_ptr_array_add(self->blocks, g_new(guint32, self->n_free));
    }
    guint32 *block = self->blocks->pdata[self->blocks->len - 1];
    self->n_free -= n_links;
    return block + self->n_free;
}

/* The links just found. */
static void
fill_route(const LpNetwork *self, LpRoute *route)
{
    route->n_links = self->found->len;
    guint32 *indices = arena_take(self->arena, route->n_links);
    memcpy(indices, self->found->data, sizeof *indices * route->n_links);
    route->links = indices;
    for (guint32 i = 0; i < route->n_links; i++) {
        LpLink link = lp_routes_link(self->routes, indices[i]);
        route->latency_s += link.latency_s;
        if (i == 0 || link.bytes_per_s < route->bytes_per_s)
            route->bytes_per_s = link.bytes_per_s;
    }
}

/* @plane: of the network of @attachment. */
static LpRoute
route_in_plane(const LpNetwork *self, guint64 a, guint64 b, LpAttachment attachment, guint32 plane,
               LpTraffic traffic)
{
    const LpMachine *machine = self->machine;
    guint32 path =
        attachment == LP_ATTACHMENT_SCALE_OUT ? lp_machine_path(machine, a, b, traffic) : 0;
    LpRoute route = {.from = find_port(self, attachment, plane, a, 0),
                     .to = find_port(self, attachment, plane, b, path),
                     .n_legs = 1};
    g_array_set_size(self->found, 0);
    if (attachment == LP_ATTACHMENT_SCALE_OUT)
        lp_routes_add_out(self->routes, plane, a, b, path, self->found);
    else
        lp_routes_add(self->routes, attachment, plane, a, b, path, self->found);
    fill_route(self, &route);
    return route;
}

LpRoute
lp_network_route_over(const LpNetwork *self, guint64 a, guint64 b, LpAttachment attachment,
                      LpTraffic traffic)
{
    guint32 plane =
        attachment == LP_ATTACHMENT_SCALE_OUT ? lp_machine_plane(self->machine, traffic) : 0;
    return route_in_plane(self, a, b, attachment, plane, traffic);
}

/* @plane: of the scale-out network. */
static LpRoute
direct_route(const LpNetwork *self, guint64 a, guint64 b, guint32 plane, LpTraffic traffic)
{
    LpAttachment attachment = lp_machine_attachment(self->machine, a, b);
    if (lp_machine_in_pod(self->machine, a, b))
        plane = 1;
    return route_in_plane(self, a, b, attachment, attachment == LP_ATTACHMENT_SCALE_OUT ? plane : 0,
                          traffic);
}

/* One flow after the other: who is between forwards what it has. */
static LpRoute
route_via(const LpNetwork *self, const guint64 *stops, guint32 n_stops, guint32 plane,
          LpTraffic traffic)
{
    guint32 n_legs = n_stops - 1, n_links = 0;
    if (n_legs == 1)
        return direct_route(self, stops[0], stops[1], plane, traffic);
    g_autofree LpRoute *parts = g_new(LpRoute, n_legs);
    for (guint32 i = 0; i < n_legs; i++) {
        parts[i] = direct_route(self, stops[i], stops[i + 1], plane, traffic);
        n_links += parts[i].n_links;
    }
    LpLeg *legs = g_new(LpLeg, n_legs);
    g_ptr_array_add(self->legs, legs);
    guint32 *links = arena_take(self->arena, n_links);
    LpRoute route = {.from = parts[0].from,
                     .to = parts[n_legs - 1].to,
                     .legs = legs,
                     .n_legs = n_legs,
                     .n_links = n_links,
                     .links = links};
    double per_byte_s = 0.0;
    for (guint32 i = 0, end = 0; i < n_legs; i++) {
        memcpy(links + end, parts[i].links, sizeof *links * parts[i].n_links);
        end += parts[i].n_links;
        legs[i] = (LpLeg){parts[i].from, parts[i].to, end};
        route.latency_s += parts[i].latency_s;
        per_byte_s += 1.0 / parts[i].bytes_per_s;
    }
    route.bytes_per_s = 1.0 / per_byte_s;
    return route;
}

LpRoute
lp_network_route_via(const LpNetwork *self, const guint64 *stops, guint32 n_stops,
                     LpTraffic traffic)
{
    return route_via(self, stops, n_stops, lp_machine_plane(self->machine, traffic), traffic);
}

void
lp_route_limit(LpRoute *self, double bytes_per_s)
{
    if (bytes_per_s >= self->bytes_per_s)
        return;
    self->bytes_per_s = self->cap_bytes_per_s = bytes_per_s;
}

guint32
lp_route_leg_first(const LpRoute *route, guint32 leg)
{
    return leg == 0 ? 0 : route->legs[leg - 1].end_link;
}

guint32
lp_route_leg_end(const LpRoute *route, guint32 leg)
{
    return route->legs == NULL ? route->n_links : route->legs[leg].end_link;
}

LpPlaneBlock
lp_network_block(const LpNetwork *self, LpAttachment attachment, guint32 plane)
{
    return lp_routes_block(self->routes, attachment, plane);
}

guint64
lp_network_link_port(const LpNetwork *self, guint32 link)
{
    return lp_routes_link_port(self->routes, link);
}

static void
find_hop(const LpNetwork *self, guint64 a, guint64 b, guint32 plane, LpTraffic traffic,
         GArray *io_links, LpHop *out_hop)
{
    const LpMachine *machine = self->machine;
    LpAttachment attachment = lp_machine_attachment(machine, a, b);
    if (attachment == LP_ATTACHMENT_SCALE_UP)
        lp_routes_add(self->routes, attachment, 0, a, b, 0, io_links);
    else
        lp_routes_add_out(self->routes, lp_machine_in_pod(machine, a, b) ? 1 : plane, a, b,
                          lp_machine_path(machine, a, b, traffic), io_links);
    *out_hop = (LpHop){a, b, io_links->len};
}

guint32
lp_network_find_hops(const LpNetwork *self, guint64 a, guint64 b, LpTraffic traffic,
                     GArray *io_links, LpHop *out_hops)
{
    guint32 plane = lp_machine_plane(self->machine, traffic);
    if (lp_machine_joined(self->machine, a, b, plane)) {
        find_hop(self, a, b, plane, traffic, io_links, &out_hops[0]);
        return 1;
    }
    guint64 relay = lp_machine_relay(self->machine, a, b);
    find_hop(self, a, relay, plane, traffic, io_links, &out_hops[0]);
    find_hop(self, relay, b, plane, traffic, io_links, &out_hops[1]);
    return 2;
}

static LpRoute
route_between(const LpNetwork *self, guint64 a, guint64 b, guint32 plane, LpTraffic traffic)
{
    const LpMachine *machine = self->machine;
    if (lp_machine_joined(machine, a, b, plane))
        return direct_route(self, a, b, plane, traffic);
    guint64 stops[] = {a, lp_machine_relay(machine, a, b), b};
    return route_via(self, stops, G_N_ELEMENTS(stops), plane, traffic);
}

LpRoute
lp_network_route(const LpNetwork *self, guint64 a, guint64 b, LpTraffic traffic)
{
    return route_between(self, a, b, lp_machine_plane(self->machine, traffic), traffic);
}

/* One plane carries all classes there: paths, which tell them apart, it has not. */
LpRoute
lp_network_packet_route(const LpNetwork *self, guint64 a, guint64 b)
{
    return route_between(self, a, b, 1, LP_TRAFFIC_DP);
}

/* --- in the engine --- */

void
lp_network_set_bandwidth(const LpNetwork *self, guint32 link, double bytes_per_s)
{
    sg_link_set_bandwidth(sg_link_by_name(lp_network_link_name(self, link)), bytes_per_s);
}

void
lp_network_set_flows_bandwidth(guint32 link, double bytes_per_s)
{
    g_autofree char *name = g_strdup_printf("%u", link);
    sg_link_set_bandwidth(sg_link_by_name(name), bytes_per_s);
}

void
lp_route_send_leg(const LpRoute *route, guint32 leg, guint64 bytes)
{
    LpLeg ends =
        route->legs == NULL ? (LpLeg){.from = route->from, .to = route->to} : route->legs[leg];
    sg_host_sendto(ends.from->host, ends.to->host, (double)bytes);
}

void
lp_route_send(const LpRoute *route, guint64 bytes)
{
    for (guint32 i = 0; i < route->n_legs; i++)
        lp_route_send_leg(route, i, bytes);
}

guint64
lp_route_n_flows(const LpRoute *route)
{
    return route->n_legs;
}
