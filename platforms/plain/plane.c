/* SPDX-License-Identifier: Apache-2.0 */
/* Which topology a plane has, and the simplest of them. */
#include "platforms/plain/plane.h"

#include "platforms/plain/plain.h"

LpPlane
lp_plane(const LpMachine *machine, LpAttachment attachment, guint32 index)
{
    const LpCluster *cluster = lp_machine_plane_cluster(machine, attachment, index);
    return (LpPlane){
        .machine = machine,
        .cluster = cluster,
        .attachment = attachment,
        .index = index,
        .tree = lp_plain_tree(machine, attachment, index),
        .port = {.bytes_per_s = attachment == LP_ATTACHMENT_SCALE_OUT
                                    ? lp_machine_plane_bytes_per_s(machine, index)
                                    : lp_machine_link_bytes_per_s(machine, attachment),
                 .latency_s = cluster->link_latency_s,
                 .tier = attachment == LP_ATTACHMENT_SCALE_UP ? LP_TIER_SCALE_UP : LP_TIER_PORT}};
}

const LpPlaneTopology *
lp_plane_topology(const LpPlane *self)
{
    if (self->tree.n_levels > 0)
        return &lp_plane_tree;
    if (self->attachment == LP_ATTACHMENT_SCALE_UP &&
        lp_pcie_host_is_present(&self->machine->pcie_host))
        return &lp_plane_pcie;
    switch (self->cluster->topology) {
    case LP_TOPOLOGY_TORUS:
        return &lp_plane_torus;
    case LP_TOPOLOGY_DRAGONFLY:
    case LP_TOPOLOGY_DRAGONFLY_PLUS:
        return &lp_plane_dragonfly;
    case LP_TOPOLOGY_CROSSBAR:
    case LP_TOPOLOGY_FAT_TREE:
        break;
    }
    return &lp_plane_star;
}

char *
lp_plane_port_text(const LpPlane *self, guint64 port)
{
    guint64 accelerator = 0;
    if (self->attachment == LP_ATTACHMENT_SCALE_UP)
        return g_strdup_printf("accelerator %" G_GUINT64_FORMAT, port);
    while (accelerator < self->machine->n_accelerators &&
           lp_machine_port(self->machine, accelerator, self->attachment) != port)
        accelerator++;
    return accelerator < self->machine->n_accelerators
               ? g_strdup_printf("port of accelerator %" G_GUINT64_FORMAT, accelerator)
               : g_strdup_printf("port %" G_GUINT64_FORMAT ", which is unused", port);
}

/* --- flat clusters --- */

static guint64
star_n_links(const LpPlane *self)
{
    return 2 * self->cluster->n_hosts;
}

static LpLink
star_link(const LpPlane *self, guint32 link)
{
    (void)link;
    return self->port;
}

static char *
star_name(const LpPlane *self, guint32 pair)
{
    g_autofree char *id = lp_plain_cluster_id(self->cluster, self->index);
    return g_strdup_printf("%s_link_%u", id, pair);
}

static void
star_route(const LpPlane *self, guint64 from, guint64 to, guint32 path, GArray *io_links)
{
    (void)self;
    (void)path;
    guint32 links[] = {(guint32)(2 * from), (guint32)(2 * to + 1)};
    g_array_append_vals(io_links, links, G_N_ELEMENTS(links));
}

static void
star_ends(const LpPlane *self, guint32 pair, char **out_ends)
{
    out_ends[0] = lp_plane_port_text(self, pair);
    out_ends[1] =
        self->attachment == LP_ATTACHMENT_SCALE_UP
            ? g_strdup_printf("domain %" G_GUINT64_FORMAT, lp_machine_domain(self->machine, pair))
            : g_strdup(self->machine->circuits.is_present ? "circuit switch" : "switch");
}

static LpPlaneBlock
star_block(const LpPlane *self)
{
    return (LpPlaneBlock){self->cluster->n_hosts, 1};
}

const LpPlaneTopology lp_plane_star = {.n_links = star_n_links,
                                       .link = star_link,
                                       .name = star_name,
                                       .ends = star_ends,
                                       .route = star_route,
                                       .block = star_block};
