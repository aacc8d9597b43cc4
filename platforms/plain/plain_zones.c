/* SPDX-License-Identifier: Apache-2.0 */
/* Writes dragonflies and dragonfly+ as zones with explicit routes. */
#include "platforms/plain/plain_zones.h"

#include "platforms/plain/plain_links.h"

/* What all parts of one plane need. */
typedef struct {
    LpXmlWriter *xml;         /* borrowed */
    const LpDragonfly *shape; /* borrowed */
    const char *id, *prefix;  /* borrowed */
    const char *suffix;       /* borrowed */
    double link_bytes_per_s;  /* of one link */
    double link_latency_s;
} Writer;

/* Routers of a group. */
static guint32
routers_of(const Writer *self)
{
    return self->shape->n_rows * self->shape->n_routers;
}

/* @n_links that act as one of their summed bandwidth. */
static void
write_link(const Writer *self, const char *name, guint32 n_links)
{
    lp_plain_write_link(self->xml, name, self->link_bytes_per_s * n_links, self->link_latency_s);
}

static char *
local_link(const Writer *self, guint32 group, guint32 a, guint32 b)
{
    return g_strdup_printf("%s" LP_PLAIN_LOCAL_LINK "%u:%u-%u", self->id, group, a, b);
}

static char *
leaf_link(const Writer *self, guint32 group, guint32 router)
{
    return g_strdup_printf("%s" LP_PLAIN_LEAF_LINK "%u:%u", self->id, group, router);
}

static char *
global_link(const Writer *self, guint32 a, guint32 b)
{
    return g_strdup_printf("%s" LP_PLAIN_GLOBAL_LINK "%u-%u", self->id, a, b);
}

/* The router's ports; the cluster's own router is where routes to and from it begin and end. */
static void
write_router(const Writer *self, guint32 group, guint32 router)
{
    LpXmlWriter *xml = self->xml;
    guint64 first = ((guint64)group * routers_of(self) + router) * self->shape->n_ports;
    lp_xml_writer_open(xml, "cluster");
    lp_xml_writer_format(xml, "id", "%s:%u:%u", self->id, group, router);
    lp_xml_writer_attribute(xml, "prefix", self->prefix);
    lp_xml_writer_attribute(xml, "suffix", self->suffix);
    lp_xml_writer_format(xml, "radical", "%" G_GUINT64_FORMAT "-%" G_GUINT64_FORMAT, first,
                         first + self->shape->n_ports - 1);
    lp_plain_write_links(xml, self->link_bytes_per_s, self->link_latency_s);
    lp_xml_writer_format(xml, "router_id", "%s:%u:%u:router", self->id, group, router);
    lp_xml_writer_close(xml);
}

/* A zone that holds nothing but a router. */
static void
write_empty_zone(const Writer *self, const char *id)
{
    lp_xml_writer_open(self->xml, "zone");
    lp_xml_writer_attribute(self->xml, "id", id);
    lp_xml_writer_attribute(self->xml, "routing", "None");
    lp_xml_writer_open(self->xml, "router");
    lp_xml_writer_format(self->xml, "id", "%s:router", id);
    lp_xml_writer_close(self->xml);
    lp_xml_writer_close(self->xml);
}

/* Opens a route, which the caller closes after writing its links. */
static void
open_route(const Writer *self, guint32 group, guint32 a, guint32 b)
{
    LpXmlWriter *xml = self->xml;
    lp_xml_writer_open(xml, "zoneRoute");
    lp_xml_writer_format(xml, "src", "%s:%u:%u", self->id, group, a);
    lp_xml_writer_format(xml, "dst", "%s:%u:%u", self->id, group, b);
    lp_xml_writer_format(xml, "gw_src", "%s:%u:%u:router", self->id, group, a);
    lp_xml_writer_format(xml, "gw_dst", "%s:%u:%u:router", self->id, group, b);
}

/* How many links of a dragonfly join two routers of a group: of a row, or of a column; 0: none. */
static guint32
n_joining(const Writer *self, guint32 a, guint32 b)
{
    guint32 n = self->shape->n_routers;
    if (a / n == b / n)
        return self->shape->router_links;
    return a % n == b % n ? self->shape->row_links : 0;
}

/* Over the link from router @a to @b, which is called after the lower of the two. */
static void
write_local_step(const Writer *self, guint32 group, guint32 a, guint32 b)
{
    g_autofree char *link = local_link(self, group, MIN(a, b), MAX(a, b));
    lp_plain_write_step(self->xml, link, a < b);
}

/* Along the row first, as on the way to another group; the way back is the same one. */
static void
write_local_route(const Writer *self, guint32 group, guint32 a, guint32 b)
{
    guint32 n = self->shape->n_routers, corner = a / n * n + b % n;
    if (self->shape->n_spines > 0) {
        g_autofree char *up = leaf_link(self, group, a);
        g_autofree char *down = leaf_link(self, group, b);
        lp_plain_write_step(self->xml, up, TRUE);
        lp_plain_write_step(self->xml, down, FALSE);
        return;
    }
    if (corner != a)
        write_local_step(self, group, a, corner);
    if (corner != b)
        write_local_step(self, group, corner, b);
}

static void
write_local_routes(const Writer *self, guint32 group)
{
    guint32 n = routers_of(self);
    for (guint32 a = 0; a < n; a++)
        for (guint32 b = a + 1; b < n; b++) {
            open_route(self, group, a, b);
            write_local_route(self, group, a, b);
            lp_xml_writer_close(self->xml);
        }
}

static void
write_local_links(const Writer *self, guint32 group)
{
    guint32 n = routers_of(self);
    for (guint32 a = 0; a < n; a++)
        for (guint32 b = a + 1; b < n; b++)
            if (n_joining(self, a, b) > 0) {
                g_autofree char *name = local_link(self, group, a, b);
                write_link(self, name, n_joining(self, a, b));
            }
}

static void
write_leaf_links(const Writer *self, guint32 group)
{
    for (guint32 a = 0; a < self->shape->n_routers; a++) {
        g_autofree char *name = leaf_link(self, group, a);
        write_link(self, name, self->shape->n_spines);
    }
}

/* All spines of a group as one: a leaf's links to them act as one of their summed bandwidth. */
static void
write_spines(const Writer *self, guint32 group)
{
    g_autofree char *id = g_strdup_printf("%s:%u:spine", self->id, group);
    write_empty_zone(self, id);
}

static void
write_spine_routes(const Writer *self, guint32 group)
{
    LpXmlWriter *xml = self->xml;
    for (guint32 a = 0; a < self->shape->n_routers; a++) {
        g_autofree char *link = leaf_link(self, group, a);
        lp_xml_writer_open(xml, "zoneRoute");
        lp_xml_writer_format(xml, "src", "%s:%u:%u", self->id, group, a);
        lp_xml_writer_format(xml, "dst", "%s:%u:spine", self->id, group);
        lp_xml_writer_format(xml, "gw_src", "%s:%u:%u:router", self->id, group, a);
        lp_xml_writer_format(xml, "gw_dst", "%s:%u:spine:router", self->id, group);
        lp_plain_write_step(self->xml, link, TRUE);
        lp_xml_writer_close(xml);
    }
}

static void
write_group(const Writer *self, guint32 group)
{
    gboolean is_plus = self->shape->n_spines > 0;
    lp_xml_writer_open(self->xml, "zone");
    lp_xml_writer_format(self->xml, "id", "%s:%u", self->id, group);
    lp_xml_writer_attribute(self->xml, "routing", "Full");
    for (guint32 a = 0; a < routers_of(self); a++)
        write_router(self, group, a);
    if (is_plus)
        write_spines(self, group);
    write_local_routes(self, group);
    if (is_plus)
        write_spine_routes(self, group);
    lp_xml_writer_close(self->xml);
}

/* The end, in group @from, of the links to group @to: a router, or the spines of a dragonfly+,
 * which all its routers reach alike. */
static char *
gate_name(const Writer *self, guint32 from, guint32 to)
{
    if (self->shape->n_spines > 0)
        return g_strdup_printf("%s:%u:spine:router", self->id, from);
    return g_strdup_printf("%s:%u:%u:router", self->id, from,
                           lp_dragonfly_gate(self->shape, from, to));
}

/* SimGrid looks for the name of each new link, and of each of a route, in one zone after the other:
 * so all links stand in the first, before there are others. */
static void
write_links(const Writer *self)
{
    guint32 n = self->shape->n_groups;
    for (guint32 a = 0; a < n; a++)
        for (guint32 b = a + 1; b < n; b++) {
            g_autofree char *name = global_link(self, a, b);
            write_link(self, name, self->shape->group_links);
        }
    for (guint32 group = 0; group < n; group++) {
        if (self->shape->n_spines > 0)
            write_leaf_links(self, group);
        else
            write_local_links(self, group);
    }
}

/* Over the link from group @from to @to, which is called after the lower of the two. Its ends lie
 * in zones within the groups: SimGrid from 4.1 on finds the way to such an end from a bypass only,
 * while a zoneRoute must end in the group itself, where 3.32 does not find it. */
static void
write_global_route(const Writer *self, guint32 from, guint32 to)
{
    g_autofree char *name = global_link(self, MIN(from, to), MAX(from, to));
    g_autofree char *out = gate_name(self, from, to);
    g_autofree char *in = gate_name(self, to, from);
    lp_xml_writer_open(self->xml, "bypassZoneRoute");
    lp_xml_writer_format(self->xml, "src", "%s:%u", self->id, from);
    lp_xml_writer_format(self->xml, "dst", "%s:%u", self->id, to);
    lp_xml_writer_attribute(self->xml, "gw_src", out);
    lp_xml_writer_attribute(self->xml, "gw_dst", in);
    lp_plain_write_step(self->xml, name, from < to);
    lp_xml_writer_close(self->xml);
}

static void
write_global_routes(const Writer *self)
{
    for (guint32 from = 0; from < self->shape->n_groups; from++)
        for (guint32 to = 0; to < self->shape->n_groups; to++)
            if (to != from)
                write_global_route(self, from, to);
}

void
lp_plain_zones_write(LpXmlWriter *xml, const LpMachine *machine, const char *id, const char *prefix)
{
    const LpCluster *cluster = &machine->cluster[LP_ATTACHMENT_SCALE_OUT];
    Writer writer = {
        .xml = xml,
        .shape = &cluster->dragonfly,
        .id = id,
        .prefix = prefix,
        .suffix = cluster->suffix,
        .link_bytes_per_s = lp_machine_link_bytes_per_s(machine, LP_ATTACHMENT_SCALE_OUT),
        .link_latency_s = cluster->link_latency_s,
    };
    g_autofree char *first = g_strdup_printf("%s:first", id);
    lp_xml_writer_open(xml, "zone");
    lp_xml_writer_attribute(xml, "id", id);
    lp_xml_writer_attribute(xml, "routing", "Full");
    /* SimGrid's reader takes a zone that begins with a link for one that holds hosts. */
    write_empty_zone(&writer, first);
    write_links(&writer);
    for (guint32 group = 0; group < cluster->dragonfly.n_groups; group++)
        write_group(&writer, group);
    write_global_routes(&writer);
    lp_xml_writer_close(xml);
}
