/* SPDX-License-Identifier: Apache-2.0 */
/* Writes dragonflies and dragonfly+ as zones with explicit routes. */
#include "platforms/plain/plain_zones.h"

#include "platforms/plain/plain.h"

/* What all parts of one plane need. */
typedef struct {
    GString *xml;             /* borrowed */
    const LpDragonfly *shape; /* borrowed */
    const char *id, *prefix;  /* borrowed, as XML */
    const char *suffix;       /* borrowed, as XML */
    double link_bytes_per_s;  /* of one link */
    char latency[G_ASCII_DTOSTR_BUF_SIZE];
} Writer;

/* Routers of a group. */
static guint32
routers_of(const Writer *self)
{
    return self->shape->n_rows * self->shape->n_routers;
}

static void
append_link(const Writer *self, const char *name, guint32 n_links)
{
    char bandwidth[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_dtostr(bandwidth, sizeof bandwidth, self->link_bytes_per_s * n_links);
    g_string_append_printf(self->xml,
                           "<link id=\"%s\" bandwidth=\"%sBps\" latency=\"%ss\" "
                           "sharing_policy=\"SPLITDUPLEX\"/>\n",
                           name, bandwidth, self->latency);
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
append_router(const Writer *self, guint32 group, guint32 router)
{
    char bandwidth[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_dtostr(bandwidth, sizeof bandwidth, self->link_bytes_per_s);
    guint64 first = ((guint64)group * routers_of(self) + router) * self->shape->n_ports;
    g_string_append_printf(
        self->xml,
        "<cluster id=\"%s:%u:%u\" prefix=\"%s\" suffix=\"%s\" radical=\"%" G_GUINT64_FORMAT
        "-%" G_GUINT64_FORMAT "\" speed=\"1Gf\" bw=\"%sBps\" lat=\"%ss\" "
        "sharing_policy=\"SPLITDUPLEX\" router_id=\"%s:%u:%u:router\"/>\n",
        self->id, group, router, self->prefix, self->suffix, first,
        first + self->shape->n_ports - 1, bandwidth, self->latency, self->id, group, router);
}

static void
open_route(const Writer *self, guint32 group, guint32 a, guint32 b)
{
    g_string_append_printf(self->xml,
                           "<zoneRoute src=\"%s:%u:%u\" dst=\"%s:%u:%u\" "
                           "gw_src=\"%s:%u:%u:router\" gw_dst=\"%s:%u:%u:router\">",
                           self->id, group, a, self->id, group, b, self->id, group, a, self->id,
                           group, b);
}

static void
append_step(const Writer *self, const char *link, const char *direction)
{
    g_string_append_printf(self->xml, "<link_ctn id=\"%s\" direction=\"%s\"/>", link, direction);
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
append_local_step(const Writer *self, guint32 group, guint32 a, guint32 b)
{
    g_autofree char *link = local_link(self, group, MIN(a, b), MAX(a, b));
    append_step(self, link, a < b ? "UP" : "DOWN");
}

/* Along the row first, as on the way to another group; the way back is the same one. */
static void
append_local_route(const Writer *self, guint32 group, guint32 a, guint32 b)
{
    guint32 n = self->shape->n_routers, corner = a / n * n + b % n;
    if (self->shape->n_spines > 0) {
        g_autofree char *up = leaf_link(self, group, a);
        g_autofree char *down = leaf_link(self, group, b);
        append_step(self, up, "UP");
        append_step(self, down, "DOWN");
        return;
    }
    if (corner != a)
        append_local_step(self, group, a, corner);
    if (corner != b)
        append_local_step(self, group, corner, b);
}

static void
append_local_routes(const Writer *self, guint32 group)
{
    guint32 n = routers_of(self);
    for (guint32 a = 0; a < n; a++)
        for (guint32 b = a + 1; b < n; b++) {
            open_route(self, group, a, b);
            append_local_route(self, group, a, b);
            g_string_append(self->xml, "</zoneRoute>\n");
        }
}

static void
append_local_links(const Writer *self, guint32 group)
{
    guint32 n = routers_of(self);
    for (guint32 a = 0; a < n; a++)
        for (guint32 b = a + 1; b < n; b++)
            if (n_joining(self, a, b) > 0) {
                g_autofree char *name = local_link(self, group, a, b);
                append_link(self, name, n_joining(self, a, b));
            }
}

static void
append_leaf_links(const Writer *self, guint32 group)
{
    for (guint32 a = 0; a < self->shape->n_routers; a++) {
        g_autofree char *name = leaf_link(self, group, a);
        append_link(self, name, self->shape->n_spines);
    }
}

/* All spines of a group as one: a leaf's links to them act as one of their summed bandwidth. */
static void
append_spines(const Writer *self, guint32 group)
{
    g_string_append_printf(self->xml,
                           "<zone id=\"%s:%u:spine\" routing=\"None\">"
                           "<router id=\"%s:%u:spine:router\"/></zone>\n",
                           self->id, group, self->id, group);
}

static void
append_spine_routes(const Writer *self, guint32 group)
{
    for (guint32 a = 0; a < self->shape->n_routers; a++) {
        g_autofree char *link = leaf_link(self, group, a);
        g_string_append_printf(self->xml,
                               "<zoneRoute src=\"%s:%u:%u\" dst=\"%s:%u:spine\" "
                               "gw_src=\"%s:%u:%u:router\" gw_dst=\"%s:%u:spine:router\">",
                               self->id, group, a, self->id, group, self->id, group, a, self->id,
                               group);
        append_step(self, link, "UP");
        g_string_append(self->xml, "</zoneRoute>\n");
    }
}

static void
append_group(const Writer *self, guint32 group)
{
    gboolean is_plus = self->shape->n_spines > 0;
    g_string_append_printf(self->xml, "<zone id=\"%s:%u\" routing=\"Full\">\n", self->id, group);
    for (guint32 a = 0; a < routers_of(self); a++)
        append_router(self, group, a);
    if (is_plus)
        append_spines(self, group);
    append_local_routes(self, group);
    if (is_plus)
        append_spine_routes(self, group);
    g_string_append(self->xml, "</zone>\n");
}

/* Where the links to group @to end in group @from: at a router, or in a dragonfly+ at its spines,
 * which all routers reach alike. */
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
append_links(const Writer *self)
{
    guint32 n = self->shape->n_groups;
    for (guint32 a = 0; a < n; a++)
        for (guint32 b = a + 1; b < n; b++) {
            g_autofree char *name = global_link(self, a, b);
            append_link(self, name, self->shape->group_links);
        }
    for (guint32 group = 0; group < n; group++) {
        if (self->shape->n_spines > 0)
            append_leaf_links(self, group);
        else
            append_local_links(self, group);
    }
}

static void
append_global_routes(const Writer *self)
{
    guint32 n = self->shape->n_groups;
    for (guint32 a = 0; a < n; a++)
        for (guint32 b = a + 1; b < n; b++) {
            g_autofree char *name = global_link(self, a, b);
            g_autofree char *from = gate_name(self, a, b);
            g_autofree char *to = gate_name(self, b, a);
            g_string_append_printf(self->xml,
                                   "<zoneRoute src=\"%s:%u\" dst=\"%s:%u\" gw_src=\"%s\" "
                                   "gw_dst=\"%s\">",
                                   self->id, a, self->id, b, from, to);
            append_step(self, name, "UP");
            g_string_append(self->xml, "</zoneRoute>\n");
        }
}

void
lp_plain_zones_append(GString *xml, const LpMachine *machine, const char *id, const char *prefix)
{
    const LpCluster *cluster = &machine->cluster[LP_ATTACHMENT_SCALE_OUT];
    Writer writer = {
        .xml = xml,
        .shape = &cluster->dragonfly,
        .id = id,
        .prefix = prefix,
        .suffix = cluster->suffix,
        .link_bytes_per_s = lp_machine_link_bytes_per_s(machine, LP_ATTACHMENT_SCALE_OUT),
    };
    g_ascii_dtostr(writer.latency, sizeof writer.latency, cluster->link_latency_s);
    g_string_append_printf(xml, "<zone id=\"%s\" routing=\"Full\">\n", id);
    /* SimGrid's reader takes a zone that begins with a link for one that holds hosts. */
    g_string_append_printf(xml,
                           "<zone id=\"%s:first\" routing=\"None\">"
                           "<router id=\"%s:first:router\"/></zone>\n",
                           id, id);
    append_links(&writer);
    for (guint32 group = 0; group < cluster->dragonfly.n_groups; group++)
        append_group(&writer, group);
    append_global_routes(&writer);
    g_string_append(xml, "</zone>\n");
}
