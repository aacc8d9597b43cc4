/* SPDX-License-Identifier: Apache-2.0 */
/* Rings over several axes of a torus at once, both ways round: the closed form of the collectives
 * of libraries that know tori. */
#include "model/closed_form/closed_form_network.h"
#include "model/closed_form/closed_form_counts.h"

#include <math.h>

/* Rank 0's group along one axis. */
typedef struct {
    guint64 n;        /* coordinates that members have */
    guint64 farthest; /* links from one of them to the next, around the end */
    guint32 n_ways;   /* round which rings have links of their own */
} Axis;

static guint64
port_at(const LpTorus *torus, const gint64 *at)
{
    guint64 port = 0;
    for (guint32 d = torus->n_dimensions; d-- > 0;)
        port = port * torus->size[d] + (guint64)at[d];
    return port;
}

/* The axis @d of the members' block, from the coordinates that occur on it. A ring has links of its
 * own both ways round if it goes once round the axis, and no step is as short the other way. */
static Axis
axis_of(const LpTorus *torus, const gint64 *first, guint32 d, const gboolean *occurs)
{
    Axis axis = {.n = 0, .farthest = 0, .n_ways = 1};
    gint64 at[LP_TORUS_DIMENSIONS_MAX] = {0};
    guint64 sum = 0, begin = 0, last = 0;
    for (guint32 i = 0; i < torus->n_dimensions; i++)
        at[i] = first[i];
    for (guint32 c = 0; c < torus->size[d]; c++) {
        if (!occurs[c])
            continue;
        at[d] = c;
        guint64 port = port_at(torus, at), hops = axis.n > 0 ? lp_torus_hops(torus, last, port) : 0;
        begin = axis.n == 0 ? port : begin;
        sum += hops;
        axis.farthest = MAX(axis.farthest, hops);
        last = port;
        axis.n++;
    }
    guint64 back = lp_torus_hops(torus, last, begin);
    axis.farthest = MAX(axis.farthest, back);
    if (axis.n > 2 && sum + back == torus->size[d] && 2 * axis.farthest < torus->size[d])
        axis.n_ways = 2;
    return axis;
}

/* Sets @out_axes to those of rank 0's group. Returns whether its members fill a block of them. */
static gboolean
find_axes(const LpClosedFormInput *input, LpGroup group, guint64 n, Axis *out_axes)
{
    const LpTorus *torus = &input->fabric->torus;
    gint64 first[LP_TORUS_DIMENSIONS_MAX] = {0}, at[LP_TORUS_DIMENSIONS_MAX] = {0};
    guint64 n_block = 1;
    for (guint32 d = 0; d < torus->n_dimensions; d++) {
        g_autofree gboolean *occurs = g_new0(gboolean, torus->size[d]);
        for (guint64 i = n; i-- > 0;) {
            guint64 rank = lp_group_member(input->transformer, input->plan, group, 0, i);
            lp_torus_coordinates(torus, accelerator(input, rank), i == 0 ? first : at);
            occurs[i == 0 ? first[d] : at[d]] = TRUE;
        }
        out_axes[d] = axis_of(torus, first, d, occurs);
        n_block *= out_axes[d].n;
    }
    return n_block == n;
}

gboolean
lp_closed_form_goes_over_axes(const LpClosedFormInput *input)
{
    const LpFabric *fabric = input->fabric;
    return fabric->torus.n_dimensions > 0 && fabric->domain_size == 1 &&
           fabric->port_sharers <= 1 && input->rings.over_axes;
}

/* Seconds of a reduce-scatter of @bytes, without latency. There is a part for each of @n axes,
 * which goes along one after the other, beginning with its own, and all turn to their next axis
 * together. Parts are such that they end their first axis together; on the others the slowest
 * counts. (Jain and Sabharwal, Optimal bucket algorithms for large MPI collectives on torus
 * interconnects, ICS 2010.) */
static double
stages_s(const Axis *axes, guint32 n, double bytes, double bytes_per_s)
{
    double part[LP_TORUS_DIMENSIONS_MAX], sum = 0.0, all_s = 0.0;
    for (guint32 i = 0; i < n; i++) {
        part[i] = (double)axes[i].n_ways * (double)axes[i].n / (double)(axes[i].n - 1);
        sum += part[i];
    }
    for (guint32 stage = 0; stage < n; stage++) {
        double slowest_s = 0.0;
        for (guint32 i = 0; i < n; i++) {
            const Axis *axis = &axes[(i + stage) % n];
            double carried = part[i] / sum * bytes * (double)(axis->n - 1) / (double)axis->n;
            slowest_s = fmax(slowest_s, carried / ((double)axis->n_ways * bytes_per_s));
            part[i] /= (double)axis->n;
        }
        all_s += slowest_s;
    }
    return all_s;
}

double
lp_closed_form_axes_s(const LpClosedFormInput *input, LpGroup group, double share, double bytes)
{
    const LpFabric *fabric = input->fabric;
    guint64 n = lp_group_size(input->transformer, input->plan, group);
    Axis axes[LP_TORUS_DIMENSIONS_MAX];
    gboolean fills = find_axes(input, group, n, axes);
    guint32 n_axes = 0;
    double longest = 0.0, across = 0.0;
    for (guint32 d = 0; d < fabric->torus.n_dimensions; d++) {
        longest = fmax(longest, (double)(axes[d].n - 1) * (double)axes[d].farthest);
        across += (double)axes[d].farthest;
        if (axes[d].n > 1)
            axes[n_axes++] = axes[d];
    }
    if (!fills) {
        axes[0] = (Axis){.n = n, .n_ways = n > 2 ? 2 : 1};
        longest = (double)(n - 1) * across;
        n_axes = 1;
    }
    return 2.0 * share *
           ((double)n_axes * longest * fabric->link_latency_s +
            stages_s(axes, n_axes, bytes, fabric->scale_out_bytes_per_s));
}
