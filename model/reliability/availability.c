/* SPDX-License-Identifier: Apache-2.0 */
/* The availability of a machine whose parts fail and are repaired. */
#include "model/reliability/availability.h"

#include <math.h>

double
lp_availability(double mtbf_s, double repair_s)
{
    return isinf(mtbf_s) ? 1.0 : mtbf_s / (mtbf_s + repair_s);
}

/* P(X = k); logarithms, since powers and binomials leave the range of a double. */
static double
probability_of(guint64 n, guint64 k, double p)
{
    if (p <= 0.0 || p >= 1.0)
        return k == (p >= 1.0 ? n : 0) ? 1.0 : 0.0;
    double a = (double)n, b = (double)k;
    return exp(lgamma(a + 1.0) - lgamma(b + 1.0) - lgamma(a - b + 1.0) + b * log(p) +
               (a - b) * log1p(-p));
}

double
lp_availability_at_least(guint64 n, guint64 k, double p)
{
    if (k == 0)
        return 1.0;
    /* The shorter tail, so that nothing is lost to a difference from 1. */
    gboolean is_upper = (double)k > p * (double)n;
    double sum = 0.0;
    if (is_upper)
        for (guint64 i = n; i >= k; i--)
            sum += probability_of(n, i, p);
    else
        for (guint64 i = 0; i < k; i++)
            sum += probability_of(n, i, p);
    return fmin(is_upper ? sum : 1.0 - sum, 1.0);
}

double
lp_availability_slices(guint64 n, guint64 k, guint64 m, double p)
{
    double sum = 0.0;
    for (guint64 j = 1; j <= m && j * k <= n; j++)
        sum += lp_availability_at_least(n, j * k, p);
    return sum;
}

double
lp_availability_fixed_slices(guint64 n, guint64 k, guint64 m, double p)
{
    return lp_availability_slices(n / k, 1, m, pow(p, (double)k));
}

/* P(floor(X / group) = q) of one pod, for q from 0 to most. */
static void
fill_pod(double *groups_of, guint64 most, guint64 pod, guint64 group, double p)
{
    for (guint64 q = 0; q <= most; q++)
        groups_of[q] = lp_availability_at_least(pod, q * group, p) -
                       (q < most ? lp_availability_at_least(pod, (q + 1) * group, p) : 0.0);
}

/* The sum with one more pod, from the largest down, so that no second array is needed. */
static void
add_pod(double *sums, guint64 n_sums, const double *groups_of, guint64 most)
{
    for (guint64 sum = n_sums; sum-- > 0;) {
        double whole = 0.0;
        for (guint64 q = 0; q <= MIN(most, sum); q++)
            whole += sums[sum - q] * groups_of[q];
        sums[sum] = whole;
    }
}

double
lp_availability_pod_slices(guint64 n_pods, guint64 pod, guint64 group, guint64 groups, guint64 m,
                           double p, double *workspace)
{
    guint64 most = pod / group, n_sums = n_pods * most + 1;
    double *groups_of = workspace + n_sums;
    fill_pod(groups_of, most, pod, group, p);
    for (guint64 i = 0; i < n_sums; i++)
        workspace[i] = i == 0 ? 1.0 : 0.0;
    for (guint64 i = 0; i < n_pods; i++)
        add_pod(workspace, n_sums, groups_of, most);
    double mean = 0.0;
    for (guint64 i = 0; i < n_sums; i++)
        mean += workspace[i] * (double)MIN(m, i / groups);
    return mean;
}

/* The number of states of the scan along a line of blocks: 0 if no block waits for a group, else by
 * how many wait (1 to group - 1) and how many were down since (0 to hops - 1). */
static guint64
n_places(guint64 group, guint64 hops)
{
    return 1 + (group - 1) * hops;
}

static guint64
place_of(guint64 waiting, guint64 down, guint64 hops)
{
    return 1 + (waiting - 1) * hops + down;
}

gsize
lp_availability_ring_workspace(guint64 n, guint64 group, guint64 hops)
{
    return 2 * (n / group + 1) * n_places(group, hops);
}

/* One block more: of @from, the distribution over places with the groups so far. What completes a
 * group goes on to @next, with one group more. */
static void
add_block(const double *from, double *to, double *next, guint64 group, guint64 hops, double p)
{
    to[0] += from[0] * (1.0 - p);
    if (group == 1)
        next[0] += from[0] * p;
    else
        to[place_of(1, 0, hops)] += from[0] * p;
    for (guint64 waiting = 1; waiting < group; waiting++)
        for (guint64 down = 0; down < hops; down++) {
            double here = from[place_of(waiting, down, hops)];
            to[down + 1 < hops ? place_of(waiting, down + 1, hops) : 0] += here * (1.0 - p);
            if (waiting + 1 == group)
                next[0] += here * p;
            else
                to[place_of(waiting + 1, 0, hops)] += here * p;
        }
}

double
lp_availability_ring_slices(guint64 n, guint64 group, guint64 hops, guint64 groups, guint64 m,
                            double p, double *workspace)
{
    guint64 places = n_places(group, hops), most = n / group, size = (most + 1) * places;
    double *from = workspace, *to = workspace + size;
    for (guint64 i = 0; i < size; i++)
        from[i] = i == 0 ? 1.0 : 0.0;
    for (guint64 block = 0; block < n; block++) {
        guint64 known = block / group;
        for (guint64 i = 0; i < MIN(known + 2, most + 1) * places; i++)
            to[i] = 0.0;
        /* Beyond the last row there is no group to complete. */
        for (guint64 q = 0; q <= known; q++)
            add_block(from + q * places, to + q * places, to + MIN(q + 1, most) * places, group,
                      hops, p);
        double *free = from;
        from = to;
        to = free;
    }
    double mean = 0.0;
    for (guint64 q = 0; q <= most; q++)
        for (guint64 i = 0; i < places; i++)
            mean += from[q * places + i] * (double)MIN(m, q / groups);
    return mean;
}
