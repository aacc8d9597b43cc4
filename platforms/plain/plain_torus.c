/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a torus as a zone with explicit routes: SimGrid's own knows no twist, and leads all ways
 * of equal length upwards. */
#include "platforms/plain/plain_torus.h"

#include "platforms/plain/plain_links.h"

/* What all parts of one plane need. */
typedef struct {
    LpXmlWriter *xml;                 /* borrowed */
    const LpTorus *shape;             /* borrowed */
    const char *id, *prefix, *suffix; /* borrowed */
    guint64 n_ports;
} Writer;

char *
lp_plain_torus_link_name(const char *id, guint64 port, guint32 dimension)
{
    return g_strdup_printf("%s:%" G_GUINT64_FORMAT ":%u", id, port, dimension);
}

static char *
host_name(const Writer *self, guint64 port)
{
    return g_strdup_printf("%s%" G_GUINT64_FORMAT "%s", self->prefix, port, self->suffix);
}

static void
write_hosts(const Writer *self)
{
    for (guint64 port = 0; port < self->n_ports; port++) {
        g_autofree char *name = host_name(self, port);
        lp_xml_writer_open(self->xml, "host");
        lp_xml_writer_attribute(self->xml, "id", name);
        lp_xml_writer_attribute(self->xml, "speed", "1Gf");
        lp_xml_writer_close(self->xml);
    }
}

static void
write_links(const Writer *self, double bytes_per_s, double latency_s)
{
    for (guint64 port = 0; port < self->n_ports; port++)
        for (guint32 d = 0; d < self->shape->n_dimensions; d++) {
            g_autofree char *name = lp_plain_torus_link_name(self->id, port, d);
            lp_plain_write_link(self->xml, name, bytes_per_s, latency_s);
        }
}

/* A step downwards takes the link of the port that it leads to. */
static void
write_steps(const Writer *self, guint64 from, guint64 to)
{
    LpTorusPath way = lp_torus_path(self->shape, from, to);
    guint64 at = from;
    for (guint32 d = 0; d < self->shape->n_dimensions; d++)
        for (gint32 left = way.steps[d]; left != 0; left += left > 0 ? -1 : 1) {
            guint64 next = lp_torus_neighbour(self->shape, at, d, left > 0);
            g_autofree char *name = lp_plain_torus_link_name(self->id, left > 0 ? at : next, d);
            lp_plain_write_step(self->xml, name, left > 0);
            at = next;
        }
}

static void
write_routes(const Writer *self, guint64 from)
{
    g_autofree char *source = host_name(self, from);
    for (guint64 to = 0; to < self->n_ports; to++) {
        if (to == from)
            continue;
        g_autofree char *destination = host_name(self, to);
        lp_xml_writer_open(self->xml, "route");
        lp_xml_writer_attribute(self->xml, "src", source);
        lp_xml_writer_attribute(self->xml, "dst", destination);
        lp_xml_writer_attribute(self->xml, "symmetrical", "NO");
        write_steps(self, from, to);
        lp_xml_writer_close(self->xml);
    }
}

void
lp_plain_torus_write(LpXmlWriter *xml, const LpMachine *machine, const char *id, const char *prefix)
{
    const LpCluster *cluster = &machine->cluster[LP_ATTACHMENT_SCALE_OUT];
    Writer writer = {.xml = xml,
                     .shape = &cluster->torus,
                     .id = id,
                     .prefix = prefix,
                     .suffix = cluster->suffix,
                     .n_ports = cluster->n_hosts};
    lp_xml_writer_open(xml, "zone");
    lp_xml_writer_attribute(xml, "id", id);
    lp_xml_writer_attribute(xml, "routing", "Full");
    write_hosts(&writer);
    write_links(&writer, lp_machine_link_bytes_per_s(machine, LP_ATTACHMENT_SCALE_OUT),
                cluster->link_latency_s);
    for (guint64 port = 0; port < cluster->n_hosts; port++)
        write_routes(&writer, port);
    lp_xml_writer_close(xml);
}
