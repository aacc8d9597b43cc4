/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about a machine that follow from its description: tiers, bisection, oversubscription. */
#include "platforms/machine/describe.h"

#include "platforms/machine/topology.h"

/* @n_together: links that act as one. */
static void
add_tier(LpMachineFacts *facts, const LpCluster *cluster, const char *name, guint64 n_links,
         guint32 n_together, double oversubscription)
{
    facts->tiers[facts->n_tiers++] = (LpTierFacts){
        .name = name,
        .n_links = n_links,
        .link_bytes_per_s = cluster->link_bytes_per_s * n_together,
        .latency_s = cluster->link_latency_s,
        .technology = cluster->technology,
        .oversubscription = oversubscription,
    };
}

static void
limit(LpMachineFacts *facts, const LpCluster *cluster, double n_links)
{
    facts->bisection_bytes_per_s =
        MIN(facts->bisection_bytes_per_s, n_links * cluster->link_bytes_per_s);
}

/* The tiers of a tree, from the ports up; @bisection shrinks to the narrowest that is crossed. Of a
 * tier with links to spare only those above ports that are used count. */
static void
add_tree(const LpMachine *self, LpMachineFacts *facts)
{
    static const char *const names[] = {"port", "leaf", "spine"};
    const LpCluster *cluster = &self->cluster[LP_ATTACHMENT_SCALE_OUT];
    guint32 n_planes = self->n_planes;
    add_tier(facts, cluster, names[0], cluster->n_hosts * n_planes, 1, 1);
    guint64 n_links = cluster->n_hosts, n_below_switch = 1, n_up = 1;
    /* What would join rails that never meet is there for SimGrid alone. */
    guint32 n_levels = cluster->n_levels - (self->rails_relay && cluster->n_levels > 0 ? 1 : 0);
    for (guint32 level = 1; level < n_levels; level++) {
        guint64 n_below = n_links;
        n_links = n_links / cluster->down[level - 1] * cluster->up[level];
        add_tier(facts, cluster, names[level], n_links * n_planes, 1,
                 (double)n_below / (double)n_links);
        facts->oversubscription =
            MAX(facts->oversubscription, (double)cluster->n_hosts / (double)n_links);
        n_below_switch *= cluster->down[level - 1];
        n_up *= cluster->up[level];
        guint64 n_used = (lp_machine_n_ports(self) + n_below_switch - 1) / n_below_switch * n_up;
        /* Halves that share each switch below this tier never use it. */
        if (lp_machine_span_domains(self, level - 1) < facts->n_domains)
            limit(facts, cluster, (double)n_used / 2);
    }
}

/* A ring of two has one pair of links, and no way round. A twist shifts by half of the longer
 * dimensions, so that every link that wraps around a shorter one leads to the other half. */
static guint64
n_cut(const LpTorus *torus, guint32 dimension)
{
    guint64 n = lp_torus_n_ports(torus);
    guint32 size = torus->size[dimension];
    guint64 n_links = n / size * (size > 2 || torus->is_twisted ? 2 : 1);
    for (guint32 i = 0; torus->is_twisted && i < torus->n_dimensions; i++)
        n_links += torus->size[i] < size ? n / torus->size[i] : 0;
    return n_links;
}

static void
add_torus(const LpMachine *self, LpMachineFacts *facts)
{
    const LpCluster *cluster = &self->cluster[LP_ATTACHMENT_SCALE_OUT];
    const LpTorus *torus = &cluster->torus;
    gboolean has_even = FALSE;
    for (guint32 i = 0; i < torus->n_dimensions; i++)
        has_even = has_even || torus->size[i] % 2 == 0;
    guint64 fewest = G_MAXUINT64;
    for (guint32 i = 0; i < torus->n_dimensions; i++)
        if (!has_even || torus->size[i] % 2 == 0)
            fewest = MIN(fewest, n_cut(torus, i));
    add_tier(facts, cluster, "torus", lp_torus_n_links(torus) * self->n_planes, 1,
             (double)cluster->n_hosts / 2 / (double)fewest);
    facts->bisection_bytes_per_s = (double)fewest * cluster->link_bytes_per_s;
    facts->oversubscription = (double)cluster->n_hosts / 2 / (double)fewest;
    facts->all_to_all_bytes_per_s = (double)(cluster->n_hosts - 1) * cluster->link_bytes_per_s *
                                    self->n_planes / lp_torus_all_to_all_load(torus);
}

/* Pairs of one of each half of @n. */
static double
n_pairs_cut(guint64 n)
{
    return (double)(n / 2) * (double)(n - n / 2);
}

static double
dragonfly_n_cut(const LpDragonfly *self)
{
    if (self->n_groups > 1)
        return n_pairs_cut(self->n_groups) * self->group_links;
    if (self->n_spines > 0)
        return (double)self->n_routers / 2 * self->n_spines;
    double places = n_pairs_cut(self->n_routers) * self->n_rows * self->router_links;
    double rows = n_pairs_cut(self->n_rows) * self->n_routers * self->row_links;
    if (self->n_rows > 1 && self->n_routers > 1)
        return MIN(places, rows);
    return places + rows;
}

static void
add_dragonfly(const LpMachine *self, LpMachineFacts *facts)
{
    const LpCluster *cluster = &self->cluster[LP_ATTACHMENT_SCALE_OUT];
    const LpDragonfly *shape = &cluster->dragonfly;
    LpDragonflyLinks links = lp_topology_dragonfly_links(shape);
    guint64 n_routers = (guint64)shape->n_rows * shape->n_routers;
    guint32 n_planes = self->n_planes;
    add_tier(facts, cluster, "port", links.n_port * n_planes, 1, 1);
    if (shape->n_spines > 0)
        add_tier(facts, cluster, "leaf", links.n_local * n_planes, shape->n_spines,
                 (double)shape->n_ports / shape->n_spines);
    else if (links.n_local > 0)
        add_tier(facts, cluster, "local", links.n_local * n_planes,
                 shape->n_routers > 1 ? shape->router_links : shape->row_links, 1);
    if (shape->n_groups > 1) {
        facts->oversubscription = (double)(n_routers * shape->n_ports) /
                                  ((double)(shape->n_groups - 1) * shape->group_links);
        add_tier(facts, cluster, "global", links.n_global * n_planes, shape->group_links,
                 facts->oversubscription);
    }
    if (n_routers > 1 || shape->n_groups > 1)
        limit(facts, cluster, dragonfly_n_cut(shape));
}

static void
add_pcie(const LpMachine *self, LpMachineFacts *facts)
{
    const LpCluster *cluster = &self->cluster[LP_ATTACHMENT_SCALE_OUT];
    guint64 n_links = cluster->n_hosts / self->pcie_ports;
    double narrowing = cluster->link_bytes_per_s * self->pcie_ports / self->pcie_bytes_per_s;
    add_tier(facts, cluster, "pcie", n_links * self->n_planes, 1, MAX(narrowing, 1));
    LpTierFacts *tier = &facts->tiers[facts->n_tiers - 1];
    tier->link_bytes_per_s = self->pcie_bytes_per_s;
    tier->latency_s = 0;
    tier->technology = LP_TECHNOLOGY_ELECTRICAL;
    facts->bisection_bytes_per_s =
        MIN(facts->bisection_bytes_per_s, (double)(facts->n_domains / 2) * self->cards_per_domain /
                                              self->pcie_ports * self->pcie_bytes_per_s);
}

/* One after the other, as routes cross them. */
static void
add_pcie_host(const LpMachine *self, LpMachineFacts *facts)
{
    const LpCluster *cluster = &self->cluster[LP_ATTACHMENT_SCALE_UP];
    const LpPcieHost *host = &self->pcie_host;
    if (host->pair_bytes_per_s > 0.0) {
        add_tier(facts, cluster, "bridge", self->n_accelerators / 2, 1, 1);
        facts->tiers[facts->n_tiers - 1].link_bytes_per_s = host->pair_bytes_per_s;
        facts->tiers[facts->n_tiers - 1].latency_s *= 2;
    }
    if (host->root_accelerators == 0)
        return;
    double narrowing = cluster->link_bytes_per_s * host->root_accelerators / host->root_bytes_per_s;
    add_tier(facts, cluster, "root", self->n_accelerators / host->root_accelerators, 1,
             MAX(narrowing, 1));
    facts->tiers[facts->n_tiers - 1].link_bytes_per_s = host->root_bytes_per_s;
    facts->tiers[facts->n_tiers - 1].latency_s = 0;
}

static void
add_distances(const LpMachine *self, LpMachineFacts *facts)
{
    LpFabric fabric = lp_machine_fabric(self);
    if (fabric.torus.n_dimensions == 0 && fabric.dragonfly.n_groups == 0)
        return;
    double sum_s = 0;
    facts->nearest_latency_s = G_MAXDOUBLE;
    guint64 n = 0;
    for (guint64 i = self->domain_size; i < self->n_accelerators; i++) {
        double latency_s = lp_fabric_latency_s(&fabric, 0, i);
        facts->nearest_latency_s = MIN(facts->nearest_latency_s, latency_s);
        facts->farthest_latency_s = MAX(facts->farthest_latency_s, latency_s);
        sum_s += latency_s;
        n++;
    }
    facts->mean_latency_s = sum_s / (double)MAX(n, 1);
}

static void
add_scale_out(const LpMachine *self, LpMachineFacts *facts)
{
    const LpCluster *cluster = &self->cluster[LP_ATTACHMENT_SCALE_OUT];
    guint64 n_half_ports = facts->n_domains / 2 * self->cards_per_domain;
    facts->bisection_bytes_per_s = (double)n_half_ports * cluster->link_bytes_per_s;
    if (lp_pcie_host_is_on_way_out(&self->pcie_host))
        facts->bisection_bytes_per_s = MIN(facts->bisection_bytes_per_s,
                                           (double)(facts->n_domains / 2) * self->domain_size /
                                               self->pcie_host.root_accelerators *
                                               self->pcie_host.root_bytes_per_s / self->n_planes);
    if (self->pcie_ports > 0)
        add_pcie(self, facts);
    switch (cluster->topology) {
    case LP_TOPOLOGY_TORUS:
        add_torus(self, facts);
        break;
    case LP_TOPOLOGY_DRAGONFLY:
    case LP_TOPOLOGY_DRAGONFLY_PLUS:
        add_dragonfly(self, facts);
        break;
    case LP_TOPOLOGY_CROSSBAR:
    case LP_TOPOLOGY_FAT_TREE:
    default:
        add_tree(self, facts);
    }
    facts->bisection_bytes_per_s *= self->n_planes;
    add_distances(self, facts);
}

LpMachineFacts
lp_machine_facts(const LpMachine *self)
{
    LpMachineFacts facts = {.n_domains = lp_machine_n_domains(self), .oversubscription = 1};
    add_tier(&facts, &self->cluster[LP_ATTACHMENT_SCALE_UP], "scale-up", self->n_accelerators, 1,
             1);
    add_pcie_host(self, &facts);
    if (self->has_scale_out)
        add_scale_out(self, &facts);
    facts.is_published =
        self->published_accelerators > 0 && self->published_accelerators == self->n_accelerators;
    if (facts.is_published) {
        facts.published_bytes_per_s = self->published_bisection_bytes_per_s;
        facts.published_deviation =
            facts.bisection_bytes_per_s / self->published_bisection_bytes_per_s - 1;
    }
    return facts;
}

char *
lp_machine_path_text(const LpMachine *self)
{
    const LpCluster *cluster = &self->cluster[LP_ATTACHMENT_SCALE_OUT];
    switch (cluster->topology) {
    case LP_TOPOLOGY_FAT_TREE:
        if (self->path_choice == LP_PATH_CHOICE_HASH)
            return g_strdup_printf("hash of source, destination and class over %u paths, seed %u",
                                   self->n_paths, self->path_seed);
        return g_strdup("static, destination mod k");
    case LP_TOPOLOGY_TORUS:
        return g_strdup(cluster->torus.spreads_paths
                            ? "static, shortest, dimension after dimension; ports take turns at "
                              "ways of equal length"
                            : "static, dimension after dimension, the shorter way round");
    case LP_TOPOLOGY_DRAGONFLY:
        return g_strdup("static, minimal; parallel links act as one");
    case LP_TOPOLOGY_DRAGONFLY_PLUS:
        return g_strdup("static, minimal; a leaf's links to the spines act as one");
    case LP_TOPOLOGY_CROSSBAR:
    default:
        return g_strdup("static, one path");
    }
}
