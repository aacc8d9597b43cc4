/* SPDX-License-Identifier: Apache-2.0 */
/* Takes a rail-order fat tree apart into its rails. */
#include "platforms/plain/plain_rails.h"

#include "platforms/plain/plain.h"

#include <stdio.h>
#include <string.h>

/* A tree of some rails: one of them, or all. */
typedef struct {
    guint64 n_ports;
    guint32 n_levels;
    guint64 n_nodes[LP_FAT_TREE_LEVELS_MAX + 1]; /* by level, ports first */
    guint32 up[LP_FAT_TREE_LEVELS_MAX];
} Shape;

static const LpCluster *
scale_out(const LpMachine *self)
{
    return &self->cluster[LP_ATTACHMENT_SCALE_OUT];
}

/* The rail's tree has fewer branches at the top, and no top where rails meet nowhere else: no route
 * leads up to it. */
static LpCluster
rail_cluster(const LpMachine *self)
{
    LpCluster rail = *scale_out(self);
    rail.n_hosts /= self->cards_per_domain;
    rail.down[rail.n_levels - 1] /= self->cards_per_domain;
    if (rail.down[rail.n_levels - 1] == 1)
        rail.n_levels--;
    return rail;
}

/* Ports below a switch of the level below the top. */
static guint64
ports_below_top(const LpCluster *cluster)
{
    guint64 ports = 1;
    for (guint32 level = 0; level + 1 < cluster->n_levels; level++)
        ports *= cluster->down[level];
    return ports;
}

/* Up-links of all levels together: routes repeat with the positions of ports modulo this. */
static guint64
n_spreads(const LpCluster *cluster)
{
    guint64 spreads = 1;
    for (guint32 level = 0; level < cluster->n_levels; level++)
        spreads *= cluster->up[level];
    return spreads;
}

gboolean
lp_plain_rails_possible(const LpMachine *self)
{
    const LpCluster *cluster = scale_out(self);
    if (!self->has_scale_out || cluster->topology != LP_TOPOLOGY_FAT_TREE ||
        cluster->n_levels < 2 || self->port_order != LP_PORT_ORDER_RAIL ||
        self->cards_per_domain < 2)
        return FALSE;
    /* What the engine's copy of such machines has besides the tree of ports. */
    if (lp_machine_n_planes(self) > 1 || lp_plain_has_paths(self) || lp_plain_has_pcie(self))
        return FALSE;
    guint64 unit = self->unit_domains, block = unit * self->cards_per_domain;
    if (unit % ports_below_top(cluster) != 0 || cluster->n_hosts % block != 0)
        return FALSE;
    /* A unit's ports of one rail are further on in the whole tree by this much for each unit before
     * it. Where that is no whole turn, two ports of a rail that share an up-link in the one tree
     * would not in the other. */
    return cluster->n_hosts == block || (block - unit) % n_spreads(cluster) == 0;
}

/* Unit after unit, the ports of one rail. */
static char *
rail_radical(const LpMachine *self, guint32 rail)
{
    guint64 unit = self->unit_domains, block = unit * self->cards_per_domain;
    GString *radical = g_string_new(NULL);
    for (guint64 first = rail * unit; first < scale_out(self)->n_hosts; first += block)
        g_string_append_printf(radical, "%s%" G_GUINT64_FORMAT "-%" G_GUINT64_FORMAT,
                               radical->len == 0 ? "" : ",", first, first + unit - 1);
    return g_string_free(radical, FALSE);
}

/* "32,512": of the levels. */
static char *
join_counts(const guint32 *counts, guint32 n_levels)
{
    GString *text = g_string_new(NULL);
    for (guint32 i = 0; i < n_levels; i++)
        g_string_append_printf(text, "%s%u", i == 0 ? "" : ",", counts[i]);
    return g_string_free(text, FALSE);
}

static void
write_rail(LpXmlWriter *xml, const LpMachine *self, guint32 rail)
{
    LpCluster cluster = rail_cluster(self);
    const guint32 single[LP_FAT_TREE_LEVELS_MAX] = {1, 1, 1};
    g_autofree char *down = join_counts(cluster.down, cluster.n_levels);
    g_autofree char *up = join_counts(cluster.up, cluster.n_levels);
    g_autofree char *parallel = join_counts(single, cluster.n_levels);
    g_autofree char *radical = rail_radical(self, rail);
    lp_xml_writer_open(xml, "cluster");
    /* The colon keeps a zone's name apart from all of the user's. */
    lp_xml_writer_format(xml, "id", ":rail:%u", rail);
    lp_xml_writer_attribute(xml, "prefix", cluster.prefix);
    lp_xml_writer_attribute(xml, "suffix", cluster.suffix);
    lp_xml_writer_attribute(xml, "radical", radical);
    lp_plain_write_links(xml, lp_machine_link_bytes_per_s(self, LP_ATTACHMENT_SCALE_OUT),
                         cluster.link_latency_s);
    lp_xml_writer_attribute(xml, "topology", "FAT_TREE");
    lp_xml_writer_format(xml, "topo_parameters", "%u;%s;%s;%s", cluster.n_levels, down, up,
                         parallel);
    lp_xml_writer_close(xml);
}

char *
lp_plain_rails(const LpMachine *self)
{
    g_return_val_if_fail(lp_plain_rails_possible(self), NULL);
    LpXmlWriter *xml = lp_plain_open(self);
    for (guint32 rail = 0; rail < self->cards_per_domain; rail++)
        write_rail(xml, self, rail);
    return lp_xml_writer_finish(xml);
}

/* --- names of links --- */

/* Level 0 are the ports. */
static Shape
shape_of(const LpCluster *cluster)
{
    Shape shape = {.n_ports = cluster->n_hosts, .n_levels = cluster->n_levels};
    for (guint32 level = 0; level <= cluster->n_levels; level++) {
        guint64 n = 1;
        for (guint32 i = 0; i < cluster->n_levels; i++)
            n *= i < level ? cluster->up[i] : cluster->down[i];
        shape.n_nodes[level] = n;
    }
    for (guint32 level = 0; level < cluster->n_levels; level++)
        shape.up[level] = cluster->up[level];
    return shape;
}

/* A link as the engine counts them: level after level, node after node, up-link after up-link. */
typedef struct {
    guint32 level; /* of the node below */
    guint64 node, up;
} Place;

static guint64
n_links(const Shape *self)
{
    guint64 n = 0;
    for (guint32 level = 0; level < self->n_levels; level++)
        n += self->n_nodes[level] * self->up[level];
    return n;
}

static Place
find_place(const Shape *self, guint64 link)
{
    Place place = {0, 0, 0};
    while (link >= self->n_nodes[place.level] * self->up[place.level]) {
        link -= self->n_nodes[place.level] * self->up[place.level];
        place.level++;
    }
    place.node = link / self->up[place.level];
    place.up = link % self->up[place.level];
    return place;
}

/* Counts on from the names of the ports, downwards from twice their number for switches. */
static guint64
engine_id(const Shape *self, guint32 level, guint64 node)
{
    if (level == 0)
        return node;
    guint64 above = 0;
    for (guint32 i = 1; i < level; i++)
        above += self->n_nodes[i];
    return 2 * self->n_ports - 1 - above - node;
}

/* A node of a level is numbered by its place among the up-links of the levels below, fastest, and
 * then by the block of ports that it serves. The node above it by up-link u has u as a further
 * place, and serves a block of blocks. */
static guint64
parent(const LpCluster *cluster, guint32 level, guint64 node, guint64 up)
{
    guint64 places = 1;
    for (guint32 i = 0; i < level; i++)
        places *= cluster->up[i];
    guint64 block = node / places / cluster->down[level];
    return (block * cluster->up[level] + up) * places + node % places;
}

static guint64
link_number(const Shape *self, Place place)
{
    guint64 n = place.node * self->up[place.level] + place.up;
    for (guint32 level = 0; level < place.level; level++)
        n += self->n_nodes[level] * self->up[level];
    return n;
}

/* Positions of ports are counted on from rail to rail, in the engine as in the whole tree, but not
 * by as much: routes to the same port take other up-links by that many places. */
static guint64
turn_back(const LpMachine *self, guint32 rail, guint64 position)
{
    guint64 spreads = n_spreads(scale_out(self));
    guint64 turned = rail * (rail_cluster(self).n_hosts - self->unit_domains) % spreads;
    return (position % spreads + spreads - turned) % spreads;
}

/* The place in the whole tree of a rail's link. */
static Place
whole_place(const LpMachine *self, guint32 rail, Place place)
{
    LpCluster part = rail_cluster(self);
    guint64 places = 1, ports = 1;
    for (guint32 i = 0; i < place.level; i++) {
        places *= part.up[i];
        ports *= part.down[i];
    }
    /* The first port below the node, in the rail and in the machine. */
    guint64 first = place.node / places * ports, unit = self->unit_domains;
    guint64 port = (first / unit * self->cards_per_domain + rail) * unit + first % unit;
    guint64 position = turn_back(self, rail, place.up * places + place.node % places);
    return (Place){.level = place.level,
                   .node = port / ports * places + position % places,
                   .up = position / places % part.up[place.level]};
}

char *
lp_plain_rails_link_name(const LpMachine *self, const char *name)
{
    guint64 below, above, number;
    char direction[8];
    if (sscanf(name,
               "link_from_%" G_GUINT64_FORMAT "_%" G_GUINT64_FORMAT "_%" G_GUINT64_FORMAT "_%7s",
               &below, &above, &number, direction) != 4 ||
        (strcmp(direction, "UP") != 0 && strcmp(direction, "DOWN") != 0))
        return g_strdup(name);
    LpCluster cluster = rail_cluster(self);
    Shape rail = shape_of(&cluster), whole = shape_of(scale_out(self));
    guint64 n = n_links(&rail);
    Place place = whole_place(self, (guint32)(number / n), find_place(&rail, number % n));
    guint64 above_node = parent(scale_out(self), place.level, place.node, place.up);
    return g_strdup_printf(
        "link_from_%" G_GUINT64_FORMAT "_%" G_GUINT64_FORMAT "_%" G_GUINT64_FORMAT "_%s",
        engine_id(&whole, place.level, place.node), engine_id(&whole, place.level + 1, above_node),
        link_number(&whole, place), direction);
}
