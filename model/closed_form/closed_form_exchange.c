/* SPDX-License-Identifier: Apache-2.0 */
/* All-to-alls of the closed form: bytes over the narrowest cut. Every pair of members has a block,
 * and every block crosses what lies between its two. */
#include "model/closed_form/closed_form_collective.h"
#include "model/closed_form/closed_form_counts.h"
#include "model/closed_form/closed_form_network.h"
#include "model/plan/group_traits.h"

#include <math.h>

/* The links that the blocks of a member cross. */
typedef struct {
    double latency_s;
    double n_near;           /* that stay in its domain */
    double n_relayed;        /* that go to another rail over an accelerator of the domain */
    double n_pod;            /* that stay in its pod */
    double n_out;            /* that leave that, too */
    double near_bytes_per_s; /* the slowest pair's in the domain */
} Blocks;

static Blocks
blocks_of(const LpClosedFormInput *input, LpGroup group, guint64 n, guint64 index)
{
    const LpFabric *fabric = input->fabric;
    guint64 from = lp_closed_form_member(input, group, index), domain = fabric->domain_size;
    guint64 pod = domain * fabric->pod_domains;
    Blocks self = {.near_bytes_per_s = fabric->scale_up_bytes_per_s};
    for (guint64 i = 0; i < n; i++) {
        guint64 to = lp_closed_form_member(input, group, i);
        if (i == index)
            continue;
        self.latency_s = fmax(self.latency_s, lp_fabric_latency_s(fabric, from, to));
        if (from / domain == to / domain) {
            self.n_near += 1.0;
            self.near_bytes_per_s =
                fmin(self.near_bytes_per_s, lp_fabric_bytes_per_s(fabric, from, to));
        } else if (pod > 0 && from / pod == to / pod) {
            self.n_pod += 1.0;
        } else {
            self.n_out += 1.0;
            self.n_relayed += lp_fabric_is_relayed(fabric, from, to) ? 1.0 : 0.0;
        }
    }
    return self;
}

/* --- cuts of a tree --- */

/* Blocks that leave the card, or the switch of @level, that rank 0 is below. */
static double
n_climbing(const LpClosedFormInput *input, LpGroup group, guint64 n, guint32 level)
{
    const LpFabric *fabric = input->fabric;
    const LpPlan *plan = input->plan;
    guint64 n_ports = fabric->levels[level].n_ports;
    guint64 block = lp_fabric_port(fabric, accelerator(input, 0)) / n_ports;
    double n_blocks = 0.0;
    for (guint64 rank = 0; rank < lp_plan_n_ranks(plan); rank++) {
        guint64 from = accelerator(input, rank);
        if (lp_fabric_port(fabric, from) / n_ports != block ||
            !lp_group_exists(input->transformer, plan, group, rank))
            continue;
        for (guint64 i = 0; i < n; i++) {
            guint64 to =
                accelerator(input, lp_group_member(input->transformer, plan, group, rank, i));
            n_blocks += lp_fabric_climbs(fabric, level, lp_fabric_sender(fabric, from, to), to);
        }
    }
    return n_blocks;
}

static double
tree_cut_s(const LpClosedFormInput *input, LpGroup group, guint64 n, double block_bytes)
{
    double longest_s = 0.0;
    for (guint32 level = 0; level < input->fabric->n_levels; level++)
        longest_s = fmax(longest_s, n_climbing(input, group, n, level) * block_bytes /
                                        input->fabric->levels[level].up_bytes_per_s);
    return longest_s;
}

/* --- cuts of links between ports or groups of routers --- */

/* Ranks whose pairs are looked at: of all groups, or of rank 0's alone where these are too many, or
 * where groups do not meet. */
#define PAIRS_MAX 4000000

static gboolean
counts(const LpClosedFormInput *input, LpGroup group, guint64 n, guint64 rank)
{
    if (!lp_group_exists(input->transformer, input->plan, group, rank))
        return FALSE;
    gboolean all = !input->fabric->is_wide && lp_plan_n_ranks(input->plan) * n <= PAIRS_MAX;
    return all || lp_group_member(input->transformer, input->plan, group, rank, 0) ==
                      lp_group_member(input->transformer, input->plan, group, 0, 0);
}

static void
add_torus_path(const LpTorus *torus, guint64 from, guint64 to, guint32 *io_loads)
{
    LpTorusPath way = lp_torus_path(torus, from, to);
    for (guint32 d = 0; d < torus->n_dimensions; d++)
        for (gint32 left = ABS(way.steps[d]); left > 0; left--) {
            gboolean is_up = way.steps[d] > 0;
            io_loads[(from * torus->n_dimensions + d) * 2 + (is_up ? 0 : 1)]++;
            from = lp_torus_neighbour(torus, from, d, is_up);
        }
}

/* Blocks on the busiest link of a torus. */
typedef struct {
    const LpTorus *torus;
    guint32 *links; /* by port, dimension and way */
} TorusLoads;

static void
add_torus(void *data, guint64 from, guint64 to)
{
    const TorusLoads *self = data;
    add_torus_path(self->torus, from, to, self->links);
}

/* Blocks on the links of a dragonfly, each way. */
typedef struct {
    const LpDragonfly *shape;
    guint32 n_routers; /* of a group */
    guint32 *global;   /* by group and group */
    guint32 *local;    /* by group, router and router, or NULL */
    guint32 *spines;   /* by group, router and way, or NULL */
} DragonflyLoads;

/* Adds the load between two routers of a group. The route goes along the row of the router with the
 * lower number to the column of the other router, and then along that column. */
static void
add_local(const DragonflyLoads *self, guint32 group, guint32 from, guint32 to)
{
    guint32 n = self->shape->n_routers;
    guint32 corner = MIN(from, to) / n * n + MAX(from, to) % n;
    guint32 *of_group = self->local + (gsize)group * self->n_routers * self->n_routers;
    if (from != corner)
        of_group[from * self->n_routers + corner]++;
    if (corner != to)
        of_group[corner * self->n_routers + to]++;
}

static void
add_dragonfly(void *data, guint64 from, guint64 to)
{
    const DragonflyLoads *self = data;
    const LpDragonfly *shape = self->shape;
    guint32 a = (guint32)(from / shape->n_ports), b = (guint32)(to / shape->n_ports);
    guint32 from_group = a / self->n_routers, to_group = b / self->n_routers;
    if (a == b)
        return;
    if (from_group != to_group)
        self->global[from_group * shape->n_groups + to_group]++;
    if (self->spines != NULL) {
        self->spines[2 * a]++;
        self->spines[2 * b + 1]++;
    } else if (from_group == to_group) {
        add_local(self, from_group, a % self->n_routers, b % self->n_routers);
    } else {
        add_local(self, from_group, a % self->n_routers,
                  lp_dragonfly_gate(shape, from_group, to_group));
        add_local(self, to_group, lp_dragonfly_gate(shape, to_group, from_group),
                  b % self->n_routers);
    }
}

/* Goes through the pairs of ports between which a block crosses the network. */
static void
visit_pairs(const LpClosedFormInput *input, LpGroup group, guint64 n,
            void (*add)(void *, guint64 from, guint64 to), void *data)
{
    const LpFabric *fabric = input->fabric;
    guint64 sharers = MAX(fabric->port_sharers, 1);
    for (guint64 rank = 0; rank < lp_plan_n_ranks(input->plan); rank++)
        for (guint64 i = 0; counts(input, group, n, rank) && i < n; i++) {
            guint64 from = accelerator(input, rank);
            guint64 to = accelerator(
                input, lp_group_member(input->transformer, input->plan, group, rank, i));
            if (from / sharers != to / sharers &&
                from / fabric->domain_size != to / fabric->domain_size)
                add(data, from / sharers, to / sharers);
        }
}

static double
most_of(const guint32 *loads, gsize n, double n_links)
{
    guint32 most = 0;
    for (gsize i = 0; i < n; i++)
        most = MAX(most, loads[i]);
    return most / n_links;
}

/* Blocks on the busiest link, over how many links it stands for. */
static double
torus_busiest(const LpClosedFormInput *input, LpGroup group, guint64 n)
{
    const LpTorus *torus = &input->fabric->torus;
    gsize n_links = lp_torus_n_ports(torus) * torus->n_dimensions * 2;
    g_autofree guint32 *links = g_new0(guint32, n_links);
    TorusLoads loads = {torus, links};
    visit_pairs(input, group, n, add_torus, &loads);
    return most_of(links, n_links, 1.0);
}

static double
dragonfly_busiest(const LpClosedFormInput *input, LpGroup group, guint64 n)
{
    const LpDragonfly *shape = &input->fabric->dragonfly;
    guint32 n_routers = shape->n_rows * shape->n_routers, n_groups = shape->n_groups;
    gsize n_global = (gsize)n_groups * n_groups, n_local = (gsize)n_groups * n_routers * n_routers;
    g_autofree guint32 *global = g_new0(guint32, n_global);
    g_autofree guint32 *local = shape->n_spines > 0 ? NULL : g_new0(guint32, n_local);
    g_autofree guint32 *spines =
        shape->n_spines > 0 ? g_new0(guint32, 2 * (gsize)n_groups * n_routers) : NULL;
    DragonflyLoads loads = {shape, n_routers, global, local, spines};
    visit_pairs(input, group, n, add_dragonfly, &loads);
    double most = most_of(global, n_global, shape->group_links);
    if (spines != NULL)
        return fmax(most, most_of(spines, 2 * (gsize)n_groups * n_routers, shape->n_spines));
    for (gsize i = 0; i < n_local; i++) {
        gsize from = i / n_routers % n_routers, to = i % n_routers;
        gboolean is_row = from / shape->n_routers == to / shape->n_routers;
        most = fmax(most, local[i] / (double)(is_row ? shape->router_links : shape->row_links));
    }
    return most;
}

static double
link_cut_s(const LpClosedFormInput *input, LpGroup group, guint64 n, double block_bytes)
{
    const LpFabric *fabric = input->fabric;
    /* A torus's links are its ports: they stay as narrow as they are. */
    if (fabric->torus.n_dimensions == 0 && (fabric->is_wide || fabric->dragonfly.n_groups == 0))
        return 0.0;
    double link_bytes_per_s = fabric->scale_out_bytes_per_s * MAX(fabric->port_sharers, 1);
    double n_blocks = fabric->torus.n_dimensions > 0 ? torus_busiest(input, group, n)
                                                     : dragonfly_busiest(input, group, n);
    return n_blocks * block_bytes / link_bytes_per_s;
}

/* --- exchanges --- */

/* Over circuits members in no order send to one after the other. */
static double
sequential_exchange_s(const LpClosedFormInput *input, LpGroup group, guint64 n, double bytes)
{
    guint64 size = input->fabric->domain_size;
    double latency_s = 0.0, sending_s = 0.0;
    for (guint64 i = 1; i < n; i++) {
        LpFabricConnection to =
            lp_fabric_connection(input->fabric, lp_closed_form_member(input, group, 0),
                                 lp_closed_form_member(input, group, i));
        latency_s = fmax(latency_s, to.latency_s);
        sending_s += lp_closed_form_transfer_s(input, &to,
                                               lp_closed_form_member(input, group, i) / size !=
                                                   lp_closed_form_member(input, group, 0) / size,
                                               bytes / (double)n, 1);
    }
    return latency_s + sending_s;
}

/* Whether the members are all ports of a torus, in order. */
static gboolean
fills_torus(const LpClosedFormInput *input, LpGroup group, guint64 n)
{
    const LpTorus *torus = &input->fabric->torus;
    gboolean fills = torus->n_dimensions > 0 && input->fabric->domain_size == 1 &&
                     input->fabric->port_sharers <= 1 && n == lp_torus_n_ports(torus);
    for (guint64 i = 0; fills && i < n; i++)
        fills = lp_closed_form_member(input, group, i) == i;
    return fills;
}

/* The busiest link carries a block of each pair whose way it is on. */
static double
torus_exchange_s(const LpClosedFormInput *input, guint64 n, double bytes)
{
    double latency_s = 0.0;
    for (guint64 i = 1; i < n; i++)
        latency_s = fmax(latency_s, lp_fabric_latency_s(input->fabric, 0, i));
    return latency_s + bytes / (double)n * lp_torus_all_to_all_load(&input->fabric->torus) /
                           input->fabric->scale_out_bytes_per_s;
}

/* The time of all blocks at once. Blocks that stay in a domain and blocks that leave it go on side
 * by side, unless blocks that change rails cross the domain. */
static double
exchange_s(const LpClosedFormInput *input, LpGroup group, guint64 n, double bytes)
{
    const LpFabric *fabric = input->fabric;
    double block_bytes = bytes / (double)n, latency_s = 0.0, longest_s = 0.0;
    guint64 n_intra = lp_closed_form_n_intra(input, group, n);
    gboolean is_regular = lp_closed_form_is_regular(input, group, n, n_intra);
    for (guint64 i = 0; i < (is_regular ? n_intra : n); i++) {
        Blocks blocks = blocks_of(input, group, n, i);
        latency_s = fmax(latency_s, blocks.latency_s);
        longest_s =
            fmax(longest_s, blocks.n_near * block_bytes / blocks.near_bytes_per_s +
                                blocks.n_relayed * block_bytes / fabric->scale_up_bytes_per_s);
        if (blocks.n_pod > 0.0)
            longest_s = fmax(longest_s, blocks.n_pod * block_bytes / fabric->pod_bytes_per_s);
        if (blocks.n_out > 0.0 && fabric->n_levels == 0 && fabric->torus.n_dimensions == 0)
            longest_s = fmax(longest_s, blocks.n_out * block_bytes / fabric->scale_out_bytes_per_s);
    }
    double cut_s =
        fmax(tree_cut_s(input, group, n, block_bytes), link_cut_s(input, group, n, block_bytes));
    return latency_s + fmax(longest_s, cut_s);
}

/* The time of an all-to-all over circuits: bytes that leave a domain go to the member of the same
 * place in each other domain. @is_of_experts: over circuits of experts. */
static double
circuits_exchange_s(const LpClosedFormInput *input, LpGroup group, guint64 n, double bytes,
                    gboolean is_of_experts)
{
    guint64 n_intra = lp_closed_form_n_intra(input, group, n);
    double block_bytes = bytes / (double)n, within_s = 0.0, between_s = 0.0;
    LpFabricConnection inter = {0.0, INFINITY};
    for (guint64 i = 0; i < n_intra; i++) {
        Blocks blocks = blocks_of(input, group, n, i);
        inter.latency_s = fmax(inter.latency_s, blocks.latency_s);
        within_s = fmax(within_s,
                        blocks.n_near * block_bytes / blocks.near_bytes_per_s +
                            blocks.n_relayed * block_bytes / input->fabric->scale_up_bytes_per_s);
    }
    for (guint64 i = 0; n_intra < n && i < n; i++)
        inter.bytes_per_s =
            fmin(inter.bytes_per_s,
                 lp_fabric_bytes_per_s(input->fabric, lp_closed_form_member(input, group, i),
                                       lp_closed_form_member(input, group, (i + n_intra) % n)));
    if (n_intra < n) {
        double out_bytes = (double)(n - n_intra) * block_bytes;
        guint32 n_peers = (guint32)(n / n_intra - 1);
        between_s = is_of_experts
                        ? lp_closed_form_experts_s(input, n_peers, out_bytes)
                        : lp_closed_form_transfer_s(input, &inter, TRUE, out_bytes, n_peers);
    }
    return inter.latency_s + fmax(within_s, between_s);
}

/* Whether members stand in several domains of a pod, and in several pods: they have no next domain
 * that all bytes could go to. */
static gboolean
mixes_pods(const LpClosedFormInput *input, LpGroup group, guint64 n)
{
    guint64 domain = input->fabric->domain_size, pod = domain * input->fabric->pod_domains;
    gboolean near = FALSE, far = FALSE;
    for (guint64 i = 1; pod > 0 && i < n; i++) {
        guint64 a = lp_closed_form_member(input, group, 0),
                b = lp_closed_form_member(input, group, i);
        far = far || a / pod != b / pod;
        near = near || (a / pod == b / pod && a / domain != b / domain);
    }
    return near && far;
}

static double
linked_s(const LpClosedFormInput *input, LpGroup group, double bytes)
{
    guint64 n = lp_group_size(input->transformer, input->plan, group);
    if (fills_torus(input, group, n))
        return torus_exchange_s(input, n, bytes);
    LpFabric fabric;
    LpClosedFormInput on = lp_closed_form_group_on(input, group, bytes, &fabric);
    if (!input->fabric->circuits.are_present)
        return exchange_s(&on, group, n, bytes);
    guint64 n_intra = lp_closed_form_n_intra(&on, group, n);
    if (!lp_closed_form_is_regular(&on, group, n, n_intra) || mixes_pods(&on, group, n))
        return sequential_exchange_s(&on, group, n, bytes);
    /* Circuits of a hybrid follow the demand of experts. */
    gboolean is_of_experts = input->fabric->circuits.packet_network.is_present &&
                             on.fabric == input->fabric &&
                             lp_group_traits(group)->traffic == LP_TRAFFIC_EP;
    return circuits_exchange_s(&on, group, n, bytes, is_of_experts);
}

double
lp_closed_form_exchange_s(const LpClosedFormInput *input, LpGroup group, double bytes)
{
    if (lp_group_size(input->transformer, input->plan, group) < 2)
        return 0.0;
    LpClosedFormInput own = lp_closed_form_by(input, group, LP_COLLECTIVE_ALL_TO_ALL, bytes);
    return fmax(linked_s(&own, group, bytes),
                lp_closed_form_measured_s(&own, group, LP_COLLECTIVE_ALL_TO_ALL, bytes));
}
