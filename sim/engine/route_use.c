/* SPDX-License-Identifier: Apache-2.0 */
/* Collects ports, pairs of ports and links, each once. */
#include "sim/engine/route_use.h"

#include "platforms/plain/plain_tree.h"

/* Measured on one core: what the engine takes to read an element of a platform (a host, a link, a
 * link of a route), to make a link of a cluster, and to ask whether two nodes of a fat tree belong
 * together. */
#define ELEMENT_S 2e-6
#define CLUSTER_LINK_S 6e-6
#define TREE_PAIR_S 0.2e-6

struct LpRouteUse {
    const LpNetwork *network; /* borrowed */
    gboolean is_all;
    guint64 n_steps;    /* links of all pairs */
    guint8 *has_port;   /* owned, by number */
    guint8 *has_link;   /* owned, by number */
    GArray *ports;      /* owned: guint32 */
    GArray *links;      /* owned: guint32 */
    GArray *bandwidths; /* owned: double, by place in links */
    GArray *pairs;      /* owned: LpPlainPair */
    GHashTable *known;  /* owned: of the pairs, both numbers in one */
};

LpRouteUse *
lp_route_use_new(const LpNetwork *network)
{
    LpRouteUse *self = g_new0(LpRouteUse, 1);
    self->network = network;
    self->has_port = g_new0(guint8, lp_network_n_ports(network));
    self->has_link = g_new0(guint8, lp_network_n_links(network));
    self->ports = g_array_new(FALSE, FALSE, sizeof(guint32));
    self->links = g_array_new(FALSE, FALSE, sizeof(guint32));
    self->bandwidths = g_array_new(FALSE, FALSE, sizeof(double));
    self->pairs = g_array_new(FALSE, FALSE, sizeof(LpPlainPair));
    self->known = g_hash_table_new(NULL, NULL);
    return self;
}

void
lp_route_use_free(LpRouteUse *self)
{
    if (self == NULL)
        return;
    g_free(self->has_port);
    g_free(self->has_link);
    g_array_unref(self->ports);
    g_array_unref(self->links);
    g_array_unref(self->bandwidths);
    g_array_unref(self->pairs);
    g_hash_table_unref(self->known);
    g_free(self);
}

void
lp_route_use_add_port(LpRouteUse *self, const LpPort *port)
{
    guint32 number = lp_network_port_number(self->network, port);
    if (self->has_port[number])
        return;
    self->has_port[number] = TRUE;
    g_array_append_val(self->ports, number);
}

static void
add_link(LpRouteUse *self, guint32 link)
{
    if (self->has_link[link])
        return;
    self->has_link[link] = TRUE;
    double bytes_per_s = lp_network_link(self->network, link).bytes_per_s;
    g_array_append_val(self->links, link);
    g_array_append_val(self->bandwidths, bytes_per_s);
}

/* There is one route from a port to another. */
static void
add_leg(LpRouteUse *self, const LpPort *from, const LpPort *to, const guint32 *links,
        guint32 n_links)
{
    LpPlainPair pair = {.from = lp_network_port_number(self->network, from),
                        .to = lp_network_port_number(self->network, to),
                        .n_links = n_links,
                        .links = links};
    gsize key = (gsize)pair.from << 32 | pair.to;
    if (!g_hash_table_add(self->known, GSIZE_TO_POINTER(key + 1)))
        return;
    lp_route_use_add_port(self, from);
    lp_route_use_add_port(self, to);
    for (guint32 i = 0; i < n_links; i++)
        add_link(self, links[i]);
    self->n_steps += n_links;
    g_array_append_val(self->pairs, pair);
}

void
lp_route_use_add(LpRouteUse *self, const LpRoute *route)
{
    for (guint32 leg = 0; leg < route->n_legs; leg++) {
        guint32 first = lp_route_leg_first(route, leg);
        add_leg(self, route->legs == NULL ? route->from : route->legs[leg].from,
                route->legs == NULL ? route->to : route->legs[leg].to, route->links + first,
                lp_route_leg_end(route, leg) - first);
    }
}

void
lp_route_use_add_all(LpRouteUse *self)
{
    self->is_all = TRUE;
}

/* Classes differ where they have planes or paths of their own. */
static void
add_routes_out(LpRouteUse *self, guint64 a, guint64 b)
{
    for (LpTraffic traffic = 0; traffic < LP_N_TRAFFIC; traffic++) {
        LpRoute route =
            lp_network_route_over(self->network, a, b, LP_ATTACHMENT_SCALE_OUT, traffic);
        lp_route_use_add(self, &route);
    }
}

void
lp_route_use_add_every(LpRouteUse *self)
{
    const LpMachine *machine = lp_network_machine(self->network);
    for (guint64 a = 0; a < machine->n_accelerators; a++)
        for (guint64 b = 0; b < machine->n_accelerators; b++) {
            if (a == b)
                continue;
            LpRoute route =
                lp_network_route_over(self->network, a, b, LP_ATTACHMENT_SCALE_UP, LP_TRAFFIC_DP);
            lp_route_use_add(self, &route);
            if (machine->has_scale_out && lp_machine_port(machine, a, LP_ATTACHMENT_SCALE_OUT) !=
                                              lp_machine_port(machine, b, LP_ATTACHMENT_SCALE_OUT))
                add_routes_out(self, a, b);
        }
    for (guint64 i = 0; i < lp_network_n_ports(self->network); i++)
        lp_route_use_add_port(self, lp_network_port_at(self->network, i));
}

/* Pairs of a node and one of the level above, of all levels. */
static double
n_tree_pairs(const LpPlainTree *tree)
{
    double n = 0.0, n_hosts = (double)tree->below[tree->n_levels];
    for (guint32 i = 0; i < tree->n_levels; i++) {
        double lower = n_hosts / (double)tree->below[i] * (double)tree->ways[i];
        double upper = n_hosts / (double)tree->below[i + 1] * (double)tree->ways[i + 1];
        n += lower * upper;
    }
    return n;
}

static double
machine_s(const LpRouteUse *self)
{
    const LpMachine *machine = lp_network_machine(self->network);
    double links_s = CLUSTER_LINK_S * lp_network_n_links(self->network);
    /* Those are written route by route in any case. */
    if (lp_pcie_host_is_present(&machine->pcie_host))
        return G_MAXDOUBLE;
    if (!machine->has_scale_out)
        return links_s;
    const LpCluster *cluster = &machine->cluster[LP_ATTACHMENT_SCALE_OUT];
    /* Those are written as a route for each pair. */
    if (cluster->torus.spreads_paths)
        links_s += ELEMENT_S * (double)cluster->n_hosts * (double)cluster->n_hosts;
    double n_pairs = 0.0;
    for (guint32 plane = 0; plane < lp_machine_n_planes(machine); plane++) {
        LpPlainTree tree = lp_plain_tree(machine, LP_ATTACHMENT_SCALE_OUT, plane);
        n_pairs += n_tree_pairs(&tree);
    }
    return links_s + TREE_PAIR_S * n_pairs;
}

gboolean
lp_route_use_is_smaller(const LpRouteUse *self)
{
    double n_elements =
        (double)self->n_steps + 2.0 * self->pairs->len + self->ports->len + self->links->len;
    return !self->is_all && ELEMENT_S * n_elements < machine_s(self);
}

LpPlainPart
lp_route_use_part(LpRouteUse *self)
{
    return (LpPlainPart){.hosts = (const guint32 *)(gpointer)self->ports->data,
                         .n_hosts = self->ports->len,
                         .links = (const guint32 *)(gpointer)self->links->data,
                         .links_bytes_per_s = (const double *)(gpointer)self->bandwidths->data,
                         .n_links = self->links->len,
                         .pairs = (const LpPlainPair *)(gpointer)self->pairs->data,
                         .n_pairs = self->pairs->len};
}
