/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a machine view as a plain SimGrid platform. */
#include "platforms/plain/plain.h"

#include "platforms/plain/plain_torus.h"
#include "platforms/plain/plain_zones.h"
#include "platforms/machine/topology.h"

/* "2;20,56;1,20;1,1": levels, arities, up-links, parallel links. */
static void
write_fat_tree(LpXmlWriter *xml, const LpPlainTree *tree)
{
    GString *down = g_string_new(NULL), *up = g_string_new(NULL), *parallel = g_string_new(NULL);
    for (guint32 i = 0; i < tree->n_levels; i++) {
        const char *comma = i == 0 ? "" : ",";
        g_string_append_printf(down, "%s%" G_GUINT64_FORMAT, comma, tree->down[i]);
        g_string_append_printf(up, "%s%u", comma, tree->up[i]);
        g_string_append_printf(parallel, "%s1", comma);
    }
    lp_xml_writer_attribute(xml, "topology", "FAT_TREE");
    lp_xml_writer_format(xml, "topo_parameters", "%u;%s;%s;%s", tree->n_levels, down->str, up->str,
                         parallel->str);
    g_string_free(down, TRUE);
    g_string_free(up, TRUE);
    g_string_free(parallel, TRUE);
}

static void
write_topology(LpXmlWriter *xml, const LpMachine *machine, LpAttachment attachment, guint32 plane)
{
    const LpCluster *cluster = lp_machine_plane_cluster(machine, attachment, plane);
    LpPlainTree tree = lp_plain_tree(machine, attachment, plane);
    if (tree.n_levels > 0) {
        write_fat_tree(xml, &tree);
    } else if (cluster->topology == LP_TOPOLOGY_TORUS) {
        g_autofree char *text = lp_topology_torus_parameters(&cluster->torus);
        lp_xml_writer_attribute(xml, "topology", "TORUS");
        lp_xml_writer_attribute(xml, "topo_parameters", text);
    } else if (cluster->topology == LP_TOPOLOGY_DRAGONFLY) {
        g_autofree char *text = lp_topology_dragonfly_parameters(&cluster->dragonfly);
        lp_xml_writer_attribute(xml, "topology", "DRAGONFLY");
        lp_xml_writer_attribute(xml, "topo_parameters", text);
    }
}

/* Planes after the first are told apart by a number in front, which no user's name begins with. */
static char *
plane_prefix(const LpCluster *cluster, guint32 plane)
{
    return plane == 0 ? g_strdup(cluster->prefix)
                      : g_strdup_printf("%u:%s", plane, cluster->prefix);
}

/* Within a group of several rows SimGrid 3.32 takes the wrong links: after the step along a row it
 * goes on from the first row, wherever it came from. */
gboolean
lp_plain_is_zones(const LpCluster *cluster)
{
    return cluster->dragonfly.has_gates || cluster->dragonfly.n_rows > 1 ||
           cluster->torus.spreads_paths;
}

/* Zones of ours call their parts by their own name, a colon and a number. */
char *
lp_plain_cluster_id(const LpCluster *cluster, guint32 plane)
{
    if (plane == 0)
        return g_strdup(cluster->id);
    return lp_plain_is_zones(cluster) ? g_strdup_printf("%u:%s", plane, cluster->id)
                                      : g_strdup_printf("%s:%u", cluster->id, plane);
}

static void
write_cluster(LpXmlWriter *xml, const LpMachine *machine, LpAttachment attachment, guint32 plane)
{
    const LpCluster *cluster = lp_machine_plane_cluster(machine, attachment, plane);
    g_autofree char *prefix = plane_prefix(cluster, plane);
    g_autofree char *id = lp_plain_cluster_id(cluster, plane);
    if (cluster->torus.spreads_paths) {
        lp_plain_torus_write(xml, machine, id, prefix);
        return;
    }
    if (lp_plain_is_zones(cluster)) {
        lp_plain_zones_write(xml, machine, id, prefix);
        return;
    }
    guint64 n_hosts =
        cluster->n_hosts * (attachment == LP_ATTACHMENT_SCALE_OUT ? machine->n_paths : 1);
    lp_xml_writer_open(xml, "cluster");
    lp_xml_writer_attribute(xml, "id", id);
    lp_xml_writer_attribute(xml, "prefix", prefix);
    lp_xml_writer_attribute(xml, "suffix", cluster->suffix);
    lp_xml_writer_format(xml, "radical", "0-%" G_GUINT64_FORMAT, n_hosts - 1);
    lp_plain_write_links(xml,
                         attachment == LP_ATTACHMENT_SCALE_OUT
                             ? lp_machine_plane_bytes_per_s(machine, plane)
                             : lp_machine_link_bytes_per_s(machine, attachment),
                         cluster->link_latency_s);
    write_topology(xml, machine, attachment, plane);
    lp_xml_writer_close(xml);
}

char *
lp_plain_host_name(const LpMachine *self, LpAttachment attachment, guint32 plane, guint64 port,
                   guint32 path)
{
    const LpCluster *cluster = &self->cluster[attachment];
    g_autofree char *prefix = plane_prefix(cluster, plane);
    guint64 number = attachment == LP_ATTACHMENT_SCALE_OUT ? port * self->n_paths + path : port;
    return g_strdup_printf("%s%" G_GUINT64_FORMAT "%s", prefix, number, cluster->suffix);
}

LpXmlWriter *
lp_plain_open_minimal(void)
{
    LpXmlWriter *xml = lp_xml_writer_new();
    lp_xml_writer_doctype(xml, "platform", "https://simgrid.org/simgrid.dtd");
    lp_xml_writer_open(xml, "platform");
    lp_xml_writer_attribute(xml, "version", "4.1");
    lp_xml_writer_open(xml, "zone");
    /* The colon keeps the zone's name apart from all of the user's. */
    lp_xml_writer_attribute(xml, "id", ":machine");
    lp_xml_writer_attribute(xml, "routing", "None");
    return xml;
}

char *
lp_plain_minimal(const char *host)
{
    LpXmlWriter *xml = lp_plain_open_minimal();
    lp_xml_writer_open(xml, "host");
    lp_xml_writer_attribute(xml, "id", host);
    lp_xml_writer_attribute(xml, "speed", "1Gf");
    lp_xml_writer_close(xml);
    return lp_xml_writer_finish(xml);
}

char *
lp_machine_to_plain(const LpMachine *self)
{
    LpXmlWriter *xml = lp_plain_open_minimal();
    write_cluster(xml, self, LP_ATTACHMENT_SCALE_UP, 0);
    for (guint32 plane = 0; self->has_scale_out && plane < lp_machine_n_planes(self); plane++)
        write_cluster(xml, self, LP_ATTACHMENT_SCALE_OUT, plane);
    return lp_xml_writer_finish(xml);
}
