/* SPDX-License-Identifier: Apache-2.0 */
/* The two collectives of the closed form, over rank 0's group: ring and all-to-all. */
#include "model/closed_form.h"
#include "model/closed_form_internal.h"
#include "model/group_traits.h"

#include <math.h>

/* The accelerator of the @index-th member of rank 0's group. */
static guint64
member(const LpClosedFormInput *input, LpGroup group, guint64 index)
{
    return accelerator(input, lp_group_member(input->transformer, input->plan, group, 0, index));
}

/* The connection between two members of rank 0's group. */
static LpFabricConnection
connection(const LpClosedFormInput *input, LpGroup group, guint64 from, guint64 to)
{
    return lp_fabric_connection(input->fabric, member(input, group, from),
                                member(input, group, to));
}

/* Whether every domain has as many members, one domain's after the other's. @n_intra: those in the
 * first one's. */
static gboolean
is_regular(const LpClosedFormInput *input, LpGroup group, guint64 n, guint64 n_intra)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    guint64 head = 0;
    for (guint64 i = 0; i < n; i++) {
        guint64 domain = member(input, group, i) / input->fabric->domain_size;
        if (i % n_intra == 0 && !g_hash_table_add(seen, GSIZE_TO_POINTER(domain + 1)))
            return FALSE;
        head = i % n_intra == 0 ? domain : head;
        if (domain != head)
            return FALSE;
    }
    return n % n_intra == 0;
}

/* Members in a row, from the first on, that stand in its domain. */
static guint64
count_intra(const LpClosedFormInput *input, LpGroup group, guint64 n)
{
    guint64 n_intra = 1, size = input->fabric->domain_size;
    while (n_intra < n && member(input, group, n_intra) / size == member(input, group, 0) / size)
        n_intra++;
    return n_intra;
}

/* The slowest connection between members that stand @steps apart in the ring, with what is left of
 * the links that they climb. */
static LpFabricConnection
slowest_connection(const LpClosedFormInput *input, LpGroup group, guint64 n, guint64 steps)
{
    LpFabricConnection slowest = {0.0, INFINITY};
    double within = INFINITY;
    for (guint64 i = 0; i < n; i++) {
        guint64 from = member(input, group, i), to = member(input, group, (i + steps) % n);
        slowest =
            lp_fabric_connection_slower(slowest, lp_fabric_connection(input->fabric, from, to));
        within = fmin(within, lp_closed_form_within_bytes_per_s(input, from, to));
    }
    return lp_closed_form_shared(input, slowest, within,
                                 lp_closed_form_group_share_bytes_per_s(input, group, steps));
}

/* Each of the rings leaves a domain by another member, so that all of its cards are used. */
static guint64
n_rings(const LpClosedFormInput *input, LpGroup group, guint64 n)
{
    guint64 n_intra = input->rings.has_rails ? count_intra(input, group, n) : 1;
    return n_intra > 1 && n_intra < n && is_regular(input, group, n, n_intra) ? n_intra : 1;
}

static LpFabricConnection
ring_connection(const LpClosedFormInput *input, LpGroup group, guint64 n)
{
    guint64 n_intra = n_rings(input, group, n);
    if (n_intra < 2)
        return slowest_connection(input, group, n, 1);
    LpFabricConnection inter = slowest_connection(input, group, n, n_intra);
    LpFabricConnection intra = connection(input, group, 0, 1);
    inter.bytes_per_s *= (double)n_intra;
    return lp_fabric_connection_slower(intra, inter);
}

/* Whether any of the members stands in another domain than the first. */
static gboolean
leaves_domain(const LpClosedFormInput *input, LpGroup group, guint64 n)
{
    guint64 size = input->fabric->domain_size;
    for (guint64 i = 1; i < n; i++)
        if (member(input, group, i) / size != member(input, group, 0) / size)
            return TRUE;
    return FALSE;
}

double
lp_closed_form_ring_s(const LpClosedFormInput *input, LpGroup group, double share, double bytes)
{
    guint64 n = lp_group_size(input->transformer, input->plan, group);
    if (n < 2)
        return 0.0;
    if (lp_closed_form_goes_over_axes(input))
        return lp_closed_form_axes_s(input, group, share, bytes);
    LpFabric fabric;
    LpClosedFormInput on = lp_closed_form_group_on(input, group, bytes, &fabric);
    LpFabricConnection slowest = ring_connection(&on, group, n);
    if (!lp_closed_form_turns(&on) || !leaves_domain(&on, group, n))
        return share * lp_fabric_connection_all_reduce_s(&slowest, n, bytes);
    double steps = 2.0 * share * (double)(n - 1);
    return steps * slowest.latency_s +
           lp_closed_form_carry_s(&on, &slowest, TRUE, steps / (double)n * bytes, 1);
}

/* A broadcast's way from member to member. */
typedef struct {
    LpFabricConnection slowest;
    double latency_s, fill_s_per_byte; /* of the first piece, but for its bytes on the slowest */
} Chain;

static Chain
chain(const LpClosedFormInput *input, LpGroup group, guint64 n)
{
    LpFabricConnection slowest = ring_connection(input, group, n);
    Chain self = {slowest, 0.0, -1.0 / slowest.bytes_per_s};
    for (guint64 i = 0; i + 1 < n; i++) {
        LpFabricConnection hop = connection(input, group, i, i + 1);
        self.latency_s += hop.latency_s;
        self.fill_s_per_byte += 1.0 / fmax(hop.bytes_per_s, slowest.bytes_per_s);
    }
    return self;
}

/* Those of all rings that begin together. */
static double
first_pieces_bytes(const LpClosedFormInput *input, guint64 rings, double bytes)
{
    double chunk_bytes = input->rings.chunk_bytes * (double)rings;
    return chunk_bytes > 0.0 ? bytes / ceil(bytes / chunk_bytes) : bytes;
}

double
lp_closed_form_broadcasts_s(const LpClosedFormInput *input, LpGroup group, const GArray *bytes)
{
    guint64 n = lp_group_size(input->transformer, input->plan, group);
    double sum_bytes = 0.0, first_bytes = 0.0, n_chains = bytes->len;
    if (n < 2 || bytes->len == 0)
        return 0.0;
    guint64 rings = n_rings(input, group, n);
    for (guint i = 0; i < bytes->len; i++) {
        double own_bytes = g_array_index(bytes, double, i);
        sum_bytes += own_bytes;
        first_bytes += first_pieces_bytes(input, rings, own_bytes);
    }
    LpFabric fabric;
    LpClosedFormInput on = lp_closed_form_group_on(input, group, sum_bytes / n_chains, &fabric);
    Chain way = chain(&on, group, n);
    double carried_s = sum_bytes / way.slowest.bytes_per_s;
    if (lp_closed_form_turns(&on) && leaves_domain(&on, group, n))
        carried_s =
            n_chains * lp_closed_form_carry_s(&on, &way.slowest, TRUE, sum_bytes / n_chains, 1);
    return n_chains * way.latency_s + carried_s + first_bytes * way.fill_s_per_byte;
}

/* Members in no order send to one after the other. */
static double
irregular_exchange_s(const LpClosedFormInput *input, LpGroup group, guint64 n, double bytes)
{
    guint64 size = input->fabric->domain_size;
    double latency_s = 0.0, sending_s = 0.0;
    for (guint64 i = 1; i < n; i++) {
        LpFabricConnection to = connection(input, group, 0, i);
        latency_s = fmax(latency_s, to.latency_s);
        sending_s += lp_closed_form_carry_s(
            input, &to, member(input, group, i) / size != member(input, group, 0) / size,
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
        fills = member(input, group, i) == i;
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

/* As many members in each domain: what leaves one goes to the member of the same place in each of
 * the others. @is_of_experts: over circuits of theirs. */
static double
regular_exchange_s(const LpClosedFormInput *input, LpGroup group, guint64 n, double bytes,
                   gboolean is_of_experts)
{
    guint64 n_intra = count_intra(input, group, n);
    LpFabricConnection intra = {0.0, INFINITY}, inter = {0.0, INFINITY};
    for (guint64 i = 0; i < n_intra && n_intra > 1; i++)
        intra = lp_fabric_connection_slower(intra, connection(input, group, i, (i + 1) % n_intra));
    double intra_s = (double)(n_intra - 1) / (double)n * bytes / intra.bytes_per_s, between_s = 0.0;
    if (n_intra < n) {
        inter = slowest_connection(input, group, n, n_intra);
        double out_bytes = (double)(n - n_intra) / (double)n * bytes;
        guint32 n_peers = (guint32)(n / n_intra - 1);
        between_s = is_of_experts ? lp_closed_form_experts_s(input, n_peers, out_bytes)
                                  : lp_closed_form_carry_s(input, &inter, TRUE, out_bytes, n_peers);
    }
    return fmax(intra.latency_s, inter.latency_s) + fmax(intra_s, between_s);
}

/* Whether members stand in several domains of a pod, and in several pods: they have no next domain
 * that all bytes could go to. */
static gboolean
mixes_pods(const LpClosedFormInput *input, LpGroup group, guint64 n)
{
    guint64 domain = input->fabric->domain_size, pod = domain * input->fabric->pod_domains;
    gboolean near = FALSE, far = FALSE;
    for (guint64 i = 1; pod > 0 && i < n; i++) {
        guint64 a = member(input, group, 0), b = member(input, group, i);
        far = far || a / pod != b / pod;
        near = near || (a / pod == b / pod && a / domain != b / domain);
    }
    return near && far;
}

double
lp_closed_form_exchange_s(const LpClosedFormInput *input, LpGroup group, double bytes)
{
    guint64 n = lp_group_size(input->transformer, input->plan, group);
    if (n < 2)
        return 0.0;
    if (fills_torus(input, group, n))
        return torus_exchange_s(input, n, bytes);
    LpFabric fabric;
    LpClosedFormInput on = lp_closed_form_group_on(input, group, bytes, &fabric);
    if (!is_regular(&on, group, n, count_intra(&on, group, n)) || mixes_pods(&on, group, n))
        return irregular_exchange_s(&on, group, n, bytes);
    /* Circuits of a hybrid follow the demand of experts. */
    gboolean is_of_experts = input->fabric->circuits.beside.is_present &&
                             on.fabric == input->fabric &&
                             lp_group_traits(group)->traffic == LP_TRAFFIC_EP;
    return regular_exchange_s(&on, group, n, bytes, is_of_experts);
}
