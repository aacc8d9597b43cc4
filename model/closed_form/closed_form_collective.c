/* SPDX-License-Identifier: Apache-2.0 */
/* Rings of the closed form, over rank 0's group, each by its library. */
#include "model/closed_form/closed_form_collective.h"
#include "model/closed_form/closed_form_counts.h"
#include "model/closed_form/closed_form_network.h"
#include "model/plan/group_traits.h"
#include "model/network/library_mix.h"
#include "model/network/library_table.h"

#include <math.h>

LpClosedFormInput
lp_closed_form_by(const LpClosedFormInput *input, LpGroup group, LpCollective collective,
                  double bytes)
{
    LpClosedFormInput own = *input;
    if (input->library != NULL)
        own.library = lp_library_for(input->library, collective, lp_group_traits(group)->traffic,
                                     (guint64)llround(bytes));
    own.rings = lp_library_rings(own.library, collective);
    return own;
}

static guint64
n_domains(const LpClosedFormInput *input, LpGroup group, guint64 n)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    for (guint64 i = 0; i < n; i++)
        g_hash_table_add(seen, GSIZE_TO_POINTER(lp_closed_form_member(input, group, i) /
                                                input->fabric->domain_size));
    return g_hash_table_size(seen);
}

double
lp_closed_form_measured_s(const LpClosedFormInput *input, LpGroup group, LpCollective collective,
                          double bytes)
{
    guint64 n = lp_group_size(input->transformer, input->plan, group);
    if (input->library == NULL || input->library->n_measured == 0 || n < 2)
        return 0.0;
    return lp_library_measured_s(input->library, collective, (guint64)llround(bytes), n,
                                 n_domains(input, group, n), NULL);
}

/* The connection between two members of rank 0's group. */
static LpFabricConnection
connection(const LpClosedFormInput *input, LpGroup group, guint64 from, guint64 to)
{
    return lp_fabric_connection(input->fabric, lp_closed_form_member(input, group, from),
                                lp_closed_form_member(input, group, to));
}

/* The slowest connection between members that are @steps apart in the ring, with its share of the
 * links that several flows climb. */
static LpFabricConnection
slowest_connection(const LpClosedFormInput *input, LpGroup group, guint64 n, guint64 steps)
{
    LpFabricConnection slowest = {0.0, INFINITY};
    double within = INFINITY;
    for (guint64 i = 0; i < n; i++) {
        guint64 from = lp_closed_form_member(input, group, i),
                to = lp_closed_form_member(input, group, (i + steps) % n);
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
    guint64 n_intra = input->rings.has_rails ? lp_closed_form_n_intra(input, group, n) : 1;
    return n_intra > 1 && n_intra < n && lp_closed_form_is_regular(input, group, n, n_intra)
               ? n_intra
               : 1;
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

/* @on: @input, or what is beside its circuits. */
static LpFabricConnection
known_ring(const LpClosedFormInput *input, const LpClosedFormInput *on, LpGroup group, guint64 n)
{
    LpClosedFormRings *known = input->known;
    guint beside = on->fabric == input->fabric ? 0 : 1;
    guint rails = on->rings.has_rails ? 1 : 0;
    if (known == NULL)
        return ring_connection(on, group, n);
    if (!known->is_known[group][beside][rails]) {
        known->slowest[group][beside][rails] = ring_connection(on, group, n);
        known->is_known[group][beside][rails] = TRUE;
    }
    return known->slowest[group][beside][rails];
}

/* Whether any of the members stands in another domain than the first. */
static gboolean
leaves_domain(const LpClosedFormInput *input, LpGroup group, guint64 n)
{
    guint64 size = input->fabric->domain_size;
    for (guint64 i = 1; i < n; i++)
        if (lp_closed_form_member(input, group, i) / size !=
            lp_closed_form_member(input, group, 0) / size)
            return TRUE;
    return FALSE;
}

/* @share of an all-reduce. */
static double
linked_s(const LpClosedFormInput *input, LpGroup group, double share, double bytes)
{
    guint64 n = lp_group_size(input->transformer, input->plan, group);
    if (lp_closed_form_goes_over_axes(input))
        return lp_closed_form_axes_s(input, group, share, bytes);
    LpFabric fabric;
    LpClosedFormInput on = lp_closed_form_group_on(input, group, bytes, &fabric);
    LpFabricConnection slowest = known_ring(input, &on, group, n);
    if (!lp_closed_form_has_rotor(&on) || !leaves_domain(&on, group, n))
        return share * lp_fabric_connection_all_reduce_s(&slowest, n, bytes);
    double steps = 2.0 * share * (double)(n - 1);
    return steps * slowest.latency_s +
           lp_closed_form_transfer_s(&on, &slowest, TRUE, steps / (double)n * bytes, 1);
}

double
lp_closed_form_ring_s(const LpClosedFormInput *input, LpGroup group, LpCollective collective,
                      double bytes)
{
    if (lp_group_size(input->transformer, input->plan, group) < 2)
        return 0.0;
    LpClosedFormInput own = lp_closed_form_by(input, group, collective, bytes);
    double measured_s = lp_closed_form_measured_s(&own, group, collective, bytes);
    return measured_s > 0.0
               ? measured_s
               : linked_s(&own, group, collective == LP_COLLECTIVE_ALL_REDUCE ? 1.0 : 0.5, bytes);
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

/* The bytes of the first pieces of all rings, which begin together. */
static double
first_pieces_bytes(const LpClosedFormInput *input, guint64 rings, double bytes)
{
    double chunk_bytes = input->rings.chunk_bytes * (double)rings;
    return chunk_bytes > 0.0 ? bytes / ceil(bytes / chunk_bytes) : bytes;
}

/* The time of those broadcasts among @bytes that the library of @input runs. @all: the job with all
 * of its libraries. */
static double
broadcasts_by_s(const LpClosedFormInput *input, const LpClosedFormInput *all, LpGroup group,
                const GArray *bytes)
{
    guint64 n = lp_group_size(input->transformer, input->plan, group);
    guint64 rings = n_rings(input, group, n);
    double sum_bytes = 0.0, first_bytes = 0.0, n_chains = 0.0, measured_s = 0.0;
    for (guint i = 0; i < bytes->len; i++) {
        double own_bytes = g_array_index(bytes, double, i);
        if (lp_closed_form_by(all, group, LP_COLLECTIVE_BROADCAST, own_bytes).library !=
            input->library)
            continue;
        n_chains += 1.0;
        sum_bytes += own_bytes;
        first_bytes += first_pieces_bytes(input, rings, own_bytes);
        measured_s += lp_closed_form_measured_s(input, group, LP_COLLECTIVE_BROADCAST, own_bytes);
    }
    if (measured_s > 0.0 || n_chains == 0.0)
        return measured_s;
    LpFabric fabric;
    LpClosedFormInput on = lp_closed_form_group_on(input, group, sum_bytes / n_chains, &fabric);
    Chain way = chain(&on, group, n);
    double carried_s = sum_bytes / way.slowest.bytes_per_s;
    if (lp_closed_form_has_rotor(&on) && leaves_domain(&on, group, n))
        carried_s =
            n_chains * lp_closed_form_transfer_s(&on, &way.slowest, TRUE, sum_bytes / n_chains, 1);
    return n_chains * way.latency_s + carried_s + first_bytes * way.fill_s_per_byte;
}

double
lp_closed_form_broadcasts_s(const LpClosedFormInput *input, LpGroup group, const GArray *bytes)
{
    if (lp_group_size(input->transformer, input->plan, group) < 2)
        return 0.0;
    const LpLibrary *done[LP_LIBRARY_PICKS_MAX + 1];
    guint32 n_done = 0;
    double sum_s = 0.0;
    for (guint i = 0; i < bytes->len; i++) {
        LpClosedFormInput own = lp_closed_form_by(input, group, LP_COLLECTIVE_BROADCAST,
                                                  g_array_index(bytes, double, i));
        gboolean is_new = TRUE;
        for (guint32 j = 0; j < n_done; j++)
            is_new = is_new && done[j] != own.library;
        if (!is_new)
            continue;
        done[n_done++] = own.library;
        sum_s += broadcasts_by_s(&own, input, group, bytes);
    }
    return sum_s;
}
