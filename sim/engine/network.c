/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts, links and routes of the loaded platform. */
#include "sim/engine/network.h"

#include "platforms/plain/plain.h"
#include "platforms/plain/plain_rails.h"

#include <simgrid/host.h>
#include <simgrid/link.h>
#include <xbt/dynar.h>
#include <xbt/sysdep.h>

#include <stdint.h>
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
    Arena *arena;             /* owned */
    GPtrArray *legs;          /* owned: LpLeg of all routes that have several */
    guint32 n_links;
    sg_link_t *handles;  /* owned array of borrowed handles, as the engine lists them */
    LpLink *links;       /* owned */
    GStringChunk *names; /* owned: names translated so far; NULL unless on rails */
    /* Owned arrays of borrowed handles: by port, of the scale-out fabric by plane, port and path.
     */
    sg_host_t *hosts[LP_N_ATTACHMENTS];
};

/* The engine's links carry their index, so that a route's links are found without a table. */
static void
read_links(LpNetwork *self)
{
    self->n_links = (guint32)sg_link_count();
    self->handles = sg_link_list();
    self->links = g_new(LpLink, self->n_links);
    for (guint32 i = 0; i < self->n_links; i++) {
        sg_link_t handle = self->handles[i];
        self->links[i].bytes_per_s = sg_link_get_bandwidth(handle);
        self->links[i].latency_s = sg_link_get_latency(handle);
        sg_link_set_data(handle, (void *)(uintptr_t)i);
        sg_link_set_latency(handle, 0.0);
    }
}

static sg_host_t *
find_host(const LpNetwork *self, LpAttachment attachment, guint32 plane, guint64 port, guint32 path)
{
    guint64 n_ports = self->machine->cluster[attachment].n_hosts;
    guint32 n_paths = attachment == LP_ATTACHMENT_SCALE_OUT ? self->machine->n_paths : 1;
    return &self->hosts[attachment][(plane * n_ports + port) * n_paths + path];
}

static void
read_hosts(LpNetwork *self, LpAttachment attachment)
{
    gboolean is_out = attachment == LP_ATTACHMENT_SCALE_OUT;
    guint64 n_ports = self->machine->cluster[attachment].n_hosts;
    guint32 n_planes = is_out ? lp_machine_n_planes(self->machine) : 1;
    guint32 n_paths = is_out ? self->machine->n_paths : 1;
    self->hosts[attachment] = g_new0(sg_host_t, n_planes * n_ports * n_paths);
    for (guint32 plane = 0; plane < n_planes; plane++)
        for (guint64 port = 0; port < n_ports; port++)
            for (guint32 path = 0; path < n_paths; path++) {
                g_autofree char *name =
                    lp_plain_host_name(self->machine, attachment, plane, port, path);
                sg_host_t host = sg_host_by_name(name);
                /* The platform was checked to hold every port. */
                g_assert(host != NULL);
                *find_host(self, attachment, plane, port, path) = host;
                if (is_out)
                    sg_host_set_data(host, GSIZE_TO_POINTER(port + 1));
            }
}

static guint32
link_index(xbt_dynar_t links, guint64 position)
{
    sg_link_t handle;
    xbt_dynar_get_cpy(links, position, &handle);
    return (guint32)(uintptr_t)sg_link_get_data(handle);
}

static void
set_pcie(LpNetwork *self, guint32 index)
{
    self->links[index] =
        (LpLink){.bytes_per_s = self->machine->pcie_bytes_per_s, .tier = LP_TIER_PCIE};
    sg_link_set_bandwidth(self->handles[index], self->machine->pcie_bytes_per_s);
}

/* The links of a cluster are alike to SimGrid; those that stand for PCIe links are found on a route
 * there and back, and have no latency of their own. */
static void
set_pcie_links(LpNetwork *self)
{
    const LpMachine *machine = self->machine;
    guint64 n_ports = machine->cluster[LP_ATTACHMENT_SCALE_OUT].n_hosts;
    gsize position = lp_plain_has_paths(machine) ? 2 : 1;
    for (guint32 plane = 0; plane < lp_machine_n_planes(machine); plane++)
        for (guint64 port = 0; port < n_ports; port += machine->pcie_ports) {
            guint64 other = (port + machine->pcie_ports) % n_ports;
            xbt_dynar_t links = xbt_dynar_new(sizeof(sg_link_t), NULL);
            sg_host_get_route(*find_host(self, LP_ATTACHMENT_SCALE_OUT, plane, port, 0),
                              *find_host(self, LP_ATTACHMENT_SCALE_OUT, plane, other, 0), links);
            set_pcie(self, link_index(links, position));
            set_pcie(self, link_index(links, xbt_dynar_length(links) - 1 - position));
            xbt_dynar_free(&links);
        }
}

LpNetwork *
lp_network_new(const LpMachine *machine)
{
    LpNetwork *self = g_new0(LpNetwork, 1);
    self->machine = machine;
    self->legs = g_ptr_array_new_with_free_func(g_free);
    self->arena = g_new0(Arena, 1);
    self->arena->blocks = g_ptr_array_new_with_free_func(g_free);
    read_links(self);
    read_hosts(self, LP_ATTACHMENT_SCALE_UP);
    if (machine->has_scale_out)
        read_hosts(self, LP_ATTACHMENT_SCALE_OUT);
    if (lp_plain_has_pcie(machine))
        set_pcie_links(self);
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
    if (self->names != NULL)
        g_string_chunk_free(self->names);
    xbt_free(self->handles);
    g_free(self->links);
    for (guint i = 0; i < LP_N_ATTACHMENTS; i++)
        g_free(self->hosts[i]);
    g_free(self);
}

void
lp_network_put_on_rails(LpNetwork *self)
{
    if (self->names == NULL && lp_plain_rails_possible(self->machine))
        self->names = g_string_chunk_new(1 << 10);
}

const LpMachine *
lp_network_machine(const LpNetwork *self)
{
    return self->machine;
}

guint32
lp_network_n_links(const LpNetwork *self)
{
    return self->n_links;
}

const LpLink *
lp_network_link(const LpNetwork *self, guint32 index)
{
    return &self->links[index];
}

const char *
lp_network_link_name(const LpNetwork *self, guint32 index)
{
    const char *name = sg_link_get_name(self->handles[index]);
    if (self->names == NULL)
        return name;
    g_autofree char *whole = lp_plain_rails_link_name(self->machine, name);
    return g_string_chunk_insert_const(self->names, whole);
}

struct s4u_Host *
lp_network_host(const LpNetwork *self, guint64 accelerator, LpAttachment attachment)
{
    return *find_host(self, attachment, 0, lp_machine_port(self->machine, accelerator, attachment),
                      0);
}

guint32
lp_network_port_of(const struct s4u_Host *host)
{
    gsize data = GPOINTER_TO_SIZE(sg_host_get_data(host));
    return data == 0 ? G_MAXUINT32 : (guint32)(data - 1);
}

void
lp_network_host_name(const struct s4u_Host *host, char *out_name, gsize size)
{
    g_strlcpy(out_name, sg_host_get_name(host), size);
}

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

/* Routes climb to the switch that joins both ends and come down again: the distance from the nearer
 * end is the tier. */
static LpTier
tree_tier(const LpMachine *machine, guint32 position, guint32 n_links)
{
    guint32 height = MIN(position, n_links - 1 - position);
    if (lp_plain_has_pcie(machine) && height > 0)
        return height == 1 ? LP_TIER_PCIE : height == 2 ? LP_TIER_LEAF : LP_TIER_SPINE;
    return height == 0 ? LP_TIER_PORT : height == 1 ? LP_TIER_LEAF : LP_TIER_SPINE;
}

void
lp_network_set_bandwidth(const LpNetwork *self, guint32 link, double bytes_per_s)
{
    sg_link_set_bandwidth(self->handles[link], bytes_per_s);
}

/* Between the ports of a dragonfly a link's name says what it joins, in SimGrid's zone and in ours.
 */
static LpTier
dragonfly_tier(const char *name, guint32 position, guint32 n_links)
{
    if (position == 0 || position == n_links - 1)
        return LP_TIER_PORT;
    if (strstr(name, LP_PLAIN_LEAF_LINK) != NULL)
        return LP_TIER_LEAF;
    gboolean is_global =
        strstr(name, LP_PLAIN_GLOBAL_LINK) != NULL || g_str_has_prefix(name, "blue_link_");
    return is_global ? LP_TIER_GLOBAL : LP_TIER_LOCAL;
}

static LpTier
tier_at(const LpNetwork *self, LpAttachment attachment, guint32 index, guint32 position,
        guint32 n_links)
{
    if (attachment == LP_ATTACHMENT_SCALE_UP)
        return LP_TIER_SCALE_UP;
    switch (self->machine->cluster[attachment].topology) {
    case LP_TOPOLOGY_TORUS:
        return LP_TIER_TORUS;
    case LP_TOPOLOGY_DRAGONFLY:
    case LP_TOPOLOGY_DRAGONFLY_PLUS:
        return dragonfly_tier(lp_network_link_name(self, index), position, n_links);
    case LP_TOPOLOGY_CROSSBAR:
    case LP_TOPOLOGY_FAT_TREE:
    default:
        return tree_tier(self->machine, position, n_links);
    }
}

/* Links from the position @first on, without as many at the end. */
static void
fill_route(const LpNetwork *self, LpAttachment attachment, xbt_dynar_t links, guint32 first,
           LpRoute *route)
{
    route->n_links = (guint32)xbt_dynar_length(links) - 2 * first;
    guint32 *indices = arena_take(self->arena, route->n_links);
    route->links = indices;
    for (guint32 i = 0; i < route->n_links; i++) {
        guint32 index = link_index(links, first + i);
        LpLink *link = &self->links[index];
        indices[i] = index;
        link->tier = tier_at(self, attachment, index, i, route->n_links);
        route->latency_s += link->latency_s;
        if (i == 0 || link->bytes_per_s < route->bytes_per_s)
            route->bytes_per_s = link->bytes_per_s;
    }
}

/* The hosts at the ends of a route. */
typedef struct {
    sg_host_t from, to;
} Ends;

static Ends
find_ends(const LpNetwork *self, guint64 a, guint64 b, LpAttachment attachment, LpTraffic traffic)
{
    const LpMachine *machine = self->machine;
    gboolean is_out = attachment == LP_ATTACHMENT_SCALE_OUT;
    guint32 plane = is_out ? lp_machine_plane(machine, traffic) : 0;
    guint32 path = is_out ? lp_machine_path(machine, a, b, traffic) : 0;
    return (Ends){
        .from = *find_host(self, attachment, plane, lp_machine_port(machine, a, attachment), 0),
        .to = *find_host(self, attachment, plane, lp_machine_port(machine, b, attachment), path)};
}

LpRoute
lp_network_route_over(const LpNetwork *self, guint64 a, guint64 b, LpAttachment attachment,
                      LpTraffic traffic)
{
    Ends ends = find_ends(self, a, b, attachment, traffic);
    LpRoute route = {.from = ends.from, .to = ends.to};
    gboolean has_paths = attachment == LP_ATTACHMENT_SCALE_OUT && lp_plain_has_paths(self->machine);
    xbt_dynar_t links = xbt_dynar_new(sizeof(sg_link_t), NULL);
    sg_host_get_route(route.from, route.to, links);
    fill_route(self, attachment, links, has_paths ? 1 : 0, &route);
    xbt_dynar_free(&links);
    route.n_legs = 1;
    return route;
}

static LpRoute
direct_route(const LpNetwork *self, guint64 a, guint64 b, LpTraffic traffic)
{
    return lp_network_route_over(self, a, b, lp_machine_attachment(self->machine, a, b), traffic);
}

/* One flow after the other: who is between forwards what it has. */
LpRoute
lp_network_route_via(const LpNetwork *self, const guint64 *stops, guint32 n_stops,
                     LpTraffic traffic)
{
    guint32 n_legs = n_stops - 1, n_links = 0;
    if (n_legs == 1)
        return direct_route(self, stops[0], stops[1], traffic);
    g_autofree LpRoute *parts = g_new(LpRoute, n_legs);
    for (guint32 i = 0; i < n_legs; i++) {
        parts[i] = direct_route(self, stops[i], stops[i + 1], traffic);
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

LpRoute
lp_network_route(const LpNetwork *self, guint64 a, guint64 b, LpTraffic traffic)
{
    const LpMachine *machine = self->machine;
    if (lp_machine_joined(machine, a, b, lp_machine_plane(machine, traffic)))
        return direct_route(self, a, b, traffic);
    guint64 stops[] = {a, lp_machine_relay(machine, a, b), b};
    return lp_network_route_via(self, stops, G_N_ELEMENTS(stops), traffic);
}

void
lp_route_send_leg(const LpRoute *route, guint32 leg, guint64 bytes)
{
    LpLeg ends =
        route->legs == NULL ? (LpLeg){.from = route->from, .to = route->to} : route->legs[leg];
    sg_host_sendto(ends.from, ends.to, (double)bytes);
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
