/* SPDX-License-Identifier: Apache-2.0 */
/* Domains of cards on PCIe: a link for each card, a bridge for each pair, a link for each root, in
 * this order. The engine is given such machines route by route, so that names are free. */
#include "platforms/plain/plane.h"

static guint64
n_cards(const LpPlane *self)
{
    return self->cluster->n_hosts;
}

static guint64
n_bridges(const LpPlane *self)
{
    return self->machine->pcie_host.pair_bytes_per_s > 0.0 ? n_cards(self) / 2 : 0;
}

static guint64
n_roots(const LpPlane *self)
{
    const LpPcieHost *host = &self->machine->pcie_host;
    return host->root_accelerators > 0 ? n_cards(self) / host->root_accelerators : 0;
}

static guint64
pcie_n_links(const LpPlane *self)
{
    return 2 * (n_cards(self) + n_bridges(self) + n_roots(self));
}

static LpLink
pcie_link(const LpPlane *self, guint32 link)
{
    LpLink found = self->port;
    guint32 pair = link / 2;
    if (pair < n_cards(self))
        return found;
    if (pair - n_cards(self) >= n_bridges(self))
        return (LpLink){.bytes_per_s = self->machine->pcie_host.root_bytes_per_s,
                        .tier = LP_TIER_PCIE};
    found.bytes_per_s = self->machine->pcie_host.pair_bytes_per_s;
    /* One link instead of two. */
    found.latency_s *= 2.0;
    return found;
}

static char *
pcie_name(const LpPlane *self, guint32 pair)
{
    const char *id = self->cluster->id;
    guint64 n = n_cards(self);
    if (pair < n)
        return g_strdup_printf("%s_link_%u", id, pair);
    if (pair - n < n_bridges(self))
        return g_strdup_printf("%s_bridge_%" G_GUINT64_FORMAT, id, pair - n);
    return g_strdup_printf("%s_root_%" G_GUINT64_FORMAT, id, pair - n - n_bridges(self));
}

static void
pcie_ends(const LpPlane *self, guint32 pair, char **out_ends)
{
    guint64 n = n_cards(self), bridge = pair - n, root = pair - n - n_bridges(self);
    guint32 per_root = self->machine->pcie_host.root_accelerators;
    if (pair < n) {
        out_ends[0] = lp_plane_port_text(self, pair);
        out_ends[1] = per_root > 0
                          ? g_strdup_printf("PCIe root %" G_GUINT64_FORMAT,
                                            lp_pcie_host_root(&self->machine->pcie_host, pair))
                          : g_strdup_printf("domain %" G_GUINT64_FORMAT,
                                            lp_machine_domain(self->machine, pair));
        return;
    }
    if (bridge < n_bridges(self)) {
        out_ends[0] = lp_plane_port_text(self, 2 * bridge);
        out_ends[1] = lp_plane_port_text(self, 2 * bridge + 1);
        return;
    }
    out_ends[0] = g_strdup_printf("PCIe root %" G_GUINT64_FORMAT, root);
    out_ends[1] = g_strdup_printf("host of domain %" G_GUINT64_FORMAT,
                                  lp_machine_domain(self->machine, root * MAX(per_root, 1)));
}

guint32
lp_plane_root_link(const LpPlane *self, guint64 accelerator)
{
    guint64 root = lp_pcie_host_root(&self->machine->pcie_host, accelerator);
    return (guint32)(2 * (n_cards(self) + n_bridges(self) + root));
}

static void
pcie_route(const LpPlane *self, guint64 from, guint64 to, guint32 path, GArray *io_links)
{
    (void)path;
    const LpPcieHost *host = &self->machine->pcie_host;
    if (lp_pcie_host_has_bridge(host, from, to)) {
        guint32 link = (guint32)(2 * (n_cards(self) + from / 2) + from % 2);
        g_array_append_val(io_links, link);
        return;
    }
    guint32 links[] = {(guint32)(2 * from), lp_plane_root_link(self, from),
                       lp_plane_root_link(self, to) + 1, (guint32)(2 * to + 1)};
    gboolean crosses_roots = host->root_accelerators > 0 && links[1] + 1 != links[2];
    if (crosses_roots) {
        g_array_append_vals(io_links, links, G_N_ELEMENTS(links));
        return;
    }
    g_array_append_val(io_links, links[0]);
    g_array_append_val(io_links, links[3]);
}

const LpPlaneTopology lp_plane_pcie = {.n_links = pcie_n_links,
                                       .link = pcie_link,
                                       .name = pcie_name,
                                       .ends = pcie_ends,
                                       .route = pcie_route};
